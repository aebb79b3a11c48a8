package taint

import (
	"cmp"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// A List is the taints of a node, in its order. It can be a flag by [flag.TextVar]. A
// zero Taint has the JSON null and the text "(invalid taint)", which cannot be read.
type List []Taint

// DecodeOptions are the options of [Decode]. The zero value does what the API server does.
type DecodeOptions struct {
	// Path begins the paths of problems; "spec.taints" if empty.
	Path string
	// Strict makes unknown and repeated fields errors instead of warnings.
	Strict bool
	// AllowUnknown makes an unknown effect, as of a later Kubernetes, a warning. The
	// taint is then zero.
	AllowUnknown bool
}

const listPath = "spec.taints"

// Decode returns the taints of a JSON list, such as a node's spec.taints, and warnings
// about what it ignores. Null is the empty list. A repeated key and effect is an error.
func Decode(data []byte, opts DecodeOptions) (list List, warnings validate.Problems, err error) {
	l := apijson.NewList(data, cmp.Or(opts.Path, listPath), opts.Strict)
	list = readList(&l, opts.AllowUnknown)
	return list, l.Warnings, l.Problems.Err()
}

// readList returns the elements of l, and nil when there is a problem.
func readList(l *apijson.List, allowUnknown bool) List {
	var (
		seen   = make(map[Taint]bool)
		fields [fieldCount]apijson.Field
		out    List
	)
	for l.Next(fieldNames, fields[:]) {
		if cap(out) == 0 {
			out = make(List, 0, 4) // the usual list is short
		}
		t, found := fromFields(fields[:])
		if allowUnknown && enum.Unknown(found) {
			l.Warn(found)
			out = append(out, Taint{})
			continue
		}
		if t.IsZero() {
			// Never returned, but a key and effect can be repeated beside a bad value.
			key, _ := fields[fieldKey].AsString("", nil)
			effect, _ := fields[fieldEffect].AsString("", nil)
			t, _ = build("", "", key, "", effect)
		}
		if repeats(seen, t) {
			found = append(found, duplicate(t))
		}
		l.Report(found)
		out = append(out, t)
	}
	if len(l.Problems) > 0 {
		return nil
	}
	return out
}

func duplicate(t Taint) *validate.Problem {
	return &validate.Problem{Value: t.String(), Rule: validate.Duplicate}
}

// Validate returns an error for a zero Taint, and for one with the key and effect of an
// earlier one. Paths begin with spec.taints.
func (l List) Validate() error {
	var ps validate.Problems
	f := finderOf(l, len(l))
	for i, t := range l {
		switch {
		case t.IsZero():
			ps = append(ps, &validate.Problem{Path: problem.Index(listPath, i), Rule: validate.ZeroValue})
		case f.Index(t.keyEffect()) < i:
			ps = problem.Append(ps, problem.Index(listPath, i), duplicate(t))
		}
	}
	return ps.Err()
}

// repeats reports whether seen has the key and effect of t, which it adds.
func repeats(seen map[Taint]bool, t Taint) bool {
	key := t.keyEffect()
	repeated := seen[key]
	seen[key] = !t.IsZero()
	return repeated
}

// finderOf returns a finder of taints by key and effect, for so many calls.
func finderOf(l List, calls int) set.Finder[Taint, Taint] {
	return set.FinderOf(l, calls, Taint.keyEffect)
}

func (t Taint) keyEffect() Taint { return Taint(value.Taint(t).KeyEffect()) }

// Canonical returns the canonical forms of the taints, sorted, each once. Their text can
// be the key of a map.
func (l List) Canonical() List { return set.Canonical(l, true) }
