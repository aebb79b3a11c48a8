package taint_test

import (
	"fmt"
	"strings"

	"github.com/go-tolerate/tolerate/taint"
)

// kubectlTaint does what kubectl taint nodes does with a node's taints.
func kubectlTaint(node taint.List, args string) (taint.List, error) {
	var opts taint.EditOptions
	var texts []string
	for _, arg := range strings.Fields(args) {
		if arg == "--overwrite" {
			opts.Overwrite = true
		} else {
			texts = append(texts, arg)
		}
	}
	edits, err := taint.ParseEdits(texts...)
	if err != nil {
		return nil, err
	}
	after, err := taint.Apply(node, edits, opts)
	return after, err
}

// The arguments of kubectl taint are applied to a node's taints one after the other.
func Example_kubectl() {
	var node taint.List
	for _, args := range []string{
		"dedicated=gpu:NoSchedule",
		"dedicated=cpu:NoSchedule",
		"--overwrite dedicated=cpu:NoSchedule spot:PreferNoSchedule",
		"dedicated:NoExecute-",
		"dedicated-",
	} {
		after, err := kubectlTaint(node, args)
		if err != nil {
			fmt.Println(err)
			continue
		}
		for _, c := range taint.Difference(node, after) {
			fmt.Println(c)
		}
		node = after
	}
	fmt.Println(node)
	// Output:
	// added dedicated=gpu:NoSchedule
	// edits[0] "dedicated=cpu:NoSchedule": already present; use Overwrite to replace it
	// value changed dedicated=gpu:NoSchedule to dedicated=cpu:NoSchedule
	// added spot:PreferNoSchedule
	// edits[0] "dedicated:NoExecute-": not present; use IgnoreAbsent to allow this
	// removed dedicated=cpu:NoSchedule
	// spot:PreferNoSchedule
}
