package lint_test

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/match/lint"
)

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
