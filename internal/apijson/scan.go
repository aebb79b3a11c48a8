package apijson

import (
	"encoding/json"
	"strings"

	"github.com/go-tolerate/tolerate/validate"
)

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
