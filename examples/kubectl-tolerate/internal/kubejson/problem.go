package kubejson

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/validate"
)

// mostProblems is how many problems of an object are reported; the rest is counted.
const mostProblems = 20

// A Problem is something that is wrong with the input, and where. The text of
// Error is for people and may change.
type Problem struct {
	Source string // the file, as the caller named it
	Line   int    // from 1; 0 when it is of the whole file
	Place  string // in a list, such as "items[3]"
	Object string // such as "Pod shop/web-1", as far as it is known
	Path   string // of the field to change, such as "spec.taints[2].key"
	Err    error  // what is wrong; it has the path too
}

// Error describes the problem in one line.
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(Printable(p.Source))
	if p.Line > 0 {
		b.WriteString(":" + strconv.Itoa(p.Line))
	}
	b.WriteByte(':')
	for _, part := range []string{p.Place, Printable(p.Object)} {
		if part != "" {
			b.WriteString(" " + part)
		}
	}
	if p.Place != "" || p.Object != "" {
		b.WriteByte(':')
	}
	b.WriteString(" " + p.Err.Error())
	return b.String()
}

// Unwrap returns p.Err.
func (p *Problem) Unwrap() error { return p.Err }

// Problems returns err as problems of the object, each a *[Problem]: one for each that err
// holds, and beyond 20 one for the number of the others. There is none when err is nil.
func (o *Object) Problems(err error) (errs []error) {
	var found validate.Problems
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &found):
		return []error{o.problem(err)}
	}
	for i, f := range found {
		if i == mostProblems {
			return append(errs, o.problem(fmt.Errorf("and %d more", len(found)-i)))
		}
		p := o.problem(f)
		p.Path = f.Path
		errs = append(errs, p)
	}
	return errs
}

func (o *Object) problem(err error) *Problem {
	return &Problem{Source: o.Source, Line: o.Line, Place: o.Place, Object: o.String(), Err: err}
}

// Printable returns s as it may be shown on a terminal: as it is, or in quotes
// with everything else escaped. Names in real clusters are plain; those in a
// file that someone sent need not be.
func Printable(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strconv.Quote(s)
		}
	}
	return s
}
