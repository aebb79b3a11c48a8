package lint

import (
	"slices"
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A linter is at work on one list. It holds no findings: so its lists may stay
// where the caller has them.
type linter struct {
	list []toleration.Toleration // the pod's own, then the defaults
	own  int                     // how many are the pod's own
	rest []toleration.Toleration // what somebody would miss
	lost []bool                  // what nobody would miss; nil when there is nothing
}

// check appends what all rules find in a list of which the first are the pod's
// own, in no order.
func check(dst []Finding, list []toleration.Toleration, own int) []Finding {
	l := linter{list: list, own: own, rest: list}
	dst = l.empty(dst)
	dst = l.needless(dst)
	dst = l.everything(dst)
	for i := range own {
		dst = l.suppresses(dst, i)
		if !l.gone(i) {
			dst = l.emptyValue(dst, i)
			dst = l.outdated(dst, i)
			dst = l.noTime(dst, i)
		}
	}
	return dst
}

func (l *linter) finding(r Rule, i int) Finding {
	return Finding{Rule: r, Severity: r.Severity(), Index: i, Toleration: l.list[i], Other: -1}
}

func (f *Finding) about(other int, u toleration.Toleration) {
	f.Other, f.OtherToleration = other, u
}

// lose says that nobody would miss the toleration at index i, which stands at
// another in the rest.
func (l *linter) lose(i, at int) {
	if l.lost == nil {
		l.lost = make([]bool, len(l.list))
		l.rest = append(make([]toleration.Toleration, 0, len(l.list)), l.list...)
	}
	l.lost[i] = true
	// Not slices.Delete: by its result every list would escape to the heap.
	copy(l.rest[at:], l.rest[at+1:])
	l.rest = l.rest[:len(l.rest)-1]
}

func (l *linter) gone(i int) bool { return l.lost != nil && l.lost[i] }

// empty finds what matches nothing.
func (l *linter) empty(dst []Finding) []Finding {
	for i := l.own - 1; i >= 0; i-- {
		u := l.list[i]
		if !cover.Empty(u) {
			continue
		}
		if !u.IsZero() {
			f := l.finding(NeverMatches, i)
			f.Fix = Fix{Edit: Remove, Index: i, Same: true}
			dst = append(dst, f)
		}
		l.lose(i, i)
	}
	return dst
}

// needless finds, from the end, what the list can do without. So of tolerations
// that make each other redundant the first stays.
func (l *linter) needless(dst []Finding) []Finding {
	if len(l.list) > manyTolerations {
		return l.overshadowed(dst)
	}
	start := len(dst)
	at := l.own - (len(l.list) - len(l.rest))
	for i := l.own - 1; i >= 0; i-- {
		if l.gone(i) {
			continue
		}
		at--
		if !alone(l.rest, at) && cover.Redundant(toleration.First, l.rest, at) {
			dst = append(dst, l.finding(Redundant, i))
			l.lose(i, at)
		}
	}
	if found := dst[start:]; len(found) > 0 {
		slices.Reverse(found)
		l.explain(found)
	}
	return dst
}

// manyTolerations is how long a list may be for what several others make
// needless together to be looked for, as that may take the third power of its
// length: BenchmarkLintLong.
const manyTolerations = 128

// overshadowed finds in a long list what one earlier toleration by itself makes
// needless, where it is easily said which rule that is.
func (l *linter) overshadowed(dst []Finding) []Finding {
	start := len(dst)
	at := l.own - (len(l.list) - len(l.rest))
	for i := l.own - 1; i >= 0; i-- {
		if l.gone(i) {
			continue
		}
		at--
		r := behind(l.rest, at)
		if r == 0 {
			continue
		}
		f := l.finding(r, i)
		// Whatever else goes, something that matches all its taints stays before it.
		f.Fix = Fix{Edit: Remove, Index: i, Same: true}
		dst = append(dst, f)
		l.lose(i, at)
	}
	for k := range dst[start:] { // now that it is known what stays
		f := &dst[start+k]
		if other := l.coverer(f.Index, f.Rule); other >= 0 {
			f.about(other, l.list[other])
		}
	}
	return dst
}

// behind returns which rule finds the toleration at index i, for an earlier one
// that matches all taints that it matches; 0 when there is none such, or when
// only several earlier ones together can tell.
func behind(list []toleration.Toleration, i int) Rule {
	u, r, first := &list[i], Redundant, true
	for j := range i {
		v := &list[j]
		if !meets(u, v) {
			continue
		}
		if r == Redundant && !sameTime(u, v) && overlap(list[i:i+1], list[j:j+1]) {
			if !first {
				return 0 // who knows whether some of these taints are left to v
			}
			r = Shadowed
		}
		if cover.Covers(v.WithoutSeconds(), *u) {
			return r
		}
		first = false
	}
	return 0
}

// overlap reports whether some taint is matched by both.
func overlap(u, v []toleration.Toleration) bool {
	return !cover.Set{In: u}.Within(cover.Set{In: u, Except: v})
}

// alone reports whether no other toleration of the list has to do with the
// taints of the one at index i: by key and effect alone, which is enough to
// save most of the work.
func alone(list []toleration.Toleration, i int) bool {
	for j := range list {
		if j != i && meets(&list[i], &list[j]) {
			return false
		}
	}
	return true
}

// meets reports whether some key and effect goes with both tolerations.
func meets(u, v *toleration.Toleration) bool {
	if u.IsZero() || v.IsZero() {
		return false
	}
	e, f := u.Effect(), v.Effect()
	k, m := u.KeyHandle(), v.KeyHandle()
	return (e == f || e == 0 || f == 0) && (k == m || k == anyKey || m == anyKey)
}

// anyKey is the handle of an absent key.
var anyKey unique.Handle[string]

// explain says of each toleration that the list can do without, in order,
// whether what it says is true at least, what does its work, and whether it can
// go by itself.
func (l *linter) explain(found []Finding) {
	scratch := make([]toleration.Toleration, 0, len(l.list)+1)
	for k := range found {
		f := &found[k]
		// What decides about the taints of u says the same of all of them when
		// u could as well decide itself.
		scratch = append(append(scratch[:0], f.Toleration), l.rest...)
		if !cover.Redundant(toleration.First, scratch, 0) {
			f.Rule, f.Severity = Shadowed, Shadowed.Severity()
		}
		if other := l.coverer(f.Index, f.Rule); other >= 0 {
			f.about(other, l.list[other])
		}
	}
	// One by one they may not be as needless as they are together: what is gone
	// may leave the word to another that says otherwise, and was shadowed. So a
	// fix is offered only for those that can go with any others of them, or
	// without.
	scratch = append(scratch[:0], l.list...)
	for k := range found {
		i := found[k].Index
		at := i - (len(l.list) - len(scratch))
		if cover.Redundant(toleration.First, scratch, at) {
			found[k].Fix = Fix{Edit: Remove, Index: i, Same: true}
			scratch = slices.Delete(scratch, at, at+1)
		}
	}
}

// coverer returns the index of the toleration that by itself does what the one
// at index i would, and decides: -1 when only several together do.
func (l *linter) coverer(i int, r Rule) int {
	for j, v := range l.list {
		if j == i || r == Shadowed && j > i {
			continue
		}
		u := l.list[i]
		if cover.Covers(v.WithoutSeconds(), u) && (r == Shadowed || sameTime(&u, &v) && !l.gone(j)) {
			return j
		}
	}
	return -1
}

// sameTime reports whether v, which matches all taints of u, holds for as long.
func sameTime(u, v *toleration.Toleration) bool {
	n, timed := u.Seconds()
	m, also := v.Seconds()
	return timed == also && max(n, 0) == max(m, 0)
}

// everything finds lists that tolerate every taint, or all but some that keep
// nobody away. Under a key that no toleration names only those without a key
// match, so these alone decide.
func (l *linter) everything(dst []Finding) []Finding {
	var have [taint.NoExecute + 1]bool
	hard, all := -1, -1
	for i, u := range l.list {
		if u.KeyHandle() != anyKey || u.IsZero() || l.gone(i) {
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
		return append(dst, l.finding(ToleratesEverything, all))
	case hard >= 0:
		return append(dst, l.finding(OpenToEveryNode, hard))
	}
	return dst
}

// defaulted are the taints that every pod is given a default for.
var defaulted = [...]taint.Taint{
	taint.MustParse(condition.NotReady + ":NoExecute"),
	taint.MustParse(condition.Unreachable + ":NoExecute"),
}

// suppresses also looks at what never matches, and at what a default of the
// namespace makes redundant, which comes too late: both keep the default seconds
// away all the same.
func (l *linter) suppresses(dst []Finding, i int) []Finding {
	for _, t := range defaulted {
		if !keepsAway(&l.list[i], t) || toleration.Index(l.rest, t) >= 0 {
			continue
		}
		u, empty := l.list[i], cover.Empty(l.list[i])
		if l.gone(i) && !empty && l.keptAway(t) {
			continue // by one that stays
		}
		f := l.finding(SuppressesDefault, i)
		if exists := rewrite(u, u.Key(), toleration.Exists, ""); !empty && l.stands(i, exists) {
			f.Fix = Fix{Edit: Replace, Index: i, By: exists}
		}
		dst = append(dst, f)
	}
	return dst
}

func keepsAway(u *toleration.Toleration, t taint.Taint) bool {
	e := u.Effect()
	return u.KeyHandle() == t.KeyHandle() && (e == 0 || e == taint.NoExecute)
}

// keptAway reports whether one of the pod's own tolerations that somebody would
// miss keeps the default for the taint away.
func (l *linter) keptAway(t taint.Taint) bool {
	for i := range l.own {
		if !l.gone(i) && keepsAway(&l.list[i], t) {
			return true
		}
	}
	return false
}

func (l *linter) emptyValue(dst []Finding, i int) []Finding {
	u := &l.list[i]
	if u.Operator() > toleration.Equal || u.Value() != "" || valueless(u.Key()) {
		return dst
	}
	for j := range l.list {
		v := &l.list[j]
		if v.KeyHandle() == u.KeyHandle() && v.Value() != "" && meets(u, v) && !l.gone(j) {
			return dst // who names values has thought of them
		}
	}
	f := l.finding(EqualEmptyValue, i)
	if exists := rewrite(*u, u.Key(), toleration.Exists, ""); l.stands(i, exists) {
		f.Fix = Fix{Edit: Replace, Index: i, By: exists}
	}
	return append(dst, f)
}

// valueless reports whether the taints with this key are known to have no
// value.
func valueless(key string) bool {
	switch key {
	case condition.OutOfService:
		return false // set by hand, as =nodeshutdown
	case condition.CloudShutdown, "karpenter.sh/disrupted", "karpenter.sh/unregistered", "node.cluster.x-k8s.io/uninitialized":
		return true
	}
	_, outdated := condition.Deprecated(key)
	return outdated || strings.HasPrefix(key, "node.kubernetes.io/") || strings.HasPrefix(key, "node-role.kubernetes.io/")
}

func (l *linter) outdated(dst []Finding, i int) []Finding {
	u := &l.list[i]
	key, ok := condition.Deprecated(u.Key())
	if !ok {
		return dst
	}
	f := l.finding(OutdatedKey, i)
	if other := l.tolerating(i, key); other >= 0 {
		f.Severity = Info
		f.about(other, l.list[other])
		if l.stands(i, *u) {
			f.Fix = Fix{Edit: Remove, Index: i}
		}
		return append(dst, f)
	}
	// The new key's taints have no value either.
	if by := rewrite(*u, key, u.Operator(), u.Value()); u.Value() == "" && l.stands(i, by) {
		f.Fix = Fix{Edit: Replace, Index: i, By: by}
	}
	return append(dst, f)
}

// tolerating returns the index of a toleration, other than one that nobody would
// miss, that matches a taint with the key, without a value and with an effect of
// the toleration at index i, whose key is another; -1 when there is none.
func (l *linter) tolerating(i int, key string) int {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if own := l.list[i].Effect(); own != 0 && own != e {
			continue
		}
		t, _ := taint.New(key, "", e) // which is valid
		for j, v := range l.list {
			if v.Tolerates(t) && !l.gone(j) {
				return j
			}
		}
	}
	return -1
}

func (l *linter) noTime(dst []Finding, i int) []Finding {
	u := &l.list[i]
	n, timed := u.Seconds()
	wanted := u.Key() == condition.NotReady || u.Key() == condition.Unreachable
	if !timed || n > 0 || n == 0 && wanted {
		return dst
	}
	f := l.finding(NoTime, i)
	if wanted {
		zero, _ := u.WithSeconds(0) // it has some
		f.Fix = Fix{Edit: Replace, Index: i, By: zero, Same: true}
	}
	return append(dst, f)
}

// stands reports whether no other toleration has to do with the taints of the
// one at index i, nor with those of what shall stand in its place: then no
// other finding depends on it.
func (l *linter) stands(i int, by toleration.Toleration) bool {
	for j := range l.list {
		if j != i && (meets(&l.list[i], &l.list[j]) || meets(&by, &l.list[j])) {
			return false
		}
	}
	return true
}

// rewrite returns the toleration with that key, operator and value, which are
// valid together, and with its own effect and seconds.
func rewrite(u toleration.Toleration, key string, op toleration.Operator, value string) toleration.Toleration {
	by, _ := toleration.New(key, op, value, u.Effect())
	if n, timed := u.Seconds(); timed {
		by, _ = by.WithSeconds(n)
	}
	return by
}
