package lint

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// Options says what is looked for. The zero value looks for everything.
type Options struct {
	// Skip holds the rules whose findings are left out. The others are told as
	// if it were empty.
	Skip Rules
}

// A Finding is one thing that a rule found in a list. It is comparable.
type Finding struct {
	Rule     Rule
	Severity Severity
	// Index is the toleration's. Pod counts on into the namespace's defaults.
	Index int
	// Toleration is the one at that index.
	Toleration toleration.Toleration
	// Other is the index of the other toleration that the finding is about: the
	// one that shadows or covers this one by itself, or, where the key is out
	// of date, one that tolerates what took its place. It is -1 when there is
	// none, or several only together are.
	Other int
	// OtherToleration is the one at that index; the zero one when it is -1.
	OtherToleration toleration.Toleration
	// Fix takes the finding away. The zero Fix means that there is none.
	Fix Fix
}

// List returns what the rules find in a list of tolerations, sorted by index
// and then by rule. Zero Tolerations are passed over.
//
// It allocates the findings and what it needs to find them. It does not
// allocate when there are none. It is O(n²) for tolerations whose keys all
// differ, and O(n³) in the worst case.
func List(list []toleration.Toleration, opts Options) []Finding {
	return AppendPod(nil, list, nil, opts)
}

// AppendList appends what [List] returns to dst.
func AppendList(dst []Finding, list []toleration.Toleration, opts Options) []Finding {
	return AppendPod(dst, list, nil, opts)
}

// Pod returns what the rules find in a pod's own tolerations when it is created
// in a namespace with these defaults (see package admission), which match
// behind its own. What a default already does is redundant in the pod; what
// the defaults repeat is not told of them, nor is anything else that is found
// in the defaults alone: List looks at those. Together with them the pod may
// tolerate everything, which is told of the toleration that completes it, even
// if that is a default; its index is then counted on from the pod's.
//
// It costs what [List] costs for both together, and up to 16 tolerations it
// does not allocate when there are no findings.
func Pod(own, defaults []toleration.Toleration, opts Options) []Finding {
	return AppendPod(nil, own, defaults, opts)
}

// AppendPod appends what [Pod] returns to dst.
func AppendPod(dst []Finding, own, defaults []toleration.Toleration, opts Options) []Finding {
	var room [16]toleration.Toleration
	list := own
	if len(defaults) > 0 {
		list = append(append(room[:0], own...), defaults...)
	}
	l := linter{list: list, own: len(own), rest: list, findings: dst, start: len(dst)}
	l.dropEmpty()
	l.dropRedundant()
	l.everything()
	l.each()
	return l.sorted(opts)
}

// A linter is at work on one list.
type linter struct {
	list     []toleration.Toleration // the pod's own, then the defaults
	own      int                     // how many are the pod's own
	rest     []toleration.Toleration // those that nobody would miss are gone
	findings []Finding
	start    int // of this list's findings
}

func (l *linter) add(r Rule, i int) *Finding {
	l.findings = append(l.findings, Finding{Rule: r, Severity: r.Severity(), Index: i, Toleration: l.list[i], Other: -1})
	return &l.findings[len(l.findings)-1]
}

func (f *Finding) about(other int, u toleration.Toleration) {
	f.Other, f.OtherToleration = other, u
}

// sorted leaves out what the caller does not want, and sorts the others.
func (l *linter) sorted(opts Options) []Finding {
	found := slices.DeleteFunc(l.findings[l.start:], func(f Finding) bool { return opts.Skip.Has(f.Rule) })
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Rule, b.Rule))
	})
	return l.findings[:l.start+len(found)]
}

// without returns the list without its element i. It is the first to copy the
// list that the linter was given.
func (l *linter) without(i int) {
	if len(l.rest) == len(l.list) {
		l.rest = append(make([]toleration.Toleration, 0, len(l.list)), l.list...)
	}
	l.rest = slices.Delete(l.rest, i, i+1)
}

// gone reports whether nobody would miss the toleration at index i.
func (l *linter) gone(i int) bool {
	return cover.Empty(l.list[i]) || slices.ContainsFunc(l.findings[l.start:], func(f Finding) bool {
		return f.Index == i && (f.Rule == Shadowed || f.Rule == Redundant)
	})
}

func (l *linter) dropEmpty() {
	for i := l.own - 1; i >= 0; i-- {
		u := l.list[i]
		if !cover.Empty(u) {
			continue
		}
		if !u.IsZero() {
			l.add(NeverMatches, i).Fix = Fix{Edit: Remove, Index: i, Same: true}
		}
		l.without(i)
	}
}

// dropRedundant finds, from the end, what the list can do without. So of
// tolerations that make each other redundant the first stays.
func (l *linter) dropRedundant() {
	dropped := len(l.findings)
	at := l.own - (len(l.list) - len(l.rest))
	for i := l.own - 1; i >= 0; i-- {
		if cover.Empty(l.list[i]) {
			continue
		}
		at--
		if !alone(l.rest, at) && cover.Redundant(toleration.First, l.rest, at) {
			l.add(Redundant, i)
			l.without(at)
		}
	}
	if dropped < len(l.findings) {
		l.explain(l.findings[dropped:])
	}
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

// explain says of each toleration that the list can do without whether what it
// says is true at least, what does its work, and whether it can go by itself.
func (l *linter) explain(found []Finding) {
	// What has been found so far stands from the end of the list.
	slices.Reverse(found)
	scratch := make([]toleration.Toleration, 0, len(l.list)+1)
	for k := range found {
		f := &found[k]
		// What decides about the taints of u says the same of all of them when
		// u could as well decide itself.
		scratch = append(append(scratch[:0], f.Toleration), l.rest...)
		if !cover.Redundant(toleration.First, scratch, 0) {
			f.Rule, f.Severity = Shadowed, Shadowed.Severity()
		}
	}
	for k := range found {
		if other := l.coverer(found[k].Index, found[k].Rule); other >= 0 {
			found[k].about(other, l.list[other])
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
		if cover.Covers(v.WithoutSeconds(), u) && (r == Shadowed || sameTime(&u, &v) && (j >= l.own || !l.gone(j))) {
			return j
		}
	}
	return -1
}

// sameTime reports whether v holds for as long as u for the taints of both, all
// taints of u being v's.
func sameTime(u, v *toleration.Toleration) bool {
	n, timed := u.Seconds()
	m, also := v.Seconds()
	return timed == also && max(n, 0) == max(m, 0) || u.Effect() == taint.NoSchedule || u.Effect() == taint.PreferNoSchedule
}

// everything finds lists that tolerate every taint, or all but some that keep
// nobody away. Under a key that no toleration names only those without a key
// match, so these alone decide.
func (l *linter) everything() {
	var have [4]bool // by effect
	hard, all := -1, -1
	for i, u := range l.list {
		if u.KeyHandle() != anyKey || u.IsZero() || i < l.own && l.gone(i) {
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
		l.add(ToleratesEverything, all)
	case hard >= 0:
		l.add(OpenToEveryNode, hard)
	}
}

// each applies the rules for single tolerations.
func (l *linter) each() {
	for i, u := range l.list[:l.own] {
		if u.IsZero() {
			continue
		}
		if empty := cover.Empty(u); empty || !l.gone(i) {
			l.suppresses(i, empty)
			if !empty {
				l.emptyValue(i)
				l.outdated(i)
				l.noTime(i)
			}
		}
	}
}

// defaulted are the taints that a toleration without more than their key and
// effect keeps the default away of.
var defaulted = [...]taint.Taint{
	taint.MustParse(condition.NotReady + ":NoExecute"),
	taint.MustParse(condition.Unreachable + ":NoExecute"),
}

func (l *linter) suppresses(i int, empty bool) {
	u := &l.list[i]
	if e := u.Effect(); e != 0 && e != taint.NoExecute {
		return
	}
	for _, t := range defaulted {
		if u.KeyHandle() != t.KeyHandle() || toleration.Index(l.rest, t) >= 0 {
			continue
		}
		f := l.add(SuppressesDefault, i)
		if exists := rewrite(*u, u.Key(), toleration.Exists, ""); !empty && l.stands(i, exists) {
			f.Fix = Fix{Edit: Replace, Index: i, By: exists}
		}
	}
}

func (l *linter) emptyValue(i int) {
	u := &l.list[i]
	if u.Operator() > toleration.Equal || u.Value() != "" || valueless(u.Key()) {
		return
	}
	for j := range l.list {
		v := &l.list[j]
		if v.KeyHandle() == u.KeyHandle() && v.Value() != "" && meets(u, v) && (j >= l.own || !l.gone(j)) {
			return // who names values has thought of them
		}
	}
	f := l.add(EqualEmptyValue, i)
	if exists := rewrite(*u, u.Key(), toleration.Exists, ""); l.stands(i, exists) {
		f.Fix = Fix{Edit: Replace, Index: i, By: exists}
	}
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

func (l *linter) outdated(i int) {
	u := &l.list[i]
	key, ok := condition.Deprecated(u.Key())
	if !ok {
		return
	}
	f := l.add(OutdatedKey, i)
	if other := l.tolerating(i, key); other >= 0 {
		f.Severity = Info
		f.about(other, l.list[other])
		if l.stands(i, *u) {
			f.Fix = Fix{Edit: Remove, Index: i}
		}
		return
	}
	// The new key's taints have no value either.
	if by := rewrite(*u, key, u.Operator(), u.Value()); u.Value() == "" && l.stands(i, by) {
		f.Fix = Fix{Edit: Replace, Index: i, By: by}
	}
}

// tolerating returns the index of a toleration, other than the one at index i
// and one that nobody would miss, that matches a taint with the key, without a
// value and with an effect of that one; -1 when there is none.
func (l *linter) tolerating(i int, key string) int {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if own := l.list[i].Effect(); own != 0 && own != e {
			continue
		}
		t, _ := taint.New(key, "", e) // which is valid
		for j, v := range l.list {
			if j != i && v.Tolerates(t) && (j >= l.own || !l.gone(j)) {
				return j
			}
		}
	}
	return -1
}

func (l *linter) noTime(i int) {
	u := &l.list[i]
	n, timed := u.Seconds()
	wanted := u.Key() == condition.NotReady || u.Key() == condition.Unreachable
	if !timed || n > 0 || n == 0 && wanted {
		return
	}
	f := l.add(NoTime, i)
	if zero, err := u.WithSeconds(0); err == nil && wanted {
		f.Fix = Fix{Edit: Replace, Index: i, By: zero, Same: true}
	}
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

// Message tells the finding in a sentence, without its index. The text may
// change.
func (f Finding) Message() string {
	u := quote(f.Toleration)
	switch f.Rule {
	case NeverMatches:
		return u + " matches no taint: the number on a taint is never " + map[toleration.Operator]string{
			toleration.Lt: "less than 0", toleration.Gt: "more than 9223372036854775807"}[f.Toleration.Operator()]
	case SuppressesDefault:
		return u + " keeps the default seconds away, and nothing in the list tolerates " + f.Toleration.Key() + ":NoExecute, so the pod is evicted at once"
	case Shadowed:
		says := "it does not hold for good"
		if n, timed := f.Toleration.Seconds(); timed {
			says = "its " + strconv.FormatInt(n, 10) + "s do not count"
		}
		if f.Other < 0 {
			return u + " never decides, so " + says + ": others do"
		}
		return u + " never decides, so " + says + ": " + quote(f.OtherToleration) + " comes before it"
	case Redundant:
		if f.Other < 0 {
			return u + " is not needed: others together tolerate the same taints for as long"
		}
		return u + " is not needed: " + quote(f.OtherToleration) + " tolerates the same taints for as long"
	case ToleratesEverything:
		if f.Toleration.Effect() == 0 {
			return u + " tolerates every taint"
		}
		return u + " completes a list that tolerates every taint"
	case OpenToEveryNode:
		return u + " completes a list that tolerates every NoSchedule and NoExecute taint"
	case EqualEmptyValue:
		return u + " matches only a taint without a value; the operator Exists matches " + f.Toleration.Key() + " with any"
	case OutdatedKey:
		key, _ := condition.Deprecated(f.Toleration.Key())
		text := u + " has a key that is out of date: " + key + " took its place"
		if f.Other >= 0 {
			text += ", and " + quote(f.OtherToleration) + " tolerates that"
		}
		return text
	case NoTime:
		if n, _ := f.Toleration.Seconds(); n < 0 && f.Fix.Edit == Replace {
			return u + " has negative seconds, which mean 0"
		}
		return u + " tolerates the taint for no time: the pod is put on the node and evicted at once"
	}
	return u
}

func quote(u toleration.Toleration) string { return `"` + u.String() + `"` }

// String tells the finding in a line, with its index. The text may change.
func (f Finding) String() string {
	return strconv.Itoa(f.Index) + ": " + f.Severity.String() + ": " + f.Message() + " (" + f.Rule.String() + ")"
}
