package toleration

import (
	"cmp"
	"slices"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

// A List is the tolerations of a pod, in the pod's order. A []Toleration can be
// used as one. It can be a field of a configuration, and a flag by [flag.TextVar]: an
// error has the problems of all tolerations, with paths such as [2].key, and leaves
// the variable unchanged.
//
// The zero [Toleration] in a List matches nothing. It cannot be read: its JSON is
// null, its text "(invalid toleration)".
type List []Toleration

// ListOptions are the options of [Decode] and of the methods of [List] that validate.
// The zero value does what an API server with numeric operators does.
type ListOptions struct {
	// Path is where the list is in its object, the beginning of the paths of
	// problems; "spec.tolerations" if empty.
	Path string
	// Strict makes unknown fields, such as names in the wrong case, and repeated
	// fields errors. Otherwise Decode returns them as warnings.
	Strict bool
	// AllowUnknown makes an unknown effect or operator, as a later version of
	// Kubernetes may have it, a warning. The zero Toleration takes the toleration's
	// place.
	AllowUnknown bool
	// NumericOff rejects the operators Lt and Gt, as clusters without the feature
	// gate TaintTolerationComparisonOperators do. Up to Kubernetes 1.37 it is off by
	// default.
	NumericOff bool
}

func (o ListOptions) path() string { return cmp.Or(o.Path, "spec.tolerations") }

// Decode returns the tolerations of a JSON list, such as spec.tolerations in the
// output of kubectl get pods -o json, and warnings about what it ignores. Null is the
// empty list. The error is [validate.Problems], with every problem of every element,
// such as a null; the list is then nil.
//
// It allocates the list, one copy of data, and the strings that no taint or
// toleration has yet.
func Decode(data []byte, opts ListOptions) (list List, warnings validate.Problems, err error) {
	l := apijson.NewList(data, opts.path(), apijson.ModeOf(opts.Strict))
	list = readList(&l, opts)
	return list, l.Warnings, l.Problems.Err()
}

// readList returns the elements of l, and nil when there is a problem.
func readList(l *apijson.List, opts ListOptions) List {
	var (
		fields [fieldCount]apijson.Field
		out    List
	)
	for l.Next(apijson.TolerationNames, fields[:]) {
		if cap(out) == 0 {
			out = make(List, 0, 4) // the usual list is short
		}
		u, found := fromFields(fields[:], opts.NumericOff)
		if opts.AllowUnknown && enum.Unknown(found) {
			l.Warn(found)
		} else {
			l.Report(found)
		}
		out = append(out, u)
	}
	if len(l.Problems) > 0 {
		return nil
	}
	return out
}

// Validate returns an error if a pod cannot have the list: because of the zero
// Toleration, or an operator that the options reject. Tolerations may repeat and
// contradict each other. It does not allocate for a valid list.
func (l List) Validate(opts ListOptions) error {
	return l.problems(nil, opts).Err()
}

func (l List) problems(ps validate.Problems, opts ListOptions) validate.Problems {
	for i, u := range l {
		if u.IsZero() {
			ps = append(ps, &validate.Problem{Path: problem.Index(opts.path(), i), Rule: validate.ZeroValue})
		}
		if opts.NumericOff && u.IsNumeric() {
			ps = append(ps, &validate.Problem{
				Path:  problem.Index(opts.path(), i) + "." + apijson.TolerationNames[fieldOperator],
				Value: u.Operator().String(), Rule: validate.NumericOff, Allowed: plainNames,
			})
		}
	}
	return ps
}

// ValidateUpdate returns an error if a pod's list cannot be changed from old to l.
// Tolerations can be added and reordered. Every old one must be in l, unchanged except
// for its seconds; of two that differ only in their seconds, one can be removed. An
// absent operator cannot become Equal.
//
// The problem of a removed toleration has the path of the list. The problems of
// [List.Validate] follow; NumericOff is ignored if an old toleration has such an
// operator.
//
// It does not allocate for a valid update if one of the lists has at most 32
// tolerations.
func (l List) ValidateUpdate(old List, opts ListOptions) error {
	var ps validate.Problems
	kept := set.FinderOf(l, len(old), Toleration.WithoutSeconds)
	for _, u := range old {
		if kept.Index(u.WithoutSeconds()) < 0 {
			ps = append(ps, &validate.Problem{
				Path: opts.path(), Value: u.String(), Rule: validate.NotAllowed,
				Want: "must not be removed or changed: an update can only add tolerations and change seconds",
			})
		}
	}
	opts.NumericOff = opts.NumericOff && !slices.ContainsFunc(old, Toleration.IsNumeric)
	return l.problems(ps, opts).Err()
}

// WithoutNumeric returns the list for matching as a scheduler does whose numeric
// operators are off: the zero Toleration takes the place of each with Lt or Gt, and is
// explained as invalid, which it is for that cluster's API server. It returns l itself
// if there is none.
func (l List) WithoutNumeric() List {
	if !slices.ContainsFunc(l, Toleration.IsNumeric) {
		return l
	}
	out := slices.Clone(l)
	for i, u := range out {
		if u.IsNumeric() {
			out[i] = Toleration{}
		}
	}
	return out
}

// Match returns the index of the first toleration that tolerates the taint, or
// -1. It does not allocate.
func (l List) Match(t taint.Taint) int {
	v := (*value.Taint)(&t)
	tag := v.Tag()
	for i := range l {
		if u := (*value.Toleration)(&l[i]); u.MayMatch(tag) && (u.Admits(v) || u.Compares(v)) {
			return i
		}
	}
	return -1
}

// Canonical returns the canonical forms of the tolerations, sorted by
// [Toleration.Compare], each once, without zero Tolerations. Lists with equal ones
// tolerate the same taints. So their text can be the key of a result of matching in
// a map; a time of eviction also depends on the order.
func (l List) Canonical() List { return set.Canonical(l, false) }

// EqualSet reports whether l and m are equal in their [List.Canonical] form.
// It does not allocate for at most 32 tolerations each.
func (l List) EqualSet(m List) bool { return set.Equal(l, m, false) }
