package toleration

import (
	"slices"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// ListOptions says how a list of tolerations is read and checked. The zero
// value is the way of an API server whose numeric operators are enabled.
type ListOptions struct {
	// Path is the path of the list in its object, put before each problem's;
	// "spec.tolerations" when empty.
	Path string
	// Strict makes DecodeList refuse fields that a toleration does not have
	// (wrongly cased names among them) and fields that are given twice.
	Strict bool
	// NumericOff refuses the operators Lt and Gt, as clusters do whose feature
	// gate TaintTolerationComparisonOperators is off, the default up to
	// Kubernetes 1.36.
	NumericOff bool
}

func (o ListOptions) path() string {
	if o.Path == "" {
		return "spec.tolerations"
	}
	return o.Path
}

// DecodeList returns the tolerations of a pod from the JSON of their list,
// such as what stands under spec.tolerations in the output of kubectl get pods
// -o json. A null and an empty list give an empty one. Tolerations may repeat
// and contradict each other.
//
// The error tells all problems of all elements, null ones among them, and
// comes with a nil list.
//
// It allocates the list and one copy of the text, and what strings are new.
func DecodeList(data []byte, opts ListOptions) ([]Toleration, error) {
	return AppendDecode(nil, data, opts)
}

// AppendDecode appends the tolerations that [DecodeList] returns to dst. On an
// error it returns dst unchanged, and what lay in its room behind is lost.
func AppendDecode(dst []Toleration, data []byte, opts ListOptions) ([]Toleration, error) {
	path := opts.path()
	s, err := apijson.OpenList(data, path)
	if err != nil {
		return dst, err
	}
	var (
		ps     validate.Problems
		fields [fieldCount]apijson.Field
		out    = dst
	)
	for i := 0; s.More(); i++ {
		if cap(out) == 0 {
			out = make([]Toleration, 0, 4) // the usual list is short
		}
		found := s.Object(fieldNames, fields[:], opts.Strict, nil)
		var u Toleration
		if len(found) != 1 || found[0].Rule != validate.NotObject {
			var more validate.Problems
			u, more = fromFields(&fields, opts.NumericOff)
			found = append(found, more...)
		}
		if len(found) > 0 {
			ps = validate.Append(ps, validate.Index(path, i), found)
		}
		out = append(out, u)
	}
	if len(ps) > 0 {
		clear(out[len(dst):]) // dst's spare room may have been written to
		return dst, ps
	}
	return out, nil
}

// ValidateList reports what keeps the list from being a pod's: a zero
// Toleration, or an operator that the options refuse. Every other list is
// valid, with repeats and contradictions too. It does not allocate for a valid
// list.
func ValidateList(tolerations []Toleration, opts ListOptions) error {
	return validateList(nil, tolerations, opts).Err()
}

func validateList(ps validate.Problems, tolerations []Toleration, opts ListOptions) validate.Problems {
	for i, u := range tolerations {
		if u.IsZero() {
			ps = append(ps, &validate.Problem{Path: validate.Index(opts.path(), i), Rule: validate.ZeroValue})
		}
		if opts.NumericOff && u.IsNumeric() {
			ps = append(ps, &validate.Problem{
				Path:  validate.Index(opts.path(), i) + "." + fieldNames[fieldOperator],
				Value: u.Operator().String(), Rule: validate.NumericOff, Allowed: plainNames,
			})
		}
	}
	return ps
}

// ValidateUpdate reports what keeps a pod's list from being changed from old
// to changed. Every old toleration must still be there as it was written, but
// for its seconds, which may change, come and go: so tolerations may be added
// and reordered, and of two that differ in their seconds alone one may go. An
// absent operator must not become Equal, though they mean the same.
//
// A removed toleration's problem has the list's path and the toleration's
// text. Then come those of [ValidateList]; NumericOff counts only when no old
// toleration has such an operator.
//
// It does not allocate when all is well. It is O(len(old)·len(changed)).
func ValidateUpdate(old, changed []Toleration, opts ListOptions) error {
	var ps validate.Problems
	for _, u := range old {
		same := func(v Toleration) bool { return u.WithoutSeconds() == v.WithoutSeconds() }
		if !slices.ContainsFunc(changed, same) {
			ps = append(ps, &validate.Problem{Path: opts.path(), Value: u.String(), Rule: validate.Removed})
		}
	}
	opts.NumericOff = opts.NumericOff && !slices.ContainsFunc(old, Toleration.IsNumeric)
	return validateList(ps, changed, opts).Err()
}

// WithoutNumeric returns the list for matching as a scheduler does whose
// numeric operators are off: each toleration with Lt or Gt is replaced by the
// zero one, which matches nothing, so that every index stays. It returns the
// list itself, without allocating, when there is none.
func WithoutNumeric(tolerations []Toleration) []Toleration {
	if !slices.ContainsFunc(tolerations, Toleration.IsNumeric) {
		return tolerations
	}
	out := slices.Clone(tolerations)
	for i, u := range out {
		if u.IsNumeric() {
			out[i] = Toleration{}
		}
	}
	return out
}

// short is the length up to which a list is searched instead of sorted.
const short = 32

// AppendCanonical appends the set that the tolerations are to dst: their
// canonical forms, sorted by [Toleration.Compare], each once, without zero
// Tolerations. Lists that mean the same to a filter, toleration by toleration,
// give the same. It does not allocate when dst has room.
func AppendCanonical(dst, tolerations []Toleration) []Toleration {
	start := len(dst)
	for _, u := range tolerations {
		if !u.IsZero() {
			dst = append(dst, u.Canonical())
		}
	}
	set := dst[start:]
	slices.SortFunc(set, Toleration.Compare)
	return dst[:start+len(slices.Compact(set))]
}

// EqualSets reports whether a and b are the same set of canonical tolerations,
// whatever their order, repeats and zero Tolerations. It does not allocate
// when both have at most 32 tolerations.
func EqualSets(a, b []Toleration) bool {
	if len(a) <= short && len(b) <= short {
		return subset(a, b) && subset(b, a)
	}
	return slices.Equal(AppendCanonical(nil, a), AppendCanonical(nil, b))
}

func subset(a, b []Toleration) bool {
	for _, u := range a {
		if !u.IsZero() && !containsCanonical(b, u) {
			return false
		}
	}
	return true
}

// containsCanonical reports whether the list holds a toleration that is u in
// its canonical form.
func containsCanonical(list []Toleration, u Toleration) bool {
	u = u.Canonical()
	for _, v := range list {
		if v.Canonical() == u {
			return true
		}
	}
	return false
}
