package lint_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// What is found in a list, and the fixes that there are.
func Example() {
	pod := list(
		"node.kubernetes.io/not-ready=true:NoExecute",
		"nvidia.com/gpu:NoSchedule",
		"node-role.kubernetes.io/master:NoSchedule op=Exists",
		"maintenance:NoExecute op=Exists",
		"maintenance:NoExecute op=Exists for 60s",
	)
	for _, f := range lint.List(pod, lint.Options{}) {
		fmt.Println(f)
		fmt.Println("   fix:", f.Fix)
	}
	// Output:
	// 0: error: "node.kubernetes.io/not-ready=true:NoExecute" keeps the default seconds away, and nothing in the list tolerates node.kubernetes.io/not-ready:NoExecute, so the pod is evicted at once (suppresses-default)
	//    fix: replace 0 by "node.kubernetes.io/not-ready:NoExecute op=Exists"
	// 1: warning: "nvidia.com/gpu:NoSchedule" matches only a taint without a value; the operator Exists matches nvidia.com/gpu with any (equal-empty-value)
	//    fix: replace 1 by "nvidia.com/gpu:NoSchedule op=Exists"
	// 2: warning: "node-role.kubernetes.io/master:NoSchedule op=Exists" has a key that is out of date: node-role.kubernetes.io/control-plane took its place (outdated-key)
	//    fix: replace 2 by "node-role.kubernetes.io/control-plane:NoSchedule op=Exists"
	// 4: warning: "maintenance:NoExecute op=Exists for 60s" never decides, so its 60s do not count: "maintenance:NoExecute op=Exists" comes before it (shadowed)
	//    fix: remove 4
}

// A daemon's pod may tolerate everything.
func ExampleOptions() {
	daemon := lint.Options{Skip: lint.NewRules(lint.ToleratesEverything, lint.OpenToEveryNode)}
	agent := list("op=Exists", "gpu:NoSchedule op=Exists")
	for _, f := range lint.List(agent, daemon) {
		fmt.Println(f)
	}
	// Output:
	// 1: info: "gpu:NoSchedule op=Exists" is not needed: "op=Exists" tolerates the same taints for as long (redundant)
}

func ExampleList() {
	fmt.Println(lint.List(list("dedicated=gpu:NoSchedule", "cores=16 op=Gt"), lint.Options{}))
	for _, f := range lint.List(list("op=Exists", "cores=0 op=Lt"), lint.Options{}) {
		fmt.Println(f)
	}
	// Output:
	// []
	// 0: warning: "op=Exists" tolerates every taint (tolerates-everything)
	// 1: error: "cores=0 op=Lt" matches no taint: the number on a taint is never less than 0 (never-matches)
}

func ExampleAppendList() {
	buf := make([]lint.Finding, 0, 8) // for many manifests
	for _, text := range []string{"dedicated=gpu:NoSchedule", "gpu", "drain:NoExecute op=Exists for 0s"} {
		buf = lint.AppendList(buf[:0], list(text), lint.Options{})
		fmt.Println(buf)
	}
	// Output:
	// []
	// [0: warning: "gpu" matches only a taint without a value; the operator Exists matches gpu with any (equal-empty-value)]
	// [0: warning: "drain:NoExecute op=Exists for 0s" tolerates the taint for no time: the pod is put on the node and evicted at once (no-time)]
}

// What the namespace brings anyway, the pod need not say.
func ExamplePod() {
	own := list("team=a:NoSchedule", "spot:NoExecute op=Exists for 60s")
	defaults := list("team op=Exists", "spot:NoExecute op=Exists for 300s")
	for _, f := range lint.Pod(own, defaults, lint.Options{}) {
		fmt.Println(f)
		fmt.Println("   by the default", f.Other-len(own))
	}
	// Output:
	// 0: info: "team=a:NoSchedule" is not needed: "team op=Exists" tolerates the same taints for as long (redundant)
	//    by the default 0
}

func ExampleAppendPod() {
	defaults := list(":NoSchedule op=Exists")
	var all []lint.Finding
	for _, text := range []string{"gpu=a100:NoSchedule", ":NoExecute op=Exists"} {
		all = lint.AppendPod(all, list(text), defaults, lint.Options{})
	}
	for _, f := range all {
		fmt.Println(f)
	}
	// Output:
	// 0: info: "gpu=a100:NoSchedule" is not needed: ":NoSchedule op=Exists" tolerates the same taints for as long (redundant)
	// 1: info: ":NoSchedule op=Exists" completes a list that tolerates every NoSchedule and NoExecute taint (open-to-every-node)
}

func ExampleFinding_Message() {
	for _, f := range lint.List(list("a:NoSchedule op=Exists", "a=1:NoSchedule"), lint.Options{}) {
		fmt.Printf("spec.tolerations[%d]: %s (as spec.tolerations[%d])\n", f.Index, f.Message(), f.Other)
	}
	// Output: spec.tolerations[1]: "a=1:NoSchedule" is not needed: "a:NoSchedule op=Exists" tolerates the same taints for as long (as spec.tolerations[0])
}

func ExampleFinding_String() {
	for _, f := range lint.List(list("cores=9223372036854775807 op=Gt"), lint.Options{}) {
		fmt.Println(f)
	}
	// Output: 0: error: "cores=9223372036854775807 op=Gt" matches no taint: the number on a taint is never more than 9223372036854775807 (never-matches)
}

// The fixes that change nothing are applied until there are no more.
func ExampleApply() {
	pod := list("a op=Exists", "a:NoSchedule op=Exists", "cores=0 op=Lt", "b:NoSchedule")
	for {
		var fixes []lint.Fix
		for _, f := range lint.List(pod, lint.Options{}) {
			if f.Fix.Same {
				fixes = append(fixes, f.Fix)
			}
		}
		if fixes == nil {
			break
		}
		fmt.Println(fixes)
		pod = lint.Apply(pod, fixes...)
	}
	fmt.Println(pod)
	// Output:
	// [remove 1 remove 2]
	// [a op=Exists b:NoSchedule]
}

func ExampleAppendApply() {
	buf := make([]toleration.Toleration, 0, 8)
	pod := list("cores=0 op=Lt", "gpu op=Exists")
	for _, f := range lint.List(pod, lint.Options{}) {
		buf = lint.AppendApply(buf[:0], pod, f.Fix)
		fmt.Println(buf)
	}
	// Output: [gpu op=Exists]
}

func ExampleFix_String() {
	fmt.Println(lint.Fix{Edit: lint.Replace, Index: 3, By: toleration.MustParse("gpu op=Exists")})
	fmt.Println(lint.Fix{Edit: lint.Remove, Index: 1})
	// Output:
	// replace 3 by "gpu op=Exists"
	// remove 1
}

func ExampleFix_IsZero() {
	for _, f := range lint.List(list("op=Exists"), lint.Options{}) {
		fmt.Println(f.Rule, f.Fix.IsZero())
	}
	// Output: tolerates-everything true
}

func ExampleEdit_String() {
	fmt.Println(lint.Remove, lint.Replace)
	// Output: Remove Replace
}

func ExampleCluster() {
	var c lint.Cluster
	c.AddNode([]taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule")})
	c.AddNode([]taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("node.kubernetes.io/disk-pressure:NoSchedule")})
	c.AddNode([]taint.Taint{taint.MustParse("team=a:NoSchedule")})
	c.AddPod(list("dedicated=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoExecute op=Exists for 300s"))
	c.AddPod(list("team=b:NoSchedule", "op=Exists"))
	for _, f := range c.Findings(lint.Options{}) {
		fmt.Println(f)
		fmt.Println("   first:", f.First.Owner, f.First.Index)
	}
	// Output:
	// info: no taint of the cluster can need "team=b:NoSchedule" (1 pod): its key is there with other values or effects only (unneeded-toleration)
	//    first: 1 0
	// info: no pod tolerates team=a:NoSchedule by its key (1 node) (untolerated-taint)
	//    first: 2 0
}

func ExampleCluster_Findings() {
	var c lint.Cluster
	c.AddPod(list("gone op=Exists"))
	c.AddPod(list("gone op=Exists"))
	fmt.Println(c.Findings(lint.Options{}))
	// Output: [info: no taint of the cluster can need "gone op=Exists" (2 pods) (unneeded-toleration)]
}

func ExampleCluster_AppendFindings() {
	buf := make([]lint.ClusterFinding, 0, 8)
	for _, team := range []string{"a", "b"} { // two clusters
		var c lint.Cluster
		c.AddNode([]taint.Taint{taint.MustParse("team=" + team + ":NoSchedule")})
		buf = c.AppendFindings(buf, lint.Options{})
	}
	fmt.Println(len(buf))
	// Output: 2
}

func ExampleClusterFinding_Message() {
	var c lint.Cluster
	c.AddNode([]taint.Taint{taint.MustParse("quarantine:NoExecute")})
	for _, f := range c.Findings(lint.Options{}) {
		fmt.Println(f.Message())
	}
	// Output: no pod tolerates quarantine:NoExecute by its key (1 node)
}

func ExampleClusterFinding_String() {
	var c lint.Cluster
	c.AddNode([]taint.Taint{taint.MustParse("quarantine:NoExecute")})
	for _, f := range c.Findings(lint.Options{}) {
		fmt.Println(f)
	}
	// Output: info: no pod tolerates quarantine:NoExecute by its key (1 node) (untolerated-taint)
}

// list reads tolerations, all of which must be valid; "zero" is the zero one.
func list(texts ...string) []toleration.Toleration {
	var l []toleration.Toleration
	for _, text := range texts {
		if text == "zero" {
			l = append(l, toleration.Toleration{})
			continue
		}
		l = append(l, toleration.MustParse(text))
	}
	return l
}
