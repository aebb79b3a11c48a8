package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
)

// These are the functions that Filter calls for each taint, those that return at once
// for a node without taints, the methods of a Result, and the functions that return
// iterators, which do not allocate because they are inlined.
func TestInlining(t *testing.T) {
	t.Parallel()
	measure.Inlined(t,
		"bit",
		"(*Node).start",
		"(*Node).at",
		"blocks",
		"check",
		"(*Matcher).tolerates",
		"Result.Schedulable",
		"Result.Preferred",
		"Result.Evicted",
		"Result.Count",
		"Result.First",
		"Node.Schedulable",
		"Node.Blocking",
		"(*Matcher).Schedulable",
		"Node.Filter",
		"Node.Untolerated",
		"Node.Explanations",
		"(*Matcher).Untolerated",
		"CordonTaint",
	)
}
