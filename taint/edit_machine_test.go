package taint_test

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
)

// machineProperty edits the taints of a node many times, with all methods. It compares
// each step with the reference, and tests what the options promise.
func machineProperty(t *rapid.T) {
	node := gen.NodeTaints().Draw(t, "node")
	now := int64(1e9)
	apply := func(t *rapid.T, opts taint.EditOptions, edits ...taint.Edit) taint.List {
		now++
		opts.TimeAdded = time.Unix(now, 0)
		checkApply(t, node, edits, opts)
		got, err := taint.Apply(node, edits, opts)
		if err != nil {
			return node
		}
		for _, u := range node { // a taint that no edit names remains, unless its key is replaced
			named := slices.ContainsFunc(edits, func(e taint.Edit) bool { return touches(e, u) || opts.ReplaceKey && e.Key() == u.Key() })
			if !named && !slices.Contains(got, u) {
				t.Fatalf("Apply(%v, %v, %+v) = %v, which has lost %v", node, edits, opts, got, u)
			}
		}
		if err := got.Validate(taint.ListOptions{}); err != nil {
			t.Fatalf("Apply(%v, %v, %+v) = %v: %v", node, edits, opts, got, err)
		}
		return got
	}
	ensure := taint.EditOptions{KeepExisting: true, IgnoreAbsent: true}
	t.Repeat(map[string]func(*rapid.T){
		"edit": func(t *rapid.T) {
			var edits []taint.Edit
			for range rapid.IntRange(0, 4).Draw(t, "edits") {
				edits = append(edits, anEdit(t, node))
			}
			node = apply(t, optionsOf(rapid.IntRange(0, 15).Draw(t, "options")), edits...)
		},
		"ensure present": func(t *rapid.T) {
			e := taint.Add(anAddition(t, node))
			node = apply(t, ensure, e)
			if !slices.ContainsFunc(node, func(t taint.Taint) bool { return touches(e, t) }) {
				t.Fatalf("after %v the taints are %v", e, node)
			}
		},
		"ensure absent": func(t *rapid.T) {
			e := must(removal(anAddition(t, node).Key(), gen.Effect().Draw(t, "effect")))
			node = apply(t, ensure, e)
			if slices.ContainsFunc(node, func(t taint.Taint) bool { return touches(e, t) }) {
				t.Fatalf("after %v the taints are %v", e, node)
			}
		},
		"replace key": func(t *rapid.T) {
			u := anAddition(t, node)
			node = apply(t, taint.EditOptions{ReplaceKey: true, IgnoreAbsent: true}, taint.Add(u))
			i := slices.IndexFunc(node, u.SameKeyEffect)
			if i < 0 || node[i].Value() != u.Value() || slices.ContainsFunc(slices.Delete(slices.Clone(node), i, i+1), func(v taint.Taint) bool { return v.Key() == u.Key() }) {
				t.Fatalf("after replacing the key of %v the taints are %v", u, node)
			}
		},
		"overwrite": func(t *rapid.T) {
			u := anAddition(t, node)
			node = apply(t, taint.EditOptions{Overwrite: true, IgnoreAbsent: true}, taint.Add(u))
			if !slices.ContainsFunc(node, func(v taint.Taint) bool { return v.Canonical() == u.Canonical() }) {
				t.Fatalf("after overwriting with %v the taints are %v", u, node)
			}
		},
	})
}

// anAddition draws a taint. Half of the taints have a key of the node.
func anAddition(t *rapid.T, node taint.List) taint.Taint {
	u := gen.Taint().Draw(t, "taint")
	if len(node) > 0 && rapid.Bool().Draw(t, "of node") {
		key := rapid.SampledFrom(node).Draw(t, "listed").Key()
		u = must(must(taint.New(key, u.Value(), u.Effect())).WithTimeAdded(u.TimeAdded()))
	}
	return u
}
