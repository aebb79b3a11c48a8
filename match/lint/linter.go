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
	list    toleration.List // the pod's tolerations, then the defaults
	pod     int             // how many are the pod's
	needed  toleration.List // the list without the dropped tolerations
	dropped []bool          // by index: not needed; nil if all are needed
	long    *long           // nil for a short list

	// Results that several findings share, by index in defaulted.
	tolerated, prevented [len(defaulted)]answer
}

// An answer caches the result of a function.
type answer uint8

func (a *answer) get(find func() bool) bool {
	const yes, no = 1, 2
	if *a == 0 {
		*a = no
		if find() {
			*a = yes
		}
	}
	return *a == yes
}

// find returns the findings, unsorted, in a list that begins with the
// tolerations of the pod.
func find(list toleration.List, pod int) []Finding {
	l := linter{list: list, pod: pod, needed: list}
	if len(list) > manyTolerations {
		l.long = newLong(list)
	}
	var found []Finding
	found = l.neverMatching(found)
	found = l.unneeded(found)
	found = l.everything(found)
	for i := range pod {
		found = l.suppressing(found, i)
		if !l.isDropped(i) {
			found = l.emptyValue(found, i)
			found = l.outdated(found, i)
			found = l.noTime(found, i)
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

// drop drops the toleration at index i, which has the index at in needed.
func (l *linter) drop(i, at int) {
	if l.dropped == nil {
		l.needed = append(make(toleration.List, 0, len(l.list)), l.list...)
	}
	l.mark(i)
	// With the result of slices.Delete, every list would escape to the heap.
	copy(l.needed[at:], l.needed[at+1:])
	l.needed = l.needed[:len(l.needed)-1]
}

// mark marks a toleration as dropped. Call update after the last one.
func (l *linter) mark(i int) {
	if l.dropped == nil {
		l.dropped = make([]bool, len(l.list))
	}
	l.dropped[i] = true
}

// update removes the marked tolerations from needed.
func (l *linter) update() {
	if l.dropped == nil {
		return
	}
	needed := make(toleration.List, 0, len(l.list))
	for i, u := range l.list {
		if !l.dropped[i] {
			needed = append(needed, u)
		}
	}
	l.needed = needed
}

func (l *linter) isDropped(i int) bool { return l.dropped != nil && l.dropped[i] }

// neverMatching drops the tolerations that match no taint.
func (l *linter) neverMatching(found []Finding) []Finding {
	for i := l.pod - 1; i >= 0; i-- {
		switch u := &l.list[i]; {
		case u.IsZero():
			l.mark(i)
		case u.IsNumeric() && cover.Empty(*u):
			f := l.finding(NeverMatches, i)
			l.setFix(&f, remove, true)
			found = append(found, f)
			l.mark(i)
		}
	}
	l.update()
	return found
}

// unneeded drops the tolerations without which the list means the same. It
// begins at the end: of tolerations that cover each other the first remains.
func (l *linter) unneeded(found []Finding) []Finding {
	if l.long != nil {
		return l.unneededLong(found)
	}
	start := len(found)
	at := l.pod - (len(l.list) - len(l.needed))
	for i := l.pod - 1; i >= 0; i-- {
		if l.isDropped(i) {
			continue
		}
		at--
		if !isolated(l.needed, at) && cover.Redundant(l.needed, at, toleration.First) {
			found = append(found, l.finding(Redundant, i))
			l.drop(i, at)
		}
	}
	if these := found[start:]; len(these) > 0 {
		slices.Reverse(these)
		l.explain(these)
	}
	return found
}

// isolated reports whether no other toleration of the list overlaps in key and
// effect with the one at index i. It avoids most of the exact comparisons.
func isolated(list toleration.List, i int) bool {
	for j := range list {
		if j != i && meets(&list[i], &list[j]) {
			return false
		}
	}
	return true
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

func valueOf(u *toleration.Toleration) unique.Handle[string] {
	return (*value.Toleration)(u).ValueHandle()
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

// explain completes the findings about dropped tolerations, which are sorted by
// index: the check, the other toleration and the fix.
func (l *linter) explain(found []Finding) {
	scratch := make(toleration.List, 0, len(l.list)+1)
	for k := range found {
		f := &found[k]
		// At the front the toleration decides for all its taints. If it is not
		// redundant there, then it sets another time than the needed ones.
		scratch = append(append(scratch[:0], f.Toleration), l.needed...)
		if !cover.Redundant(scratch, 0, toleration.First) {
			f.Check, f.Severity = Shadowed, Shadowed.Severity()
		}
		if other := l.coverer(f.Index, f.Check); other >= 0 {
			l.setOther(f, other)
		}
	}
	// All dropped tolerations can be removed together, but perhaps not one of
	// them alone: then another dropped one, which was shadowed, may decide. Only
	// those that can be removed with or without any others have a fix.
	scratch = append(scratch[:0], l.list...)
	for k := range found {
		i := found[k].Index
		at := i - (len(l.list) - len(scratch))
		if cover.Redundant(scratch, at, toleration.First) {
			l.setFix(&found[k], remove, true)
			scratch = slices.Delete(scratch, at, at+1)
		}
	}
}

// coverer returns the index of a toleration that alone makes the one at index i
// Redundant or Shadowed, -1 if there is none.
func (l *linter) coverer(i int, c Check) int {
	for j, v := range l.list {
		if j == i || c == Shadowed && j > i {
			continue
		}
		u := l.list[i]
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
	for i := range l.list {
		u := &l.list[i]
		if keyOf(u) != anyKey || u.IsZero() || l.isDropped(i) {
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
		if !prevents(&l.list[i], k) || l.tolerated[k].get(func() bool { return l.needed.Match(defaulted[k]) >= 0 }) {
			continue
		}
		u, empty := l.list[i], cover.Empty(l.list[i])
		if l.isDropped(i) && !empty && l.prevented[k].get(func() bool { return l.anyPrevents(k) }) {
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

// anyPrevents reports whether a needed toleration of the pod prevents the default.
func (l *linter) anyPrevents(k int) bool {
	for i := range l.pod {
		if !l.isDropped(i) && prevents(&l.list[i], k) {
			return true
		}
	}
	return false
}

func (l *linter) emptyValue(found []Finding, i int) []Finding {
	u := &l.list[i]
	if u.Operator() > toleration.Equal || u.Value() != "" || valueless(u.Key()) || l.namesValue(u) {
		return found
	}
	f := l.finding(EqualEmptyValue, i)
	if exists := rewrite(*u, u.Key(), toleration.Exists, ""); l.independent(i, exists) {
		l.setFix(&f, exists, false)
	}
	return append(found, f)
}

// namesValue reports whether a needed toleration has the key of u, a value, and
// an effect that overlaps with that of u: then the empty value is intended.
func (l *linter) namesValue(u *toleration.Toleration) bool {
	if l.long != nil {
		return l.long.hasValue(u)
	}
	for j := range l.list {
		v := &l.list[j]
		if keyOf(v) == keyOf(u) && v.Value() != "" && meets(u, v) && !l.isDropped(j) {
			return true
		}
	}
	return false
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
	if l.long != nil {
		if j, ok := l.long.matches[t]; ok {
			return j
		}
	}
	j := l.findMatch(t)
	if l.long != nil {
		l.long.matches[t] = j
	}
	return j
}

func (l *linter) findMatch(t taint.Taint) int {
	for j, v := range l.list {
		if v.Tolerates(t) && !l.isDropped(j) {
			return j
		}
	}
	return -1
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
	if u := &l.list[i]; l.long != nil {
		others := l.long.meeting(&by)
		if meets(&by, u) {
			others--
		}
		return others == 0 && l.long.meeting(u) == 1 // only u
	}
	for j := range l.list {
		if j != i && (meets(&l.list[i], &l.list[j]) || meets(&by, &l.list[j])) {
			return false
		}
	}
	return true
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
