package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
)

var kube = program.Func(run)

func aNode(name, labels, spec, allocatable string) string {
	return fmt.Sprintf(`{"kind": "Node", "metadata": {"name": %q, "labels": {%s}}, "spec": {%s}, "status": {"allocatable": {"pods": 10, %s}}}`+"\n", name, labels, spec, allocatable)
}

func aPod(name, spec string) string {
	return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q}, "spec": {%s}}`+"\n", name, spec)
}

const roomy = `"cpu": "4", "memory": "8Gi"`

func TestInput(t *testing.T) {
	kube.Input(t, aNode("n1", "", "", roomy)+aPod("p1", ""), "p1: n1, score 400")
}

func TestHostile_input(t *testing.T) { kube.Hostile(t) }

// More pairs than can be compared are refused.
func TestHostile_pairs(t *testing.T) {
	values := strings.Repeat(`"v",`, 300_000) + `"w"`
	input := aPod("p", `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "k", "operator": "In", "values": [`+values+`]}]}]}}}`)
	for i := range 1000 {
		input += aNode(fmt.Sprintf("n%d", i), "", "", roomy)
	}
	if r := kube.Run(strings.NewReader(input)); r.Status != 2 || !strings.Contains(r.ErrOut, "too many to compare") || r.Out != "" {
		t.Errorf("status %d, %s%s", r.Status, r.ErrOut, r.Out)
	}
}

func TestSample(t *testing.T) {
	const want = `ml/train-0: ml-1, score 389 (300 for taints, 89 for room), of 1 node
shop/web-1: worker-2, score 395 (300 for taints, 95 for room), of 2 nodes
shop/kata-0: worker-2, score 366 (300 for taints, 66 for room), of 3 nodes
ml/train-1: none of 5 nodes
    5: not enough "nvidia.com/gpu"
    4: no term of the node affinity matches
    2: not enough "cpu"
    2: not enough "memory"
    1: untolerated node-role.kubernetes.io/control-plane:NoSchedule
5 nodes, 5 pods, of which 4 pending
`
	if r := kube.Run(nil); r.Status != 0 || r.Out != want {
		t.Errorf("status %d, mismatch (-want +got):\n%s", r.Status, cmp.Diff(want, r.Out))
	}
}

func requesting(resources string) string {
	return fmt.Sprintf(`"containers": [{"resources": {"requests": {%s}}}]`, resources)
}

func terms(terms string) string {
	return `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [` + terms + `]}}}`
}

// One pod and one node: the reasons, or none if it is scheduled.
func TestFilter(t *testing.T) {
	match := func(key, operator, values string) string {
		return fmt.Sprintf(`{"matchExpressions": [{"key": %q, "operator": %q, "values": [%s]}]}`, key, operator, values)
	}
	const overhead = `"overhead": {"cpu": "250m", "memory": "120Mi"}, "containers": [
		{"resources": {"limits": {"cpu": "500m", "memory": "100Mi"}}}, {"resources": {"limits": {"cpu": "1500m", "memory": "100Mi"}}}]`
	const noTerm = "no term of the node affinity matches"
	for _, tt := range []struct{ name, allocatable, node, pod, reason string }{
		{"all of it", roomy, "", requesting(`"cpu": 4, "memory": "8Gi"`), ""},
		{"cpu", roomy, "", requesting(`"cpu": "4001m"`), `not enough "cpu"`},
		{"memory", roomy, "", requesting(`"memory": 8589934593`), `not enough "memory"`},
		{"absent", roomy, "", requesting(`"example.com/x": 1`), `not enough "example.com/x"`},
		{"absent, none requested", roomy, "", requesting(`"example.com/x": "0"`), ""},
		{"overhead", `"cpu": "2250m", "memory": "320Mi"`, "", overhead, ""},
		{"overhead cpu", `"cpu": "2249m", "memory": "320Mi"`, "", overhead, `not enough "cpu"`},
		{"overhead memory", `"cpu": "2.25", "memory": "335544319"`, "", overhead, `not enough "memory"`},
		{"overflow", roomy, "", `"containers": [{"resources": {"requests": {"cpu": "9000000000000000"}}}, {"resources": {"requests": {"cpu": "9000000000000000"}}}]`, `not enough "cpu"`},
		{"NoSchedule", roomy, `"taints": [{"key": "a", "effect": "NoSchedule"}]`, "", "untolerated a:NoSchedule"},
		{"NoExecute", roomy, `"taints": [{"key": "a", "effect": "NoExecute"}]`, "", "untolerated a:NoExecute"},
		{"PreferNoSchedule", roomy, `"taints": [{"key": "a", "effect": "PreferNoSchedule"}]`, "", ""},
		{"tolerated", roomy, `"taints": [{"key": "a", "effect": "NoSchedule"}]`, `"tolerations": [{"operator": "Exists"}]`, ""},
		{"F10_cordoned", roomy, `"unschedulable": true`, "", "untolerated node.kubernetes.io/unschedulable:NoSchedule"},
		{"selector", roomy, "", `"nodeSelector": {"disk": "ssd"}`, ""},
		{"other value", roomy, "", `"nodeSelector": {"disk": "hdd"}`, `no label "disk=hdd"`},
		{"empty value", roomy, "", `"nodeSelector": {"rack": ""}`, `no label "rack="`},
		{"In", roomy, "", terms(match("disk", "In", `"hdd", "ssd"`)), ""},
		{"not In", roomy, "", terms(match("disk", "In", `"hdd"`)), noTerm},
		{"In, absent", roomy, "", terms(match("rack", "In", `""`)), noTerm},
		{"NotIn", roomy, "", terms(match("disk", "NotIn", `"ssd"`)), noTerm},
		{"NotIn, absent", roomy, "", terms(match("rack", "NotIn", `""`)), ""},
		{"Exists", roomy, "", terms(match("disk", "Exists", "")), ""},
		{"not Exists", roomy, "", terms(match("rack", "Exists", "")), noTerm},
		{"DoesNotExist", roomy, "", terms(match("disk", "DoesNotExist", "")), noTerm},
		{"one of two terms", roomy, "", terms(match("rack", "Exists", "") + "," + match("disk", "Exists", "")), ""},
		{"both expressions", roomy, "", terms(`{"matchExpressions": [{"key": "disk", "operator": "Exists"}, {"key": "rack", "operator": "Exists"}]}`), noTerm},
		{"no term", roomy, "", terms(""), noTerm},
		{"empty term", roomy, "", terms("{}"), noTerm},
		{"field", roomy, "", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}`), ""},
		{"other field", roomy, "", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}`), noTerm},
		{"a label is no field", roomy, "", terms(`{"matchFields": [{"key": "disk", "operator": "Exists"}]}`), `"disk" with operator "Exists" in the node affinity is not evaluated`},
		{"unknown field", roomy, "", terms(`{"matchFields": [{"key": "spec.name", "operator": "NotIn", "values": ["n"]}]}`), `"spec.name" with operator "NotIn" in the node affinity is not evaluated`},
		{"operator", roomy, "", terms(match("disk", "Gt", `"1"`)), `"disk" with operator "Gt" in the node affinity is not evaluated`},
		{"operator behind", roomy, "", terms(match("disk", "Gt", `"1"`) + "," + match("disk", "Exists", "")), `"disk" with operator "Gt" in the node affinity is not evaluated`},
		{"gate", roomy, "", `"schedulingGates": [{"name": "g"}]`, "spec.schedulingGates is not evaluated"},
		{"pod resources", roomy, "", `"resources": {"requests": {"cpu": "1"}}`, "spec.resources is not evaluated"},
	} {
		want := "p: n, score "
		if tt.reason != "" {
			want = "p: none of 1 node\n    1: " + tt.reason + "\n1 node, 1 pod, of which 1 pending\n"
		}
		r := kube.Run(strings.NewReader(aNode("n", `"disk": "ssd"`, tt.node, tt.allocatable) + aPod("p", tt.pod)))
		if r.Status != 0 || r.ErrOut != "" || !strings.HasPrefix(r.Out, want) {
			t.Errorf("%s: status %d, want %q:\n%s%s", tt.name, r.Status, want, r.Out, r.ErrOut)
		}
	}
}

// What the containers need at one time, as the documentation of init containers has it.
func TestRequests(t *testing.T) {
	c := func(milli int, more string) string {
		return fmt.Sprintf(`{"resources": {"requests": {"cpu": "%dm"}}%s}`, milli, more)
	}
	const sidecar = `, "restartPolicy": "Always"`
	for _, tt := range []struct {
		name, inits, containers string
		want                    int
	}{
		{"the sum of the containers", "", c(100, "") + "," + c(200, ""), 300},
		{"an init container that needs more", c(500, ""), c(100, ""), 500},
		{"init containers run one by one", c(200, "") + "," + c(250, ""), c(100, ""), 250},
		{"a sidecar keeps running", c(200, sidecar), c(100, ""), 300},
		{"beside a later init container", c(200, sidecar) + "," + c(250, ""), c(100, ""), 450},
		{"not beside an earlier one", c(250, "") + "," + c(200, sidecar), c(10, ""), 250},
		{"a limit where there is no request", "", `{"resources": {"limits": {"cpu": "7m"}}},{"resources": {"limits": {"cpu": "7m"}, "requests": {"cpu": "1m"}}}`, 8},
	} {
		for less := range 2 {
			pod := aPod("p", fmt.Sprintf(`"initContainers": [%s], "containers": [%s]`, tt.inits, tt.containers))
			r := kube.Run(strings.NewReader(aNode("n", "", "", fmt.Sprintf(`"cpu": "%dm"`, tt.want-less)) + pod))
			if strings.HasPrefix(r.Out, "p: n,") != (less == 0) {
				t.Errorf("%s: with %dm: %s%s", tt.name, tt.want-less, r.Out, r.ErrOut)
			}
		}
	}
}

// Priority decides who is first; what is taken is not given again.
func TestOrder(t *testing.T) {
	one := requesting(`"cpu": "3"`)
	input := aNode("n", "", "", roomy) + aPod("low", one) + aPod("high", `"priority": 1, `+one)
	if r := kube.Run(strings.NewReader(input)); !strings.HasPrefix(r.Out, "high: n,") || !strings.Contains(r.Out, "low: none of 1 node\n    1: not enough \"cpu\"\n") {
		t.Error(r)
	}
	bound := strings.Replace(input, `"name": "high"}, "spec": {`, `"name": "high"}, "spec": {"nodeName": "n", `, 1)
	if r := kube.Run(strings.NewReader(bound)); !strings.HasPrefix(r.Out, "low: none") {
		t.Error(r)
	}
	deleted := strings.Replace(bound, `"name": "high"`, `"name": "high", "deletionTimestamp": "2026-01-02T03:04:05Z"`, 1)
	if r := kube.Run(strings.NewReader(deleted)); !strings.HasPrefix(r.Out, "low: none") {
		t.Error(r)
	}
	ended := strings.Replace(bound, `"spec": {"nodeName": "n"`, `"status": {"phase": "Succeeded"}, "spec": {"nodeName": "n"`, 1)
	if r := kube.Run(strings.NewReader(ended)); !strings.HasPrefix(r.Out, "low: n,") {
		t.Error(r)
	}
	soft := aNode("soft", "", `"taints": [{"key": "a", "effect": "PreferNoSchedule"}]`, `"cpu": "400"`) + aNode("full", "", "", roomy)
	if r := kube.Run(strings.NewReader(soft + aPod("p", one))); !strings.HasPrefix(r.Out, "p: full, score 362 (300 for taints, 62 for room), of 2 nodes") {
		t.Error(r)
	}
}

func TestQuantity(t *testing.T) {
	for text, want := range map[string]int64{`"250m"`: 250, `"1.5"`: 1500, "3": 3000, `"0"`: 0, `"1k"`: 1e6, `"16Gi"`: 16000 << 30, `"1.5Gi"`: 1500 << 30, `"1e3"`: 1e6, `"100M"`: 1e11, `"2Ti"`: 2000 << 40, `"1P"`: 1e18,
		`"0.1"`: 100, `"128974848"`: 128974848000, `"1Pi"`: 1000 << 50, "1.25": 1250} {
		var q cluster.Quantity
		if err := q.UnmarshalJSON([]byte(text)); err != nil || int64(q) != want {
			t.Errorf("%s: %d, %v, want %d", text, q, err, want)
		}
	}
	for _, text := range []string{`""`, `"-1"`, `"1.m"`, `"1u"`, `"0.0001"`, `"1Ki m"`, `"1e99"`, `"99999P"`, `"1mm"`, `"1E"`, `null`, `{}`, `"1ki"`, `" 1"`, `"1e999999999"`} {
		var q cluster.Quantity
		if err := q.UnmarshalJSON([]byte(text)); err == nil || q != 0 {
			t.Errorf("%s is read as %d", text, q)
		}
	}
	r := kube.Run(strings.NewReader(aNode("n", "", "", roomy) + aPod("p", requesting(`"cpu": "2 cores"`))))
	if r.Status != 2 || r.Out != "" || !strings.Contains(r.ErrOut, `Pod p: spec.containers: invalid quantity "2 cores"; use one such as`) {
		t.Error(r)
	}
}
