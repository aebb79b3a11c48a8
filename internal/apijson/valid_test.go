package apijson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

// checkValid compares what a Scanner and a List accept with json.Valid.
func checkValid(t *testing.T, data []byte) {
	t.Helper()
	_, err := apijson.NewScanner(data)
	want := !json.Valid(data)
	if got := isNotJSON(err); got != want || err != nil && !want {
		t.Errorf("NewScanner(%q) = %v", data, err)
	}
	l := apijson.NewList(data, "x", false)
	for fields := make([]apijson.Field, 2); l.Next(names, fields); {
		l.Report(validate.Problems{{Rule: validate.ZeroValue}})
	}
	if got := isNotJSON(l.Problems.Err()); got != want || want && (len(l.Problems) != 1 || l.Warnings != nil) {
		t.Errorf("List of %q has the problems %v, warnings %v", data, l.Problems, l.Warnings)
	}
	if _, err := apijson.OpenList(data, "x"); want && fmt.Sprint(err) != l.Problems.Error() {
		t.Errorf("List of %q has the problem %v, want %v", data, l.Problems, err)
	}
	if l.Next(names, nil) {
		t.Errorf("List of %q has an element behind the last", data)
	}
}

func isNotJSON(err error) bool {
	ps, _ := err.(validate.Problems)
	return len(ps) > 0 && ps[0].Rule == validate.NotJSON && ps[0].Err != nil
}

// Every short text of tokens, and every short string and number.
func TestValid(t *testing.T) {
	tests := []struct {
		name          string
		parts         []string
		length        int
		before, after string
	}{
		{"tokens", []string{"[", "]", "{", "}", ",", ":", `"key"`, "1", " "}, 5, "", ""},
		{"list", []string{"[", "]", "{", "}", ",", ":", `"key"`, "null"}, 5, "[{", ""},
		{"member", []string{"[", "]", "{", "}", ",", ":", `"key"`, "null"}, 5, `[{"x":[{"key":`, "}]"},
		{"number", []string{"-", "+", "0", "1", ".", "e", "E"}, 5, "[", "]"},
		{"string", []string{`\`, `"`, "u", "0", "F", "g", "n", "/", "\x1f", "\x7f", "\xff"}, 4, `["`, `"]`},
		{"unicode", []string{"0", "9", ":", "a", "f", "G", "@"}, 5, `["\u`, `"]`},
		{"unicode_cut", []string{"0", "a"}, 5, `["\u`, ""},
		{"word", []string{"n", "nul", "null", "tru", "true", "fals", "false", "e", " "}, 4, "[", "]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var extend func(s string, n int)
			extend = func(s string, n int) {
				checkValid(t, []byte(tt.before+s+tt.after))
				for _, part := range tt.parts {
					if n > 0 && !t.Failed() {
						extend(s+part, n-1)
					}
				}
			}
			if testing.Short() {
				tt.length--
			}
			extend("", tt.length)
		})
	}
}

// Lists and objects in each other, and behind each other, up to encoding/json's limit and beyond.
func TestValid_depth(t *testing.T) {
	checkValid(t, []byte("["+strings.Repeat(`{"x":[]},`, 10_001)+"{}]"))
	for _, depth := range []int{63, 64, 65, 9_999, 10_000, 10_001} {
		for _, before := range []string{"", "[", `{"x":`, `[{"key":`, `[{"x":`} {
			after := strings.NewReplacer("[{", "}]", "[", "]", "{", "}", `"x":`, "", `"key":`, "").Replace(before)
			n := depth - len(after)
			checkValid(t, []byte(before+strings.Repeat("[", n)+strings.Repeat("]", n)+after))
			checkValid(t, []byte(before+strings.Repeat(`{"":`, n)+"1"+strings.Repeat("}", n)+after))
			checkValid(t, []byte(before+strings.Repeat("[", n)+strings.Repeat("]", n-1)+"}"+after))
		}
	}
}
