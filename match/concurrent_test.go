package match_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// All functions are safe for concurrent use, also with the same lists and the same
// Matcher. The race detector checks this.
func TestConcurrent(t *testing.T) {
	node := match.Node{Taints: taint.MustParseList("a=1:NoSchedule,b=gpu:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	lists := []toleration.List{tolerations("a=0 op=Gt", "b=gpu:NoExecute for 30s"), tolerations("x=1", "x=2", "x op=Exists")}
	for range 20 { // long enough for everything that a Matcher prepares
		lists[1] = append(lists[1], tolerations("y=1", "z=2 op=Lt")...)
	}
	m := match.Compile(lists...)
	want := node.Filter(lists...)
	untolerated := taintsOf(node.Untolerated(lists...))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if got := node.Filter(lists...); got != want {
					t.Errorf("Node.Filter = %+v, want %+v", got, want)
				}
				if got := m.Filter(node); got != want {
					t.Errorf("Matcher.Filter = %+v, want %+v", got, want)
				}
				got := taintsOf(m.Untolerated(node))
				if !slices.Equal(got, untolerated) {
					t.Errorf("Matcher.Untolerated gives %v, want %v", got, untolerated)
				}
				if e := match.Explain(node.Taints[1], toleration.Longest, lists...); e.Miss != 0 || e.At != (match.Position{Index: 1}) {
					t.Errorf("Explain names %v, want index 1", e)
				}
			}
		})
	}
	wg.Wait()
}
