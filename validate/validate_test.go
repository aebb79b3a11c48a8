package validate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

func TestKey(t *testing.T) {
	label := strings.Repeat("x", 100) // labels have no limit of their own
	tests := []struct {
		name string
		key  string
		want []validate.Rule
	}{
		{"V1_name", "a_b.c-D", nil},
		{"V1_prefixed", "example.com/Key", nil},
		{"V1_short", "a/b", nil},
		{"V1_digit", "0", nil},
		{"V1_digits", "0/9", nil},
		{"V1_well_known", "node.kubernetes.io/not-ready", nil},
		{"V1_longest_name", strings.Repeat("n", 63), nil},
		{"V1_longest_prefix", label + "." + label + "." + strings.Repeat("y", 51) + "/k", nil},
		{"V1_label_of_253", strings.Repeat("p", 253) + "/k", nil},
		{"V1_dashes_in_label", "a--b.c/k", nil},

		{"V1_empty", "", []validate.Rule{validate.KeyEmpty}},
		{"V1_no_prefix", "/x", []validate.Rule{validate.PrefixEmpty}},
		{"V1_no_name", "x/", []validate.Rule{validate.NameEmpty}},
		{"V1_slash_alone", "/", []validate.Rule{validate.PrefixEmpty, validate.NameEmpty}},
		{"V1_prefix_and_name", "-bad/key!", []validate.Rule{validate.PrefixForm, validate.NameBytes}},
		{"V1_all_of_a_name", "a/-" + strings.Repeat("n", 63) + "!", []validate.Rule{validate.NameTooLong, validate.NameBytes, validate.NameEnds}},
		{"V1_long_prefix_of_another_form", strings.Repeat("P", 254) + "/", []validate.Rule{validate.PrefixTooLong, validate.PrefixForm, validate.NameEmpty}},
		{"V1_slashes_alone", "//", []validate.Rule{validate.KeySlashes}},
		{"V1_two_slashes", "a/b/c", []validate.Rule{validate.KeySlashes}},
		{"V1_two_slashes_at_end", "a/b/", []validate.Rule{validate.KeySlashes}},
		{"V1_upper_case_prefix", "Example.com/Key", []validate.Rule{validate.PrefixForm}},
		{"V1_upper_case_inside", "exaMple.com/Key", []validate.Rule{validate.PrefixForm}},
		{"V1_underscore_in_prefix", "a_b/c", []validate.Rule{validate.PrefixForm}},
		{"V1_dash_before_dot", "a-.b/c", []validate.Rule{validate.PrefixForm}},
		{"V1_dash_after_dot", "a.-b/c", []validate.Rule{validate.PrefixForm}},
		{"V1_two_dots", "a..b/c", []validate.Rule{validate.PrefixForm}},
		{"V1_prefix_begins_with_dot", ".a/c", []validate.Rule{validate.PrefixForm}},
		{"V1_prefix_ends_with_dot", "a./c", []validate.Rule{validate.PrefixForm}},
		{"V1_prefix_ends_with_dash", "a-/c", []validate.Rule{validate.PrefixForm}},
		{"V1_prefix_of_254", strings.Repeat("p", 254) + "/k", []validate.Rule{validate.PrefixTooLong}},
		{"V1_begins_with_dash", "-a", []validate.Rule{validate.NameEnds}},
		{"V1_ends_with_dash", "a-", []validate.Rule{validate.NameEnds}},
		{"V1_ends_with_dot", "x/a.", []validate.Rule{validate.NameEnds}},
		{"V1_underscore_alone", "_", []validate.Rule{validate.NameEnds}},
		{"V1_name_of_64", strings.Repeat("n", 64), []validate.Rule{validate.NameTooLong}},
		{"V1_prefixed_name_of_64", "x/" + strings.Repeat("n", 64), []validate.Rule{validate.NameTooLong}},
		{"V1_wildcard", "readiness.k8s.io/*", []validate.Rule{validate.NameBytes}},
		{"V1_not_ASCII", "schlüssel", []validate.Rule{validate.NameBytes}},
		{"V1_not_ASCII_prefix", "ü/k", []validate.Rule{validate.PrefixForm}},
		{"V1_not_UTF8", "a\xffb", []validate.Rule{validate.NameBytes}},
		{"V1_NUL", "a\x00b", []validate.Rule{validate.NameBytes}},
		{"V1_space", "a b", []validate.Rule{validate.NameBytes}},
		{"V1_leading_space", " a", []validate.Rule{validate.NameBytes}},
		{"V1_trailing_newline", "a\n", []validate.Rule{validate.NameBytes}},
		{"V1_trailing_newline_in_prefix", "a\n/b", []validate.Rule{validate.PrefixForm}},
		{"V1_equals", "a=b", []validate.Rule{validate.NameBytes}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "Key", tt.key, validate.Key(tt.key), tt.want)
		})
	}
}

func TestValue(t *testing.T) {
	tests := []struct {
		name  string
		value string
		want  []validate.Rule
	}{
		{"V2_empty", "", nil},
		{"V2_one", "1", nil},
		{"V2_all_kinds", "A_b-c.9", nil},
		{"V2_longest", strings.Repeat("v", 63), nil},

		{"V2_begins_with_dash", "-a", []validate.Rule{validate.ValueEnds}},
		{"V2_ends_with_underscore", "a_", []validate.Rule{validate.ValueEnds}},
		{"V2_slash", "a/b", []validate.Rule{validate.ValueBytes}},
		{"V2_space", "a b", []validate.Rule{validate.ValueBytes}},
		{"V2_newline", "a\n", []validate.Rule{validate.ValueBytes}},
		{"V2_not_ASCII", "é", []validate.Rule{validate.ValueBytes}},
		{"V2_all", "-" + strings.Repeat("v", 63) + "/", []validate.Rule{validate.ValueTooLong, validate.ValueBytes, validate.ValueEnds}},
		{"V2_of_64", strings.Repeat("v", 64), []validate.Rule{validate.ValueTooLong}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "Value", tt.value, validate.Value(tt.value), tt.want)
		})
	}
}

func TestInteger(t *testing.T) {
	tests := []struct {
		name string
		text string
		n    int64
		want []validate.Rule
	}{
		{"V3_zero", "0", 0, nil},
		{"V3_positive", "42", 42, nil},
		{"V3_negative", "-7", -7, nil},
		{"V3_18_digits", "999999999999999999", 999999999999999999, nil},
		{"V3_19_digits", "1000000000000000000", 1000000000000000000, nil},
		{"V3_max", "9223372036854775807", 9223372036854775807, nil},
		{"V3_min", "-9223372036854775808", -9223372036854775808, nil},

		{"V3_empty", "", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_minus_alone", "-", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_two_minuses", "--1", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_zeros", "00", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_leading_zero", "01", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_negative_zero", "-0", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_negative_leading_zero", "-01", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_plus", "+1", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_fraction", "1.5", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_exponent", "1e3", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_leading_space", " 1", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_trailing_space", "1 ", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_hexadecimal", "0x1", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_underscore", "1_000", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_other_digits", "٣", 0, []validate.Rule{validate.IntegerForm}},
		{"V3_above_max", "9223372036854775808", 0, []validate.Rule{validate.IntegerRange}},
		{"V3_below_min", "-9223372036854775809", 0, []validate.Rule{validate.IntegerRange}},
		{"V3_20_digits", "10000000000000000000", 0, []validate.Rule{validate.IntegerRange}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := validate.Integer(tt.text)
			if n != tt.n {
				t.Errorf("Integer(%q) = %d, want %d", tt.text, n, tt.n)
			}
			check(t, "Integer", tt.text, err, tt.want)
		})
	}
}

// check requires exactly the problems of the text with those rules.
func check(t *testing.T, function, text string, err error, want []validate.Rule) {
	t.Helper()
	ps, ok := err.(validate.Problems)
	if (err != nil) != (len(want) > 0) || err != nil && !ok {
		t.Errorf("%s(%q) = %v, want the rules %v", function, text, err, want)
	}
	var got []validate.Rule
	for _, p := range ps {
		got = append(got, p.Rule)
		if p.Value != text || p.Input != text || p.Func != "validate."+function {
			t.Errorf("%s(%q) fails with %#v", function, text, p)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s(%q) breaks the rules %v, want %v", function, text, got, want)
	}
}
