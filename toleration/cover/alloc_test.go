//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package cover_test

import (
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkBool    bool
	sinkList    toleration.List
	sinkIndexes []int
	sinkTaint   taint.Taint
)

// The rows are the functions that promise not to allocate, with exact counts. The test
// must not run in parallel with another test.
func TestAllocs(t *testing.T) {
	var (
		pod      = list("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s", "dedicated=gpu:NoSchedule")
		defaults = list("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "dedicated op=Exists")
		numbers  = list("k=3 op=Gt", "k=4 op=Lt", "k=-1 op=Gt", "k=05", "k=1:NoExecute for 5s")
		first    = toleration.First
		// The texts of the witnesses are kept interned, as those of a cluster's taints
		// are.
		w, _ = cover.UncoveredTaint(defaults, pod, first)
		// This is the longest list that is scanned without an index. None of its
		// tolerations covers another.
		many = make(toleration.List, 32)
		// These have as many keys and integers as can be.
		keys = make(toleration.List, 32)
		more = append(list("op=Exists"), make(toleration.List, 31)...)
	)
	for i := range many {
		many[i] = toleration.MustParse("k=" + strconv.Itoa(i))
		keys[i] = toleration.MustParse("k" + strconv.Itoa(i) + "=5")
		if i > 0 {
			more[i] = toleration.MustParse("l" + strconv.Itoa(i) + "=5")
		}
	}
	measure.Allocs(t, "Covers/numeric", 0, func() { sinkBool = cover.Covers(numbers[0], numbers[2]) })
	measure.Allocs(t, "UncoveredTaint", 0, func() { sinkTaint, sinkBool = cover.UncoveredTaint(defaults, pod, first) })
	measure.Allocs(t, "UncoveredTaint/32", 0, func() { sinkTaint, sinkBool = cover.UncoveredTaint(many, many, first) })
	measure.Allocs(t, "UncoveredTaint/32_keys", 0, func() { sinkTaint, sinkBool = cover.UncoveredTaint(keys, more, first) })
	measure.Allocs(t, "UncoveredTaint/numeric", 0, func() { sinkTaint, sinkBool = cover.UncoveredTaint(numbers[2:], numbers[:2], first) })
	measure.Allocs(t, "Uncovered/none", 0, func() { sinkIndexes = cover.Uncovered(pod[:1], defaults) })
	measure.Allocs(t, "Redundant", 0, func() { sinkBool = cover.Redundant(numbers, 2, first) })
	measure.Allocs(t, "Redundant/32", 0, func() { sinkBool = cover.Redundant(more, 0, first) })
	measure.Allocs(t, "UncoveredTaint/none", 0, func() { sinkTaint, sinkBool = cover.UncoveredTaint(pod, pod, first) })
	measure.Allocs(t, "Merge", 1, func() { sinkList = cover.Merge(pod, defaults) })
	measure.Allocs(t, "Merge/nothing", 0, func() { sinkList = cover.Merge(nil, nil) })
	measure.Allocs(t, "Merge/32", 1, func() { sinkList = cover.Merge(many) })
	if w.IsZero() {
		t.Error("no taint")
	}
}
