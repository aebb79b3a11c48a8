package admission

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// What the rules add, made once so that its strings stay interned.
var (
	notReady           = exists(condition.NotReady, taint.NoExecute)
	unreachable        = exists(condition.Unreachable, taint.NoExecute)
	diskPressure       = exists(condition.DiskPressure, taint.NoSchedule)
	memoryPressure     = exists(condition.MemoryPressure, taint.NoSchedule)
	pidPressure        = exists(condition.PIDPressure, taint.NoSchedule)
	unschedulable      = exists(condition.Unschedulable, taint.NoSchedule)
	networkUnavailable = exists(condition.NetworkUnavailable, taint.NoSchedule)
	outOfDisk          = exists(condition.OutOfDisk, taint.NoSchedule)
	everyNoExecute     = exists("", taint.NoExecute)
)

// exists returns the toleration of any value under a key that is known to be
// valid.
func exists(key string, effect taint.Effect) toleration.Toleration {
	u, _ := toleration.New(key, toleration.Exists, "", effect)
	return u
}

// A Grace is how long a pod stays by default on a node in trouble. The zero
// Grace is the default of Kubernetes, 300 seconds, and so not the same as
// For(0). It is comparable.
//
// As text it is the number of seconds, or "off"; the zero Grace is the empty
// text.
type Grace struct {
	seconds int64
	kind    graceKind
}

type graceKind uint8

const (
	byDefault graceKind = iota
	numbered
	off
)

const (
	defaultGrace = 300
	offText      = "off"
)

// For returns the Grace of so many seconds. With 0, or a negative number,
// which means the same, a pod is tolerated and evicted at once.
func For(seconds int64) Grace { return Grace{seconds, numbered} }

// Off returns the Grace that adds no toleration at all. A pod that says nothing
// itself is then not scheduled to such a node either.
func Off() Grace { return Grace{kind: off} }

var graceForms = []string{"300", offText}

// ParseGrace returns the Grace that the text tells: a number of seconds, "off",
// or the empty text for the zero Grace. On an error it returns the zero Grace.
func ParseGrace(s string) (Grace, error) {
	switch s {
	case "":
		return Grace{}, nil
	case offText:
		return Off(), nil
	}
	n, rule := validate.IntegerRule(s)
	if rule != 0 {
		return Grace{}, validate.Problems{{Func: "admission.ParseGrace", Input: s, Value: s, Rule: validate.Syntax, Allowed: graceForms}}
	}
	return For(n), nil
}

// Seconds returns the number of seconds, and false when no toleration is to be
// added.
func (g Grace) Seconds() (seconds int64, ok bool) {
	if g.kind == byDefault {
		return defaultGrace, true
	}
	return g.seconds, g.kind == numbered
}

// String returns the text that [ParseGrace] reads.
func (g Grace) String() string {
	switch g.kind {
	case numbered:
		return strconv.FormatInt(g.seconds, 10)
	case off:
		return offText
	}
	return ""
}

// AppendText appends what String returns to b. The error is always nil.
func (g Grace) AppendText(b []byte) ([]byte, error) { return append(b, g.String()...), nil }

// MarshalText returns what String returns.
func (g Grace) MarshalText() ([]byte, error) { return g.AppendText(nil) }

// UnmarshalText sets g to what [ParseGrace] reads. On an error g is unchanged.
func (g *Grace) UnmarshalText(text []byte) error {
	parsed, err := ParseGrace(string(text))
	if err == nil {
		*g = parsed
	}
	return err
}

// Seconds says for how long pods stay by default on nodes that are not ready,
// and on nodes that cannot be reached. The zero value is the way of an API
// server without flags: 300 seconds each.
type Seconds struct {
	NotReady    Grace
	Unreachable Grace
}

// DefaultSeconds returns the default tolerations that the pod lacks, that of
// node.kubernetes.io/not-ready before that of node.kubernetes.io/unreachable,
// each with the operator Exists, the effect NoExecute and its seconds.
//
// A default is left out when some toleration of the pod has that key, or no
// key, and the effect NoExecute, or no effect. Its operator and value do not
// matter: so node.kubernetes.io/not-ready=x:NoExecute suppresses the default
// and tolerates no taint that Kubernetes sets.
//
// It allocates the result.
func DefaultSeconds(s Seconds, pod ...[]toleration.Toleration) []toleration.Toleration {
	var room [2]toleration.Toleration
	return copied(AppendDefaultSeconds(room[:0], s, pod...))
}

// AppendDefaultSeconds appends what [DefaultSeconds] returns to dst.
func AppendDefaultSeconds(dst []toleration.Toleration, s Seconds, pod ...[]toleration.Toleration) []toleration.Toleration {
	dst = appendDefault(dst, notReady, s.NotReady, pod)
	return appendDefault(dst, unreachable, s.Unreachable, pod)
}

func appendDefault(dst []toleration.Toleration, u toleration.Toleration, g Grace, pod [][]toleration.Toleration) []toleration.Toleration {
	n, ok := g.Seconds()
	if !ok || mentions(pod, u) {
		return dst
	}
	u, _ = u.WithSeconds(n) // the effect is NoExecute
	return append(dst, u)
}

// mentions reports whether the pod says something of the taints that u is for.
func mentions(pod [][]toleration.Toleration, u toleration.Toleration) bool {
	var anyKey = everyNoExecute.KeyHandle()
	for _, list := range pod {
		for i := range list {
			key, effect := list[i].KeyHandle(), list[i].Effect()
			if (key == u.KeyHandle() || key == anyKey) && (effect == u.Effect() || effect == 0) && !list[i].IsZero() {
				return true
			}
		}
	}
	return false
}

// DaemonOptions says what a daemon's pod is like. The zero value is a pod with
// a network of its own.
type DaemonOptions struct {
	// HostNetwork is the pod's spec.hostNetwork. It adds the toleration of
	// node.kubernetes.io/network-unavailable.
	HostNetwork bool
	// Critical adds the toleration of node.kubernetes.io/out-of-disk, which
	// clusters before Kubernetes 1.13 gave to critical pods.
	Critical bool
}

// Daemon returns the tolerations of a daemon's pod made from a template with
// these: the template's own, then those that are not among them of not-ready
// and unreachable with NoExecute, disk-pressure, memory-pressure, pid-pressure
// and unschedulable with NoSchedule, and what the options ask for, all under
// node.kubernetes.io/, with the operator Exists and without seconds.
//
// This is the whole new list, not only what to add, since a template is being
// made into a pod: where the template has one of them with seconds, that loses
// its seconds in place. So a daemon's pod stays on a node that is not ready,
// unless its template tolerates that for some seconds in other words, such as a
// wildcard's; these stay as they are.
//
// It allocates the result.
func Daemon(opts DaemonOptions, template ...[]toleration.Toleration) []toleration.Toleration {
	n := 8 // the most that is added
	for _, list := range template {
		n += len(list)
	}
	return AppendDaemon(make([]toleration.Toleration, 0, n), opts, template...)
}

// AppendDaemon appends what [Daemon] returns to dst, whose own tolerations do
// not count.
func AppendDaemon(dst []toleration.Toleration, opts DaemonOptions, template ...[]toleration.Toleration) []toleration.Toleration {
	start := len(dst)
	for _, list := range template {
		dst = append(dst, list...)
	}
	for _, u := range [...]toleration.Toleration{notReady, unreachable, diskPressure, memoryPressure, pidPressure, unschedulable} {
		dst = appendOrReplace(dst, start, u)
	}
	if opts.HostNetwork {
		dst = appendOrReplace(dst, start, networkUnavailable)
	}
	if opts.Critical {
		dst = appendOrReplace(dst, start, outOfDisk)
	}
	return dst
}

// appendOrReplace puts u in the place of each of dst[start:] that is u but for
// its seconds, and behind them when there is none.
func appendOrReplace(dst []toleration.Toleration, start int, u toleration.Toleration) []toleration.Toleration {
	found := false
	for i := start; i < len(dst); i++ {
		if dst[i].WithoutSeconds() == u {
			dst[i] = u
			found = true
		}
	}
	if !found {
		dst = append(dst, u)
	}
	return dst
}

// QOS is a pod's quality of service, as its status.qosClass has it. The zero
// QOS stands for one that is not known.
//
// As text it is the class's name; the zero QOS is the empty text.
type QOS uint8

const (
	// BestEffort pods ask for neither processor nor memory: no container or
	// init container has a request or a limit of one of them above zero.
	BestEffort QOS = iota + 1
	// Burstable pods are those between the other classes.
	Burstable
	// Guaranteed pods have limits of processor and memory in all containers,
	// and ask for as much.
	Guaranteed
)

var qosNames = []string{"BestEffort", "Burstable", "Guaranteed"}

// ParseQOS returns the class of that name, which is case-sensitive. On an
// error, which lists the names, it returns 0.
func ParseQOS(name string) (QOS, error) {
	if i := slices.Index(qosNames, name); i >= 0 {
		return QOS(i + 1), nil
	}
	return 0, validate.Problems{{Func: "admission.ParseQOS", Input: name, Value: name, Rule: validate.Syntax, Allowed: qosNames}}
}

// IsValid reports whether q is one of the three classes.
func (q QOS) IsValid() bool { return q != 0 && int(q) <= len(qosNames) }

// String returns the class's name, "" for the zero QOS.
func (q QOS) String() string {
	switch {
	case q.IsValid():
		return qosNames[q-1]
	case q == 0:
		return ""
	}
	return "QOS(" + strconv.Itoa(int(q)) + ")"
}

// AppendText appends the class's name to b. It fails on a number that is no
// class, and returns b unchanged.
func (q QOS) AppendText(b []byte) ([]byte, error) {
	if q != 0 && !q.IsValid() {
		return b, validate.Problems{{Func: "admission.QOS.AppendText", Input: q.String(), Value: q.String(), Rule: validate.Syntax, Allowed: qosNames}}
	}
	return append(b, q.String()...), nil
}

// MarshalText returns the class's name, and fails as AppendText does.
func (q QOS) MarshalText() ([]byte, error) { return q.AppendText(nil) }

// UnmarshalText sets q to the class of that name; empty text gives the zero
// QOS. On an error q is unchanged.
func (q *QOS) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*q = 0
		return nil
	}
	parsed, err := ParseQOS(string(text))
	if err == nil {
		*q = parsed
	}
	return err
}

// MemoryPressure returns the toleration of node.kubernetes.io/memory-pressure
// with the effect NoSchedule when the pod's class is Burstable or Guaranteed
// and no single toleration of it covers that one; else nil. Kubernetes does
// this when a pod is created and when it is updated.
//
// Where the class is not known it adds nothing; [DecodePod] tells it from what
// a pod asks for.
//
// It allocates the result.
func MemoryPressure(q QOS, pod ...[]toleration.Toleration) []toleration.Toleration {
	var room [1]toleration.Toleration
	return copied(AppendMemoryPressure(room[:0], q, pod...))
}

// AppendMemoryPressure appends what [MemoryPressure] returns to dst.
func AppendMemoryPressure(dst []toleration.Toleration, q QOS, pod ...[]toleration.Toleration) []toleration.Toleration {
	if q != Burstable && q != Guaranteed || covered(pod, memoryPressure) {
		return dst
	}
	return append(dst, memoryPressure)
}

const (
	nativeDomain  = "kubernetes.io/"
	requestPrefix = "requests."
	longestPrefix = 253 // of a key
)

// IsExtendedResource reports whether the name of a resource is that of an
// extended one, such as example.com/gpu: it has a '/', does not contain
// "kubernetes.io/" and does not begin with "requests.", and is a valid key when
// that is put before it, as it is in quotas. It is then a valid key itself.
//
// It does not allocate.
func IsExtendedResource(name string) bool {
	prefix, _, ok := strings.Cut(name, "/")
	return ok && !strings.Contains(name, nativeDomain) && !strings.HasPrefix(name, requestPrefix) &&
		validate.KeyRule(name) == 0 && len(prefix) <= longestPrefix-len(requestPrefix)
}

// ExtendedResources returns, for each extended resource among the names, sorted
// and each once, the toleration of the taint that has its name as a key and the
// effect NoSchedule, with the operator Exists. It is left out only where the
// pod has that very toleration: a wildcard does not do in its place. The names
// are those in the requests of the pod's containers and init containers.
//
// It is O(n·m) for n names and m tolerations. It allocates the result, and what
// names are new.
func ExtendedResources[S ~string](names []S, pod ...[]toleration.Toleration) []toleration.Toleration {
	if len(names) > len(stack{}) {
		return orNil(AppendExtendedResources(make([]toleration.Toleration, 0, len(names)), names, pod...))
	}
	var room stack
	return copied(AppendExtendedResources(room[:0], names, pod...))
}

// AppendExtendedResources appends what [ExtendedResources] returns to dst.
func AppendExtendedResources[S ~string](dst []toleration.Toleration, names []S, pod ...[]toleration.Toleration) []toleration.Toleration {
	start := len(dst)
	for _, name := range names {
		if !IsExtendedResource(string(name)) {
			continue
		}
		if u := exists(string(name), taint.NoSchedule); !contains(pod, u) {
			dst = append(dst, u)
		}
	}
	return sorted(dst, start)
}

// Missing returns those of the tolerations, in order and as written, that match
// some taint and that no single toleration of the pod covers, nor one returned
// before. It is for a namespace's defaults, and for the tolerations under
// scheduling of a runtime class. With what it returns behind the pod's own, it
// is what [cover.Merge] makes of both by [cover.Keep].
//
// As the first that matches decides, a taint that the pod tolerates is
// tolerated neither longer nor shorter than before.
//
// It is O(n·m) for n tolerations and m of the pod. It allocates the result.
func Missing(tolerations []toleration.Toleration, pod ...[]toleration.Toleration) []toleration.Toleration {
	if len(tolerations) > len(stack{}) {
		return orNil(AppendMissing(make([]toleration.Toleration, 0, len(tolerations)), tolerations, pod...))
	}
	var room stack
	return copied(AppendMissing(room[:0], tolerations, pod...))
}

// AppendMissing appends what [Missing] returns to dst, whose own tolerations do
// not count.
func AppendMissing(dst, tolerations []toleration.Toleration, pod ...[]toleration.Toleration) []toleration.Toleration {
	start := len(dst)
	for _, u := range tolerations {
		if !cover.Empty(u) && !covered(pod, u) && !coveredBy(dst[start:], u) {
			dst = append(dst, u)
		}
	}
	return dst
}

// StaticPod returns the toleration that a kubelet gives to pods from its own
// files, so that no taint evicts them: the wildcard of the effect NoExecute,
// unless the pod has it as it is. Where the pod has it with seconds, these stay
// in front.
//
// It allocates the result.
func StaticPod(pod ...[]toleration.Toleration) []toleration.Toleration {
	var room [1]toleration.Toleration
	return copied(AppendStaticPod(room[:0], pod...))
}

// AppendStaticPod appends what [StaticPod] returns to dst.
func AppendStaticPod(dst []toleration.Toleration, pod ...[]toleration.Toleration) []toleration.Toleration {
	if contains(pod, everyNoExecute) {
		return dst
	}
	return append(dst, everyNoExecute)
}

// stack is room for the usual result, which need not be allocated before it is
// known how long it is.
type stack [16]toleration.Toleration

// copied returns a copy of the list, nil when it is empty.
func copied(list []toleration.Toleration) []toleration.Toleration {
	if len(list) == 0 {
		return nil
	}
	return append(make([]toleration.Toleration, 0, len(list)), list...)
}

func orNil(list []toleration.Toleration) []toleration.Toleration {
	if len(list) == 0 {
		return nil
	}
	return list
}

// sorted sorts dst[start:] and leaves each toleration in it once.
func sorted(dst []toleration.Toleration, start int) []toleration.Toleration {
	added := dst[start:]
	slices.SortFunc(added, toleration.Toleration.Compare)
	return dst[:start+len(slices.Compact(added))]
}

func contains(lists [][]toleration.Toleration, u toleration.Toleration) bool {
	for _, list := range lists {
		if slices.Contains(list, u) {
			return true
		}
	}
	return false
}

// covered reports whether a single toleration of the lists covers u.
func covered(lists [][]toleration.Toleration, u toleration.Toleration) bool {
	for _, list := range lists {
		if coveredBy(list, u) {
			return true
		}
	}
	return false
}

func coveredBy(list []toleration.Toleration, u toleration.Toleration) bool {
	for i := range list {
		if cover.Covers(list[i], u) {
			return true
		}
	}
	return false
}
