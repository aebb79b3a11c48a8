package admission_test

import (
	"fmt"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// Nodes are dedicated to a team. The taint repels the pods of others; the label and
// the node affinity keep the pods of the team off other nodes. Each part is needed.
func Example_dedicated() {
	dedicated := taint.MustParse("dedicated=ml:NoSchedule")
	d := admission.Dedicate(dedicated)

	nodes := []struct {
		name   string
		labels map[string]string
		taints taint.List
	}{
		{"gpu-1", d.Labels, taint.List{dedicated}}, // kubectl label, kubectl taint
		{"cpu-1", nil, nil},
	}
	pods := []struct {
		name        string
		tolerations toleration.List
		affinity    bool // requires that the label d.Key is one of d.Values
	}{
		{"of another team", nil, false},
		{"with the toleration", toleration.List{d.Toleration}, false},
		{"with the affinity", nil, true},
		{"with both", toleration.List{d.Toleration}, true},
	}
	for _, p := range pods {
		fmt.Printf("%s:", p.name)
		for _, n := range nodes {
			selected := !p.affinity || slices.Contains(d.Values, n.labels[d.Key])
			if selected && match.Filter(n.taints, p.tolerations).Schedulable() {
				fmt.Printf(" %s", n.name)
			}
		}
		fmt.Println()
	}
	// Output:
	// of another team: cpu-1
	// with the toleration: gpu-1 cpu-1
	// with the affinity:
	// with both: gpu-1
}
