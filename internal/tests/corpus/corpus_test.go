package corpus

import (
	"reflect"
	"strings"
	"testing"
)

const text = `# What this file is about.
# In two lines.

# a misspelt field
[1]
lenient ok gpu
strict bad [0]: unknown field "operation"

# two values


# the same both ways
[2, 3]
ok a
ok b
# the last line ends here
`

func TestParse(t *testing.T) {
	input := strings.Replace(text, "# two values\n\n\n", "", 1)
	input = strings.Replace(input, "# the last line ends here\n", "", 1)
	got, err := parse("f", input)
	if err != nil {
		t.Fatal(err)
	}
	want := []Case{
		{File: "f", Line: 4, Reason: "a misspelt field", Input: "[1]", Strict: []string{`bad [0]: unknown field "operation"`}, Lenient: []string{"ok gpu"}},
		{File: "f", Line: 9, Reason: "the same both ways", Input: "[2, 3]", Strict: []string{"ok a", "ok b"}, Lenient: []string{"ok a", "ok b"}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("parse = %+v\nwant %+v", got, want)
	}
}

func TestParse_refuses(t *testing.T) {
	const malformed = ": not a line with a reason, an input, and lines with ok or bad"
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "f holds no case"},
		{"comments alone", "# a\n\n# b\n# c\n", "f holds no case"},
		{"no reason", "\n[]\nok\n", "f:2" + malformed},
		{"two reasons", "# a\n# b\n[]\nok\n", "f:1" + malformed},
		{"no result", "# a\n[]\n", "f:1" + malformed},
		{"no result for one way", "# a\n[]\nstrict ok", "f:1" + malformed},
		{"another word", "# a\n[]\nfine\n", "f:1" + malformed},
		{"a comment inside a case", text, "f:12" + malformed},
	} {
		if _, err := parse("f", tt.text); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}
