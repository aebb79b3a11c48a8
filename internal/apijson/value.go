package apijson

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// A Reader reads the forms of taints or of tolerations. On error the variable is
// unchanged.
type Reader[T any] struct {
	Type  string   // such as "taint.Taint"
	Names []string // of the fields, in the order of their problems; at most 5
	Parse func(caller, text string) (T, error)
	Make  func([]Field) (T, validate.Problems)
}

// Text sets *v to the value with that text, the zero value if it is empty.
func (r *Reader[T]) Text(v *T, method, text string) error {
	var read T
	if text != "" {
		var err error
		if read, err = r.Parse(r.Type+"."+method, text); err != nil {
			return err
		}
	}
	*v = read
	return nil
}

// JSON sets *v to the value of an object, of a text, or to the zero value for a null.
func (r *Reader[T]) JSON(v *T, method string, data []byte) error {
	s, err := NewScanner(data)
	if err != nil {
		return problem.In(r.Type+"."+method, err)
	}
	if c := s.peek(); c == '"' || c == 'n' {
		return r.Text(v, method, s.Value().Text)
	}
	var room [5]Field
	fields := room[:len(r.Names)]
	return r.set(v, method, fields, s.Object(r.Names, fields, false, nil))
}

// YAML is JSON for the method UnmarshalYAML: see [FromYAML].
func (r *Reader[T]) YAML(v *T, unmarshal func(any) error) error {
	var room [5]Field
	fields := room[:len(r.Names)]
	switch null, err := FromYAML(unmarshal, r.Names, fields); {
	case err != nil:
		return err
	case null:
		return r.Text(v, "UnmarshalYAML", "")
	}
	return r.set(v, "UnmarshalYAML", fields, nil)
}

// set sets *v to the value of the fields of an object, unless that has problems.
func (r *Reader[T]) set(v *T, method string, fields []Field, ps validate.Problems) error {
	var read T
	if len(ps) == 0 {
		read, ps = r.Make(fields)
	}
	if len(ps) > 0 {
		return problem.In(r.Type+"."+method, ps)
	}
	*v = read
	return nil
}

// Merge returns the problems of fields that have the wrong type, and those that were
// found in the others, in the order of the names.
func Merge(names []string, wrong, found validate.Problems) validate.Problems {
	ps := wrong
	for _, p := range found {
		if !slices.ContainsFunc(wrong, func(w *validate.Problem) bool { return w.Path == p.Path }) {
			ps = append(ps, p)
		}
	}
	field := func(p *validate.Problem) int { return slices.Index(names, p.Path) }
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int { return cmp.Compare(field(a), field(b)) })
	return ps
}
