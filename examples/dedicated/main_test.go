package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

const want = `# pod                     can be scheduled on
# of another team         cpu-1, cpu-2
# of the team, unchanged  cpu-1, cpu-2
# with the toleration     gpu-1, gpu-2, cpu-1, cpu-2
# with the affinity       no node
# with both               gpu-1, gpu-2
#
# The nodes:
#   kubectl label nodes gpu-1 gpu-2 dedicated=ml
#   kubectl taint nodes gpu-1 gpu-2 dedicated=ml:NoSchedule
#
# The workload:
`

const wantObject = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"train","namespace":"ml"},` +
	`"spec":{"selector":{"matchLabels":{"app":"train"}},"template":{"metadata":{"labels":{"app":"train"}},` +
	`"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"dedicated","operator":"In","values":["ml"]}]}]}}},` +
	`"containers":[{"image":"example.com/train","name":"train"}],` +
	`"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"ml"}]}}}}`

func TestShow(t *testing.T) {
	var out strings.Builder
	if err := show(&out); err != nil {
		t.Fatal(err)
	}
	comments, object, _ := strings.Cut(out.String(), "{\n")
	if comments != want {
		t.Errorf("printed\n%s\nwant\n%s", comments, want)
	}
	var v any
	if err := json.Unmarshal([]byte("{"+object), &v); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(v); err != nil || string(got) != wantObject {
		t.Errorf("the object is %s, %v, want %s", got, err, wantObject)
	}
}

// Both halves are needed, by the library and the labels alone: the tolerations of the
// team can be scheduled on every node, those of others never on a dedicated one, and
// only the dedicated nodes have the label.
func TestDedicated(t *testing.T) {
	d := admission.Dedicate(dedicated)
	for _, n := range nodes(d) {
		reserved := strings.HasPrefix(n.name, "gpu-")
		if !match.Filter(n.taints, toleration.List{d.Toleration}).Schedulable() {
			t.Errorf("%s repels the pods of the team", n.name)
		}
		for _, other := range []string{"", "dedicated=web", "dedicated=ml:NoExecute", "nvidia.com/gpu op=Exists"} {
			if match.Filter(n.taints, toleration.MustParseList(other)).Schedulable() == reserved {
				t.Errorf("%s: a pod with %q is schedulable: %v", n.name, other, !reserved)
			}
		}
		if slices.Contains(d.Values, n.labels[d.Key]) != reserved {
			t.Errorf("%s has the labels %v", n.name, n.labels)
		}
		if got := fits(podSpec{Tolerations: toleration.List{d.Toleration}, Affinity: bind(d)}, n); got != reserved {
			t.Errorf("%s fits a pod with both: %v", n.name, got)
		}
	}
}
