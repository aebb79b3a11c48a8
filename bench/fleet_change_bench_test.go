package bench_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

// BenchmarkFleetFlap moves one node between two lists that no other node has.
func BenchmarkFleetFlap(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d/impl=tolerate-index", n), func(b *testing.B) {
			x := index(few(n, 109))
			to := [2]taint.List{{taint.MustParse("flap=here:NoSchedule")}, {taint.MustParse("flap=there:NoExecute")}}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				x.Put(nodeID(7), match.Node{Taints: to[i&1]})
			}
		})
	}
}

// BenchmarkFleetNew gives a node a list that no node has had before.
func BenchmarkFleetNew(b *testing.B) {
	const pool = 1 << 16
	fresh := make(taint.List, pool)
	for i := range fresh {
		fresh[i] = taint.MustParse(fmt.Sprintf("fresh=f%d:NoSchedule", i))
	}
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d/impl=tolerate-index", n), func(b *testing.B) {
			x := index(few(n, 109))
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				x.Put(nodeID(7), match.Node{Taints: fresh[i%pool : i%pool+1]})
			}
		})
	}
}

// BenchmarkFleetLoad loads a whole fleet.
func BenchmarkFleetLoad(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		nodes := few(n, 109)
		workload.RunNodes(b, fmt.Sprintf("nodes=%d/impl=tolerate-index", n), n, func() int { return index(nodes).Len() })
	}
}

// BenchmarkFleetNode looks up the counts of a random node.
func BenchmarkFleetNode(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			s := index(few(n, 109)).Snapshot()
			var a fleet.Answer[uint64]
			s.Query(&a, workload.Pod())
			rng := rand.New(rand.NewPCG(3, 4))
			workload.Run(b, "by=id/impl=tolerate-index", func() bool { _, ok := a.Node(nodeID(rng.IntN(n))); return ok })
		})
	}
}

// BenchmarkFleetAnswer measures the methods of an Answer whose cost depends on its
// size.
func BenchmarkFleetAnswer(b *testing.B) {
	for _, size := range []size{{5_000, 109}, {1_000_000, 786}} {
		b.Run(size.String(), func(b *testing.B) {
			s := index(few(size.nodes, size.lists)).Snapshot()
			var a fleet.Answer[uint64]
			s.Query(&a, workload.Pod())
			b.Run("op=nodes/impl=tolerate-index", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					walkNodes(&a)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(a.Schedulable()), "ns/node")
			})
			b.Run("op=reasons/impl=tolerate-index", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.TopReasons(3)
				}
			})
		})
	}
}

func walkNodes(a *fleet.Answer[uint64]) (sum uint64) {
	for id := range a.Nodes() {
		sum += id
	}
	return sum
}

// BenchmarkFleetReaders is the time of a query for each of two readers on two cores. A
// reader always takes the newest snapshot. Either there is no writer, or one changes
// 100,000 nodes a second and publishes a snapshot every 10 milliseconds.
func BenchmarkFleetReaders(b *testing.B) {
	const n, rate, pause = 100_000, 100_000, 10 * time.Millisecond
	nodes, pod := few(n, 786), workload.Pod()
	kinds, _ := distinct(nodes)
	x := index(nodes)
	var newest atomic.Pointer[fleet.Snapshot[uint64]]
	newest.Store(x.Snapshot())
	rng := rand.New(rand.NewPCG(3, 4))
	write := func(stop <-chan struct{}) (changes int) {
		for start := time.Now(); ; time.Sleep(pause) {
			for due := int(time.Since(start).Seconds() * rate); changes < due; changes++ {
				changeOne(x, n, kinds, rng)
			}
			newest.Store(x.Snapshot())
			select {
			case <-stop:
				return changes
			default:
			}
		}
	}
	read := func(queries int) {
		var a fleet.Answer[uint64]
		for range queries {
			newest.Load().Query(&a, pod)
		}
	}
	for _, writer := range []string{"off", "on"} {
		b.Run("writer="+writer+"/impl=tolerate-index", func(b *testing.B) {
			stop, changes := make(chan struct{}), make(chan int, 1)
			if writer == "on" {
				go func() { changes <- write(stop) }()
			} else {
				changes <- 0
			}
			b.ResetTimer()
			var readers sync.WaitGroup
			for range 2 {
				readers.Go(func() { read(b.N) })
			}
			readers.Wait()
			b.StopTimer()
			close(stop)
			b.ReportMetric(float64(<-changes)/max(b.Elapsed(), pause).Seconds(), "changes/s")
		})
	}
}
