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
	"errors"
	"fmt"
	"os"
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
func result(texts []string, err error) []string {
	var lines []string
	for _, text := range texts {
		lines = append(lines, "ok "+text)
	}
	if err != nil {
		var problems validate.Problems
		if !errors.As(err, &problems) {
			lines = append(lines, fmt.Sprintf("an error that is not validate.Problems: %v", err))
		}
		for _, p := range problems {
			lines = append(lines, "bad "+p.Error())
		}
	}
	if lines == nil {
		return []string{"ok"}
	}
	return lines
}

// Read returns the cases of the file, in its order. It fails the test if the file
// cannot be read, if a case is incomplete, or if there is no case.
func Read(tb testing.TB, path string) []Case {
	tb.Helper()
	var cases []Case
	data, err := os.ReadFile(path)
	if err == nil {
		cases, err = parse(path, string(data))
	}
	if err != nil {
		tb.Fatal(err)
	}
	return cases
}

func parse(path, text string) (cases []Case, err error) {
	next := 1
	for block := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		c := Case{File: path, Line: next + len(block) - len(strings.TrimLeft(block, "\n"))}
		next += strings.Count(block, "\n") + 2
		reasons := 0
		for reasons < len(lines) && (strings.HasPrefix(lines[reasons], "#") || lines[reasons] == "") {
			reasons++
		}
		if reasons == len(lines) {
			continue // a comment
		}
		complete := reasons == 1
		for _, line := range lines[min(2, len(lines)):] {
			way, result, _ := strings.Cut(line, " ")
			if way != "strict" && way != "lenient" {
				way, result = "", line
			}
			word, _, _ := strings.Cut(result, " ")
			complete = complete && (word == "ok" || word == "bad")
			if way != "lenient" {
				c.Strict = append(c.Strict, result)
			}
			if way != "strict" {
				c.Lenient = append(c.Lenient, result)
			}
		}
		if !complete || len(c.Strict) == 0 || len(c.Lenient) == 0 {
			return nil, fmt.Errorf("%s:%d: not a line with a reason, an input, and lines with ok or bad", path, c.Line)
		}
		c.Reason, c.Input = strings.TrimSpace(lines[0][1:]), lines[1]
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s holds no case", path)
	}
	return cases, nil
}
