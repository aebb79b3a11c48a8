package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// schedule runs the program with these objects, one a line.
func schedule(objects string, args ...string) (status int, out, errOut string) {
	items := strings.Join(strings.Split(strings.TrimSpace(objects), "\n"), ",")
	return start(strings.NewReader(`{"kind": "List", "items": [`+items+`]}`), args...)
}

func start(in io.Reader, args ...string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = run(args, in, &o, &e)
	return status, o.String(), e.String()
}

func aNode(name, labels, spec, allocatable string) string {
	return fmt.Sprintf(`{"kind": "Node", "metadata": {"name": %q, "labels": {%s}}, "spec": {%s}, "status": {"allocatable": {"pods": 10, %s}}}`+"\n", name, labels, spec, allocatable)
}

func aPod(name, spec string) string {
	return fmt.Sprintf(`{"kind": "Pod", "metadata": {"name": %q}, "spec": {%s}}`+"\n", name, strings.ReplaceAll(spec, "\n", " "))
}

const roomy = `"cpu": "4", "memory": "8Gi"`

func TestHostile_input(t *testing.T) {
	for _, input := range append(hostile.Variants(t, sample), "\x1b[2J") {
		_, out, errOut := start(strings.NewReader(input))
		hostile.Check(t, "standard output", out)
		hostile.Check(t, "standard error", errOut)
	}
}

// More pairs than can be compared are refused.
func TestHostile_pairs(t *testing.T) {
	if testing.Short() {
		t.Skip("a large input")
	}
	values := strings.Repeat(`"v",`, 300_000) + `"w"`
	pod := terms(`{"matchExpressions": [{"key": "k", "operator": "In", "values": [` + values + `]}]}`)
	var input strings.Builder
	for i := range 3 {
		input.WriteString(aPod(fmt.Sprintf("p%d", i), pod))
	}
	for i := range 20_000 {
		input.WriteString(aNode(fmt.Sprintf("n%d", i), "", "", roomy))
	}
	if status, out, errOut := schedule(input.String()); status != 2 || !strings.Contains(errOut, "too many to compare") || out != "" {
		t.Errorf("status %d, %s%s", status, errOut, out)
	}
}

func TestSample(t *testing.T) {
	const want = `ml/train-0: ml-1, score 389 (300 for taints, 89 for room), the best of 1 node
shop/web-1: worker-2, score 395 (300 for taints, 95 for room), drawn from the best 2 of 3 nodes
shop/kata-0: worker-3, score 370 (300 for taints, 70 for room), the best of 4 nodes
ml/train-1: none of 6 nodes
    6: not enough "nvidia.com/gpu"
    5: not selected by the node selector or node affinity
    3: not enough "cpu"
    3: not enough "memory"
    1: untolerated node-role.kubernetes.io/control-plane:NoSchedule
6 nodes, 5 pods, of which 4 pending
`
	if status, out, _ := start(nil); status != 0 || out != want {
		t.Errorf("status %d, mismatch (-want +got):\n%s", status, cmp.Diff(want, out))
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
	const overhead = `"overhead": {"cpu": "250m", "memory": "120Mi"}, "containers": [
		{"resources": {"limits": {"cpu": "500m", "memory": "100Mi"}}}, {"resources": {"limits": {"cpu": "1500m", "memory": "100Mi"}}}]`
	const notSelected = "not selected by the node selector or node affinity"
	for _, tt := range []struct{ name, allocatable, node, pod, reason string }{
		{"all of it", roomy, "", requesting(`"cpu": 4, "memory": "8Gi"`), ""},
		{"cpu", roomy, "", requesting(`"cpu": "4001m"`), `not enough "cpu"`},
		{"memory", roomy, "", requesting(`"memory": 8589934593`), `not enough "memory"`},
		{"absent", roomy, "", requesting(`"example.com/x": 1`), `not enough "example.com/x"`},
		{"absent, none requested", roomy, "", requesting(`"example.com/x": "0"`), ""},
		{"overhead", `"cpu": "2250m", "memory": "320Mi"`, "", overhead, ""},
		{"overhead cpu", `"cpu": "2249m", "memory": "320Mi"`, "", overhead, `not enough "cpu"`},
		{"overhead memory", `"cpu": "2.25", "memory": "335544319"`, "", overhead, `not enough "memory"`},
		{"large", roomy, "", `"containers": [{"resources": {"requests": {"cpu": "9000000000000000P"}}}, {"resources": {"requests": {"cpu": "9000000000000000P"}}}]`, `not enough "cpu"`},
		{"NoSchedule", roomy, `"taints": [{"key": "a", "effect": "NoSchedule"}]`, "", "untolerated a:NoSchedule"},
		{"NoExecute", roomy, `"taints": [{"key": "a", "effect": "NoExecute"}]`, "", "untolerated a:NoExecute"},
		{"PreferNoSchedule", roomy, `"taints": [{"key": "a", "effect": "PreferNoSchedule"}]`, "", ""},
		{"tolerated", roomy, `"taints": [{"key": "a", "effect": "NoSchedule"}]`, `"tolerations": [{"operator": "Exists"}]`, ""},
		{"F10_cordoned", roomy, `"unschedulable": true`, "", "untolerated node.kubernetes.io/unschedulable:NoSchedule"},
		{"selector", roomy, "", `"nodeSelector": {"disk": "ssd"}`, ""},
		{"other value", roomy, "", `"nodeSelector": {"disk": "hdd"}`, notSelected},
		{"affinity", roomy, "", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}`), ""},
		{"other node", roomy, "", terms(`{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["m"]}]}`), notSelected},
		{"gate", roomy, "", `"schedulingGates": [{"name": "g"}]`, "spec.schedulingGates is not evaluated"},
		{"pod resources", roomy, "", `"resources": {"requests": {"cpu": "1"}}`, "spec.resources is not evaluated"},
	} {
		want := "p: n, score "
		if tt.reason != "" {
			want = "p: none of 1 node\n    1: " + tt.reason + "\n1 node, 1 pod, of which 1 pending\n"
		}
		status, out, errOut := schedule(aNode("n", `"disk": "ssd"`, tt.node, tt.allocatable) + aPod("p", tt.pod))
		if status != 0 || errOut != "" || !strings.HasPrefix(out, want) {
			t.Errorf("%s: status %d, want %q:\n%s%s", tt.name, status, want, out, errOut)
		}
	}
	if status, out, errOut := schedule(aNode("n", "", "", roomy) + aPod("p", requesting(`"cpu": "2 cores"`))); status != 2 || out != "" || !strings.Contains(errOut, "nothing is scheduled") {
		t.Errorf("with an error: status %d, %s%s", status, out, errOut)
	}
}

// The class is read before or after the pod, and applies to a pod that is on a node, too.
func TestRuntimeClass(t *testing.T) {
	class := func(fields string) string {
		return `{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata"` + fields + "}\n"
	}
	const overhead = `, "overhead": {"podFixed": {"cpu": "250m"}}`
	one := requesting(`"cpu": "1"`)
	of := func(cpu, fields string) string { return aNode("n", "", "", `"cpu": "`+cpu+`"`) + aPod("p", fields+one) }
	for _, tt := range []struct{ name, input, want string }{
		{"enough", of("1250m", `"runtimeClassName": "kata", `) + class(overhead), "p: n,"},
		{"not enough", of("1249m", `"runtimeClassName": "kata", `) + class(overhead), "p: none of 1 node\n    1: not enough \"cpu\"\n"},
		{"class first", class(overhead) + of("1249m", `"runtimeClassName": "kata", `), "p: none"},
		{"another class", of("1", `"runtimeClassName": "runc", `) + class(overhead), "p: n,"},
		{"no class", of("1", "") + class(overhead), "p: n,"},
		{"set by the API server", of("1250m", `"runtimeClassName": "kata", "overhead": {"cpu": "250m"}, `) + class(overhead), "p: n,"},
		{"a pod on the node", of("2249m", "") + aPod("q", `"nodeName": "n", "runtimeClassName": "kata", `+one) + class(overhead), "p: none"},
		{"scheduling", of("2", `"runtimeClassName": "kata", `) + class(`, "scheduling": {"nodeSelector": {"a": "b"}}`), "p: none of 1 node\n    1: scheduling of the runtime class is not evaluated\n"},
	} {
		if status, out, errOut := schedule(tt.input); status != 0 || !strings.HasPrefix(out, tt.want) {
			t.Errorf("%s: status %d, want %q: %s%s", tt.name, status, tt.want, out, errOut)
		}
	}
}

// Equal nodes are drawn with about the same frequency, and the seed decides.
func TestDraw(t *testing.T) {
	input := aNode("a", "", "", roomy) + aNode("b", "", "", roomy) + aNode("c", "", "", `"cpu": "2", "memory": "8Gi"`) + aPod("p", requesting(`"cpu": "1"`))
	drawn := map[string]int{}
	for seed := range 100 {
		_, out, _ := schedule(input, "-seed", fmt.Sprint(seed))
		_, again, _ := schedule(input, "-seed", fmt.Sprint(seed))
		if again != out {
			t.Fatalf("seed %d: %s, then %s", seed, out, again)
		}
		drawn[out[:4]]++
	}
	if drawn["p: a"] < 30 || drawn["p: b"] < 30 || len(drawn) != 2 {
		t.Errorf("%v", drawn)
	}
}

// Priority decides who is first; what is taken is not given again.
func TestOrder(t *testing.T) {
	one := requesting(`"cpu": "3"`)
	input := aNode("n", "", "", roomy) + aPod("low", one) + aPod("high", `"priority": 1, `+one)
	if _, out, _ := schedule(input); !strings.HasPrefix(out, "high: n,") || !strings.Contains(out, "low: none of 1 node\n    1: not enough \"cpu\"\n") {
		t.Error(out)
	}
	bound := strings.Replace(input, `"name": "high"}, "spec": {`, `"name": "high"}, "spec": {"nodeName": "n", `, 1)
	deleted := strings.Replace(bound, `"name": "high"`, `"name": "high", "deletionTimestamp": "2026-01-02T03:04:05Z"`, 1)
	for _, input := range []string{bound, deleted} {
		if _, out, _ := schedule(input); !strings.HasPrefix(out, "low: none") {
			t.Error(out)
		}
	}
	ended := strings.Replace(bound, `"spec": {"nodeName": "n"`, `"status": {"phase": "Succeeded"}, "spec": {"nodeName": "n"`, 1)
	if _, out, _ := schedule(ended); !strings.HasPrefix(out, "low: n,") {
		t.Error(out)
	}
	soft := aNode("soft", "", `"taints": [{"key": "a", "effect": "PreferNoSchedule"}]`, `"cpu": "400"`) + aNode("full", "", "", roomy)
	if _, out, _ := schedule(soft + aPod("p", one)); !strings.HasPrefix(out, "p: full, score 362 (300 for taints, 62 for room), the best of 2 nodes") {
		t.Error(out)
	}
}
