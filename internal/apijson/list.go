package apijson

import (
	"encoding"
	"strings"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// A List reads the objects of a list in order, and collects their problems. Only when
// Next has returned false is it known whether the text is JSON. [NewList] makes one
// from JSON, [YAMLList] from YAML:
//
//	l := apijson.NewList(data, "spec.taints", strict)
//	for l.Next(names, fields) {
//		…
//		l.Report(problems)
//	}
//	return list, l.Warnings, l.Problems.Err()
type List struct {
	// Problems describe what is wrong, in the order of the list.
	Problems validate.Problems
	// Warnings describe unknown and repeated fields that are no Problems.
	Warnings validate.Problems

	scanner Scanner
	yaml    []yamlElement
	path    string
	strict  bool
	next    int // the index of the element after the present one
}

// NewList returns a List of the JSON list data; null is an empty list. Paths
// begin with path. If strict, unknown and repeated fields of elements are Problems.
func NewList(data []byte, path string, strict bool) List {
	l := List{path: path, strict: strict, scanner: Scanner{text: string(data)}}
	if !l.scanner.Enter('[') {
		scanner, err := OpenList(data, path)
		l.scanner, l.Problems = scanner, problem.Append(nil, "", err)
	}
	return l
}

// Next reads the next object into fields, as [Scanner.Object] does. It returns
// false at the end of the list. Elements that are not objects are Problems, and
// are skipped, as are all after [problem.Most] Problems.
func (l *List) Next(names []string, fields []Field) bool {
	for l.next < len(l.yaml) {
		e := &l.yaml[l.next]
		l.next++
		if l.Report(e.problems); e.problems == nil {
			fill(fields, names, e.fields)
			return true
		}
	}
	for l.scanner.More() {
		if len(l.Problems) >= problem.Most {
			l.scanner.skip()
			continue
		}
		l.next++
		isObject := l.scanner.peek() == '{'
		if found := l.scanner.Object(names, fields, true, nil); isObject && !l.strict {
			l.Warn(found)
		} else {
			l.Report(found)
		}
		if isObject {
			return !l.scanner.bad || l.end()
		}
	}
	return l.end()
}

// end ends the list and returns false. If the text is no JSON, that becomes its only
// problem.
func (l *List) end() bool {
	if l.scanner.text == "" { // there is no list, or Next has returned false before
		return false
	}
	l.scanner.closed(']')
	if l.scanner.end(); l.scanner.bad {
		l.Problems, l.Warnings = problem.Append(nil, l.path, l.scanner.notJSON()), nil
	}
	l.scanner = Scanner{}
	return false
}

// Report adds problems of the present element.
func (l *List) Report(ps validate.Problems) { l.Problems = l.add(l.Problems, ps) }

// Warn adds warnings about the present element.
func (l *List) Warn(ps validate.Problems) { l.Warnings = l.add(l.Warnings, ps) }

func (l *List) add(to, ps validate.Problems) validate.Problems {
	if len(ps) == 0 || len(to) >= problem.Most {
		return to
	}
	return problem.Append(to, problem.Index(l.path, l.next-1), ps)
}

// SetList sets *to to the list that was read by l, unless that has problems.
func SetList[T any](to *T, caller string, l *List, list T) error {
	if len(l.Problems) > 0 {
		return problem.In(caller, l.Problems)
	}
	*to = list
	return nil
}

// AppendList appends the list in JSON to b, null for a nil one.
func AppendList[L ~[]E, E interface{ AppendJSON([]byte) []byte }](b []byte, list L) []byte {
	if list == nil {
		return append(b, "null"...)
	}
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = e.AppendJSON(b)
	}
	return append(b, ']')
}

// AppendText appends the texts of the elements to b, separated by commas, and
// invalid for a zero one.
func AppendText[L ~[]E, E interface {
	IsZero() bool
	encoding.TextAppender
}](b []byte, list L, invalid string) ([]byte, error) {
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if e.IsZero() {
			b = append(b, invalid...)
			continue
		}
		var err error
		if b, err = e.AppendText(b); err != nil {
			return b, err
		}
	}
	return b, nil
}

// ParseText returns the elements of a comma-separated list, by parse. The
// error has the first [problem.Most] problems, and caller as the function; the list is
// then nil. The empty text is the empty list.
func ParseText[L ~[]E, E any](caller, s string, parse func(text string) (E, error)) (L, error) {
	if s == "" {
		return nil, nil
	}
	list := make(L, 0, strings.Count(s, ",")+1)
	var ps validate.Problems
	for text := range strings.SplitSeq(s, ",") {
		e, err := parse(text)
		ps = problem.Append(ps, problem.Index("", len(list)), err)
		if list = append(list, e); len(ps) >= problem.Most {
			break
		}
	}
	if len(ps) > 0 {
		return nil, problem.In(caller, ps)
	}
	return list, nil
}
