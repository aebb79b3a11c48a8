package match_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// The documented memory of a Matcher: of pools of one key, of keys, and of numbers.
func TestMatcher_memory(t *testing.T) {
	for _, n := range []int{0, 1, 4, 10, 30, 100, 1000} {
		var values, keys, numbers toleration.List
		for i := range n {
			values = append(values, toleration.MustParse(fmt.Sprintf("pool=p%d:NoSchedule op=Equal", i)))
			keys = append(keys, toleration.MustParse(fmt.Sprintf("key%d op=Exists", i)))
			numbers = append(numbers, toleration.MustParse(fmt.Sprintf("key%d=%d op=Gt", i, i)))
		}
		for _, list := range []toleration.List{values, keys, numbers} {
			matchers := make([]*match.Matcher, 50)
			before := measure.InUse()
			for i := range matchers {
				matchers[i] = match.Compile(list)
			}
			got := int(measure.InUse()-before) / len(matchers)
			runtime.KeepAlive(matchers)
			if most := 2_000 + 160*n; got > most {
				t.Errorf("a Matcher of %v and more, %d in all, has %d bytes, want at most %d", list[:min(n, 1)], n, got, most)
			}
		}
	}
}
