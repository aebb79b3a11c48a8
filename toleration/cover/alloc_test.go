//go:build !race

// Under the race detector sync.Pool drops what it holds at random.

package cover_test

import (
	"strconv"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// These variables keep the results of calls, so that the compiler does not remove the
// calls.
var (
	sinkBool    bool
	sinkList    toleration.List
	sinkIndexes []int
)

// The rows are the functions that promise not to allocate more than the result. The test must
// not run in parallel with another test.
func TestAllocs(t *testing.T) {
	many := make(toleration.List, 32) // none covers another
	for i := range many {
		many[i] = toleration.MustParse("k=" + strconv.Itoa(i))
	}
	number := toleration.MustParse("k=3 op=Gt")
	measure.Allocs(t, "Covers", 0, func() { sinkBool = cover.Covers(number, many[4]) })
	measure.Allocs(t, "Uncovered", 0, func() { sinkIndexes = cover.Uncovered(many, many) })
	measure.Allocs(t, "Merge", 1, func() { sinkList = cover.Merge(many[:16], many[16:]) })
	measure.Allocs(t, "Merge/nothing", 0, func() { sinkList = cover.Merge(nil, nil) })
}
