package taint

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// An Edit adds a taint to a node, or removes the taints with a key, of one effect or of
// all. Use [Add] or [ParseEdit] to make one. It is comparable with ==.
type Edit struct {
	taint  Taint // to add; to remove: key and effect alone, which is 0 for all
	remove bool
}

var editForms = []string{"key=value:Effect", "key:Effect", "key:Effect-", "key-"}

// Add returns the edit that adds the taint, zero for the zero Taint.
func Add(t Taint) Edit { return Edit{taint: t} }

// ParseEdit returns the edit with that text: a taint adds it, key- removes all taints
// with the key, and taint- the one with its key and effect.
func ParseEdit(s string) (Edit, error) { return parseEdit("taint.ParseEdit", s) }

func parseEdit(caller, s string) (Edit, error) {
	body, remove := strings.CutSuffix(s, "-")
	if remove && body != "" && !strings.ContainsAny(body, ":=") {
		if syntax.Key(body) != 0 {
			return Edit{}, validate.Problems{{Func: caller, Input: s, Path: "key", Value: body, Rule: validate.InvalidKey}}
		}
		return Edit{taint: Taint(value.NewTaint(body, "", 0)).keyEffect(), remove: true}, nil
	}
	key, val, effect, ok := split(body)
	if !ok {
		return Edit{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: editForms}}
	}
	t, err := build(caller, s, key, val, effect)
	if err != nil {
		return Edit{}, err
	}
	if remove {
		t = t.keyEffect()
	}
	return Edit{taint: t, remove: remove}, nil
}

// IsZero reports whether e is zero. Apply rejects it.
func (e Edit) IsZero() bool { return e == Edit{} }

// IsRemoval reports whether the edit removes taints.
func (e Edit) IsRemoval() bool { return e.remove }

// Taint returns the taint to add, zero for a removal.
func (e Edit) Taint() Taint {
	if e.remove {
		return Taint{}
	}
	return e.taint
}

// Key returns the key to add or remove.
func (e Edit) Key() string { return e.taint.Key() }

// Effect returns the effect to add or remove, 0 for all.
func (e Edit) Effect() Effect { return Effect(value.Taint(e.taint).Effect()) }

func (e Edit) Equal(f Edit) bool { return e == f }

// Compare returns -1, 0 (e == f) or +1 by key, effect, additions before removals, value
// and time added.
func (e Edit) Compare(f Edit) int {
	if c := cmp.Or(cmp.Compare(e.Key(), f.Key()), cmp.Compare(e.Effect(), f.Effect())); c != 0 {
		return c
	}
	switch {
	case e.IsRemoval() == f.IsRemoval():
		return e.Taint().Compare(f.Taint())
	case f.IsRemoval():
		return -1
	}
	return 1
}

// String returns the text that [ParseEdit] reads.
func (e Edit) String() string {
	b, _ := e.AppendText(make([]byte, 0, 64))
	return string(b)
}

func (e Edit) AppendText(b []byte) ([]byte, error) {
	b, err := e.taint.AppendText(b) // for an absent effect, the key alone
	if e.remove {
		b = append(b, '-')
	}
	return b, err
}

func (e Edit) MarshalText() ([]byte, error) { return e.AppendText(nil) }

func (e *Edit) UnmarshalText(text []byte) error {
	var parsed Edit
	if len(text) > 0 {
		var err error
		if parsed, err = parseEdit("taint.Edit.UnmarshalText", string(text)); err != nil {
			return err
		}
	}
	*e = parsed
	return nil
}

func (e Edit) MarshalBinary() ([]byte, error) {
	if t := e.Taint(); !t.TimeAdded().IsZero() {
		return t.MarshalBinary() // an object, which no text is
	}
	return e.MarshalText()
}

func (e *Edit) UnmarshalBinary(data []byte) error {
	const caller = "taint.Edit.UnmarshalBinary"
	var read Edit
	var err error
	switch {
	case len(data) == 0:
	case data[0] == '{':
		var t Taint
		err = problem.In(caller, t.UnmarshalJSON(data))
		read = Add(t)
	default:
		read, err = parseEdit(caller, string(data))
	}
	if err == nil {
		*e = read
	}
	return err
}

// GoString returns Go source as [Taint.GoString] does.
func (e Edit) GoString() string {
	switch {
	case e.IsZero():
		return "taint.Edit{}"
	case e.remove:
		return "must(taint.ParseEdit(" + strconv.Quote(e.String()) + "))"
	}
	return "taint.Add(" + e.taint.GoString() + ")"
}
