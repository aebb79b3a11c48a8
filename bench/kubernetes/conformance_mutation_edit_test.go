package kubernetes_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
)

// editMistakes are wrong ways to edit, made from the right one.
var editMistakes = map[string]editor{
	"K2_overwrites": func(node taint.List, _ bool, args ...string) (taint.List, error) {
		return edit(node, true, args...)
	},
	"K2_never_overwrites": func(node taint.List, _ bool, args ...string) (taint.List, error) {
		return edit(node, false, args...)
	},
	"K2_same_value_is_no_change": keeping(func(node taint.List, args []string, i int) bool {
		e, err := taint.ParseEdit(args[i])
		return err != nil || e.IsRemoval() || !slices.ContainsFunc(node, func(t taint.Taint) bool { return t.Canonical() == e.Taint() })
	}),
	"K2_missing_is_removed": keeping(func(node taint.List, args []string, i int) bool {
		e, err := taint.ParseEdit(args[i])
		return err != nil || !e.IsRemoval() || slices.ContainsFunc(node, func(t taint.Taint) bool { return touches(e, t) })
	}),
	"K2_last_of_one_kind_counts": keeping(func(_ taint.List, args []string, i int) bool {
		e, err := taint.ParseEdit(args[i])
		return !slices.ContainsFunc(args[i+1:], func(s string) bool {
			f, ferr := taint.ParseEdit(s)
			return err == nil && ferr == nil && !e.IsRemoval() && !f.IsRemoval() && f.Taint().SameKeyEffect(e.Taint())
		})
	}),
	"K2_key_removes_one_effect": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		out, err := edit(node, overwrite, args...)
		for _, arg := range args {
			if e, perr := taint.ParseEdit(arg); err == nil && perr == nil && e.IsRemoval() && e.Effect() == 0 {
				first := true
				for _, t := range node {
					if touches(e, t) && !first {
						out = append(out, t)
					}
					first = first && !touches(e, t)
				}
			}
		}
		return out, err
	},
}

// keeping ignores the arguments that keep rejects, each by its index.
func keeping(keep func(node taint.List, args []string, i int) bool) editor {
	return func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		var kept []string
		for i, arg := range args {
			if keep(node, args, i) {
				kept = append(kept, arg)
			}
		}
		return edit(node, overwrite, kept...)
	}
}

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationEdit(t *testing.T) {
	t.Parallel()
	see(t, 50_000, func(e editor) func(*gen) string { return edits(e, nil) }, edit, editMistakes)
}
