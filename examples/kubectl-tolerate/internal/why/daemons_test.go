package why

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/taint/condition"
)

const (
	gpu     = "{kind: Node, metadata: {name: gpu, labels: {pool: b}}, spec: {taints: [{key: gpu, value: present, effect: NoSchedule}]}}"
	control = "{kind: Node, metadata: {name: control}, spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}}"
	infra   = "{kind: Node, metadata: {name: infra}, spec: {taints: [{key: node-role.kubernetes.io/infra, effect: NoSchedule}]}}"
)

// node returns a node with a taint.
func node(name, key, effect string) string {
	return fmt.Sprintf("{kind: Node, metadata: {name: %q}, spec: {taints: [{key: %s, effect: %s}]}}", name, key, effect)
}

// daemonSet returns a DaemonSet with this UID and fields of its template's spec.
func daemonSet(name, uid, spec string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: DaemonSet, metadata: {namespace: mesh, name: %[1]s, uid: %[2]q}, spec: {template: {metadata: {labels: {app: %[1]s}}, spec: {%[3]s}}}}", name, uid, spec)
}

// daemonPod returns a pod on a node, with more fields of its metadata and the rest.
func daemonPod(owner, uid, node, meta, rest string) string {
	return fmt.Sprintf("{kind: Pod, metadata: {namespace: mesh, name: %[1]s-%[3]s, labels: {app: %[1]s}, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: %[1]s, uid: %[2]q, controller: true}]%[4]s}, spec: {nodeName: %[3]s}%[5]s}", owner, uid, node, meta, rest)
}

const addGPU = `      gpu=present:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"gpu","operator":"Equal","value":"present","effect":"NoSchedule"}
`

// A DaemonSet that lacks pods because of taints is listed with the nodes and tolerations.
func TestDaemonSets(t *testing.T) {
	const on = `  no pod on nodes whose taints its template does not tolerate:
`
	const affinity = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: pool, operator: In, values: [%s]}]}]}}}"
	const byName = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [%s]}]}]}}}"
	d, pod := daemonSet("d", "1", ""), daemonPod("d", "1", "plain", "", "")
	lacks := "\nDaemonSet mesh/d\n  taints and labels admit 1 of 2 nodes\n" + on + "    gpu\n" + addGPU
	has := strings.Replace(lacks, "\n  taints", "\n  has no pods\n  taints", 1)
	unknown := "\nDaemonSet mesh/d\n  which nodes lack a pod is unknown: the input does not have its pods\n"
	for name, test := range map[string]struct {
		input []string
		args  string
		want  string
	}{
		"lacks":              {[]string{plain, gpu, d, pod}, "", lacks},
		"of two nodes":       {[]string{plain, gpu, strings.Replace(gpu, "name: gpu", "name: gpu2", 1), d, pod}, "", strings.NewReplacer("2 nodes", "3 nodes", "    gpu\n", "    gpu, gpu2\n").Replace(lacks)},
		"tolerates":          {[]string{plain, gpu, daemonSet("d", "1", "tolerations: [{key: gpu, operator: Exists}]"), pod}, "", ""},
		"other value":        {[]string{plain, gpu, daemonSet("d", "1", "tolerations: [{key: gpu, value: x}]"), pod}, "", strings.Replace(lacks, "no toleration has its key", `"gpu=x" has another value`, 1)},
		"first pods":         {[]string{pod, d, gpu, plain}, "", lacks},
		"no pods of it":      {[]string{plain, gpu, d, daemonPod("e", "2", "plain", "", "")}, "", has},
		"another UID":        {[]string{plain, gpu, d, daemonPod("d", "0", "plain", "", ""), daemonPod("d", "0", "gpu", "", "")}, "", has},
		"no UID of the set":  {[]string{plain, gpu, daemonSet("d", "", ""), pod}, "", lacks},
		"no UID of the pod":  {[]string{plain, gpu, d, daemonPod("d", "", "plain", "", "")}, "", lacks},
		"another namespace":  {[]string{plain, gpu, d, strings.Replace(daemonPod("d", "", "gpu", "", ""), "mesh", "other", 1)}, "", has},
		"another group":      {[]string{plain, gpu, d, pod, strings.Replace(daemonPod("d", "1", "gpu", "", ""), "apps/v1", "apps.example.com/v1", 1)}, "", lacks},
		"not its controller": {[]string{plain, gpu, d, pod, strings.Replace(daemonPod("d", "1", "gpu", "", ""), "controller: true", "controller: false", 1)}, "", lacks},
		"failed":             {[]string{plain, gpu, d, pod, daemonPod("d", "1", "gpu", "", ", status: {phase: Failed}")}, "", lacks},
		"terminating":        {[]string{plain, gpu, d, pod, daemonPod("d", "1", "gpu", `, deletionTimestamp: "2026-11-20T08:30:00Z"`, "")}, "", ""},
		"set being deleted":  {[]string{plain, gpu, strings.Replace(d, "mesh,", `mesh, deletionTimestamp: "2026-11-20T08:30:00Z",`, 1), pod}, "", ""},
		"no pods in input":   {[]string{plain, gpu, d}, "", unknown},
		"not its pods":       {[]string{plain, gpu, strings.TrimSuffix(d, "}") + ", status: {currentNumberScheduled: 1}}", daemonPod("e", "2", "plain", "", "")}, "", unknown},
		"no nodes":           {[]string{d, pod}, "", ""},
		"admitted, no pod":   {[]string{plain, d, daemonPod("e", "2", "plain", "", "")}, "", ""},
		"for one node":       {[]string{plain, gpu, daemonSet("d", "1", "nodeName: gpu"), daemonPod("e", "2", "plain", "", "")}, "", strings.Replace(has, "1 of 2 nodes", "0 of 2 nodes; metadata.name In (gpu) selects 1", 1)},
		"for another node":   {[]string{plain, gpu, daemonSet("d", "1", "nodeName: plain"), pod}, "", ""},
		"and a label":        {[]string{plain, gpu, daemonSet("d", "1", "nodeName: gpu, "+fmt.Sprintf(affinity, "x")), pod}, "", ""},
		"and an empty term":  {[]string{plain, gpu, daemonSet("d", "1", "nodeName: gpu, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}"), pod}, "", ""},
		"cordoned":           {[]string{plain, "{kind: Node, metadata: {name: c}, spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}}", d, pod}, "", ""},
		"PreferNoSchedule":   {[]string{plain, node("n", "k", "PreferNoSchedule"), d, pod}, "", ""},
		"NoExecute":          {[]string{plain, node("n", "k", "NoExecute"), d, pod}, "", lacks[:strings.Index(lacks, "gpu\n")] + "n\n" + `      k:NoExecute is not tolerated: no toleration has its key; to add: {"key":"k","operator":"Exists","effect":"NoExecute"}` + "\n"},
		"pressure":           {[]string{plain, node("n", condition.MemoryPressure, "NoSchedule"), node("m", condition.NotReady, "NoExecute"), d, pod}, "", ""},
		"being removed":      {[]string{plain, node("n", "ToBeDeletedByClusterAutoscaler", "NoSchedule"), d, pod}, "", ""},
		"Fargate":            {[]string{plain, node("n", "eks.amazonaws.com/compute-type", "NoSchedule"), d, pod}, "", ""},
		"etcd":               {[]string{plain, node("n", "node-role.kubernetes.io/etcd", "NoExecute"), d, pod}, "", ""},
		"Windows":            {[]string{plain, strings.NewReplacer("key: gpu", "key: os", "present", "Windows").Replace(gpu), d, pod}, "", ""},
		"no kubelet": {[]string{plain, node("n", condition.Unreachable, "NoSchedule"), d, pod}, "", "\nDaemonSet mesh/d\n  taints and labels admit 1 of 2 nodes\n" + on + `    n
      node.kubernetes.io/unreachable:NoSchedule is temporary: wait, or repair the node
`},
		"no network": {[]string{plain, node("n", condition.NetworkUnavailable, "NoSchedule"), d, pod}, "", "\nDaemonSet mesh/d\n  taints and labels admit 1 of 2 nodes\n" + on + `    n
      node.kubernetes.io/network-unavailable:NoSchedule is temporary: wait, unless these pods remove it; to add: {"key":"node.kubernetes.io/network-unavailable","operator":"Exists","effect":"NoSchedule"}
`},
		"host network":     {[]string{plain, node("n", condition.NetworkUnavailable, "NoSchedule"), daemonSet("d", "1", "hostNetwork: true"), pod}, "", ""},
		"roles":            {[]string{plain, control, infra, d, pod}, "", ""},
		"roles and others": {[]string{plain, control, infra, gpu, d, pod}, "", strings.Replace(lacks, "2 nodes", "4 nodes", 1)},
		"roles only": {[]string{control, d, daemonPod("e", "2", "control", "", "")}, "", "\nDaemonSet mesh/d\n  has no pods\n  taints and labels admit 0 of 1 node\n" + on + `    control
      node-role.kubernetes.io/control-plane:NoSchedule is not tolerated: no toleration has its key (not for usual workloads); to add: {"key":"node-role.kubernetes.io/control-plane","operator":"Exists","effect":"NoSchedule"}
`},
		"selector":     {[]string{plain, gpu, daemonSet("d", "1", "nodeSelector: {pool: a}"), pod}, "", ""},
		"affinity":     {[]string{plain, gpu, daemonSet("d", "1", fmt.Sprintf(affinity, "b")), pod}, "", strings.Replace(lacks, "1 of 2 nodes", "0 of 2 nodes; pool In (b) selects 1", 1)},
		"selects none": {[]string{plain, gpu, daemonSet("d", "1", "nodeSelector: {pool: windows}"), daemonPod("e", "2", "plain", "", "")}, "", ""},
		"one by name": {[]string{plain, node("m", "gpu", "NoSchedule"), node("n", "gpu", "NoSchedule"), daemonSet("d", "1", fmt.Sprintf(byName, `"n"`)), daemonPod("e", "2", "plain", "", "")}, "", "\nDaemonSet mesh/d\n  has no pods\n  taints and labels admit 0 of 3 nodes; metadata.name In (n) selects 1\n" + on + `    n
      gpu:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"gpu","operator":"Exists","effect":"NoSchedule"}
`},
		"waits for its node":  {[]string{plain, gpu, d, pod, strings.Replace(daemonPod("d", "1", "gpu", "", ""), "nodeName: gpu", fmt.Sprintf(byName, "gpu"), 1)}, "-n mesh", "\nmesh/d-gpu\n  the scheduler has not written a message\n  taints and labels admit 0 of 1 node; metadata.name In (gpu) selects 1\n    gpu\n" + addGPU},
		"two alike":           {[]string{plain, gpu, d, pod, daemonSet("e", "2", ""), daemonPod("e", "2", "plain", "", "")}, "", strings.Replace(lacks, "DaemonSet mesh/d", "DaemonSets mesh/d, mesh/e", 1)},
		"none is first":       {[]string{plain, gpu, d, pod, daemonSet("e", "2", "")}, "", strings.Replace(has, "mesh/d", "mesh/e", 1) + lacks},
		"other namespace":     {[]string{plain, gpu, d, pod}, "-n shop", ""},
		"labels":              {[]string{plain, gpu, d, pod}, "-l app=d", lacks},
		"pods' labels":        {[]string{plain, gpu, d, strings.Replace(pod, "labels: {app: d}", "labels: {}", 1)}, "-l app=d", lacks},
		"other labels":        {[]string{plain, gpu, d, pod}, "-l app=e", ""},
		"node":                {[]string{plain, gpu, d, pod}, "--node gpu", strings.Replace(lacks, "1 of 2 nodes", "0 of 1 node", 1)},
		"other node":          {[]string{plain, gpu, d, pod}, "--node plain", ""},
		"a pod is named":      {[]string{plain, gpu, d, pod}, "d-plain", "\nmesh/d-plain\n  controlled by DaemonSet d\n  bound to plain\n  taints and labels admit 1 of 2 nodes\n    plain: admitted\n"},
		"invalid":             {[]string{plain, gpu, daemonSet("d", "1", "tolerations: 5"), pod}, "", ""},
		"named without taint": {[]string{plain, strings.Replace(plain, "name: plain", "name: p2", 1), d, daemonPod("e", "2", "plain", "", "")}, "daemonset/d", "\nDaemonSet mesh/d\n  has no pods\n  taints and labels admit 2 of 2 nodes\n  no pod on 2 nodes that taints and labels admit\n"},
		"wide": {[]string{plain, infra, gpu, d, pod, daemonPod("d", "1", "gpu", "", "")}, "-o wide", "\nDaemonSet mesh/d\n  taints and labels admit 1 of 3 nodes\n" + on + `    infra
      node-role.kubernetes.io/infra:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"node-role.kubernetes.io/infra","operator":"Exists","effect":"NoSchedule"}
  pods that would not be created again, for the same reason:
    gpu: d-gpu
` + addGPU + "\nRUNNING PODS   NODE   UNTOLERATED TAINTS\nmesh/d-gpu     gpu    gpu=present:NoSchedule\n"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, documents(test.input...), append(strings.Fields(test.args), "-f", "-")...)
			if bad := name == "no nodes" || name == "invalid"; (err != nil) != bad {
				t.Error(err)
			}
			head, got, _ := strings.Cut(out, "\n\n")
			if got != "" {
				got = "\n" + got
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			if lacks := strings.Contains(got, "  no pod on nodes whose"); strings.Contains(head, "\nTaints keep the pods of ") != lacks {
				t.Errorf("the summary does not match the list:\n%s", out)
			}
		})
	}
}

// The numbers of nodes and pods in JSON, of two nodes that are alike.
func TestDaemonSets_json(t *testing.T) {
	out, err := run(t, documents(plain, gpu, strings.Replace(gpu, "name: gpu", "name: gpu2", 1), daemonSet("d", "1", ""), daemonPod("d", "1", "plain", "", "")), "-f", "-", "-o", "json")
	var r struct{ DaemonSets []DaemonSet }
	if err := errors.Join(err, json.Unmarshal([]byte(out), &r)); err != nil {
		t.Fatal(err)
	}
	x := r.DaemonSets[0]
	if without := x.Without[0]; x.Name != "mesh/d" || x.Pods != 1 || *x.Nodes != (Counts{Admitted: 1, Tainted: 2}) || x.Admitted != 0 || without.Count != 2 || !without.Taints[0].Add.Tolerates(without.Taints[0].Taint) {
		t.Errorf("%+v", x)
	}
}

// The text is short however many DaemonSets there are, and too much work is refused for them alone.
func TestDaemonSets_many(t *testing.T) {
	input := []string{plain}
	for i := range 20 {
		input = append(input, fmt.Sprintf("{kind: Node, metadata: {name: n%d, labels: {pool: p%d}}, spec: {taints: [{key: k, effect: NoSchedule}]}}", i, i/2), daemonSet(fmt.Sprint("d", i), fmt.Sprint(i), fmt.Sprintf("nodeSelector: {pool: p%d}", i/2)), daemonPod(fmt.Sprint("d", i), fmt.Sprint(i), "plain", "", ""))
	}
	brief, err := run(t, documents(input...), "-f", "-")
	if err != nil || strings.Count(brief, "\nDaemonSets mesh/d") != 3 || !strings.HasSuffix(brief, "\nand 14 more DaemonSets; -o wide lists all\n") || !strings.Contains(brief, "\nTaints keep the pods of 20 DaemonSets from nodes.\n") {
		t.Errorf("%v:\n%s", err, brief)
	}
	if wide, err := run(t, documents(input...), "-f", "-", "-o", "wide"); err != nil || strings.Count(wide, "\nDaemonSets mesh/d") != 10 || strings.Contains(wide, "more") {
		t.Errorf("%v:\n%s", err, wide)
	}
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"%d"}},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`, i, i, i)
		fmt.Fprintf(&b, `{"kind":"DaemonSet","metadata":{"name":"d%d"},"spec":{"template":{"spec":{"nodeSelector":{"host":"%d"}}}}}`, i, i)
	}
	out, err := run(t, b.String()+`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n0"}}`, "-f", "-", "-o", "wide")
	if err != nil || strings.Count(out, "\n  which nodes lack a pod is unknown: the DaemonSets and nodes differ too much") != 1 {
		t.Errorf("%v:\n%.1000s", err, out)
	}
}

// A DaemonSet that selects hosts does not make the others unknown.
func TestDaemonSets_host(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"%d"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`, i, i)
	}
	for i := range 1000 {
		fmt.Fprintf(&b, `{"kind":"DaemonSet","metadata":{"name":"d%d"},"spec":{"template":{"spec":{}}}}`, i)
	}
	b.WriteString(`{"kind":"DaemonSet","metadata":{"name":"host"},"spec":{"template":{"spec":{"nodeSelector":{"host":"7"}}}}}{"kind":"Pod","metadata":{"name":"p"}}`)
	shows(t, b.String(), "", "\nDaemonSets d0, d1, d2, d3, d4 and 995 more\n", without+"unknown")
}

// A DaemonSet has the nodes that comparing each node with each of its pods yields.
func TestDaemonSets_reference(t *testing.T) {
	listed := 0
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 49))
		input := random(r)
		for i := range 3 {
			selector := []string{"", `"nodeSelector":{"pool":"a"},`, `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]}]}}},`}[r.IntN(3)]
			input += fmt.Sprintf(`{"kind":"DaemonSet","metadata":{"name":"d%d"},"spec":{"template":{"spec":{%s"tolerations":[%s]}}}}`, i, selector, []string{"", `{"key":"k","operator":"Exists"}`, `{"key":"l","operator":"Exists"}`}[r.IntN(3)])
			for n := range 12 {
				if r.IntN(3) == 0 {
					input += fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"d%d-%d","ownerReferences":[{"kind":"DaemonSet","name":"d%[1]d","controller":true}]},"spec":{"nodeName":"n%[2]d"}}`, i, n)
				}
			}
		}
		c := read(t, input)
		report := newReport(c, now, condition.Temporary(), true, true)
		if len(report.Daemons) != 3 {
			t.Fatal(report.Daemons)
		}
		for _, d := range c.DaemonSets {
			var want, got [4]int
			for _, n := range c.Nodes {
				i := 0
				switch has := slices.ContainsFunc(d.Pods, func(p cluster.DaemonPod) bool { return p.Node == n.Name }); {
				case n.Err != nil || !d.Placement.Admits(n):
					continue
				case n.Filter(d.Tolerations).Schedulable():
					if i = 2; has {
						i = 3
					}
				case has:
					i = 1
				}
				want[i]++
			}
			for _, x := range report.Daemons {
				if x.Name == d.Name {
					sum := func(groups []*NodeGroup) (n int) {
						for _, g := range groups {
							n += g.Count
						}
						return n
					}
					got = [4]int{sum(x.Without), sum(x.NotAgain), x.Admitted, x.Nodes.Admitted - x.Admitted}
					listed += got[0]
				}
			}
			if got != want {
				t.Errorf("seed %d, %s: %v, want %v\n%s", seed, d.Name, got, want, input)
			}
		}
	}
	if listed < 200 {
		t.Errorf("%d nodes are listed", listed)
	}
}
