package why

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func yamlNode(name, labels, spec string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Node, metadata: {name: \"%s\", labels: {%s}}, spec: {%s}}", name, labels, spec)
}

func yamlPod(name, owner, spec, phase string) string {
	if owner != "" {
		kind, of, _ := strings.Cut(owner, " ")
		owner = fmt.Sprintf(", ownerReferences: [{apiVersion: apps/v1, kind: %s, name: %s, uid: u, controller: true}]", kind, of)
	}
	return fmt.Sprintf("{apiVersion: v1, kind: Pod, metadata: {namespace: shop, name: \"%s\"%s}, spec: {%s}, status: {phase: %s}}", name, owner, spec, phase)
}

// Answers that go on where the first one ends.
func TestNotes(t *testing.T) {
	const (
		maintenance = "taints: [{key: maintenance, effect: NoExecute}]"
		brief       = "tolerations: [{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 10}]"
		loop        = "maintenance:NoExecute is tolerated for 10 s from when it was added, which is unknown"
		dedicated   = "taints: [{key: dedicated, value: gpu, effect: NoSchedule}]"
		spot        = "taints: [{key: spot, effect: NoSchedule}]"
		wildcard    = "tolerations: [{operator: Exists}]"
		cordon      = "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]"
		unreachable = "taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}]"
		evicted     = "taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: NoExecute}]"
		zone        = "topology.kubernetes.io/zone: z"
	)
	own := func(p, node, spec string) string {
		return yamlPod(p, "ReplicaSet web-5d8f", fmt.Sprintf("nodeName: %q, %s", node, spec), "Running")
	}
	for name, test := range map[string]struct {
		input     []string
		args      string
		want, not string
	}{
		"eviction loop":                {[]string{yamlNode("n", "", maintenance), own("p", "n", brief)}, "", loop + "; its replacement can be scheduled here and evicted again: omit tolerationSeconds to stay, or the toleration to run elsewhere\n", ""},
		"loop, NoSchedule keeps it":    {[]string{yamlNode("n", "", strings.Replace(maintenance, "]", ", {key: k, effect: NoSchedule}]", 1)), own("p", "n", brief)}, "", loop + "\n", "replacement"},
		"loop, labels keep it":         {[]string{yamlNode("n", "", maintenance), own("p", "n", brief+", nodeSelector: {a: b}")}, "", loop + "\n", "replacement"},
		"loop, nobody replaces it":     {[]string{yamlNode("n", "", maintenance), yamlPod("p", "", "nodeName: 'n', "+brief, "Running")}, "", loop + "\n", "replacement"},
		"loop, a temporary taint":      {[]string{yamlNode("n", "", strings.ReplaceAll(maintenance, "maintenance", "node.kubernetes.io/not-ready")), own("p", "n", strings.ReplaceAll(brief, "maintenance", "node.kubernetes.io/not-ready"))}, "", "tolerated for 10 s", "replacement"},
		"untolerated NoSchedule":       {[]string{yamlNode("n", "", dedicated), own("p", "n", ""), own("q", "n", wildcard)}, "", "\nPods that stay, but do not tolerate a NoSchedule taint of their node: 1; new ones cannot be scheduled there. -o wide lists them.\n", "shop/p"},
		"untolerated, wide":            {[]string{yamlNode("n", "", dedicated), own("p", "n", ""), own("q", "n", wildcard)}, "-o wide", "\nRUNNING PODS   NODE   UNTOLERATED TAINTS\nshop/p         n      dedicated=gpu:NoSchedule\n", "shop/q"},
		"untolerated cordon":           {[]string{yamlNode("n", "", cordon), own("p", "n", "")}, "", "1 pod, 1 node.", "do not tolerate"},
		"untolerated, mirror":          {[]string{yamlNode("n", "", dedicated), strings.Replace(own("p", "n", ""), "name: \"p\"", "name: p, annotations: {kubernetes.io/config.mirror: x}", 1)}, "", "1 pod, 1 node.", "do not tolerate"},
		"untolerated, ended":           {[]string{yamlNode("n", "", dedicated), yamlPod("p", "", "nodeName: 'n'", "Succeeded")}, "", "0 pods, 1 node.", "do not tolerate"},
		"spot":                         {[]string{yamlNode("n", "pool: a", ""), yamlNode("s", "pool: s, zone: z", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "p", "\n  tolerates spot op=Exists of 1 other node. A toleration does not attract pods; to run there, select pool=s\n", ""},
		"spot, the label of the taint": {[]string{yamlNode("n", "a: b, spot: 'no'", ""), yamlNode("s", "a: c, spot: 'yes'", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "p", "select spot=yes\n", ""},
		"spot without a label":         {[]string{yamlNode("n", "zone: z", ""), yamlNode("s", "zone: z", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "p", "give these nodes a label, and select it\n", ""},
		"spot, it runs there":          {[]string{yamlNode("s", "", spot), yamlNode("t", "a: b", spot), own("p", "s", "tolerations: [{key: spot, operator: Exists}]")}, "p", "bound to s", "attract"},
		"spot, a wildcard":             {[]string{yamlNode("n", "", ""), yamlNode("s", "", spot), own("p", "n", wildcard)}, "p", "bound to n", "attract"},
		"spot, a failed node":          {[]string{yamlNode("n", "", ""), yamlNode("s", "", unreachable), own("p", "n", "tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists, effect: NoSchedule}]")}, "p", "bound to n", "attract"},
		"spot, not named":              {[]string{yamlNode("n", "", ""), yamlNode("s", "", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "", "1 pod, 2 nodes.", "attract"},
		"a drained pod returns":        {[]string{yamlNode("n", "", cordon), yamlNode("m", "", ""), own("p", "n", wildcard)}, "", "\nAfter kubectl drain, these pods can return to their cordoned node, as they tolerate the cordon: shop/p on n.\n", ""},
		"a drained pod, named":         {[]string{yamlNode("n", "", cordon), yamlNode("m", "", ""), own("p", "n", wildcard)}, "p", "    n: admitted though cordoned, by the toleration op=Exists\n", ""},
		"a pending pod, named":         {[]string{yamlNode("n", "", cordon), yamlNode("m", "", ""), yamlPod("p", "", wildcard, "Pending")}, "p", "    n: admitted though cordoned, by the toleration op=Exists\n", ""},
		"a cordon, DaemonSet":          {[]string{yamlNode("n", "", cordon), yamlPod("p", "DaemonSet d", "nodeName: 'n', "+wildcard, "Running")}, "", "1 pod, 1 node.", "cordon"},
		"a cordon that is kept":        {[]string{yamlNode("n", "", cordon), own("p", "n", "")}, "", "1 pod, 1 node.", "cordon"},
		"a bare pod does not return":   {[]string{yamlNode("n", "", cordon), yamlPod("p", "", "nodeName: 'n', "+wildcard, "Running")}, "", "1 pod, 1 node.", "drain"},
		"one that selects others":      {[]string{yamlNode("n", "", cordon), own("p", "n", wildcard+", nodeSelector: {a: b}")}, "", "1 pod, 1 node.", "drain"},
		"repelled, each by its taints": {[]string{yamlNode("n", "", "taints: [{key: a, effect: NoSchedule}, {key: b, effect: NoSchedule}]"), own("p", "n", ""), own("q", "n", "tolerations: [{key: b, operator: Exists}]")}, "-o wide", "\nshop/p         n      a:NoSchedule,b:NoSchedule\nshop/q         n      a:NoSchedule\n", ""},
		"repelled, being deleted":      {[]string{yamlNode("n", "", dedicated), strings.Replace(own("p", "n", ""), "name: \"p\"", "name: p, deletionTimestamp: '2026-11-20T08:30:00Z'", 1)}, "", "1 pod, 1 node.", "do not tolerate"},
		"spot, it selects its node":    {[]string{yamlNode("n", "a: b", ""), yamlNode("s", "pool: s", spot), own("p", "n", "nodeSelector: {a: b}, tolerations: [{key: spot, operator: Exists}]")}, "p", "bound to n", "attract"},
		"spot, a mirror pod":           {[]string{yamlNode("n", "", ""), yamlNode("s", "pool: s", spot), strings.Replace(own("p", "n", "tolerations: [{key: spot, operator: Exists}]"), "name: \"p\"", "name: p, annotations: {kubernetes.io/config.mirror: x}", 1)}, "p", "bound to n", "attract"},
		"spot, a DaemonSet":            {[]string{yamlNode("n", "", ""), yamlNode("s", "pool: s", spot), yamlPod("p", "DaemonSet d", "nodeName: 'n', tolerations: [{key: spot, operator: Exists}]", "Running")}, "p", "bound to n", "attract"},
		"spot, a control plane":        {[]string{yamlNode("n", "", ""), yamlNode("s", "pool: s", strings.Replace(spot, "spot", "node-role.kubernetes.io/control-plane", 1)), own("p", "n", "tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]")}, "p", "bound to n", "attract"},
		"spot, lost":                   {[]string{yamlNode("n", "", ""), yamlNode("s", "pool: s", strings.Replace(spot, "]", ", {key: node.kubernetes.io/unreachable, effect: NoExecute}]", 1)), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "p", "bound to n", "attract"},
		"spot, a label of the value":   {[]string{yamlNode("n", "", ""), yamlNode("s", "a: b, beta.kubernetes.io/instance-type: m5, capacity: cheap", "taints: [{key: spot, value: cheap, effect: NoSchedule}]"), own("p", "n", "tolerations: [{key: spot, value: cheap}]")}, "p", "to run there, select capacity=cheap\n", ""},
		"spot, not a type":             {[]string{yamlNode("n", "", ""), yamlNode("s", "beta.kubernetes.io/instance-type: m5, pool: x", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}]")}, "p", "to run there, select pool=x\n", ""},
		"spot, twice":                  {[]string{yamlNode("n", "", ""), yamlNode("s", "pool: s", spot), own("p", "n", "tolerations: [{key: spot, operator: Exists}, {key: spot, effect: NoSchedule}]")}, "p", "shop/p\n", "spot:NoSchedule op=Equal of"},
		"lost, but evicted":            {[]string{yamlNode("n", zone, strings.Replace(unreachable, "]", ", {key: m, effect: NoExecute}]", 1)), yamlNode("a", zone, "")}, "", "0 pods, 2 nodes.", "Unreachable"},
		"lost, preferred":              {[]string{yamlNode("n", zone, strings.Replace(unreachable, "NoSchedule", "PreferNoSchedule", 1)), yamlNode("a", zone, "")}, "", "0 pods, 2 nodes.", "Unreachable"},
		"lost, not ready":              {[]string{yamlNode("n", "", unreachable), yamlNode("a", "", "taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]"), yamlNode("b", "", "")}, "", "no pod is evicted: n (2 of 3 nodes not ready; the controller taints one node in 10 s).\n", ""},
		"lost, one node":               {[]string{yamlNode("n", "", unreachable), yamlNode("a", "", "")}, "--node n", "0 pods, 1 node.", "Unreachable"},
		"unmet, one node":              {[]string{yamlNode("n", "", ""), yamlNode("a", "pool: a", ""), yamlPod("p", "", "nodeSelector: {pool: a}", "Pending")}, "--node n", "admit 0 of 1 node; pool=a selects 0\n", "no node has"},
		"starting, being deleted":      {[]string{yamlNode("n", "", ""), strings.Replace(yamlPod("p", "", "nodeName: 'n'", "Pending"), "name: \"p\"", "name: p, deletionTimestamp: '2026-11-20T08:30:00Z'", 1)}, "", "1 pod, 1 node. Pending: 0. Evicted", "starting"},
		"ended, named":                 {[]string{yamlNode("n", "", ""), yamlPod("p", "Job j", "nodeName: 'n'", "Failed")}, "job/j", "0 pods, 1 node. Pending: 0. Evicted now: 0, later: 0. Finished: 1.\n", ""},
		"lost, the rate":               {[]string{yamlNode("n", zone, unreachable), yamlNode("a", zone, ""), yamlNode("b", zone, ""), own("p", "n", "")}, "", "\nUnreachable, but without a NoExecute taint, so no pod is evicted: n (of zone z, 1 of 3 nodes not ready; the controller taints one node in 10 s).\n", ""},
		"lost, partial disruption":     {[]string{yamlNode("n", zone, unreachable), yamlNode("o", zone, evicted), yamlNode("q", zone, evicted), yamlNode("a", zone, "")}, "", "\nUnreachable, but without a NoExecute taint, so no pod is evicted: n (of zone z, 3 of 4 nodes not ready; the controller taints none until more are ready).\n", "o ("},
		"lost, all":                    {[]string{yamlNode("n", zone, unreachable), yamlNode("o", "", unreachable)}, "", "\nUnreachable, but without a NoExecute taint, so no pod is evicted: n, o (no known node is ready; if none is, Kubernetes evicts no pod).\n", ""},
		"lost, excluded":               {[]string{yamlNode("n", zone+", node.kubernetes.io/exclude-disruption: ''", unreachable), yamlNode("a", zone, "")}, "", "of zone z, 0 of 1 node not ready; the controller taints one node in 10 s).\n", ""},
		"not lost":                     {[]string{yamlNode("n", zone, evicted), yamlNode("o", zone, "")}, "", "0 pods, 2 nodes.", "Unreachable"},
		"starting":                     {[]string{yamlNode("n", "", ""), yamlPod("p", "", "nodeName: 'n'", "Pending"), yamlPod("q", "", "", "Pending")}, "", "2 pods, 1 node. Pending: 1, starting on a node: 1. Evicted now: 0, later: 0.\n", ""},
		"ended":                        {[]string{yamlNode("n", "", maintenance), yamlPod("p", "", "nodeName: 'n'", "Failed"), yamlPod("q", "", "", "Succeeded")}, "", "0 pods, 1 node. Pending: 0. Evicted now: 0, later: 0.\n", "shop/"},
	} {
		t.Run(name, func(t *testing.T) {
			texts := []string{test.want}
			if test.not != "" {
				texts = append(texts, without+test.not)
			}
			shows(t, documents(test.input...), test.args, texts...)
		})
	}
}

// What is not computed of evictions is not 0.
func TestEvictions_unknown(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[%s]}}`, many(1000, `{"key":"k%d","effect":"NoExecute"}`))
	tolerations := many(1000, `{"key":"k%d","operator":"Exists"}`)
	for i := range 200 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeName":"n","tolerations":[%s]}}`, i, tolerations)
	}
	shows(t, b.String(), "", "200 pods, 1 node. Pending: 0. Evictions are unknown, as there are too many taints and tolerations; name pods, or use -n or -l.\n")
	if _, err := run(t, b.String(), "-f", "-", "--exit-code"); err == nil {
		t.Error("no error with --exit-code")
	}
}

// Named pods do not hide that another replica of theirs runs.
func TestRemovers_named(t *testing.T) {
	const uninitialized = "taints: [{key: node.cloudprovider.kubernetes.io/uninitialized, effect: NoSchedule}]"
	waits := yamlPod("cloud-controller-manager-2", "ReplicaSet cloud-controller-manager-5d8f", "", "Pending")
	running := yamlPod("cloud-controller-manager-1", "ReplicaSet cloud-controller-manager-5d8f", "nodeName: 'n'", "Running")
	for _, running := range []string{running, strings.Replace(running, "ReplicaSet cloud", "ReplicaSet other", 1)} {
		out, err := run(t, documents(yamlNode("n", "", uninitialized), waits, running), "cloud-controller-manager-2", "-f", "-")
		if err != nil || strings.HasPrefix(out, "Every node waits") != strings.Contains(running, "other") {
			t.Errorf("%v:\n%s", err, out)
		}
	}
}

// A report about a node of another pool: the toleration is right, and nothing uses it.
func TestNotes_spot(t *testing.T) {
	input, err := os.ReadFile("testdata/w08-spot-not-used.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shows(t, string(input), "batch/job-0", "  tolerates kubernetes.azure.com/scalesetpriority=spot:NoSchedule op=Equal of 1 other node. A toleration does not attract pods; to run there, select kubernetes.azure.com/scalesetpriority=spot\n")
}

// Each note is in JSON.
func TestNotes_json(t *testing.T) {
	input := documents(yamlNode("n", "", "taints: [{key: k, effect: NoSchedule}, {key: node.kubernetes.io/unreachable, effect: NoSchedule}, {key: m, effect: NoExecute}]"),
		yamlNode("s", "pool: s", "unschedulable: true, taints: [{key: spot, effect: NoSchedule}]"), yamlNode("u", "", "taints: [{key: node.kubernetes.io/unreachable, effect: NoSchedule}]"),
		yamlPod("p", "Job j", "nodeName: 'n', tolerations: [{key: spot, operator: Exists}, {key: m, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]", "Running"),
		yamlPod("q", "Job j", "nodeName: 's', tolerations: [{operator: Exists}]", "Pending"),
		yamlPod("r", "", "nodeSelector: {pool: t}", "Pending"))
	out, err := run(t, input, "p", "q", "r", "-f", "-", "-o", "json")
	var got struct {
		Summary   struct{ Starting, Repelled int }
		Repelled  []struct{ Node string }
		Returning []string
		Lost      []struct{ Nodes []string }
		PodGroups []struct {
			Unused     []struct{ Label string }
			Unmet      []struct{ Requires, Because string }
			NodeGroups []struct{ Cordoned string }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	const want = `{{1 1} [{n}] [shop/q on s] [{[u]}] [{[] [{pool=t no node has it; 1 node has pool=s}] []} {[{pool=s}] [] [{} {} {}]} {[] [] [{} {op=Exists}]}]}`
	if text := fmt.Sprint(got); err != nil || text != want {
		t.Errorf("%v\n got %s\nwant %s\n%s", err, text, want, out)
	}
}

// What the pods require of labels, and no node has.
func TestLabels(t *testing.T) {
	many := make([]string, 0, 20)
	for i := range 8 {
		many = append(many, yamlNode(fmt.Sprintf("n%d", i), fmt.Sprintf("host: worker-%d", i), ""))
	}
	gpu := []string{yamlNode("a", "pool: gpu, zone: a", ""), yamlNode("b", "pool: gpu, zone: b", ""), yamlNode("c", "pool: cpu", "")}
	daemon := func(name, selector string) string {
		return yamlPod("d-"+name, "DaemonSet d", fmt.Sprintf("nodeSelector: {%s}, affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [%s]}]}]}}}", selector, name), "Pending")
	}
	affinity := func(terms string) string {
		return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms + "]}}}"
	}
	for name, test := range map[string]struct {
		input     []string
		want, not string
	}{
		"a value":                     {slices.Concat(gpu, []string{yamlPod("p", "", "nodeSelector: {pool: gpus}", "Pending")}), "\n    pool=gpus: no node has it; 2 nodes have pool=gpu, 1 node has pool=cpu\n", ""},
		"many values":                 {slices.Concat(many, []string{yamlPod("p", "", "nodeSelector: {host: wroker-7}", "Pending")}), "\n    host=wroker-7: no node has it; 1 node has host=worker-7, ", ""},
		"other values":                {slices.Concat(many, []string{yamlPod("p", "", "nodeSelector: {host: x}", "Pending")}), "\n    host=x: no node has it; 1 node has host=worker-0, 1 node has host=worker-1, 1 node has host=worker-2, 1 node has host=worker-3, 1 node has host=worker-4 and 3 more values\n", ""},
		"a key":                       {slices.Concat(gpu, []string{yamlPod("p", "", "nodeSelector: {pools: gpu}", "Pending")}), "\n    pools=gpu: no node has the label pools, but some have pool\n", ""},
		"no key":                      {slices.Concat(gpu, []string{yamlPod("p", "", "nodeSelector: {example.com/team: a}", "Pending")}), "\n    example.com/team=a: no node has the label example.com/team\n", ""},
		"only one":                    {slices.Concat(gpu, []string{yamlPod("p", "", "nodeSelector: {pool: cpu, zone: c}", "Pending")}), "\n    zone=c: no node has it; 1 node has zone=a, 1 node has zone=b\n", "pool=cpu: "},
		"affinity":                    {slices.Concat(gpu, []string{yamlPod("p", "", affinity("{matchExpressions: [{key: pool, operator: In, values: [tpu, gpus]}]}"), "Pending")}), "\n    pool In (tpu, gpus): no node has it; 2 nodes have pool=gpu, 1 node has pool=cpu\n", ""},
		"every node has it":           {slices.Concat(gpu, []string{yamlPod("p", "", affinity("{matchExpressions: [{key: pool, operator: DoesNotExist}]}"), "Pending")}), "\n    pool DoesNotExist: no node meets it; 2 nodes have pool=gpu, 1 node has pool=cpu\n", ""},
		"excluded values":             {slices.Concat(gpu, []string{yamlPod("p", "", affinity("{matchExpressions: [{key: pool, operator: NotIn, values: [gpu, cpu]}]}"), "Pending")}), "\n    pool NotIn (gpu, cpu): no node meets it; ", ""},
		"two terms":                   {slices.Concat(gpu, []string{yamlPod("p", "", affinity("{matchExpressions: [{key: pool, operator: In, values: [x]}]}, {matchExpressions: [{key: pool, operator: In, values: [z]}]}"), "Pending")}), "selects 0\n", "no node has"},
		"each one, not together":      {slices.Concat(gpu, []string{yamlPod("p", "", "nodeSelector: {pool: cpu, zone: a}", "Pending")}), "\n    pool=cpu,zone=a: each of these is on a node, but no node has all\n", "no node has it"},
		"a DaemonSet's pods":          {slices.Concat(gpu, []string{daemon("a", "pool: cpu"), daemon("b", "pool: cpu")}), "shop/d-a, shop/d-b\n  the scheduler has not written a message\n  taints and labels admit 0 of 2 nodes; each pod selects one\n    pool=cpu: no node has it; 2 nodes have pool=gpu\n", ""},
		"a DaemonSet's pods, no node": {slices.Concat(gpu, []string{daemon("x", "pool: cpu"), daemon("z", "pool: cpu")}), "each pod selects one\n", "no node has"},
	} {
		t.Run(name, func(t *testing.T) {
			texts := []string{test.want}
			if test.not != "" {
				texts = append(texts, without+test.not)
			}
			shows(t, documents(test.input...), "", texts...)
		})
	}
}

// Many labels cost what labels the pods lack, and nothing else of the report.
func TestLabels_many(t *testing.T) {
	var labels, b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&labels, `,"l%d":"x"`, i)
	}
	for i := range 200 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{%s}}}`, i, labels.String()[1:])
	}
	for i := range 300 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeSelector":{"a%[1]d":"x"}}}`, i)
	}
	r := report(t, b.String(), false)
	with := 0
	for _, g := range r.Pods {
		if with += len(g.Unmet); g.Nodes == nil || g.Nodes.NotSelected != 200 {
			t.Fatalf("%+v", g.Nodes)
		}
	}
	if len(r.Pods) != 300 || with == 0 || with == 300 || len(r.Incomplete) > 0 {
		t.Errorf("%d groups, %d with their labels, incomplete: %q", len(r.Pods), with, r.Incomplete)
	}
}
