// Package explain writes explanations about taints of nodes and about taints of
// devices in the same words and fields.
package explain

import "strconv"

// A Value is a taint or a toleration.
type Value interface {
	AppendText([]byte) ([]byte, error) // which never fails
	AppendJSON([]byte) []byte
	IsZero() bool
}

// An Explanation states whether a taint is tolerated, and why.
type Explanation[T, U Value] struct {
	Taint       T
	Toleration  U // the one that decides, or the nearest one
	Addition    U // the one that would match
	Class, Miss string
	Seconds     int64
	Timed       bool // for Seconds
	Tolerated   bool

	Invalid     bool // a toleration that could not be read, and where it is
	List, Index int
}

// AppendText appends a sentence to b, with why the nearest toleration does not match. It
// does not allocate if b has enough spare capacity.
func (e *Explanation[T, U]) AppendText(b []byte, failure string) []byte {
	b = AppendName(b, e.Taint)
	switch {
	case e.Tolerated:
		b = append(b, " is tolerated "...)
		if e.Timed {
			b = append(b, "for "...)
			b = strconv.AppendInt(b, e.Seconds, 10)
			b = append(b, " s "...)
		}
		b = append(b, "by "...)
		return quote(b, e.Toleration)
	case e.Taint.IsZero():
		return append(b, " is not tolerated: no toleration matches it"...)
	case e.Invalid:
		b = append(b, " is not tolerated: toleration "...)
		b = strconv.AppendInt(b, int64(e.Index), 10)
		if e.List > 0 {
			b = append(b, " of list "...)
			b = strconv.AppendInt(b, int64(e.List), 10)
		}
		b = append(b, " is invalid"...)
	case e.Toleration.IsZero():
		b = append(b, " is not tolerated: no toleration has its key"...)
	default:
		b = append(b, " is not tolerated: "...)
		b = quote(b, e.Toleration)
		b = append(b, failure...)
	}
	b = append(b, "; to add: "...)
	return quote(b, e.Addition)
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

// JSON returns the object, with a field of its own. Without lists there is no field list.
func (e *Explanation[T, U]) JSON(field string, lists bool) []byte {
	b := e.Taint.AppendJSON([]byte(`{"taint":`))
	b = append(b, ","+field+`,"class":"`+e.Class+`"`...)
	name := `,"toleratedBy":`
	if !e.Tolerated {
		b = append(b, `,"miss":"`+e.Miss+`"`...)
		name = `,"nearest":`
	}
	if !e.Toleration.IsZero() {
		b = e.Toleration.AppendJSON(append(b, name...))
	}
	if !e.Toleration.IsZero() || e.Invalid {
		if lists {
			b = strconv.AppendInt(append(b, `,"list":`...), int64(e.List), 10)
		}
		b = strconv.AppendInt(append(b, `,"position":`...), int64(e.Index), 10)
	}
	if e.Timed {
		b = strconv.AppendInt(append(b, `,"seconds":`...), e.Seconds, 10)
	}
	if !e.Addition.IsZero() {
		b = e.Addition.AppendJSON(append(b, `,"addition":`...))
	}
	return append(b, '}')
}
