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
	"K2_same_value_is_no_change": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		var kept []string
		for _, arg := range args {
			if e, err := taint.ParseEdit(arg); err != nil || e.IsRemoval() || !slices.ContainsFunc(node, func(t taint.Taint) bool { return t.Canonical() == e.Taint() }) {
				kept = append(kept, arg)
			}
		}
		return edit(node, overwrite, kept...)
	},
	"K2_missing_is_removed": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		var kept []string
		for _, arg := range args {
			if e, err := taint.ParseEdit(arg); err != nil || !e.IsRemoval() || slices.ContainsFunc(node, func(t taint.Taint) bool { return touches(e, t) }) {
				kept = append(kept, arg)
			}
		}
		return edit(node, overwrite, kept...)
	},
	"K2_removals_at_once": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		var kept []string
		for _, arg := range args {
			e, err := taint.ParseEdit(arg)
			repeats := slices.ContainsFunc(kept, func(s string) bool {
				f, ferr := taint.ParseEdit(s)
				return err == nil && ferr == nil && e.IsRemoval() && f.IsRemoval() && e.Key() == f.Key() && (f.Effect() == 0 || f.Effect() == e.Effect())
			})
			if !repeats {
				kept = append(kept, arg)
			}
		}
		return edit(node, overwrite, kept...)
	},
	"K2_last_of_one_kind_counts": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		var kept []string
		for i, arg := range args {
			e, err := taint.ParseEdit(arg)
			again := slices.ContainsFunc(args[i+1:], func(s string) bool {
				f, ferr := taint.ParseEdit(s)
				return err == nil && ferr == nil && !e.IsRemoval() && !f.IsRemoval() && f.Taint().SameKeyEffect(e.Taint())
			})
			if !again {
				kept = append(kept, arg)
			}
		}
		return edit(node, overwrite, kept...)
	},
	"K2_removed_and_added": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		out := node
		for _, arg := range args {
			var err error
			if out, err = edit(out, overwrite, arg); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
	"K2_removal_by_value": func(node taint.List, overwrite bool, args ...string) (taint.List, error) {
		for _, arg := range args {
			if len(arg) > 0 && arg[len(arg)-1] == '-' {
				if t, err := taint.Parse(arg[:len(arg)-1]); err == nil && !slices.ContainsFunc(node, func(u taint.Taint) bool { return u.Canonical() == t }) {
					return nil, err
				}
			}
		}
		return edit(node, overwrite, args...)
	},
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

// The harness must detect every one of these mistakes, and none in the right functions.
func TestMutationEdit(t *testing.T) {
	t.Parallel()
	const cases = 50_000
	if err := differSeed(seedBase, -1, cases, edits(edit, nil)); err != nil {
		t.Fatalf("without a mistake: %v", err)
	}
	for name, wrong := range editMistakes {
		mustSee(t, name, cases, edits(wrong, nil))
	}
}
