// Package workload contains what benchmarks share: a function that runs an
// implementation, and inputs: a pod, a node and a fleet. The inputs are made from a
// seed, so they are the same in every run.
package workload

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The texts have the usual sizes: a key of 28 bytes, a value, and a taint of both.
const (
	Key   = "node.kubernetes.io/not-ready"
	Value = "gpu-a100-80gb"
	Taint = "dedicated=gpu-a100-80gb:NoSchedule"
)

// Pod returns the four tolerations of a usual pod: one for a GPU pool, one for a
// dedicated pool, and the two with 300 seconds that Kubernetes adds to every pod.
func Pod() toleration.List {
	return toleration.MustParseList("nvidia.com/gpu:NoSchedule op=Exists,dedicated=team-7:NoSchedule op=Equal," + defaults)
}

// Node returns two taints: one that [Pod] tolerates, and one that it does not.
func Node() taint.List {
	return taint.MustParseList("dedicated=team-7:NoSchedule,node.kubernetes.io/disk-pressure:NoSchedule")
}

// Failed returns the taints of a node that was not ready and has become unreachable:
// [Pod] tolerates each for 300 s.
func Failed() taint.List {
	return taint.MustParseList("node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/unreachable:NoExecute")
}

// Fleet returns the taints of n nodes. About 40 % of the nodes have none. The others
// are in a hundred dedicated pools, GPU pools, spot and control-plane nodes; some of
// every kind are not ready, unreachable or under pressure. The number of distinct lists
// is small, whatever n is.
func Fleet(n int, seed uint64) []taint.List {
	rng := rand.New(rand.NewPCG(seed, 0))
	fleet := make([]taint.List, n)
	for i := range fleet {
		fleet[i] = node(rng)
	}
	return fleet
}

func node(rng *rand.Rand) taint.List {
	var list taint.List
	switch p := rng.IntN(100); {
	case p < 42:
	case p < 80:
		list = append(list, pools[rng.IntN(len(pools))])
	case p < 88:
		list = append(list, gpu)
		if rng.IntN(2) == 0 {
			list = append(list, pools[rng.IntN(4)])
		}
	case p < 97:
		list = append(list, spot)
	default:
		list = append(list, controlPlane)
	}
	switch p := rng.IntN(1000); {
	case p < 10:
		list = append(list, notReady...)
	case p < 15:
		list = append(list, unreachable...)
	case p < 20:
		list = append(list, pressure)
	}
	return list
}

var (
	gpu          = taint.MustParse("nvidia.com/gpu=present:NoSchedule")
	spot         = taint.MustParse("example.com/spot=true:PreferNoSchedule")
	controlPlane = taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule")
	pressure     = taint.MustParse("node.kubernetes.io/memory-pressure:NoSchedule")
	notReady     = taint.MustParseList("node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute")
	unreachable  = taint.MustParseList("node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute")
	pools        = func() (pools taint.List) {
		for i := range 100 {
			pools = append(pools, taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i)))
		}
		return pools
	}()
)

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
