package taint

import (
	"strings"
	"unique"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/tag"
)

// An Edit is one change of a node's taints, as kubectl taint takes it: a taint
// to put on the node, or a key to take off it, under one effect or under all.
// Every non-zero Edit is valid. The zero Edit is inert: it touches no taint,
// and no list of edits may hold it.
//
// An Edit is a small value (32 bytes on 64-bit machines) to be copied. Edits
// may be compared with == and used as map keys. It is safe for concurrent use.
//
// As text it is what [ParseEdit] reads; the text of the zero Edit is empty.
// Text does not carry the time added of the taint to add.
type Edit struct {
	taint  Taint // to add; to remove: key and effect alone, which is 0 for all
	remove bool
}

var editForms = []string{"key=value:Effect", "key:Effect", "key:Effect-", "key-"}

// Adding returns the edit that puts the taint on a node; the zero Edit for the
// zero Taint. When the taint has a time added, the node's taint gets it too.
func Adding(t Taint) Edit { return Edit{taint: t} }

// Removing returns the edit that takes the taint with that key and effect off
// a node, whatever its value; for the effect 0 all taints with that key. On an
// error, which tells every rule that is broken, it returns the zero Edit.
//
// It does not allocate when the key is that of some taint or toleration
// already held.
func Removing(key string, effect Effect) (Edit, error) {
	if effect == 0 {
		return removingAll("taint.Removing", "", key)
	}
	t, err := build("taint.Removing", "", key, "", effect, effect.String())
	if err != nil {
		return Edit{}, err
	}
	return Edit{taint: t.keyEffect(), remove: true}, nil
}

func removingAll(caller, input, key string) (Edit, error) {
	if r := validate.KeyRule(key); r != 0 {
		return Edit{}, validate.Problems{{Func: caller, Input: input, Path: "key", Value: key, Rule: r}}
	}
	return Edit{taint: Taint{key: unique.Make(key)}, remove: true}, nil
}

// ParseEdit returns the edit that the text writes:
//
//	key=value:Effect    put this taint on the node
//	key:Effect          the same without a value
//	key-                take off all taints with this key
//	key:Effect-         take off the one with this effect
//	key=value:Effect-   the same; the value must be one, and is left out of account
//
// On an error it returns the zero Edit. It does not allocate when the key and
// the value are those of some taint or toleration already held.
func ParseEdit(s string) (Edit, error) { return parseEdit("taint.ParseEdit", s) }

// MustParseEdit calls [ParseEdit] and panics on an error. It is for tests and
// for texts in the program.
func MustParseEdit(s string) Edit {
	e, err := ParseEdit(s)
	if err != nil {
		panic(err)
	}
	return e
}

func parseEdit(caller, s string) (Edit, error) {
	body, remove := strings.CutSuffix(s, "-")
	colon := strings.IndexByte(body, ':')
	switch {
	case remove && colon < 0 && body != "" && !strings.Contains(body, "="):
		return removingAll(caller, s, body)
	case colon < 1 || colon == len(body)-1:
		return Edit{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: editForms}}
	}
	key, value, _ := strings.Cut(body[:colon], "=")
	name := body[colon+1:]
	effect, _ := knownEffect(name)
	t, err := build(caller, s, key, value, effect, name)
	if err != nil {
		return Edit{}, err
	}
	if remove {
		t = t.keyEffect()
	}
	return Edit{taint: t, remove: remove}, nil
}

// IsZero reports whether e is the zero Edit.
func (e Edit) IsZero() bool { return e == Edit{} }

// IsRemoval reports whether the edit takes taints off the node.
func (e Edit) IsRemoval() bool { return e.remove }

// Taint returns the taint that the edit puts on a node; the zero Taint for a
// removal. It does not allocate.
func (e Edit) Taint() Taint {
	if e.remove {
		return Taint{}
	}
	return e.taint
}

// Key returns the key of the taints that the edit touches. It does not
// allocate.
func (e Edit) Key() string { return e.taint.Key() }

// Effect returns the effect of the taints that the edit touches; 0 for a
// removal under all effects.
func (e Edit) Effect() Effect { return Effect(e.taint.meta & tag.Effect) }

// Touches reports whether the edit would remove the taint from a node, or put
// another in its place: the keys are equal, and so are the effects, unless the
// edit is a removal under all. It does not allocate.
func (e Edit) Touches(t Taint) bool {
	return e.taint.key == t.key && (e.Effect() == t.Effect() || e.Effect() == 0) && !t.IsZero()
}

// String returns the text that [ParseEdit] reads. Values are left out of
// removals.
func (e Edit) String() string {
	b, _ := e.AppendText(make([]byte, 0, 64))
	return string(b)
}

// AppendText appends what [Edit.String] returns to b. Its error is nil. It
// does not allocate when b has room.
func (e Edit) AppendText(b []byte) ([]byte, error) {
	b, err := e.taint.AppendText(b) // an absent effect leaves the key alone
	if e.remove {
		b = append(b, '-')
	}
	return b, err
}

// MarshalText returns what [Edit.String] returns. Its error is nil.
func (e Edit) MarshalText() ([]byte, error) { return e.AppendText(nil) }

// UnmarshalText sets e to the edit that the text writes, as [ParseEdit] reads
// it; empty text gives the zero Edit. On an error e is unchanged.
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
