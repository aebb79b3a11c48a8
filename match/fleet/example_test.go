package fleet_test

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// sample returns a small fleet.
func sample() *fleet.Index[string] {
	gpu := taint.List{taint.MustParse("nvidia.com/gpu=present:NoSchedule")}
	spot := taint.List{taint.MustParse("example.com/spot=true:PreferNoSchedule")}
	down := taint.List{
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

var training = toleration.List{
	toleration.MustParse("nvidia.com/gpu:NoSchedule op=Exists"),
	toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"),
}

func Example() {
	x := sample()
	s := x.Snapshot()

	var a fleet.Answer[string]
	s.Query(&a, training)
	fmt.Println(a.Counts())
	for id := range a.Nodes() {
		fmt.Println(id)
	}
	// Output:
	// 4 of 6 nodes schedulable, 3 preferred, 0 evicted
	// plain-1
	// spot-1
	// gpu-1
	// gpu-2
}

func ExampleIndex_Put() {
	var x fleet.Index[string]
	node := match.Node{Taints: taint.List{taint.MustParse("dedicated=gpu:NoSchedule")}}
	fmt.Println(x.Put("n1", node), x.Put("n1", node), x.Len())
	node.Unschedulable = true
	fmt.Println(x.Put("n1", node), x.Len())
	// Output:
	// true false 1
	// true 1
}

// A writer publishes its snapshots in an atomic pointer; readers take no lock.
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

// What if some nodes were drained? A fork shares the memory of the snapshot; the index of
// the fleet does not change.
func ExampleSnapshot_Fork() {
	x := sample()
	drained := x.Snapshot().Fork()
	drained.Remove("gpu-1")
	drained.Put("plain-1", match.Node{Unschedulable: true})

	var now, then fleet.Answer[string]
	x.Snapshot().Query(&now, training)
	drained.Snapshot().Query(&then, training)
	fmt.Println("now:", now.Counts())
	fmt.Println("then:", then.Counts())
	// Output:
	// now: 4 of 6 nodes schedulable, 3 preferred, 0 evicted
	// then: 2 of 5 nodes schedulable, 1 preferred, 0 evicted
}

// The slices are those of the index, so this loop is as fast as one over a slice of your own.
func ExampleAnswer_NodeSlices() {
	x := new(fleet.Index[int])
	cpu := []int{4, 16, 8, 32} // free, by node
	for id := range cpu {
		x.Put(id, match.Node{Unschedulable: id == 3})
	}
	var a fleet.Answer[int]
	x.Snapshot().Query(&a, nil)
	for ids := range a.NodeSlices() {
		for _, id := range ids {
			if cpu[id] >= 8 {
				fmt.Println("node", id)
			}
		}
	}
	// Output:
	// node 1
	// node 2
}

// Each group is evaluated once, whatever the number of its nodes. So are scores.
func ExampleAnswer_Groups() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)

	var counts []int64
	for group, c := range a.Groups() {
		fmt.Printf("%d nodes with %q\n", group.Len(), taint.List(slices.Collect(group.Taints())).String())
		counts = append(counts, int64(c.Count(taint.PreferNoSchedule)))
	}
	fmt.Println(match.Scores(counts))
	// Output:
	// 1 nodes with ""
	// 1 nodes with "example.com/spot=true:PreferNoSchedule"
	// 2 nodes with "nvidia.com/gpu=present:NoSchedule"
	// [100 0 100]
}

// A nodeID is a node of a cloud provider's node group.
type nodeID struct{ group, name string }

// An autoscaler counts the nodes of each node group on which a pod can be scheduled.
func Example_nodeGroups() {
	gpu := match.Node{Taints: taint.MustParseList("nvidia.com/gpu=present:NoSchedule")}
	var x fleet.Index[nodeID]
	x.Put(nodeID{"general", "a"}, match.Node{})
	x.Put(nodeID{"general", "b"}, match.Node{Unschedulable: true})
	x.Put(nodeID{"gpu", "c"}, gpu)
	x.Put(nodeID{"gpu", "d"}, gpu)

	var a fleet.Answer[nodeID]
	x.Snapshot().Query(&a, training)
	counts := map[string]int{}
	for ids := range a.NodeSlices() {
		for _, id := range ids {
			counts[id.group]++
		}
	}
	fmt.Println(counts)
	// Output: map[general:1 gpu:2]
}

func ExampleAnswer_Node() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, nil)
	group, r, ok := a.Node("down-1")
	fmt.Println(r, ok)
	if i, ok := r.First(); ok {
		fmt.Println(group.Taint(i))
	}
	_, _, ok = a.Node("no-such-node")
	fmt.Println(ok)
	// Output:
	// untolerated: 1 NoSchedule 1 NoExecute true
	// node.kubernetes.io/not-ready:NoSchedule
	// false
}

func ExampleAnswer_TopReasons() {
	var a fleet.Answer[string]
	s := sample().Snapshot()
	s.Query(&a, nil)
	fmt.Printf("%d/%d nodes are available\n", a.Counts().Schedulable, s.Len())
	for _, r := range a.TopReasons(3) {
		fmt.Printf("%d untolerated %v\n", r.Nodes, r.Taint)
	}
	// Output:
	// 2/6 nodes are available
	// 2 untolerated nvidia.com/gpu=present:NoSchedule
	// 1 untolerated node.kubernetes.io/not-ready:NoSchedule
	// 1 untolerated node.kubernetes.io/not-ready:NoExecute
}

// A group has its taints in an order of its own. To find the taint that Kubernetes reports,
// the first in the order of the node, use Blocking.
func ExampleGroup_Taint() {
	node := match.Node{Taints: taint.MustParseList("pool=gpu:NoSchedule,dedicated=research:NoSchedule")}
	var x fleet.Index[string]
	x.Put("n1", node)

	var a fleet.Answer[string]
	x.Snapshot().Query(&a, nil)
	group, r, _ := a.Node("n1")
	if i, ok := r.First(); ok {
		fmt.Println("first of the group:", group.Taint(i))
	}
	if t, ok := node.Blocking(nil); ok {
		fmt.Println("first of the node:", t)
	}
	// Output:
	// first of the group: dedicated=research:NoSchedule
	// first of the node: pool=gpu:NoSchedule
}

// The result of each group.
func ExampleGroup_String() {
	var a fleet.Answer[string]
	sample().Snapshot().Query(&a, training)
	for l, v := range a.AllGroups() {
		fmt.Printf("%v: %v\n", l, v)
	}
	// Unordered output:
	// 1 node: no taints: tolerated
	// 1 node: node.kubernetes.io/unschedulable:NoSchedule: untolerated: 1 NoSchedule
	// 1 node: example.com/spot=true:PreferNoSchedule: untolerated: 1 PreferNoSchedule
	// 2 nodes: nvidia.com/gpu=present:NoSchedule: tolerated
	// 1 node: node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute: untolerated: 1 NoSchedule
}
