package lint

import (
	"slices"
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A linter checks one list. It does not hold the findings: otherwise every list
// would escape to the heap.
type linter struct {
	list   toleration.List // the pod's tolerations, then the defaults
	pod    int             // how many are the pod's
	needed toleration.List // the list with zero Tolerations for the dropped ones
	copied bool            // needed is a copy of list

	// Results that several findings share, made when they are needed first.
	keys    map[unique.Handle[string]]*uses
	matches map[taint.Taint]int

	// Whether the list tolerates a defaulted taint, and prevents its default.
	tolerated, prevented [len(defaulted)]bool
}

// find returns the findings, unsorted, in a list that begins with the
// tolerations of the pod.
func find(list toleration.List, pod int) []Finding {
	l := linter{list: list, pod: pod, needed: list}
	var found []Finding
	found = l.neverMatching(found)
	found = l.unneeded(found)
	found = l.everything(found)
	for k := range defaulted {
		l.tolerated[k] = l.needed.Match(defaulted[k]) >= 0
		l.prevented[k] = slices.ContainsFunc(l.needed[:pod], func(u toleration.Toleration) bool { return prevents(&u, k) })
	}
	for i := range pod {
		found = l.suppressing(found, i)
		if !l.isDropped(i) {
			found = l.emptyValue(found, i)
			found = l.outdated(found, i)
			found = l.noTime(found, i)
			if l.list[i].IsNumeric() {
				found = append(found, l.finding(NeedsFeatureGate, i))
			}
		}
	}
	return found
}

func (l *linter) finding(c Check, i int) Finding {
	return Finding{Check: c, Severity: c.Severity(), Index: i, Toleration: l.list[i], Other: -1}
}

func (l *linter) setOther(f *Finding, i int) { f.Other, f.OtherToleration = i, l.list[i] }

func (l *linter) setFix(f *Finding, after toleration.Toleration, equivalent bool) {
	f.Fix = Fix{Index: f.Index, Before: f.Toleration, After: after, Equivalent: equivalent}
}

var remove toleration.Toleration

// drop drops the toleration at index i: the other checks ignore it.
func (l *linter) drop(i int) {
	if !l.copied {
		// With slices.Clone, every list would escape to the heap.
		l.needed, l.copied = append(make(toleration.List, 0, len(l.list)), l.list...), true
	}
	l.needed[i] = toleration.Toleration{}
}

func (l *linter) isDropped(i int) bool { return l.needed[i].IsZero() }

// neverMatching drops the tolerations that match no taint.
func (l *linter) neverMatching(found []Finding) []Finding {
	for i := range l.pod {
		if u := &l.list[i]; u.IsNumeric() && cover.MatchesNothing(*u) {
			f := l.finding(NeverMatches, i)
			l.setFix(&f, remove, true)
			found = append(found, f)
			l.drop(i)
		}
	}
	return found
}

// most is the greatest length of a list whose tolerations are compared with one
// another, which takes cubic time.
const most = 128

// unneeded drops tolerations without which the list means the same: the list as it
// is, and also after any of the others that are dropped was removed.
func (l *linter) unneeded(found []Finding) []Finding {
	if len(l.list) > most {
		return append(found, l.finding(TooLong, most))
	}
	// From the end, so that the first of tolerations that cover each other stays.
	// The list without all of these means the same.
	var rest toleration.List
	for i := l.pod - 1; i >= 0; i-- {
		list := l.needed
		if rest != nil {
			list = rest
		}
		if list[i].IsZero() || isolated(list, i) || !redundant(list, i) {
			continue
		}
		if rest == nil {
			rest = append(make(toleration.List, 0, len(l.list)), l.needed...)
		}
		rest[i] = toleration.Toleration{}
	}
	// One of them alone is perhaps needed: another one, which it shadows, would
	// decide. If the list means the same without one and all dropped before it, the
	// same holds for it and any of these: those that match a taint that it decides
	// are all removed.
	start := len(found)
	for i := range rest {
		if rest[i] == l.needed[i] || !redundant(l.needed, i) {
			continue
		}
		f := l.finding(Redundant, i)
		if l.shadowed(i) {
			f.Check, f.Severity = Shadowed, Shadowed.Severity()
		}
		l.setFix(&f, remove, true)
		found = append(found, f)
		l.drop(i)
	}
	for k := range found[start:] {
		f := &found[start+k]
		if other := l.coverer(f.Index, f.Check); other >= 0 {
			l.setOther(f, other)
		}
	}
	return found
}

// shadowed reports whether earlier tolerations match every taint that the one at
// index i matches, some of them for another time.
func (l *linter) shadowed(i int) bool {
	earlier := slices.Clone(l.list[:i])
	for k, u := range earlier {
		earlier[k] = u.WithoutSeconds()
	}
	if _, found := cover.UncoveredTaint(toleration.List{l.list[i].WithoutSeconds()}, earlier, toleration.First); found {
		return false
	}
	// At the front it decides for all its taints.
	return !redundant(slices.Concat(toleration.List{l.list[i]}, l.list), 0)
}

// isolated reports whether no other toleration of the list overlaps in key and
// effect with the one at index i. It avoids most of the exact comparisons.
func isolated(list toleration.List, i int) bool {
	for j := range list {
		if j != i && overlap(&list[i], &list[j]) {
			return false
		}
	}
	return true
}

// redundant reports whether the list tolerates the same taints, each for as long, without its
// toleration at index i.
func redundant(list toleration.List, i int) bool {
	var with toleration.List // those that can match a taint of the one at i
	at := 0
	for j := range list {
		if j == i {
			at = len(with)
		} else if !overlap(&list[i], &list[j]) {
			continue
		}
		with = append(with, list[j])
	}
	without := slices.Delete(slices.Clone(with), at, at+1)
	_, less := cover.UncoveredTaint(with, without, toleration.First)
	_, more := cover.UncoveredTaint(without, with, toleration.First)
	return !less && !more
}

// overlap reports whether a taint may match both tolerations.
func overlap(u, v *toleration.Toleration) bool {
	return meets(u, v) && (u.Value() == v.Value() || !(*value.Toleration)(u).IsEqual() || !(*value.Toleration)(v).IsEqual())
}

// meets reports whether both tolerations allow some key and effect.
func meets(u, v *toleration.Toleration) bool {
	if u.IsZero() || v.IsZero() {
		return false
	}
	e, f := u.Effect(), v.Effect()
	k, m := keyOf(u), keyOf(v)
	return (e == f || e == 0 || f == 0) && (k == m || k == anyKey || m == anyKey)
}

func keyOf(u *toleration.Toleration) unique.Handle[string] {
	return (*value.Toleration)(u).KeyHandle()
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

// coverer returns the index of a toleration that matches every taint that the one at
// index i matches, -1 if there is none: for Shadowed an earlier one, for Redundant
// one that is needed, for the same time.
func (l *linter) coverer(i int, c Check) int {
	u := l.list[i]
	for j, v := range l.list {
		if j == i || c == Shadowed && j > i {
			continue
		}
		if cover.Covers(v.WithoutSeconds(), u) && (c == Shadowed || sameTime(&u, &v) && !l.isDropped(j)) {
			return j
		}
	}
	return -1
}

// sameTime reports whether both tolerate a taint for the same time.
func sameTime(u, v *toleration.Toleration) bool {
	n, timed := u.Seconds()
	m, also := v.Seconds()
	return timed == also && max(n, 0) == max(m, 0)
}

// everything finds lists that tolerate every taint, or every NoSchedule and
// NoExecute taint. Only tolerations without a key match a taint whose key the
// list does not name, so the others do not matter.
func (l *linter) everything(found []Finding) []Finding {
	var have [taint.NoExecute + 1]bool
	hard, all := -1, -1 // where the list is complete
	for i := range l.needed {
		u := &l.needed[i]
		if keyOf(u) != anyKey || u.IsZero() {
			continue
		}
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			have[e] = have[e] || u.Effect() == e || u.Effect() == 0
		}
		if hard < 0 && have[taint.NoSchedule] && have[taint.NoExecute] {
			hard = i
		}
		if all < 0 && hard >= 0 && have[taint.PreferNoSchedule] {
			all = i
		}
	}
	switch {
	case all >= 0:
		return append(found, l.finding(ToleratesEverything, all))
	case hard >= 0:
		return append(found, l.finding(OpenToEveryNode, hard))
	}
	return found
}

// defaulted are the taints of the default tolerations.
var defaulted = [...]taint.Taint{
	taint.MustParse(condition.NotReady + ":NoExecute"),
	taint.MustParse(condition.Unreachable + ":NoExecute"),
}

// suppressing also considers dropped tolerations. One that never matches still
// prevents the default toleration, and so does one that the defaults of the
// namespace cover, because they are added later.
func (l *linter) suppressing(found []Finding, i int) []Finding {
	for k := range defaulted {
		if !prevents(&l.list[i], k) || l.tolerated[k] {
			continue
		}
		u, empty := l.list[i], cover.MatchesNothing(l.list[i])
		if l.isDropped(i) && !empty && l.prevented[k] {
			continue // a toleration that remains is reported
		}
		f := l.finding(SuppressesDefault, i)
		if exists := rewrite(u, u.Key(), toleration.Exists, ""); !empty && l.independent(i, exists) {
			l.setFix(&f, exists, false)
		}
		found = append(found, f)
	}
	return found
}

// prevents reports whether Kubernetes does not add the default toleration of
// defaulted[k] to a pod with u.
func prevents(u *toleration.Toleration, k int) bool {
	return keyOf(u) == (*value.Taint)(&defaulted[k]).KeyHandle() && (u.Effect() == 0 || u.Effect() == taint.NoExecute)
}

func (l *linter) emptyValue(found []Finding, i int) []Finding {
	u := &l.list[i]
	if !(*value.Toleration)(u).IsEqual() || u.Value() != "" || valueless(u.Key()) || l.namesValue(u) {
		return found
	}
	f := l.finding(EqualEmptyValue, i)
	if exists := rewrite(*u, u.Key(), toleration.Exists, ""); l.independent(i, exists) {
		l.setFix(&f, exists, false)
	}
	return append(found, f)
}

// uses is how the tolerations of a list use a key, by effect, where 0 is the absent
// one.
type uses struct {
	count  [taint.NoExecute + 1]int  // how many have the key
	valued [taint.NoExecute + 1]bool // whether a needed one has a value
}

func (l *linter) uses(key unique.Handle[string]) *uses {
	if l.keys == nil {
		l.keys = make(map[unique.Handle[string]]*uses)
		for i := range l.list {
			u := &l.list[i]
			if u.IsZero() {
				continue
			}
			of := l.keys[keyOf(u)]
			if of == nil {
				of = new(uses)
				l.keys[keyOf(u)] = of
			}
			of.count[u.Effect()]++
			of.valued[u.Effect()] = of.valued[u.Effect()] || u.Value() != "" && !l.isDropped(i)
		}
	}
	if of := l.keys[key]; of != nil {
		return of
	}
	return new(uses)
}

// namesValue reports whether a needed toleration has the key of u, a value, and
// an effect that overlaps with that of u: then the empty value is intended.
func (l *linter) namesValue(u *toleration.Toleration) bool {
	valued := &l.uses(keyOf(u)).valued
	if u.Effect() == 0 {
		return slices.Contains(valued[:], true)
	}
	return valued[0] || valued[u.Effect()]
}

// valueless reports whether taints with this key are known to have no value.
func valueless(key string) bool {
	switch key {
	case condition.OutOfService:
		return false // people set it, with the value nodeshutdown
	case condition.CloudShutdown, "karpenter.sh/disrupted", "karpenter.sh/unregistered", "node.cluster.x-k8s.io/uninitialized":
		return true
	}
	_, outdated := condition.Deprecated(key)
	return outdated || strings.HasPrefix(key, "node.kubernetes.io/") || strings.HasPrefix(key, "node-role.kubernetes.io/")
}

func (l *linter) outdated(found []Finding, i int) []Finding {
	u := &l.list[i]
	key, ok := condition.Deprecated(u.Key())
	if !ok {
		return found
	}
	f := l.finding(OutdatedKey, i)
	if other := l.tolerating(i, key); other >= 0 {
		f.Severity = Info
		l.setOther(&f, other)
		if l.independent(i, *u) {
			l.setFix(&f, remove, false)
		}
		return append(found, f)
	}
	// Taints with the new key have no value.
	if by := rewrite(*u, key, u.Operator(), u.Value()); u.Value() == "" && l.independent(i, by) {
		l.setFix(&f, by, false)
	}
	return append(found, f)
}

// tolerating returns the index of the first needed toleration that matches a
// taint with the key, no value, and an effect of the toleration at index i; -1
// if there is none. The toleration at index i has another key.
func (l *linter) tolerating(i int, key string) int {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if own := l.list[i].Effect(); own != 0 && own != e {
			continue
		}
		t, _ := taint.New(key, "", e) // always valid
		if j := l.firstMatch(t); j >= 0 {
			return j
		}
	}
	return -1
}

// firstMatch returns the index of the first needed toleration that matches t, -1
// if there is none.
func (l *linter) firstMatch(t taint.Taint) int {
	i, ok := l.matches[t]
	if !ok {
		if l.matches == nil {
			l.matches = make(map[taint.Taint]int)
		}
		i = l.needed.Match(t)
		l.matches[t] = i
	}
	return i
}

func (l *linter) noTime(found []Finding, i int) []Finding {
	u := &l.list[i]
	n, timed := u.Seconds()
	if !timed || n > 0 {
		return found
	}
	hasDefault := u.Key() == condition.NotReady || u.Key() == condition.Unreachable
	if n == 0 && hasDefault {
		return found
	}
	f := l.finding(NoTime, i)
	if hasDefault {
		zero, _ := u.WithSeconds(0) // u has the effect NoExecute
		l.setFix(&f, zero, true)
	}
	return append(found, f)
}

// independent reports whether no other toleration overlaps in key and effect with
// the one at index i, nor with its replacement. Then the
// replacement changes no other finding.
func (l *linter) independent(i int, by toleration.Toleration) bool {
	u := &l.list[i]
	others := l.meeting(&by)
	if meets(&by, u) {
		others--
	}
	return others == 0 && l.meeting(u) == 1 // only u
}

// meeting returns the number of tolerations of the list that meet u, which has a
// key.
func (l *linter) meeting(u *toleration.Toleration) (n int) {
	for _, key := range [...]unique.Handle[string]{keyOf(u), anyKey} {
		for e, count := range l.uses(key).count {
			if own := u.Effect(); own == 0 || e == 0 || own == taint.Effect(e) {
				n += count
			}
		}
	}
	return n
}

// rewrite returns u with another key, operator and value, which must be valid
// together.
func rewrite(u toleration.Toleration, key string, op toleration.Operator, value string) toleration.Toleration {
	by, _ := toleration.New(key, op, value, u.Effect())
	if n, timed := u.Seconds(); timed {
		by, _ = by.WithSeconds(n)
	}
	return by
}
