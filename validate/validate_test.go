package validate_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// What a text that is no key, value or integer must be.
const (
	empty      = "must not be empty"
	slashes    = "must contain at most one '/'"
	noPrefix   = "the prefix before '/' must not be empty"
	longPrefix = "the prefix before '/' must be at most 253 bytes long"
	badPrefix  = "the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit"
	noName     = "the name after '/' must not be empty"
	longName   = "the name " + longValue
	nameBytes  = "the name " + valueBytes
	nameEnds   = "the name " + valueEnds
	longValue  = "must be at most 63 bytes long"
	valueBytes = "must contain only letters, digits, '-', '_' and '.'"
	valueEnds  = "must begin and end with a letter or digit"
	noInteger  = "must be a decimal integer such as 0, 42 or -7"
	noInt64    = "must be within int64"
)

func TestKey(t *testing.T) {
	label := strings.Repeat("x", 100) // labels have no limit of their own
	tests := []struct {
		name string
		key  string
		want string
	}{
		{"V1_name", "a_b.c-D", ""},
		{"V1_prefixed", "example.com/Key", ""},
		{"V1_short", "a/b", ""},
		{"V1_digit", "0", ""},
		{"V1_digits", "0/9", ""},
		{"V1_well_known", "node.kubernetes.io/not-ready", ""},
		{"V1_longest_name", strings.Repeat("n", 63), ""},
		{"V1_longest_prefix", label + "." + label + "." + strings.Repeat("y", 51) + "/k", ""},
		{"V1_label_of_253", strings.Repeat("p", 253) + "/k", ""},
		{"V1_dashes_in_label", "a--b.c/k", ""},

		{"V1_empty", "", empty},
		{"V1_no_prefix", "/x", noPrefix},
		{"V1_no_name", "x/", noName},
		{"V1_slash_alone", "/", noPrefix + "; " + noName},
		{"V1_prefix_and_name", "-bad/key!", badPrefix + "; " + nameBytes},
		{"V1_all_of_a_name", "a/-" + strings.Repeat("n", 63) + "!", longName + "; " + nameBytes + "; " + nameEnds},
		{"V1_long_prefix_of_another_form", strings.Repeat("P", 254) + "/", longPrefix + "; " + badPrefix + "; " + noName},
		{"V1_slashes_alone", "//", slashes},
		{"V1_two_slashes", "a/b/c", slashes},
		{"V1_two_slashes_at_end", "a/b/", slashes},
		{"V1_upper_case_prefix", "Example.com/Key", badPrefix},
		{"V1_upper_case_inside", "exaMple.com/Key", badPrefix},
		{"V1_underscore_in_prefix", "a_b/c", badPrefix},
		{"V1_dash_before_dot", "a-.b/c", badPrefix},
		{"V1_dash_after_dot", "a.-b/c", badPrefix},
		{"V1_two_dots", "a..b/c", badPrefix},
		{"V1_prefix_begins_with_dot", ".a/c", badPrefix},
		{"V1_prefix_ends_with_dot", "a./c", badPrefix},
		{"V1_prefix_ends_with_dash", "a-/c", badPrefix},
		{"V1_prefix_of_254", strings.Repeat("p", 254) + "/k", longPrefix},
		{"V1_begins_with_dash", "-a", nameEnds},
		{"V1_ends_with_dash", "a-", nameEnds},
		{"V1_ends_with_dot", "x/a.", nameEnds},
		{"V1_underscore_alone", "_", nameEnds},
		{"V1_name_of_64", strings.Repeat("n", 64), longName},
		{"V1_prefixed_name_of_64", "x/" + strings.Repeat("n", 64), longName},
		{"V1_wildcard", "readiness.k8s.io/*", nameBytes},
		{"V1_not_ASCII", "schlüssel", nameBytes},
		{"V1_not_ASCII_prefix", "ü/k", badPrefix},
		{"V1_not_UTF8", "a\xffb", nameBytes},
		{"V1_NUL", "a\x00b", nameBytes},
		{"V1_space", "a b", nameBytes},
		{"V1_leading_space", " a", nameBytes},
		{"V1_trailing_newline", "a\n", nameBytes},
		{"V1_trailing_newline_in_prefix", "a\n/b", badPrefix},
		{"V1_equals", "a=b", nameBytes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "Key", tt.key, validate.Key(tt.key), validate.InvalidKey, tt.want)
		})
	}
}

func TestValue(t *testing.T) {
	tests := []struct {
		name  string
		value string
		want  string
	}{
		{"V2_empty", "", ""},
		{"V2_one", "1", ""},
		{"V2_all_kinds", "A_b-c.9", ""},
		{"V2_longest", strings.Repeat("v", 63), ""},

		{"V2_begins_with_dash", "-a", valueEnds},
		{"V2_ends_with_underscore", "a_", valueEnds},
		{"V2_slash", "a/b", valueBytes},
		{"V2_space", "a b", valueBytes},
		{"V2_newline", "a\n", valueBytes},
		{"V2_not_ASCII", "é", valueBytes},
		{"V2_all", "-" + strings.Repeat("v", 63) + "/", longValue + "; " + valueBytes + "; " + valueEnds},
		{"V2_of_64", strings.Repeat("v", 64), longValue},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, "Value", tt.value, validate.Value(tt.value), validate.InvalidValue, tt.want)
		})
	}
}

func TestInteger(t *testing.T) {
	tests := []struct {
		name string
		text string
		n    int64
		want string
	}{
		{"V3_zero", "0", 0, ""},
		{"V3_positive", "42", 42, ""},
		{"V3_negative", "-7", -7, ""},
		{"V3_18_digits", "999999999999999999", 999999999999999999, ""},
		{"V3_19_digits", "1000000000000000000", 1000000000000000000, ""},
		{"V3_max", "9223372036854775807", 9223372036854775807, ""},
		{"V3_min", "-9223372036854775808", -9223372036854775808, ""},

		{"V3_empty", "", 0, noInteger},
		{"V3_minus_alone", "-", 0, noInteger},
		{"V3_two_minuses", "--1", 0, noInteger},
		{"V3_zeros", "00", 0, noInteger},
		{"V3_leading_zero", "01", 0, noInteger},
		{"V3_negative_zero", "-0", 0, noInteger},
		{"V3_negative_leading_zero", "-01", 0, noInteger},
		{"V3_plus", "+1", 0, noInteger},
		{"V3_fraction", "1.5", 0, noInteger},
		{"V3_exponent", "1e3", 0, noInteger},
		{"V3_leading_space", " 1", 0, noInteger},
		{"V3_trailing_space", "1 ", 0, noInteger},
		{"V3_hexadecimal", "0x1", 0, noInteger},
		{"V3_underscore", "1_000", 0, noInteger},
		{"V3_other_digits", "٣", 0, noInteger},
		{"V3_above_max", "9223372036854775808", 0, noInt64},
		{"V3_below_min", "-9223372036854775809", 0, noInt64},
		{"V3_20_digits", "10000000000000000000", 0, noInt64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := validate.Integer(tt.text)
			if n != tt.n {
				t.Errorf("Integer(%q) = %d, want %d", tt.text, n, tt.n)
			}
			check(t, "Integer", tt.text, err, validate.InvalidInteger, tt.want)
		})
	}
}

// check requires one problem that says what the text must be, or none.
func check(t *testing.T, function, text string, err error, rule validate.Rule, want string) {
	t.Helper()
	if got := wrong(err); got != want {
		t.Errorf("%s(%q) = %v, want that it %s", function, text, err, want)
	}
	ps, _ := err.(validate.Problems)
	if len(ps) != min(len(want), 1) {
		t.Errorf("%s(%q) has %d problems", function, text, len(ps))
	}
	for _, p := range ps {
		if p.Rule != rule || p.Value != text || p.Input != text || p.Func != "validate."+function {
			t.Errorf("%s(%q) fails with %#v", function, text, p)
		}
	}
}

// wrong returns what the text of an error says of its value.
func wrong(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.TrimSuffix(text[strings.LastIndex(text, "): ")+len("): "):], "; remove the white space")
}
