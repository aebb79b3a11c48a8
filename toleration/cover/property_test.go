package cover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// near makes lists that are similar to the list: some of its tolerations, in some
// order, and some others.
func near(l toleration.List) *rapid.Generator[toleration.List] {
	return rapid.Custom(func(t *rapid.T) toleration.List {
		n := slices.Clone(l)
		n = append(n, gen.TolerationsAndZeros().Draw(t, "more")...)
		n = rapid.Permutation(n).Draw(t, "order")
		return n[:rapid.IntRange(0, len(n)).Draw(t, "length")]
	})
}

// filler returns no tolerations, or so many that a list with them is indexed.
func filler() *rapid.Generator[toleration.List] {
	return rapid.SampledFrom([]toleration.List{nil, nil, nil, slices.Repeat(list("filler:PreferNoSchedule"), 33)})
}

// property draws two lists. It compares the results for them, and for their tolerations
// one by one, with the results of Tolerates for taints.
func property(t *rapid.T) {
	a := slices.Concat(gen.TolerationsAndZeros().Draw(t, "a"), filler().Draw(t, "filler"))
	b := near(a).Draw(t, "b")
	for _, p := range choices {
		checkWitness(t, p, a, b)
		checkWitness(t, p, b, a)
		checkRedundant(t, p, a)
	}
	for i, u := range a {
		for j, v := range b {
			taints := space(a[i:i+1], b[j:j+1])
			want := atLeast(lengths(toleration.First, a[i:i+1], taints), lengths(toleration.First, b[j:j+1], taints))
			if got := cover.Covers(u, v); got != want {
				t.Errorf("R2: Covers(%v, %v) = %v, want %v", u, v, got, want)
			}
		}
	}
}

func uncoveredTaintProperty(t *testing.T) { rapid.Check(t, property) }

// mergeProperty draws lists, and tests what Merge and Reduce promise about them.
func mergeProperty(t *rapid.T) {
	a := slices.Concat(gen.TolerationsAndZeros().Draw(t, "a"), filler().Draw(t, "filler"))
	lists := []toleration.List{a, near(a).Draw(t, "b"), near(a).Draw(t, "c")}
	checkMerge(t, lists[:rapid.IntRange(0, len(lists)).Draw(t, "lists")])
}

func mergeRapid(t *testing.T) { rapid.Check(t, mergeProperty) }

func coversIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := gen.TolerationOrZero().Draw(t, "u")
		v := gen.TolerationOrZero().Draw(t, "v")
		w := gen.TolerationOrZero().Draw(t, "w")
		if !cover.Covers(u, u) || !cover.Covers(u, u.Canonical()) || !cover.Covers(u.Canonical(), u) {
			t.Errorf("%v does not cover itself", u)
		}
		if cover.Covers(u, v) && cover.Covers(v, w) && !cover.Covers(u, w) {
			t.Errorf("%v covers %v covers %v, but the first not the last", u, v, w)
		}
		one := func(u toleration.Toleration) toleration.List { return toleration.List{u} }
		for _, p := range choices {
			if got, want := listCovers(p, one(u), one(v)), cover.Covers(u, v); got != want {
				t.Errorf("listCovers(%v) of one and one = %v, Covers(%v, %v) = %v", p, got, u, v, want)
			}
			if cover.Covers(u, v) && cover.Covers(v, u) != equivalent(p, one(u), one(v)) {
				t.Errorf("%v and %v: covering both ways is not equivalent", u, v)
			}
		}
	})
}

func uncoveredTaintIsAnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := gen.TolerationsAndZeros().Draw(t, "a")
		b, c := near(a).Draw(t, "b"), near(a).Draw(t, "c")
		p := gen.Choice().Draw(t, "choice")
		if !equivalent(p, a, a) {
			t.Errorf("%v: %v does not cover itself", p, a)
		}
		if listCovers(p, a, b) && listCovers(p, b, c) && !listCovers(p, a, c) {
			t.Errorf("%v: %v covers %v covers %v, but the first not the last", p, a, b, c)
		}
		// With more tolerations, no taint becomes untolerated and, under First, no time
		// becomes shorter.
		if more := append(slices.Clone(a), b...); !listCovers(toleration.First, more, a) || !listCovers(toleration.Longest, more, b) {
			t.Errorf("%v does not cover its parts %v and %v", more, a, b)
		}
		// By all choices except First, the order does not matter.
		if p != toleration.First && !equivalent(p, a, rapid.Permutation(a).Draw(t, "order")) {
			t.Errorf("%v: the order of %v matters", p, a)
		}
	})
}
