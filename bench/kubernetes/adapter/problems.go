package adapter

import (
	"errors"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Problem is one problem of a list, as Kubernetes places it.
type Problem struct {
	Index  int
	Field  string // "" for the element as a whole
	Kind   string // the field.ErrorType
	Value  string
	Detail string
}

// TolerationProblems answers for the validation of a pod's tolerations.
func TolerationProblems(list []Toleration, gate bool) []Problem {
	var out []Problem
	opts := toleration.ListOptions{NumericOff: !gate}
	for i, t := range list {
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.Seconds)
		if err == nil && !gate && u.IsNumeric() {
			err = toleration.ValidateList([]toleration.Toleration{u}, opts)
		}
		out = appendProblems(out, i, err)
	}
	return out
}

// TaintProblems answers for the validation of a node's taints.
func TaintProblems(list []Taint) []Problem {
	var out []Problem
	for i, t := range list {
		u, err := taint.From(t.Key, t.Value, t.Effect)
		out = appendProblems(out, i, err)
		for _, earlier := range list[:i] {
			if e := earlier.Of(); err == nil && taint.ValidateList([]taint.Taint{e, u}, taint.ListOptions{}) != nil && !e.IsZero() {
				out = append(out, Problem{Index: i, Kind: "FieldValueDuplicate", Value: u.String()})
				break
			}
		}
	}
	return out
}

// appendProblems places what the library tells of one element where Kubernetes does.
func appendProblems(out []Problem, i int, err error) []Problem {
	var ps validate.Problems
	if err == nil || !errors.As(err, &ps) {
		return out
	}
	for _, p := range ps {
		q := Problem{Index: i, Field: p.Path, Kind: "FieldValueInvalid", Value: p.Value, Detail: p.Rule.String()}
		switch p.Rule {
		case validate.OperatorMissing, validate.NumericKey, validate.ExistsValue:
			q.Field = "operator"
		case validate.ValueBytes, validate.ValueEnds, validate.ValueTooLong:
			if p.Func == "toleration.From" {
				q.Field = "operator"
			}
		case validate.SecondsEffect:
			q.Field = "effect"
		case validate.NumericOff:
			q.Field, q.Kind = "operator", "FieldValueNotSupported"
		case validate.EffectUnknown, validate.OperatorUnknown:
			q.Kind = "FieldValueNotSupported"
		case validate.EffectMissing:
			q.Kind = "FieldValueRequired"
		}
		out = append(out, q)
	}
	return out
}
