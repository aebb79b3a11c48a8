// Package enum converts the constants of an enumeration from and to text.
//
// The names of an enumeration are a slice that is indexed by its constants. A
// constant whose name is empty has the empty text.
package enum

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/validate"
)

// String returns the name of n, or the name of the type without its package and
// the number, such as "Kind(7)", for a number that has no name. typ is the type
// with its package, such as "eviction.DecisionKind". It does not allocate for a name.
func String[T ~uint8](n T, typ string, names []string) string {
	if int(n) < len(names) {
		return names[n]
	}
	return typ[strings.IndexByte(typ, '.')+1:] + "(" + strconv.Itoa(int(n)) + ")"
}

// AppendText appends the name of n to b. It returns b unchanged and an error
// for a number that has no name.
func AppendText[T ~uint8](b []byte, n T, typ string, names []string) ([]byte, error) {
	if int(n) >= len(names) {
		return b, unknown(typ+".MarshalText", String(n, typ, names), names)
	}
	return append(b, names[n]...), nil
}

// UnmarshalText sets n to the constant whose name is text. On error, which
// lists the names, n is unchanged.
func UnmarshalText[T ~uint8](n *T, text []byte, typ string, names []string) error {
	i := slices.Index(names, string(text))
	if i < 0 {
		return unknown(typ+".UnmarshalText", string(text), names)
	}
	*n = T(i)
	return nil
}

func unknown(caller, name string, names []string) error {
	if names[0] == "" { // which no error can show
		names = names[1:]
	}
	return validate.Problems{{Func: caller, Input: name, Value: name, Rule: validate.NameUnknown, Allowed: names}}
}

// Unknown reports whether the problems are that names are unknown, and there is
// at least one.
func Unknown(ps validate.Problems) bool {
	for _, p := range ps {
		if p.Rule != validate.NameUnknown {
			return false
		}
	}
	return len(ps) > 0
}
