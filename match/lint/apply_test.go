package lint_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestApply(t *testing.T) {
	l := list("a", "zero", "b", "a")
	a, b, c := l[0], l[2], toleration.MustParse("c")
	for _, tt := range []struct {
		name  string
		list  toleration.List
		fixes []lint.Fix
		want  toleration.List
	}{
		{"none", l, nil, l},
		{"nil_list", nil, []lint.Fix{{Before: a}}, nil},
		{"remove", l, []lint.Fix{{Index: 2, Before: b}}, list("a", "zero", "a")},
		{"replace", l, []lint.Fix{{Index: 3, Before: a, After: c}}, list("a", "zero", "b", "c")},
		{"unsorted", l, []lint.Fix{{Index: 3, Before: a}, {Index: 0, Before: a, After: c}}, list("c", "zero", "b")},
		{"all_removed", l[2:], []lint.Fix{{Index: 0, Before: b}, {Index: 1, Before: a}}, nil},
		{"the_first_of_one_index", l, []lint.Fix{{Index: 2, Before: b, After: c}, {Index: 2, Before: b}}, list("a", "zero", "c", "a")},
		{"the_first_that_fits", l, []lint.Fix{{Index: 2, Before: a, After: c}, {Index: 2, Before: b}}, list("a", "zero", "a")},
		{"another_toleration", l, []lint.Fix{{Index: 2, Before: a, After: c}, {Index: 0, Before: b}}, l},
		{"another_list", list("b"), []lint.Fix{{Index: 0, Before: a}, {Index: 1, Before: b}, {Index: -1, Before: b}}, list("b")},
		{"M8_zero_fix", l[1:], []lint.Fix{{}}, l[1:]},
		{"M8_zero_before", l[1:], []lint.Fix{{After: c, Equivalent: true}}, l[1:]},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given, fixes := slices.Clone(tt.list), slices.Clone(tt.fixes)
			got := lint.Apply(given, fixes...)
			if !slices.Equal(got, tt.want) || (got == nil) != (tt.want == nil) {
				t.Errorf("Apply(%v, %v) = %v, want %v", tt.list, tt.fixes, got, tt.want)
			}
			if !slices.Equal(given, tt.list) || !slices.Equal(fixes, tt.fixes) {
				t.Errorf("Apply changed its arguments to %v and %v", given, fixes)
			}
		})
	}
}
