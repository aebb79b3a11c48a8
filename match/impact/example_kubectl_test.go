package impact_test

import (
	"encoding/json"
	"fmt"
	"io"
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

// evicted prints which pods of a node these edits of its taints would evict. The input is a list of nodes and pods.
func evicted(in io.Reader, node string, edits ...string) error {
	var list struct{ Items []object }
	if err := json.NewDecoder(in).Decode(&list); err != nil {
		return err
	}
	parsed, err := taint.ParseEdits(edits...)
	if err != nil {
		return err
	}
	var change *impact.Analysis
	for _, o := range list.Items {
		if o.Kind == "Node" && o.Metadata.Name == node {
			taints, err := taint.Apply(o.Spec.Taints, parsed, taint.EditOptions{})
			if err != nil {
				return err
			}
			before := match.Node{Taints: o.Spec.Taints, Unschedulable: o.Spec.Unschedulable}
			after := match.Node{Taints: taints, Unschedulable: o.Spec.Unschedulable}
			change = impact.New(time.Now(), impact.NodeChange{Before: before, After: after})
		}
	}
	if change == nil {
		return fmt.Errorf("no node %q", node)
	}
	for _, o := range list.Items {
		if o.Kind != "Pod" || o.Spec.NodeName != node {
			continue
		}
		if e := change.Eviction(0, eviction.Options{}, o.Spec.Tolerations); e.Kind != eviction.Unchanged {
			fmt.Printf("%s/%s: %v\n", o.Metadata.Namespace, o.Metadata.Name, e.After)
		}
	}
	return nil
}

// A script lists which pods a taint would evict. For a program, copy the part of this file above this
// comment into main.go, change its package to main, import log and os instead of strings, and add this
// function. The lines for go.mod are in README.md, under "Go, without k8s.io/api".
//
//	func main() {
//		if len(os.Args) < 3 {
//			log.Fatal("name a node and taints")
//		}
//		if err := evicted(os.Stdin, os.Args[1], os.Args[2:]...); err != nil {
//			log.Fatal(err)
//		}
//	}
//
// Then run kubectl get nodes,pods -A -o json | go run . gpu-1 maintenance=today:NoExecute.
func Example_kubectl() {
	const sample = `{"items": [
		{"kind": "Node", "metadata": {"name": "gpu-1"}, "spec": {"taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}]}},
		{"kind": "Pod", "metadata": {"namespace": "ml", "name": "train"}, "spec": {"nodeName": "gpu-1"}},
		{"kind": "Pod", "metadata": {"namespace": "ml", "name": "agent"}, "spec": {"nodeName": "gpu-1", "tolerations": [{"operator": "Exists"}]}}]}`
	if err := evicted(strings.NewReader(sample), "gpu-1", "maintenance=today:NoExecute"); err != nil {
		fmt.Println(err)
	}
	// Output: ml/train: due
}
