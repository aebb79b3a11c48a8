package taint

import (
	"slices"
)

// A Change is what became of a taint between two lists of a node. The zero
// Change is none.
//
// Changes may be compared with == and used as map keys.
type Change struct {
	// Before is the taint as the first list has it, zero when it was added.
	Before Taint
	// After is the taint as the second list has it, zero when it was removed.
	After Taint
}

// A ChangeKind is a kind of change.
type ChangeKind uint8

const (
	// Added is the kind of a taint that only the second list has.
	Added ChangeKind = iota + 1
	// Removed is the kind of a taint that only the first list has.
	Removed
	// ValueChanged is the kind of a taint that has another value in the second
	// list, and perhaps another time added.
	ValueChanged
	// TimeChanged is the kind of a taint that only its time added tells apart.
	// It changes nothing about which pods tolerate the node.
	TimeChanged
)

var changeKinds = [...]string{"", "added", "removed", "value changed", "time changed"}

// String returns the kind in words, "" for the zero ChangeKind; the text may
// change.
func (k ChangeKind) String() string {
	if int(k) < len(changeKinds) {
		return changeKinds[k]
	}
	return ""
}

// Kind returns which kind of change it is; 0 when nothing differs. It does not
// allocate.
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

// Edit returns the edit that makes the change; the zero Edit for a change that
// no edit makes, which is taking away a time added. It does not allocate.
func (c Change) Edit() Edit {
	switch c.Kind() {
	case Removed:
		return Edit{taint: c.Before.keyEffect(), remove: true}
	case TimeChanged:
		if c.After.TimeAdded().IsZero() {
			return Edit{}
		}
	}
	return Adding(c.After)
}

// Difference returns what changed between two lists of a node's taints, told
// apart by key and effect: first what was removed or changed, in the order of
// before, then what was added, in the order of after. Order itself is no
// change. Zero Taints are passed over, and of repeated ones the first counts.
//
// It allocates the result alone, and nothing when that is empty, for lists of
// at most 32 taints; it is O(len(before)·len(after)) for these, and
// O(len(before)+len(after)) for longer ones. Equal lists of any length are
// found to be so at once, without allocating.
func Difference(before, after []Taint) []Change {
	d := differenceOf(before, after)
	size := 0
	for range d.all {
		size++
	}
	return d.appendTo(slices.Grow([]Change(nil), size))
}

// AppendDifference appends what [Difference] returns to dst. It does not
// allocate when dst has room, for lists of at most 32 taints.
func AppendDifference(dst []Change, before, after []Taint) []Change {
	d := differenceOf(before, after)
	return d.appendTo(dst)
}

// EditsBetween returns the edits that lead from one list of a node's taints to
// the other, but for order: the [Change.Edit] of each change that has one, in
// the order of [Difference]. [Apply] takes them with Overwrite set. Times
// added that are gone from after are the one thing that they leave behind.
//
// It allocates as [Difference] does.
func EditsBetween(before, after []Taint) []Edit {
	d := differenceOf(before, after)
	size := 0
	for c := range d.all {
		if !c.Edit().IsZero() {
			size++
		}
	}
	return d.appendEdits(slices.Grow([]Edit(nil), size))
}

// AppendEditsBetween appends what [EditsBetween] returns to dst. It does not
// allocate when dst has room, for lists of at most 32 taints.
func AppendEditsBetween(dst []Edit, before, after []Taint) []Edit {
	d := differenceOf(before, after)
	return d.appendEdits(dst)
}

// difference is two lists to be compared.
type difference struct{ before, after finder }

func differenceOf(before, after []Taint) difference {
	if slices.Equal(before, after) { // what controllers see most of the time
		return difference{}
	}
	return difference{finderOf(before), finderOf(after)}
}

func (d *difference) all(yield func(Change) bool) {
	for i, t := range d.before.list {
		if d.before.index(t) != i {
			continue
		}
		c := Change{Before: t}
		if j := d.after.index(t); j >= 0 {
			c.After = d.after.list[j]
		}
		if c.Kind() != 0 && !yield(c) {
			return
		}
	}
	for i, t := range d.after.list {
		if d.after.index(t) == i && d.before.index(t) < 0 && !yield(Change{After: t}) {
			return
		}
	}
}

func (d *difference) appendTo(dst []Change) []Change {
	for c := range d.all {
		dst = append(dst, c)
	}
	return dst
}

func (d *difference) appendEdits(dst []Edit) []Edit {
	for c := range d.all {
		if e := c.Edit(); !e.IsZero() {
			dst = append(dst, e)
		}
	}
	return dst
}

// Propagate returns a node's taints after the template that it was made from,
// such as a MachineSet's, has changed its own from before to after. Taints of
// before that after has no more leave the node, those of after are put on it,
// and all others stay as they are. Taints are told apart by key and effect
// alone, so one of the template's whose value was changed on the node gets the
// template's value back.
//
// The node's order stays, and new taints come last, in the order of after. A
// taint that the node has keeps its time added, or has none as before; a new
// one comes with that of after. Doing it twice is the same as once. Of
// repeated taints of the template's the first counts, and one of them remains
// on the node. Zero Taints of the template are passed over.
//
// For a node that the template has not touched yet, before is nil.
//
// It allocates the list alone, and nothing when that is empty, for lists of at
// most 32 taints; it is O(len(node)·(len(before)+len(after))) for these, and
// linear for longer ones.
func Propagate(node, before, after []Taint) []Taint {
	return AppendPropagate(nil, node, before, after)
}

// AppendPropagate appends what [Propagate] returns to dst. It does not
// allocate when dst has room, for lists of at most 32 taints; that room must
// not be node's.
func AppendPropagate(dst, node, before, after []Taint) []Taint {
	p := propagation{finderOf(node), finderOf(before), finderOf(after)}
	if dst == nil {
		size := 0
		for range p.all {
			size++
		}
		dst = slices.Grow(dst, size)
	}
	for t := range p.all {
		dst = append(dst, t)
	}
	return dst
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
}

// A finder finds taints in a list by key and effect.
type finder struct {
	list  []Taint
	first map[Taint]int // by key and effect; nil while the list is short
}

func finderOf(list []Taint) finder {
	f := finder{list: list}
	if len(list) > short {
		f.first = make(map[Taint]int, len(list))
		for i, t := range slices.Backward(list) {
			f.first[t.keyEffect()] = i
		}
	}
	return f
}

// index returns where the list first has the key and effect of the taint, -1
// when it has not, and for the zero Taint.
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
