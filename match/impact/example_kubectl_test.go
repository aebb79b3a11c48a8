package impact_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// An object has the fields of nodes and pods that matter here.
type object struct {
	Kind     string
	Metadata struct{ Namespace, Name string }
	Spec     struct {
		NodeName      string
		Unschedulable bool
		Taints        taint.List
		Tolerations   toleration.List
	}
}

// A script lists the pods that new taints of a node would evict. In a program, read
// os.Stdin instead of the sample:
//
//	kubectl get nodes,pods -A -o json | go run .
func Example_kubectl() {
	const sample = `{"items": [
		{"kind": "Node", "metadata": {"name": "gpu-1"}, "spec": {"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}},
		{"kind": "Pod", "metadata": {"namespace": "ml", "name": "train"}, "spec": {"nodeName": "gpu-1"}},
		{"kind": "Pod", "metadata": {"namespace": "ml", "name": "agent"}, "spec": {"nodeName": "gpu-1", "tolerations": [{"operator": "Exists"}]}}]}`
	in := strings.NewReader(sample)
	name, edits := "gpu-1", "maintenance=today:NoExecute"

	var list struct{ Items []object }
	err := json.NewDecoder(in).Decode(&list)
	if err != nil {
		fmt.Println(err)
		return
	}
	edit, err := taint.ParseEdits(edits)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Now()
	var change *impact.Analysis
	for _, o := range list.Items {
		if o.Kind == "Node" && o.Metadata.Name == name {
			before := match.Node{Taints: o.Spec.Taints, Unschedulable: o.Spec.Unschedulable}
			after := before
			if after.Taints, err = taint.Apply(before.Taints, edit, taint.EditOptions{}); err != nil {
				fmt.Println(err)
				return
			}
			change = impact.New(now, impact.NodeChange{Before: before, After: after})
		}
	}
	if change == nil {
		fmt.Println("no node", name)
		return
	}
	for _, o := range list.Items {
		if o.Kind != "Pod" || o.Spec.NodeName != name {
			continue
		}
		if e := change.Eviction(0, eviction.Options{}, o.Spec.Tolerations); e.Kind != eviction.Unchanged {
			fmt.Printf("%s/%s: %v\n", o.Metadata.Namespace, o.Metadata.Name, e.After)
		}
	}
	// Output: ml/train: due
}
