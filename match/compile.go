package match

import (
	"iter"
	"slices"
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Matcher is a pod's tolerations, prepared to be matched with many nodes. Its
// answers are those of the lists that it was compiled from. [Compile] makes one.
// The zero Matcher is that of a pod without tolerations.
//
// A Matcher does not change. It takes 2 kB, and more for long lists.
type Matcher struct {
	slots [slots]slot
	list  toleration.List                              // those of the undecided slots, by slot
	byKey [4]map[unique.Handle[string]]toleration.List // for long slots: parts of list, by effect and key
}

// slots is the number of slots. The low bits of a taint's tag select its slot:
// the effect, and a part of the key's hash.
const slots = 64

// A slot caches the decision for the taints whose tag selects it, unless
// several tolerations share the slot. It decides without a branch, since a
// processor cannot predict which of a fleet's taints are tolerated:
// BenchmarkFilter.
type slot struct {
	key, value unique.Handle[string]
	verdicts   [4]verdict // by whether the taint has that key (2) and value (1)
	from, to   uint32     // the slot's tolerations in Matcher.list
}

// A verdict on a taint is what its slot decides.
type verdict = uint8

const (
	no verdict = iota
	yes
	undecided // the slot's tolerations decide
)

// long is the largest number of a slot's tolerations that are searched without
// a map: BenchmarkMatcher.
const long = 16

// Compile returns the Matcher of a pod with these tolerations. The lists may be
// changed afterwards.
func Compile(tolerations ...toleration.List) *Matcher {
	m := new(Matcher)
	m.eachSlot(tolerations, (*Matcher).decide)
	size := uint32(0)
	for i := range m.slots {
		s := &m.slots[i]
		n := s.to
		s.from, s.to = size, size
		if s.verdicts[0] == undecided {
			size += n
		}
	}
	if size > 0 {
		m.list = make(toleration.List, size)
		m.eachSlot(tolerations, (*Matcher).keep)
		m.index()
	}
	return m
}

// eachSlot calls do for each toleration and each slot whose taints it may
// match: those of its effects that have the key's hash, or any.
func (m *Matcher) eachSlot(tolerations []toleration.List, do func(m *Matcher, s *slot, u *toleration.Toleration)) {
	for _, list := range tolerations {
		for i := range list {
			u := &list[i]
			if u.IsZero() {
				continue
			}
			effects := anyEffect
			if e := u.Effect(); e != 0 {
				effects = anyEffect[e-1 : e]
			}
			tag := value.TagOf(u.Key(), "", 0)
			for _, e := range effects {
				if u.Key() != "" {
					do(m, &m.slots[(tag|uint32(e))%slots], u)
					continue
				}
				for i := int(e); i < slots; i += value.TagEffect + 1 {
					do(m, &m.slots[i], u)
				}
			}
		}
	}
}

// decide adds a toleration to a slot's decision, and counts it in slot.to.
func (*Matcher) decide(s *slot, u *toleration.Toleration) {
	v := (*value.Toleration)(u)
	s.to++
	switch {
	case u.Key() == "" || s.verdicts[0] == yes:
		s.verdicts = [4]verdict{yes, yes, yes, yes}
	case s.to > 1 || u.IsNumeric():
		s.verdicts = [4]verdict{undecided, undecided, undecided, undecided}
	case u.Operator() == toleration.Exists:
		s.verdicts = [4]verdict{no, no, yes, yes}
	default:
		s.verdicts = [4]verdict{no, no, no, yes}
	}
	s.key, s.value = v.KeyHandle(), v.ValueHandle()
}

// keep puts a toleration into the list of an undecided slot.
func (m *Matcher) keep(s *slot, u *toleration.Toleration) {
	if s.verdicts[0] == undecided {
		m.list[s.to] = *u
		s.to++
	}
}

// index prepares the lists of long slots to be searched by key.
func (m *Matcher) index() {
	for i := range m.slots {
		list := m.list[m.slots[i].from:m.slots[i].to]
		if len(list) <= long {
			continue
		}
		byKey := &m.byKey[i&value.TagEffect]
		if *byKey == nil {
			*byKey = make(map[unique.Handle[string]]toleration.List)
		}
		slices.SortFunc(list, func(a, b toleration.Toleration) int { return strings.Compare(a.Key(), b.Key()) })
		for len(list) > 0 {
			key := value.Toleration(list[0]).KeyHandle()
			n := 1
			for n < len(list) && value.Toleration(list[n]).KeyHandle() == key {
				n++
			}
			(*byKey)[key] = list[:n]
			list = list[n:]
		}
	}
}

// look returns the slot of the taint, and its verdict.
func (m *Matcher) look(t *taint.Taint) (*slot, verdict) {
	v := (*value.Taint)(t)
	s := &m.slots[v.Tag()%slots]
	return s, s.verdicts[bit(s.key == v.KeyHandle())<<1|bit(s.value == v.ValueHandle())]
}

// search returns the verdict of an undecided slot's tolerations.
func (m *Matcher) search(s *slot, t *taint.Taint) verdict {
	list := m.list[s.from:s.to]
	if len(list) > long {
		list = m.byKey[(*value.Taint)(t).Effect()][(*value.Taint)(t).KeyHandle()]
	}
	return bit(listTolerates(list, t))
}

// decided returns the verdict on the taint, yes or no.
func (m *Matcher) decided(t *taint.Taint) verdict {
	s, v := m.look(t)
	if v == undecided {
		v = m.search(s, t)
	}
	return v
}

// Tolerates reports whether some toleration matches the taint.
func (m *Matcher) Tolerates(t taint.Taint) bool { return m.decided(&t) == yes }

// Filter is like [Node.Filter] with the compiled tolerations.
func (m *Matcher) Filter(n Node) Result {
	if len(n.Taints) > 1 || n.Unschedulable {
		return m.filter(n)
	}
	t, absent := first(n.Taints)
	s, v := m.look(t)
	if v == undecided {
		v = m.search(s, t)
	}
	return alone(t, v|absent)
}

func (m *Matcher) filter(n Node) Result {
	var r Result
	if n.Unschedulable {
		r = r.and(-1, alone(&cordon, m.decided(&cordon)))
	}
	for i := range n.Taints {
		if t := &n.Taints[i]; !n.replaced(t) {
			r = r.and(i, alone(t, m.decided(t)))
		}
	}
	return r
}

// Untolerated is like [Node.Untolerated] with the compiled tolerations.
func (m *Matcher) Untolerated(n Node) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		m.eachUntolerated(n, yield)
	}
}

func (m *Matcher) eachUntolerated(n Node, yield func(int, taint.Taint) bool) {
	if n.Unschedulable && m.decided(&cordon) == no && !yield(-1, cordon) {
		return
	}
	for i := range n.Taints {
		if t := &n.Taints[i]; !n.replaced(t) && m.decided(t) == no && !yield(i, *t) {
			return
		}
	}
}
