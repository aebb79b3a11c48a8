// Package adapter puts the library in the place of Kubernetes' own functions.
//
// It speaks in strings only, since k8s.io/api/core/v1 itself imports it when
// its functions are overlaid; what needs that package's structs is in adapter/objects.
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

// Of returns the library's taint, the zero one for what is not valid: a value
// that an API server would refuse does not exist in the library.
func (t Taint) Of() taint.Taint {
	u, _ := taint.From(t.Key, t.Value, t.Effect)
	return u
}

// Of returns the library's toleration, the zero one for what is not valid.
func (t Toleration) Of() toleration.Toleration {
	u, _ := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.Seconds)
	return u
}

// Tolerates answers for Toleration.ToleratesTaint.
func Tolerates(t Toleration, n Taint, gate bool) bool {
	u := t.Of()
	return (gate || !u.IsNumeric()) && u.Tolerates(n.Of())
}

// Compares answers for the comparison of two numbers, by the only way that the
// library compares: a toleration and a taint that have them.
func Compares(op, tolerationValue, taintValue string) bool {
	u := Toleration{Key: "k", Operator: op, Value: tolerationValue}.Of()
	return u.IsNumeric() && u.Tolerates(Taint{"k", taintValue, "NoSchedule"}.Of())
}

// SameKeyEffect answers for Taint.MatchTaint. What is not valid is the same as nothing.
func SameKeyEffect(a, b Taint) bool {
	t := a.Of()
	return !t.IsZero() && t.SameKeyEffect(b.Of())
}

// TaintText answers for Taint.ToString. It also has to write what is no taint,
// one without effect; that is written with an effect, and the effect cut off.
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

// ParseTaint answers for the parsing of one taint, or of the bare key that
// kubectl takes where a taint is removed.
func ParseTaint(s string) (key, value, effect string, err error) {
	if !strings.Contains(s, ":") {
		return s, "", "", validate.Key(s)
	}
	t, err := taint.Parse(s)
	return t.Key(), t.Value(), t.Effect().String(), err
}

// CheckTaint answers for the check of a taint whose effect may be absent.
func CheckTaint(t Taint) error {
	if t.Effect == "" {
		return errors.Join(validate.Key(t.Key), validate.Value(t.Value))
	}
	_, err := taint.From(t.Key, t.Value, t.Effect)
	return err
}

// Scores answers for the normalising of counts.
func Scores(counts []int64) []int64 { return match.Scores(counts) }
