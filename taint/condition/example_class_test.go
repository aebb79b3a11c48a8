package condition_test

import (
	"flag"
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

func parse(texts ...string) []taint.Taint {
	var list []taint.Taint
	for _, text := range texts {
		list = append(list, taint.MustParse(text))
	}
	return list
}

func ExampleParseClass() {
	c, err := condition.ParseClass("readiness.k8s.io/*,dedicated=gpu,*:NoExecute")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range parse("readiness.k8s.io/cni:NoSchedule", "dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule", "dedicated=cpu:NoExecute") {
		fmt.Println(t, c.Has(t))
	}

	_, err = condition.ParseClass("a b,dedicated=*,k:NoExcute")
	fmt.Println(err)
	// Output:
	// readiness.k8s.io/cni:NoSchedule true
	// dedicated=gpu:NoSchedule true
	// dedicated=cpu:NoSchedule false
	// dedicated=cpu:NoExecute true
	// [0].key "a b": the name may hold only letters, digits, '-', '_' and '.'
	// [1].value "*": may hold only letters, digits, '-', '_' and '.'
	// [2].effect: unknown effect "NoExcute", did you mean NoExecute? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleMustParseClass() {
	fmt.Println(condition.MustParseClass("dedicated=:NoSchedule"))
	// Output: dedicated=:NoSchedule
}

func ExampleClass_flag() {
	var ignored condition.Class
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	flags.TextVar(&ignored, "ignore", condition.Passing(), "taints to ignore")
	err := flags.Parse([]string{"-ignore=readiness.k8s.io/*"})
	fmt.Println(ignored, err)
	// Output: readiness.k8s.io/* <nil>
}

func ExampleClass_IsZero() {
	fmt.Println(condition.Class{}.IsZero(), condition.Cordon().IsZero())
	// Output: true false
}

func ExampleClass_Has() {
	t := taint.MustParse("node.kubernetes.io/not-ready:NoSchedule")
	fmt.Println(condition.NodeConditions().Has(t), condition.NodeEviction().Has(t))
	// Output: true false
}

func ExampleClass_Select() {
	taints := parse("dedicated=gpu:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule")
	fmt.Println(condition.Passing().Select(taints))
	// Output: [node.kubernetes.io/unschedulable:NoSchedule]
}

func ExampleClass_Drop() {
	taints := parse("dedicated=gpu:NoSchedule", "node.kubernetes.io/unschedulable:NoSchedule")
	fmt.Println(condition.Passing().Drop(taints))
	// Output: [dedicated=gpu:NoSchedule]
}

func ExampleClass_Split() {
	taints := parse("a:NoSchedule", "b:NoExecute", "c:PreferNoSchedule")
	in, out := condition.MustParseClass("*:NoExecute").Split(taints)
	fmt.Println(in, out)
	// Output: [b:NoExecute] [a:NoSchedule c:PreferNoSchedule]
}

func ExampleClass_AppendSelect() {
	taints := parse("a:NoSchedule", "b:NoExecute", "c:NoExecute")
	fmt.Println(condition.MustParseClass("*:NoExecute").AppendSelect(taints[:0], taints)) // in place
	// Output: [b:NoExecute c:NoExecute]
}

func ExampleClass_AppendDrop() {
	taints := parse("a:NoSchedule", "b:NoExecute", "c:NoExecute")
	fmt.Println(condition.MustParseClass("*:NoExecute").AppendDrop(taints[:0], taints)) // in place
	// Output: [a:NoSchedule]
}

func ExampleClass_AppendSplit() {
	in, out := make([]taint.Taint, 0, 8), make([]taint.Taint, 0, 8) // for many nodes
	for _, text := range []string{"a:NoSchedule", "a:NoExecute"} {
		in, out = condition.MustParseClass("*:NoExecute").AppendSplit(in[:0], out[:0], parse(text))
		fmt.Println(in, out)
	}
	// Output:
	// [] [a:NoSchedule]
	// [a:NoExecute] []
}

func ExampleUnion() {
	c := condition.Union(condition.Cordon(), condition.MustParseClass("maintenance"))
	fmt.Println(c)
	// Output: node.kubernetes.io/unschedulable,maintenance
}

func ExampleNodeConditions() {
	t := taint.MustParse("node.kubernetes.io/memory-pressure:NoSchedule")
	fmt.Println(condition.NodeConditions().Has(t))
	// Output: true
}

func ExampleNodeEviction() {
	fmt.Println(condition.NodeEviction())
	// Output: node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/unreachable:NoExecute
}

func ExampleCordon() {
	fmt.Println(condition.Cordon())
	// Output: node.kubernetes.io/unschedulable
}

func ExampleCloudStartup() {
	fmt.Println(condition.CloudStartup())
	// Output: node.cloudprovider.kubernetes.io/uninitialized
}

func ExampleAutoscalers() {
	for _, t := range parse("ToBeDeletedByClusterAutoscaler=1788:NoSchedule", "startup-taint.cluster-autoscaler.kubernetes.io/cni:NoSchedule", "karpenter.sh/disrupted:NoSchedule") {
		fmt.Println(t.Key(), condition.Autoscalers().Has(t))
	}
	// Output:
	// ToBeDeletedByClusterAutoscaler true
	// startup-taint.cluster-autoscaler.kubernetes.io/cni true
	// karpenter.sh/disrupted true
}

func ExamplePassing() {
	taints := parse("node.kubernetes.io/not-ready:NoSchedule", "dedicated=gpu:NoSchedule", "karpenter.sh/unregistered:NoExecute")
	fmt.Println(condition.Passing().Drop(taints))
	// Output: [dedicated=gpu:NoSchedule]
}
