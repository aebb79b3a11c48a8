package taint_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// refClash reports which edits add what an earlier one adds, and which add and
// remove the same, by K2 alone.
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

// refApply does by K2 what edits do, one after another: which of them fail,
// and, when none does, the list and the outcome.
func refApply(node []taint.Taint, edits []taint.Edit, opts taint.EditOptions) (list []taint.Taint, outcome string, bad []bool) {
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
		if len(list) == was {
			bad[i] = true
		}
	}
	for i, e := range edits {
		if e.IsRemoval() {
			continue
		}
		same := func(t taint.Taint) bool { return t.Key() == e.Key() && t.Effect() == e.Effect() }
		at := slices.IndexFunc(list, same)
		if slices.ContainsFunc(node, same) && !opts.Overwrite {
			bad[i] = true
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
	adds := slices.ContainsFunc(edits, func(e taint.Edit) bool { return !e.IsRemoval() })
	removes := slices.ContainsFunc(edits, taint.Edit.IsRemoval)
	switch {
	case opts.Overwrite || adds && removes:
		outcome = "modified"
	case adds:
		outcome = "tainted"
	default:
		outcome = "untainted"
	}
	return list, outcome, bad
}

// checkApply holds what Apply makes of a node, which must be a valid list,
// against the reference, and demands that no input was written to.
func checkApply(t interface {
	Helper()
	Fatalf(string, ...any)
}, node []taint.Taint, edits []taint.Edit, opts taint.EditOptions) {
	t.Helper()
	nodeBefore, editsBefore := slices.Clone(node), slices.Clone(edits)
	want, wantOutcome, bad := refApply(node, edits, opts)
	got, outcome, err := taint.Apply(node, edits, opts)
	ps, _ := err.(validate.Problems)
	var failed []string
	for i := range bad {
		if bad[i] {
			failed = append(failed, validate.Index("edits", i))
		}
	}
	if len(failed) > 0 {
		want, wantOutcome = nil, ""
	}
	if !slices.Equal(got, want) || outcome.String() != wantOutcome || (err != nil) != (len(failed) > 0) || len(ps) != len(failed) {
		t.Fatalf("Apply(%v, %v, %+v) = %v, %v, %v, want %v, %s, problems of %v", node, edits, opts, got, outcome, err, want, wantOutcome, failed)
	}
	for i, p := range ps {
		if p.Path != failed[i] || p.Func != "" || p.Rule == 0 {
			t.Fatalf("Apply(%v, %v, %+v) fails with %q, want problems of %v", node, edits, opts, err, failed)
		}
	}
	if !slices.Equal(node, nodeBefore) || !slices.Equal(edits, editsBefore) {
		t.Fatalf("Apply(%v, %v, %+v) changed its input to %v, %v", nodeBefore, editsBefore, opts, node, edits)
	}

	// In the caller's memory, behind others and in place.
	first := taint.MustParse("first:NoSchedule")
	dst := append(make([]taint.Taint, 0, 64), first)
	got, outcome, err = taint.AppendApply(dst, node, edits, opts)
	if !slices.Equal(got, append([]taint.Taint{first}, want...)) || outcome.String() != wantOutcome || len(ps) > 0 && (err == nil || !dst[:2][1].IsZero()) {
		t.Fatalf("AppendApply(%v, %v, %v, %+v) = %v, %v, %v, want %v, %s", dst, node, edits, opts, got, outcome, err, want, wantOutcome)
	}
	room := append(make([]taint.Taint, 0, 64), node...)
	got, _, err = taint.AppendApply(room[:0], room, edits, opts)
	if !slices.Equal(got, want) || err != nil && !slices.Equal(room, node) {
		t.Fatalf("AppendApply(%v, %v, %+v) in place = %v, leaving %v", node, edits, opts, got, room)
	}
}

// editsOf reads edits, without asking whether they clash.
func editsOf(texts ...string) []taint.Edit {
	var edits []taint.Edit
	for _, text := range texts {
		edits = append(edits, taint.MustParseEdit(text))
	}
	return edits
}

// Every node of a small space under every list of up to three edits.
func TestApply_K2_exhaustive(t *testing.T) {
	added := must(taint.MustParse("a=v:NoExecute").WithTimeAdded(time.Unix(1e9, 0)))
	nodes := [][]taint.Taint{
		nil,
		listOf("a:NoSchedule"),
		listOf("a=v:NoSchedule"),
		{added},
		{added, taint.MustParse("a=w:NoSchedule")},
		{taint.MustParse("b=v:NoSchedule"), added, taint.MustParse("a:NoSchedule")},
		listOf("b:NoSchedule", "b:NoExecute"),
	}
	all := editsOf("a:NoSchedule", "a=w:NoSchedule", "a=w:NoExecute", "b:NoSchedule", "a-", "a:NoSchedule-", "a=x:NoExecute-", "b-", "b:NoExecute-")
	optss := []taint.EditOptions{{}, {Overwrite: true}, {TimeAdded: time.Unix(2e9, 5)}, {Overwrite: true, TimeAdded: time.Unix(2e9, 5)}}
	cases := 0
	for _, node := range nodes {
		var try func(edits []taint.Edit)
		try = func(edits []taint.Edit) {
			for _, opts := range optss {
				checkApply(t, node, edits, opts)
				cases++
			}
			if len(edits) == 3 {
				return
			}
			for _, e := range all {
				try(append(edits[:len(edits):len(edits)], e))
			}
		}
		try(nil)
	}
	if want := len(nodes) * (1 + 9 + 81 + 729) * len(optss); cases != want {
		t.Errorf("%d cases, want %d", cases, want)
	}
}
