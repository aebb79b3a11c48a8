package adapter

import (
	"errors"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Problem is one problem of a list, at the field where Kubernetes reports it.
type Problem struct {
	Index  int
	Field  string // "" for the whole element
	Kind   string // the field.ErrorType
	Value  string
	Detail string
}

// TolerationProblems implements the validation of a pod's tolerations.
func TolerationProblems(list []Toleration, gate bool) []Problem {
	var out []Problem
	opts := toleration.ListOptions{NumericOff: !gate}
	for i, t := range list {
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.Seconds)
		if err == nil && !gate && u.IsNumeric() {
			err = toleration.List{u}.Validate(opts)
		}
		out = appendProblems(out, i, err)
	}
	return out
}

// TaintProblems implements the validation of a node's taints.
func TaintProblems(list []Taint) []Problem {
	var out []Problem
	for i, t := range list {
		u, err := taint.From(t.Key, t.Value, t.Effect)
		out = appendProblems(out, i, err)
		for _, earlier := range list[:i] {
			if e := earlier.Of(); err == nil && (taint.List{e, u}).Validate(taint.ListOptions{}) != nil && !e.IsZero() {
				out = append(out, Problem{Index: i, Kind: "FieldValueDuplicate", Value: u.String()})
				break
			}
		}
	}
	return out
}

// appendProblems appends the library's problems of one element, at the fields where
// Kubernetes reports them.
func appendProblems(out []Problem, i int, err error) []Problem {
	var ps validate.Problems
	if err == nil || !errors.As(err, &ps) {
		return out
	}
	for _, p := range ps {
		q := Problem{Index: i, Field: p.Path, Kind: p.Rule.Cause(), Value: p.Value, Detail: (&validate.Problem{Rule: p.Rule}).Error()}
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
			q.Field = "operator"
		}
		if last := len(out) - 1; last >= 0 && p.Path == "value" && out[last].Index == i && out[last].Field == q.Field && out[last].Value == q.Value {
			out[last].Detail += ";" + q.Detail // Kubernetes reports one problem for a value
			continue
		}
		out = append(out, q)
	}
	return out
}
