package lint_test

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Find the mistakes in a list, and their fixes.
func Example() {
	pod := list(
		"node.kubernetes.io/not-ready=true:NoExecute",
		"nvidia.com/gpu:NoSchedule",
		"node.kubernetes.io/out-of-disk:NoSchedule op=Exists",
		"maintenance:NoExecute op=Exists",
		"maintenance:NoExecute op=Exists for 60s",
	)
	for _, f := range lint.Find(pod, lint.Options{}) {
		fmt.Println(f)
		fmt.Println("   fix:", f.Fix)
	}
	// Output:
	// 0: error: "node.kubernetes.io/not-ready=true:NoExecute" prevents the default toleration of node.kubernetes.io/not-ready:NoExecute, and no toleration in the list matches this taint, so the pod is evicted at once (suppresses-default)
	//    fix: 0: replace "node.kubernetes.io/not-ready=true:NoExecute" with "node.kubernetes.io/not-ready:NoExecute op=Exists"
	// 1: warning: "nvidia.com/gpu:NoSchedule" matches only a taint without a value; the operator Exists matches nvidia.com/gpu with any value (equal-empty-value)
	//    fix: 1: replace "nvidia.com/gpu:NoSchedule" with "nvidia.com/gpu:NoSchedule op=Exists"
	// 2: warning: "node.kubernetes.io/out-of-disk:NoSchedule op=Exists" has an outdated key: node.kubernetes.io/disk-pressure replaced it (outdated-key)
	//    fix: 2: replace "node.kubernetes.io/out-of-disk:NoSchedule op=Exists" with "node.kubernetes.io/disk-pressure:NoSchedule op=Exists"
	// 4: warning: "maintenance:NoExecute op=Exists for 60s" has no effect: its 60s are not used, because "maintenance:NoExecute op=Exists" is before it and matches the same taints (shadowed)
	//    fix: 4: remove "maintenance:NoExecute op=Exists for 60s"
}

// A pod does not need the tolerations that its namespace adds.
func ExampleFind_defaults() {
	own := list("team=a:NoSchedule", "spot:NoExecute op=Exists")
	defaults := list("team op=Exists", "spot:NoExecute op=Exists for 300s")
	for _, f := range lint.Find(own, lint.Options{Defaults: defaults}) {
		fmt.Println(f)
		fmt.Println("   covered by default", f.Other-len(own))
	}
	// Output:
	// 0: info: "team=a:NoSchedule" is not needed: "team op=Exists" tolerates the same taints for the same time (redundant)
	//    covered by default 0
}

func ExampleFix_IsZero() {
	for _, f := range lint.Find(list("op=Exists", "a op=Exists"), lint.Options{}) {
		fmt.Println(f.Check, f.Fix.IsZero())
	}
	// Output:
	// tolerates-everything true
	// redundant false
}

// The rules of a linter, as in its help or in SARIF.
func ExampleChecks() {
	for _, c := range lint.Checks() {
		summary, _, _ := strings.Cut(c.Doc(), "\n")
		fmt.Printf("%-20s %-8s %s\n", c, c.Severity(), summary)
	}
	// Output:
	// never-matches        error    the toleration matches no valid taint
	// suppresses-default   error    the toleration prevents a default toleration and does not match its taint
	// shadowed             warning  earlier tolerations decide, so the seconds of this one have no effect
	// redundant            info     other tolerations tolerate the same taints for the same time
	// tolerates-everything warning  the list tolerates every taint
	// open-to-every-node   info     the list tolerates every NoSchedule and NoExecute taint
	// equal-empty-value    warning  the toleration matches only the empty value, where Exists was probably intended
	// outdated-key         warning  Kubernetes no longer uses the key of the toleration
	// no-time              warning  the taint is tolerated for 0 seconds or less
	// unexpected-value     warning  the toleration has a value, and taints with its key have none
	// only-master          info     the list tolerates the old taint of control planes, and not the new one
	// seconds-loop         info     the pod can return to the node from which it is evicted
	// needs-feature-gate   info     the operator needs a feature gate that is off by default
	// too-long             info     the list is too long for shadowed and redundant
}

// A DaemonSet can be intended to tolerate everything.
func ExampleOptions() {
	daemon := lint.Options{Skip: []lint.Check{lint.ToleratesEverything, lint.OpenToEveryNode}}
	for _, f := range lint.Find(list("op=Exists", "gpu:NoSchedule op=Exists"), daemon) {
		fmt.Println(f)
	}
	// Output: 1: info: "gpu:NoSchedule op=Exists" is not needed: "op=Exists" tolerates the same taints for the same time (redundant)
}

func list(texts ...string) toleration.List {
	var l toleration.List
	for _, text := range texts {
		if text == "zero" {
			l = append(l, toleration.Toleration{})
			continue
		}
		l = append(l, toleration.MustParse(text))
	}
	return l
}
