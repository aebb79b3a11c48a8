package match_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// All functions are safe for concurrent use, also with the same list and the same
// Matcher. The race detector checks this.
func TestConcurrent(t *testing.T) {
	node := match.Node{Taints: taint.MustParseList("a=1:NoSchedule,b=gpu:NoExecute,c:PreferNoSchedule"), Unschedulable: true}
	pod := tolerations("a=0 op=Gt", "b=gpu:NoExecute for 30s", "x=1", "x=2", "x op=Exists")
	for range 20 { // long enough for everything that a Matcher prepares
		pod = append(pod, tolerations("y=1", "z=2 op=Lt")...)
	}
	m := match.Compile(pod)
	want := node.Filter(pod)
	untolerated := taintsOf(node.Untolerated(pod))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				if got := node.Filter(pod); got != want {
					t.Errorf("Node.Filter = %+v, want %+v", got, want)
				}
				if got := m.Filter(node); got != want {
					t.Errorf("Matcher.Filter = %+v, want %+v", got, want)
				}
				got := taintsOf(m.Untolerated(node))
				if !slices.Equal(got, untolerated) {
					t.Errorf("Matcher.Untolerated gives %v, want %v", got, untolerated)
				}
				if e := match.Explain(node.Taints[1], toleration.Longest, pod); e.Mismatch != 0 || e.At != 1 {
					t.Errorf("Explain names %v, want index 1", e)
				}
			}
		})
	}
	wg.Wait()
}
