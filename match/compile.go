package match

import (
	"iter"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/tag"
)

// A Matcher is a pod's tolerations prepared to be asked about many nodes. It
// gives the answers that the functions of this package give for the lists that
// it was compiled from. The zero Matcher is that of a pod without tolerations.
//
// A Matcher does not change and is safe for concurrent use. Its methods do not
// allocate.
type Matcher struct {
	slots   [slots]slot
	effects [4]ruleSet // by taint.Effect
}

// A ruleSet is the tolerations that match one effect, in list order, up to the
// first without a key: it matches all that is left.
type ruleSet struct {
	rules    []rule
	byKey    map[unique.Handle[string]][]rule // nil while rules is short
	wildcard Class                            // behind all rules; NotTolerated when there is none
}

// A rule is a toleration with a key, for one effect.
type rule struct {
	key, value unique.Handle[string]
	bound      int64 // under Lt and Gt
	op         toleration.Operator
	class      Class
}

// indexed is how many rules are searched by a map: BenchmarkMatcher/rules=….
const indexed = 16

// Compile returns the Matcher of a pod's tolerations: one list, or several
// that match as one. The lists may be changed afterwards.
func Compile(tolerations ...[]toleration.Toleration) *Matcher {
	m := new(Matcher)
	for _, list := range tolerations {
		for _, u := range list {
			if u.IsZero() {
				continue
			}
			if e := u.Effect(); e != 0 {
				m.effects[e].add(u)
				continue
			}
			for _, e := range anyEffect {
				m.effects[e].add(u)
			}
		}
	}
	for e := range m.effects {
		m.effects[e].index()
		m.fill(taint.Effect(e))
	}
	return m
}

// slots is how many there are: a taint's is in the low bits of its tag, its
// effect and a part of its key's hash.
const slots = 64

// A slot is all that a taint can meet whose tag leads there, unless several
// rules do. It judges without a branch, since nobody can foresee which of a
// fleet's taints are tolerated: BenchmarkFilter.
type slot struct {
	key, value unique.Handle[string]
	classes    [4]Class // by whether the taint's key (2) and value (1) are these
	taken      bool
}

// undecided is the class of taints whose slot does not tell.
const undecided = ForGood + 1

// fill makes the slots of one effect.
func (m *Matcher) fill(e taint.Effect) {
	set := &m.effects[e]
	w := set.wildcard
	for i := int(e); w != NotTolerated && i < slots; i += tag.Effect + 1 {
		m.slots[i].classes = [4]Class{w, w, w, w}
	}
	for i := range set.rules {
		r := &set.rules[i]
		s := &m.slots[tag.Of(r.key.Value(), "", uint8(e))%slots]
		switch {
		case s.taken || r.op == toleration.Lt || r.op == toleration.Gt:
			s.classes = [4]Class{undecided, undecided, undecided, undecided}
		case r.op == toleration.Exists:
			s.classes = [4]Class{w, w, r.class, r.class}
		default:
			s.classes = [4]Class{w, w, w, r.class}
		}
		s.key, s.value, s.taken = r.key, r.value, true
	}
}

// look returns the taint's class, or undecided.
func (m *Matcher) look(t *taint.Taint) Class {
	s := &m.slots[t.Tag()%slots]
	return s.classes[bit(s.key == t.KeyHandle())<<1|bit(s.value == t.ValueHandle())]
}

func bit(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func (s *ruleSet) add(u toleration.Toleration) {
	if s.wildcard != NotTolerated {
		return
	}
	class := ForGood
	if _, timed := u.Seconds(); timed {
		class = ForAWhile
	}
	if u.Key() == "" {
		s.wildcard = class
		return
	}
	r := rule{key: u.KeyHandle(), value: u.ValueHandle(), op: u.Canonical().Operator(), class: class}
	if u.IsNumeric() {
		r.bound, _ = validate.IntegerRule(u.Value())
	}
	s.rules = append(s.rules, r)
}

func (s *ruleSet) index() {
	if len(s.rules) <= indexed {
		return
	}
	s.byKey = make(map[unique.Handle[string]][]rule)
	for _, r := range s.rules {
		s.byKey[r.key] = append(s.byKey[r.key], r)
	}
}

// judge returns how well the taint is tolerated, by the first toleration that
// matches.
func (s *ruleSet) judge(t taint.Taint) Class {
	rules, key := s.rules, t.KeyHandle()
	if s.byKey != nil {
		rules = s.byKey[key]
	}
	for i := range rules {
		if r := &rules[i]; r.key == key && r.admits(t) {
			return r.class
		}
	}
	return s.wildcard
}

func (r *rule) admits(t taint.Taint) bool {
	switch r.op {
	case toleration.Exists:
		return true
	case toleration.Equal:
		return r.value == t.ValueHandle()
	}
	n, ok := t.Integer()
	return ok && (n < r.bound && r.op == toleration.Lt || n > r.bound && r.op == toleration.Gt)
}

// Tolerates reports whether some toleration matches the taint.
func (m *Matcher) Tolerates(t taint.Taint) bool { return m.judge(t) != NotTolerated }

func (m *Matcher) judge(t taint.Taint) Class {
	return m.effects[t.Effect()].judge(t) // no rule is kept for the effect of the zero Taint
}

// Filter is the function [Filter] for the compiled tolerations.
func (m *Matcher) Filter(taints []taint.Taint) Result {
	t := first(taints)
	c := m.look(t)
	if len(taints) > 1 || c == undecided {
		return m.filter(taints)
	}
	return does(t, c)
}

func (m *Matcher) filter(taints []taint.Taint) Result {
	var r Result
	for i := range taints {
		t := &taints[i]
		c := m.look(t)
		if c == undecided {
			c = m.judge(*t)
		}
		r = r.and(i, does(t, c))
	}
	return r
}

// FilterNode is [Node.Filter] for the compiled tolerations.
func (m *Matcher) FilterNode(n Node) Result {
	var r Result
	if n.Unschedulable {
		r = r.judged(-1, cordon, m.judge(cordon))
	}
	for i, t := range n.Taints {
		if !n.virtual(t) {
			r = r.judged(i, t, m.judge(t))
		}
	}
	return r
}

// Untolerated is the function [Untolerated] for the compiled tolerations.
func (m *Matcher) Untolerated(taints []taint.Taint) iter.Seq2[int, taint.Taint] {
	return m.UntoleratedNode(Node{Taints: taints})
}

// UntoleratedNode is [Node.Untolerated] for the compiled tolerations.
func (m *Matcher) UntoleratedNode(n Node) iter.Seq2[int, taint.Taint] {
	return func(yield func(int, taint.Taint) bool) {
		m.eachUntolerated(n, yield)
	}
}

func (m *Matcher) eachUntolerated(n Node, yield func(int, taint.Taint) bool) {
	if n.Unschedulable && !m.Tolerates(cordon) && !yield(-1, cordon) {
		return
	}
	for i, t := range n.Taints {
		if !t.IsZero() && !n.virtual(t) && !m.Tolerates(t) && !yield(i, t) {
			return
		}
	}
}

// AppendUntolerated is the function [AppendUntolerated] for the compiled
// tolerations.
func (m *Matcher) AppendUntolerated(dst, taints []taint.Taint) []taint.Taint {
	return m.AppendUntoleratedNode(dst, Node{Taints: taints})
}

// AppendUntoleratedNode is [Node.AppendUntolerated] for the compiled
// tolerations. The room of dst must not be that of n.Taints when the node is
// cordoned.
func (m *Matcher) AppendUntoleratedNode(dst []taint.Taint, n Node) []taint.Taint {
	if n.Unschedulable && !m.Tolerates(cordon) {
		dst = append(dst, cordon)
	}
	for _, t := range n.Taints {
		if !t.IsZero() && !n.virtual(t) && !m.Tolerates(t) {
			dst = append(dst, t)
		}
	}
	return dst
}
