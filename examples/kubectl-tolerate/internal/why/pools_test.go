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
		unread   = ": perhaps: its bootstrap template, which can add taints and labels, is not read"
		end      = "end"
		set      = "    MachineSet openshift-machine-api/a: "
	)
	in := func(key, operator, values string) string {
		return fmt.Sprintf("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: %s, operator: %s, values: [%s]}]}]}}}", key, operator, values)
	}
	for name, test := range map[string]struct {
		pools     []string
		pod, want string
	}{
		"Karpenter":            {[]string{karpenterPool("a", "pool: gpu", "")}, selects, "    NodePool a: yes\n"},
		"its taint":            {[]string{karpenterPool("a", "pool: gpu", tainted)}, selects + ", tolerations: [{key: nvidia.com/gpu, value: 'true'}]", "    NodePool a: no, these taints are not tolerated:\n      nvidia.com/gpu=present:NoSchedule is not tolerated: \"nvidia.com/gpu=true\" has another value; to add: "},
		"its name":             {[]string{karpenterPool("a", "", "")}, "nodeSelector: {karpenter.sh/nodepool: a}", "    NodePool a: yes\n"},
		"other labels":         {[]string{karpenterPool("a", "pool: cpu", ""), karpenterPool("b", "", "")}, selects, "  2 pools with other labels\n"},
		"one of two":           {[]string{karpenterPool("a", "pool: gpu", ""), karpenterPool("b", "pool: cpu", "")}, selects, "    NodePool a: yes\n    and 1 pool with other labels\n"},
		"more":                 {[]string{karpenterPool("a", "pool: gpu", tainted), karpenterPool("b", "pool: gpu", ""), karpenterPool("c", "pool: gpu", ""), karpenterPool("d", "pool: gpu", "")}, selects, "    NodePool b: yes\n    NodePool c: yes\n    NodePool d: yes\n    and 1 more pool; -o wide lists all\n"},
		"a provider's label":   {[]string{karpenterPool("a", "", "")}, "nodeSelector: {node.kubernetes.io/instance-type: p4d}", "    NodePool a: perhaps: its nodes can have node.kubernetes.io/instance-type=p4d, or not\n"},
		"and a taint":          {[]string{karpenterPool("a", "pool: gpu", tainted)}, "nodeSelector: {pool: gpu, node.kubernetes.io/instance-type: p4d}", "    NodePool a: perhaps: its nodes can have node.kubernetes.io/instance-type=p4d, or not; but these taints are not tolerated:\n      nvidia.com/gpu=present:NoSchedule is not tolerated: no toleration has its key; to add: "},
		"one of the values":    {[]string{karpenterPool("a", "", zones)}, "nodeSelector: {topology.kubernetes.io/zone: a}", "    NodePool a: perhaps: its nodes can have topology.kubernetes.io/zone=a, or not\n"},
		"all values":           {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "In", "a, b, c"), "    NodePool a: yes\n"},
		"no value":             {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "In", "c"), "  1 pool with other labels\n"},
		"not these values":     {[]string{karpenterPool("a", "", zones)}, in("topology.kubernetes.io/zone", "NotIn", "c"), "    NodePool a: yes\n"},
		"any value":            {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: Exists}]")}, selects, "    NodePool a: yes\n"},
		"excluded":             {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: NotIn, values: [gpu]}]")}, selects, "  1 pool with other labels\n"},
		"numbers":              {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gt, values: ['8']}]")}, "nodeSelector: {cpus: '4'}", "  1 pool with other labels\n"},
		"numbers that fit":     {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gt, values: ['8']}]")}, "nodeSelector: {cpus: '16'}", "    NodePool a: yes\n"},
		"an unknown operator":  {[]string{karpenterPool("a", "", "requirements: [{key: cpus, operator: Gte, values: ['8']}]")}, "nodeSelector: {cpus: '16'}", "    NodePool a: perhaps: its nodes can have cpus=16, or not\n"},
		"absent":               {[]string{karpenterPool("a", "pool: gpu", "")}, in("team", "DoesNotExist", ""), "    NodePool a: yes\n"},
		"present":              {[]string{karpenterPool("a", "pool: gpu", "")}, in("pool", "DoesNotExist", ""), "  1 pool with other labels\n"},
		"no terms":             {[]string{karpenterPool("a", "pool: gpu", "")}, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{}]}}}", "  1 pool with other labels\n"},
		"startup taints":       {[]string{karpenterPool("a", "pool: gpu", "startupTaints: [{key: example.com/starting, effect: NoExecute}]")}, selects, "    NodePool a: yes\n"},
		"OpenShift":            {[]string{machineSet("a", "pool: gpu", "")}, selects, set + "yes\n"},
		"OpenShift, tainted":   {[]string{machineSet("a", "pool: gpu", tainted)}, selects, set + "no, these taints are not tolerated:\n"},
		"OpenShift, unknown":   {[]string{machineSet("a", "", tainted)}, selects, set + "perhaps: its nodes can have pool=gpu, or not; but these taints are not tolerated:\n"},
		"labels of a machine":  {[]string{machineSet("a", "", "")}, "nodeSelector: {pool: machine}", set + "perhaps: its nodes can have pool=machine, or not\n"},
		"Cluster API":          {[]string{machines("MachineDeployment", "a", annotate, "", "")}, selects + ", tolerations: [{key: dedicated, operator: Exists}]", "    MachineDeployment capi/a" + unread + "\n"},
		"annotated taint":      {[]string{machines("MachineDeployment", "a", annotate, "", "")}, selects, "    MachineDeployment capi/a" + unread + "; but these taints are not tolerated:\n      dedicated=gpu:NoSchedule is not"},
		"a machine's taints":   {[]string{machines("MachineSet", "a", "", "node-role.kubernetes.io/gpu: '', pool: gpu", "taints: [{key: k, effect: NoSchedule, propagation: Always}, {key: once, effect: NoSchedule, propagation: OnInitialization}]")}, "nodeSelector: {node-role.kubernetes.io/gpu: ''}", "    MachineSet capi/a" + unread + "; but these taints are not tolerated:\n      k:NoSchedule is not tolerated: no toleration has its key; to add: {\"key\":\"k\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}\n      once:NoSchedule is not tolerated"},
		"synced labels":        {[]string{machines("MachineSet", "a", "", "gpu.node-restriction.kubernetes.io/x: a, pool: gpu", "")}, "nodeSelector: {gpu.node-restriction.kubernetes.io/x: b}", "  1 pool with other labels\n"},
		"other labels of it":   {[]string{machines("MachineSet", "a", "", "pool: cpu", "")}, selects, "    MachineSet capi/a: perhaps: its nodes can have pool=gpu, or not\n"},
		"owned":                {[]string{machines("MachineDeployment", "a", annotate, "", ""), machines("MachineSet", "a-1", "ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, name: a, uid: u, controller: true}]", "", "")}, selects, "  pools without such nodes, by labels and taints:\n    MachineDeployment capi/a" + unread},
		"a choice of values":   {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: In, values: [gpu, tpu]}]")}, selects, "    NodePool a: yes\n"},
		"exists":               {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: Exists}]")}, in("pool", "Exists", ""), "    NodePool a: yes\n"},
		"does not exist":       {[]string{karpenterPool("a", "", "requirements: [{key: pool, operator: DoesNotExist}]")}, in("pool", "Exists", ""), "  1 pool with other labels\n"},
		"a host":               {[]string{karpenterPool("a", "", ""), machineSet("b", "", "")}, "nodeSelector: {kubernetes.io/hostname: n7}", "  2 pools with other labels\n"},
		"names":                {[]string{machineSet("a", "pool: gpu", "")}, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: NotIn, values: [bad]}]}]}}}", set + "perhaps: its nodes can have metadata.name NotIn (bad), or not\n"},
		"a node's name":        {[]string{machineSet("a", "pool: gpu", "")}, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [bad]}]}]}}}", ""},
		"selector and term":    {[]string{karpenterPool("a", "pool: gpu", "")}, "nodeSelector: {example.com/x: a}, " + in("pool", "In", "gpu"), "    NodePool a: perhaps: its nodes can have example.com/x=a, or not\n"},
		"the second term":      {[]string{karpenterPool("a", "pool: gpu", "")}, strings.Replace(in("example.com/x", "In", "a"), "]}]}}}", "]}, {matchExpressions: [{key: pool, operator: Exists}]}]}}}", 1), "    NodePool a: yes\n"},
		"two that are unknown": {[]string{karpenterPool("a", "pool: gpu", "")}, "nodeSelector: {example.com/x: a, example.com/y: b}", "    NodePool a: perhaps: its nodes can have example.com/x=a and example.com/y=b, or not\n"},
		"the best is first":    {[]string{karpenterPool("a", "", ""), karpenterPool("b", "", ""), karpenterPool("c", "", ""), karpenterPool("d", "", "requirements: [{key: example.com/x, operator: In, values: [a, b]}]")}, "nodeSelector: {example.com/x: a}", "taints:\n    NodePool d: perhaps: "},
		"preferred":            {[]string{karpenterPool("a", "pool: gpu", strings.Replace(tainted, "NoSchedule", "PreferNoSchedule", 1))}, selects, "    NodePool a: yes\n"},
		"being deleted":        {[]string{strings.Replace(karpenterPool("a", "pool: gpu", ""), "name: a", "name: a, deletionTimestamp: '2026-11-20T08:30:00Z'", 1)}, selects, "    NodePool a: no: it is being deleted\n"},
		"not ready":            {[]string{strings.Replace(karpenterPool("a", "pool: gpu", ""), "spec: ", "status: {conditions: [{type: Ready, status: 'False'}]}, spec: ", 1)}, selects, "    NodePool a: no: it is not ready\n"},
		"ready":                {[]string{strings.Replace(karpenterPool("a", "pool: gpu", ""), "spec: ", "status: {conditions: [{type: Ready, status: 'True'}]}, spec: ", 1)}, selects, "    NodePool a: yes\n"},
		"fixed":                {[]string{strings.Replace(karpenterPool("a", "pool: gpu", ""), "{template", "{replicas: 0, template", 1)}, selects, "    NodePool a: no: it has a fixed number of nodes\n"},
		"limited":              {[]string{strings.Replace(karpenterPool("a", "pool: gpu", ""), "{template", "{limits: {cpu: '0', memory: 10Gi}, template", 1)}, selects, "    NodePool a: no: its limit of cpu is 0\n"},
		"a startup taint":      {[]string{machineSet("a", "pool: gpu", "taints: [{key: startup-taint.cluster-autoscaler.kubernetes.io/x, effect: NoSchedule}]")}, selects, set + "yes\n"},
		"a taint of Cilium":    {[]string{karpenterPool("a", "pool: gpu", "taints: [{key: node.cilium.io/agent-not-ready, effect: NoSchedule}]")}, selects, "    NodePool a: no, these taints are not tolerated:\n      node.cilium.io/agent-not-ready:NoSchedule is not tolerated: no toleration has its key"},
		"machines, no nodes":   {[]string{strings.Replace(machineSet("a", "pool: gpu", ""), "spec: {replicas: 0", "status: {replicas: 2}, spec: {replicas: 2", 1)}, selects, set + "yes\n"},
		"machines, nodes":      {[]string{strings.Replace(machineSet("a", "pool: gpu", ""), "spec: {replicas: 0", "status: {replicas: 2, readyReplicas: 1}, spec: {replicas: 2", 1)}, selects, ""},
		"a label, not both":    {[]string{strings.Replace(machineSet("a", "pool: gpu", ""), "name: a", "name: a, "+strings.Replace(annotate, "pool=gpu", "pool=cpu", 1), 1)}, selects + ", tolerations: [{key: dedicated, operator: Exists}]", set + "perhaps: it has labels in an annotation, which its nodes can lack\n"},
		"an annotated label":   {[]string{strings.Replace(machineSet("a", "", ""), "name: a", "name: a, "+annotate, 1)}, selects + ", tolerations: [{key: dedicated, operator: Exists}]", set + "perhaps: it has labels in an annotation, which its nodes can lack\n"},
		"twice annotated":      {[]string{machines("MachineSet", "a", annotate, "", "taints: [{key: dedicated, value: gpu, effect: NoSchedule, propagation: Always}]")}, selects, "not tolerated:\n      dedicated=gpu:NoSchedule is not tolerated: no toleration has its key; to add: {\"key\":\"dedicated\",\"operator\":\"Equal\",\"value\":\"gpu\",\"effect\":\"NoSchedule\"}\n" + end},
		"a node elsewhere":     {[]string{karpenterPool("p", "", "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a, b]}]")}, "nodeSelector: {topology.kubernetes.io/zone: b}", "    NodePool p: perhaps: its nodes can have topology.kubernetes.io/zone=b, or not\n"},
		"has nodes":            {[]string{karpenterPool("p", "pool: cpu", "")}, "nodeSelector: {pool: cpu}", ""},
		"HyperShift":           {[]string{"{apiVersion: hypershift.openshift.io/v1beta1, kind: NodePool, metadata: {name: a}}"}, selects, ""},
	} {
		t.Run(name, func(t *testing.T) {
			input := documents(append(test.pools, yamlNode("n1", "karpenter.sh/nodepool: p, pool: cpu", "taints: [{key: other, effect: NoSchedule}]"), yamlPod("x", "", test.pod, "Pending"))...)
			out, err := run(t, input, "-f", "-")
			out += end
			if err != nil || !strings.Contains(out, test.want) || (strings.Contains(out, "pools without such") || strings.Contains(out, "with other labels")) != (test.want != "") || strings.Contains(out, "starting") {
				t.Errorf("%v, no %q:\n%s", err, test.want, out)
			}
		})
	}
}

// All pools are listed for -o wide, and in JSON; startup taints for pods that are named.
func TestPools_detail(t *testing.T) {
	input := documents(karpenterPool("a", "pool: gpu", "startupTaints: [{key: example.com/starting, effect: NoExecute}]"), karpenterPool("b", "pool: cpu", "taints: [{key: k, effect: NoSchedule}]"),
		yamlNode("n1", "pool: gpu", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending"))
	shows(t, input, "", without+"NodePool") // a node admits the pod
	shows(t, input, "x --node n1", without+"NodePool")
	shows(t, input, "x -o wide", "  pools without such nodes, by labels and taints:\n    NodePool a: yes\n      its nodes start with example.com/starting:NoExecute, until another program removes it\n    NodePool b: no: its nodes do not meet pool=gpu\n")
	out, err := run(t, input, "x", "-f", "-", "-o", "json")
	var got struct{ PodGroups []struct{ Pools []Pool } }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.PodGroups) != 1 {
		t.Fatal(err, out)
	}
	var answers []string
	for _, p := range got.PodGroups[0].Pools {
		answers = append(answers, fmt.Sprint(p.Name, " ", p.Admits, " ", p.Selected, " ", len(p.Taints), " ", p.Startup))
	}
	if err != nil || !slices.Equal(answers, []string{"NodePool a yes yes 0 example.com/starting:NoExecute", "NodePool b no no 0 "}) {
		t.Errorf("%v: %q", err, answers)
	}
	// Without any node, the input can still have pools.
	out, err = run(t, documents(karpenterPool("a", "pool: gpu", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending")), "-f", "-")
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
		"two of a name": karpenterPool("a", "pool: gpu", "") + "\n---\n" + karpenterPool("a", "pool: cpu", ""),
		"three of it":   karpenterPool("a", "pool: gpu", "") + "\n---\n" + karpenterPool("a", "pool: cpu", "") + "\n---\n" + karpenterPool("a", "pool: gpu", ""),
		"a bad first":   karpenterPool("a", "pool: gpu", "taints: {}") + "\n---\n" + karpenterPool("a", "pool: gpu", ""),
	} {
		out, err := run(t, documents(pool, yamlNode("n1", "", ""), yamlPod("x", "", "nodeSelector: {pool: gpu}", "Pending")), "-f", "-")
		if err == nil || strings.Contains(out, "NodePool") || strings.Contains(out, "MachineSet") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// The last event of an autoscaler about one of the pods is shown with them.
func TestAutoscaler(t *testing.T) {
	event := func(pod, reason, source, at, message string) string {
		return fmt.Sprintf("{apiVersion: v1, kind: Event, metadata: {namespace: shop, name: e-%s}, involvedObject: {kind: Pod, namespace: shop, name: %s}, reason: %s, source: {component: %s}, lastTimestamp: '2026-11-20T%sZ', message: '%s'}", at, pod, reason, source, at, message)
	}
	input := documents(yamlNode("n1", "", ""), yamlPod("p", "", "nodeSelector: {pool: gpu}", "Pending"), yamlPod("q", "", "nodeSelector: {pool: gpu}", "Pending"), yamlPod("r", "", "", "Pending"),
		event("p", "NotTriggerScaleUp", "cluster-autoscaler", "08:00:00", "old"), event("q", "NotTriggerScaleUp", "cluster-autoscaler", "08:30:00", "no group fits"),
		event("q", "FailedScheduling", "default-scheduler", "08:31:00", "0/1 nodes"), event("r", "FailedScheduling", "karpenter", "08:32:00", "no nodepool"))
	shows(t, input, "", "selects 0\n    pool=gpu: no node has the label pool\n  NotTriggerScaleUp (cluster-autoscaler) at 2026-11-20T08:30:00Z (3m ago): no group fits\n", without+"0/1")
	shows(t, input, "", "admit 1 of 1 node\n  FailedScheduling (karpenter) at 2026-11-20T08:32:00Z (60s ago): no nodepool\n")
	// An event of an earlier pod is not of this one; a time in the future has no age.
	later := documents(yamlNode("n1", "", ""), strings.Replace(yamlPod("s", "", "", "Pending"), "name: \"s\"", "name: s, creationTimestamp: '2026-11-20T08:30:00Z'", 1)) + "\n---\n"
	shows(t, later+event("s", "NotTriggerScaleUp", "cluster-autoscaler", "08:00:00", "old"), "", without+"old")
	shows(t, later+event("s", "TriggeredScaleUp", "cluster-autoscaler", "09:00:00", "new"), "", "  TriggeredScaleUp (cluster-autoscaler) at 2026-11-20T09:00:00Z: new\n")
}
