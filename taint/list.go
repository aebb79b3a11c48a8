package taint

import (
	"slices"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// ListOptions says how a list of taints is read and checked. The zero value is
// the API server's own way.
type ListOptions struct {
	// Path is the path of the list in its object, put before each problem's;
	// "spec.taints" when empty.
	Path string
	// Strict makes DecodeList refuse fields that a taint does not have
	// (wrongly cased names among them) and fields that are given twice.
	Strict bool
}

func (o ListOptions) path() string {
	if o.Path == "" {
		return "spec.taints"
	}
	return o.Path
}

// DecodeList returns the taints of a node from the JSON of their list, such as
// what stands under spec.taints in the output of kubectl get nodes -o json.
// A null and an empty list give an empty one.
//
// The error tells all problems of all elements, null ones and repeated
// taints (see [ValidateList]) among them, and comes with a nil list.
//
// It allocates the list and one copy of the text, and what strings are new.
func DecodeList(data []byte, opts ListOptions) ([]Taint, error) {
	return AppendDecode(nil, data, opts)
}

// AppendDecode appends the taints that [DecodeList] returns to dst. On an error
// it returns dst unchanged, and what lay in its room behind is lost. Taints
// that dst held before do not count as repeated.
func AppendDecode(dst []Taint, data []byte, opts ListOptions) ([]Taint, error) {
	path := opts.path()
	s, err := apijson.OpenList(data, path)
	if err != nil {
		return dst, err
	}
	var (
		ps     validate.Problems
		u      uniq
		fields [fieldCount]apijson.Field
		start  = len(dst)
		out    = dst
	)
	for s.More() {
		if cap(out) == 0 {
			out = make([]Taint, 0, 4) // the usual list is short
		}
		found := s.Object(fieldNames, fields[:], opts.Strict, nil)
		var t Taint
		if !notObject(found) {
			var more validate.Problems
			t, more = fromFields(&fields, nil)
			found = append(found, more...)
		}
		if t.IsZero() {
			// Never returned, but a key and effect can be repeated beside a bad value.
			key, _ := fields[fieldKey].AsString("", nil)
			name, _ := fields[fieldEffect].AsString("", nil)
			effect, _ := knownEffect(name)
			t, _ = build("", "", key, "", effect, name)
		}
		if u.repeats(out[start:], t) {
			found = append(found, duplicate(t))
		}
		if len(found) > 0 {
			ps = validate.Append(ps, validate.Index(path, len(out)-start), found)
		}
		out = append(out, t)
	}
	if len(ps) > 0 {
		clear(out[start:]) // dst's spare room may have been written to
		return dst, ps
	}
	return out, nil
}

func notObject(ps validate.Problems) bool {
	return len(ps) == 1 && ps[0].Rule == validate.NotObject
}

func duplicate(t Taint) *validate.Problem {
	return &validate.Problem{Value: t.String(), Rule: validate.Duplicate}
}

// ValidateList reports what keeps the list from being a node's: a taint with
// the key and effect of an earlier one, whose path is its index, or a zero
// Taint. It does not allocate for a valid list of at most 32 taints; it is
// O(len(taints)) for longer ones.
func ValidateList(taints []Taint, opts ListOptions) error {
	var ps validate.Problems
	var u uniq
	for i, t := range taints {
		switch {
		case t.IsZero():
			ps = append(ps, &validate.Problem{Path: validate.Index(opts.path(), i), Rule: validate.ZeroValue})
		case u.repeats(taints[:i], t):
			ps = validate.Append(ps, validate.Index(opts.path(), i), duplicate(t))
		}
	}
	return ps.Err()
}

// uniq finds repeated taints while a list grows.
type uniq struct {
	seen map[Taint]struct{} // by key and effect; nil while the list is short
}

// short is the length up to which a list is searched instead of hashed.
const short = 32

// repeats reports whether t has the key and effect of a taint in earlier. It
// must be called for every element of a list in turn.
func (u *uniq) repeats(earlier []Taint, t Taint) bool {
	if t.IsZero() {
		return false
	}
	if len(earlier) < short {
		return slices.ContainsFunc(earlier, t.SameKeyEffect)
	}
	if u.seen == nil {
		u.seen = make(map[Taint]struct{}, 2*short)
		for _, e := range earlier {
			u.seen[e.keyEffect()] = struct{}{}
		}
	}
	_, repeated := u.seen[t.keyEffect()]
	u.seen[t.keyEffect()] = struct{}{}
	return repeated
}

func (t Taint) keyEffect() Taint {
	return Taint{key: t.key, meta: uint64(t.Effect())}
}

// AppendCanonical appends the set that the taints are to dst: their canonical
// forms, sorted by [Taint.Compare], each once, without zero Taints. Lists that
// mean the same to a filter give the same. It does not allocate when dst has
// room.
func AppendCanonical(dst, taints []Taint) []Taint {
	start := len(dst)
	for _, t := range taints {
		if !t.IsZero() {
			dst = append(dst, t.Canonical())
		}
	}
	set := dst[start:]
	slices.SortFunc(set, Taint.Compare)
	return dst[:start+len(slices.Compact(set))]
}

// EqualSets reports whether a and b are the same set of canonical taints,
// whatever their order, repeats, zero Taints and times added. It does not
// allocate when both have at most 32 taints.
func EqualSets(a, b []Taint) bool {
	if len(a) <= short && len(b) <= short {
		return subset(a, b) && subset(b, a)
	}
	return slices.Equal(AppendCanonical(nil, a), AppendCanonical(nil, b))
}

func subset(a, b []Taint) bool {
	for _, t := range a {
		t = t.Canonical()
		if !t.IsZero() && !slices.ContainsFunc(b, func(u Taint) bool { return t == u.Canonical() }) {
			return false
		}
	}
	return true
}

// HashSet returns a hash of the set that the taints are: equal for lists that
// are [EqualSets], and the same in every process and every release. It is fit
// for telling filter decisions apart, not for anything that depends on the
// order of taints. It does not allocate for at most 32 taints.
//
// It is the sum, over the set, of the hashes mixed by the finalizer of
// SplitMix64.
func HashSet(taints []Taint) uint64 {
	sum := uint64(0)
	if len(taints) > short {
		for _, t := range AppendCanonical(nil, taints) {
			sum += mix(t.Hash())
		}
		return sum
	}
	for i, t := range taints {
		t = t.Canonical()
		if t.IsZero() || slices.ContainsFunc(taints[:i], func(u Taint) bool { return t == u.Canonical() }) {
			continue
		}
		sum += mix(t.Hash())
	}
	return sum
}

// mix is the finalizer of SplitMix64: FNV-1a alone adds up badly.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
