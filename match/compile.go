package match

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Matcher is a pod's tolerations, prepared to be matched with many nodes. Its
// answers are those of the lists that it was compiled from. [Compile] makes one.
// The zero Matcher is that of a pod without tolerations.
//
// A Matcher does not change. It takes about 1 kB, and usually 100 to 700 bytes more
// for each toleration.
type Matcher struct {
	slots   [slots]slot
	entries []entry
	list    toleration.List // those of the undecided entries, by entry
	numeric toleration.List // those with Lt or Gt, if they are few, which are in no entry
}

// slots is the number of slots. The low bits of a taint's tag select its slot:
// the effect, and a part of the key's hash.
const slots = 64

// A slot selects a taint's entry by a window of the taint's tag, whose bits are
// added to base. Compile chooses the window so that the slot's tolerations are in
// different entries.
type slot struct {
	base, mask, shift uint32
}

// An entry caches the decision for the taints that its slot selects it for,
// unless several tolerations share the entry. It decides without a branch, since
// a processor cannot predict which of a fleet's taints are tolerated:
// BenchmarkFilter.
type entry struct {
	key, value unique.Handle[string]
	verdicts   [4]verdict // by whether the taint has that key (2) and value (1)
	from, to   uint32     // the entry's tolerations in Matcher.list
}

// A verdict on a taint is the index in singles of the result of a node that has
// no other.
type verdict = uint8

const (
	yes       verdict = 1
	undecided verdict = uint8(len(singles)) // the entry's tolerations decide
)

// blank are the entries of slots without tolerations, by effect. The entries of a
// Matcher begin with them. The first one tolerates the taint none.
var blank = [...]entry{
	0: {key: value.Taint(none).KeyHandle(), verdicts: [4]verdict{0, 0, yes, yes}},
	1: {verdicts: [4]verdict{1 << 1, 1 << 1, 1 << 1, 1 << 1}},
	2: {verdicts: [4]verdict{2 << 1, 2 << 1, 2 << 1, 2 << 1}},
	3: {verdicts: [4]verdict{3 << 1, 3 << 1, 3 << 1, 3 << 1}},
}

// everything is the index of the entry that decides yes.
const everything = uint32(len(blank))

// A rule is a toleration and a slot whose taints it may match.
type rule struct {
	slot      uint32
	tag, mask uint32 // what the taints' tags have in common
	*value.Toleration
}

// few is the largest number of tolerations with Lt or Gt that are searched as by
// Filter, which is faster than in an undecided entry: BenchmarkFilterNumeric.
const few = 4

// Compile returns the Matcher of a pod with these tolerations. The lists may be
// changed afterwards. It pays off from a few hundred nodes on, and for dozens of
// tolerations from about a thousand.
func Compile(tolerations ...toleration.List) *Matcher {
	m := new(Matcher)
	var buffer [16]rule
	rules := buffer[:0]
	for i := range m.slots {
		m.slots[i].base = uint32(i & value.TagEffect)
	}
	for _, list := range tolerations {
		for i := range list {
			if !list[i].IsZero() {
				rules = m.appendRules(rules, &list[i])
			}
		}
	}
	if len(m.numeric) <= few {
		rules = slices.DeleteFunc(rules, func(r rule) bool { return r.IsNumeric() })
	} else {
		m.numeric = nil
	}
	slices.SortFunc(rules, func(a, b rule) int { return cmp.Compare(a.slot, b.slot) })
	m.entries = slices.Grow(blank[:everything:everything], 1+len(rules))
	m.entries = append(m.entries, entry{verdicts: [4]verdict{yes, yes, yes, yes}})
	for len(rules) > 0 {
		n := 1
		for n < len(rules) && rules[n].slot == rules[0].slot {
			n++
		}
		if s := &m.slots[rules[0].slot]; s.base != everything {
			m.fill(s, rules[:n])
		}
		rules = rules[n:]
	}
	return m
}

// appendRules appends a rule for each effect that the toleration has, all if it
// has none. Without a key it decides about whole slots instead.
func (m *Matcher) appendRules(rules []rule, u *toleration.Toleration) []rule {
	effects := anyEffect
	if e := u.Effect(); e != 0 {
		effects = anyEffect[e-1 : e]
	}
	v := (*value.Toleration)(u)
	if v.IsNumeric() {
		m.numeric = append(m.numeric, *u)
	}
	if u.Key() == "" && u.Operator() != toleration.Exists {
		return rules // matches nothing
	}
	tag, mask := v.Sieve()
	for _, e := range effects {
		if u.Key() != "" {
			rules = append(rules, rule{(tag&^value.TagEffect | uint32(e)) % slots, tag, mask, v})
			continue
		}
		for i := int(e); i < slots; i += value.TagEffect + 1 {
			m.slots[i].base = everything
		}
	}
	return rules
}

// fill makes the entries of a slot that has these rules.
func (m *Matcher) fill(s *slot, rules []rule) {
	*s = window(rules)
	s.base = uint32(len(m.entries))
	for range s.mask + 1 {
		m.entries = append(m.entries, blank[rules[0].slot&value.TagEffect])
	}
	entries := m.entries[s.base:]
	for e, r := range s.each(entries, rules) {
		e.add(r)
	}
	size := 0
	for e := range s.each(entries, rules) {
		if e.verdicts[3] == undecided {
			e.to++
			size++
		}
	}
	if size == 0 {
		return
	}
	next := uint32(len(m.list))
	m.list = append(m.list, make(toleration.List, size)...)
	for i := range entries {
		e := &entries[i]
		e.from, e.to, next = next, next, next+e.to
	}
	for e, r := range s.each(entries, rules) {
		if e.verdicts[3] == undecided {
			m.list[e.to] = toleration.Toleration(*r.Toleration)
			e.to++
		}
	}
}

// each returns an iterator over the rules with each of the slot's entries that
// they belong to: several, if a rule has no value and the window bits of it.
func (s slot) each(entries []entry, rules []rule) iter.Seq2[*entry, *rule] {
	return func(yield func(*entry, *rule) bool) {
		for i := range rules {
			r := &rules[i]
			fixed := s.mask & (r.mask >> s.shift)
			free := s.mask &^ fixed
			for subset, more := uint32(0), true; more; more = subset != 0 {
				if !yield(&entries[r.tag>>s.shift&fixed|subset], r) {
					return
				}
				subset = (subset - free) & free // the next one
			}
		}
	}
}

// add adds a rule to the decision, and reports whether it is in conflict with
// those that are there: the decision is undecided then.
func (e *entry) add(r *rule) bool {
	no := verdict(r.slot & value.TagEffect << 1)
	verdicts := [4]verdict{no, no, no, yes}
	switch toleration.Operator(r.Operator()) {
	case 0, toleration.Equal:
	case toleration.Exists:
		verdicts = [4]verdict{no, no, yes, yes}
	default:
		verdicts = [4]verdict{no, no, undecided, undecided}
	}
	switch {
	case e.key == unique.Handle[string]{}:
		e.key, e.value, e.verdicts = r.KeyHandle(), r.ValueHandle(), verdicts
	case e.key != r.KeyHandle():
		e.verdicts = [4]verdict{undecided, undecided, undecided, undecided}
		return true
	case e.verdicts[0] == undecided:
		return true
	case e.verdicts[2] == yes || verdicts[2] == yes:
		e.verdicts = [4]verdict{no, no, yes, yes}
	case e.verdicts != verdicts || verdicts[2] == no && e.value != r.ValueHandle():
		e.verdicts = [4]verdict{no, no, undecided, undecided}
		return true
	}
	return false
}

// The bits of a tag that windows are chosen from: those of its hashes that do
// not select the slot.
const firstBit, endBit = 6, 24

// window returns a slot with a window for these rules. It tries windows of
// growing width, and takes the first with hardly any conflict, else the one with
// the fewest.
func window(rules []rule) (best slot) {
	n := len(rules)
	if n == 1 {
		return best
	}
	fewest := best.conflicts(make([]entry, 1), rules, n)
	narrowest := min(bits.Len(uint(n))+1, 16)
	for width := narrowest; width <= max(narrowest, 7) && fewest > n/16; width++ {
		entries := make([]entry, 1<<width)
		for shift := firstBit; shift+width <= endBit && fewest > n/16; shift++ {
			s := slot{mask: 1<<width - 1, shift: uint32(shift)}
			if c := s.conflicts(entries, rules, fewest); c < fewest {
				best, fewest = s, c
			}
		}
	}
	return best
}

// conflicts returns how often a rule is in conflict with another in the slot's
// entries. It returns most if that is more, or if the rules have too many entries.
func (s slot) conflicts(entries []entry, rules []rule, most int) (n int) {
	for i := range entries {
		entries[i] = blank[rules[0].slot&value.TagEffect]
	}
	left := 4*len(rules) + 128
	for e, r := range s.each(entries, rules) {
		if e.add(r) {
			n++
		}
		if left--; n >= most || left == 0 {
			return most
		}
	}
	return n
}

// entry returns the entry of the taint.
func (m *Matcher) entry(t *taint.Taint) *entry {
	tag := (*value.Taint)(t).Tag()
	s := &m.slots[tag%slots]
	if i := int(s.base + tag>>(s.shift&31)&s.mask); i < len(m.entries) {
		return &m.entries[i]
	}
	return &blank[tag&value.TagEffect] // the zero Matcher
}

// verdict returns the entry's verdict on the taint.
func (e *entry) verdict(t *taint.Taint) verdict {
	v := (*value.Taint)(t)
	return e.verdicts[bit(e.key == v.KeyHandle())<<1|bit(e.value == v.ValueHandle())]
}

// search returns the verdict of an undecided entry's tolerations, all of which
// have a key.
func (m *Matcher) search(e *entry, t *taint.Taint) verdict {
	v := (*value.Taint)(t)
	for i := e.from; i < e.to; i++ {
		u := (*value.Toleration)(&m.list[i])
		if u.KeyHandle() == v.KeyHandle() && u.MayMatch(v.Tag()) && u.Admits(*v) {
			return yes
		}
	}
	return v.Effect() << 1
}

// decided returns the verdict on the taint, yes or no.
func (m *Matcher) decided(t *taint.Taint) verdict {
	e := m.entry(t)
	v := e.verdict(t)
	if v == undecided {
		v = m.search(e, t)
	}
	if m.numeric != nil {
		v |= bit(listTolerates(m.numeric, t))
	}
	return v
}

// Tolerates reports whether some toleration matches the taint.
func (m *Matcher) Tolerates(t taint.Taint) bool { return m.decided(&t)&yes != 0 }

// Filter is like [Node.Filter] with the compiled tolerations.
func (m *Matcher) Filter(n Node) Result {
	if len(n.Taints) > 1 || n.Unschedulable {
		return m.filter(n)
	}
	t, _ := first(n.Taints)
	e := m.entry(t)
	v := e.verdict(t)
	if v == undecided {
		v = m.search(e, t)
	}
	if m.numeric != nil {
		v |= bit(listTolerates(m.numeric, t))
	}
	return singles[v%undecided]
}

func (m *Matcher) filter(n Node) Result {
	var r tallies
	for i := len(n.Taints) - 1; i >= 0; i-- {
		if t := &n.Taints[i]; !n.replaced(t) {
			r.add(i, t, m.decided(t))
		}
	}
	if n.Unschedulable {
		r.add(-1, &cordon, m.decided(&cordon))
	}
	return r.result()
}

// Untolerated is like [Node.Untolerated] with the compiled tolerations.
func (m *Matcher) Untolerated(n Node) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		m.eachUntolerated(n, yield)
	}
}

func (m *Matcher) eachUntolerated(n Node, yield func(int, taint.Taint) bool) {
	if n.Unschedulable && m.decided(&cordon)&yes == 0 && !yield(-1, cordon) {
		return
	}
	for i := range n.Taints {
		if t := &n.Taints[i]; !n.replaced(t) && m.decided(t)&yes == 0 && !yield(i, *t) {
			return
		}
	}
}
