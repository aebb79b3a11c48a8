package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// BenchmarkFleetChange replaces the taints of a random node by a list that other nodes
// have. No snapshot is taken, or one before every change, or one before every
// thousandth.
func BenchmarkFleetChange(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes := few(n, 109)
			kinds, _ := distinct(nodes)
			x := index(nodes)
			rng := rand.New(rand.NewPCG(3, 4)) // shared: the same sequence again would change nothing
			for _, every := range []struct {
				name string
				n    int
			}{{"none", 0}, {"every", 1}, {"thousandth", 1000}} {
				b.Run("snapshot="+every.name+"/impl=tolerate-index", func(b *testing.B) {
					i := 0
					b.ReportAllocs()
					for b.Loop() {
						if i++; every.n > 0 && i%every.n == 0 {
							x.Snapshot()
						}
						changeOne(x, n, kinds, rng)
					}
				})
			}
		})
	}
}

func changeOne(x *fleet.Index[uint64], nodes int, kinds []taint.List, rng *rand.Rand) {
	x.Put(nodeID(rng.IntN(nodes)), match.Node{Taints: kinds[rng.IntN(len(kinds))]})
}

// BenchmarkFleetLoad loads a whole fleet.
func BenchmarkFleetLoad(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		nodes := few(n, 109)
		workload.RunNodes(b, fmt.Sprintf("nodes=%d/impl=tolerate-index", n), n, func() int { return index(nodes).Len() })
	}
}
