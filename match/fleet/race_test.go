package fleet_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
)

// TestSnapshot_concurrent runs a writer that changes nodes and publishes snapshots, and
// readers that query new and old snapshots. The number of nodes never changes, and each
// node is in exactly one group. The race detector must find no race.
func TestSnapshot_concurrent(t *testing.T) {
	const nodes, rounds, readers = 500, 300, 3
	var kinds []match.Node
	for _, text := range []string{"", "a=1:NoSchedule", "a=2:NoSchedule", "b:NoExecute", "a=1:NoSchedule,b:NoExecute", "c:PreferNoSchedule", "n=5:NoSchedule"} {
		kinds = append(kinds, match.Node{Taints: taints(t, text)})
	}
	var x fleet.Index[int]
	for i := range nodes {
		x.Put(i, kinds[i%len(kinds)])
	}
	pod := tolerations("a op=Exists", "n=4 op=Gt")
	var latest atomic.Pointer[fleet.Snapshot[int]]
	latest.Store(x.Snapshot())
	first := x.Snapshot()
	want := new(fleet.Answer[int])
	first.Query(want, pod)

	var wg sync.WaitGroup
	var done atomic.Bool
	for r := range readers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(r)))
			var a fleet.Answer[int]
			for !done.Load() {
				s := latest.Load()
				s.Query(&a, pod)
				n, sum := 0, 0
				for range a.Nodes() {
					n++
				}
				for l := range a.AllGroups() {
					sum += l.Len()
				}
				if s.Len() != nodes || sum != nodes || n != a.Schedulable() {
					t.Errorf("%d nodes, in groups %d; %d fit and %d are there", s.Len(), sum, a.Schedulable(), n)
					return
				}
				for range a.Changes(first) {
				}
				if _, ok := a.Node(rng.IntN(nodes)); !ok {
					t.Error("a node is not there")
					return
				}
				for range want.Nodes() { // which all readers share
				}
				first.Query(&a, pod)
				if a.Schedulable() != want.Schedulable() || a.Evicted() != want.Evicted() {
					t.Error("the first snapshot has changed")
					return
				}
			}
		})
	}
	rng := rand.New(rand.NewPCG(3, 4))
	for range rounds {
		for range 20 {
			id := rng.IntN(nodes)
			if rng.IntN(10) == 0 {
				x.Remove(id)
			}
			x.Put(id, kinds[rng.IntN(len(kinds))])
		}
		latest.Store(x.Snapshot())
	}
	done.Store(true)
	wg.Wait()
}
