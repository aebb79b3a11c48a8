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
	"bufio"
	"bytes"
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
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	cases, err := parse(path, data)
	if err != nil {
		tb.Fatal(err)
	}
	return cases
}

func parse(path string, data []byte) ([]Case, error) {
	var cases []Case
	var block []string
	number := 0
	end := func() error {
		first := number - len(block)
		defer func() { block = nil }()
		c, ok, err := parseBlock(block)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, first, err)
		}
		if ok {
			c.File, c.Line = path, first
			cases = append(cases, c)
		}
		return nil
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		number++
		if lines.Text() != "" {
			block = append(block, lines.Text())
		} else if err := end(); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	number++
	if err := end(); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s holds no case", path)
	}
	return cases, nil
}

// parseBlock returns the case that the lines are; ok is false for a comment.
func parseBlock(block []string) (c Case, ok bool, err error) {
	comments := 0
	for comments < len(block) && strings.HasPrefix(block[comments], "#") {
		comments++
	}
	switch {
	case comments == len(block):
		return Case{}, false, nil
	case comments != 1:
		return Case{}, false, fmt.Errorf("a case needs one line with its reason, not %d", comments)
	}
	c.Reason, c.Input = strings.TrimSpace(block[0][1:]), block[1]
	for _, line := range block[2:] {
		way, result := "", line
		if word, rest, _ := strings.Cut(line, " "); word == "strict" || word == "lenient" {
			way, result = word, rest
		}
		if word, _, _ := strings.Cut(result, " "); word != "ok" && word != "bad" {
			return Case{}, false, fmt.Errorf("neither ok nor bad: %q", line)
		}
		if way != "lenient" {
			c.Strict = append(c.Strict, result)
		}
		if way != "strict" {
			c.Lenient = append(c.Lenient, result)
		}
	}
	if len(c.Strict) == 0 || len(c.Lenient) == 0 {
		return Case{}, false, fmt.Errorf("no result for %s", c.Input)
	}
	return c, true, nil
}
