// Package adapter implements Kubernetes' own functions with the library.
//
// Its parameters are strings, because k8s.io/api/core/v1 itself imports it when the
// functions of that package are replaced. Functions with parameters of that package's
// structs are in adapter/objects.
package adapter

import (
	"errors"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Taint has a corev1.Taint's fields, except its time added.
type Taint struct{ Key, Value, Effect string }

// A Toleration is a corev1.Toleration's fields.
type Toleration struct {
	Key, Operator, Value, Effect string
	Seconds                      *int64
}

// Of returns the library's taint, or the zero Taint if it is invalid: the library has
// no values that an API server would reject.
func (t Taint) Of() taint.Taint {
	u, _ := taint.From(t.Key, t.Value, t.Effect)
	return u
}

// Of returns the library's toleration, or the zero Toleration if it is invalid.
func (t Toleration) Of() toleration.Toleration {
	u, _ := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.Seconds)
	return u
}

// Tolerates implements Toleration.ToleratesTaint.
func Tolerates(t Toleration, n Taint, gate bool) bool {
	u := t.Of()
	return (gate || !u.IsNumeric()) && u.Tolerates(n.Of())
}

// Compares implements the comparison of a toleration's number with a taint's. Matching
// is the only way to compare them with the library.
func Compares(op, tolerationValue, taintValue string) bool {
	u := Toleration{Key: "k", Operator: op, Value: tolerationValue}.Of()
	return u.IsNumeric() && u.Tolerates(Taint{"k", taintValue, "NoSchedule"}.Of())
}

// SameKeyEffect implements Taint.MatchTaint. An invalid taint matches no other taint.
func SameKeyEffect(a, b Taint) bool {
	t := a.Of()
	return !t.IsZero() && t.SameKeyEffect(b.Of())
}

// TaintText implements Taint.ToString, which also writes a taint without an effect. The
// library writes such a taint with an effect, which is then cut off.
func TaintText(t Taint) string {
	if t.Effect != "" {
		return t.Of().String()
	}
	t.Effect = taint.NoSchedule.String()
	text := strings.TrimSuffix(t.Of().String(), t.Effect)
	if t.Value == "" {
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
func CheckTaint(t Taint) error {
	if t.Effect == "" {
		return errors.Join(validate.Key(t.Key), validate.Value(t.Value))
	}
	_, err := taint.From(t.Key, t.Value, t.Effect)
	return err
}

// Scores implements the normalization of the counts of untolerated taints.
func Scores(counts []int64) []int64 { return match.Scores(counts) }
