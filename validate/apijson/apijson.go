// Package apijson reads the fields of small objects, such as taints and
// tolerations, out of Kubernetes' API JSON: every field with its type, so that
// a wrong one can be told with its path, and without building a tree.
//
// It is for packages that decode values of their own the way that the
// packages of this module do. Who wants taints or tolerations calls
// taint.DecodeList or toleration.DecodeList.
//
// The text is checked whole, by encoding/json, before any of it is used. A
// [Scanner] then only cuts it up, so nothing can fail halfway.
package apijson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/validate"
)

// Kind is the JSON type of a field.
type Kind uint8

// The kinds. A field that is null counts as absent, as it does in Kubernetes.
const (
	Absent Kind = iota
	String
	Number
	Time  // only in YAML, which knows it apart from a string; as in RFC 3339
	Other // true, false, a list, an object
)

// A Field is what an object holds under one name. The zero Field is absent.
type Field struct {
	Kind Kind
	Text string // a String's content; anything else as it was written
}

// AsString returns the content of a field that must be a string, "" when it is
// absent; any other kind is a problem, added to ps, with the names that are
// allowed where only some are.
func (f Field) AsString(path string, ps validate.Problems, allowed ...string) (string, validate.Problems) {
	if f.Kind > String {
		return "", append(ps, &validate.Problem{Path: path, Value: f.Raw(), Rule: validate.NotString, Allowed: allowed})
	}
	return f.Text, ps
}

// Raw returns the field's value as it may stand in a document, a String as
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

// A Scanner cuts a JSON text into its parts, in order. It is made by
// [NewScanner] or [OpenList]; the zero Scanner is at its end.
type Scanner struct {
	text  string
	pos   int
	first bool // the list or object that was entered last has given nothing yet
}

// NewScanner returns a Scanner at the beginning of data, or the problem when
// data is no JSON. It copies data once.
func NewScanner(data []byte) (Scanner, error) {
	if !json.Valid(data) {
		var v json.RawMessage
		err := json.Unmarshal(data, &v)
		return Scanner{}, validate.Problems{{Rule: validate.NotJSON, Err: err}}
	}
	return Scanner{text: string(data)}, nil
}

// peek steps to the next byte that is not white space, and returns it; 0 at
// the end.
func (s *Scanner) peek() byte {
	for ; s.pos < len(s.text); s.pos++ {
		switch c := s.text[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// Null steps over the next value when it is null; else it returns false and
// stays where it is.
func (s *Scanner) Null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.Value()
	return true
}

// Text steps over the next value and returns its content when it is a string;
// else it returns false and stays where it is.
func (s *Scanner) Text() (text string, ok bool) {
	if s.peek() != '"' {
		return "", false
	}
	return s.Value().Text, true
}

// Enter steps into the next value when it begins with open, '[' or '{'; else
// it returns false and stays where it is.
func (s *Scanner) Enter(open byte) bool {
	if s.peek() != open {
		return false
	}
	s.pos++
	s.first = true
	return true
}

// More reports whether the list or object that was entered last has another
// element. When it has none, the Scanner steps out of it.
func (s *Scanner) More() bool {
	c := s.peek()
	switch {
	case c == 0:
		return false
	case c == ']' || c == '}':
		s.pos++
		s.first = false
		return false
	case !s.first: // a comma
		s.pos++
	}
	s.first = false
	return true
}

// Name returns the next member's name.
func (s *Scanner) Name() string {
	name := s.Value().Text
	s.peek() // to the colon
	s.pos++
	return name
}

// Value returns the next value, whole; an absent one at the end.
func (s *Scanner) Value() Field {
	c := s.peek()
	start := s.pos
	switch c {
	case '"':
		plain := s.skipString()
		if literal := s.text[start:s.pos]; !plain {
			var text string
			_ = json.Unmarshal([]byte(literal), &text) // checked by NewScanner
			return Field{String, text}
		}
		return Field{String, s.text[start+1 : s.pos-1]}
	case '[', '{':
		s.skipNested()
		return Field{Other, s.text[start:s.pos]}
	}
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,]}", s.text[s.pos]) < 0 {
		s.pos++
	}
	literal := s.text[start:s.pos]
	switch c {
	case 0, 'n':
		return Field{}
	case 't', 'f':
		return Field{Other, literal}
	}
	return Field{Number, literal}
}

// skipString steps over a string and reports whether its content stands in it
// as it is: without escapes, and without bytes that might not be UTF-8.
func (s *Scanner) skipString() (plain bool) {
	plain = true
	for s.pos++; ; s.pos++ {
		switch c := s.text[s.pos]; {
		case c == '"':
			s.pos++
			return plain
		case c == '\\':
			plain = false
			s.pos++
		case c >= 0x80:
			plain = false
		}
	}
}

func (s *Scanner) skipNested() {
	for depth := 0; ; {
		switch s.text[s.pos] {
		case '"':
			s.skipString()
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

// Object reads the next value, an object, into fields: fields[i] becomes what
// stands under names[i], and absent when nothing does. Names are
// case-sensitive; of a repeated name the last value counts. There may be at
// most 64 names.
//
// A null or anything else than an object is a problem, added to ps; when
// strict, so is a name that is not in names, and a name that is repeated.
func (s *Scanner) Object(names []string, fields []Field, strict bool, ps validate.Problems) validate.Problems {
	clear(fields)
	if !s.Enter('{') {
		return append(ps, &validate.Problem{Value: s.Value().Raw(), Rule: validate.NotObject})
	}
	var seen uint64
	for s.More() {
		name := s.Name()
		value := s.Value()
		i := index(names, name)
		switch {
		case i >= 0 && seen&(1<<i) == 0:
			seen |= 1 << i
			fields[i] = value
		case i >= 0:
			fields[i] = value
			if strict {
				ps = append(ps, &validate.Problem{Path: name, Value: value.Raw(), Rule: validate.FieldRepeated})
			}
		case strict:
			ps = append(ps, &validate.Problem{Value: name, Rule: validate.FieldUnknown, Allowed: names})
		}
	}
	return ps
}

func index(names []string, name string) int {
	for i, n := range names {
		if n == name {
			return i
		}
	}
	return -1
}

// OpenList returns a Scanner inside the JSON list data, before its first
// element; null is an empty list. Problems are told as ones of path.
//
//	s, err := apijson.OpenList(data, "spec.taints")
//	for err == nil && s.More() {
//		problems := s.Object(names, fields, strict, nil)
//		…
//	}
func OpenList(data []byte, path string) (Scanner, error) {
	s, err := NewScanner(data)
	if err != nil {
		return Scanner{}, validate.Append(nil, path, err)
	}
	if s.Enter('[') {
		return s, nil
	}
	if f := s.Value(); f.Kind != Absent {
		return Scanner{}, validate.Problems{{Path: path, Value: f.Raw(), Rule: validate.NotList}}
	}
	return Scanner{text: "]", first: true}, nil
}

// FromMap fills fields as [Scanner.Object] does, from an object that a YAML
// library has read. Names that are not in names are left out.
func FromMap(m map[string]any, names []string, fields []Field) {
	for i, name := range names {
		fields[i] = fromAny(m[name])
	}
}

func fromAny(v any) Field {
	switch v := v.(type) {
	case nil:
		return Field{}
	case string:
		return Field{String, v}
	case float64:
		return Field{Number, strconv.FormatFloat(v, 'f', -1, 64)}
	case time.Time:
		return Field{Time, v.Format(time.RFC3339Nano)}
	case int, int64, uint64:
		return Field{Number, fmt.Sprint(v)}
	case bool:
		return Field{Other, strconv.FormatBool(v)}
	}
	switch reflect.ValueOf(v).Kind() { // never followed: a YAML alias can stand for gigabytes
	case reflect.Slice, reflect.Array:
		return Field{Other, "[...]"}
	case reflect.Map, reflect.Struct:
		return Field{Other, "{...}"}
	}
	return Field{Other, fmt.Sprint(v)}
}
