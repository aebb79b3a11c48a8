package taint_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
)

// anEdit draws an edit. Half of the edits are about a taint in the list, or a similar
// one.
func anEdit(t *rapid.T, list taint.List) taint.Edit {
	u := gen.Taint().Draw(t, "taint")
	if len(list) > 0 && rapid.Bool().Draw(t, "listed") {
		u = rapid.SampledFrom(list).Draw(t, "of list")
	}
	effect := u.Effect()
	if rapid.IntRange(0, 3).Draw(t, "other effect") == 0 {
		effect = gen.Effect().Draw(t, "effect")
	}
	value := u.Value()
	if rapid.Bool().Draw(t, "other value") {
		value = gen.Value().Draw(t, "value")
	}
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return must(removal(u.Key(), 0))
	case 1, 2:
		return must(removal(u.Key(), effect))
	case 3:
		return taint.Add(u)
	}
	return taint.Add(must(taint.New(u.Key(), value, effect)))
}

// The list after a change is drawn from the list before, so that many taints remain.
func changed(t *rapid.T, list taint.List) taint.List {
	var out taint.List
	for _, u := range append(slices.Clone(list), gen.NodeTaints().Draw(t, "more")...) {
		switch rapid.IntRange(0, 4).Draw(t, "what") {
		case 0:
			continue
		case 1:
			u = must(taint.New(u.Key(), gen.Value().Draw(t, "value"), u.Effect()))
		case 2:
			u = must(u.WithTimeAdded(gen.Time().Draw(t, "time")))
		}
		if !slices.ContainsFunc(out, u.SameKeyEffect) {
			out = append(out, u)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return rapid.Permutation(out).Draw(t, "order")
}

// editProperty compares Apply with the reference.
func editProperty(t *rapid.T) {
	node := gen.NodeTaints().Draw(t, "node")
	var edits []taint.Edit
	for range rapid.IntRange(0, 5).Draw(t, "edits") {
		edits = append(edits, anEdit(t, node))
	}
	if rapid.IntRange(0, 9).Draw(t, "many") == 0 {
		for _, u := range many {
			edits = append(edits, taint.Add(u))
		}
	}
	opts := optionsOf(rapid.IntRange(0, 15).Draw(t, "options"))
	if rapid.Bool().Draw(t, "timed") {
		opts.TimeAdded = gen.Time().Draw(t, "time")
	}
	checkApply(t, node, edits, opts)
}
