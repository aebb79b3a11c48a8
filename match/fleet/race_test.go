package fleet_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// TestSnapshot_concurrent runs a writer that changes nodes and publishes snapshots, and
// readers that query new and old snapshots. The number of nodes never changes, and each
// node is in exactly one group. The race detector must find no race.
func TestSnapshot_concurrent(t *testing.T) {
	const nodes, rounds, readers = 500, 300, 3
	var kinds []match.Node
	for _, text := range []string{"", "a=1:NoSchedule", "a=2:NoSchedule", "b:NoExecute", "a=1:NoSchedule,b:NoExecute", "c:PreferNoSchedule", "n=5:NoSchedule"} {
		kinds = append(kinds, match.Node{Taints: taint.MustParseList(text)})
	}
	var x fleet.Index[int]
	for i := range nodes {
		x.Put(i, kinds[i%len(kinds)])
	}
	pod := toleration.MustParseList("a op=Exists,n=4 op=Gt")
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
				if s.Len() != nodes || sum != nodes || n != a.Counts().Schedulable {
					t.Errorf("%d nodes, in groups %d; %d fit and %d are there", s.Len(), sum, a.Counts().Schedulable, n)
					return
				}
				if _, _, ok := a.Node(rng.IntN(nodes)); !ok {
					t.Error("a node is not there")
					return
				}
				for range want.Nodes() { // which all readers share
				}
				first.Query(&a, pod)
				if a.Counts().Schedulable != want.Counts().Schedulable || a.Counts().Evicted != want.Counts().Evicted {
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

// Forks of one snapshot that change in parallel never have the same version for different
// nodes.
func TestSnapshot_Fork(t *testing.T) {
	t.Run("N3_in_parallel", func(t *testing.T) {
		const forks, nodes, rounds = 4, 10, 300
		kinds := []match.Node{{}, {Unschedulable: true}, {Taints: taint.MustParseList("a:NoExecute")}}
		var x fleet.Index[int]
		for i := range nodes {
			x.Put(i, kinds[0])
		}
		s := x.Snapshot()
		var wg sync.WaitGroup
		var mu sync.Mutex
		contents, twice := map[[2]uint64]string{}, 0
		for f := range forks {
			wg.Go(func() {
				fork, rng := s.Fork(), rand.New(rand.NewPCG(1, uint64(f)))
				var a fleet.Answer[int]
				for range rounds {
					fork.Put(rng.IntN(nodes), kinds[rng.IntN(len(kinds))])
					fork.Snapshot().Query(&a, nil)
					for g := range a.AllGroups() {
						key, got := [2]uint64{g.Number(), g.Version()}, fmt.Sprint(slices.Sorted(g.Nodes()))
						mu.Lock()
						if want, known := contents[key]; known && want != got {
							twice++
						}
						contents[key] = got
						mu.Unlock()
					}
				}
			})
		}
		if wg.Wait(); twice > 0 {
			t.Errorf("%d times a group has the number and version of one with other nodes", twice)
		}
	})
}
