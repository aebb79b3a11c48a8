package match_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// All functions may be called concurrently, with the same lists and the same
// Matcher. The race detector watches.
func TestConcurrent(t *testing.T) {
	node := match.Node{Taints: taints("a=1:NoSchedule,b=gpu:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	lists := [][]toleration.Toleration{tolerations("a=0 op=Gt", "b=gpu:NoExecute for 30s"), tolerations("x=1", "x=2", "x op=Exists")}
	for range 20 { // long enough for whatever a Matcher prepares
		lists[1] = append(lists[1], tolerations("y=1", "z=2 op=Lt")...)
	}
	m := match.Compile(lists...)
	want := node.Filter(lists...)
	untolerated := node.AppendUntolerated(nil, lists...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if got := node.Filter(lists...); got != want {
					t.Errorf("Node.Filter = %+v, want %+v", got, want)
				}
				if got := m.FilterNode(node); got != want {
					t.Errorf("Matcher.FilterNode = %+v, want %+v", got, want)
				}
				if got := match.Compile(lists...).FilterNode(node); got != want {
					t.Errorf("Compile(…).FilterNode = %+v, want %+v", got, want)
				}
				var got []taint.Taint
				for _, one := range m.UntoleratedNode(node) {
					got = append(got, one)
				}
				if !slices.Equal(got, untolerated) || !slices.Equal(m.AppendUntolerated(nil, node.Taints), untolerated[1:]) {
					t.Errorf("Matcher.UntoleratedNode gives %v, want %v", got, untolerated)
				}
				if i, ok := want.First(taint.PreferNoSchedule, taint.NoSchedule); i != -1 || !ok {
					t.Errorf("First = %d, %v, want -1, true", i, ok)
				}
				if at, ok := match.Serving(toleration.Longest, node.Taints[1], lists...); at != (match.Position{Index: 1}) || !ok {
					t.Errorf("Serving = %v, %v, want index 1", at, ok)
				}
			}
		})
	}
	wg.Wait()
}
