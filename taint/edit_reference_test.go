package taint_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// refClash returns which edits add what an earlier one adds, and which add and remove
// the same taint, by K2 alone.
func refClash(edits []taint.Edit) []bool {
	bad := make([]bool, len(edits))
	for i, e := range edits {
		for _, f := range edits[:i] {
			sameKey := e.Key() == f.Key()
			sameEffect := e.Effect() == f.Effect()
			underAll := e.IsRemoval() && e.Effect() == 0 || f.IsRemoval() && f.Effect() == 0
			switch {
			case e.IsRemoval() && f.IsRemoval():
			case e.IsRemoval() != f.IsRemoval():
				bad[i] = bad[i] || sameKey && (sameEffect || underAll)
			default:
				bad[i] = bad[i] || sameKey && sameEffect
			}
		}
	}
	return bad
}

// refApply implements Apply by K2 alone, one edit after another. It returns which edits
// fail, and the list if none does.
func refApply(node taint.List, edits []taint.Edit, opts taint.EditOptions) (list taint.List, bad []bool) {
	bad = refClash(edits)
	list = slices.Clone(node)
	for i, e := range edits {
		if !e.IsRemoval() {
			continue
		}
		was := len(list)
		list = slices.DeleteFunc(list, func(t taint.Taint) bool {
			return t.Key() == e.Key() && (e.Effect() == 0 || t.Effect() == e.Effect())
		})
		if len(list) == was && !opts.IgnoreAbsent {
			bad[i] = true
		}
	}
	if opts.ReplaceKey {
		list = slices.DeleteFunc(list, func(t taint.Taint) bool {
			underKey := func(e taint.Edit) bool { return !e.IsRemoval() && e.Key() == t.Key() }
			same := func(e taint.Edit) bool { return underKey(e) && e.Effect() == t.Effect() }
			return slices.ContainsFunc(edits, underKey) && !slices.ContainsFunc(edits, same)
		})
	}
	overwrite := opts.Overwrite || opts.ReplaceKey
	for i, e := range edits {
		if e.IsRemoval() {
			continue
		}
		same := func(t taint.Taint) bool { return t.Key() == e.Key() && t.Effect() == e.Effect() }
		at := slices.IndexFunc(list, same)
		if slices.ContainsFunc(node, same) && !overwrite && !opts.KeepExisting {
			bad[i] = true
		}
		if at >= 0 && opts.KeepExisting && (!overwrite || list[at].Value() == e.Taint().Value()) {
			continue
		}
		added := e.Taint().TimeAdded()
		switch {
		case !added.IsZero():
		case at >= 0:
			added = list[at].TimeAdded()
		case e.Effect() == taint.NoExecute:
			added = opts.TimeAdded
		}
		t := must(e.Taint().WithTimeAdded(added))
		if at >= 0 {
			list[at] = t
		} else {
			list = append(list, t)
		}
	}
	return list, bad
}

// checkApply compares Apply, on a node with a valid list, with the reference. It tests
// that idempotent edits are idempotent, and that the arguments are unchanged.
func checkApply(t rapid.TB, node taint.List, edits []taint.Edit, opts taint.EditOptions) {
	t.Helper()
	nodeBefore, editsBefore := slices.Clone(node), slices.Clone(edits)
	want, bad := refApply(node, edits, opts)
	got, err := taint.Apply(node, edits, opts)
	ps, _ := err.(validate.Problems)
	var failed []string
	for i := range bad {
		if bad[i] {
			failed = append(failed, problem.Index("edits", i))
		}
	}
	if len(failed) > 0 {
		want = nil
	}
	if !slices.Equal(got, want) || (err != nil) != (len(failed) > 0) || len(ps) != len(failed) {
		t.Fatalf("Apply(%v, %v, %+v) = %v, %v, want %v, problems of %v", node, edits, opts, got, err, want, failed)
	}
	for i, p := range ps {
		if p.Path != failed[i] || p.Func != "" || p.Rule == 0 {
			t.Fatalf("Apply(%v, %v, %+v) fails with %q, want problems of %v", node, edits, opts, err, failed)
		}
	}
	if err == nil && opts.IgnoreAbsent && (opts.KeepExisting || opts.Overwrite || opts.ReplaceKey) {
		if again, err := taint.Apply(got, edits, opts); !slices.Equal(again, got) || err != nil {
			t.Fatalf("Apply(%v, %v, %+v) = %v, %v, and again %v", node, edits, opts, got, err, again)
		}
	}
	if !slices.Equal(node, nodeBefore) || !slices.Equal(edits, editsBefore) {
		t.Fatalf("Apply(%v, %v, %+v) changed its input to %v, %v", nodeBefore, editsBefore, opts, node, edits)
	}
}

// optionsOf returns the options that four bits encode.
func optionsOf(bits int) taint.EditOptions {
	return taint.EditOptions{Overwrite: bits&1 != 0, ReplaceKey: bits&2 != 0, KeepExisting: bits&4 != 0, IgnoreAbsent: bits&8 != 0}
}

// editsOf parses edits, which can conflict.
func editsOf(texts ...string) []taint.Edit {
	var edits []taint.Edit
	for _, text := range texts {
		edits = append(edits, mustEdit(text))
	}
	return edits
}

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
		return mustEdit(u.Key() + "-")
	case 1, 2:
		return mustEdit(u.Key() + ":" + effect.String() + "-")
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
