// Dedicated shows what dedicates nodes to a team: a taint and a label on the nodes, a
// toleration and node affinity in the team's pods. With the taint alone, the team's
// pods cannot use the nodes. With the toleration alone, they can still be scheduled on
// other nodes. Pods that already run on the nodes are not evicted by NoSchedule.
//
//	go run ./examples/dedicated
//	go run ./examples/dedicated | kubectl apply -f -
//
// The output is a manifest of the team's Deployment. Its comments are the commands for
// the nodes, and a table of where pods can be scheduled.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

var dedicated = taint.MustParse("dedicated=ml:NoSchedule")

type node struct {
	name   string
	labels map[string]string
	taints taint.List
}

// A podSpec has the fields of a pod that this program sets.
type podSpec struct {
	Tolerations toleration.List `json:"tolerations,omitempty"`
	Affinity    *affinity       `json:"affinity,omitempty"`
	Containers  []container     `json:"containers"`
}

type container struct {
	Name  string `json:"name"`
	Image string `json:"image"`
}

type affinity struct {
	NodeAffinity struct {
		Required struct {
			Terms []term `json:"nodeSelectorTerms"`
		} `json:"requiredDuringSchedulingIgnoredDuringExecution"`
	} `json:"nodeAffinity"`
}

type term struct {
	Expressions []expression `json:"matchExpressions"`
}

// An expression has the operator In.
type expression struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// nodes returns a cluster in which the first two nodes are dedicated.
func nodes(d admission.Dedicated) []node {
	return []node{
		{"gpu-1", d.Labels, taint.List{dedicated}},
		{"gpu-2", d.Labels, taint.List{dedicated}},
		{"cpu-1", nil, nil},
		{"cpu-2", nil, nil},
	}
}

// fits reports whether the pod can be scheduled on the node.
func fits(p podSpec, n node) bool {
	selected := p.Affinity == nil
	if !selected { // one of the terms must match, with all of its expressions
		selected = slices.ContainsFunc(p.Affinity.NodeAffinity.Required.Terms, func(t term) bool {
			return !slices.ContainsFunc(t.Expressions, func(e expression) bool { return !slices.Contains(e.Values, n.labels[e.Key]) })
		})
	}
	return selected && match.Filter(n.taints, p.Tolerations).Schedulable()
}

// bind returns the affinity that binds a pod to the dedicated nodes.
func bind(d admission.Dedicated) *affinity {
	a := new(affinity)
	a.NodeAffinity.Required.Terms = []term{{[]expression{{d.Key, "In", d.Values}}}}
	return a
}

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "dedicated: no arguments are allowed")
		os.Exit(2)
	}
	if err := show(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "dedicated:", err)
		os.Exit(1)
	}
}

func show(w io.Writer) error {
	d := admission.Dedicate(dedicated)
	all := nodes(d)
	team := podSpec{toleration.List{d.Toleration}, bind(d), []container{{"train", "example.com/train"}}}

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "# pod\tcan be scheduled on\n")
	for _, p := range []struct {
		name string
		podSpec
	}{
		{"of another team", podSpec{}},
		{"of the team, unchanged", podSpec{}},
		{"with the toleration", podSpec{Tolerations: team.Tolerations}},
		{"with the affinity", podSpec{Affinity: team.Affinity}},
		{"with both", team},
	} {
		var names []string
		for _, n := range all {
			if fits(p.podSpec, n) {
				names = append(names, n.name)
			}
		}
		if names == nil {
			names = []string{"no node"}
		}
		fmt.Fprintf(table, "# %s\t%s\n", p.name, strings.Join(names, ", "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "#\n# The nodes:\n#   kubectl label nodes gpu-1 gpu-2 %s=%s\n#   kubectl taint nodes gpu-1 gpu-2 %v\n#\n# The workload:\n", d.Key, d.Labels[d.Key], dedicated)
	labels := map[string]string{"app": "train"}
	e := json.NewEncoder(w) // JSON is YAML
	e.SetIndent("", "  ")
	return e.Encode(map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "train", "namespace": "ml"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": team},
		},
	})
}
