package admission

import (
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// The tolerations of the rules, made once so that their strings stay interned.
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

// exists returns the toleration of all values of a valid key.
func exists(key string, effect taint.Effect) toleration.Toleration {
	u, _ := toleration.New(key, toleration.Exists, "", effect)
	return u
}

// defaultSeconds is the default of Kubernetes.
const defaultSeconds = 300

// SecondsOptions are the settings of [DefaultSeconds]. The zero value is the default of
// Kubernetes, 300 seconds each.
type SecondsOptions struct {
	// NotReady and Unreachable are the seconds of the tolerations; nil is 300. With
	// 0 or a negative number, pods are evicted at once.
	NotReady    *int64 `json:"notReady,omitempty"`
	Unreachable *int64 `json:"unreachable,omitempty"`
	// NotReadyOff and UnreachableOff omit the tolerations, whatever their seconds.
	NotReadyOff    bool `json:"notReadyOff,omitempty"`
	UnreachableOff bool `json:"unreachableOff,omitempty"`
}

// DefaultSeconds returns node.kubernetes.io/not-ready:NoExecute op=Exists and
// node.kubernetes.io/unreachable:NoExecute op=Exists, with their seconds. Each is
// omitted if a toleration of the pod has its key or none, and NoExecute or no effect,
// whatever its operator and value.
func DefaultSeconds(s SecondsOptions, pod ...toleration.List) toleration.List {
	var room [2]toleration.Toleration
	return copied(appendSeconds(room[:0], s, pod...))
}

func appendSeconds(dst toleration.List, s SecondsOptions, pod ...toleration.List) toleration.List {
	if !s.NotReadyOff {
		dst = appendDefault(dst, notReady, s.NotReady, pod)
	}
	if !s.UnreachableOff {
		dst = appendDefault(dst, unreachable, s.Unreachable, pod)
	}
	return dst
}

func appendDefault(dst toleration.List, u toleration.Toleration, seconds *int64, pod []toleration.List) toleration.List {
	if mentions(pod, u) {
		return dst
	}
	n := int64(defaultSeconds)
	if seconds != nil {
		n = *seconds
	}
	u, _ = u.WithSeconds(n) // the effect is NoExecute
	return append(dst, u)
}

// mentions reports whether a toleration of the pod has the key of u or none, and the
// effect of u or none.
func mentions(pod []toleration.List, u toleration.Toleration) bool {
	anyKey, wanted := value.Toleration(everyNoExecute).KeyHandle(), value.Toleration(u).KeyHandle()
	for _, list := range pod {
		for i := range list {
			key, effect := value.Toleration(list[i]).KeyHandle(), list[i].Effect()
			if (key == wanted || key == anyKey) && (effect == u.Effect() || effect == 0) && !list[i].IsZero() {
				return true
			}
		}
	}
	return false
}

// DaemonOptions are options of [Daemon].
type DaemonOptions struct {
	// HostNetwork is spec.hostNetwork. It adds network-unavailable.
	HostNetwork bool
	// Critical adds out-of-disk, as for critical pods before Kubernetes 1.13.
	Critical bool
}

// Daemon returns all tolerations of a daemon's pod: those of its template, followed by
// those that it lacks of not-ready and unreachable with NoExecute, and of
// disk-pressure, memory-pressure, pid-pressure, unschedulable and the options with
// NoSchedule. All are under node.kubernetes.io/, with the operator Exists and without
// seconds. If the template has one of them with seconds, its seconds are removed.
// Other tolerations keep their seconds, such as a wildcard's.
func Daemon(opts DaemonOptions, template ...toleration.List) toleration.List {
	n := 8 // the most that is added
	for _, list := range template {
		n += len(list)
	}
	dst := make(toleration.List, 0, n)
	for _, list := range template {
		dst = append(dst, list...)
	}
	for _, u := range [...]toleration.Toleration{notReady, unreachable, diskPressure, memoryPressure, pidPressure, unschedulable} {
		dst = appendOrReplace(dst, u)
	}
	if opts.HostNetwork {
		dst = appendOrReplace(dst, networkUnavailable)
	}
	if opts.Critical {
		dst = appendOrReplace(dst, outOfDisk)
	}
	return dst
}

// appendOrReplace replaces each toleration of dst that differs from u only in its
// seconds, or appends u if there is none.
func appendOrReplace(dst toleration.List, u toleration.Toleration) toleration.List {
	found := false
	for i := range dst {
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

func appendMemoryPressure(dst toleration.List, q QOS, pod ...toleration.List) toleration.List {
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

// isExtendedResource reports whether the name of a resource is that of an extended
// one, by rule 4 of the package's documentation. It is then also a valid key.
func isExtendedResource(name string) bool {
	prefix, _, ok := strings.Cut(name, "/")
	return ok && !strings.Contains(name, nativeDomain) && !strings.HasPrefix(name, requestPrefix) &&
		syntax.Key(name) == 0 && len(prefix) <= longestPrefix-len(requestPrefix)
}

// appendExtendedResources appends the tolerations of the extended resources among
// the names, sorted, each once.
func appendExtendedResources(dst toleration.List, names []string, pod ...toleration.List) toleration.List {
	start := len(dst)
	var own map[toleration.Toleration]bool // the pod's, nil if these are few
	if length(pod) > few {
		own = make(map[toleration.Toleration]bool)
		for _, list := range pod {
			for _, u := range list {
				own[u] = true
			}
		}
	}
	for _, name := range names {
		if !isExtendedResource(name) {
			continue
		}
		if u := exists(name, taint.NoSchedule); !own[u] && (own != nil || !contains(pod, u)) {
			dst = append(dst, u)
		}
	}
	return sorted(dst, start)
}

// Missing returns the tolerations, such as those of a runtime class, that match some
// taint and that no single toleration of the pod or of the result covers. With the
// result appended, the pod has what [cover.Merge] returns.
func Missing(tolerations toleration.List, pod ...toleration.List) toleration.List {
	if len(tolerations) > len(stack{}) {
		return orNil(appendMissing(make(toleration.List, 0, len(tolerations)), tolerations, pod...))
	}
	var room stack
	return copied(appendMissing(room[:0], tolerations, pod...))
}

// appendMissing appends the result of Missing to dst. The tolerations in dst do not
// count.
func appendMissing(dst, tolerations toleration.List, pod ...toleration.List) toleration.List {
	if n := length(pod); n+len(tolerations) > few && len(tolerations) > 1 {
		return append(dst, cover.Merge(slices.Concat(pod...), tolerations)[n:]...)
	}
	start := len(dst)
	for _, u := range tolerations {
		if !cover.Empty(u) && !covered(pod, u) && !coveredBy(dst[start:], u) {
			dst = append(dst, u)
		}
	}
	return dst
}

// StaticPod returns :NoExecute op=Exists, which keeps static pods from
// eviction by any taint, unless the pod has it. If the pod has it with
// seconds, that one decides.
func StaticPod(pod ...toleration.List) toleration.List {
	if contains(pod, everyNoExecute) {
		return nil
	}
	return toleration.List{everyNoExecute}
}

// few is the number of tolerations up to which they are compared one by one,
// without allocating: BenchmarkAdmissionMany, and admission.Missing in
// BenchmarkGrowth. It is a variable for tests.
var few = 128

// length returns the number of tolerations in the lists.
func length(lists []toleration.List) int {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	return n
}

// A stack has room for the usual result, so that the result is allocated once, when
// its length is known.
type stack [16]toleration.Toleration

// copied returns a copy of the list, nil if it is empty.
func copied(list toleration.List) toleration.List {
	if len(list) == 0 {
		return nil
	}
	return append(make(toleration.List, 0, len(list)), list...)
}

func orNil(list toleration.List) toleration.List {
	if len(list) == 0 {
		return nil
	}
	return list
}

// sorted sorts dst[start:] and removes repeated tolerations from it.
func sorted(dst toleration.List, start int) toleration.List {
	added := dst[start:]
	slices.SortFunc(added, toleration.Toleration.Compare)
	return dst[:start+len(slices.Compact(added))]
}

func contains(lists []toleration.List, u toleration.Toleration) bool {
	for _, list := range lists {
		if slices.Contains(list, u) {
			return true
		}
	}
	return false
}

// covered reports whether a single toleration of the lists covers u.
func covered(lists []toleration.List, u toleration.Toleration) bool {
	for _, list := range lists {
		if coveredBy(list, u) {
			return true
		}
	}
	return false
}

func coveredBy(list toleration.List, u toleration.Toleration) bool {
	for i := range list {
		if cover.Covers(list[i], u) {
			return true
		}
	}
	return false
}
