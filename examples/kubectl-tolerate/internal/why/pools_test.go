package why

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func karpenterPool(name, labels, spec string) string {
	return fmt.Sprintf("{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: %s}, spec: {template: {metadata: {labels: {%s}}, spec: {%s}}}}", name, labels, spec)
}

func machineSet(name, labels, spec string) string {
	return fmt.Sprintf("{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {namespace: openshift-machine-api, name: %s}, spec: {replicas: 0, template: {metadata: {labels: {pool: machine}}, spec: {metadata: {labels: {%s}}, %s}}}}", name, labels, spec)
}

func machines(kind, name, metadata, labels, spec string) string {
	return fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: %s, metadata: {namespace: capi, name: %s, %s}, spec: {clusterName: c, template: {metadata: {labels: {%s}}, spec: {%s}}}}", kind, name, metadata, labels, spec)
}

// Whether a pool without nodes would have nodes that admit a pod: yes, no, or perhaps.
func TestPools(t *testing.T) {
	const (
		tainted  = "taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]"
		selects  = "nodeSelector: {pool: gpu}"
		zones    = "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a, b]}]"
		annotate = "annotations: {capacity.cluster-autoscaler.kubernetes.io/taints: 'dedicated=gpu:NoSchedule', capacity.cluster-autoscaler.kubernetes.io/labels: 'pool=gpu,x=y'}"
		unread   = ": perhaps, as taints and labels of its bootstrap template are not read"
		set      = "    MachineSet openshift-machine-api/a: "
	)
	in := func(key, operator, values string) string {
		return fmt.Sprintf("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: %s, operator: %s, values: [%s]}]}]}}}", key, operator, values)
	}
	for name, test := range map[string]struct {
		pools     []string
		pod, want string
	}{
		"Karpenter":           {[]string{karpenterPool("a", "pool: gpu", "")}, selects, "    NodePool a: yes\n"},
		"its taint":           {[]string{karpenterPool("a", "pool: gpu", tainted)}, selects + ", tolerations: [{key: nvidia.com/gpu, value: 'true'}]", "    NodePool a: no, these taints are not tolerated:\n      nvidia.com/gpu=present:NoSchedule is not tolerated: \"nvidia.com/gpu=true\" has another value; to add: "},
		"its name":            {[]string{karpenterPool("a", "", "")}, "nodeSelector: {karpenter.sh/nodepool: a}", "    NodePool a: yes\n"},
		"other labels":        {[]string{karpenterPool("a", "pool: cpu", ""), karpenterPool("b", "", "")}, selects, "  2 pools without nodes, with other labels\n"},
		"one of two":          {[]string{karpenterPool("a", "pool: gpu", ""), karpenterPool("b", "pool: cpu", "")}, selects, "    NodePool a: yes\n    and 1 pool with other labels\n"},
		"more":                {[]string{karpenterPool("a", "pool: gpu", tainted), karpenterPool("b", "pool: gpu", ""), karpenterPool("c", "pool: gpu", ""), karpenterPool("d", "pool: gpu", "")}, selects, "    NodePool b: yes\n    NodePool c: yes\n    NodePool d: yes\n    and 1 more pool; -o wide lists all\n"},
		"a provider's label":  {[]string{karpenterPool("a", "", "")}, "nodeSelector: {node.kubernetes.io/instance-type: p4d}", "    NodePool a: perhaps, as node.kubernetes.io/instance-type=p4d is unknown\n"},
		"and a taint":         {[]string{karpenterPool("a", "pool: gpu", tainted)}, "nodeSelector: {pool: gpu, node.kubernetes.io/instance-type: p4d}", "    NodePool a: perhaps, as node.kubernetes.io/instance-type=p4d is unknown, but these taints are not tolerated:\n      nvidia.com/gpu=present:NoSchedule is not tolerated: no toleration has its key; to add: "},
		"one of the values":   {[]string{karpenterPool("a", "", zones)}, "nodeSelector: {topology.kubernetes.io/zone: a}", "    NodePool a: perhaps, as topology.kubernetes.io/zone=a is unknown\n"},
		"all values":          {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "In", "a, b, c"), "    NodePool a: yes\n"},
		"no value":            {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "In", "c"), "  1 pool without nodes, with other labels\n"},
		"not these values":    {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "NotIn", "c"), "    NodePool a: yes\n"},
		"any value":           {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: Exists}]")}, selects, "    NodePool a: perhaps, as pool=gpu is unknown\n"},
		"excluded":            {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: NotIn, values: [gpu]}]")}, selects, "  1 pool without nodes, with other labels\n"},
		"numbers":             {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gt, values: ['8']}]")}, "nodeSelector: {cpus: '4'}", "  1 pool without nodes, with other labels\n"},
		"numbers, perhaps":    {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gt, values: ['8']}]")}, "nodeSelector: {cpus: '16'}", "    NodePool a: perhaps, as cpus=16 is unknown\n"},
		"an unknown operator": {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gte, values: ['8']}]")}, "nodeSelector: {cpus: '16'}", "    NodePool a: perhaps, as cpus=16 is unknown\n"},
		"absent":              {[]string{karpenterPool("a", "pool: gpu", "")}, in("team", "DoesNotExist", ""), "    NodePool a: yes\n"},
		"present":             {[]string{karpenterPool("a", "pool: gpu", "")}, in("pool", "DoesNotExist", ""), "  1 pool without nodes, with other labels\n"},
		"no terms":            {[]string{karpenterPool("a", "pool: gpu", "")}, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}", "  1 pool without nodes, with other labels\n"},
		"startup taints":      {[]string{karpenterPool("a", "pool: gpu", "startupTaints: [{key: example.com/starting, effect: NoExecute}]")}, selects, "    NodePool a: yes\n"},
		"OpenShift":           {[]string{machineSet("a", "pool: gpu", "")}, selects, set + "yes\n"},
		"OpenShift, tainted":  {[]string{machineSet("a", "pool: gpu", tainted)}, selects, set + "no, these taints are not tolerated:\n"},
		"OpenShift, unknown":  {[]string{machineSet("a", "", tainted)}, selects, set + "perhaps, as pool=gpu is unknown, but these taints are not tolerated:\n"},
		"labels of a machine": {[]string{machineSet("a", "", "")}, "nodeSelector: {pool: machine}", set + "perhaps, as pool=machine is unknown\n"},
		"Cluster API":         {[]string{machines("MachineDeployment", "a", annotate, "", "")}, selects + ", tolerations: [{key: dedicated, operator: Exists}]", "    MachineDeployment capi/a" + unread + "\n"},
		"annotated taint":     {[]string{machines("MachineDeployment", "a", annotate, "", "")}, selects, "    MachineDeployment capi/a" + unread + ", but these taints are not tolerated:\n      dedicated=gpu:NoSchedule is not"},
		"a machine's taints":  {[]string{machines("MachineSet", "a", "", "node-role.kubernetes.io/gpu: '', pool: gpu", "taints: [{key: k, effect: NoSchedule, propagation: Always}, {key: once, effect: NoSchedule, propagation: OnInitialization}]")}, "nodeSelector: {node-role.kubernetes.io/gpu: ''}", "    MachineSet capi/a" + unread + ", but these taints are not tolerated:\n      k:NoSchedule is not tolerated"},
		"synced labels":       {[]string{machines("MachineSet", "a", "", "gpu.node-restriction.kubernetes.io/x: a, pool: gpu", "")}, "nodeSelector: {gpu.node-restriction.kubernetes.io/x: b}", "  1 pool without nodes, with other labels\n"},
		"other labels of it":  {[]string{machines("MachineSet", "a", "", "pool: cpu", "")}, selects, "    MachineSet capi/a: perhaps, as pool=gpu is unknown\n"},
		"owned":               {[]string{machines("MachineDeployment", "a", annotate, "", ""), machines("MachineSet", "a-1", "ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: a, uid: u, controller: true}]", "", "")}, selects, "  pools without nodes:\n    MachineDeployment capi/a" + unread},
		"has nodes":           {[]string{karpenterPool("p", "pool: gpu", "")}, selects, ""},
		"HyperShift":          {[]string{"{apiVersion: hypershift.openshift.io/v1beta1, kind: NodePool, metadata: {name: a}}"}, selects, ""},
	} {
		t.Run(name, func(t *testing.T) {
			input := items(append(test.pools, yamlNode("n1", "karpenter.sh/nodepool: p", "taints: [{key: other, effect: NoSchedule}]"), yamlPod("x", "", test.pod, "Pending"))...)
			out, err := run(t, input, "-f", "-")
			if err != nil || !strings.Contains(out, test.want) || strings.Contains(out, "without nodes") != (test.want != "") || strings.Contains(out, "starting") {
				t.Errorf("%v, no %q:\n%s", err, test.want, out)
			}
		})
	}
}

// All pools are listed for -o wide, and in JSON; startup taints for pods that are named.
func TestPools_detail(t *testing.T) {
	input := items(karpenterPool("a", "pool: gpu", "startupTaints: [{key: example.com/starting, effect: NoExecute}]"), karpenterPool("b", "pool: cpu", "taints: [{key: k, effect: NoSchedule}]"),
		yamlNode("n1", "pool: gpu", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending"))
	if out, err := run(t, input, "-f", "-"); err != nil || strings.Contains(out, "NodePool") {
		t.Errorf("a node admits the pod: %v\n%s", err, out)
	}
	const want = "  pools without nodes:\n    NodePool a: yes\n      its nodes start with example.com/starting:NoExecute, until another program removes it\n    NodePool b: no, its nodes do not have pool=gpu\n"
	if out, err := run(t, input, "x", "-f", "-", "-o", "wide"); err != nil || !strings.Contains(out, want) {
		t.Errorf("%v:\n%s", err, out)
	}
	out, err := run(t, input, "x", "-f", "-", "-o", "json")
	var got struct{ PodGroups []struct{ Pools []Pool } }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.PodGroups) != 1 {
		t.Fatal(err, out)
	}
	var answers []string
	for _, p := range got.PodGroups[0].Pools {
		answers = append(answers, fmt.Sprint(p.Name, " ", p.Admits, " ", p.Labels, " ", len(p.Taints), " ", p.Startup))
	}
	if err != nil || !slices.Equal(answers, []string{"NodePool a yes yes 0 example.com/starting:NoExecute", "NodePool b no no 0 "}) {
		t.Errorf("%v: %q", err, answers)
	}
	// Without any node, the input can still have pools.
	out, err = run(t, items(karpenterPool("a", "pool: gpu", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending")), "-f", "-")
	if err == nil || !strings.Contains(out, "    NodePool a: yes\n") {
		t.Errorf("no node: %v\n%s", err, out)
	}
}

// What cannot be read of a pool is an error, and never an answer.
func TestPools_invalid(t *testing.T) {
	for name, pool := range map[string]string{
		"a taint":       karpenterPool("a", "pool: gpu", "taints: [{key: k, effect: No}]"),
		"a field":       karpenterPool("a", "pool: gpu", "taints: [{key: k, efect: NoSchedule, effect: NoSchedule}]"),
		"a list":        karpenterPool("a", "pool: gpu", "taints: {}"),
		"a machine":     machines("MachineSet", "a", "", "", "taints: [{key: k}]"),
		"an annotation": machines("MachineSet", "a", "annotations: {capacity.cluster-autoscaler.kubernetes.io/taints: a=b}", "", ""),
		"labels":        machines("MachineSet", "a", "annotations: {capacity.cluster-autoscaler.kubernetes.io/labels: a}", "", ""),
		"two of a name": karpenterPool("a", "pool: gpu", "") + "\n- " + karpenterPool("a", "pool: cpu", ""),
	} {
		out, err := run(t, items(pool, yamlNode("n1", "", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending")), "-f", "-")
		if err == nil || strings.Contains(out, "pools without") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// The last event of an autoscaler about one of the pods is shown with them.
func TestAutoscaler(t *testing.T) {
	event := func(pod, reason, source, at, message string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: Event, metadata: {namespace: shop, name: e-%s}, involvedObject: {kind: Pod, namespace: shop, name: %s}, reason: %s, source: {component: %s}, lastTimestamp: '2026-11-20T%sZ', message: '%s'}", at, pod, reason, source, at, message)
	}
	input := items(yamlNode("n1", "", ""), yamlPod("p", "", "nodeSelector: {pool: gpu}", "Pending"), yamlPod("q", "", "nodeSelector: {pool: gpu}", "Pending"), yamlPod("r", "", "", "Pending"),
		event("p", "NotTriggerScaleUp", "cluster-autoscaler", "08:00:00", "old"), event("q", "NotTriggerScaleUp", "cluster-autoscaler", "08:30:00", "no group fits"),
		event("q", "FailedScheduling", "default-scheduler", "08:31:00", "0/1 nodes"), event("r", "FailedScheduling", "karpenter", "08:32:00", "no nodepool"))
	out, err := run(t, input, "-f", "-")
	const gpu, other = "selects 0\n    pool=gpu: no node has the label pool\n  NotTriggerScaleUp (cluster-autoscaler) at 2026-11-20T08:30:00Z (3m ago): no group fits\n", "admit 1 of 1 node\n  FailedScheduling (karpenter) at 2026-11-20T08:32:00Z (60s ago): no nodepool\n"
	if err != nil || !strings.Contains(out, gpu) || !strings.Contains(out, other) || strings.Contains(out, "0/1") {
		t.Errorf("%v:\n%s", err, out)
	}
}
