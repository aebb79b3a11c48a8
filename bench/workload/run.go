package workload

import "testing"

// Run runs one implementation as a benchmark, and counts its allocations. The
// name ends in impl=…; b.Loop keeps the result of work alive.
func Run[T any](b *testing.B, name string, work func() T) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work()
		}
	})
}

// RunNodes is [Run] for work on this many nodes. It reports the time for each node.
func RunNodes(b *testing.B, name string, nodes int, work func() int) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
	})
}
