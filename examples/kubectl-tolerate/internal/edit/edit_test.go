package edit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/edit"
)

// A result is what a run of the program wrote and returned.
type result struct {
	out, errOut string
	err         error
}

// run runs a command against a server, or none if it is empty.
func run(t *testing.T, ctx context.Context, server, in string, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	env := cli.NewEnv(strings.NewReader(in), &out, &errOut)
	env.Now = func() time.Time { return time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC) }
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := &cobra.Command{Use: "tolerate", SilenceErrors: true, SilenceUsage: true}
	root.AddCommand(edit.NewTaintCommand(env), edit.NewDedicateCommand(env), edit.NewUndoCommand(env))
	env.AddFlags(root.PersistentFlags())
	env.Kubeconfig, env.Overrides.ClusterInfo.Server = config, server
	env.Args = args
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	return result{out.String(), errOut.String(), err}
}

// file runs a command on a file.
func file(t *testing.T, in string, args ...string) result {
	t.Helper()
	return run(t, t.Context(), "", in, append(args, "-f", "-")...)
}

// has reports what the text does not contain.
func has(t *testing.T, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in\n%s", w, text)
		}
	}
}

// repeat returns what the format makes of the numbers below n, with commas.
func repeat(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// report decodes the output of -o json.
func report(t *testing.T, r result) edit.Report {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err, r.errOut)
	}
	var v edit.Report
	if err := json.Unmarshal([]byte(r.out), &v); err != nil {
		t.Fatal(err, r.out)
	}
	return v
}

type pod struct {
	Name, Effect, Taint string
	At                  time.Time
	Fits, FitsWithout   int
}

// pods decodes the pods of -o json.
func pods(t *testing.T, r result) []pod {
	t.Helper()
	var v struct{ Pods []pod }
	if err := json.Unmarshal([]byte(r.out), &v); r.err != nil || err != nil {
		t.Fatal(r.err, err, r.out, r.errOut)
	}
	return v.Pods
}

const nodes = `
apiVersion: v1
kind: Node
metadata: {name: a, resourceVersion: "1", labels: {pool: x}}
spec: {podCIDR: 10.0.0.0/24, taints: [{key: old, value: v, effect: NoSchedule}]}
status: {phase: Running}
---
apiVersion: v1
kind: Node
metadata: {name: b, resourceVersion: "2"}
---
apiVersion: v1
kind: Node
metadata: {name: master, resourceVersion: "3", labels: {node-role.kubernetes.io/control-plane: ""}}
spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: d}
spec: {nodeName: b}
---
apiVersion: v1
kind: Pod
metadata: {name: minute, namespace: d}
spec: {nodeName: b, tolerations: [{key: m, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]}
---
apiVersion: v1
kind: Pod
metadata: {name: proxy, namespace: kube-system}
spec: {nodeName: b}
---
apiVersion: v1
kind: Pod
metadata: {name: static, namespace: kube-system, annotations: {kubernetes.io/config.mirror: x}}
spec: {nodeName: b}
---
apiVersion: v1
kind: Pod
metadata: {name: done, namespace: d}
spec: {nodeName: b}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: waits, namespace: d}
---
apiVersion: v1
kind: Pod
metadata: {name: bound, namespace: d}
spec: {nodeSelector: {pool: x}}
`

func TestTaint_effects(t *testing.T) {
	at := time.Date(2026, 11, 20, 9, 1, 0, 0, time.UTC)
	for _, test := range []struct {
		args string
		want []pod
	}{
		{"b m:NoExecute", []pod{
			{Name: "plain", Effect: "evicted now", Taint: "m:NoExecute", FitsWithout: 1},
			{Name: "proxy", Effect: "evicted now", Taint: "m:NoExecute", FitsWithout: 1},
			{Name: "minute", Effect: "evicted later", Taint: "m:NoExecute", At: at, Fits: 1, FitsWithout: 1},
			{Name: "waits", Effect: "waiting", FitsWithout: 1},
		}},
		{"b k:NoSchedule", []pod{
			{Name: "minute", Effect: "staying", Taint: "k:NoSchedule", FitsWithout: 1},
			{Name: "plain", Effect: "staying", Taint: "k:NoSchedule", FitsWithout: 1},
			{Name: "proxy", Effect: "staying", Taint: "k:NoSchedule", FitsWithout: 1},
			{Name: "waits", Effect: "waiting", FitsWithout: 1},
		}},
		{"nodes a old-", []pod{
			{Name: "bound", Effect: "waiting", Fits: 1},
			{Name: "waits", Effect: "waiting", Fits: 2, FitsWithout: 1},
		}},
		{"a x:PreferNoSchedule", []pod{}},
		{"-l pool=x old-", []pod{
			{Name: "bound", Effect: "waiting", Fits: 1},
			{Name: "waits", Effect: "waiting", Fits: 2, FitsWithout: 1},
		}},
	} {
		got := pods(t, file(t, nodes, append([]string{"taint", "-o", "json"}, strings.Fields(test.args)...)...))
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", test.args, diff)
		}
	}
}

// A pod that is evicted anyway does not stay.
func TestTaint_due(t *testing.T) {
	in := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoExecute","timeAdded":"2026-11-20T08:55:00Z"}]}}`
	for name, seconds := range map[string]string{"ever": "", "negative": `,"tolerationSeconds":-5`, "due": `,"tolerationSeconds":60`, "later": `,"tolerationSeconds":600`} {
		in += `{"kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"nodeName":"a","tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute"` + seconds + `}]}}`
	}
	for _, test := range []struct{ taint, want string }{
		{"z:NoSchedule", "ever staying, "},
		{"z:NoExecute", "ever evicted now, later evicted now, "},
	} {
		got := ""
		for _, p := range pods(t, file(t, in, "taint", "a", test.taint, "-o", "json")) {
			got += p.Name + " " + p.Effect + ", "
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.taint, got, test.want)
		}
	}
}

func TestTaint_text(t *testing.T) {
	r := file(t, nodes, "taint", "b", "m:NoExecute")
	if r.err != nil {
		t.Fatal(r.err)
	}
	const want = `Change of node/b: added m:NoExecute

Affected pods: 4 (2 evicted now, 1 evicted later, 1 waiting)
Warning: 3 pods can no longer start or restart on any node: d/plain, d/waits, kube-system/proxy
Warning: no controller will recreate 3 evicted pods: d/plain, kube-system/proxy, d/minute
Warning: evictions by taints ignore disruption budgets; kubectl drain respects them
Warning: pods of the cluster itself are evicted: kube-system/proxy
Warning: 1 ended pod is deleted too, with its logs

POD                 NODE   RESULT           TAINT         CAN BE SCHEDULED TO   WITHOUT THE CHANGE
d/plain             b      evicted now      m:NoExecute   0 of 3 nodes          1
kube-system/proxy   b      evicted now      m:NoExecute   0 of 3 nodes          1
d/minute            b      evicted in 60s   m:NoExecute   1 of 3 nodes          1
d/waits                    waiting                        0 of 3 nodes          1

nothing was changed; to apply it, add --yes
`
	if diff := cmp.Diff(want, r.out); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// What evictions destroy is first, and pods of one controller are one row. A pod with a
// deadline, which counts from the later of its start and the time added, keeps it.
func TestTaint_controllers(t *testing.T) {
	in := `{"kind":"List","items":[`
	for _, n := range []string{"a", "b"} {
		in += `{"kind":"Node","metadata":{"name":"` + n + `"},"spec":{"taints":[{"key":"old","effect":"NoExecute","timeAdded":"2026-11-20T08:58:00Z"}]}},`
	}
	const tolerations = `"tolerations":[{"key":"old","operator":"Exists","effect":"NoExecute"%s}%s]},"status":{"startTime":"2026-11-20T08:59:30Z"}},`
	for i := range 30 {
		owner := fmt.Sprintf(`"ownerReferences":[{"kind":"ReplicaSet","name":"web-%d","controller":true}]`, i%3)
		old := []string{"", `,"tolerationSeconds":120`}[i%2]
		minute := `,{"key":"new","operator":"Exists","tolerationSeconds":60,"effect":"NoExecute"}`
		in += fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"web-%d","namespace":"d",%s},"spec":{"nodeName":"%c",`+tolerations, i, owner, "ab"[i%2], old, minute)
	}
	in += fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"single","namespace":"d"},"spec":{"nodeName":"a",`+tolerations+"]}", `,"tolerationSeconds":120`, "")
	in = strings.Replace(in, ",]}", "]}", 1)
	r := file(t, in, "taint", "a", "b", "new:NoExecute")
	const want = `Change of node/a, node/b: added new:NoExecute

Affected pods: 16 (1 evicted now, 15 evicted later)
Warning: 1 pod can no longer start or restart on any node: d/single
Warning: no controller will recreate 1 evicted pod: d/single
Warning: evictions by taints ignore disruption budgets; kubectl drain respects them

POD                            NODE   RESULT           TAINT           CAN BE SCHEDULED TO   WITHOUT THE CHANGE
d/single                       a      evicted now      new:NoExecute   0 of 2 nodes          2
5 pods of ReplicaSet d/web-0   a      evicted in 60s   new:NoExecute   2 of 2 nodes          2
5 pods of ReplicaSet d/web-1   a      evicted in 60s   new:NoExecute   2 of 2 nodes          2
5 pods of ReplicaSet d/web-2   a      evicted in 60s   new:NoExecute   2 of 2 nodes          2

nothing was changed; to apply it, add --yes
`
	if diff := cmp.Diff(want, r.out); diff != "" || r.err != nil {
		t.Errorf("%v, mismatch (-want +got):\n%s", r.err, diff)
	}
}

// Pods that no node is left for are first, also those that stay, on nodes that do not change
// too. A workload that gets the toleration replaces its pods.
func TestTaint_nowhere(t *testing.T) {
	in := fmt.Sprintf(workload, "{nodeSelector: {pool: x}}")
	in = strings.Replace(in, "name: train, namespace: ml", "name: web, namespace: d", 1)
	for _, name := range []string{"a", "b", "old", "z"} {
		pool := strings.NewReplacer("a", "x", "b", "x", "old", "x").Replace(name)
		in += fmt.Sprintf("\n---\n{apiVersion: v1, kind: Node, metadata: {name: %s, labels: {pool: %s}}, spec: {unschedulable: %v}}", name, pool, name == "old")
	}
	add := func(name, node, spec, owner string) {
		in += fmt.Sprintf("\n---\n{apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: d%s}, spec: {nodeName: %s%s}}", name, owner, node, spec)
	}
	for i := range 9 {
		add(fmt.Sprint("web-", i), []string{"a", "b"}[i%2], ", nodeSelector: {pool: x}", ", ownerReferences: [{kind: ReplicaSet, name: web-5d8f, controller: true}]")
	}
	for _, n := range []string{"a", "b"} {
		const own = ", affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [%s]}]}]}}}"
		add("agent-"+n, n, fmt.Sprintf(own, n), ", ownerReferences: [{kind: DaemonSet, name: agent, controller: true}]")
	}
	add("free", "a", "", "")
	add("other", "z", "", "")
	add("moved", "old", ", nodeSelector: {pool: x}", "")
	r := file(t, in, "taint", "a", "b", "team=web:NoSchedule")
	const want = `Change of node/a, node/b: added team=web:NoSchedule

Affected pods: 13 (13 staying)
Warning: 12 pods can no longer start or restart on any node: 9 pods of ReplicaSet d/web-5d8f (pool=x), d/moved (pool=x), 2 pods of DaemonSet d/agent

POD                               NODE      RESULT    TAINT                 CAN BE SCHEDULED TO   WITHOUT THE CHANGE
2 pods of DaemonSet d/agent       2 nodes   staying   team=web:NoSchedule   0 of 4 nodes          1
d/moved                           old       staying                         0 of 4 nodes          2
9 pods of ReplicaSet d/web-5d8f   2 nodes   staying   team=web:NoSchedule   0 of 4 nodes          2
d/free                            a         staying   team=web:NoSchedule   1 of 4 nodes          3

nothing was changed; to apply it, add --yes
`
	if diff := cmp.Diff(want, r.out); diff != "" || r.err != nil {
		t.Errorf("%v, mismatch (-want +got):\n%s", r.err, diff)
	}
	r = file(t, in, "dedicate", "a", "b", "team=web", "--workload", "deployment/web")
	has(t, r.out, "Affected pods: 13 (9 replaced, 4 staying)\nWarning: 3 pods can no longer start or restart on any node: d/moved (pool=x), 2 pods of DaemonSet d/agent\n")
}

// A removal that no object needs is said, and is no error, so that a command can be repeated.
func TestTaint_absent(t *testing.T) {
	const warning = "Warning: no object has the taint to remove: "
	for _, test := range []struct{ args, want string }{
		{"a b old-", ""},
		{"a old:NoSchedule-", ""},
		{"b old-", "old\n"},
		{"a b old- odl- old:NoExecute-", "odl, old:NoExecute\n"},
	} {
		r := file(t, nodes, append([]string{"taint", "--yes"}, strings.Fields(test.args)...)...)
		if _, got, _ := strings.Cut(r.errOut, warning); r.err != nil || !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
			t.Errorf("%s: %v %s", test.args, r.err, r.errOut)
		}
	}
}

// New NoExecute taints of nodes have the time; those of machines to come, and others, do not.
func TestTaint_timeAdded(t *testing.T) {
	const in = machines + `{apiVersion: v1, kind: Node, metadata: {name: w}, spec: {taints: [{key: had, effect: NoExecute}, {key: at, effect: NoExecute, timeAdded: "2026-01-02T03:04:05Z"}]}}`
	r := file(t, in, "taint", "node/w", "machineset/batch", "new:NoExecute", "had:NoExecute", "at=v:NoExecute", "x:NoSchedule", "--overwrite", "-o", "json")
	v := report(t, r)
	for i, want := range []string{
		`[{"effect":"NoExecute","key":"had"},{"effect":"NoExecute","key":"at","timeAdded":"2026-01-02T03:04:05Z","value":"v"},{"effect":"NoExecute","key":"new","timeAdded":"2026-11-20T09:00:00Z"},{"effect":"NoSchedule","key":"x"}]`,
		`[{"effect":"NoExecute","key":"new"},{"effect":"NoExecute","key":"had"},{"effect":"NoExecute","key":"at","value":"v"},{"effect":"NoSchedule","key":"x"}]`,
	} {
		var got bytes.Buffer
		if err := json.Compact(&got, v.Objects[i].Patch); err != nil || !strings.Contains(got.String(), `"taints":`+want) {
			t.Errorf("%v: %s, want %s", err, &got, want)
		}
	}
}

func TestTaint_controlPlane(t *testing.T) {
	r := file(t, nodes, "taint", "master", "node-role.kubernetes.io/control-plane-")
	has(t, r.out, "master runs the control plane without the taint node-role.kubernetes.io/control-plane:NoSchedule", "waits")
	without := strings.Replace(nodes, "key: node-role.kubernetes.io/control-plane,", "key: other,", 1)
	has(t, file(t, without, "taint", "master", "k:NoSchedule").out, "without the taint")
	if r := file(t, nodes, "taint", "master", "k:NoSchedule"); strings.Contains(r.out, "Warning") {
		t.Error(r.out)
	}
}

// For what is as requested there is nothing to do, and it is written as it is. The other nodes
// are changed.
func TestTaint_again(t *testing.T) {
	r := file(t, nodes, "taint", "a", "b", "old-", "m:NoExecute", "--yes")
	has(t, r.errOut, "Change of node/a: removed old=v:NoSchedule, added m:NoExecute\nChange of node/b: added m:NoExecute\n")
	for _, test := range [][2]string{{"old-", "Change of node/a, node/b: unchanged"}, {"m:NoExecute", "nothing to do: the objects are as requested"}} {
		if again := file(t, r.out, "taint", "a", "b", test[0], "--yes"); again.err != nil || again.out != r.out || !strings.Contains(again.errOut, test[1]) {
			t.Error(again)
		}
	}
}

// What is written for files is the object with all of its fields, and nothing else is on
// standard output.
func TestTaint_files(t *testing.T) {
	r := file(t, nodes, "taint", "a", "b", "m=x:NoExecute", "--yes")
	const want = `apiVersion: v1
items:
- apiVersion: v1
  kind: Node
  metadata:
    labels:
      pool: x
    name: a
    resourceVersion: "1"
  spec:
    podCIDR: 10.0.0.0/24
    taints:
    - effect: NoSchedule
      key: old
      value: v
    - effect: NoExecute
      key: m
      timeAdded: "2026-11-20T09:00:00Z"
      value: x
  status:
    phase: Running
- apiVersion: v1
  kind: Node
  metadata:
    name: b
    resourceVersion: "2"
  spec:
    taints:
    - effect: NoExecute
      key: m
      timeAdded: "2026-11-20T09:00:00Z"
      value: x
kind: List
`
	if diff := cmp.Diff(want, r.out); diff != "" || r.err != nil {
		t.Errorf("%v, mismatch (-want +got):\n%s", r.err, diff)
	}
	has(t, r.errOut, "d/plain", "evicted now")
	r = file(t, nodes, "taint", "b", "m:NoExecute", "--yes", "-o", "json")
	if !json.Valid([]byte(r.out)) || r.err != nil {
		t.Error(r)
	}
}

func TestTaint_rejected(t *testing.T) {
	for _, test := range []struct{ in, args, want string }{
		{nodes, "a old=w:NoSchedule", `taint old=w:NoSchedule is already present as old=v:NoSchedule; use --overwrite`},
		{nodes, "a b:Noschedule", "did you mean NoSchedule"},
		{nodes, "a b:NoSchedule b-", "must not be both"},
		{nodes, "a c- b:No", `"b:No": unknown effect "No"`},
		{nodes, "a", "no taint is given; write key=value:NoSchedule to add one, key- to remove one"},
		{nodes, "nodes k-", "no nodes"},
		{nodes, "k- a", "must precede"},
		{nodes, "nope no/nay k-", "node/nope not found\nnode/nay not found"},
		{nodes, "ms/a k-", "ms/a not found"},
		{nodes, "--all -l x=y k-", "none of the others can be"},
		{nodes, "--all a k-", "but not both"},
		{nodes, "-l pool=none k-", "no node has the labels"},
		{nodes, "-l =,= k-", "--selector"},
		{nodes, "pod/waits k:NoSchedule", "only nodes and the MachineSets"},
		{`{"kind":"Node","metadata":{"name":"a\u001b[2J\n"}}`, "--all k:NoSchedule", "invalid name"},
		{`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"No"}]}}`, "a k-", "spec.taints[0].effect"},
		{`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule","propagation":"Always"}]}}`, "a k-", "propagation"},
		{`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":{}}}`, "a k:NoSchedule", "spec.taints"},
		{`{"kind":"Node","metadata":{"name":"a"},"spec":7}`, "a k:NoSchedule", "spec"},
		{`{"kind":"Node","metadata":{"name":"a"}}{"kind":"Node","metadata":{"name":"a","labels":{"x":"y"}}}`, "a k:NoSchedule", "there are several"},
	} {
		r := file(t, test.in, append([]string{"taint", "--yes"}, strings.Fields(test.args)...)...)
		if r.err == nil || !strings.Contains(r.err.Error(), test.want) || r.out != "" {
			t.Errorf("%s: %v, %q; want %q", test.args, r.err, r.out, test.want)
		}
	}
	if r := run(t, t.Context(), "", "", "taint", "--sample", "--yes", "gpu-0", "dedicated-"); r.err == nil {
		t.Error(r.out)
	}
}

// What cannot be judged is an error, and prevents the change of files, unless it is forced.
func TestTaint_unknown(t *testing.T) {
	in := nodes + `
---
{apiVersion: v1, kind: Pod, metadata: {name: bad, namespace: d}, spec: {nodeName: b, tolerations: [{operator: Nope}]}}
`
	r := file(t, in, "taint", "b", "m:NoExecute")
	has(t, r.errOut, "d/bad", "spec.tolerations[0]")
	if r.err == nil {
		t.Error("no error")
	}
	if r := file(t, in, "taint", "b", "m:NoExecute", "--yes"); r.err == nil || r.out != "" {
		t.Error(r.out)
	}
	if r := file(t, in, "taint", "b", "m:NoExecute", "--yes", "--force"); r.err != nil || !strings.Contains(r.out, "key: m") {
		t.Error(r)
	}
	if r := file(t, in+"\n---\n{", "taint", "b", "m:NoExecute", "--yes"); r.err == nil || r.out != "" {
		t.Error(r)
	}
}

const machines = `
apiVersion: machine.openshift.io/v1beta1
kind: MachineSet
metadata: {name: batch, namespace: openshift-machine-api, resourceVersion: "7"}
spec: {replicas: 2, template: {spec: {providerSpec: {x: y}}}}
---
apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata: {name: m-1, namespace: openshift-machine-api, ownerReferences: [{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, name: batch, uid: u, controller: true}]}
status: {nodeRef: {name: b}}
---
apiVersion: machine.openshift.io/v1beta1
kind: Machine
metadata: {name: m-2, namespace: openshift-machine-api}
status: {nodeRef: {name: a}}
---
`

func TestTaint_machineSet(t *testing.T) {
	r := file(t, machines+nodes, "taint", "machineset/batch", "m:NoExecute")
	has(t, r.out, "Nodes that keep theirs until their machines are replaced: b\n",
		"oc scale --replicas=0 machineset batch -n openshift-machine-api",
		"Change of machineset/batch: added m:NoExecute\n", "d/waits")
	if strings.Contains(r.out, "evicted now") || r.err != nil {
		t.Error(r)
	}
	if r := file(t, machines+nodes, "taint", "machineset/batch", "-n", "other", "m:NoExecute"); r.err == nil {
		t.Error(r.out)
	}
	capi := strings.ReplaceAll(machines, "machine.openshift.io", "cluster.x-k8s.io") + nodes
	if r := file(t, capi, "taint", "machineset/batch", "m:NoExecute"); r.err == nil || !strings.Contains(r.err.Error(), "OpenShift") {
		t.Error(r)
	}
}

const workload = `
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: ml, resourceVersion: "9"}
spec: {template: {spec: %s}}
`

func TestDedicate(t *testing.T) {
	const terms = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
	for _, test := range []struct{ spec, want string }{
		{`{}`, `{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"dedicated","operator":"In","values":["gpu"]}]}]}}},"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"gpu"}]}`},
		{`{nodeSelector: {dedicated: gpu}, tolerations: [{operator: Exists}]}`, ``},
		{`{tolerations: null, affinity: null, nodeSelector: {dedicated: gpu}}`, `{"affinity":null,"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"gpu"}]}`},
		{`{tolerations: [{key: dedicated, operator: Nope}]}`, `tolerations[0].operator`},
		{`{nodeSelector: {dedicated: gpu}, tolerations: [{key: x, operator: Exists}]}`, `{"tolerations":[{"effect":"NoSchedule","key":"dedicated","operator":"Equal","value":"gpu"},{"key":"x","operator":"Exists"}]}`},
		{`{tolerations: [{operator: Exists}], ` + terms + `[{matchFields: [{key: metadata.name, operator: In, values: [b]}]}, {}, {matchExpressions: [{key: z, operator: Exists}]}]}}}}`,
			`{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"dedicated","operator":"In","values":["gpu"]}],"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]},{},{"matchExpressions":[{"key":"z","operator":"Exists"},{"key":"dedicated","operator":"In","values":["gpu"]}]}]}}}}`},
		{`{` + terms + `[7]}}}}`, `affinity`},
		{`{affinity: 7}`, `affinity`},
	} {
		r := file(t, nodes+fmt.Sprintf(workload, test.spec), "dedicate", "b", "dedicated=gpu", "--workload", "deployment/train", "-o", "json")
		if r.err != nil {
			if test.want == "" || !strings.Contains(r.err.Error(), test.want) {
				t.Errorf("%s: %v", test.spec, r.err)
			}
			continue
		}
		for _, o := range report(t, r).Objects {
			want := `{"metadata":{"labels":{"dedicated":"gpu"},"resourceVersion":"2"},"spec":{"taints":[{"effect":"NoSchedule","key":"dedicated","value":"gpu"}]}}`
			if o.Kind == "Deployment" {
				want = `{"metadata":{"resourceVersion":"9"},"spec":{"template":{"spec":` + test.want + `}}}`
			}
			if test.want == "" && o.Kind == "Deployment" {
				want = ""
			}
			var got bytes.Buffer
			if len(o.Patch) > 0 {
				if err := json.Compact(&got, o.Patch); err != nil {
					t.Error(err)
				}
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("%s mismatch (-want +got):\n%s", test.spec, diff)
			}
		}
	}
}

// A workload that another makes is not changed: its owner is named.
func TestDedicate_owned(t *testing.T) {
	in := nodes + strings.Replace(fmt.Sprintf(workload, "{}"), "name: train,", "name: train, ownerReferences: [{kind: Platform, name: p}, {kind: MLJob, name: night, controller: true}],", 1)
	const want = "deployment/train: it belongs to mljob/night, which would undo the change; use --workload mljob/night"
	if r := file(t, in, "dedicate", "b", "dedicated=gpu", "--workload", "deployment/train", "--yes"); r.err == nil || !strings.HasPrefix(r.err.Error(), want) || r.out != "" {
		t.Error(r)
	}
}

func TestDedicate_again(t *testing.T) {
	in := nodes + fmt.Sprintf(workload, "{}")
	args := []string{"dedicate", "b", "dedicated=gpu", "--workload", "deployment/train,Deployments/train"}
	r := file(t, in, args...)
	has(t, r.out, "# kubectl patch deployment train -n ml --type merge --patch-file FILE\nmetadata:\n  resourceVersion: \"9\"\n", "d/plain", "staying", "Change of node/b: label dedicated=gpu, added dedicated=gpu:NoSchedule\nChange of deployment/train: patched\n")
	r = file(t, in, append(args, "--yes")...)
	if r.err != nil || strings.Count(r.out, "kind: Deployment") != 1 {
		t.Fatal(r)
	}
	again := file(t, r.out, append(args, "--yes")...)
	if again.err != nil || again.out != r.out || !strings.Contains(again.errOut, "nothing to do") {
		t.Error(again)
	}
	for _, test := range []struct{ args, want string }{
		{"b dedicated=cpu", "label dedicated is already present with value \"gpu\"; use --overwrite"},
		{"b dedicated=g/u", "value"},
		{"b dedicated=gpu --effect Nope", "Nope"},
		{"b dedicated=gpu --effect nosched", `"dedicated=gpu:nosched": unknown effect "nosched" (allowed: NoSchedule`},
		{"b dedicated", "write one KEY=VALUE after the nodes, such as dedicated=gpu"},
		{"b dedicated-", "dedicated-: write one KEY=VALUE"},
		{"b dedicated=gpu:NoSchedule", "dedicated=gpu:NoSchedule: write one KEY=VALUE after the nodes, such as dedicated=gpu; use --effect for the effect"},
		{"b dedicated=gpu x=y", "KEY=VALUE"},
		{"deployment/train dedicated=gpu", "--workload"},
		{"-l dedicated dedicated=gpu --workload pod/plain", "no pod template"},
		{"b dedicated=gpu --workload node/a", "--workload node/a: must have the form TYPE/NAME"},
		{"b dedicated=gpu --workload Nodes/a", "--workload Nodes/a: must"},
		{"b dedicated=gpu --workload train", "--workload train: must have the form TYPE/NAME, such as deployment/train"},
		{"dedicated=gpu", "no nodes"},
	} {
		r := file(t, r.out+"\n---"+nodes[strings.Index(nodes, "\napiVersion: v1\nkind: Pod"):], append([]string{"dedicate"}, strings.Fields(test.args)...)...)
		if r.err == nil || !strings.Contains(r.err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.args, r.err, test.want)
		}
	}
	changed := strings.Replace(r.out, "dedicated: gpu\n    name: b", "other: gpu\n    name: b", 1)
	if r := file(t, changed, "dedicate", "b", "dedicated=cpu"); r.err == nil || !strings.Contains(r.err.Error(), "already present as dedicated=gpu:NoSchedule") {
		t.Error(r)
	}
	if r := file(t, r.out, "dedicate", "b", "dedicated=cpu", "--overwrite", "--yes"); r.err != nil || strings.Count(r.out, "cpu") != 2 {
		t.Error(r)
	}
}

// Large inputs take linear time: the test would not end otherwise.
func TestTaint_large(t *testing.T) {
	args := append([]string{"taint", "a"}, strings.Split(repeat(100_000, "k%d:NoSchedule"), ",")...)
	node := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[` + repeat(20_000, `{"key":"t%d","effect":"NoSchedule"}`) + `]}}`
	if r := file(t, node, args...); r.err != nil {
		t.Error(r.err)
	}
}

// The work for pods that all require other labels is limited.
func TestTaint_placements(t *testing.T) {
	in := `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"}},` + repeat(33_000, `{"kind":"Node","metadata":{"name":"n%d"}}`) + "," +
		repeat(1100, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"k","operator":"NotIn","values":["%[1]d"]}]}]}}}}}`) + `]}`
	args := []string{"taint", "a", "k:NoSchedule", "--yes"}
	r := file(t, in, args...)
	if r.err == nil || !strings.Contains(r.err.Error(), "use --force") || r.out != "" {
		t.Error(r.err)
	}
	has(t, r.errOut, "Affected pods: at least ", "Warning: not judged, as nodes and labels differ too much: ")
	if r := file(t, in, append(args, "--force")...); r.err != nil || !strings.Contains(r.out, "key: k") {
		t.Error(r.err)
	}
}

// Pods that each require another label are judged, all of them, by the nodes with the label.
func TestTaint_hosts(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `,{"kind":"Pod","metadata":{"name":"q%d"},"spec":{"nodeName":"n%[1]d","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
			{"matchExpressions":[{"key":"host","operator":"In","values":["h%[1]d","none"]}]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}]}}}}}`, i, (i+1)%5000)
	}
	in := `{"kind":"List","items":[{"kind":"Node","metadata":{"name":"a"}},` + repeat(5000, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"h%[1]d"}}},
		{"kind":"Pod","metadata":{"name":"p%[1]d"},"spec":{"nodeName":"n%[1]d","nodeSelector":{"host":"h%[1]d"}}}`) + b.String() + "]}"
	got := pods(t, file(t, in, "taint", "n7", "k:NoExecute", "-o", "json"))
	want := []pod{
		{Name: "p7", Effect: "evicted now", Taint: "k:NoExecute", Fits: 0, FitsWithout: 1},
		{Name: "q7", Effect: "evicted now", Taint: "k:NoExecute", Fits: 1, FitsWithout: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// An apiServer is the part of one that the commands use.
type apiServer struct {
	t       *testing.T
	objects map[string]map[string]any                         // by path
	patches []string                                          // the paths, in order
	respond func(w http.ResponseWriter, r *http.Request) bool // instead of the server
}

// discovery is what the server answers about its resources, by path.
var discovery = map[string]string{
	"/api": `{"kind":"APIVersions","versions":["v1"]}`,
	"/apis": `{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"apps","versions":[{"groupVersion":"apps/v1","version":"v1"}],"preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},
		{"name":"machine.openshift.io","versions":[{"groupVersion":"machine.openshift.io/v1beta1","version":"v1beta1"}],"preferredVersion":{"groupVersion":"machine.openshift.io/v1beta1","version":"v1beta1"}}]}`,
	"/api/v1":       `{"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"nodes","kind":"Node"},{"name":"pods","kind":"Pod","namespaced":true}]}`,
	"/apis/apps/v1": `{"kind":"APIResourceList","groupVersion":"apps/v1","resources":[{"name":"deployments","singularName":"deployment","kind":"Deployment","namespaced":true,"shortNames":["deploy"]}]}`,
	"/apis/machine.openshift.io/v1beta1": `{"kind":"APIResourceList","groupVersion":"machine.openshift.io/v1beta1",
		"resources":[{"name":"machinesets","singularName":"machineset","kind":"MachineSet","namespaced":true},{"name":"machines","kind":"Machine","namespaced":true}]}`,
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.respond == nil || !s.respond(w, r) {
		s.serve(w, r)
	}
}

func (s *apiServer) serve(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	write := func(v any) { _ = json.NewEncoder(w).Encode(v) }
	if text, ok := discovery[r.URL.Path]; ok {
		fmt.Fprint(w, text)
		return
	}
	o, ok := s.objects[r.URL.Path]
	switch {
	case !ok && strings.HasSuffix(r.URL.Path, "s"): // a list
		items, kind := []any{}, map[string]string{"nodes": "Node", "pods": "Pod", "machines": "Machine"}[filepath.Base(r.URL.Path)]
		for _, path := range slices.Sorted(maps.Keys(s.objects)) {
			o := s.objects[path]
			if filepath.Base(filepath.Dir(path)) == filepath.Base(r.URL.Path) {
				items = append(items, o)
			}
		}
		write(map[string]any{"kind": kind + "List", "apiVersion": "v1", "metadata": map[string]any{}, "items": items})
	case !ok:
		status(w, 404, "NotFound", r.URL.Path+" not found")
	case r.Method == http.MethodGet:
		write(o)
	default:
		body, err := io.ReadAll(r.Body)
		var patch map[string]any
		if err != nil || json.Unmarshal(body, &patch) != nil || r.Header.Get("Content-Type") != "application/merge-patch+json" {
			s.t.Error(err, r.Header)
		}
		metadata := o["metadata"].(map[string]any)
		if r.URL.Query().Get("dryRun") == "All" {
			write(o)
			return
		}
		if patch["metadata"].(map[string]any)["resourceVersion"] != metadata["resourceVersion"] {
			status(w, 409, "Conflict", "the object has been modified")
			return
		}
		s.patches = append(s.patches, r.URL.Path)
		merge(o, patch)
		metadata["resourceVersion"] = metadata["resourceVersion"].(string) + "+"
		write(o)
	}
}

func status(w http.ResponseWriter, code int, reason, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": reason, "message": message, "code": code})
}

// merge applies a merge patch.
func merge(into, patch map[string]any) {
	for name, v := range patch {
		below, isObject := v.(map[string]any)
		if old, ok := into[name].(map[string]any); ok && isObject {
			merge(old, below)
		} else if v == nil {
			delete(into, name)
		} else {
			into[name] = v
		}
	}
}

// start starts a server with three nodes, pods on them, a deployment and a MachineSet.
func start(t *testing.T) (*apiServer, string) {
	s := &apiServer{t: t, objects: make(map[string]map[string]any)}
	add := func(path, text string) {
		var o map[string]any
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err, text)
		}
		s.objects[path] = o
	}
	for _, n := range []string{"a", "b", "c"} {
		add("/api/v1/nodes/"+n, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"`+n+`","resourceVersion":"1","managedFields":[{"manager":"x"}]},"spec":{},"status":{"x":"y"}}`)
		add("/api/v1/namespaces/d/pods/p-"+n, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p-`+n+`","namespace":"d"},"spec":{"nodeName":"`+n+`"}}`)
	}
	add("/apis/apps/v1/namespaces/ml/deployments/train", `{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"train","namespace":"ml","resourceVersion":"5"},"spec":{"template":{"spec":{}}}}`)
	add("/apis/machine.openshift.io/v1beta1/namespaces/m/machinesets/s", `{"kind":"MachineSet","apiVersion":"machine.openshift.io/v1beta1","metadata":{"name":"s","namespace":"m","resourceVersion":"5"},"spec":{"template":{"spec":{}}}}`)
	add("/apis/machine.openshift.io/v1beta1/namespaces/m/machinesets/s2", `{"kind":"MachineSet","apiVersion":"machine.openshift.io/v1beta1","metadata":{"name":"s2","namespace":"m","resourceVersion":"5"},"spec":{"template":{"spec":{}}}}`)
	add("/apis/machine.openshift.io/v1beta1/namespaces/m/machines/s-1", `{"kind":"Machine","apiVersion":"machine.openshift.io/v1beta1","metadata":{"name":"s-1","namespace":"m","ownerReferences":[{"kind":"MachineSet","name":"s","apiVersion":"x","uid":"u","controller":true}]},"status":{"nodeRef":{"name":"a"}}}`)
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL
}

func (s *apiServer) taints(node string) string {
	spec := s.objects["/api/v1/nodes/"+node]["spec"].(map[string]any)
	text, err := json.Marshal(spec["taints"])
	if err != nil {
		s.t.Error(err)
	}
	return string(text)
}

// set sets a field of an object, such as spec.taints.
func (s *apiServer) set(path, field, text string) {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		s.t.Fatal(err)
	}
	part, name, _ := strings.Cut(field, ".")
	s.objects[path][part].(map[string]any)[name] = v
}

// on responds to requests of a method for a path, each if it is not empty.
func (s *apiServer) on(method, path string, respond func(w http.ResponseWriter, r *http.Request)) {
	s.respond = func(w http.ResponseWriter, r *http.Request) bool {
		is := (method == "" || r.Method == method) && (path == "" || r.URL.Path == path)
		if is {
			respond(w, r)
		}
		return is
	}
}

func TestLive(t *testing.T) {
	const tainted = `[{"effect":"NoExecute","key":"k","timeAdded":"2026-11-20T09:00:00Z"}]`
	s, url := start(t)
	r := run(t, t.Context(), url, "", "taint", "a", "k:NoExecute")
	has(t, r.out, "d/p-a", "evicted now", "2 of 3 nodes", "add --yes")
	if r.err != nil || len(s.patches) > 0 || strings.Contains(r.out, "managedFields") {
		t.Fatal(r, s.patches)
	}
	r = run(t, t.Context(), url, "", "taint", "a", "no/b", "k:NoExecute", "--yes")
	if r.err != nil || s.taints("a") != tainted || s.taints("b") != tainted || s.taints("c") != "null" {
		t.Fatal(r)
	}
	has(t, r.out, "\nnode/a tainted\nnode/b tainted\n")
	r = run(t, t.Context(), url, "", "taint", "--all", "k:NoExecute", "--overwrite", "--yes", "-o", "json")
	if v := report(t, r); !v.Applied || len(v.Objects) != 3 || s.taints("c") != tainted || !strings.HasSuffix(r.errOut, "\nnode/c tainted\n3 objects: 1 changed, 2 unchanged, 0 failed\n") {
		t.Error(r)
	}
	if r := run(t, t.Context(), url, "", "taint", "--all", "k-", "--yes"); r.err != nil || s.taints("a") != "null" {
		t.Error(r)
	}
	r = run(t, t.Context(), url, "", "taint", "machineset/s", "-n", "m", "k:NoExecute", "--yes")
	has(t, r.out, "replaced: a\n", "machineset/s tainted\n")
	r = run(t, t.Context(), url, "", "taint", "machineset/s", "machineset/s2", "-n", "m", "k2:NoExecute")
	has(t, r.out, "replaced: a\n", "replaced: none\n")
	for _, name := range []string{"node/..", "node/a/b", "node/", "deployment/../x", "deployment"} {
		if r := run(t, t.Context(), url, "", "taint", name, "k:NoExecute", "--yes"); r.err == nil {
			t.Error(name, r)
		}
	}
	if r := run(t, t.Context(), url, "", "taint", "nope", "machinedeployment/x", "k:NoExecute", "--yes"); r.err == nil {
		t.Error(r)
	}
}

// An object under two names is changed once.
func TestLive_dedicate(t *testing.T) {
	s, url := start(t)
	args := []string{"dedicate", "a", "b", "no/a", "team=ml", "--workload", "deploy/train,deployments/train", "-n", "ml", "--yes"}
	r := run(t, t.Context(), url, "", args...)
	const a, b, train = "/api/v1/nodes/a", "/api/v1/nodes/b", "/apis/apps/v1/namespaces/ml/deployments/train"
	if want := []string{a, b, train, a, b}; r.err != nil || !slices.Equal(s.patches, want) {
		t.Errorf("%v, %q, want %q", r.err, s.patches, want)
	}
	if s.taints("a") != `[{"effect":"NoSchedule","key":"team","value":"ml"}]` {
		t.Error(s.taints("a"))
	}
	has(t, r.out, "node/a labeled\nnode/b labeled\ndeployment/train patched\nnode/a tainted\nnode/b tainted\n")
	again := run(t, t.Context(), url, "", args...)
	if again.err != nil || len(s.patches) != 5 {
		t.Error(again, s.patches)
	}
	has(t, again.out, "nothing to do")
}

// What is judged is not applied to a node that the API server changes with the label.
func TestLive_otherSpec(t *testing.T) {
	s, url := start(t)
	s.on(http.MethodPatch, "", func(w http.ResponseWriter, r *http.Request) {
		s.set("/api/v1/nodes/a", "spec.taints", `[{"key":"added","effect":"NoExecute"}]`)
		s.serve(w, r)
	})
	r := run(t, t.Context(), url, "", "dedicate", "a", "team=ml", "--yes")
	if r.err == nil || !strings.Contains(r.errOut, "node/a failed: it has changed since it was read") || s.taints("a") != `[{"effect":"NoExecute","key":"added"}]` {
		t.Error(r, s.taints("a"))
	}
}

// A node that is not changed does not prevent the change of the others, and is reported.
func TestLive_failure(t *testing.T) {
	patchOf := func(r *http.Request, node string) bool {
		return r.Method == http.MethodPatch && r.URL.Path == "/api/v1/nodes/"+node
	}
	closed := func(w http.ResponseWriter) bool {
		c, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = c.Close()
		}
		return true
	}
	var s *apiServer
	var patches int // of b
	heartbeat := func() {
		s.objects["/api/v1/nodes/b"]["metadata"].(map[string]any)["resourceVersion"] = fmt.Sprint("beat ", patches)
	}
	// change changes b before the patch is served.
	change := func(field, text string) func(http.ResponseWriter, *http.Request) bool {
		return func(http.ResponseWriter, *http.Request) bool {
			s.set("/api/v1/nodes/b", field, text)
			heartbeat()
			return false
		}
	}
	const changed = "node/b failed: it has changed since it was read, and is left as it is\n"
	const final = "3 objects: 2 changed, 0 unchanged, 1 failed\nfailed: node/b"
	const oneFailed = final + "\nto finish, run: kubectl tolerate taint a b c k:NoExecute --yes"
	for _, test := range []struct {
		name         string
		respond      func(w http.ResponseWriter, r *http.Request) bool // to a patch of b
		errOut, err  string
		tainted      string // the nodes
		everyRequest bool   // is answered so after the patch of b
	}{
		{"heartbeats", func(http.ResponseWriter, *http.Request) bool {
			if patches < 3 {
				heartbeat()
			}
			return false
		}, "", "", "a b c", false},
		{"conflict without end", func(http.ResponseWriter, *http.Request) bool { heartbeat(); return false },
			"node/b failed: the object has been modified\n", oneFailed, "a c", false},
		{"other taints", change("spec.unschedulable", "true"), changed, oneFailed, "a c", false},
		{"other labels", change("metadata.labels", `{"x":"y"}`), changed, oneFailed, "a c", false},
		{"another operator", change("spec.taints", `[{"key":"k","effect":"NoExecute","timeAdded":"2026-11-20T08:59:59Z"}]`), "", "", "a b c", false},
		{"forbidden", func(w http.ResponseWriter, _ *http.Request) bool {
			status(w, 403, "Forbidden", "you are not allowed")
			return true
		}, "node/b failed: you are not allowed\n", final, "a c", false},
		{"deleted", func(w http.ResponseWriter, r *http.Request) bool {
			delete(s.objects, r.URL.Path)
			return false
		}, "node/b failed: /api/v1/nodes/b not found\n", final, "a c", false},
		{"lost answer", func(w http.ResponseWriter, r *http.Request) bool {
			s.serve(httptest.NewRecorder(), r)
			return closed(w)
		}, "", "", "a b c", false},
		{"repeated by the client", func(w http.ResponseWriter, r *http.Request) bool {
			if patches > 1 {
				return false
			}
			s.serve(httptest.NewRecorder(), r)
			w.Header().Set("Retry-After", "1")
			status(w, 500, "InternalError", "no leader")
			return true
		}, "", "", "a b c", false},
		{"error of the server", func(w http.ResponseWriter, _ *http.Request) bool {
			status(w, 500, "InternalError", "the webhook failed")
			return true
		}, "node/b failed: the webhook failed\n", oneFailed, "a c", false},
		{"gone", func(w http.ResponseWriter, _ *http.Request) bool { status(w, 503, "", "no leader"); return true },
			"node/b failed: it is perhaps changed: no leader\n", "the API server does not answer; 3 objects: 1 changed, 0 unchanged, 1 failed, 1 not reached\nfailed: node/b\nto finish, run: kubectl tolerate taint a b c k:NoExecute --yes", "a", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var url string
			s, url = start(t)
			patches = 0
			s.respond = func(w http.ResponseWriter, r *http.Request) bool {
				if patchOf(r, "b") {
					patches++
				} else if !test.everyRequest || patches == 0 {
					return false
				}
				return test.respond(w, r)
			}
			r := run(t, t.Context(), url, "", "taint", "a", "b", "c", "k:NoExecute", "--yes")
			if r.err == nil != (test.err == "") || r.err != nil && r.err.Error() != test.err {
				t.Errorf("error %v, want %s", r.err, test.err)
			}
			r.errOut = regexp.MustCompile(`(?m)^waiting for .*\n`).ReplaceAllString(r.errOut, "") // on a slow machine
			if !strings.HasPrefix(r.errOut, test.errOut) || test.errOut == "" && r.errOut != "" {
				t.Errorf("%q, want %q", r.errOut, test.errOut)
			}
			tainted := ""
			for _, n := range []string{"a", "b", "c"} {
				if s.objects["/api/v1/nodes/"+n] != nil && s.taints(n) != "null" {
					tainted += " " + n
				}
			}
			if tainted = strings.TrimSpace(tainted); tainted != test.tainted {
				t.Errorf("tainted: %s, want %s", tainted, test.tainted)
			}
			if r.err == nil {
				has(t, r.out, "\n3 objects: 3 changed, 0 unchanged, 0 failed\n")
			}
			if s.objects["/api/v1/nodes/b"] == nil {
				return
			}
			s.respond = nil // it can be finished, and undone
			for _, again := range []string{"k:NoExecute", "k-"} {
				if r := run(t, t.Context(), url, "", "taint", "a", "b", "c", again, "--yes"); r.err != nil {
					t.Error(r.err)
				}
				for _, n := range []string{"a", "b", "c"} {
					if is := s.taints(n) != "null"; is != (again != "k-") {
						t.Errorf("after %s, %s has %s", again, n, s.taints(n))
					}
				}
			}
		})
	}
}

// After three requests without an answer in time, of any nodes, the others are not tried.
func TestLive_timeouts(t *testing.T) {
	s, url := start(t)
	requests := ""
	s.respond = func(w http.ResponseWriter, r *http.Request) bool {
		node := filepath.Base(r.URL.Path)
		if r.Method == http.MethodPatch {
			requests += node
		}
		if r.Method != http.MethodPatch || requests == "aa" {
			return false
		}
		status(w, 504, "Timeout", "request did not complete within the allotted timeout")
		return true
	}
	r := run(t, t.Context(), url, "", "taint", "a", "b", "c", "k:NoExecute", "--yes")
	const want = "the API server does not answer; 3 objects: 1 changed, 0 unchanged, 1 failed, 1 not reached\nfailed: node/b\nto finish, run: kubectl tolerate taint a b c k:NoExecute --yes"
	if fmt.Sprint(r.err) != want || requests != "aabb" {
		t.Errorf("%s: %v, want %s", requests, r.err, want)
	}
}

// What cannot be read as a whole is not changed.
func TestLive_unreadable(t *testing.T) {
	for name, respond := range map[string]func(w http.ResponseWriter){
		"reading /api/v1/pods": func(w http.ResponseWriter) { fmt.Fprint(w, `{"kind":"PodList","items":[{"metadata":{"name":"x"}}`) },
		"too old":              func(w http.ResponseWriter) { status(w, 410, "Expired", "the continue token is too old") },
	} {
		s, url := start(t)
		s.on("", "/api/v1/pods", func(w http.ResponseWriter, _ *http.Request) { respond(w) })
		if r := run(t, t.Context(), url, "", "taint", "a", "k:NoExecute", "--yes"); r.err == nil || !strings.Contains(r.err.Error(), name) || s.patches != nil {
			t.Error(name, r.err, s.patches)
		}
	}
}

// Who may change nodes, but not list pods, must force the change.
func TestLive_forbidden(t *testing.T) {
	s, url := start(t)
	s.on("", "/api/v1/pods", func(w http.ResponseWriter, _ *http.Request) { status(w, 403, "Forbidden", "you are not allowed") })
	args := []string{"taint", "a", "k:NoExecute"}
	r := run(t, t.Context(), url, "", args...)
	has(t, r.out, "\nAffected pods: unknown\nWarning: what happens to pods is unknown: you are not allowed\n", "add --yes")
	if r.err == nil {
		t.Error(r.err)
	}
	args = append(args, "--yes")
	if r := run(t, t.Context(), url, "", args...); r.err == nil || !strings.Contains(r.err.Error(), "use --force") || s.patches != nil {
		t.Error(r.err, s.patches)
	}
	if r := run(t, t.Context(), url, "", append(args, "--force")...); r.err != nil || len(s.patches) != 1 {
		t.Error(r.err, s.patches)
	}
}

// What cannot be judged prevents the change, unless it is forced.
func TestLive_unknown(t *testing.T) {
	s, url := start(t)
	s.set("/api/v1/namespaces/d/pods/p-b", "spec.tolerations", `[{"operator":"New"}]`)
	for _, node := range []string{"a", "b"} {
		if r := run(t, t.Context(), url, "", "taint", node, "k:NoExecute", "--yes"); r.err == nil || len(s.patches) > 0 || !strings.Contains(r.err.Error(), "--force") {
			t.Error(r)
		}
	}
	if r := run(t, t.Context(), url, "", "taint", "b", "k:NoExecute", "--yes", "--force"); r.err != nil || len(s.patches) != 1 {
		t.Error(r)
	}
	s.objects["/api/v1/namespaces/d/pods/p-b"] = map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "bad", "namespace": 7}}
	if r := run(t, t.Context(), url, "", "taint", "c", "k:NoExecute", "--yes"); r.err == nil || len(s.patches) != 1 || !strings.Contains(r.errOut, "metadata.namespace") {
		t.Error(r)
	}
}

// An interrupt ends the command when the node under way is changed, or after some seconds.
// What was done is reported, with status 130.
func TestLive_interruptedChange(t *testing.T) {
	for _, test := range []struct {
		stalls  bool
		tainted string // c is not
		err     string
	}{
		{false, "a b", "interrupted; 3 objects: 2 changed, 0 unchanged, 0 failed, 1 not reached\nto finish, run: kubectl tolerate taint a b c k:NoExecute --yes"},
		{true, "a", "interrupted; 3 objects: 1 changed, 0 unchanged, 1 failed, 1 not reached\nfailed: node/b\nto finish, run: kubectl tolerate taint a b c k:NoExecute --yes"},
	} {
		s, url := start(t)
		ctx, cancel := context.WithCancel(t.Context())
		s.on(http.MethodPatch, "/api/v1/nodes/b", func(w http.ResponseWriter, r *http.Request) {
			cancel()
			if !test.stalls {
				time.Sleep(50 * time.Millisecond) // the client could end the request
				s.serve(w, r)
				return
			}
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not see that the connection is closed
			<-r.Context().Done()
		})
		r := run(t, ctx, url, "", "taint", "a", "b", "c", "k:NoExecute", "--yes")
		var exit *cli.Exit
		if !errors.As(r.err, &exit) || exit.Status != 130 || exit.Error() != test.err {
			t.Errorf("%v, want %s", r.err, test.err)
		}
		has(t, r.errOut, "stopping after node/b (2 of 3), in 5s at most; interrupt again to stop now\n")
		if test.stalls {
			has(t, r.errOut, "node/b failed: it is perhaps changed: ")
		}
		for _, n := range []string{"a", "b", "c"} {
			if is := s.taints(n) != "null"; is != strings.Contains(test.tainted, n) {
				t.Errorf("%s has %s", n, s.taints(n))
			}
		}
	}
}

// An interrupt ends the wait for a server that does not answer.
func TestLive_interrupt(t *testing.T) {
	s, url := start(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.on("", "", func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	if r := run(t, ctx, url, "", "taint", "a", "k:NoExecute", "--yes"); r.err == nil {
		t.Error(r)
	}
}

// What a controller undoes, and what new nodes lack, is said before the change.
func TestTaint_undone(t *testing.T) {
	const node = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1","labels":{%s},"annotations":{%s}},"spec":{"taints":[%s]}}`
	lost := `{"key":"node.kubernetes.io/unreachable","effect":"NoExecute"}`
	for name, test := range map[string]struct{ labels, annotations, taints, edit, want string }{
		"condition, removed": {"", "", lost, "node.kubernetes.io/unreachable-", "Warning: n1: the node lifecycle controller sets node.kubernetes.io/unreachable by the node's conditions, and undoes this; repair the node\n"},
		"condition, added":   {"", "", "", "node.kubernetes.io/disk-pressure:NoSchedule", "n1: the node lifecycle controller sets node.kubernetes.io/disk-pressure by"},
		"cordon":             {"", "", "", "node.kubernetes.io/unschedulable:NoSchedule", "Warning: n1: the node lifecycle controller undoes this; use kubectl cordon or kubectl uncordon\n"},
		"out of service":     {"", "", "", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute", "Warning: n1: pods are deleted by force, and their volumes detached: only for a node that is shut down\n"},
		"in service again":   {"", "", `{"key":"node.kubernetes.io/out-of-service","effect":"NoExecute"}`, "node.kubernetes.io/out-of-service-", ""},
		"machine":            {"", `"cluster.x-k8s.io/taints-from-machine":"a:NoSchedule,b:NoSchedule"`, `{"key":"b","effect":"NoSchedule"}`, "b-", "n1: Cluster API sets b:NoSchedule by the node's Machine, and undoes this; change the taints of the Machine's template\n"},
		"machine, a value":   {"", `"cluster.x-k8s.io/taints-from-machine":"b=x:NoSchedule"`, `{"key":"b","value":"x","effect":"NoSchedule"}`, "b-", "n1: Cluster API sets b:NoSchedule"},
		"machine, another":   {"", `"cluster.x-k8s.io/taints-from-machine":"a:NoSchedule"`, `{"key":"b","effect":"NoSchedule"}`, "b-", ""},
		"Karpenter":          {`"karpenter.sh/nodepool":"gpu"`, "", "", "a:NoSchedule", "n1: new nodes of Karpenter's NodePool gpu get the pool's taints; for a lasting change, change them there, too\n"},
		"a NodeClaim":        {`"a":"b"},"ownerReferences":[{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","name":"gpu-x"}],"finalizers":[],"x":{"y":"z"`, "", "", "a:NoSchedule", "n1: new nodes of Karpenter's NodePool get its taints; for a lasting change, change them there, too\n"},
		"another NodeClaim":  {`"a":"b"},"ownerReferences":[{"apiVersion":"x/v1","kind":"NodeClaim","name":"gpu-x"}],"x":{"y":"z"`, "", "", "a:NoSchedule", ""},
		"another program":    {"", "", `{"key":"node.cilium.io/agent-not-ready","effect":"NoSchedule"}`, "node.cilium.io/agent-not-ready-", "Warning: n1: another program sets and removes node.cilium.io/agent-not-ready, so it can undo this; wait until "},
		"Cluster Autoscaler": {"", "", `{"key":"ToBeDeletedByClusterAutoscaler","effect":"NoSchedule"}`, "ToBeDeletedByClusterAutoscaler-", "so it can undo this; the node is being removed, wait for another\n"},
		"EKS":                {`"eks.amazonaws.com/nodegroup":"x"`, "", "", "a:NoSchedule", "of the EKS node group x get"},
		"GKE":                {`"cloud.google.com/gke-nodepool":"x"`, "", "", "a:NoSchedule", "of the GKE node pool x get"},
		"AKS":                {`"kubernetes.azure.com/agentpool":"x"`, "", "", "a:NoSchedule", "of the AKS node pool x get"},
		"nothing to do":      {`"kubernetes.azure.com/agentpool":"x"`, "", `{"key":"a","effect":"NoSchedule"}`, "a:NoSchedule", ""},
		"a usual node":       {`"pool":"x"`, "", "", "a:NoSchedule", ""},
		"master":             {"", "", `{"key":"node-role.kubernetes.io/control-plane","effect":"NoSchedule"}`, "node-role.kubernetes.io/master-", "Warning: since Kubernetes 1.25, control planes have node-role.kubernetes.io/control-plane instead: node-role.kubernetes.io/control-plane-\n"},
	} {
		t.Run(name, func(t *testing.T) {
			r := file(t, fmt.Sprintf(node, test.labels, test.annotations, test.taints), "taint", "n1", test.edit)
			if r.err != nil || !strings.Contains(r.out, test.want) || strings.Contains(r.out, "Warning: ") != (test.want != "") {
				t.Errorf("%v, no %q:\n%s", r.err, test.want, r.out)
			}
		})
	}
}

// Ended pods are deleted as others are: those that a new NoExecute taint evicts now or later.
func TestTaint_ended(t *testing.T) {
	pod := func(name, phase, spec, meta string) string {
		return fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"name":%q%s},"spec":{"nodeName":"n1"%s},"status":{"phase":%q}}`, name, meta, spec, phase)
	}
	in := `{"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"}}{"kind":"Node","apiVersion":"v1","metadata":{"name":"n2"}}` +
		pod("a", "Succeeded", "", "") + pod("b", "Failed", `,"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":60}]`, "") +
		pod("c", "Succeeded", `,"tolerations":[{"operator":"Exists"}]`, "") + pod("d", "Failed", "", `,"deletionTimestamp":"2026-11-20T08:00:00Z"`) +
		strings.Replace(pod("e", "Succeeded", "", ""), "n1", "n2", 1) + pod("f", "Failed", "", `,"annotations":{"kubernetes.io/config.mirror":"x"}`)
	has(t, file(t, in, "taint", "n1", "k:NoExecute").out, "Affected pods: 0\nWarning: 2 ended pods are deleted too, with their logs\n")
	if r := report(t, file(t, in, "taint", "n1", "k:NoExecute", "-o", "json")); r.Ended != 2 || len(r.Pods) != 0 {
		t.Errorf("%d ended, %d pods", r.Ended, len(r.Pods))
	}
	if r := file(t, in, "taint", "n1", "k:NoSchedule"); strings.Contains(r.out, "ended") {
		t.Error(r.out)
	}
}
