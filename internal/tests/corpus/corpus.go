// Package corpus reads files of cases that are plain text: an input, what it
// must give, and why.
//
//	# a field's name is misspelt
//	[{"key": "gpu", "operation": "Exists"}]
//	lenient ok gpu
//	strict bad spec.tolerations[0]: unknown field "operation"
//
//	# two values
//	[{"key": "a"}, {"key": "b"}]
//	ok a
//	ok b
//
// A case is a line with "#" and the reason, a line with the input, and the
// lines of the result: "ok" and a value's text, or "bad" and a problem's. A
// result line counts for both ways of reading unless it begins with "strict"
// or "lenient". An "ok" alone is the empty list. Cases are set apart by empty
// lines, and a block of "#" lines alone is a comment.
package corpus

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/validate"
)

// A Case is one input and what it must give.
type Case struct {
	File    string
	Line    int // of its reason
	Reason  string
	Input   string
	Strict  []string // the result's lines when read strictly
	Lenient []string
}

// Run reads every case of the file in both ways, as subtests of t, and compares
// what decode gives with what the file says. Decode returns the values' texts,
// or a validate.Problems and no values.
func Run(t *testing.T, path string, decode func(data []byte, strict bool) ([]string, error)) {
	for _, c := range Read(t, path) {
		t.Run(fmt.Sprintf("line=%d", c.Line), func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				want := c.Lenient
				if strict {
					want = c.Strict
				}
				texts, err := decode([]byte(c.Input), strict)
				if got := result(texts, err); !slices.Equal(got, want) {
					t.Errorf("%s:%d: %s\n%s\nread with strict %v:\n%s\nwant:\n%s",
						c.File, c.Line, c.Reason, c.Input, strict, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// result returns the result of decode in the form of the file.
func result(texts []string, err error) (lines []string) {
	for _, text := range texts {
		lines = append(lines, "ok "+text)
	}
	problems, _ := err.(validate.Problems)
	for _, p := range problems {
		lines = append(lines, "bad "+p.Error())
	}
	switch {
	case lines != nil:
		return lines
	case err != nil:
		return []string{fmt.Sprintf("an error that is not validate.Problems: %v", err)}
	}
	return []string{"ok"}
}

// Read returns the cases of the file, in its order. It fails the test if the file
// cannot be read, if a case is incomplete, or if there is no case.
func Read(tb testing.TB, path string) []Case {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	cases, err := parse(path, string(data))
	if err != nil {
		tb.Fatal(err)
	}
	return cases
}

var (
	comment = regexp.MustCompile(`\A(#.*\n*)*\z`)
	whole   = regexp.MustCompile(`\A#(.*)\n([^#\n].*)((?:\n(?:strict |lenient )?(?:ok|bad)(?: .*)?)+)\n*\z`)
)

func parse(path, text string) (cases []Case, err error) {
	line := 1
	for block := range strings.SplitSeq(text, "\n\n") {
		trimmed := strings.TrimLeft(block, "\n")
		c := Case{File: path, Line: line + len(block) - len(trimmed)}
		line += strings.Count(block, "\n") + 2
		if comment.MatchString(trimmed) {
			continue
		}
		if parts := whole.FindStringSubmatch(trimmed); parts != nil {
			c.Reason, c.Input = strings.TrimSpace(parts[1]), parts[2]
			for result := range strings.SplitSeq(parts[3][1:], "\n") {
				strict, isStrict := strings.CutPrefix(result, "strict ")
				lenient, isLenient := strings.CutPrefix(result, "lenient ")
				if !isLenient {
					c.Strict = append(c.Strict, strict)
				}
				if !isStrict {
					c.Lenient = append(c.Lenient, lenient)
				}
			}
		}
		if c.Strict == nil || c.Lenient == nil {
			return nil, fmt.Errorf("%s:%d: not a line with a reason, an input, and lines with ok or bad", path, c.Line)
		}
		cases = append(cases, c)
	}
	if cases == nil {
		return nil, fmt.Errorf("%s holds no case", path)
	}
	return cases, nil
}
