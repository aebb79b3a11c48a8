package match

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Matcher is a pod's tolerations, prepared for many nodes by [Compile]. The zero
// Matcher has no tolerations. It is immutable. It takes about 1.2 kB, and 40 bytes for
// each toleration with an effect, 120 for each without.
type Matcher struct {
	all     uint64           // the slots whose taints a toleration without a key tolerates
	some    uint64           // the slots with entries
	from    [2*slots + 1]int // where the entries of each half of a slot begin
	entries []entry          // in the order of entry.compare
}

// slots is the number of slots. The low bits of a taint's tag select its slot:
// the effect, and a part of the key's hash. The first half of a slot has the
// tolerations that match several values of their key, the second half those of
// one value.
const slots = 64

// An entry is a toleration with a key, as it matches taints of one effect.
type entry struct {
	tag uint32 // of the taints that it matches; without the value in a first half
	value.Toleration
}

// Compile returns the Matcher of a pod with these tolerations. It is O(n log n), and
// matching a taint O(log n). With 32 tolerations it saves time for a few hundred nodes or
// more; with few, [Filter] is about as fast.
func Compile(tolerations ...toleration.List) *Matcher {
	m := new(Matcher)
	for _, list := range tolerations {
		for i := range list {
			m.add((*value.Toleration)(&list[i]))
		}
	}
	slices.SortFunc(m.entries, entry.compare)
	m.entries = slices.Clone(slices.CompactFunc(m.entries, entry.repeats))
	for i := range m.entries {
		m.from[m.entries[i].half()+1]++
		m.some |= 1 << (m.entries[i].tag % slots)
	}
	for h := range 2 * slots {
		m.from[h+1] += m.from[h]
	}
	return m
}

// add adds an entry for each effect that the toleration has, all if it has none.
func (m *Matcher) add(u *value.Toleration) {
	for _, e := range anyEffect {
		if u.Effect() != 0 && u.Effect() != uint8(e) {
			continue
		}
		switch {
		case u.Key() == "" && u.Operator() == uint8(toleration.Exists):
			for s := uint64(e); s < slots; s += value.TagEffect + 1 {
				m.all |= 1 << s
			}
		case u.Key() == "": // the zero Toleration
		case severalValues(u):
			m.entries = append(m.entries, entry{value.TagOf(u.Key(), "", uint8(e)), *u})
		default:
			m.entries = append(m.entries, entry{value.TagOf(u.Key(), u.Value(), uint8(e)), *u})
		}
	}
}

// severalValues reports whether the operator is Exists, Lt or Gt.
func severalValues(u *value.Toleration) bool { return !u.IsEqual() }

// half returns the number of the entry's half of a slot.
func (e entry) half() int {
	h := 2 * int(e.tag%slots)
	if !severalValues(&e.Toleration) {
		h++
	}
	return h
}

// compare compares entries by half, tag, key, and value or operator. Of the bounds
// of one key, the one that matches most is first.
func (e entry) compare(f entry) int {
	c := cmp.Compare(e.half(), f.half())
	if c == 0 {
		c = e.compareTo(f.tag, f.Key(), f.Value())
	}
	if c == 0 && severalValues(&e.Toleration) {
		c = cmp.Compare(e.Operator(), f.Operator())
	}
	if c == 0 && e.IsNumeric() {
		a, _ := syntax.Integer(e.Value())
		b, _ := syntax.Integer(f.Value())
		if c = cmp.Compare(a, b); toleration.Operator(e.Operator()) == toleration.Lt {
			c = -c
		}
	}
	return c
}

// compareTo compares the entry with a tag, a key and, if it matches one value, that.
func (e entry) compareTo(tag uint32, key, value string) int {
	c := cmp.Compare(e.tag, tag)
	if c == 0 {
		c = strings.Compare(e.Key(), key)
	}
	if c == 0 && !severalValues(&e.Toleration) {
		c = strings.Compare(e.Value(), value)
	}
	return c
}

// repeats reports whether one of two neighbours suffices: the first.
func (e entry) repeats(f entry) bool {
	return e.half() == f.half() && e.compareTo(f.tag, f.Key(), f.Value()) == 0 &&
		(e.Operator() == f.Operator() || !severalValues(&e.Toleration))
}

// Tolerates reports whether some toleration matches the taint.
func (m *Matcher) Tolerates(t taint.Taint) bool { return m.tolerates(&t, slotOf(&t)) }

// tolerates is Tolerates for a taint and its slotOf, which is a parameter so that
// tolerates is inlined (TestInlining).
func (m *Matcher) tolerates(t *taint.Taint, bit uint64) bool {
	return m.all&bit != 0 || m.some&bit != 0 && m.scan(t)
}

// slotOf returns the set of the taint's slot alone, as Matcher.all and some are sets.
func slotOf(t *taint.Taint) uint64 { return 1 << ((*value.Taint)(t).Tag() % slots) }

// scan reports whether one of the entries of its slot matches the taint.
func (m *Matcher) scan(t *taint.Taint) bool {
	v := (*value.Taint)(t)
	tag := v.Tag()
	slot := m.from[2*(tag%slots):][:3]
	if slot[2]-slot[0] > short {
		return m.find(slot[0], slot[1], slot[2], v)
	}
	for i := slot[0]; i < slot[2]; i++ {
		if e := &m.entries[i]; e.MayMatch(tag) && (e.Admits(v) || e.Compares(v)) {
			return true
		}
	}
	return false
}

// short is the number of entries up to which a slot is scanned, which is faster than a
// search: BenchmarkFilter.
const short = 64

// find reports whether one of the entries of a slot matches the taint.
func (m *Matcher) find(from, middle, to int, t *value.Taint) bool {
	several, one := m.entries[from:middle], m.entries[middle:to]
	compare := func(e entry, tag uint32) int { return e.compareTo(tag, t.Key(), t.Value()) }
	tag := t.Tag() & value.TagKeyEffect
	i, _ := slices.BinarySearchFunc(several, tag, compare)
	for ; i < len(several) && several[i].KeyHandle() == t.KeyHandle(); i++ {
		if several[i].Matches(*t) {
			return true
		}
	}
	_, found := slices.BinarySearchFunc(one, t.Tag(), compare)
	return found
}

// Schedulable is like [Node.Schedulable].
func (m *Matcher) Schedulable(n Node) bool { return n.open() || m.schedulable(n) }

func (m *Matcher) schedulable(n Node) bool {
	for i := range n.Taints {
		if t := &n.Taints[i]; !m.tolerates(t, slotOf(t)) && blocks(t) {
			return false
		}
	}
	return !n.Unschedulable || m.tolerates(&cordon, slotOf(&cordon))
}

// Filter is like [Node.Filter].
func (m *Matcher) Filter(n Node) Result {
	var r Result
	for i := n.start(); i < len(n.Taints); i++ {
		if t := n.at(i); t != nil {
			if !m.tolerates(t, slotOf(t)) {
				r = r.With(i, t.Effect())
			}
		}
	}
	return r
}

// Untolerated is like [Node.Untolerated].
func (m *Matcher) Untolerated(n Node) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		m.eachUntolerated(n, yield)
	}
}

func (m *Matcher) eachUntolerated(n Node, yield func(int, taint.Taint) bool) {
	for i := n.start(); i < len(n.Taints); i++ {
		if t := n.at(i); t != nil && !m.tolerates(t, slotOf(t)) && !yield(i, *t) {
			return
		}
	}
}
