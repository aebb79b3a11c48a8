package problem_test

import (
	"io"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

func TestAppend(t *testing.T) {
	tests := []struct {
		name string
		path string
		err  error
		want []string
	}{
		{"nil", "spec", nil, nil},
		{"nil_problem", "a", (*validate.Problem)(nil), nil},
		{"field", "spec.taints[2]", validate.Problems{{Func: "taint.New", Path: "key", Rule: validate.InvalidKey}}, []string{"spec.taints[2].key: must not be empty"}},
		{"index", "spec.taints", validate.Problems{{Path: "[1]", Rule: validate.ZeroValue}}, []string{"spec.taints[1]: must not be the zero value"}},
		{"whole", "spec", validate.Problems{{Func: "f", Input: "x", Value: "x", Rule: validate.WrongType, Want: "must be a list"}}, []string{`spec x: must be a list`}},
		{"no_path", "", validate.Problems{{Path: "key", Rule: validate.InvalidKey}}, []string{"key: must not be empty"}},
		{"one", "a", &validate.Problem{Path: "b", Rule: validate.InvalidKey}, []string{"a.b: must not be empty"}},
		{"all", "a", validate.Problems{{Path: "b", Err: io.EOF}, {Path: "c", Err: io.EOF}}, []string{"a.b: EOF", "a.c: EOF"}},
		{"foreign", "a", io.EOF, []string{"a: EOF"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, p := range problem.Append(nil, tt.path, tt.err) {
				got = append(got, p.Error())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Append = %q, want %q", got, tt.want)
			}
		})
	}
}
