package taint

import (
	"slices"
	"time"
)

// A Change is the difference of one taint between two lists. The taint is added if Before
// is zero, and removed if After is; otherwise its value or its time added differs.
type Change struct {
	// The taint in each list; zero where absent.
	Before Taint `json:"before" yaml:"before"`
	After  Taint `json:"after" yaml:"after"`
	// Its index in each list, or -1.
	BeforeIndex int `json:"beforeIndex" yaml:"beforeIndex"`
	AfterIndex  int `json:"afterIndex" yaml:"afterIndex"`
}

// String returns text such as "added dedicated=gpu:NoSchedule", "" without a difference.
func (c Change) String() string {
	switch {
	case c.Before == c.After:
		return ""
	case c.Before.IsZero():
		return "added " + c.After.String()
	case c.After.IsZero():
		return "removed " + c.Before.String()
	case c.Before.Canonical() != c.After.Canonical():
		return "value changed " + c.Before.String() + " to " + c.After.String()
	}
	return "time changed " + c.After.String() + " from " + addedText(c.Before) + " to " + addedText(c.After)
}

func addedText(t Taint) string {
	if at := t.TimeAdded(); !at.IsZero() {
		return at.Format(time.RFC3339)
	}
	return "none"
}

// Difference returns the changes between two lists of a node's taints: those removed or
// changed, in the order of before, then those added. It ignores zero Taints; of repeated
// ones the first counts.
func Difference(before, after List) []Change {
	if slices.Equal(before, after) { // what controllers see most of the time
		return nil
	}
	calls := len(before) + len(after)
	was, is := finderOf(before, calls), finderOf(after, calls)
	var out []Change
	add := func(c Change) {
		if out == nil {
			out = make([]Change, 0, calls)
		}
		out = append(out, c)
	}
	for i, t := range before {
		if t.IsZero() || was.Index(t.keyEffect()) != i {
			continue
		}
		c := Change{Before: t, BeforeIndex: i, AfterIndex: is.Index(t.keyEffect())}
		if c.AfterIndex >= 0 {
			c.After = after[c.AfterIndex]
		}
		if c.Before != c.After {
			add(c)
		}
	}
	for i, t := range after {
		if !t.IsZero() && is.Index(t.keyEffect()) == i && was.Index(t.keyEffect()) < 0 {
			add(Change{After: t, BeforeIndex: -1, AfterIndex: i})
		}
	}
	return out
}

// Propagate returns a node's taints after its template, such as a MachineSet's, changed
// from before (nil for a new node) to after: without those that only before has, with
// those of after, the others unchanged, in the node's order and with its times added. If
// after repeats a key and effect, the last one counts, in the place of the first. A zero
// Taint of after is added once and never removed.
func Propagate(node, before, after List) List {
	after = lastOnes(after)
	calls := len(node) + len(after)
	inNode, inBefore, inAfter := finderOf(node, calls), finderOf(before, calls), finderOf(after, calls)
	out := make(List, 0, calls)
	for i, t := range node {
		key := t.keyEffect()
		j := inAfter.Index(key)
		switch {
		case t.IsZero() || j < 0 && inBefore.Index(key) < 0:
			out = append(out, t)
		case j >= 0 && inNode.Index(key) == i:
			t, _ = after[j].WithTimeAdded(t.TimeAdded())
			out = append(out, t)
		}
	}
	for _, t := range after {
		if !t.IsZero() && inNode.Index(t.keyEffect()) < 0 {
			out = append(out, t)
		}
	}
	if zero := (Taint{}); inAfter.Index(zero) >= 0 && inNode.Index(zero) < 0 {
		out = append(out, zero)
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// lastOnes returns the taints with the last of repeated ones in the place of the first.
func lastOnes(l List) List {
	f := finderOf(l, len(l))
	for i, t := range l {
		if f.Index(t.keyEffect()) < i {
			seen := make(map[Taint]bool, len(l))
			out := slices.DeleteFunc(slices.Clone(l), func(t Taint) bool { return repeats(seen, t) })
			places := finderOf(out, len(l)) // no place gets another key or effect
			for _, t := range l {
				out[places.Index(t.keyEffect())] = t
			}
			return out
		}
	}
	return l
}
