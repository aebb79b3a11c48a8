package match

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A Matcher is a pod's tolerations, prepared for many nodes by [Compile]. The zero
// Matcher has no tolerations. It is immutable. It takes about 1.9 kB, and up to 160 bytes
// for each toleration.
type Matcher struct {
	all     uint64 // the slots whose taints a toleration without a key tolerates
	one     uint64 // the slots with tolerations that match one value of their key
	several uint64 // the slots with tolerations that match several: Exists, Lt, Gt

	// Tolerations are in the bucket of their key, and of their value if they match one.
	buckets []toleration.List
}

// slots is the number of slots. The low bits of a taint's tag select its slot: the
// effect, and a part of the key's hash.
const slots = 64

// Compile returns the Matcher of a pod with these tolerations. Each is compared with those
// of its bucket, of many one in 2,000: 60,000 take about 0.1 s. A taint is then compared
// with about 30 of them.
//
// It is for pods with about eight tolerations or more, and a thousand nodes or more. With
// 32, a node takes half of the time that it takes with [Node.Schedulable], unless one of the
// first tolerations matches.
func Compile(tolerations toleration.List) *Matcher {
	n := uint(len(tolerations))
	m := &Matcher{buckets: make([]toleration.List, 1<<min(max(6, bits.Len(n)+1), 12))}
	for _, u := range tolerations {
		m.add(u.WithoutSeconds())
	}
	return m
}

func (m *Matcher) add(u toleration.Toleration) {
	effects := uint64(0) // the slots of its effects
	for _, e := range anyEffect {
		if u.Effect() == 0 || u.Effect() == e {
			effects |= 0x1111_1111_1111_1111 << e
		}
	}
	key := value.TagOf(u.Key(), "", 0)
	slotsOfKey := effects & (0b1111 << (key % slots))
	switch {
	case u.IsZero():
	case u.Key() == "":
		m.all |= effects
	case value.Toleration(u).IsEqual():
		m.one |= slotsOfKey
		insert(m.bucket(value.TagOf(u.Key(), u.Value(), 0)), u)
	default:
		m.several |= slotsOfKey
		insert(m.bucket(key), u)
	}
}

// insert adds u to the list unless one of the list covers it, and removes those that u
// covers. So of all bounds of a key, one remains for each operator and effect.
func insert(list *toleration.List, u toleration.Toleration) {
	for _, v := range *list {
		if cover.Covers(v, u) {
			return
		}
	}
	*list = append(slices.DeleteFunc(*list, func(v toleration.Toleration) bool { return cover.Covers(u, v) }), u)
}

// bucket returns the bucket of the key and the value in a tag. The hash of the value
// counts twice, since a key can be its own value.
func (m *Matcher) bucket(tag uint32) *toleration.List {
	return &m.buckets[(tag>>2+tag>>12)&uint32(len(m.buckets)-1)]
}

// tolerates reports whether some toleration matches the taint. Its slotOf is a parameter
// so that tolerates is inlined (TestInlining).
func (m *Matcher) tolerates(t *taint.Taint, bit uint64) bool {
	return m.all&bit != 0 || (m.one|m.several)&bit != 0 && m.find(t, bit)
}

// slotOf returns the set of the taint's slot alone.
func slotOf(t *taint.Taint) uint64 { return 1 << ((*value.Taint)(t).Tag() % slots) }

// find reports whether a toleration of the taint's buckets matches it.
func (m *Matcher) find(t *taint.Taint, bit uint64) bool {
	tag := (*value.Taint)(t).Tag()
	if m.one&bit != 0 {
		if b := *m.bucket(tag); len(b) > 0 && b.Match(*t) >= 0 {
			return true
		}
	}
	if m.several&bit != 0 {
		if b := *m.bucket(tag & value.TagKeyEffect); len(b) > 0 && b.Match(*t) >= 0 {
			return true
		}
	}
	return false
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
func (m *Matcher) Filter(n Node) (r Result) {
	for i, t := range m.Untolerated(n) {
		r = r.With(i, t.Effect())
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
