// Package explain writes explanations about taints of nodes and about taints of
// devices in the same words.
package explain

import "fmt"

// A Value is a taint or a toleration.
type Value interface {
	String() string
	IsZero() bool
}

// An Explanation states whether a taint is tolerated, and why.
type Explanation[T, U Value] struct {
	Taint      T
	Toleration U // the one that decides, or the nearest one
	Addition   U // the one that would match
	Seconds    int64
	Timed      bool // for Seconds
	Tolerated  bool

	Invalid     bool // a toleration that could not be read, and where it is
	List, Index int
}

// Text returns a sentence, with why the nearest toleration does not match.
func (e *Explanation[T, U]) Text(failure string) string {
	text := Name(e.Taint)
	switch {
	case e.Tolerated && e.Timed:
		return fmt.Sprintf(`%s is tolerated for %d s by "%v"`, text, e.Seconds, e.Toleration)
	case e.Tolerated:
		return fmt.Sprintf(`%s is tolerated by "%v"`, text, e.Toleration)
	}
	text += " is not tolerated: "
	switch {
	case e.Taint.IsZero():
		return text + "no toleration matches it"
	case e.Invalid && e.List > 0:
		text += fmt.Sprintf("toleration %d of list %d is invalid", e.Index, e.List)
	case e.Invalid:
		text += fmt.Sprintf("toleration %d is invalid", e.Index)
	case e.Toleration.IsZero():
		text += "no toleration has its key"
	default:
		text += fmt.Sprintf(`"%v"%s`, e.Toleration, failure)
	}
	return fmt.Sprintf(`%s; to add: "%v"`, text, e.Addition)
}

// Name returns the text of a taint. The zero taint, whose text is empty, is
// "(invalid taint)".
func Name(t Value) string {
	if t.IsZero() {
		return "(invalid taint)"
	}
	return t.String()
}
