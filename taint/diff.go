package taint

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/enum"
)

// A Change is the difference of one taint between two lists.
type Change struct {
	// The taint in each list; zero where absent.
	Before Taint `json:"before" yaml:"before"`
	After  Taint `json:"after" yaml:"after"`
	// Its index in each list, or -1.
	BeforeIndex int `json:"beforeIndex" yaml:"beforeIndex"`
	AfterIndex  int `json:"afterIndex" yaml:"afterIndex"`
}

// A ChangeKind is a kind of change. Zero is none.
type ChangeKind uint8

const (
	Added ChangeKind = iota + 1
	Removed
	ValueChanged // and perhaps the time added
	TimeChanged  // only the time added
)

const kindType = "taint.ChangeKind"

var changeKinds = []string{"", "added", "removed", "value changed", "time changed"}

// String returns text such as "value changed".
func (k ChangeKind) String() string { return enum.String(k, kindType, changeKinds) }

func (k ChangeKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, kindType, changeKinds)
}

// Kind returns the kind of the change, 0 if there is none.
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

// String returns text such as "added dedicated=gpu:NoSchedule".
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
		if c.Kind() != 0 {
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
// those of after, the others unchanged, in the node's order and with its times added. A
// zero Taint of after is added once and never removed.
func Propagate(node, before, after List) List {
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
	for i, t := range after {
		if key := t.keyEffect(); !t.IsZero() && inAfter.Index(key) == i && inNode.Index(key) < 0 {
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
