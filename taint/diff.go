package taint

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
)

// A Change is the difference of one taint between two lists. It is comparable
// with ==.
type Change struct {
	// The taint in each list; zero where it is absent.
	Before Taint `json:"before" yaml:"before"`
	After  Taint `json:"after" yaml:"after"`
	// Its index in each list; -1 where it is absent.
	BeforeIndex int `json:"beforeIndex" yaml:"beforeIndex"`
	AfterIndex  int `json:"afterIndex" yaml:"afterIndex"`
}

// A ChangeKind is a kind of change. The zero ChangeKind is none, and its text is
// empty.
type ChangeKind uint8

const (
	Added ChangeKind = iota + 1
	Removed
	ValueChanged // and perhaps the time added
	TimeChanged  // only the time added
)

const kindType = "taint.ChangeKind"

var changeKinds = []string{"", "added", "removed", "value changed", "time changed"}

// String returns the kind in words, such as "value changed".
func (k ChangeKind) String() string { return enum.String(k, kindType, changeKinds) }

// MarshalText implements [encoding.TextMarshaler].
func (k ChangeKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, kindType, changeKinds)
}

// Kind returns the kind of the change, 0 when Before and After are equal.
func (c Change) Kind() ChangeKind {
	switch {
	case c.Before == c.After:
		return 0
	case c.Before.IsZero():
		return Added
	case c.After.IsZero():
		return Removed
	case c.Before.Canonical() != c.After.Canonical():
		return ValueChanged
	}
	return TimeChanged
}

// String returns a text such as "added dedicated=gpu:NoSchedule". It may change.
func (c Change) String() string {
	kind := c.Kind()
	head := kind.String() + " "
	switch kind {
	case 0:
		return ""
	case Removed:
		return head + c.Before.String()
	case ValueChanged:
		return head + c.Before.String() + " to " + c.After.String()
	case TimeChanged:
		return head + c.After.String() + " from " + addedText(c.Before) + " to " + addedText(c.After)
	}
	return head + c.After.String()
}

func addedText(t Taint) string {
	if at := t.TimeAdded(); !at.IsZero() {
		return at.Format(time.RFC3339)
	}
	return "none"
}

// Difference returns the changes between two lists of a node's taints, identified
// by key and effect: those that were removed or changed, in the order of before,
// then those that were added, in the order of after. It ignores order and zero
// Taints; of repeated taints the first counts.
//
// It allocates only the result for lists of at most 32 taints. The cost is near-linear.
func Difference(before, after List) []Change {
	if slices.Equal(before, after) { // what controllers see most of the time
		return nil
	}
	d := difference{finderOf(before), finderOf(after)}
	size := 0
	for range d.all {
		size++
	}
	out := slices.Grow([]Change(nil), size)
	for c := range d.all {
		out = append(out, c)
	}
	return out
}

// difference is two lists to be compared.
type difference struct{ before, after finder }

func (d *difference) all(yield func(Change) bool) {
	for i, t := range d.before.list {
		if d.before.index(t) != i {
			continue
		}
		c := Change{Before: t, BeforeIndex: i, AfterIndex: d.after.index(t)}
		if c.AfterIndex >= 0 {
			c.After = d.after.list[c.AfterIndex]
		}
		if c.Kind() != 0 && !yield(c) {
			return
		}
	}
	for i, t := range d.after.list {
		if d.after.index(t) == i && d.before.index(t) < 0 && !yield(Change{After: t, BeforeIndex: -1, AfterIndex: i}) {
			return
		}
	}
}

// Propagate returns a node's taints after its template, such as a MachineSet's,
// changed from before (nil for a new node) to after. Taints that only before has are
// removed, those of after are set, and all others are unchanged. It is idempotent.
//
// Taints are identified by key and effect. Those of the node keep their order and
// times added; new ones are appended. A zero Taint of after is added once, since a
// template that could not be read must repel pods from its nodes, and is never
// removed.
//
// It costs what [Difference] costs.
func Propagate(node, before, after List) List {
	p := propagation{finderOf(node), finderOf(before), finderOf(after)}
	size := 0
	for range p.all {
		size++
	}
	out := slices.Grow(List(nil), size)
	for t := range p.all {
		out = append(out, t)
	}
	return out
}

// propagation is a node's list and those of its template.
type propagation struct{ node, before, after finder }

func (p *propagation) all(yield func(Taint) bool) {
	for i, t := range p.node.list {
		if j := p.after.index(t); j >= 0 {
			if p.node.index(t) != i {
				continue
			}
			added := t.TimeAdded()
			t, _ = p.after.list[j].WithTimeAdded(added)
		} else if p.before.index(t) >= 0 {
			continue
		}
		if !yield(t) {
			return
		}
	}
	for i, t := range p.after.list {
		if p.after.index(t) == i && p.node.index(t) < 0 && !yield(t) {
			return
		}
	}
	if zero := (Taint{}); slices.Contains(p.after.list, zero) && !slices.Contains(p.node.list, zero) {
		yield(zero)
	}
}

// A finder finds taints in a list by key and effect.
type finder struct {
	list  List
	first map[Taint]int // by key and effect; nil for a short list
}

func finderOf(list List) finder {
	f := finder{list: list}
	if len(list) > short {
		f.first = make(map[Taint]int, len(list))
		for i, t := range slices.Backward(list) {
			f.first[t.keyEffect()] = i
		}
	}
	return f
}

// index returns the index of the first taint with that key and effect, -1 when
// there is none, and for the zero Taint.
func (f *finder) index(t Taint) int {
	switch {
	case t.IsZero():
		return -1
	case f.first == nil:
		return slices.IndexFunc(f.list, t.SameKeyEffect)
	}
	if i, ok := f.first[t.keyEffect()]; ok {
		return i
	}
	return -1
}
