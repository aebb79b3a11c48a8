package taint_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
)

// many is longer than the lists that are searched. No generator makes its taints.
var many = func() taint.List {
	var list taint.List
	for i := range 40 {
		list = append(list, must(taint.New(fmt.Sprint("many", i), "", taint.NoExecute)))
	}
	return list
}()

// identity is what identifies a taint in a list.
func identity(t taint.Taint) string { return t.Key() + ":" + t.Effect().String() }

// refFirsts returns the taints by identity, the first of repeated ones, and their
// identities in order.
func refFirsts(list taint.List) (byID map[string]taint.Taint, ids []string) {
	byID = make(map[string]taint.Taint)
	for _, t := range list {
		if _, ok := byID[identity(t)]; !ok && !t.IsZero() {
			byID[identity(t)] = t
			ids = append(ids, identity(t))
		}
	}
	return byID, ids
}

// refChange returns the change between the taints, which may be zero, with their
// indices.
func refChange(before, after taint.List, b, a taint.Taint) taint.Change {
	index := func(list taint.List, t taint.Taint) int {
		if t.IsZero() {
			return -1
		}
		return slices.IndexFunc(list, func(u taint.Taint) bool { return identity(u) == identity(t) })
	}
	return taint.Change{Before: b, After: a, BeforeIndex: index(before, b), AfterIndex: index(after, a)}
}

func refDifference(before, after taint.List) (changes []taint.Change) {
	was, wasIDs := refFirsts(before)
	is, isIDs := refFirsts(after)
	for _, id := range wasIDs {
		b := was[id]
		switch a, ok := is[id]; {
		case !ok:
			changes = append(changes, refChange(before, after, b, taint.Taint{}))
		case a.Value() != b.Value() || !a.TimeAdded().Equal(b.TimeAdded()):
			changes = append(changes, refChange(before, after, b, a))
		}
	}
	for _, id := range isIDs {
		if _, ok := was[id]; !ok {
			changes = append(changes, refChange(before, after, taint.Taint{}, is[id]))
		}
	}
	return changes
}

// refPropagate implements Propagate by the text of its rule alone.
func refPropagate(node, before, after taint.List) taint.List {
	old, _ := refFirsts(before)
	want, wantIDs := refFirsts(after)
	for _, t := range after { // of repeated ones, the last counts
		want[identity(t)] = t
	}
	on := make(map[string]bool)
	var out taint.List
	for _, t := range node {
		u, wanted := want[identity(t)]
		_, left := old[identity(t)]
		switch {
		case wanted && !on[identity(t)]:
			out = append(out, must(u.WithTimeAdded(t.TimeAdded())))
		case !wanted && !left || t.IsZero():
			out = append(out, t)
		}
		on[identity(t)] = true
	}
	for _, id := range wantIDs {
		if !on[id] {
			out = append(out, want[id])
		}
	}
	invalid := func(t taint.Taint) bool { return t.IsZero() }
	if slices.ContainsFunc(after, invalid) && !slices.ContainsFunc(out, invalid) {
		out = append(out, taint.Taint{}) // M8
	}
	return out
}

func checkDifference(t rapid.TB, before, after taint.List) {
	t.Helper()
	wasBefore, wasAfter := slices.Clone(before), slices.Clone(after)
	want := refDifference(before, after)
	got := taint.Difference(before, after)
	if !slices.Equal(got, want) || len(want) == 0 && got != nil {
		t.Errorf("Difference(%v, %v) = %v, want %v", before, after, got, want)
		return
	}
	if !slices.Equal(before, wasBefore) || !slices.Equal(after, wasAfter) {
		t.Errorf("Difference(%v, %v) changed its input", wasBefore, wasAfter)
	}
}

func checkPropagate(t rapid.TB, node, before, after taint.List) taint.List {
	t.Helper()
	wasNode, wasBefore, wasAfter := slices.Clone(node), slices.Clone(before), slices.Clone(after)
	want := refPropagate(node, before, after)
	got := taint.Propagate(node, before, after)
	if !slices.Equal(got, want) || len(want) == 0 && got != nil {
		t.Errorf("Propagate(%v, %v, %v) = %v, want %v", node, before, after, got, want)
	}
	if again := taint.Propagate(got, before, after); !slices.Equal(again, got) {
		t.Errorf("Propagate(%v, %v, %v) again: %v", got, before, after, again)
	}
	if !slices.Equal(node, wasNode) || !slices.Equal(before, wasBefore) || !slices.Equal(after, wasAfter) {
		t.Errorf("Propagate(%v, %v, %v) changed its input", wasNode, wasBefore, wasAfter)
	}
	return got
}

// editsBetween returns the edits that turn one list into the other.
func editsBetween(before, after taint.List) (edits []taint.Edit) {
	for _, c := range taint.Difference(before, after) {
		switch {
		case c.After.IsZero():
			edits = append(edits, mustEdit(c.Before.String()+"-"))
		case c.Before.Canonical() != c.After.Canonical() || !c.After.TimeAdded().IsZero():
			edits = append(edits, taint.Add(c.After))
		}
	}
	return edits
}

// differenceProperty compares Difference with the reference, and applies the edits of
// its changes.
func differenceProperty(t *rapid.T) {
	before := gen.NodeTaints().Draw(t, "before")
	after := changed(t, before)
	if rapid.IntRange(0, 4).Draw(t, "many") == 0 {
		before = append(before, many[:rapid.IntRange(0, len(many)).Draw(t, "many before")]...)
		after = append(after, many[rapid.IntRange(0, len(many)).Draw(t, "many after"):]...)
	}
	checkDifference(t, before, after)
	checkDifference(t, gen.TaintsAndZeros().Draw(t, "any"), append(gen.TaintsAndZeros().Draw(t, "others"), before...))

	edits := editsBetween(before, after)
	got, err := taint.Apply(before, edits, taint.EditOptions{Overwrite: true})
	if more := editsBetween(got, after); err != nil || len(got) != len(after) || len(more) != 0 {
		t.Fatalf("%v lead from %v to %v, %v, want %v, and there are %v more", edits, before, got, err, after, more)
	}
}

func propagateProperty(t *rapid.T) {
	before := gen.NodeTaints().Draw(t, "before")
	after := changed(t, before)
	node := changed(t, before)
	if rapid.IntRange(0, 4).Draw(t, "many") == 0 {
		before = append(before, many[:36]...)
		after = append(after, many[3:]...)
		node = append(node, many[1:38]...)
	}
	checkPropagate(t, node, before, after)
	checkPropagate(t, gen.TaintsAndZeros().Draw(t, "any node"), gen.TaintsAndZeros().Draw(t, "any before"), gen.TaintsAndZeros().Draw(t, "any after"))
}

func TestDifference(t *testing.T) {
	t.Run("K2_property", rapid.MakeCheck(differenceProperty))
}

func TestPropagate(t *testing.T) {
	t.Run("K2_property", rapid.MakeCheck(propagateProperty))
}
