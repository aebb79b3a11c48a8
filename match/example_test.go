package match_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// This node is in a GPU pool, on a spot machine.
var gpuNode = taint.List{
	taint.MustParse("dedicated=gpu:NoSchedule"),
	taint.MustParse("dedicated=gpu:NoExecute"),
	taint.MustParse("example.com/spot:PreferNoSchedule"),
}

func ExampleNode_Filter() {
	pod := toleration.List{toleration.MustParse("dedicated=gpu op=Equal")}
	r := match.Node{Taints: gpuNode}.Filter(pod)
	fmt.Println(r.Schedulable(), r.Preferred(), r.Evicted())
	// Output: true false false
}

func ExampleCordonTaint() {
	fmt.Println(match.CordonTaint())
	// Output: node.kubernetes.io/unschedulable:NoSchedule
}

func ExampleNode_Taint() {
	node := match.Node{Taints: gpuNode, Unschedulable: true}
	for _, effect := range []taint.Effect{taint.NoSchedule, taint.NoExecute} {
		if i, ok := node.Filter(nil).First(effect); ok {
			fmt.Println(i, node.Taint(i))
		}
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule
	// 1 dedicated=gpu:NoExecute
}

func ExampleNode_Untolerated() {
	node := match.Node{Taints: gpuNode, Unschedulable: true}
	pod := toleration.List{toleration.MustParse("dedicated=gpu op=Equal")}
	for i, t := range node.Untolerated(pod) {
		fmt.Println(i, t)
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule
	// 2 example.com/spot:PreferNoSchedule
}

func ExampleResult_String() {
	pod := toleration.List{toleration.MustParse("spot:NoExecute for 300s")}
	fmt.Println(match.Node{Taints: taint.List{taint.MustParse("spot:NoExecute")}}.Filter(pod))
	fmt.Println(match.Node{Taints: taint.List{taint.MustParse("spot:NoSchedule"), taint.MustParse("gpu:NoExecute")}}.Filter(pod))
	// Output:
	// tolerated
	// untolerated: 1 NoSchedule 1 NoExecute
}

// One pod is compared with the nodes of a cluster.
func ExampleCompile() {
	nodes := map[string]match.Node{
		"control-plane": {Taints: taint.List{taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule")}},
		"cordoned":      {Unschedulable: true},
		"gpu-1":         {Taints: gpuNode},
		"plain":         {},
	}
	pod := match.Compile(toleration.List{toleration.MustParse("dedicated=gpu op=Equal")})
	for _, name := range slices.Sorted(maps.Keys(nodes)) {
		fmt.Println(name, pod.Filter(nodes[name]).Schedulable())
	}
	// Output:
	// control-plane false
	// cordoned false
	// gpu-1 true
	// plain true
}

func ExampleResult_Schedulable() {
	pod := toleration.List{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	fmt.Println(match.Node{Taints: gpuNode}.Filter(pod).Schedulable()) // dedicated=gpu:NoExecute is untolerated
	// Output: false
}

func ExampleResult_Preferred() {
	pod := toleration.List{toleration.MustParse("dedicated op=Exists")}
	r := match.Node{Taints: gpuNode}.Filter(pod)
	fmt.Println(r.Schedulable(), r.Preferred()) // the spot taint is untolerated
	// Output: true false
}

func ExampleResult_Evicted() {
	pod := toleration.List{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	fmt.Println(match.Node{Taints: gpuNode}.Filter(pod).Evicted())
	// Output: true
}

func ExampleResult_Count() {
	r := match.Node{Taints: gpuNode}.Filter(nil)
	fmt.Println(r.Count(taint.NoSchedule), r.Count(taint.PreferNoSchedule), r.Count(0))
	// Output: 1 1 3
}

func ExampleResult_First() {
	pod := toleration.List{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	node := match.Node{Taints: gpuNode}
	if i, ok := node.Filter(pod).First(taint.NoSchedule, taint.NoExecute); ok {
		fmt.Println("not schedulable for", node.Taint(i))
	}
	// Output: not schedulable for dedicated=gpu:NoExecute
}

// Among the nodes on which a pod can be scheduled, those with fewer untolerated
// PreferNoSchedule taints have higher scores.
func ExampleScores() {
	spot := taint.MustParse("example.com/spot:PreferNoSchedule")
	old := taint.MustParse("example.com/old:PreferNoSchedule")
	var counts []int64
	for _, node := range []taint.List{nil, {spot}, {spot, old}} {
		counts = append(counts, int64(match.Node{Taints: node}.Filter(nil).Count(taint.PreferNoSchedule)))
	}
	fmt.Println(match.Scores(counts))
	// Output: [100 50 0]
}

func ExampleResult_With() {
	var r match.Result
	for i, name := range []string{"PreferNoSchedule", "NoExecute"} { // the untolerated taints of another type
		var e taint.Effect
		if err := e.UnmarshalText([]byte(name)); err != nil {
			fmt.Println(err) // e is 0, which counts as NoSchedule
		}
		r = r.With(i, e)
	}
	fmt.Println(r)
	// Output: untolerated: 1 PreferNoSchedule 1 NoExecute
}

func ExampleNode_Schedulable() {
	node := match.Node{Taints: taint.MustParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")}
	pod := toleration.MustParseList("dedicated=gpu")
	fmt.Println(node.Schedulable(nil), node.Schedulable(pod))
	node.Unschedulable = true
	fmt.Println(node.Schedulable(pod))
	// Output:
	// false true
	// false
}

// The reason why a pod cannot be scheduled is one taint, or the cordon.
func ExampleNode_Blocking() {
	pod := toleration.List{toleration.MustParse("dedicated=gpu:NoSchedule")}
	for _, node := range []match.Node{{Taints: gpuNode}, {Taints: gpuNode, Unschedulable: true}, {Taints: gpuNode[:1]}} {
		if t, ok := node.Blocking(pod); ok {
			fmt.Println("cannot be scheduled because of", t)
		} else {
			fmt.Println("can be scheduled")
		}
	}
	// Output:
	// cannot be scheduled because of dedicated=gpu:NoExecute
	// cannot be scheduled because of node.kubernetes.io/unschedulable:NoSchedule
	// can be scheduled
}

func ExampleMatcher_Schedulable() {
	pod := match.Compile(toleration.List{toleration.MustParse("dedicated=gpu")})
	for _, text := range []string{"dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule"} {
		fmt.Println(pod.Schedulable(match.Node{Taints: taint.List{taint.MustParse(text)}}))
	}
	// Output:
	// true
	// false
}
