package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// BenchmarkFleetChange changes the taints of one node, any of them, to a list
// that is known: with no snapshot taken, with one before every change, and
// with one before every thousandth.
func BenchmarkFleetChange(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes := few(n, 109)
			kinds, _ := distinct(nodes)
			x := index(nodes)
			rng := rand.New(rand.NewPCG(3, 4)) // goes on: the same again would change nothing
			for _, every := range []struct {
				name string
				n    int
			}{{"none", 0}, {"every", 1}, {"thousandth", 1000}} {
				b.Run("snapshot="+every.name, func(b *testing.B) {
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

func changeOne(x *fleet.Index[uint64], nodes int, kinds [][]taint.Taint, rng *rand.Rand) {
	x.Put(nodeID(rng.IntN(nodes)), match.Node{Taints: kinds[rng.IntN(len(kinds))]})
}

// BenchmarkFleetFlap moves one node between two lists, of which it is the only
// one to bear either.
func BenchmarkFleetFlap(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			x := index(few(n, 109))
			to := [2][]taint.Taint{{taint.MustParse("flap=here:NoSchedule")}, {taint.MustParse("flap=there:NoExecute")}}
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				i++
				x.Put(nodeID(7), match.Node{Taints: to[i&1]})
			}
		})
	}
}

// BenchmarkFleetNew gives a node a list that no node had before.
func BenchmarkFleetNew(b *testing.B) {
	const pool = 1 << 16
	fresh := make([]taint.Taint, pool)
	for i := range fresh {
		fresh[i] = taint.MustParse(fmt.Sprintf("fresh=f%d:NoSchedule", i))
	}
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
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
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes := few(n, 109)
			b.ReportAllocs()
			for b.Loop() {
				index(nodes)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
		})
	}
}

// BenchmarkFleetNode asks for the verdict on one node, any of them.
func BenchmarkFleetNode(b *testing.B) {
	for _, n := range []int{5_000, 1_000_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			s := index(few(n, 109)).Snapshot()
			var a fleet.Answer[uint64]
			s.Query(&a, podOf())
			rng := rand.New(rand.NewPCG(3, 4))
			b.Run("by=id", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Node(nodeID(rng.IntN(n)))
				}
			})
			b.Run("by=slot", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a.Slot(rng.IntN(n))
				}
			})
		})
	}
}

// BenchmarkFleetAnswer takes from an answer all that costs more than reading a
// number.
func BenchmarkFleetAnswer(b *testing.B) {
	for _, size := range []size{{5_000, 109}, {1_000_000, 786}} {
		b.Run(size.String(), func(b *testing.B) {
			s := index(few(size.nodes, size.lists)).Snapshot()
			var a fleet.Answer[uint64]
			s.Query(&a, podOf())
			b.Run("op=nodes", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					walkNodes(&a)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(a.Schedulable()), "ns/node")
			})
			b.Run("op=bitmap", func(b *testing.B) {
				b.ReportAllocs()
				bits := a.Bitmap(nil)
				for b.Loop() {
					bits = a.Bitmap(bits)
				}
			})
			b.Run("op=reasons", func(b *testing.B) {
				b.ReportAllocs()
				reasons := a.AppendReasons(nil, 3)
				for b.Loop() {
					reasons = a.AppendReasons(reasons[:0], 3)
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
