// Package apijson reads the fields of small objects, such as taints and
// tolerations, out of Kubernetes' API JSON: every field with its type, so that
// a wrong one can be reported with its path, and without building a tree.
//
// Every package of this module that decodes JSON or YAML uses it.
//
// A [Scanner] checks what it steps over. [NewScanner] steps over the whole text
// before any of it is used, so nothing can fail halfway. A [List] reads its text
// once: if it is no JSON, that is its only problem.
package apijson

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// Kind is the JSON type of a field.
type Kind uint8

// The kinds. A field that is null counts as absent, as it does in Kubernetes.
const (
	Absent Kind = iota
	String
	Number
	Other // true, false, a list, an object
)

// A Field is what an object holds under one name. The zero Field is absent.
//
// Where a name is repeated and null comes last, the Field is absent too, which
// is what Kubernetes makes of a field that may be unset, such as a number of
// seconds, a time or a list. A field that is a string keeps its earlier value
// there: see [Field.Kept].
type Field struct {
	Kind Kind
	kept Kind   // of an absent Field, the Kind that it had before a null
	Text string // a String's content; anything else as it was written
}

// Kept returns the field as it was before a null that followed it under the
// same name. Kubernetes reads null into a string as no change.
func (f Field) Kept() Field {
	if f.kept != Absent {
		f.Kind, f.kept = f.kept, Absent
	}
	return f
}

// set makes f the value that follows it under the same name.
func (f *Field) set(value Field) {
	if value.Kind == Absent && f.Kind != Absent {
		f.Kind, f.kept = Absent, f.Kind
	} else if value.Kind != Absent {
		*f = value
	}
}

// AsString returns the content of a field that must be a string, "" when it is
// absent; any other kind is a problem, added to ps, with the names that are
// allowed where only some are. A null leaves a value that precedes it under the
// same name: see [Field.Kept].
func (f Field) AsString(path string, ps validate.Problems, allowed ...string) (string, validate.Problems) {
	if f = f.Kept(); f.Kind > String {
		p := f.WrongType(path, "must be a string")
		if p.Allowed = allowed; allowed == nil && f.Text[0] != '{' && f.Text[0] != '[' {
			p.Want += ", so put it in quotes"
		}
		return "", append(ps, p)
	}
	return f.Text, ps
}

// AsTime returns the time of a field, the zero time when it is absent. What is no
// RFC 3339 time is a problem, added to ps.
func (f Field) AsTime(path string, ps validate.Problems) (time.Time, validate.Problems) {
	switch f.Kind {
	case Absent:
		return time.Time{}, ps
	case String:
		if at, err := time.Parse(time.RFC3339, f.Text); err == nil {
			return at, ps
		}
	}
	return time.Time{}, append(ps, f.WrongType(path, "must be an RFC 3339 time, such as 2026-01-02T15:04:05Z"))
}

// AsInteger returns the number of a field, and false when it is absent. What is no
// whole number within int64 is a problem, added to ps.
func (f Field) AsInteger(path string, ps validate.Problems) (n int64, ok bool, _ validate.Problems) {
	if f.Kind == Absent {
		return 0, false, ps
	}
	if f.Kind == Number {
		if n, err := strconv.ParseInt(f.Text, 10, 64); err == nil {
			return n, true, ps
		}
	}
	p := f.WrongType(path, "must be a whole number within int64")
	if _, err := validate.Integer(f.Text); f.Kind == String && err == nil {
		p.Want += ", so write it without quotes: " + f.Text
	}
	return 0, false, append(ps, p)
}

// WrongType returns the problem of a field of another type than want, such as "must
// be a list".
func (f Field) WrongType(path, want string) *validate.Problem {
	return &validate.Problem{Path: path, Value: f.Raw(), Rule: validate.WrongType, Want: want}
}

// Raw returns the field's value as it may be written in a document, a String as
// JSON.
func (f Field) Raw() string {
	switch f.Kind {
	case Absent:
		return "null"
	case String:
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(f.Text) // a string can always be written
		return strings.TrimSuffix(b.String(), "\n")
	}
	return f.Text
}

// Object reads the next value, an object, into fields: fields[i] becomes the
// member named names[i], and absent when there is none. Names are
// case-sensitive; of a repeated name the last value counts, as [Field] says for
// null. There may be at most 64 names.
//
// A null or anything else than an object is a problem, added to ps; when
// strict, so is a name that is not in names, and a name that is repeated.
func (s *Scanner) Object(names []string, fields []Field, strict bool, ps validate.Problems) validate.Problems {
	clear(fields)
	if !s.Enter('{') {
		return append(ps, s.Value().WrongType("", "must be an object"))
	}
	var seen uint64
	for s.More() {
		name := s.Name()
		value := s.Value()
		i := slices.Index(names, name)
		switch {
		case i >= 0 && seen&(1<<i) == 0:
			seen |= 1 << i
			fields[i] = value
		case i >= 0:
			fields[i].set(value)
			if strict {
				ps = append(ps, &validate.Problem{Path: name, Value: value.Raw(), Rule: validate.FieldRepeated})
			}
		case strict:
			ps = append(ps, &validate.Problem{Value: name, Rule: validate.FieldUnknown, Allowed: names})
		}
	}
	s.closed('}')
	return ps
}

// OpenList returns a Scanner inside the JSON list data, before its first
// element; null is an empty list. Paths of problems begin with path.
//
//	s, err := apijson.OpenList(data, "spec.taints")
//	for err == nil && s.More() {
//		problems := s.Object(names, fields, strict, nil)
//		…
//	}
func OpenList(data []byte, path string) (Scanner, error) {
	s, err := NewScanner(data)
	if err != nil {
		return Scanner{}, problem.Append(nil, path, err)
	}
	if s.Enter('[') {
		return s, nil
	}
	if f := s.Value(); f.Kind != Absent {
		return Scanner{}, validate.Problems{f.WrongType(path, "must be a list")}
	}
	return Scanner{text: "]", first: true}, nil
}
