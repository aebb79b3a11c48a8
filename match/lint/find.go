package lint

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// Find returns the findings in a list, sorted by index and check. It ignores zero
// Tolerations, and is safe for concurrent use.
//
// Up to 128 tolerations, with Defaults, usually take microseconds, and at most some
// milliseconds. For a longer list, Shadowed and Redundant, which compare all pairs, are
// skipped, TooLong reports this, and the time is linear.
func Find(tolerations toleration.List, opts Options) []Finding {
	var skip [len(checks)]bool
	for _, c := range opts.Skip {
		if int(c) >= len(checks) { // a typing error must not make the option useless
			panic("lint: unknown " + c.String())
		}
		skip[c] = true
	}
	l := newLinter(tolerations, opts.Defaults)
	var found []Finding
	for i := range l.list {
		for c := NeverMatches; int(c) < len(checks); c++ {
			if skip[c] || i >= l.pod && !checks[c].defaults {
				continue
			}
			if f := checks[c].find(l, i); f != nil {
				f.Check, f.Severity = c, cmp.Or(f.Severity, checks[c].severity)
				found = append(found, *f)
			}
		}
	}
	return found
}

// checks describes each check, and has its function.
var checks = [...]struct {
	name     string
	severity Severity
	defaults bool // a finding can be about a default
	// find returns the finding about the toleration at an index, or nil. Find sets its
	// check and, if absent, its severity.
	find               func(l *linter, i int) *Finding
	message            func(f Finding, quoted string) string
	summary, text, fix string // of Doc
}{
	NeverMatches: {"never-matches", Error, false,
		func(l *linter, i int) *Finding { return l.findingIf(matchesNothing(l.list[i]), i).setFix(remove, true) },
		func(f Finding, u string) string {
			if f.Toleration.Operator() == toleration.Lt {
				return u + " matches no taint: no taint has a number less than 0"
			}
			return u + " matches no taint: no taint has a number greater than " + maxInteger
		},
		"the toleration matches no valid taint",
		"A number on a taint is between 0 and 9223372036854775807. Lt matches taints whose number is less than that of the toleration, and Gt matches taints whose number is greater. So Lt with a number of 0 or less matches no taint, nor does Gt with the greatest number. Probably another number or the other operator was intended.",
		"The fix removes the toleration."},
	SuppressesDefault: {"suppresses-default", Error, false,
		suppressesDefault,
		func(f Finding, u string) string {
			return u + " prevents the default toleration of " + f.Toleration.Key() + ":NoExecute, and no toleration in the list matches this taint, so the pod is evicted at once"
		},
		"the toleration prevents a default toleration and does not match its taint",
		"Kubernetes adds tolerations of node.kubernetes.io/not-ready and node.kubernetes.io/unreachable with the effect NoExecute for 300 seconds to every pod. It adds none for a key if the pod already has a toleration with this key and the effect NoExecute or no effect. The operator and the value of this toleration do not matter. But Kubernetes sets these taints without a value, so a toleration with a value or a number does not match them. The pod is then evicted as soon as its node fails.",
		"The fix sets the operator to Exists, and keeps the effect and the seconds."},
	Shadowed: {"shadowed", Warning, false,
		func(l *linter, i int) *Finding { return l.unneeded(i, true) },
		func(f Finding, u string) string {
			text := u + " has no effect: it has no seconds, but "
			if n, timed := f.Toleration.Seconds(); timed {
				text = u + " has no effect: its " + strconv.FormatInt(n, 10) + "s are not used, because "
			}
			if f.Other < 0 {
				return text + "earlier tolerations decide"
			}
			return text + quote(f.OtherToleration) + " is before it and matches the same taints"
		},
		"earlier tolerations decide, so the seconds of this one have no effect",
		"If several tolerations match a taint, the first of them in the list decides for how long it is tolerated. Earlier tolerations match all taints that this one matches, some of them for another time. So the list does not do what this toleration says. If its seconds are intended, move it before the others.",
		"The fix removes the toleration, which does not change what the list means."},
	Redundant: {"redundant", Info, false,
		func(l *linter, i int) *Finding { return l.unneeded(i, false) },
		func(f Finding, u string) string {
			if f.Other < 0 {
				return u + " is not needed: without it, the list tolerates the same taints for the same time"
			}
			return u + " is not needed: " + quote(f.OtherToleration) + " tolerates the same taints for the same time"
		},
		"other tolerations tolerate the same taints for the same time",
		"Without this toleration, the list tolerates the same taints, each for the same time. It is a duplicate, or other tolerations cover it, one alone or several together. It does no harm. If tolerations cover each other, the last one is reported. A toleration that is needed until another one is removed is not reported before.",
		"The fix removes the toleration."},
	ToleratesEverything: {"tolerates-everything", Warning, true,
		func(l *linter, i int) *Finding {
			return l.findingIf(l.opensAt(i, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute), i)
		},
		func(f Finding, u string) string {
			if f.Toleration.Effect() == 0 {
				return u + " tolerates every taint"
			}
			return u + " completes a list that tolerates every taint"
		},
		"the list tolerates every taint",
		"A toleration with the operator Exists and neither a key nor an effect matches every taint. So do three tolerations together that have this operator and no key, one for each effect. The pod can be scheduled on every node, including control planes, nodes that are reserved for other pods, and failing nodes. It is not evicted by a taint unless a toleration has seconds. A pod that was drained from a cordoned node can be scheduled there again, because the toleration matches node.kubernetes.io/unschedulable:NoSchedule too. Agents that run on every node need this, so kubectl tolerate lint skips this check for DaemonSets, and for pods whose controller is a DaemonSet or a Node. Other pods should name the keys that they tolerate.",
		""},
	OpenToEveryNode: {"open-to-every-node", Info, true,
		func(l *linter, i int) *Finding {
			return l.findingIf(l.opensAt(i, taint.NoSchedule, taint.NoExecute) && l.first("", taint.PreferNoSchedule) < 0, i)
		},
		func(_ Finding, u string) string {
			return u + " completes a list that tolerates every NoSchedule and NoExecute taint"
		},
		"the list tolerates every NoSchedule and NoExecute taint",
		"The pod can be scheduled on every node, and is not evicted by a taint unless a toleration has seconds. Only PreferNoSchedule taints can be untolerated, and these do not prevent scheduling. Agents that run on every node need this: this check is skipped together with tolerates-everything.",
		""},
	EqualEmptyValue: {"equal-empty-value", Warning, false,
		equalEmptyValue,
		func(f Finding, u string) string {
			return u + " matches only a taint without a value; the operator Exists matches " + f.Toleration.Key() + " with any value"
		},
		"the toleration matches only the empty value, where Exists was probably intended",
		"Without an operator, a toleration has the operator Equal. Without a value, it then matches only taints without a value. Most taints have one, such as nvidia.com/gpu=present and dedicated=team, so the pod cannot be scheduled on the nodes that it is meant for. Exists matches a taint with any value or none. Keys whose taints have no value are not reported: those under node.kubernetes.io/, node-role.kubernetes.io/ and drbd.linbit.com/, and some others. With node-role.kubernetes.io/infra it is an info, because OpenShift's documentation sets this taint with the value reserved. A toleration is not reported if another one in the list has the same key and a value.",
		"The fix sets the operator to Exists."},
	OutdatedKey: {"outdated-key", Warning, false,
		outdatedKey,
		func(f Finding, u string) string {
			key, _ := condition.Deprecated(f.Toleration.Key())
			u += " has an outdated key: " + key + " replaced it"
			if f.Other >= 0 {
				u += ", and " + quote(f.OtherToleration) + " tolerates the new taint"
			}
			return u
		},
		"Kubernetes no longer uses the key of the toleration",
		"No maintained version of Kubernetes sets taints with this key. Another key replaced it: for example, node.kubernetes.io/not-ready replaced node.alpha.kubernetes.io/notReady. The toleration has no effect in a current cluster. The finding is an info if other tolerations match the new taint, with every effect that this one matches and Kubernetes uses: this one may then be intended for old clusters. Otherwise it is a warning.",
		"The fix replaces the key, or removes the toleration if the new taint is already tolerated."},
	NoTime: {"no-time", Warning, false,
		noTime,
		func(f Finding, u string) string {
			if n, _ := f.Toleration.Seconds(); n < 0 && !f.Fix.IsZero() {
				return u + " has negative seconds, which mean 0"
			}
			return u + " tolerates the taint for no time: the pod is scheduled on the node and evicted at once"
		},
		"the taint is tolerated for 0 seconds or less",
		"The pod can be scheduled on the node and is evicted at once, again and again. To keep the pod off the node, omit the toleration. With the keys node.kubernetes.io/not-ready and node.kubernetes.io/unreachable, 0 is not reported: if the toleration is omitted, Kubernetes adds one with 300 seconds, so 0 seconds can be intended. A negative number means 0 and is always reported.",
		"For these two keys, the fix replaces a negative number by 0."},
	UnexpectedValue: {"unexpected-value", Warning, false,
		unexpectedValue,
		func(_ Finding, u string) string {
			return u + " has a value, which the taint that Kubernetes sets with this key does not have; the operator Exists matches it"
		},
		"the toleration has a value, and taints with its key have none",
		"Kubernetes sets the taints of node conditions, such as node.kubernetes.io/disk-pressure, and of cordoned nodes without a value, and kubeadm those of control planes. A toleration with a value or a number does not match them. For the keys of control planes it is an info, because people and other installers, such as k3s, can set a value. A toleration is not reported if another one in the list has the same key and no value.",
		"The fix sets the operator to Exists."},
	OnlyMaster: {"only-master", Info, false,
		func(l *linter, i int) *Finding {
			return l.findingIf(l.needed[i].Key() == condition.Master && l.first(condition.ControlPlane, taint.NoSchedule) < 0, i)
		},
		func(_ Finding, u string) string {
			return u + " matches no taint of a current kubeadm cluster: add a toleration of " + condition.ControlPlane
		},
		"the list tolerates the old taint of control planes, and not the new one",
		"Since Kubernetes 1.25, kubeadm no longer sets node-role.kubernetes.io/master on control planes, only node-role.kubernetes.io/control-plane. The pod cannot be scheduled there. OpenShift still sets the old key. To support both, add a toleration of the new key and keep this one.",
		""},
	SecondsLoop: {"seconds-loop", Info, false,
		secondsLoop,
		func(_ Finding, u string) string {
			return u + " does not keep a new pod off the node: while the taint stays, it can be scheduled there and evicted again"
		},
		"the pod can return to the node from which it is evicted",
		"The scheduler ignores the seconds of a toleration. After them the pod is evicted, and if the taint is still there, the pod that replaces it can be scheduled on the same node and evicted again. The taints of Kubernetes itself are not reported: a failed node also has a NoSchedule taint. If this taint stays for longer than the seconds, give the node such a taint too, which the pod does not tolerate.",
		""},
	NeedsFeatureGate: {"needs-feature-gate", Info, false,
		func(l *linter, i int) *Finding { return l.findingIf(l.needed[i].IsNumeric(), i) },
		func(_ Finding, u string) string {
			return u + " needs the feature gate TaintTolerationComparisonOperators, which is off by default: without it, the API server rejects the pod"
		},
		"the operator needs a feature gate that is off by default",
		"The operators Lt and Gt need the feature gate TaintTolerationComparisonOperators of the API server and the scheduler. It exists from Kubernetes 1.35 on, and up to 1.38 it is off by default. An API server without it rejects the pod.",
		""},
	TooLong: {"too-long", Info, true,
		func(l *linter, i int) *Finding { return l.findingIf(i == most, i) },
		func(Finding, string) string {
			return "the list has more than 128 tolerations, so shadowed and redundant ones are not reported"
		},
		"the list is too long for shadowed and redundant",
		"To find tolerations that are shadowed or redundant, all tolerations are compared with one another. This is done for up to 128, with the defaults of the namespace. All other checks are complete. No known workload has so many tolerations: probably a program repeats them, or a toleration without a key was intended.",
		""},
}

// A linter is a list and what the checks need to know about it.
type linter struct {
	list    toleration.List // the pod's tolerations, then the defaults
	pod     int             // how many are the pod's
	needed  toleration.List // the list with zero Tolerations for those that can be removed
	matched [][]*probe      // by toleration; made by dropUnneeded
	uses    map[keyEffect]use
}

func newLinter(tolerations, defaults toleration.List) *linter {
	l := &linter{list: tolerations, pod: len(tolerations)}
	if len(defaults) > 0 {
		l.list = slices.Concat(tolerations, defaults)
	}
	l.needed = l.list
	for i, u := range tolerations {
		if matchesNothing(u) {
			l.drop(i)
		}
	}
	if len(l.list) <= most && l.overlaps() {
		l.dropUnneeded()
	}
	return l
}

// drop makes the checks ignore a toleration that can be removed.
func (l *linter) drop(i int) {
	if &l.needed[0] == &l.list[0] {
		l.needed = slices.Clone(l.list)
	}
	l.needed[i] = remove
}

// findingIf returns a finding without a fix, or nil.
func (l *linter) findingIf(found bool, i int) *Finding {
	if !found {
		return nil
	}
	return &Finding{Index: i, Toleration: l.list[i], Other: -1}
}

// setOther sets the other toleration of a finding, unless i is -1.
func (l *linter) setOther(f *Finding, i int) {
	if i >= 0 {
		f.Other, f.OtherToleration = i, l.list[i]
	}
}

// setFix sets the fix of a finding, unless there is none.
func (f *Finding) setFix(after toleration.Toleration, equivalent bool) *Finding {
	if f != nil {
		f.Fix = Fix{Index: f.Index, Before: f.Toleration, After: after, Equivalent: equivalent}
	}
	return f
}

// setExists sets the fix that sets the operator, unless this changes another finding.
func (l *linter) setExists(f *Finding) *Finding {
	if u := f.Toleration; l.alone(u, u.Key()) {
		f.setFix(rewrite(u, u.Key(), toleration.Exists), false)
	}
	return f
}

var remove toleration.Toleration

const maxInteger = "9223372036854775807"

// matchesNothing reports whether no integer on a taint is less or greater than that of u.
func matchesNothing(u toleration.Toleration) bool {
	return !u.IsZero() && cover.MatchesNothing(u)
}

// suppressesDefault considers dropped tolerations, too. One that never matches still
// prevents the default toleration, and so does one that the defaults of the namespace
// cover, because they are added later.
func suppressesDefault(l *linter, i int) *Finding {
	u := l.list[i]
	if !preventsDefault(u) || u.Value() == "" || l.first(u.Key(), taint.NoExecute) >= 0 {
		return nil
	}
	empty := matchesNothing(u)
	instead := func(v toleration.Toleration) bool { return v.Key() == u.Key() && preventsDefault(v) }
	if l.needed[i].IsZero() && !empty && slices.ContainsFunc(l.needed[:l.pod], instead) {
		return nil // a toleration that remains is reported
	}
	f := l.findingIf(true, i)
	if !empty {
		l.setExists(f)
	}
	return f
}

// preventsDefault reports whether Kubernetes does not add the default toleration of the
// key to a pod with u.
func preventsDefault(u toleration.Toleration) bool {
	return (u.Key() == condition.NotReady || u.Key() == condition.Unreachable) && (u.Effect() == 0 || u.Effect() == taint.NoExecute)
}

// unneeded returns the finding about a toleration that dropUnneeded dropped, if it is
// shadowed or not: earlier ones match all its taints, some of them for another time.
// dropUnneeded decides what is redundant.
func (l *linter) unneeded(i int, shadowed bool) *Finding {
	u := l.list[i]
	if u == l.needed[i] || matchesNothing(u) {
		return nil
	}
	decides := slices.ContainsFunc(l.matched[i], func(p *probe) bool { return p.first == i })
	otherTime := slices.ContainsFunc(l.matched[i], func(p *probe) bool { return !sameTime(u, l.list[p.first]) })
	if shadowed != (!decides && otherTime) {
		return nil
	}
	f := l.findingIf(true, i).setFix(remove, true)
	by := l.needed
	if shadowed {
		by = l.list[:i]
	}
	l.setOther(f, slices.IndexFunc(by, func(v toleration.Toleration) bool {
		return (shadowed || sameTime(u, v)) && !slices.ContainsFunc(l.matched[i], func(p *probe) bool { return !v.Tolerates(p.Taint) })
	}))
	return f
}

// opensAt reports whether the tolerations up to index i, but not those before it, tolerate
// every taint with these effects. Only those without a key match every key.
func (l *linter) opensAt(i int, effects ...taint.Effect) bool {
	if l.list[i].Key() != "" {
		return false
	}
	last := -1
	for _, e := range effects {
		first := l.first("", e)
		if first < 0 {
			return false
		}
		last = max(last, first)
	}
	return last == i
}

func equalEmptyValue(l *linter, i int) *Finding {
	u := l.needed[i]
	if u.IsZero() || u.Operator() != toleration.Equal && u.Operator() != 0 || u.Value() != "" || valueless(u.Key()) ||
		l.use(u.Key(), u.Effect()).valued > 0 { // the empty value is intended
		return nil
	}
	f := l.findingIf(true, i)
	if u.Key() == infra {
		f.Severity = Info
	}
	return l.setExists(f)
}

// infra is the key of OpenShift's nodes for its own services, whose taint usually has a value.
const infra = "node-role.kubernetes.io/infra"

// valueless reports whether taints with this key are known to have no value.
func valueless(key string) bool {
	switch key {
	case condition.OutOfService, infra:
		return false // people set these, the first with the value nodeshutdown
	case condition.CloudShutdown, "karpenter.sh/disrupted", "karpenter.sh/unregistered", "node.cluster.x-k8s.io/uninitialized":
		return true
	}
	_, outdated := condition.Deprecated(key)
	return outdated || strings.HasPrefix(key, "node.kubernetes.io/") || strings.HasPrefix(key, "node-role.kubernetes.io/") || strings.HasPrefix(key, "drbd.linbit.com/")
}

func unexpectedValue(l *linter, i int) *Finding {
	u := l.needed[i]
	if u.Value() == "" || l.first(u.Key(), u.Effect()) >= 0 || suppressesDefault(l, i) != nil {
		return nil
	}
	f := l.setExists(l.findingIf(true, i))
	switch u.Key() {
	case condition.ControlPlane, condition.Master:
		f.Severity = Info
	case condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure, condition.NetworkUnavailable, condition.Unschedulable, condition.CloudShutdown:
	default:
		return nil
	}
	return f
}

func outdatedKey(l *linter, i int) *Finding {
	u := l.needed[i]
	key, outdated := condition.Deprecated(u.Key())
	if !outdated {
		return nil
	}
	f := l.findingIf(true, i)
	other := l.first(key, u.Effect())
	if u.Effect() == 0 {
		other = l.first(key, taint.NoSchedule)
		if (key == condition.NotReady || key == condition.Unreachable) && l.first(key, taint.NoExecute) < 0 {
			other = -1
		}
	}
	l.setOther(f, other)
	switch {
	case f.Other >= 0:
		f.Severity = Info
		if l.alone(u, u.Key()) {
			f.setFix(remove, false)
		}
	case u.Value() == "" && l.alone(u, key): // taints with the new key have no value
		f.setFix(rewrite(u, key, u.Operator()), false)
	}
	return f
}

func noTime(l *linter, i int) *Finding {
	u := l.needed[i]
	n, timed := u.Seconds()
	if !preventsDefault(u) {
		return l.findingIf(timed && n <= 0, i)
	}
	return l.findingIf(timed && n < 0, i).setFix(toleration.Toleration(value.Toleration(u).WithSeconds(0)), true)
}

func secondsLoop(l *linter, i int) *Finding {
	u := l.needed[i]
	n, timed := u.Seconds()
	own := strings.HasPrefix(u.Key(), "node.") && strings.Contains(u.Key(), "kubernetes.io/")
	return l.findingIf(timed && n > 0 && u.Key() != "" && !own, i)
}

// rewrite returns u with another key and operator, without a value.
func rewrite(u toleration.Toleration, key string, op toleration.Operator) toleration.Toleration {
	by := value.NewToleration(key, uint8(op), "", uint8(u.Effect()))
	if n, timed := u.Seconds(); timed {
		by = by.WithSeconds(n)
	}
	return toleration.Toleration(by)
}

type keyEffect struct {
	key    string
	effect taint.Effect
}

// A use is how a list uses a key with an effect, or, if it is absent, with any.
type use struct {
	all    int // how many tolerations match
	valued int // how many needed ones have a value
	first  int // 1 and the index of the first needed one without a value, or 0
}

// use returns how the list uses a key with the effects that overlap with e.
func (l *linter) use(key string, e taint.Effect) use {
	if l.uses == nil {
		l.uses = make(map[keyEffect]use)
		for i, u := range l.list {
			for e := range taint.NoExecute + 1 {
				if u.IsZero() || e != 0 && u.Effect() != 0 && e != u.Effect() {
					continue
				}
				of := l.uses[keyEffect{u.Key(), e}]
				of.all++
				if v := l.needed[i]; v.Value() != "" {
					of.valued++
				} else if !v.IsZero() && of.first == 0 {
					of.first = i + 1
				}
				l.uses[keyEffect{u.Key(), e}] = of
			}
		}
	}
	return l.uses[keyEffect{key, e}]
}

// first returns the index of the first needed toleration that matches the taint with the
// key, no value and the effect, or -1. The list does not have the empty key.
func (l *linter) first(key string, e taint.Effect) int {
	i, j := l.use("", e).first, l.use(key, e).first
	if i == 0 || 0 < j && j < i {
		i = j
	}
	return i - 1
}

// alone reports whether no toleration but u, which has a key, overlaps with u in key and
// effect, nor would if u had that key. Then a replacement of u changes no other finding.
func (l *linter) alone(u toleration.Toleration, key string) bool {
	n := l.use("", u.Effect()).all + l.use(u.Key(), u.Effect()).all
	if key != u.Key() {
		n += l.use(key, u.Effect()).all
	}
	return n == 1
}

// most is the greatest length of a list whose tolerations are compared with one another.
const most = 128

// A probe is a taint, and the first and the last of the tolerations that decide about it:
// those that match it before one with another time does. The list means the same without
// some of them if any of them stays.
type probe struct {
	taint.Taint
	first, last int
	stays       bool // one of them is needed, or is a default
}

// dropUnneeded drops tolerations without which the list means the same, alone and
// together. Of several that could be, the last are dropped.
func (l *linter) dropUnneeded() {
	l.matched = make([][]*probe, len(l.list))
	probes := l.probes()
	for k := range probes {
		p, ended := &probes[k], false
		for i, u := range l.needed {
			if !u.Tolerates(p.Taint) {
				continue
			}
			if p.first < 0 {
				p.first = i
			}
			if ended = ended || !sameTime(u, l.list[p.first]); !ended {
				p.last, p.stays = i, i >= l.pod
			}
			l.matched[i] = append(l.matched[i], p)
		}
	}
	for i := l.pod - 1; i >= 0; i-- {
		if !slices.ContainsFunc(l.matched[i], func(p *probe) bool { return p.first == i && !p.stays }) {
			l.drop(i)
			continue
		}
		for _, p := range l.matched[i] {
			p.stays = p.stays || i <= p.last
		}
	}
}

// overlaps reports whether two tolerations of the list overlap in key and effect. In most
// lists none do, and then all are needed.
func (l *linter) overlaps() bool {
	for i, u := range l.needed {
		for _, v := range l.needed[:i] {
			e, f, k, m := u.Effect(), v.Effect(), u.Key(), v.Key()
			if (e == f || e == 0 || f == 0) && (k == m || k == "" || m == "") && !u.IsZero() && !v.IsZero() {
				return true
			}
		}
	}
	return false
}

// probes returns taints of which at least one is in each set of taints that the list
// distinguishes.
func (l *linter) probes() (probes []probe) {
	const other = "*" // which no toleration has as a key or a value
	add := func(key, v string) {
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			probes = append(probes, probe{Taint: taint.Taint(value.NewTaint(key, v, uint8(e))), first: -1})
		}
	}
	add(other, other)
	for _, u := range l.needed {
		key, v := u.Key(), u.Value()
		switch {
		case key == "":
			continue
		case u.Operator() == toleration.Exists:
			v = other
		case u.IsNumeric():
			add(key, "0") // the least integer on a taint
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n >= 0 {
			add(key, v)
		}
		if err == nil && n >= 0 && n < math.MaxInt64 {
			add(key, strconv.FormatInt(n+1, 10))
		}
	}
	return probes
}

// sameTime reports whether both tolerate a taint for the same time.
func sameTime(u, v toleration.Toleration) bool {
	n, timed := u.Seconds()
	m, also := v.Seconds()
	return timed == also && max(n, 0) == max(m, 0)
}
