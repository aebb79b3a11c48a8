package validate_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

func TestProblemError(t *testing.T) {
	effects := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	fields := []string{"key", "operator", "value", "effect", "tolerationSeconds"}
	long := strings.Repeat("x", 121)
	tests := []struct {
		name    string
		problem validate.Problem
		want    string
	}{
		{"alone", validate.Problem{Func: "validate.Key", Input: "-a", Value: "-a", Rule: validate.NameEnds},
			`validate.Key("-a"): the name must begin and end with a letter or digit`},
		{"empty_input", validate.Problem{Func: "validate.Key", Rule: validate.KeyEmpty},
			`validate.Key(""): must not be empty`},
		{"part_of_input", validate.Problem{Func: "taint.Parse", Input: "-a:NoExecute", Path: "key", Value: "-a", Rule: validate.NameEnds},
			`taint.Parse("-a:NoExecute"): key "-a": the name must begin and end with a letter or digit`},
		{"field_of_a_call", validate.Problem{Func: "taint.New", Path: "value", Value: "a/b", Rule: validate.ValueBytes},
			`taint.New: value "a/b": may hold only letters, digits, '-', '_' and '.'`},
		{"V10_path", validate.Problem{Path: "spec.taints[2].key", Value: "-a", Rule: validate.NameEnds},
			`spec.taints[2].key "-a": the name must begin and end with a letter or digit`},
		{"V10_index", validate.Problem{Path: "spec.taints[2]", Value: "k:NoExecute", Rule: validate.Duplicate},
			`spec.taints[2] "k:NoExecute": repeats the key and effect of an earlier taint`},
		{"V10_absent", validate.Problem{Path: "spec.tolerations[0].key", Rule: validate.OperatorMissing},
			`spec.tolerations[0].key: must be set, or the operator must be Exists`},

		{"V10_unknown_effect", validate.Problem{Func: "taint.Parse", Input: "k=v:Nope", Path: "effect", Value: "Nope", Rule: validate.EffectUnknown, Allowed: effects},
			`taint.Parse("k=v:Nope"): unknown effect "Nope" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"V10_nearest_effect", validate.Problem{Path: "spec.taints[0].effect", Value: "noschedule", Rule: validate.EffectUnknown, Allowed: effects},
			`spec.taints[0].effect: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"V10_nearest_spelling", validate.Problem{Value: "PREFER_NO_SCHEDULE", Rule: validate.EffectUnknown, Allowed: effects},
			`unknown effect "PREFER_NO_SCHEDULE", did you mean PreferNoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"V10_nearest_typo", validate.Problem{Value: "NoExcute", Rule: validate.EffectUnknown, Allowed: effects},
			`unknown effect "NoExcute", did you mean NoExecute? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
		{"V10_nearest_field", validate.Problem{Path: "[0]", Value: "operation", Rule: validate.FieldUnknown, Allowed: fields},
			`[0]: unknown field "operation", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)`},
		{"V10_nothing_near", validate.Problem{Value: "Equals-or-so", Rule: validate.OperatorUnknown, Allowed: []string{"Equal", "Lt"}},
			`unknown operator "Equals-or-so" (allowed: Equal, Lt)`},
		{"V10_short_names_need_more_than_a_letter", validate.Problem{Value: "L", Rule: validate.OperatorUnknown, Allowed: []string{"Lt", "Gt"}},
			`unknown operator "L" (allowed: Lt, Gt)`},
		{"V10_wrong_type_of_a_name", validate.Problem{Path: "operator", Value: "true", Rule: validate.NotString, Allowed: []string{"Equal", "Exists"}},
			`operator true: must be a string (allowed: Equal, Exists)`},
		{"V10_quoted_once", validate.Problem{Func: "toleration.Parse", Input: "-a", Path: "key", Value: "-a", Rule: validate.NameEnds},
			`toleration.Parse("-a"): key: the name must begin and end with a letter or digit`},
		{"field_without_input", validate.Problem{Func: "taint.Taint.WithTimeAdded", Rule: validate.ZeroValue},
			`taint.Taint.WithTimeAdded: must not be the zero value`},
		{"unknown_rule", validate.Problem{Path: "key", Rule: 255}, `key: Rule(255)`},
		{"V10_short_names_need_more", validate.Problem{Value: "=", Rule: validate.OperatorUnknown, Allowed: []string{"Lt", "Gt"}},
			`unknown operator "=" (allowed: Lt, Gt)`},

		{"V10_unquoted_boolean", validate.Problem{Path: "value", Value: "true", Rule: validate.NotString},
			`value true: must be a string, so put it in quotes`},
		{"V10_object_for_a_string", validate.Problem{Path: "value", Value: `{"a":1}`, Rule: validate.NotString},
			`value {"a":1}: must be a string`},
		{"V10_quoted_number", validate.Problem{Path: "tolerationSeconds", Value: `"300"`, Rule: validate.NotWhole},
			`tolerationSeconds "300": must be a whole number within int64, so write it without quotes: 300`},
		{"V10_fraction", validate.Problem{Path: "tolerationSeconds", Value: "1.5", Rule: validate.NotWhole},
			`tolerationSeconds 1.5: must be a whole number within int64`},
		{"form", validate.Problem{Func: "taint.Parse", Input: "k", Value: "k", Rule: validate.Syntax, Allowed: []string{"key:Effect"}},
			`taint.Parse("k"): must have the form key:Effect`},
		{"cause", validate.Problem{Path: "spec.taints", Rule: validate.NotJSON, Err: io.ErrUnexpectedEOF},
			`spec.taints: must be JSON: unexpected EOF`},
		{"cause_alone", validate.Problem{Path: "spec", Err: io.EOF}, `spec: EOF`},

		{"cut", validate.Problem{Path: "key", Value: long, Rule: validate.NameTooLong},
			`key "` + long[:120] + `"... (121 bytes): the name must be at most 63 bytes long`},
		{"cut_between_runes", validate.Problem{Path: "key", Value: "x" + strings.Repeat("ü", 60), Rule: validate.NameTooLong},
			`key "x` + strings.Repeat("ü", 59) + `"... (121 bytes): the name must be at most 63 bytes long`},
		{"unprintable", validate.Problem{Path: "key", Value: "a\x00\x1b[31m\n", Rule: validate.NameBytes},
			`key "a\x00\x1b[31m\n": the name may hold only letters, digits, '-', '_' and '.'`},
		{"unprintable_JSON", validate.Problem{Path: "value", Value: "[\"\u202e\"]", Rule: validate.NotString},
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

// Each rule must say what it asks for, in words of its own.
func TestRuleString(t *testing.T) {
	rules := []validate.Rule{
		validate.KeyEmpty, validate.KeySlashes, validate.PrefixEmpty, validate.PrefixTooLong, validate.PrefixForm,
		validate.NameEmpty, validate.NameTooLong, validate.NameBytes, validate.NameEnds,
		validate.ValueTooLong, validate.ValueBytes, validate.ValueEnds, validate.IntegerForm, validate.IntegerRange,
		validate.EffectUnknown, validate.EffectMissing, validate.OperatorUnknown, validate.OperatorMissing,
		validate.ExistsValue, validate.NumericKey, validate.NumericOff, validate.SecondsEffect,
		validate.TimeRange, validate.ZeroValue, validate.Duplicate, validate.Removed,
		validate.Conflict, validate.Present, validate.Missing,
		validate.Syntax, validate.NotJSON, validate.NotList, validate.NotObject, validate.NotString,
		validate.NotWhole, validate.NotTime, validate.FieldUnknown, validate.FieldRepeated,
	}
	names := make(map[string]bool)
	for i, r := range rules {
		if s := r.String(); s == "" || strings.HasPrefix(s, "Rule(") || strings.Contains(s, "%") {
			t.Errorf("rule %d has the text %q", r, s)
		}
		if text, err := r.MarshalText(); err != nil || string(text) != r.Name() || names[r.Name()] || r.Name() == "" || strings.Contains(r.Name(), "(") {
			t.Errorf("rule %q has the name %q, %v", r, text, err)
		}
		names[r.Name()] = true
		if slices.Index(rules, r) != i {
			t.Errorf("rule %q has the number of another", r)
		}
	}
	if got := validate.Rule(0); got.String() != "" || got.Name() != "" {
		t.Errorf("no rule has the text %q and the name %q", got, got.Name())
	}
	if got := validate.NameEnds.Name(); got != "NameEnds" {
		t.Errorf("NameEnds.Name() = %q", got)
	}
	if got := validate.Rule(255).String(); got != "Rule(255)" {
		t.Errorf("Rule(255).String() = %q", got)
	}
}

func TestProblems(t *testing.T) {
	first := &validate.Problem{Path: "key", Rule: validate.KeyEmpty}
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
	if got := validate.Append(nil, "a", (*validate.Problem)(nil)); got != nil {
		t.Errorf("Append of a nil problem = %v", got)
	}
	if err := (validate.Problems{}).Err(); err != nil {
		t.Errorf("Err() of no problems = %v, want nil", err)
	}
}

func TestAppend(t *testing.T) {
	tests := []struct {
		name string
		path string
		err  error
		want []string
	}{
		{"nil", "spec", nil, nil},
		{"field", "spec.taints[2]", validate.Problems{{Func: "taint.New", Path: "key", Rule: validate.KeyEmpty}}, []string{"spec.taints[2].key: must not be empty"}},
		{"index", "spec.taints", validate.Problems{{Path: "[1]", Rule: validate.ZeroValue}}, []string{"spec.taints[1]: must not be the zero value"}},
		{"whole", "spec", validate.Problems{{Func: "f", Input: "x", Value: "x", Rule: validate.NotList}}, []string{`spec x: must be a list`}},
		{"no_path", "", validate.Problems{{Path: "key", Rule: validate.KeyEmpty}}, []string{"key: must not be empty"}},
		{"one", "a", &validate.Problem{Path: "b", Rule: validate.KeyEmpty}, []string{"a.b: must not be empty"}},
		{"all", "a", validate.Problems{{Path: "b", Err: io.EOF}, {Path: "c", Err: io.EOF}}, []string{"a.b: EOF", "a.c: EOF"}},
		{"foreign", "a", io.EOF, []string{"a: EOF"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var before string
			if tt.err != nil {
				before = tt.err.Error()
			}
			var got []string
			for _, p := range validate.Append(nil, tt.path, tt.err) {
				got = append(got, p.Error())
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Append = %q, want %q", got, tt.want)
			}
			if tt.err != nil && tt.err.Error() != before {
				t.Errorf("Append changed its argument to %q", tt.err)
			}
		})
	}
}
