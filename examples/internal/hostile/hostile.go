// Package hostile makes input that tries to steer the terminal, for the tests of the
// programs in examples.
package hostile

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Mark has escape sequences, control characters of both sets, marks that change the
// direction of text, and a line of its own.
const Mark = "\x1b[31m\x1b]0;x\x07\r\b\u009b31m\x7f\u202e\u2066\u200b\u2028\U000e0041\nFORGED line"

var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// Variants returns copies of a JSON text in which Mark is appended to one of the strings,
// names of members included, and one in which it is appended to all of them.
func Variants(tb testing.TB, text string) []string {
	tb.Helper()
	mark, err := json.Marshal(Mark)
	if err != nil {
		tb.Fatal(err)
	}
	marked := func(s string) string { return strings.TrimSuffix(s, `"`) + string(mark[1:]) }
	variants := []string{literal.ReplaceAllStringFunc(text, marked)}
	for _, at := range literal.FindAllStringIndex(text, -1) {
		variants = append(variants, text[:at[0]]+marked(text[at[0]:at[1]])+text[at[1]:])
	}
	return variants
}

// Check reports output that could steer a terminal: control characters, marks
// that are not printed, what is no UTF-8, and a line that the input made.
func Check(tb testing.TB, what, output string) {
	tb.Helper()
	bad := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	if i := strings.IndexFunc(output, bad); i >= 0 || !utf8.ValidString(output) {
		i = max(i, 0)
		tb.Errorf("%s writes %q", what, output[max(i-80, 0):min(i+20, len(output))])
	}
	if i := strings.Index("\n"+output, "\nFORGED"); i >= 0 {
		tb.Errorf("%s lets the input write a line: %q", what, output[max(i-80, 0):min(i+20, len(output))])
	}
}
