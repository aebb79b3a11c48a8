package taint_test

import (
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
)

func ExampleParseSelector() {
	c, err := taint.ParseSelector("readiness.k8s.io/*,dedicated=gpu,*:NoExecute")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range listOf("readiness.k8s.io/cni:NoSchedule", "dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule", "dedicated=cpu:NoExecute") {
		fmt.Println(t, c.Has(t))
	}

	_, err = taint.ParseSelector("a b,dedicated=*,k:NoExcute")
	fmt.Println(err)
	// Output:
	// readiness.k8s.io/cni:NoSchedule true
	// dedicated=gpu:NoSchedule true
	// dedicated=cpu:NoSchedule false
	// dedicated=cpu:NoExecute true
	// taint.ParseSelector: [0].key "a b": the name must contain only letters, digits, '-', '_' and '.'
	// taint.ParseSelector: [1].value "*": must contain only letters, digits, '-', '_' and '.'
	// taint.ParseSelector: [2].effect: unknown effect "NoExcute", did you mean NoExecute? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleSelector_IsZero() {
	fmt.Println(taint.Selector{}.IsZero(), selector("k").IsZero())
	// Output: true false
}

func ExampleSelector_Has() {
	starting := taint.MustParseSelector("example.com/starting:NoSchedule")
	t := taint.MustParse("example.com/starting=1:NoSchedule")
	fmt.Println(starting.Has(t), starting.Has(taint.Taint{}))
	// Output: true false
}

// A controller rejects taints with the keys of the node lifecycle controller, except the
// one that administrators set.
func ExampleMustParseSelector() {
	reserved := taint.MustParseSelector("node.kubernetes.io/*,!node.kubernetes.io/out-of-service")
	for _, t := range listOf("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute") {
		fmt.Println(t, reserved.Has(t))
	}
	// Output:
	// node.kubernetes.io/not-ready:NoExecute true
	// node.kubernetes.io/out-of-service=nodeshutdown:NoExecute false
}

// Selectors with the same patterns in another order select the same taints, but are not
// Equal.
func ExampleSelector_Equal() {
	one := taint.MustParseSelector("maintenance,spot")
	fmt.Println(one.Equal(one), one.Equal(taint.MustParseSelector("spot,maintenance")))
	// Output: true false
}
