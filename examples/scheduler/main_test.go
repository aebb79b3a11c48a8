package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/golden"
)

// schedule runs the program on the objects of a list.
func schedule(t *testing.T, objects string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	in := strings.NewReader(`{"apiVersion": "v1", "kind": "List", "items": [` + objects + `]}`)
	status = run(append(args, "-"), in, &out, &errs)
	return status, out.String(), errs.String()
}

// reports runs the program and reads what it says, by pod.
func reports(t *testing.T, objects string, args ...string) map[string]report {
	t.Helper()
	_, out, errs := schedule(t, objects, append(args, "-o", "json")...)
	if errs != "" {
		t.Error(errs)
	}
	var all struct{ Pods []report }
	if err := json.Unmarshal([]byte(out), &all); err != nil {
		t.Fatal(err)
	}
	byName := map[string]report{}
	for _, r := range all.Pods {
		byName[r.Pod] = r
	}
	return byName
}

func aNode(name, allocatable, spec string) string {
	return fmt.Sprintf(`{"kind": "Node", "metadata": {"name": %q, "labels": {"name": %[1]q}}, "spec": {%s}, "status": {"allocatable": {"pods": 10, %s}}}`, name, spec, allocatable)
}

func aPod(name, spec string) string {
	return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q}, "spec": {%s}}`, name, spec)
}

func asking(resources string) string {
	return fmt.Sprintf(`"containers": [{"resources": {"requests": {%s}}}]`, resources)
}

const (
	roomy = `"cpu": "4", "memory": "8Gi"`
	kata  = `{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata-fc"}, "overhead": {"podFixed": {"memory": "120Mi", "cpu": "250m"}}}`

	overheadPod = `"runtimeClassName": "kata-fc", "containers": [
		{"name": "busybox-ctr", "resources": {"limits": {"cpu": "500m", "memory": "100Mi"}}},
		{"name": "nginx-ctr", "resources": {"limits": {"cpu": "1500m", "memory": "100Mi"}}}]`
)

// The documentation's example of pod overhead: 2 CPUs and 200 MiB for the
// containers, 250m and 120 MiB for the runtime class.
func TestOverheadOfTheDocumentation(t *testing.T) {
	for _, tt := range []struct{ allocatable, node string }{
		{`"cpu": "2250m", "memory": "320Mi"`, "n"},
		{`"cpu": "2.25", "memory": 335544320`, "n"},
		{`"cpu": "2249m", "memory": "320Mi"`, ""},
		{`"cpu": "2250m", "memory": "335544319"`, ""},
		{`"cpu": "2", "memory": "200Mi"`, ""}, // enough for the containers alone
	} {
		r := reports(t, strings.Join([]string{kata, aNode("n", tt.allocatable, ""), aPod("test-pod", overheadPod)}, ","))["test-pod"]
		if r.Node != tt.node {
			t.Errorf("%s: goes to %q, want %q (%v)", tt.allocatable, r.Node, tt.node, r.Reasons)
		}
		if r.Requests[cpu] != "2250m" || r.Requests[memory] != "320Mi" || r.Overhead[cpu] != "250m" || r.Overhead[memory] != "120Mi" {
			t.Errorf("requests %v, overhead %v", r.Requests, r.Overhead)
		}
	}
}

func TestOverhead(t *testing.T) {
	n := aNode("n", `"cpu": 10, "memory": "8Gi"`, "")
	for _, tt := range []struct{ name, class, pod, cpu, err string }{
		{"the pod's own comes first", kata, `"runtimeClassName": "kata-fc", "overhead": {"cpu": "1"}`, "1", ""},
		{"the pod's own needs no class", n, `"runtimeClassName": "gone", "overhead": {"cpu": "1"}`, "1", ""},
		{"an unknown class", n, `"runtimeClassName": "gone"`, "", "runtime class gone is not in the input"},
		{"a class without overhead", `{"kind": "RuntimeClass", "metadata": {"name": "c"}}`, `"runtimeClassName": "c", ` + asking(`"cpu": 2`), "2", ""},
		{"a class that only selects nodes", `{"kind": "RuntimeClass", "metadata": {"name": "c"}, "scheduling": {"nodeSelector": {"name": "n"}}}`, `"runtimeClassName": "c", ` + asking(`"cpu": 2`), "2", ""},
		{"a class of something else", `{"apiVersion": "example.com/v1", "kind": "RuntimeClass", "metadata": {"name": "c"}}`, `"runtimeClassName": "c"`, "", "not in the input"},
	} {
		objects := tt.class + "," + aPod("p", tt.pod)
		if tt.class != n {
			objects = n + "," + objects
		}
		if r := reports(t, objects)["p"]; r.Requests[cpu] != tt.cpu || !strings.Contains(r.Error, tt.err) || (tt.err == "") != (r.Node == "n") {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

func TestRequests(t *testing.T) {
	c := func(cpu int, more string) string {
		return fmt.Sprintf(`{"resources": {"requests": {"cpu": "%dm"}}%s}`, cpu, more)
	}
	const sidecar = `, "restartPolicy": "Always"`
	for _, tt := range []struct{ name, inits, containers, more, want string }{
		{"none", "", "", "", ""},
		{"the sum of the containers", "", c(100, "") + "," + c(200, ""), "", "300m"},
		{"an init container that needs more", c(500, ""), c(100, ""), "", "500m"},
		{"init containers run one by one", c(200, "") + "," + c(250, ""), c(100, ""), "", "250m"},
		{"a sidecar stays", c(200, sidecar), c(100, ""), "", "300m"},
		{"beside a later init container", c(200, sidecar) + "," + c(250, ""), c(100, ""), "", "450m"},
		{"not beside an earlier one", c(250, "") + "," + c(200, sidecar), c(10, ""), "", "250m"},
		{"the pod's own instead", c(500, ""), c(100, ""), `, "resources": {"requests": {"cpu": "50m"}}`, "50m"},
		{"a sidecar that starts large, alone", c(500, sidecar) + "," + c(1, ""), "", "", "501m"},
		{"the pod's own limit where no container has a request", "", "{}", `, "resources": {"limits": {"cpu": "50m"}}`, "50m"},
		{"not where one does", "", c(100, ""), `, "resources": {"limits": {"cpu": "500m"}}`, "100m"},
		{"a limit is the request where there is none", "", `{"resources": {"limits": {"cpu": "7m"}}},{"resources": {"limits": {"cpu": "7m"}, "requests": {"cpu": "1m"}}}`, "", "8m"},
	} {
		spec := fmt.Sprintf(`"initContainers": [%s], "containers": [%s]%s`, tt.inits, tt.containers, tt.more)
		if r := reports(t, aPod("p", spec))["p"]; r.Requests[cpu] != tt.want || r.Requests[pods] != "1" {
			t.Errorf("%s: %v, want %q", tt.name, r.Requests, tt.want)
		}
	}
}

// The first step, one reason at a time.
func TestFilter(t *testing.T) {
	const taints = `"taints": [{"key": "dedicated", "value": "gpu", "effect": %q}]`
	for _, tt := range []struct{ name, allocatable, node, pod, reason string }{
		{"nothing prevents it", roomy, "", asking(`"cpu": 4, "memory": "8Gi"`), ""},
		{"NoSchedule", roomy, fmt.Sprintf(taints, "NoSchedule"), "", "untolerated dedicated=gpu:NoSchedule"},
		{"NoExecute", roomy, fmt.Sprintf(taints, "NoExecute"), "", "untolerated dedicated=gpu:NoExecute"},
		{"PreferNoSchedule", roomy, fmt.Sprintf(taints, "PreferNoSchedule"), "", ""},
		{"tolerated", roomy, fmt.Sprintf(taints, "NoSchedule"), `"tolerations": [{"key": "dedicated", "operator": "Exists"}]`, ""},
		{"cordoned", roomy, `"unschedulable": true`, "", "untolerated node.kubernetes.io/unschedulable:NoSchedule"},
		{"cordoned and tainted for it, reported once", roomy, `"unschedulable": true, "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]`, "", "untolerated node.kubernetes.io/unschedulable:NoSchedule"},
		{"a thousandth too little", `"cpu": "3999m"`, "", asking(`"cpu": "4"`), "never enough cpu"},
		{"a resource that the node has not", roomy, "", asking(`"example.com/x": "1"`), "never enough example.com/x"},
		{"none of it requested", roomy, "", asking(`"example.com/x": "0"`), ""},
		{"a label", roomy, "", `"nodeSelector": {"name": "n"}`, ""},
		{"another label", roomy, "", `"nodeSelector": {"name": "m"}`, "no label name=m"},
		{"no room for pods", `"pods": 0`, "", "", "never enough pods"},
	} {
		r := reports(t, aNode("n", tt.allocatable, tt.node)+","+aPod("p", tt.pod))["p"]
		var want []reason
		if tt.reason != "" {
			want = []reason{{tt.reason, 1}}
		}
		if !slices.Equal(r.Reasons, want) || (r.Node == "n") != (tt.reason == "") {
			t.Errorf("%s: goes to %q, reasons %v, want %v", tt.name, r.Node, r.Reasons, want)
		}
	}
}

// What is bound, and what was just decided, is no longer there.
func TestRoomIsTaken(t *testing.T) {
	n := aNode("n", `"cpu": 4`, "")
	bound := func(name, more string) string { return aPod(name, asking(`"cpu": 3`)+`, "nodeName": "n"`) }
	for _, tt := range []struct{ name, objects, node string }{
		{"bound", bound("b", ""), ""},
		{"finished", strings.Replace(bound("b", ""), `"spec"`, `"status": {"phase": "Succeeded"}, "spec"`, 1), "n"},
		{"being deleted, still there", strings.Replace(bound("b", ""), `"metadata": {`, `"metadata": {"deletionTimestamp": "2026-10-14T09:00:00Z", `, 1), ""},
		{"bound twice over, and overdrawn for ever", bound("b", "") + "," + strings.Replace(bound("c", ""), `"cpu": 3`, `"cpu": "9223372036854775"`, 1) + "," + strings.Replace(bound("d", ""), `"cpu": 3`, `"cpu": "9223372036854775"`, 1), ""},
		{"decided before", aPod("a", asking(`"cpu": 3`)), ""},
		{"bound twice over", bound("b", "") + "," + bound("c", ""), ""},
	} {
		r := reports(t, n+","+tt.objects+","+aPod("p", asking(`"cpu": 2`)))["p"]
		if r.Node != tt.node {
			t.Errorf("%s: goes to %q, want %q", tt.name, r.Node, tt.node)
		}
		if tt.node == "" && !slices.Equal(r.Reasons, []reason{{"not enough cpu left", 1}}) {
			t.Errorf("%s: %v", tt.name, r.Reasons)
		}
	}
}

// A pod that requests none of what is overdrawn may still be scheduled there, and huge
// pages are requested by a limit of the whole pod.
func TestNoneAndHuge(t *testing.T) {
	r := reports(t, strings.Join([]string{
		aNode("n", `"cpu": 1`, ""),
		aPod("bound", asking(`"cpu": 2`)+`, "nodeName": "n"`),
		aPod("p", asking(`"cpu": 0`)),
		aPod("huge", `"containers": [{"resources": {"limits": {"hugepages-2Mi": "2Mi"}}}], "resources": {"limits": {"hugepages-2Mi": "4Mi"}}`),
		aPod("sums", `"containers": [{"resources": {"requests": {"x": "9223372036854775807"}}}, {"resources": {"requests": {"x": "9223372036854775807"}}}]`),
	}, ","))
	if r["p"].Node != "n" {
		t.Errorf("%+v", r["p"])
	}
	if got := r["huge"].Requests["hugepages-2Mi"]; got != "4Mi" {
		t.Errorf("huge pages: %s", got)
	}
	if got := r["sums"].Requests["x"]; got != "9223372036854775807" {
		t.Errorf("a sum beyond the largest number: %s", got)
	}
}

// The second step: soft taints weigh more than room, and room decides the rest.
func TestScore(t *testing.T) {
	soft := `"taints": [{"key": "spot", "effect": "PreferNoSchedule"}]`
	r := reports(t, strings.Join([]string{
		aNode("big-spot", `"cpu": 100, "memory": "100Gi"`, soft),
		aNode("small", `"cpu": 4, "memory": "4Gi"`, ""),
		aNode("middle", `"cpu": 8, "memory": "4Gi"`, ""),
		aPod("p", asking(`"cpu": 2, "memory": "1Gi"`)),
	}, ","))["p"]
	want := []candidate{
		{Node: "middle", Taint: 100, Room: 75, Score: 375},
		{Node: "small", Taint: 100, Room: 62, Score: 362},
		{Node: "big-spot", Soft: 1, Taint: 0, Room: 98, Score: 98},
	}
	if !slices.Equal(r.Candidates, want) || r.Node != "middle" || r.Best != 1 {
		t.Errorf("%+v\nwant %+v", r, want)
	}
}

// The share of room is exact: 29 of 100 are 29 %, which floating point takes for
// a little less, and the largest amounts do not overflow.
func TestRoom(t *testing.T) {
	for percent := range int64(100) {
		for _, unit := range []int64{1, 10, 1 << 40, math.MaxInt64 / 100} {
			n := &node{total: amounts{cpu: 100 * unit, memory: 100 * unit}, free: amounts{cpu: (percent + 1) * unit, memory: percent * unit}}
			if got, want := room(n, amounts{cpu: unit}), percent; got != want {
				t.Errorf("%d of 100 times %d: %d", percent, unit, got)
			}
		}
	}
	if got := room(&node{total: amounts{cpu: 100, memory: 100}, free: amounts{cpu: 100, memory: -50}}, amounts{}); got != 50 {
		t.Errorf("memory is overdrawn: %d", got)
	}
	full := &node{total: amounts{cpu: math.MaxInt64, memory: 0}, free: amounts{cpu: math.MaxInt64, memory: -1}}
	if got := room(full, amounts{}); got != 50 {
		t.Errorf("all CPUs, no memory: %d", got)
	}
}

// Each of the equally good nodes is drawn by some seed, and by the same seed
// always the same one.
func TestTies(t *testing.T) {
	objects := strings.Join([]string{aNode("a", roomy, ""), aNode("b", roomy, ""), aNode("c", roomy, ""), aNode("small", `"cpu": 1`, ""), aPod("p", asking(`"cpu": 1`))}, ",")
	drawn := map[string]int{}
	for seed := range 60 {
		arg := fmt.Sprintf("-seed=%d", seed)
		_, one, _ := schedule(t, objects, arg)
		_, two, _ := schedule(t, objects, arg)
		if one != two {
			t.Fatalf("%s gives\n%s\nand\n%s", arg, one, two)
		}
		if !strings.Contains(one, "drawn from 3 that are equally good") {
			t.Fatal(one)
		}
		_, node, _ := strings.Cut(one, "goes to ")
		drawn[node[:1]]++
	}
	if len(drawn) != 3 || drawn["s"] != 0 || min(drawn["a"], drawn["b"], drawn["c"]) < 8 {
		t.Errorf("drawn: %v", drawn)
	}
}

func TestOrder(t *testing.T) {
	at := func(name, created, spec string) string {
		return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q, "creationTimestamp": %q}, "spec": {%s}}`, name, created, spec)
	}
	_, out, _ := schedule(t, strings.Join([]string{
		at("young", "2026-10-14T10:00:00Z", ""),
		at("old", "2026-10-14T09:00:00Z", ""),
		at("low", "2026-10-14T08:00:00Z", `"priority": -1`),
		at("high", "2026-10-14T11:00:00Z", `"priority": 10`),
		at("old-too", "2026-10-14T09:00:00Z", `"priority": 0`),
		aNode("n", roomy, ""),
	}, ","))
	var order []string
	for line := range strings.Lines(out) {
		if line[0] != ' ' {
			order = append(order, strings.TrimSpace(line))
		}
	}
	if want := []string{"high", "old", "old-too", "young", "low"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
}

func TestRuntimeClassScheduling(t *testing.T) {
	class := `{"kind": "RuntimeClass", "metadata": {"name": "c"}, "scheduling": {"nodeSelector": {"name": "n"}, "tolerations": [{"key": "k", "operator": "Exists"}]}}`
	tainted := aNode("n", roomy, `"taints": [{"key": "k", "effect": "NoSchedule"}]`)
	for _, tt := range []struct{ pod, node, err string }{
		{`"runtimeClassName": "c"`, "n", ""},
		{`"runtimeClassName": "c", "nodeSelector": {"name": "n"}`, "n", ""},
		{`"runtimeClassName": "c", "nodeSelector": {"name": "m"}`, "", "its nodeSelector requires name=m, that of its runtime class n"},
		{``, "m", ""},
	} {
		r := reports(t, strings.Join([]string{class, tainted, aNode("m", roomy, ""), aPod("p", tt.pod)}, ","))["p"]
		if r.Node != tt.node || r.Error != tt.err {
			t.Errorf("%s: %+v", tt.pod, r)
		}
	}
}

func TestPodsThatWait(t *testing.T) {
	got := reports(t, strings.Join([]string{
		aNode("n", roomy, ""),
		`{"kind": "Pod", "metadata": {"name": "ending", "deletionTimestamp": "2026-10-14T09:00:00Z"}}`,
		aPod("gated", `"schedulingGates": [{"name": "example.com/quota"}]`),
		aPod("needs-more", `"affinity": {"podAffinity": {}}, "topologySpreadConstraints": [{}], "containers": [{"ports": [{"hostPort": 80}]}], "volumes": [{"persistentVolumeClaim": {"claimName": "c"}}]`),
	}, ","))
	if r, found := got["ending"]; found {
		t.Errorf("it ends, and yet %+v", r)
	}
	if r := got["gated"]; r.Node != "" || r.Error != `it waits behind the scheduling gate "example.com/quota"` {
		t.Errorf("%+v", r)
	}
	if r := got["needs-more"]; r.Node != "n" || !slices.Equal(r.Ignored, []string{"affinity", "topologySpreadConstraints", "hostPort", "persistentVolumeClaim"}) {
		t.Errorf("%+v", r)
	}
}

func TestStatus(t *testing.T) {
	n := aNode("n", roomy, "")
	for _, tt := range []struct {
		name, objects, stderr string
		args                  []string
		status                int
	}{
		{name: "all placed", objects: n + "," + aPod("p", "")},
		{name: "one waits", objects: n + "," + aPod("p", asking(`"cpu": 5`)), status: statusWaiting},
		{name: "no nodes", objects: aPod("p", ""), status: statusWaiting},
		{name: "nothing", stderr: "no nodes and no pods", status: statusBad},
		{name: "a bad quantity", objects: n + "," + aPod("p", asking(`"cpu": "5x", "memory": "8GB"`)), status: statusBad,
			stderr: `spec.containers[0].resources.requests[cpu] "5x": not a quantity, such as 500m, 2, 1.5Gi or 1e3`},
		{name: "a bad node", objects: aNode("n", `"cpu": true`, ""), status: statusBad, stderr: "status.allocatable[cpu]"},
		{name: "a bad toleration", objects: aPod("p", `"tolerations": [{"key": "k", "operator": "exists"}]`), status: statusBad, stderr: "spec.tolerations[0].operator"},
		{name: "a bad runtime class", objects: `{"kind": "RuntimeClass", "metadata": {"name": "c"}, "scheduling": {"tolerations": [{}]}}`, status: statusBad, stderr: "scheduling.tolerations[0]"},
		{name: "a wrong type", objects: aPod("p", `"priority": "high"`), status: statusBad, stderr: "spec.priority: must not be a string"},
		{name: "twice", objects: n + "," + n, status: statusBad, stderr: "more than once"},
		{name: "bound to nowhere", objects: n + "," + aPod("p", `"nodeName": "m"`), status: statusBad, stderr: "bound to node m"},
		{name: "bound, and wrong", objects: n + "," + aPod("p", `"nodeName": "n", "priority": "x"`), status: statusBad, stderr: "what pod p takes of node n is unknown"},
		{name: "a flag", args: []string{"-nope"}, status: statusBad, stderr: "-nope"},
		{name: "a format", args: []string{"-o", "yaml"}, status: statusBad, stderr: "yaml"},
		{name: "a number", args: []string{"-scores", "-1"}, status: statusBad, stderr: "-scores"},
		{name: "a file that is not there", args: []string{filepath.Join(t.TempDir(), "none.json")}, status: statusBad, stderr: "none.json"},
		{name: "help", args: []string{"-help"}},
	} {
		status, _, errs := schedule(t, tt.objects, tt.args...)
		if status != tt.status || !strings.Contains(errs, tt.stderr) || (tt.stderr == "") != (errs == "") {
			t.Errorf("%s: status %d, want %d\n%s", tt.name, status, tt.status, errs)
		}
	}
	if status := run(nil, nil, failing{}, io.Discard); status != statusBad {
		t.Errorf("output that cannot be written: status %d", status)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// The sample is what the documentation shows.
func TestSample(t *testing.T) {
	var out, errs bytes.Buffer
	status := run(nil, nil, &out, &errs)
	if status != statusWaiting || errs.Len() > 0 {
		t.Errorf("status %d, %s", status, &errs)
	}
	golden.Check(t, filepath.Join("testdata", "sample.txt"), out.String())
}
