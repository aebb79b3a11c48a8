package match_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The taints of a node in a GPU pool, on a spot machine.
var gpuNode = []taint.Taint{
	taint.MustParse("dedicated=gpu:NoSchedule"),
	taint.MustParse("dedicated=gpu:NoExecute"),
	taint.MustParse("example.com/spot:PreferNoSchedule"),
}

func Example() {
	node := []taint.Taint{
		taint.MustParse("key1=value1:NoSchedule"),
		taint.MustParse("key1=value1:NoExecute"),
		taint.MustParse("key2=value2:NoSchedule"),
	}
	pod := []toleration.Toleration{
		toleration.MustParse("key1=value1:NoSchedule op=Equal"),
		toleration.MustParse("key1=value1:NoExecute op=Equal"),
	}
	r := match.Filter(node, pod)
	fmt.Println("schedulable:", r.Schedulable())
	fmt.Println("evicted:", r.Evicted())
	if i, ok := r.First(); ok {
		fmt.Println("first untolerated:", node[i])
	}
	// Output:
	// schedulable: false
	// evicted: false
	// first untolerated: key2=value2:NoSchedule
}

func ExampleFilter() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")}
	r := match.Filter(gpuNode, pod)
	fmt.Println(r.Schedulable(), r.Preferred(), r.Evicted())
	// Output: true false false
}

// A pod's own tolerations and those that its queue adds match as one list.
func ExampleFilter_lists() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")}
	queue := []toleration.Toleration{toleration.MustParse("example.com/spot op=Exists")}
	fmt.Println(match.Filter(gpuNode, pod, queue).Preferred())
	// Output: true
}

func ExampleUntolerated() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu:NoSchedule op=Equal")}
	for i, t := range match.Untolerated(gpuNode, pod) {
		fmt.Println(i, t)
	}
	// Output:
	// 1 dedicated=gpu:NoExecute
	// 2 example.com/spot:PreferNoSchedule
}

func ExampleAppendUntolerated() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")}
	buf := make([]taint.Taint, 0, 8) // to be used again
	buf = match.AppendUntolerated(buf[:0], gpuNode, pod)
	fmt.Println(buf)
	// Output: [example.com/spot:PreferNoSchedule]
}

func ExampleServing() {
	pod := []toleration.Toleration{
		toleration.MustParse(":NoExecute op=Exists for 300s"),
		toleration.MustParse("dedicated=gpu:NoExecute"),
	}
	for _, policy := range []toleration.Policy{toleration.First, toleration.Longest} {
		if at, ok := match.Serving(policy, gpuNode[1], pod); ok {
			fmt.Printf("%v: %v\n", policy, pod[at.Index])
		}
	}
	// Output:
	// First: :NoExecute op=Exists for 300s
	// Longest: dedicated=gpu:NoExecute
}

// A Position finds the toleration again in the lists that were given.
func ExamplePosition() {
	lists := [][]toleration.Toleration{
		{toleration.MustParse("dedicated=gpu:NoSchedule")},
		{toleration.MustParse("dedicated op=Exists")},
	}
	at, ok := match.Serving(toleration.First, taint.MustParse("dedicated=gpu:NoExecute"), lists...)
	fmt.Println(ok, at.List, at.Index, lists[at.List][at.Index])
	// Output: true 1 0 dedicated op=Exists
}

func ExampleClassify() {
	pod := []toleration.Toleration{
		toleration.MustParse("dedicated=gpu:NoExecute for 300s"),
		toleration.MustParse("dedicated=gpu:NoSchedule"),
	}
	for _, t := range gpuNode {
		fmt.Println(match.Classify(toleration.First, t, pod))
	}
	// Output:
	// ForGood
	// ForAWhile
	// NotTolerated
}

func ExampleClassifyAll() {
	pod := []toleration.Toleration{
		toleration.MustParse(":NoExecute op=Exists for 300s"),
		toleration.MustParse("op=Exists"),
	}
	fmt.Println(match.ClassifyAll(toleration.First, gpuNode, pod))
	fmt.Println(match.ClassifyAll(toleration.ForeverElseShortest, gpuNode, pod))
	// Output:
	// ForAWhile
	// ForGood
}

func ExampleClass() {
	var c match.Class
	fmt.Println(c, c < match.ForAWhile, match.ForAWhile < match.ForGood)
	// Output: NotTolerated true true
}

func ExampleClass_String() {
	fmt.Println(match.ForAWhile.String())
	// Output: ForAWhile
}

func ExampleCordon() {
	fmt.Println(match.Cordon())
	// Output: node.kubernetes.io/unschedulable:NoSchedule
}

// A cordoned node repels pods, though it may bear no taint at all.
func ExampleNode() {
	node := match.Node{Unschedulable: true}
	r := node.Filter()
	i, ok := r.First()
	fmt.Println(r.Schedulable(), r.Evicted(), i, ok)
	// Output: false false -1 true
}

func ExampleNode_Filter() {
	node := match.Node{Taints: gpuNode, Unschedulable: true}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")}
	r := node.Filter(pod)
	fmt.Println(r.Schedulable(), r.Count(taint.NoSchedule))
	// Output: false 1
}

func ExampleNode_Untolerated() {
	node := match.Node{Taints: gpuNode, Unschedulable: true}
	pod := []toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")}
	for i, t := range node.Untolerated(pod) {
		fmt.Println(i, t)
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule
	// 2 example.com/spot:PreferNoSchedule
}

func ExampleNode_AppendUntolerated() {
	node := match.Node{Taints: gpuNode[:1], Unschedulable: true}
	fmt.Println(node.AppendUntolerated(nil))
	// Output: [node.kubernetes.io/unschedulable:NoSchedule dedicated=gpu:NoSchedule]
}

// One pod against the nodes of a cluster.
func ExampleNode_Classify() {
	n := match.Node{Taints: []taint.Taint{taint.MustParse("spot:NoExecute")}, Unschedulable: true}
	pod := []toleration.Toleration{toleration.MustParse("spot:NoExecute for 300s"), toleration.MustParse("spot:NoExecute")}
	fmt.Println(n.Classify(toleration.First, pod))
	n.Unschedulable = false
	fmt.Println(n.Classify(toleration.First, pod), n.Classify(toleration.Longest, pod))
	// Output:
	// NotTolerated
	// ForAWhile ForGood
}

func ExampleMatcher_AppendUntoleratedNode() {
	m := match.Compile([]toleration.Toleration{toleration.MustParse("spot op=Exists")})
	n := match.Node{Taints: []taint.Taint{taint.MustParse("spot:NoExecute"), taint.MustParse("gpu:NoSchedule")}, Unschedulable: true}
	fmt.Println(m.AppendUntoleratedNode(nil, n))
	// Output: [node.kubernetes.io/unschedulable:NoSchedule gpu:NoSchedule]
}

func ExampleResult_String() {
	pod := []toleration.Toleration{toleration.MustParse("spot:NoExecute for 300s")}
	fmt.Println(match.Filter([]taint.Taint{taint.MustParse("spot:NoExecute")}, pod))
	fmt.Println(match.Filter([]taint.Taint{taint.MustParse("spot:NoSchedule"), taint.MustParse("gpu:NoExecute")}, pod))
	// Output:
	// tolerated ForAWhile
	// untolerated: 1 NoSchedule 1 NoExecute
}

func ExampleCompile() {
	nodes := map[string][]taint.Taint{
		"control-plane": {taint.MustParse("node-role.kubernetes.io/control-plane:NoSchedule")},
		"gpu-1":         gpuNode,
		"plain":         nil,
	}
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")})
	for _, name := range []string{"control-plane", "gpu-1", "plain"} {
		fmt.Println(name, pod.Filter(nodes[name]).Schedulable())
	}
	// Output:
	// control-plane false
	// gpu-1 true
	// plain true
}

func ExampleMatcher_Tolerates() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("cores=16 op=Gt")})
	fmt.Println(pod.Tolerates(taint.MustParse("cores=64:NoSchedule")))
	fmt.Println(pod.Tolerates(taint.MustParse("cores=8:NoSchedule")))
	fmt.Println(pod.Tolerates(taint.MustParse("cores=many:NoSchedule")))
	// Output:
	// true
	// false
	// false
}

func ExampleMatcher_Filter() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("op=Exists")})
	r := pod.Filter(gpuNode)
	fmt.Println(r.Preferred(), r.Class())
	// Output: true ForGood
}

func ExampleMatcher_FilterNode() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("dedicated=gpu op=Equal")})
	fmt.Println(pod.FilterNode(match.Node{Taints: gpuNode}).Schedulable())
	fmt.Println(pod.FilterNode(match.Node{Taints: gpuNode, Unschedulable: true}).Schedulable())
	// Output:
	// true
	// false
}

func ExampleMatcher_Untolerated() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse(":NoSchedule op=Exists")})
	for i, t := range pod.Untolerated(gpuNode) {
		fmt.Println(i, t)
	}
	// Output:
	// 1 dedicated=gpu:NoExecute
	// 2 example.com/spot:PreferNoSchedule
}

func ExampleMatcher_UntoleratedNode() {
	pod := match.Compile()
	for i, t := range pod.UntoleratedNode(match.Node{Taints: gpuNode[:1], Unschedulable: true}) {
		fmt.Println(i, t)
	}
	// Output:
	// -1 node.kubernetes.io/unschedulable:NoSchedule
	// 0 dedicated=gpu:NoSchedule
}

func ExampleMatcher_AppendUntolerated() {
	pod := match.Compile([]toleration.Toleration{toleration.MustParse("dedicated op=Exists")})
	fmt.Println(pod.AppendUntolerated(nil, gpuNode))
	// Output: [example.com/spot:PreferNoSchedule]
}

func ExampleResult_Schedulable() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	fmt.Println(match.Filter(gpuNode, pod).Schedulable()) // dedicated=gpu:NoExecute is in the way
	// Output: false
}

func ExampleResult_Preferred() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated op=Exists")}
	r := match.Filter(gpuNode, pod)
	fmt.Println(r.Schedulable(), r.Preferred()) // the spot taint speaks against it
	// Output: true false
}

func ExampleResult_Evicted() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	fmt.Println(match.Filter(gpuNode, pod).Evicted())
	// Output: true
}

func ExampleResult_Daemon() {
	node := []taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule")}
	shouldRun, shouldContinue := match.Filter(node).Daemon()
	fmt.Println(shouldRun, shouldContinue)
	// Output: false true
}

func ExampleResult_Count() {
	r := match.Filter(gpuNode)
	fmt.Println(r.Count(taint.NoSchedule), r.Count(taint.PreferNoSchedule), r.Count(0))
	// Output: 1 1 3
}

func ExampleResult_First() {
	pod := []toleration.Toleration{toleration.MustParse("dedicated:NoSchedule op=Exists")}
	r := match.Filter(gpuNode, pod)
	if i, ok := r.First(taint.NoSchedule, taint.NoExecute); ok {
		fmt.Println("not schedulable for", gpuNode[i])
	}
	// Output: not schedulable for dedicated=gpu:NoExecute
}

func ExampleResult_Class() {
	node := []taint.Taint{taint.MustParse("node.kubernetes.io/not-ready:NoExecute")}
	pod := []toleration.Toleration{toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")}
	fmt.Println(match.Filter(node, pod).Class())
	// Output: ForAWhile
}

// Among the nodes that a pod may be scheduled to, those with fewer untolerated
// PreferNoSchedule taints score higher.
func ExampleAppendScores() {
	spot := taint.MustParse("example.com/spot:PreferNoSchedule")
	old := taint.MustParse("example.com/old:PreferNoSchedule")
	pod := match.Compile()
	var counts []int64
	for _, node := range [][]taint.Taint{nil, {spot}, {spot, old}} {
		counts = append(counts, int64(pod.Filter(node).Count(taint.PreferNoSchedule)))
	}
	fmt.Println(match.AppendScores(nil, counts))
	// Output: [100 50 0]
}
