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

// property draws two lists. It compares the results for them with those of Tolerates for
// taints.
func property(t *rapid.T) {
	a := gen.TolerationsAndZeros().Draw(t, "a")
	b := near(a).Draw(t, "b")
	for _, p := range choices {
		checkWitness(t, p, a, b)
		checkWitness(t, p, b, a)
	}
}

// mergeProperty draws lists, and tests what Merge promises about them.
func mergeProperty(t *rapid.T) {
	a := gen.TolerationsAndZeros().Draw(t, "a")
	lists := []toleration.List{a, near(a).Draw(t, "b"), near(a).Draw(t, "c")}
	checkMerge(t, lists[:rapid.IntRange(0, len(lists)).Draw(t, "lists")])
}
