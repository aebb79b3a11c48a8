package cover_test

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
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
}

// mergeProperty draws lists, and tests what Merge and Reduce promise about them.
func mergeProperty(t *rapid.T) {
	a := slices.Concat(gen.TolerationsAndZeros().Draw(t, "a"), filler().Draw(t, "filler"))
	lists := []toleration.List{a, near(a).Draw(t, "b"), near(a).Draw(t, "c")}
	checkMerge(t, lists[:rapid.IntRange(0, len(lists)).Draw(t, "lists")])
}
