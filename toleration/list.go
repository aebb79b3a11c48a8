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

// A List is the tolerations of a pod, in its order. It can be a flag by [flag.TextVar]. A
// zero [Toleration] has the JSON null and the text "(invalid toleration)", which cannot
// be read.
type List []Toleration

// DecodeOptions are the options of [Decode]. The zero value does what an API server with
// Lt and Gt does.
type DecodeOptions struct {
	// Path begins the paths of problems; "spec.tolerations" if empty.
	Path string
	// Strict makes unknown and repeated fields errors instead of warnings.
	Strict bool
	// AllowUnknown makes an unknown effect or operator, as of a later Kubernetes, a
	// warning. The toleration is then zero.
	AllowUnknown bool
	// NumericOff rejects Lt and Gt, as the API server does by default.
	NumericOff bool
}

const listPath = "spec.tolerations"

// Decode returns the tolerations of a JSON list, such as a pod's spec.tolerations, and
// warnings about what it ignores. Null is the empty list.
func Decode(data []byte, opts DecodeOptions) (list List, warnings validate.Problems, err error) {
	l := apijson.NewList(data, cmp.Or(opts.Path, listPath), opts.Strict)
	list = readList(&l, opts)
	return list, l.Warnings, l.Problems.Err()
}

// readList returns the elements of l, and nil when there is a problem.
func readList(l *apijson.List, opts DecodeOptions) (out List) {
	var fields [fieldCount]apijson.Field
	for l.Next(fieldNames, fields[:]) {
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

// Validate returns an error unless a pod whose tolerations are old can be updated to have
// l. For a new pod, old is nil. Each toleration of old must be in l, unchanged except for
// its seconds; of two that differ only in their seconds, one can be removed. A zero
// Toleration in l or old is an error. With numericOff, so are Lt and Gt in l, unless old
// has one. Paths begin with spec.tolerations.
func (l List) Validate(old List, numericOff bool) error {
	var ps validate.Problems
	kept := set.FinderOf(l, len(old), Toleration.WithoutSeconds)
	for _, u := range old {
		if kept.Index(u.WithoutSeconds()) < 0 {
			ps = append(ps, &validate.Problem{
				Path: listPath, Value: u.String(), Rule: validate.NotAllowed,
				Want: "must not be removed or changed: an update can only add tolerations and change seconds",
			})
		}
	}
	numericOff = numericOff && !slices.ContainsFunc(old, Toleration.IsNumeric)
	for i, u := range l {
		if u.IsZero() {
			ps = append(ps, &validate.Problem{Path: problem.Index(listPath, i), Rule: validate.ZeroValue})
		}
		if numericOff && u.IsNumeric() {
			ps = append(ps, &validate.Problem{
				Path:  problem.Index(listPath, i) + "." + fieldNames[fieldOperator],
				Value: u.Operator().String(), Rule: validate.NumericOff, Allowed: plainNames,
			})
		}
	}
	return ps.Err()
}

// WithoutNumeric returns the list for matching as in a cluster without Lt and Gt: with
// the zero Toleration for each such one, or l if there is none.
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

// Match returns the index of the first toleration that matches the taint, or -1.
func (l List) Match(t taint.Taint) int {
	v := (*value.Taint)(&t)
	tag := v.Tag()
	for i := range l {
		u := (*value.Toleration)(&l[i])
		if !u.MayMatch(tag) { // most do not
			continue
		}
		if u.MatchesText(v) || u.MatchesNumber(v) {
			return i
		}
	}
	return -1
}

// Canonical returns the canonical forms of the tolerations, sorted, each once, without
// zero ones. Their text can be the key of a map; a time of eviction also depends on the
// order.
func (l List) Canonical() List { return set.Canonical(l, false) }
