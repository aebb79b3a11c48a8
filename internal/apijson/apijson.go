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

// A Scanner cuts a JSON text into its parts, in order. It is made by
// [NewScanner] or [OpenList]; the zero Scanner is at its end.
type Scanner struct {
	text  string
	pos   int
	depth int  // how many lists and objects have been entered
	first bool // the list or object that was entered last has given nothing yet
	bad   bool // the text up to pos is no JSON; pos is then its end
}

// maxDepth is encoding/json's limit.
const maxDepth = 10_000

// NewScanner returns a Scanner at the beginning of data, or the problem when
// data is no JSON. It copies data once.
func NewScanner(data []byte) (Scanner, error) {
	s := Scanner{text: string(data)}
	whole := s
	whole.skip()
	if whole.end(); whole.bad {
		return Scanner{}, s.notJSON()
	}
	return s, nil
}

// notJSON returns the problem of a text that is no JSON, with the reason that
// encoding/json has.
func (s *Scanner) notJSON() validate.Problems {
	var v json.RawMessage
	err := json.Unmarshal([]byte(s.text), &v)
	return validate.Problems{{Rule: validate.NotJSON, Err: err}}
}

func (s *Scanner) fail() {
	s.bad = true
	s.pos = len(s.text)
}

// end fails unless only white space is left.
func (s *Scanner) end() {
	if s.peek(); s.pos < len(s.text) {
		s.fail()
	}
}

// closed fails unless the list or object that ended last ended with c.
func (s *Scanner) closed(c byte) {
	if !s.bad && s.text[s.pos-1] != c {
		s.fail()
	}
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
	s.skip()
	return true
}

// Enter steps into the next value when it begins with open, '[' or '{'; else
// it returns false and stays where it is.
func (s *Scanner) Enter(open byte) bool {
	if s.peek() != open {
		return false
	}
	s.pos++
	s.first = true
	if s.depth++; s.depth > maxDepth {
		s.fail()
	}
	return true
}

// More reports whether the list or object that was entered last has another
// element. When it has none, the Scanner steps out of it.
func (s *Scanner) More() bool {
	c := s.peek()
	switch {
	case c == ']' || c == '}':
		s.pos++
		s.depth--
		s.first = false
		return false
	case c == ',' && !s.first:
		s.pos++
	case c == 0 || !s.first:
		s.fail()
		return false
	}
	s.first = false
	return true
}

// Name returns the next member's name.
func (s *Scanner) Name() (name string) {
	if s.need('"') {
		name = s.content()
		if s.need(':') {
			s.pos++
		}
	}
	return name
}

// need reports whether c is the next byte that is not white space, or fails.
func (s *Scanner) need(c byte) bool {
	if s.peek() != c {
		s.fail()
	}
	return !s.bad
}

// Value returns the next value, whole; an absent one at the end.
func (s *Scanner) Value() Field {
	c := s.peek()
	if c == '"' {
		return Field{Kind: String, Text: s.content()}
	}
	start := s.pos
	s.skip()
	text := s.text[start:s.pos]
	switch {
	case s.bad || c == 'n':
		return Field{}
	case c == '-' || c-'0' <= 9:
		return Field{Kind: Number, Text: text}
	}
	return Field{Kind: Other, Text: text}
}

// content steps over a string and returns its content.
func (s *Scanner) content() string {
	start := s.pos
	if s.skipString() {
		return s.text[start+1 : s.pos-1]
	}
	var text string
	_ = json.Unmarshal([]byte(s.text[start:s.pos]), &text) // an error has failed already
	return text
}

// skip steps over the next value.
func (s *Scanner) skip() {
	switch s.peek() {
	case '"':
		s.skipString()
	case '[', '{':
		s.skipNested()
	case 't':
		s.skipWord("true")
	case 'f':
		s.skipWord("false")
	case 'n':
		s.skipWord("null")
	default:
		s.skipNumber()
	}
}

func (s *Scanner) skipWord(word string) {
	if !strings.HasPrefix(s.text[s.pos:], word) {
		s.fail()
		return
	}
	s.pos += len(word)
}

// skipNumber steps over a number, or fails.
func (s *Scanner) skipNumber() {
	if s.next('-'); !s.next('0') {
		s.skipDigits()
	}
	if s.next('.') {
		s.skipDigits()
	}
	if s.next('e') || s.next('E') {
		_ = s.next('+') || s.next('-')
		s.skipDigits()
	}
}

// next steps over the next byte if it is c.
func (s *Scanner) next(c byte) bool {
	is := s.pos < len(s.text) && s.text[s.pos] == c
	if is {
		s.pos++
	}
	return is
}

func (s *Scanner) skipDigits() {
	start := s.pos
	for s.pos < len(s.text) && s.text[s.pos]-'0' <= 9 {
		s.pos++
	}
	if s.pos == start {
		s.fail()
	}
}

// skipString steps over a string and reports whether it is plain: it has no escapes
// and no bytes that might not be UTF-8, so its bytes are its content.
func (s *Scanner) skipString() (plain bool) {
	plain = true
	for i := s.pos + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return plain
		case c == '\\':
			plain = false
			n := escape(s.text[i+1:])
			if n == 0 {
				s.fail()
				return false
			}
			i += n
		case c < ' ':
			s.fail()
			return false
		case c >= 0x80:
			plain = false
		}
	}
	s.fail()
	return false
}

// escape returns the length of what s begins with and a backslash may precede, 0 if
// it is nothing.
func escape(s string) int {
	switch {
	case s == "":
		return 0
	case strings.IndexByte(`"\/bfnrt`, s[0]) >= 0:
		return 1
	case s[0] != 'u' || len(s) < 5:
		return 0
	}
	for i := 1; i < 5; i++ {
		if c := s[i] | 0x20; s[i]-'0' > 9 && (c < 'a' || c > 'f') {
			return 0
		}
	}
	return 5
}

// skipNested steps over a list or an object. It does not recurse, so that no text
// needs a deep stack.
func (s *Scanner) skipNested() {
	var room [64]byte
	ends := room[:0] // of the lists and objects that it is in
	for {
		switch {
		case s.Enter('['):
			ends = append(ends, ']')
		case s.Enter('{'):
			ends = append(ends, '}')
		default:
			s.skip()
		}
		for !s.More() {
			last := len(ends) - 1
			s.closed(ends[last])
			if ends = ends[:last]; last == 0 || s.bad {
				return
			}
		}
		if ends[len(ends)-1] == '}' {
			s.Name()
		}
	}
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

// StrictJSON fills fields as [Scanner.Object] does if it is strict. For a null, which
// changes no struct, it returns true.
func StrictJSON(data []byte, names []string, fields []Field) (ps validate.Problems, null bool) {
	s, err := NewScanner(data)
	if err != nil {
		return problem.Append(nil, "", err), false
	}
	if s.Null() {
		return nil, true
	}
	return s.Object(names, fields, true, nil), false
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
