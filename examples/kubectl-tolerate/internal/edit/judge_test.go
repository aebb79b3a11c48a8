package edit_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/edit"
)

// train is three nodes, one with another taint and one cordoned, and a workload with two pods.
const train = `
apiVersion: v1
kind: Node
metadata: {name: g0, labels: {pool: gpu}}
spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata: {name: g1, labels: {pool: gpu}}
spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata: {name: w0}
---
apiVersion: v1
kind: Node
metadata: {name: w1}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: train, namespace: ml}
spec: {template: {spec: {TEMPLATE}}}
---
apiVersion: v1
kind: Pod
metadata: {name: train-5d8f-0, namespace: ml, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: train-5d8f, uid: u, controller: true}]}
spec: {nodeName: w0}
---
apiVersion: v1
kind: Pod
metadata: {name: train-5d8f-1, namespace: ml, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: train-5d8f, uid: u, controller: true}]}
spec: {nodeName: w1}
`

// What the new pods of a workload can be scheduled to is judged by all taints, cordons and
// labels after the change, the tolerations that admission adds to the old ones, and volumes.
func TestDedicate_stranded(t *testing.T) {
	const gpus = "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"
	const volume = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a, labels: {zone: a}}}
- {apiVersion: v1, kind: Node, metadata: {name: b, labels: {zone: b}}}
- {apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}}
- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data-db-0, namespace: d}, spec: {volumeName: pv}}
- {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: d}, spec: {template: {spec: {}}}}
- {apiVersion: v1, kind: Pod, metadata: {name: db-0, namespace: d, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u, controller: true}]}, spec: {nodeName: a, volumes: [{name: v, persistentVolumeClaim: {claimName: data-db-0}}]}}
`
	with := func(template string) string { return strings.Replace(train, "TEMPLATE", template, 1) }
	for name, test := range map[string]struct {
		in, nodes string
		want      edit.Workload
	}{
		"taint and cordon": {with(""), "g0 g1", edit.Workload{Replaced: 2, Fits: 0, FitsWithout: 2, Stuck: 2, Nowhere: "add a node, uncordon one, or tolerate its taints in the template: g0: nvidia.com/gpu=present:NoSchedule; g1: cordoned"}},
		"tolerant":         {with(gpus), "g0 g1", edit.Workload{Replaced: 2, Fits: 1, FitsWithout: 2}},
		"admission":        {strings.ReplaceAll(with(""), "nodeName:", gpus+", nodeName:"), "g0", edit.Workload{Replaced: 2, Fits: 1, FitsWithout: 3}},
		"free":             {with(""), "g0 g1 w1", edit.Workload{Replaced: 2, Fits: 1, FitsWithout: 2}},
		"other selector":   {with("nodeSelector: {pool: gpu}"), "w0 w1", edit.Workload{Replaced: 2, Fits: 0, FitsWithout: 2, Stuck: 2, Nowhere: "give nodes the labels that they require, or change the template: pool=gpu; dedicated In (gpu)"}},
		"other value":      {with("nodeSelector: {dedicated: cpu}"), "w0 w1", edit.Workload{Replaced: 2, Fits: 0, FitsWithout: 2, Stuck: 2, Nowhere: "give nodes the labels that they require, or change the template: dedicated=cpu"}},
		"a volume":         {volume, "a", edit.Workload{Name: "statefulset/db", Replaced: 1, Fits: 1, FitsWithout: 1}},
		"a volume, not b":  {volume, "b", edit.Workload{Name: "statefulset/db", Replaced: 1, Fits: 0, FitsWithout: 1, Stuck: 1, Nowhere: "dedicate a node that their volumes can be on, not only b"}},
	} {
		if test.want.Name == "" {
			test.want.Name = "deployment/train"
		}
		args := strings.Fields("dedicate " + test.nodes + " dedicated=gpu --workload " + test.want.Name)
		v := report(t, file(t, test.in, append(args, "-o", "json")...))
		if diff := cmp.Diff([]*edit.Workload{&test.want}, v.Workloads); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", name, diff)
		}
		r := file(t, test.in, args...)
		if r.err != nil || strings.HasPrefix(r.out, "No node is left for new pods of "+test.want.Name+": first ") != (test.want.Fits == 0) {
			t.Errorf("%s: %v\n%s", name, r.err, r.out)
		}
		r = file(t, test.in, append(args, "--yes")...)
		if refused := r.err != nil && strings.Contains(r.err.Error(), "use --force"); refused != (test.want.Fits == 0) || refused != (r.out == "") {
			t.Errorf("%s: %v", name, r.err)
		}
		if r := file(t, test.in, append(args, "--yes", "--force")...); r.err != nil || !strings.Contains(r.out, "template:") {
			t.Errorf("%s: %v", name, r.err)
		}
	}
}

// Pods are replaced if the controller of the changed workload does that.
func TestDedicate_replaced(t *testing.T) {
	const in = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- {apiVersion: v1, kind: Node, metadata: {name: b}}
- {apiVersion: v1, kind: Node, metadata: {name: c}}
- {apiVersion: VERSION, kind: KIND, metadata: {name: w, namespace: d}, spec: {SPEC}}
`
	set := func(owner, name string) string {
		return fmt.Sprintf("- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: %s, namespace: d%s}}\n", name, owner)
	}
	controller := func(kind, name string) string {
		return fmt.Sprintf(", ownerReferences: [{apiVersion: x/v1, kind: %s, name: %s, uid: u, controller: true}]", kind, name)
	}
	pod := func(name, node, kind, owner string) string {
		return fmt.Sprintf("- {apiVersion: v1, kind: Pod, metadata: {name: %s, namespace: d%s}, spec: {nodeName: %q}}\n", name, controller(kind, owner), node)
	}
	three := func(kind, owner string) string {
		return pod(owner+"-0", "a", kind, owner) + pod(owner+"-1", "b", kind, owner) + pod(owner+"-2", "", kind, owner)
	}
	template := "template: {spec: {}}"
	for name, test := range map[string]struct {
		kind, spec, pods, want string
	}{
		"Deployment":           {"apps/v1 Deployment", template, three("ReplicaSet", "w-5d8f"), "w-5d8f-0 w-5d8f-1 w-5d8f-2"},
		"its ReplicaSet":       {"apps/v1 Deployment", template, three("ReplicaSet", "w-5d8f") + set(controller("Deployment", "w"), "w-5d8f"), "w-5d8f-0 w-5d8f-1 w-5d8f-2"},
		"another's":            {"apps/v1 Deployment", template, three("ReplicaSet", "w-5d8f") + set(controller("Deployment", "other"), "w-5d8f"), ""},
		"nobody's ReplicaSet":  {"apps/v1 Deployment", template, three("ReplicaSet", "w-5d8f") + set("", "w-5d8f"), ""},
		"other name":           {"apps/v1 Deployment", template, three("ReplicaSet", "w-2-5d8f"), ""},
		"a Job's name":         {"apps/v1 Deployment", template, three("Job", "w-5d8f") + three("StatefulSet", "w-db"), ""},
		"paused":               {"apps/v1 Deployment", template + ", paused: true", three("ReplicaSet", "w-5d8f"), "later: it is paused"},
		"StatefulSet":          {"apps/v1 StatefulSet", template, three("StatefulSet", "w"), "w-0 w-1 w-2"},
		"partition":            {"apps/v1 StatefulSet", template + ", updateStrategy: {rollingUpdate: {partition: 1}}", three("StatefulSet", "w"), "w-1 w-2"},
		"OnDelete":             {"apps/v1 StatefulSet", template + ", updateStrategy: {type: OnDelete}", three("StatefulSet", "w"), "later: its update strategy is OnDelete"},
		"DaemonSet":            {"apps/v1 DaemonSet", template, three("DaemonSet", "w") + pod("w-3", "c", "DaemonSet", "w"), "w-2 w-3 w-0 deleted, w-1 deleted,"},
		"DaemonSet, OnDelete":  {"apps/v1 DaemonSet", template + ", updateStrategy: {type: OnDelete}", three("DaemonSet", "w") + pod("w-3", "c", "DaemonSet", "w"), "w-0 deleted, w-1 deleted,later: its update strategy is OnDelete"},
		"CronJob":              {"batch/v1 CronJob", "jobTemplate: {spec: {" + template + "}}", three("Job", "w-123"), "later: its controller does not replace them"},
		"ReplicaSet":           {"apps/v1 ReplicaSet", template, three("ReplicaSet", "w"), "later: its controller does not replace them"},
		"pods of nobody":       {"apps/v1 Deployment", template, "- {apiVersion: v1, kind: Pod, metadata: {name: w-5d8f-0, namespace: d}, spec: {nodeName: b}}\n", ""},
		"pods of another Kind": {"apps/v1 StatefulSet", template, three("DaemonSet", "w"), ""},
	} {
		version, kind, _ := strings.Cut(test.kind, " ")
		text := strings.NewReplacer("VERSION", version, "KIND", kind, "SPEC", test.spec).Replace(in) + test.pods
		v := report(t, file(t, text, "dedicate", "c", "x=y", "--workload", strings.ToLower(kind)+"/w", "-o", "json"))
		var replaced []string
		deleted := 0
		for _, p := range v.Pods {
			if p.Effect == edit.Replaced {
				replaced = append(replaced, p.Name)
			}
			if p.Effect == edit.Deleted {
				replaced = append(replaced, p.Name+" deleted,")
				deleted++
			}
			if p.Effect == edit.Replaced && p.Name != "w-3" && (p.Fits != 1 || p.FitsWithout != 3) {
				t.Errorf("%s: %+v", name, p)
			}
		}
		got, w := strings.Join(replaced, " "), v.Workloads[0]
		if w.Later != "" {
			got += "later: " + w.Later
		}
		if got != test.want || w.Replaced != len(replaced)-deleted || w.Fits != 1 || w.FitsWithout != 3 {
			t.Errorf("%s: %q, want %q; %+v", name, got, test.want, w)
		}
	}
}

// Pods of a DaemonSet are no sum: each has a node of its own.
func TestDedicate_daemonSet(t *testing.T) {
	in := "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w, namespace: d}, spec: {template: {spec: {}}}}\n"
	for i := range 3 {
		in += fmt.Sprintf("- {apiVersion: v1, kind: Node, metadata: {name: n%d}, status: {allocatable: {cpu: \"4\", pods: \"10\"}}}\n", i)
		in += fmt.Sprintf("- {apiVersion: v1, kind: Pod, metadata: {name: w-%d, namespace: d, ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: w, uid: u, controller: true}]}, spec: {nodeName: n%d, containers: [{name: c, resources: {requests: {cpu: 3}}}]}}\n", i, i)
	}
	v := report(t, file(t, in, "dedicate", "n0", "x=y", "--workload", "daemonset/w", "-o", "json"))
	if w := v.Workloads[0]; len(v.Warnings) > 0 || w.Replaced != 1 || w.Fits != 1 || w.FitsWithout != 3 {
		t.Errorf("%q, %+v", v.Warnings, v.Workloads[0])
	}
}

// Old pods of a dedicated workload that the taint evicts are evicted; new ones count.
func TestDedicate_noExecute(t *testing.T) {
	in := strings.Replace(train, "TEMPLATE", "", 1)
	got := pods(t, file(t, in, "dedicate", "w0", "dedicated=gpu", "--effect", "NoExecute", "--workload", "deployment/train", "-o", "json"))
	want := []pod{{Name: "train-5d8f-0", Effect: "evicted now", Taint: "dedicated=gpu:NoExecute", Fits: 1, FitsWithout: 2}, {Name: "train-5d8f-1", Effect: "replaced", Fits: 1, FitsWithout: 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// Volumes keep pods on nodes, in files as far as they are there.
func TestTaint_volumes(t *testing.T) {
	const cluster = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a1, labels: {topology.kubernetes.io/zone: a, host: a1}}}
- {apiVersion: v1, kind: Node, metadata: {name: a2, labels: {topology.kubernetes.io/zone: a, host: a2}}}
- {apiVersion: v1, kind: Node, metadata: {name: b1, labels: {topology.kubernetes.io/zone: b, host: b1}}}
- {apiVersion: v1, kind: Node, metadata: {name: c1}}
- {apiVersion: v1, kind: Pod, metadata: {name: db-0, namespace: d, ownerReferences: [{apiVersion: apps/v1, kind: StatefulSet, name: db, uid: u, controller: true}]}, spec: {nodeName: a1, SELECT volumes: [VOLUME]}}
- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: first}, provisioner: x, volumeBindingMode: WaitForFirstConsumer}
- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: inb}, provisioner: x, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [b, z]}]}]}
- {apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: now}, provisioner: x, volumeBindingMode: Immediate}
`
	const one = "{name: v, persistentVolumeClaim: {claimName: c}}"
	claim := func(name, spec string) string {
		return fmt.Sprintf("- {apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: %s, namespace: d}, spec: {%s}}\n", name, spec)
	}
	affinity := func(key, operator, value string) string {
		return fmt.Sprintf("nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: %s, operator: %s, values: [%s]}]}]}}", key, operator, value)
	}
	volume := func(name, labels, spec string) string {
		return fmt.Sprintf("- {apiVersion: v1, kind: PersistentVolume, metadata: {name: %s, labels: {%s}}, spec: {%s}}\n", name, labels, spec)
	}
	const zone = "topology.kubernetes.io/zone"
	for name, test := range map[string]struct {
		volumes, selector, objects string
		fits, without              int
		requires                   string
	}{
		"none":             {"{name: v, emptyDir: {}}", "", "", 3, 4, ""},
		"bound to a zone":  {one, "", claim("c", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")), 1, 2, "volumes: " + zone + " In (a)"},
		"to a host":        {one, "", claim("c", "volumeName: pv") + volume("pv", "", affinity("host", "In", "a1")), 0, 1, "volumes: host In (a1)"},
		"anywhere":         {one, "", claim("c", "volumeName: pv") + volume("pv", "", ""), 3, 4, ""},
		"with a selector":  {one, "nodeSelector: {host: a2},", claim("c", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")), 1, 1, "host=a2; volumes: " + zone + " In (a)"},
		"other selector":   {one, "nodeSelector: {host: b1},", claim("c", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")), 0, 0, "host=b1; volumes: " + zone + " In (a)"},
		"with an affinity": {one, "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: host, operator: In, values: [b1]}]}, {matchFields: [{key: metadata.name, operator: In, values: [a2]}]}]}}},", claim("c", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")), 1, 1, "host In (b1) or metadata.name In (a2); volumes: " + zone + " In (a)"},
		"two":              {one + ", {name: w, persistentVolumeClaim: {claimName: c2}}", "", claim("c", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")) + claim("c2", "volumeName: pv2") + volume("pv2", "", affinity("host", "NotIn", "a2")), 0, 1, "volumes: host NotIn (a2), " + zone + " In (a)"},
		// A volume's zone does not matter for nodes without any zone.
		"zone label":      {one, "", claim("c", "volumeName: pv") + volume("pv", zone+": a", ""), 2, 3, "volumes: " + zone + " In (a)"},
		"old zone label":  {one, "", claim("c", "volumeName: pv") + volume("pv", "failure-domain.beta.kubernetes.io/zone: b__z", ""), 2, 2, "volumes: failure-domain.beta.kubernetes.io/zone In (b, z)"},
		"no terms":        {one, "", claim("c", "volumeName: pv") + volume("pv", "", "nodeAffinity: {required: {nodeSelectorTerms: []}}"), 0, 0, "volumes: an affinity without terms"},
		"not read":        {one, "", "", 3, 4, ""},
		"volume not read": {one, "", claim("c", "volumeName: pv"), 3, 4, ""},
		"first consumer":  {one, "", claim("c", "storageClassName: first"), 3, 4, ""},
		"its topologies":  {one, "", claim("c", "storageClassName: inb"), 1, 1, "volumes: " + zone + " In (b, z)"},
		"not bound":       {one, "", claim("c", "storageClassName: now"), 0, 0, "volumes: a claim that is not bound"},
		"no class":        {one, "", claim("c", ""), 0, 0, "volumes: a claim that is not bound"},
		"class not read":  {one, "", claim("c", "storageClassName: nope"), 3, 4, ""},
		"ephemeral":       {"{name: v, ephemeral: {}}", "", claim("db-0-v", "volumeName: pv") + volume("pv", "", affinity(zone, "In", "a")), 3, 4, ""},
	} {
		in := strings.NewReplacer("VOLUME", test.volumes, "SELECT", test.selector).Replace(cluster) + test.objects
		v := report(t, file(t, in, "taint", "a1", "x=y:NoExecute", "-o", "json"))
		p := v.Pods[0]
		if p.Fits != test.fits || p.FitsWithout != test.without || p.Requires != test.requires {
			t.Errorf("%s: %d of %d %q, want %d of %d %q", name, p.Fits, p.FitsWithout, p.Requires, test.fits, test.without, test.requires)
		}
		if unread := fmt.Sprint(v.NotJudged) == "[volumes (add persistentvolumeclaims, persistentvolumes and storageclasses) of 1 pod]"; unread != strings.Contains(name, "not read") {
			t.Errorf("%s: %q", name, v.NotJudged)
		}
	}
}

// What evicted pods request is compared with what the nodes that admit them have free.
func TestTaint_requests(t *testing.T) {
	type size struct{ cpu, gpu string }
	build := func(nodes []size, pods map[string]int, spec string) string {
		var b strings.Builder
		b.WriteString("apiVersion: v1\nkind: List\nitems:\n")
		for i, n := range nodes {
			fmt.Fprintf(&b, "- {apiVersion: v1, kind: Node, metadata: {name: n%d}, status: {allocatable: {cpu: %q, nvidia.com/gpu: %q, pods: \"10\"}}}\n", i, n.cpu, n.gpu)
		}
		for node, n := range pods {
			for i := range n {
				fmt.Fprintf(&b, "- {apiVersion: v1, kind: Pod, metadata: {name: web-%s-%d, namespace: d, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: u, controller: true}]}, spec: {nodeName: %s, %s}}\n", node, i, node, spec)
			}
		}
		return b.String()
	}
	cpu := func(n string) string { return "containers: [{name: c, resources: {requests: {cpu: " + n + "}}}]" }
	for name, test := range map[string]struct{ in, want string }{
		"too many CPUs":     {build([]size{{"8", "0"}, {"8", "0"}}, map[string]int{"n0": 5, "n1": 6}, cpu("1")), "5 pods of ReplicaSet d/web request more than the nodes that admit them have free: 5 cpu (at most 2 free), 5 pods (at most 4 free)"},
		"enough":            {build([]size{{"8", "0"}, {"8", "0"}}, map[string]int{"n0": 2, "n1": 6}, cpu("1")), ""},
		"one":               {build([]size{{"8", "0"}, {"8", "0"}}, map[string]int{"n0": 1, "n1": 1}, cpu("8")), "d/web-n0-0 requests more than the nodes that admit them have free: 8 cpu (at most 0 free)"},
		"millis":            {build([]size{{"8", "0"}, {"1500m", "0"}}, map[string]int{"n0": 3}, cpu("600m")), "3 pods of ReplicaSet d/web request more than the nodes that admit them have free: 1800m cpu (at most 1500m free)"},
		"devices":           {build([]size{{"8", "4"}, {"8", "1"}}, map[string]int{"n0": 2}, "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1}}}]"), "2 pods of ReplicaSet d/web request more than the nodes that admit them have free: 2 nvidia.com/gpu (at most 1 free)"},
		"an init container": {build([]size{{"8", "0"}, {"3", "0"}}, map[string]int{"n0": 1}, "initContainers: [{name: i, resources: {requests: {cpu: 4}}}], "+cpu("1")), "d/web-n0-0 requests more than the nodes that admit them have free: 4 cpu (at most 3 free)"},
		"overhead":          {build([]size{{"8", "0"}, {"3", "0"}}, map[string]int{"n0": 1}, "overhead: {cpu: 1}, "+cpu("3")), "d/web-n0-0 requests more than the nodes that admit them have free: 4 cpu (at most 3 free)"},
		"ended pods":        {strings.ReplaceAll(build([]size{{"8", "0"}, {"8", "0"}}, map[string]int{"n0": 2}, cpu("4")), "kind: List\nitems:\n", "kind: List\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: done}, spec: {nodeName: n1, "+cpu("8")+"}, status: {phase: Failed}}\n"), ""},
		"unknown":           {strings.ReplaceAll(build([]size{{"8", "0"}, {"1", "0"}}, map[string]int{"n0": 2}, cpu("4")), "allocatable", "capacity"), ""},
	} {
		got := ""
		for _, w := range report(t, file(t, test.in, "taint", "n0", "x:NoExecute", "-o", "json")).Warnings {
			if strings.Contains(w, "request") {
				got += w
			}
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	// Each of two groups fits, but not both.
	in := build([]size{{"8", "0"}, {"4", "0"}}, map[string]int{"n0": 1}, cpu("3"))
	in += strings.ReplaceAll(strings.ReplaceAll(in[strings.LastIndex(in, "- {"):], "web", "api"), "nodeName", "tolerations: [{key: other}], nodeName")
	has(t, file(t, in, "taint", "n0", "x:NoExecute").out, "Warning: 2 pods request more than the nodes that admit them have free: 6 cpu (at most 4 free)\n")
}

// What is not judged is said of the pods that are affected.
func TestTaint_notJudged(t *testing.T) {
	const in = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: a}}
- {apiVersion: v1, kind: Node, metadata: {name: b}}
- {apiVersion: v1, kind: Pod, metadata: {name: spread, namespace: d}, spec: {nodeName: a, topologySpreadConstraints: [{whenUnsatisfiable: DoNotSchedule, topologyKey: z, maxSkew: 1}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: anyway, namespace: d}, spec: {nodeName: a, topologySpreadConstraints: [{whenUnsatisfiable: ScheduleAnyway, topologyKey: z, maxSkew: 1}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: anti, namespace: d}, spec: {nodeName: a, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}]}}, containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}]}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: near, namespace: d}, spec: {nodeName: a, affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: z}]}}}}
- {apiVersion: v1, kind: Pod, metadata: {name: there, namespace: d}, spec: {nodeName: b, containers: [{name: c, ports: [{containerPort: 1, hostPort: 80}]}]}}
`
	has(t, file(t, in, "taint", "a", "x:NoExecute").out, "\nNot judged: host ports of 1 pod, pod affinity and topology spread of 3 pods\n")
	if r := file(t, in, "taint", "b", "x:PreferNoSchedule"); r.err != nil || strings.Contains(r.out, "Not judged") {
		t.Error(r)
	}
}

// The output does not depend on the order of the input.
func TestTaint_order(t *testing.T) {
	var items []string
	add := func(format string, args ...any) { items = append(items, fmt.Sprintf(format, args...)) }
	for i := range 4 {
		add(`{apiVersion: v1, kind: Node, metadata: {name: n%d, labels: {pool: p%d, cloud.google.com/gke-nodepool: g%d}, ownerReferences: [{apiVersion: karpenter.sh/v1, kind: NodeClaim, name: c}]}, status: {allocatable: {cpu: "2", pods: "10"}}}`, i, i%2, i%2)
		add(`{apiVersion: machine.openshift.io/v1beta1, kind: Machine, metadata: {name: m%d, namespace: d, ownerReferences: [{apiVersion: v1, kind: MachineSet, name: s, uid: u, controller: true}]}, status: {nodeRef: {name: n%d}}}`, i, i)
		for j := range 3 {
			owner := fmt.Sprintf("ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web%d-1, uid: u, controller: true}]", j)
			add(`{apiVersion: v1, kind: Pod, metadata: {name: w%d-%d, namespace: d, %s}, spec: {nodeName: n%d, nodeSelector: {pool: p%d}, containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}`, j, i, owner, i, i%2)
			add(`{apiVersion: v1, kind: Pod, metadata: {name: b%d-%d, namespace: kube-system}, spec: {nodeName: n%d, tolerations: [{key: x, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]}}`, j, i, i)
			add(`{apiVersion: v1, kind: Pod, metadata: {name: e%d-%d, namespace: d, %s}, spec: {nodeName: n%d}, status: {phase: Failed}}`, j, i, owner, i)
		}
	}
	add(`{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {name: s, namespace: d}, spec: {template: {spec: {}}}}`)
	add(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web0, namespace: d}, spec: {template: {spec: {nodeSelector: {pool: p0}}}}}`)
	add(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web1, namespace: d}, spec: {template: {spec: {nodeSelector: {pool: p1}}}}}`)
	for _, args := range []string{"taint n3 n1 n2 x=y:NoExecute", "taint machineset/s n0 x=y:NoExecute", "taint --all x=y:NoExecute a:NoSchedule", "dedicate n2 n0 x=y --workload deployment/web1,deployment/web0"} {
		want := ""
		for seed := range uint64(5) {
			in := "apiVersion: v1\nkind: List\nitems:\n- " + strings.Join(items, "\n- ")
			r := file(t, in, append(strings.Fields(args), "-o", "json")...)
			text := file(t, in, strings.Fields(args)...)
			if want == "" {
				want = r.out + text.out
			}
			if diff := cmp.Diff(want, r.out+text.out); diff != "" || r.err != nil || text.err != nil {
				t.Errorf("%s, seed %d: %v, %v, mismatch (-first +now):\n%s", args, seed, r.err, text.err, diff)
			}
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		}
	}
}
