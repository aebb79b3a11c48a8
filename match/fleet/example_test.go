package fleet_test

import (
	"fmt"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// sample returns a small fleet.
func sample() *fleet.Index[string] {
	gpu := []taint.Taint{taint.MustParse("nvidia.com/gpu=present:NoSchedule")}
	spot := []taint.Taint{taint.MustParse("example.com/spot=true:PreferNoSchedule")}
	down := []taint.Taint{
		taint.MustParse("node.kubernetes.io/not-ready:NoSchedule"),
		taint.MustParse("node.kubernetes.io/not-ready:NoExecute"),
	}
	var x fleet.Index[string]
	x.Put("plain-1", match.Node{})
	x.Put("plain-2", match.Node{Unschedulable: true})
	x.Put("spot-1", match.Node{Taints: spot})
	x.Put("gpu-1", match.Node{Taints: gpu})
	x.Put("gpu-2", match.Node{Taints: gpu})
	x.Put("down-1", match.Node{Taints: down})
	return &x
}

var training = []toleration.Toleration{
	toleration.MustParse("nvidia.com/gpu:NoSchedule op=Exists"),
	toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
}

func Example() {
	x := sample()
	s := x.Snapshot()

	var a fleet.Answer[string]
	s.Query(&a, training)
	fmt.Printf("%d of %d nodes, %d of them preferred; %d would evict\n", a.Schedulable(), a.Total(), a.Preferred(), a.Evicted())
	for id := range a.Nodes() {
		fmt.Println(id)
	}
	// Output:
	// 4 of 6 nodes, 3 of them preferred; 0 would evict
	// spot-1
	// plain-1
	// gpu-1
	// gpu-2
}

func ExampleIndex_Put() {
	var x fleet.Index[string]
	node := match.Node{Taints: []taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule")}}
	fmt.Println(x.Put("n1", node), x.Put("n1", node), x.Len())
	node.Unschedulable = true
	fmt.Println(x.Put("n1", node), x.Len())
	// Output:
	// true false 1
	// true 1
}

func ExampleIndex_Remove() {
	x := sample()
	fmt.Println(x.Remove("gpu-1"), x.Remove("gpu-1"), x.Len())
	// Output: true false 5
}

func ExampleIndex_Load() {
	names := []string{"n1", "n2", "n3"}
	var x fleet.Index[string]
	x.Load(func(yield func(string, match.Node) bool) {
		for _, name := range names {
			if !yield(name, match.Node{}) {
				return
			}
		}
	})
	fmt.Println(x.Len())
	// Output: 3
}

// A writer hands its snapshots over by an atomic pointer; readers take no lock.
func ExampleIndex_Snapshot() {
	x := sample()
	var latest atomic.Pointer[fleet.Snapshot[string]]
	latest.Store(x.Snapshot())

	// In any goroutine:
	s := latest.Load()

	// Meanwhile, in the writer's:
	x.Remove("gpu-1")
	latest.Store(x.Snapshot())

	fmt.Println(s.Len(), latest.Load().Len())
	// Output: 6 5
}

func ExampleSnapshot_Query() {
	s := sample().Snapshot()
	queue := []toleration.Toleration{toleration.MustParse("node.kubernetes.io/unschedulable op=Exists")}

	var a fleet.Answer[string]
	s.Query(&a)
	fmt.Println(a.Schedulable(), a.Preferred(), a.Evicted())
	s.Query(&a, training, queue)
	fmt.Println(a.Schedulable(), a.Preferred(), a.Evicted())
	// Output:
	// 2 1 1
	// 5 4 0
}

func ExampleSnapshot_QueryMatcher() {
	s := sample().Snapshot()
	m := match.Compile(training)

	var a fleet.Answer[string]
	s.QueryMatcher(&a, m)
	fmt.Println(a.Schedulable())
	// Output: 4
}

// Pods of one workload carry the same tolerations.
func ExampleNewMemo() {
	memo := fleet.NewMemo(1000) // shared by all goroutines
	x := sample()

	var a fleet.Answer[string]
	for range 3 {
		x.Snapshot().QueryMemo(memo, &a, training)
		fmt.Println(a.Schedulable())
		x.Remove(slices.Collect(a.Nodes())[0])
	}
	// Output:
	// 4
	// 3
	// 2
}

func ExampleSnapshot_Slot() {
	s := sample().Snapshot()
	slot, ok := s.Slot("gpu-1")
	id, _ := s.ID(slot)
	fmt.Println(slot, ok, id, s.Slots())
	// Output: 3 true gpu-1 6
}

func ExampleAnswer_Schedulable() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)
	fmt.Println(a.Schedulable(), "of", a.Total())
	// Output: 4 of 6
}

func ExampleAnswer_Preferred() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)
	fmt.Println(a.Preferred())
	// Output: 3
}

func ExampleAnswer_Evicted() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a)
	fmt.Println(a.Evicted())
	// Output: 1
}

// Each distinct list is judged once, whatever the number of its nodes: so are
// scores.
func ExampleAnswer_Lists() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)

	var counts []int64
	for list, verdict := range a.Lists() {
		fmt.Printf("%d nodes with %q\n", list.Len(), taint.FormatList(slices.Collect(list.Taints())))
		counts = append(counts, int64(verdict.Count(taint.PreferNoSchedule)))
	}
	fmt.Println(match.AppendScores(nil, counts))
	// Output:
	// 1 nodes with "example.com/spot=true:PreferNoSchedule"
	// 1 nodes with ""
	// 2 nodes with "nvidia.com/gpu=present:NoSchedule"
	// [0 100 100]
}

func ExampleAnswer_AllLists() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a)
	out := 0
	for list, verdict := range a.AllLists() {
		if !verdict.Schedulable() {
			out += list.Len()
		}
	}
	fmt.Println(out, "nodes are out")
	// Output: 4 nodes are out
}

func ExampleAnswer_Node() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a)
	v, ok := a.Node("down-1")
	fmt.Println(v.Schedulable(), v.Preferred(), v.Evicted(), ok)
	_, ok = a.Node("no-such-node")
	fmt.Println(ok)
	// Output:
	// false false true true
	// false
}

func ExampleVerdict_Schedulable() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)
	gpu, _ := a.Node("gpu-1")
	cordoned, _ := a.Node("plain-2")
	fmt.Println(gpu.Schedulable(), cordoned.Schedulable())
	// Output: true false
}

func ExampleVerdict_Preferred() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)
	gpu, _ := a.Node("gpu-1")
	spot, _ := a.Node("spot-1")
	fmt.Println(gpu.Preferred(), spot.Preferred(), spot.Schedulable())
	// Output: true false true
}

func ExampleVerdict_Evicted() {
	s := sample().Snapshot()
	var a fleet.Answer[string]
	s.Query(&a)
	bare, _ := a.Node("down-1")
	s.Query(&a, training)
	tolerant, _ := a.Node("down-1")
	fmt.Println(bare.Evicted(), tolerant.Evicted())
	// Output: true false
}

func ExampleVerdict_Count() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a)
	v, _ := a.Node("down-1")
	fmt.Println(v.Count(taint.NoSchedule), v.Count(taint.PreferNoSchedule), v.Count(taint.NoExecute))
	// Output: 1 0 1
}

// A caller with filters of its own keeps its nodes by slot.
func ExampleAnswer_Bitmap() {
	s := sample().Snapshot()
	roomy := make([]uint64, (s.Slots()+63)/64) // the caller's
	for _, id := range []string{"gpu-2", "plain-1", "plain-2"} {
		slot, _ := s.Slot(id)
		roomy[slot/64] |= 1 << (slot % 64)
	}

	var a fleet.Answer[string]
	s.Query(&a, training)
	both := a.Bitmap(nil)
	for i := range both {
		for both[i] &= roomy[i]; both[i] != 0; both[i] &= both[i] - 1 {
			id, _ := s.ID(i*64 + bits.TrailingZeros64(both[i]))
			fmt.Println(id)
		}
	}
	// Output:
	// plain-1
	// gpu-2
}

func ExampleAnswer_AppendReasons() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a)
	fmt.Printf("%d/%d nodes are available\n", a.Schedulable(), a.Total())
	for _, r := range a.AppendReasons(nil, 3) {
		fmt.Printf("%d untolerated %v\n", r.Nodes, r.Taint)
	}
	// Output:
	// 2/6 nodes are available
	// 2 untolerated nvidia.com/gpu=present:NoSchedule
	// 1 untolerated node.kubernetes.io/not-ready:NoSchedule
	// 1 untolerated node.kubernetes.io/not-ready:NoExecute
}

// A queue that asks whether a pod that waits is worth another try.
func ExampleAnswer_Since() {
	x := sample()
	seen := x.Snapshot()
	x.Put("gpu-3", match.Node{Taints: []taint.Taint{
		taint.MustParse("nvidia.com/gpu=present:NoSchedule"),
		taint.MustParse("dedicated=research:NoSchedule"),
	}})
	x.Remove("plain-1")

	research := toleration.MustParse("dedicated=research")
	var a fleet.Answer[string]
	x.Snapshot().Query(&a, training, []toleration.Toleration{research})
	for c := range a.Since(seen) {
		fmt.Printf("%q: %d, now %d\n", taint.FormatList(slices.Collect(c.List.Taints())), c.Before, c.After)
	}
	// Output:
	// "": 1, now 0
	// "dedicated=research:NoSchedule,nvidia.com/gpu=present:NoSchedule": 0, now 1
}
