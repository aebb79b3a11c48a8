// Package adapter implements Kubernetes' own functions with the library.
//
// Its parameters are strings, because k8s.io/api/core/v1 itself imports it when the
// functions of that package are replaced. Functions with parameters of that package's
// structs are in adapter/objects.
package adapter

import (
	"errors"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// taintOf returns the library's taint, or the zero Taint if it is invalid: the library
// has no values that an API server would reject.
func taintOf[E ~string](key, value string, effect E) taint.Taint {
	u, _ := taint.From(key, value, effect)
	return u
}

// Tolerates implements Toleration.ToleratesTaint.
func Tolerates[O, E ~string](key string, op O, value string, effect E, taintKey, taintValue string, taintEffect E, gate bool) bool {
	u, _ := toleration.From(key, op, value, effect, nil)
	return (gate || !u.IsNumeric()) && u.Tolerates(taintOf(taintKey, taintValue, taintEffect))
}

// Compares implements the comparison of a toleration's number with a taint's. Matching
// is the only way to compare them with the library.
func Compares[O ~string](op O, tolerationValue, taintValue string) bool {
	return op != "" && op != "Equal" && Tolerates("k", op, tolerationValue, "", "k", taintValue, "NoSchedule", true)
}

// SameKeyEffect implements Taint.MatchTaint. An invalid taint matches no other taint.
func SameKeyEffect[E ~string](key, value string, effect E, otherKey, otherValue string, otherEffect E) bool {
	t := taintOf(key, value, effect)
	return !t.IsZero() && t.SameKeyEffect(taintOf(otherKey, otherValue, otherEffect))
}

// TaintText implements Taint.ToString, which also writes a taint without an effect. The
// library writes such a taint with an effect, which is then cut off.
func TaintText[E ~string](key, value string, effect E) string {
	if effect != "" {
		return taintOf(key, value, effect).String()
	}
	text := strings.TrimSuffix(taintOf(key, value, "NoSchedule").String(), "NoSchedule")
	if value == "" {
		text = strings.TrimSuffix(text, ":")
	}
	return text
}

// ParseTaint implements the parsing of one taint, or of the key that kubectl
// accepts for a removal.
func ParseTaint(s string) (key, value, effect string, err error) {
	if !strings.Contains(s, ":") {
		return s, "", "", validate.Key(s)
	}
	t, err := taint.Parse(s)
	return t.Key(), t.Value(), t.Effect().String(), err
}

// CheckTaint implements the check of a taint that can have no effect.
func CheckTaint[E ~string](key, value string, effect E) error {
	if effect == "" {
		return errors.Join(validate.Key(key), validate.Value(value))
	}
	_, err := taint.From(key, value, effect)
	return err
}
