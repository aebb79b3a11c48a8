package validate_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

func TestProblem_Error(t *testing.T) {
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	fields := []string{"key", "operator", "value", "effect", "tolerationSeconds"}
	long := strings.Repeat("x", 121)
	tests := []struct {
		name    string
		problem validate.Problem
		want    string
	}{
		{"value_alone", validate.Problem{Value: "-a", Rule: validate.InvalidKey}, `"-a": the name must begin and end with a letter or digit`},
		{"empty_input", validate.Problem{Func: "validate.Key", Rule: validate.InvalidKey},
			`validate.Key(""): must not be empty`},
		{"part_of_input", validate.Problem{Func: "taint.Parse", Input: "-a:NoExecute", Path: "key", Value: "-a", Rule: validate.InvalidKey},
			`taint.Parse("-a:NoExecute"): key "-a": the name must begin and end with a letter or digit`},
		{"V10_all_of_a_key", validate.Problem{Path: "key", Value: "/-a", Rule: validate.InvalidKey},
			`key "/-a": the prefix before '/' must not be empty; the name must begin and end with a letter or digit`},
		{"V10_absent", validate.Problem{Path: "spec.tolerations[0].key", Rule: validate.KeyMissing},
			`spec.tolerations[0].key: must be set, unless the operator is Exists`},

		{"V10_nearest_spelling", validate.Problem{Path: "effect", Value: "PREFER_NO_SCHEDULE", Rule: validate.NameUnknown, Allowed: effects},
			`effect: unknown effect "PREFER_NO_SCHEDULE", did you mean PreferNoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"V10_nearest_name", validate.Problem{Func: "f", Input: "value changd", Value: "value changd", Rule: validate.NameUnknown, Allowed: []string{"added", "value changed"}},
			`f("value changd"): unknown name "value changd", did you mean value changed? (allowed: added, value changed)`},
		{"V10_nearest_name_with_dashes", validate.Problem{Func: "f", Input: "openToEveryNode", Value: "openToEveryNode", Rule: validate.NameUnknown, Allowed: []string{"open-to-every-node"}},
			`f("openToEveryNode"): unknown name "openToEveryNode", did you mean open-to-every-node? (allowed: open-to-every-node)`},
		{"V10_no_name", validate.Problem{Func: "f", Rule: validate.NameUnknown, Allowed: []string{"added"}}, `f(""): unknown name "" (allowed: added)`},
		{"V10_nearest_field", validate.Problem{Path: "[0]", Value: "operation", Rule: validate.FieldUnknown, Allowed: fields},
			`[0]: unknown field "operation", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)`},
		{"V10_nothing_near", validate.Problem{Func: "toleration.New", Path: "operator", Value: "Equals-or-so", Rule: validate.NameUnknown, Allowed: []string{"Equal", "Lt"}},
			`toleration.New: unknown operator "Equals-or-so" (allowed: Equal, Lt)`},
		{"V10_short_names_need_more_than_a_letter", validate.Problem{Value: "L", Rule: validate.NameUnknown, Allowed: []string{"Lt", "Gt"}},
			`unknown name "L" (allowed: Lt, Gt)`},
		{"V10_wrong_type_of_a_name", validate.Problem{Path: "operator", Value: "true", Rule: validate.WrongType, Want: "must be a string", Allowed: []string{"Equal", "Exists"}},
			`operator true: must be a string (allowed: Equal, Exists)`},
		{"V10_quoted_once", validate.Problem{Func: "toleration.Parse", Input: "-a", Path: "key", Value: "-a", Rule: validate.InvalidKey},
			`toleration.Parse("-a"): key: the name must begin and end with a letter or digit`},
		{"field_without_input", validate.Problem{Func: "taint.Taint.WithTimeAdded", Rule: validate.ZeroValue},
			`taint.Taint.WithTimeAdded: must not be the zero value`},
		{"no_mistake", validate.Problem{Path: "key", Value: "a", Rule: validate.InvalidKey}, `key "a": must be a key`},
		{"value_of_input", validate.Problem{Input: "a/b", Value: "a/b", Rule: validate.InvalidValue},
			`must contain only letters, digits, '-', '_' and '.'`},
		{"unknown_rule", validate.Problem{Path: "key", Rule: 255}, `key: Rule(255)`},

		{"form", validate.Problem{Func: "taint.Parse", Input: "k", Value: "k", Rule: validate.Syntax, Allowed: []string{"key:Effect"}},
			`taint.Parse("k"): must have the form key:Effect`},
		{"cause", validate.Problem{Path: "spec.taints", Rule: validate.NotJSON, Err: io.ErrUnexpectedEOF},
			`spec.taints: must be JSON: unexpected EOF`},
		{"cause_alone", validate.Problem{Path: "spec", Err: io.EOF}, `spec: EOF`},

		{"cut", validate.Problem{Path: "key", Value: long, Rule: validate.InvalidKey},
			`key "` + long[:120] + `"... (121 bytes): the name must be at most 63 bytes long`},
		{"cut_between_runes", validate.Problem{Path: "key", Value: "x" + strings.Repeat("ü", 60), Rule: validate.InvalidKey},
			`key "x` + strings.Repeat("ü", 59) + `"... (121 bytes): the name must be at most 63 bytes long; the name must contain only letters, digits, '-', '_' and '.'`},
		{"unprintable", validate.Problem{Path: "key", Value: "a\x00\x1b[31m\n", Rule: validate.InvalidKey},
			`key "a\x00\x1b[31m\n": the name must contain only letters, digits, '-', '_' and '.'; remove the white space`},
		{"null", validate.Problem{Path: "spec.taints[1]", Value: "null", Rule: validate.WrongType}, "spec.taints[1]: must not be null"},
		{"text_null", validate.Problem{Path: "key", Value: "null", Rule: validate.InvalidInteger}, `key "null": must be a decimal integer such as 0, 42 or -7`},
		{"unprintable_JSON", validate.Problem{Path: "value", Value: "[\"\u202e\"]", Rule: validate.WrongType, Want: "must be a string"},
			`value "[\"\u202e\"]": must be a string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.problem.Error(); got != tt.want {
				t.Errorf("Error() =\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

func TestProblems(t *testing.T) {
	first := &validate.Problem{Path: "key", Rule: validate.InvalidKey}
	second := &validate.Problem{Path: "effect", Err: io.EOF}
	err := fmt.Errorf("reading: %w", validate.Problems{first, second}.Err())

	var ps validate.Problems
	if !errors.As(err, &ps) || len(ps) != 2 {
		t.Fatalf("errors.As(_, *Problems) = %v", ps)
	}
	var p *validate.Problem
	if !errors.As(err, &p) || p != first {
		t.Errorf("errors.As(_, **Problem) = %v, want the first", p)
	}
	if !errors.Is(err, io.EOF) || !errors.Is(err, second) {
		t.Error("errors.Is does not look through")
	}
	if got, want := ps.Error(), "key: must not be empty\neffect: EOF"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if errors.Is(ps, ps) {
		t.Error("errors.Is finds a slice: the documentation says that it does not")
	}
	if err := (validate.Problems{}).Err(); err != nil {
		t.Errorf("Err() of no problems = %v, want nil", err)
	}
}

// The text has 100 problems; the list has all.
func TestProblems_Error(t *testing.T) {
	for _, tt := range []struct {
		name string
		n    int
		more string
	}{
		{"V10_all", 100, ""},
		{"V10_one_more", 101, "\nand 1 more"},
		{"V10_many_more", 39_000, "\nand 38900 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ps validate.Problems
			want := make([]string, 0, 100)
			for i := range tt.n {
				p := &validate.Problem{Path: fmt.Sprintf("[%d]", i), Value: strings.Repeat("v", i%200), Rule: validate.InvalidValue}
				if ps = append(ps, p); i < 100 {
					want = append(want, p.Error())
				}
			}
			var all validate.Problems
			err := ps.Err()
			if got, want := err.Error(), strings.Join(want, "\n")+tt.more; got != want {
				t.Errorf("Error() = %q, want %q", got, want)
			}
			if !errors.As(err, &all) || len(all) != tt.n || !errors.Is(err, ps[tt.n-1]) {
				t.Errorf("the error has %d problems, want %d", len(all), tt.n)
			}
		})
	}
}
