// Package explain writes explanations about taints of nodes and about taints of
// devices in the same words.
package explain

import "strconv"

// A Value is a taint or a toleration.
type Value interface {
	AppendText([]byte) ([]byte, error) // which never fails
	IsZero() bool
}

// A Sentence states whether a taint is tolerated, and why.
type Sentence[T, U Value] struct {
	Taint      T
	Toleration U // the one that decides, or the nearest one
	Addition   U // the one that would match
	Failure    string
	Seconds    int64
	Timed      bool // for Seconds
	Tolerated  bool

	Invalid     bool // a toleration that could not be read, and where it is
	List, Index int
}

// AppendText appends the sentence to b. It does not allocate if b has enough spare
// capacity.
func (s *Sentence[T, U]) AppendText(b []byte) []byte {
	b = AppendName(b, s.Taint)
	switch {
	case s.Tolerated:
		b = append(b, " is tolerated "...)
		if s.Timed {
			b = append(b, "for "...)
			b = strconv.AppendInt(b, s.Seconds, 10)
			b = append(b, " s "...)
		}
		b = append(b, "by "...)
		return quote(b, s.Toleration)
	case s.Taint.IsZero():
		return append(b, " is not tolerated: no toleration matches it"...)
	case s.Invalid:
		b = append(b, " is not tolerated: toleration "...)
		b = strconv.AppendInt(b, int64(s.Index), 10)
		if s.List > 0 {
			b = append(b, " of list "...)
			b = strconv.AppendInt(b, int64(s.List), 10)
		}
		b = append(b, " is invalid"...)
	case s.Toleration.IsZero():
		b = append(b, " is not tolerated: no toleration has its key"...)
	default:
		b = append(b, " is not tolerated: "...)
		b = quote(b, s.Toleration)
		b = append(b, s.Failure...)
	}
	b = append(b, "; to add: "...)
	return quote(b, s.Addition)
}

func quote[U Value](b []byte, u U) []byte {
	b = append(b, '"')
	b, _ = u.AppendText(b)
	return append(b, '"')
}

// AppendName appends the text of a taint. The zero taint, whose text is empty, is
// "(invalid taint)".
func AppendName[T Value](b []byte, t T) []byte {
	if t.IsZero() {
		return append(b, "(invalid taint)"...)
	}
	b, _ = t.AppendText(b)
	return b
}
