package bench_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// BenchmarkFleetGrowth measures the index at three sizes with the same lists, so that
// exponents can be computed. With -short it skips the largest size, which takes long.
func BenchmarkFleetGrowth(b *testing.B) {
	kinds, _ := distinct(few(10_000, 786))
	kind := func(i int) taint.List { // 42 % have no taints, as in few
		if h := uint64(i) * 0xd6e8feb86659fd93 >> 32; h%100 >= 42 {
			return kinds[h>>8%uint64(len(kinds))]
		}
		return nil
	}
	sizes := []int{100_000, 1_000_000, 10_000_000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	for _, n := range sizes {
		run := func(op string, f func(*testing.B)) {
			b.Run(fmt.Sprintf("op=%s/nodes=%d/impl=tolerate-index", op, n), f)
		}
		run("load", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				indexOf(n, kind)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
		run("add", func(b *testing.B) { benchmarkAdd(b, n, kind) })
		before := measure.InUse()
		x := indexOf(n, kind)
		held := float64(measure.InUse()-before) / float64(n)
		rng := rand.New(rand.NewPCG(3, 4))
		run("put", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				changeOne(x, n, kinds, rng)
			}
			b.ReportMetric(held, "bytes/node")
		})
		run("snapshot", func(b *testing.B) { // and the change after it, which copies what it shares
			b.ReportAllocs()
			for b.Loop() {
				x.Snapshot()
				changeOne(x, n, kinds, rng)
			}
		})
		run("query", func(b *testing.B) {
			b.ReportAllocs()
			s, pod := x.Snapshot(), workload.Pod()
			var a fleet.Answer[uint64]
			s.Query(&a, pod)
			for b.Loop() {
				s.Query(&a, pod)
			}
		})
		runtime.KeepAlive(x)
	}
}

// benchmarkAdd adds n nodes one by one, and reports the slowest Put. The garbage
// collector is off meanwhile. An Index grows in the same steps each time, so repetition
// removes the noise of the machine: the time of each Put is the least of all rounds.
func benchmarkAdd(b *testing.B, n int, kind func(int) taint.List) {
	least := make([]uint32, n)
	for i := range least {
		least[i] = ^uint32(0)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for b.Loop() {
		runtime.GC()
		var x fleet.Index[uint64]
		last := time.Now()
		for i := range n {
			x.Put(nodeID(i), match.Node{Taints: kind(i)})
			now := time.Now()
			least[i] = min(least[i], uint32(now.Sub(last)))
			last = now
		}
	}
	slices.Sort(least)
	b.ReportMetric(float64(least[n-1]), "max-ns")
	b.ReportMetric(float64(least[n-1-n/10_000]), "p99.99-ns")
	b.ReportMetric(float64(least[n/2]), "p50-ns")
}
