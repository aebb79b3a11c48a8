package adapter

import (
	"slices"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// Covers implements isSuperset. An invalid toleration tolerates nothing, so every
// toleration covers it. Here only an equal one does, so that no whitelist accepts an
// invalid toleration.
func Covers(a, b Toleration) bool {
	u, v := a.Of(), b.Of()
	return !v.IsZero() && cover.Covers(u, v) || v.IsZero() && same(a, b)
}

func same(a, b Toleration) bool {
	if (a.Seconds == nil) != (b.Seconds == nil) || a.Seconds != nil && *a.Seconds != *b.Seconds {
		return false
	}
	a.Seconds, b.Seconds = nil, nil
	return a == b
}

// Allowed implements VerifyAgainstWhitelist: each toleration must be covered by one of
// the whitelist. An empty whitelist allows all.
func Allowed(tolerations, whitelist []Toleration) bool {
	return len(whitelist) == 0 || !slices.ContainsFunc(tolerations, func(t Toleration) bool {
		return !slices.ContainsFunc(whitelist, func(w Toleration) bool { return Covers(w, t) })
	})
}

// Merged implements MergeTolerations. It returns the indices of the merged list in
// first followed by second. Invalid tolerations are kept, so that validation reports
// them.
func Merged(first, second []Toleration) (at []int) {
	ours := func(list []Toleration) toleration.List {
		out := make(toleration.List, len(list))
		for i, t := range list {
			out[i] = t.Of()
		}
		return out
	}
	a, b := ours(first), ours(second)
	for i := range a {
		at = append(at, i)
	}
	added := cover.Merge(a, b)[len(a):]
	for i, u := range b {
		switch {
		case u.IsZero():
			at = append(at, len(a)+i)
		case len(added) > 0 && u == added[0]:
			at = append(at, len(a)+i)
			added = added[1:]
		}
	}
	return at
}
