package match_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzFilter searches, among the nodes and pods that TestFilter_property draws,
// for one about which match and the reference differ.
func FuzzFilter(f *testing.F) {
	gen.Fuzz(f, property)
}

// FuzzFilterText does the same with text: a comma-separated list of taints, and lists
// of tolerations, one on each line, separated by empty lines. Invalid ones are ignored.
func FuzzFilterText(f *testing.F) {
	f.Add("key1=value1:NoSchedule,key1=value1:NoExecute,key2=value2:NoSchedule",
		"key1=value1:NoSchedule op=Equal\nkey1=value1:NoExecute op=Equal", false)
	f.Add("k:NoSchedule,k:NoExecute", "k:NoSchedule op=Exists", false)
	f.Add("k=5:NoSchedule,k=099:NoExecute,k=9223372036854775807:PreferNoSchedule", "k=4 op=Gt\n\nk=100 op=Lt\nk=-1 op=Gt", false)
	f.Add("node.kubernetes.io/unschedulable:NoSchedule,a:NoExecute", ":NoExecute op=Exists for 0s\n\na:NoExecute", true)
	f.Add("a:PreferNoSchedule", "", false)
	f.Add("", "op=Exists", true)
	f.Fuzz(func(t *testing.T, node, pod string, cordoned bool) {
		const most = 64 // a longer list only takes more time
		n := match.Node{Unschedulable: cordoned}
		for text := range strings.SplitSeq(node, ",") {
			if one, err := taint.Parse(text); err == nil && len(n.Taints) < most {
				n.Taints = append(n.Taints, one)
			}
		}
		lists := []toleration.List{nil}
		for line := range strings.SplitSeq(pod, "\n") {
			last := len(lists) - 1
			if line == "" && len(lists) < most {
				lists = append(lists, nil)
			} else if u, err := toleration.Parse(line); err == nil && len(lists[last]) < most {
				lists[last] = append(lists[last], u)
			}
		}
		equalsReference(t, n, lists...)
		if len(n.Taints) > 0 {
			equalsReferenceOne(t, n.Taints[0], lists...)
		}
	})
}
