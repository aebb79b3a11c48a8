package why

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Inputs of claims, in YAML: a node with a GPU that is unhealthy, one whose GPUs are fine,
// and one that no pod tolerates.
const (
	claimNodes = `
kind: List
items:
- {kind: Node, metadata: {name: n1, labels: {zone: a}}}
- {kind: Node, metadata: {name: n2, labels: {zone: b}}}
- {kind: Node, metadata: {name: n3, labels: {zone: a}}, spec: {taints: [{key: dedicated, effect: NoSchedule}]}}
`
	claimPod  = "---\n{kind: Pod, metadata: {name: p, namespace: d}, spec: {resourceClaims: [{name: g, resourceClaimName: gpu}]}}\n"
	claimGPU  = "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: gpu, namespace: d}, spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu%s}}]}}}\n"
	claimRule = "---\n{apiVersion: resource.k8s.io/%s, kind: DeviceTaintRule, metadata: {name: %s}, spec: {%s}}\n"
)

// slice is a ResourceSlice of the pool with these nodes, generation and devices.
func slice(name, where string, generation int, devices string) string {
	return fmt.Sprintf("---\n{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: %s}, spec: {%s, driver: gpu.example.com, pool: {name: %s, generation: %d, resourceSliceCount: 1}, devices: [%s]}}\n", name, where, strings.TrimRight(name, "x"), generation, devices)
}

// A pod that waits for claims has the tainted devices that it could use, and what to add.
func TestClaims(t *testing.T) {
	const (
		unhealthy = "{name: gpu0, taints: [{key: gpu.example.com/unhealthy, value: ecc, effect: NoSchedule, timeAdded: 2026-11-20T08:00:00Z}]}"
		note      = "    tainted devices on nodes that the pod can be scheduled to; selectors not evaluated\n"
		isNot     = "  claim gpu is not allocated\n" + note
		add       = `to add to the request: {"key":"gpu.example.com/unhealthy","operator":"Equal","value":"ecc","effect":"NoSchedule"}` + "\n"
		not       = "        gpu.example.com/unhealthy=ecc:NoSchedule is not tolerated (ResourceSlice); " + add
	)
	claim := fmt.Sprintf(claimGPU, "")
	tolerant := func(tolerations string) string { return fmt.Sprintf(claimGPU, ", tolerations: ["+tolerations+"]") }
	for name, test := range map[string]struct{ input, want string }{
		"slice": {claimPod + claim + slice("n2", "nodeName: n2", 1, unhealthy), isNot + "    request g: untolerated taints on 1 of 1 device\n      gpu.example.com/n2/gpu0\n" + not},
		"tolerated": {claimPod + tolerant("{key: gpu.example.com/unhealthy, operator: Exists}") + slice("n2", "nodeName: n2", 1, unhealthy),
			isNot + "    request g: untolerated taints on 0 of 1 device\n"},
		"another toleration": {claimPod + tolerant("{key: gpu.example.com/unhealthy, value: heat}") + slice("n2", "nodeName: n2", 1, unhealthy),
			isNot + "    request g: untolerated taints on 1 of 1 device\n      gpu.example.com/n2/gpu0\n" + not},
		"others are free": {claimPod + claim + slice("n2", "nodeName: n2", 1, unhealthy+", {name: gpu1}, {name: gpu2}"), isNot + "    request g: untolerated taints on 1 of 3 devices\n      gpu.example.com/n2/gpu0\n" + not},
		"other nodes": {claimPod + claim + slice("n3", "nodeName: n3", 1, unhealthy) + slice("n9", "nodeName: n9", 1, "{name: gpu1}"),
			isNot + "    request g: untolerated taints on 0 of 0 devices; 2 devices on other nodes\n"},
		"selected nodes": {claimPod + claim + slice("a", "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}", 1, unhealthy) +
			slice("c", "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [c]}]}]}", 1, unhealthy),
			isNot + "    request g: untolerated taints on 1 of 1 device; 1 device on other nodes\n      gpu.example.com/a/gpu0\n" + not},
		"all nodes": {claimPod + claim + slice("net", "allNodes: true", 1, unhealthy), isNot + "    request g: untolerated taints on 1 of 1 device\n      gpu.example.com/net/gpu0\n" + not},
		"each device has its node": {claimPod + claim + slice("net", "perDeviceNodeSelection: true", 1, strings.Replace(unhealthy, "gpu0", "gpu0, nodeName: n2", 1)+", {name: gpu1, nodeName: n3}, {name: gpu2, allNodes: true}, {name: gpu3, nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: zone, operator: In, values: [b]}]}]}}"),
			isNot + "    request g: untolerated taints on 1 of 3 devices; 1 device on other nodes\n      gpu.example.com/net/gpu0\n" + not},
		"old generations": {claimPod + claim + slice("n2", "nodeName: n2", 2, "{name: gpu0}") + slice("n2x", "nodeName: n2", 1, unhealthy) + slice("n1", "nodeName: n1", 1, "{name: gpu0}"),
			isNot + "    request g: untolerated taints on 0 of 2 devices\n"},
		"other effects": {claimPod + claim + slice("n2", "nodeName: n2", 1, "{name: a, taints: [{key: x, effect: None}]}, {name: b, taints: [{key: x, effect: Later}]}, {name: c, taints: [{key: x, effect: NoExecute}]}"), isNot + `    request g: untolerated taints on 1 of 3 devices
      gpu.example.com/n2/c
        x:NoExecute is not tolerated (ResourceSlice); to add to the request: {"key":"x","operator":"Exists","effect":"NoExecute"}
`},
		"largest group first": {claimPod + tolerant("{key: k3, operator: Exists}") + slice("n2", "nodeName: n2", 1, "{name: a, taints: [{key: k1, effect: NoSchedule}]}, {name: b, taints: [{key: k2, effect: NoSchedule}]}, {name: c, taints: [{key: k2, effect: NoSchedule}, {key: k3, effect: NoSchedule}]}, {name: d, taints: [{key: k2, effect: NoSchedule}]}"), isNot + `    request g: untolerated taints on 4 of 4 devices
      gpu.example.com/n2/b, gpu.example.com/n2/d, gpu.example.com/n2/c
        k2:NoSchedule is not tolerated (ResourceSlice); to add to the request: {"key":"k2","operator":"Exists","effect":"NoSchedule"}
      gpu.example.com/n2/a
        k1:NoSchedule is not tolerated (ResourceSlice); to add to the request: {"key":"k1","operator":"Exists","effect":"NoSchedule"}
`},
		"no effect": {claimPod + claim + slice("n2", "nodeName: n2", 1, "{name: a, taints: [{key: x}]}"), isNot + `    request g: untolerated taints on 1 of 1 device
      gpu.example.com/n2/a
        x: is not tolerated (ResourceSlice)
`},
		"rules": {claimPod + claim + slice("n1", "nodeName: n1", 1, "{name: gpu0}, {name: gpu1}") + slice("n2", "nodeName: n2", 1, "{name: gpu0}, {name: gpu1}") +
			fmt.Sprintf(claimRule, "v1alpha3", "everything", "deviceSelector: {}, taint: {key: test, effect: None}") +
			fmt.Sprintf(claimRule, "v1beta2", "nothing", "taint: {key: test, effect: NoSchedule}") +
			fmt.Sprintf(claimRule, "v1", "gpu0s", "deviceSelector: {driver: gpu.example.com, device: gpu0}, taint: {key: recall, effect: NoExecute}") +
			fmt.Sprintf(claimRule, "v1", "repair", "deviceSelector: {pool: n2}, taint: {key: repair, value: 'yes', effect: NoSchedule}") +
			fmt.Sprintf(claimRule, "v1", "others", "deviceSelector: {driver: other.example.com}, taint: {key: repair, effect: NoSchedule}"), isNot + `    request g: untolerated taints on 3 of 4 devices
      gpu.example.com/n1/gpu0
        recall:NoExecute is not tolerated (DeviceTaintRule gpu0s); to add to the request: {"key":"recall","operator":"Exists","effect":"NoExecute"}
      gpu.example.com/n2/gpu0
        recall:NoExecute is not tolerated (DeviceTaintRule gpu0s); to add to the request: {"key":"recall","operator":"Exists","effect":"NoExecute"}
        repair=yes:NoSchedule is not tolerated (DeviceTaintRule repair); to add to the request: {"key":"repair","operator":"Equal","value":"yes","effect":"NoSchedule"}
      gpu.example.com/n2/gpu1
        repair=yes:NoSchedule is not tolerated (DeviceTaintRule repair); to add to the request: {"key":"repair","operator":"Equal","value":"yes","effect":"NoSchedule"}
`},
		"alternatives": {claimPod + slice("n2", "nodeName: n2", 1, unhealthy) + "---\n{apiVersion: resource.k8s.io/v1beta2, kind: ResourceClaim, metadata: {name: gpu, namespace: d}, spec: {devices: {requests: [{name: g, firstAvailable: [{name: large, deviceClassName: l}, {name: small, deviceClassName: s}, {name: any, deviceClassName: s, tolerations: [{operator: Exists}]}]}]}}}",
			isNot + "    request g/large, g/small: untolerated taints on 1 of 1 device\n      gpu.example.com/n2/gpu0\n" + not + "    request g/any: untolerated taints on 0 of 1 device\n"},
		"all devices": {claimPod + slice("n2", "nodeName: n2", 1, "{name: gpu0}, "+strings.Replace(unhealthy, "gpu0", "gpu1", 1)) + "---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: gpu, namespace: d}, spec: {devices: {requests: [{name: one, exactly: {deviceClassName: l, allocationMode: ExactCount}}, {name: a, exactly: {deviceClassName: l, allocationMode: All}}, {name: b, firstAvailable: [{name: large, deviceClassName: l, allocationMode: All}, {name: small, deviceClassName: l}]}]}}}",
			isNot + "    request one: untolerated taints on 1 of 2 devices\n      gpu.example.com/n2/gpu1\n" + not + "    request a, b/large (all devices): untolerated taints on 1 of 2 devices\n      gpu.example.com/n2/gpu1\n" + not + "    request b/small: untolerated taints on 1 of 2 devices\n      gpu.example.com/n2/gpu1\n" + not},
		"allocated": {claimPod + slice("n2", "nodeName: n2", 1, unhealthy) + strings.Replace(claim, "spec:", "status: {allocation: {}}, spec:", 1), ""},
		"created from a template": {strings.Replace(claimPod, "resourceClaimName: gpu}]", "resourceClaimTemplateName: one}, {name: none, resourceClaimTemplateName: none}]}, status: {resourceClaimStatuses: [{name: g, resourceClaimName: gpu}, {name: none}]", 1) + claim + slice("n2", "nodeName: n2", 1, unhealthy),
			"  claim of template one is not allocated\n" + note + "    request g: untolerated taints on 1 of 1 device\n      gpu.example.com/n2/gpu0\n" + not},
		"not created": {strings.Replace(claimPod, "resourceClaimName: gpu}]", "resourceClaimTemplateName: one}, {name: h, resourceClaimTemplateName: two}]", 1) + slice("n2", "nodeName: n2", 1, unhealthy) +
			"---\n{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: one, namespace: d}, spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu}}]}}}}",
			"  claim of template one is not created\n" + note + "    request g: untolerated taints on 1 of 1 device\n      gpu.example.com/n2/gpu0\n" + not + "  claim of template two is not created\n"},
		"no claim":  {claimPod + slice("n2", "nodeName: n2", 1, unhealthy), "  claim gpu is not in the input\n"},
		"no slices": {claimPod + claim, "  claim gpu is not allocated\n    no ResourceSlice is in the input\n"},
		"invalid slice": {claimPod + claim + slice("n1", "nodeName: n1", 1, "{name: gpu0}") + slice("n2", "nodeName: n2", 1, "{name: 5}"),
			"  claim gpu is not allocated\n    not everything could be read\n" + note + "    request g: untolerated taints on 0 of 1 device\n"},
		"invalid, twice": {claimPod + claim + fmt.Sprintf(claimGPU, ", count: 2") + slice("n2", "nodeName: n2", 1, "{name: gpu0}"), "  claim gpu is not allocated\n    not everything could be read\n" + note + "    request g: untolerated taints on 0 of 1 device\n"},
		// A rule of Kubernetes 1.34 that selects by class or CEL does not select all devices.
		"old rule": {claimPod + claim + slice("n2", "nodeName: n2", 1, "{name: gpu0}") + fmt.Sprintf(claimRule, "v1alpha3", "old", "deviceSelector: {deviceClassName: nic}, taint: {key: k, effect: NoSchedule}"), "  claim gpu is not allocated\n    not everything could be read\n" + note + "    request g: untolerated taints on 0 of 1 device\n"},
		"hostile": {claimPod + claim + slice("n2", "nodeName: n2", 1, `{name: "a\nb", taints: [{key: "k\n", effect: NoSchedule}]}`), isNot + `    request g: untolerated taints on 1 of 1 device
      "gpu.example.com/n2/a\nb"
        "k\n:NoSchedule" is not tolerated (ResourceSlice); to add to the request: {"key":"k\n","operator":"Exists","effect":"NoSchedule"}
`},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, claimNodes+test.input, "-f", "-")
			if (err != nil) != strings.HasPrefix(name, "invalid") {
				t.Error(err)
			}
			_, got, _ := strings.Cut(out, "  taints and labels admit 2 of 3 nodes\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Without nodes, it is not known which devices the pod could use.
func TestClaims_noNodes(t *testing.T) {
	input := claimPod + fmt.Sprintf(claimGPU, "") + slice("net", "allNodes: true", 1, "{name: a}")
	out, err := run(t, input, "-f", "-")
	if err == nil || !strings.HasSuffix(out, "\n  claim gpu is not allocated\n    the nodes are unknown\n") {
		t.Errorf("%v\n%s", err, out)
	}
	if text, _ := run(t, input, "-f", "-", "-o", "json"); strings.Contains(text, `"devices"`) {
		t.Error(text)
	}
}

// A pod that no node admits can use no device, not even one of all nodes.
func TestClaims_notAdmitted(t *testing.T) {
	pod := strings.Replace(claimPod, "spec: {", "spec: {nodeSelector: {zone: none}, ", 1)
	shows(t, claimNodes+pod+fmt.Sprintf(claimGPU, "")+slice("net", "allNodes: true", 1, "{name: a}"), "", "    request g: untolerated taints on 0 of 0 devices; 1 device on other nodes\n")
}

// Devices with the same taints are a group, and pods whose claims are alike. Three groups are
// listed, or all.
func TestClaims_groups(t *testing.T) {
	var b strings.Builder
	b.WriteString(claimNodes)
	for i := range 8 {
		fmt.Fprintf(&b, "---\n{kind: Pod, metadata: {name: p%d, namespace: d}, spec: {resourceClaims: [{name: g, resourceClaimTemplateName: one}]}, status: {resourceClaimStatuses: [{name: g, resourceClaimName: p%d-g}]}}\n", i, i)
		b.WriteString(strings.Replace(fmt.Sprintf(claimGPU, ""), "name: gpu,", fmt.Sprintf("name: p%d-g,", i), 1))
		devices := ""
		for k := range 7 {
			devices += fmt.Sprintf("{name: gpu%d, taints: [{key: k%d, effect: NoSchedule, timeAdded: 2026-11-20T08:00:0%dZ}]},", k, k/2, k)
		}
		b.WriteString(slice(fmt.Sprintf("s%d", i), "nodeName: n2", 1, devices))
	}
	shows(t, b.String(), "", "\nd/p0, d/p1, d/p2, d/p3, d/p4 and 3 more\n", "    request g: untolerated taints on 56 of 56 devices\n      gpu.example.com/s0/gpu0, gpu.example.com/s0/gpu1, gpu.example.com/s1/gpu0, gpu.example.com/s1/gpu1, gpu.example.com/s2/gpu0 and 11 more\n", "      and 8 more devices with other taints\n")
	if wide, err := run(t, b.String(), "-f", "-", "-o", "wide"); err != nil || strings.Count(wide, "to add to the request") != 4 {
		t.Errorf("%v\n%s", err, wide)
	}
	if text, err := run(t, b.String(), "-f", "-", "-o", "json"); err != nil || !strings.Contains(text, `"devices": 56,`) || strings.Count(text, `"add": {`) != 5 {
		t.Errorf("%v\n%s", err, text)
	}
}

// A request that needs all devices has a field in JSON, which others do not have.
func TestClaims_all(t *testing.T) {
	input := claimNodes + claimPod + fmt.Sprintf(claimGPU, ", allocationMode: %s") + slice("n2", "nodeName: n2", 1, "{name: gpu0}")
	for mode, want := range map[string]int{"All": 1, "ExactCount": 0} {
		out, err := run(t, fmt.Sprintf(input, mode), "-f", "-", "-o", "json")
		if err != nil || strings.Count(out, `"all": true`) != want || strings.Count(out, `"all"`) != want {
			t.Errorf("%s: %v\n%s", mode, err, out)
		}
	}
}

// The case of a report.
func TestClaims_case(t *testing.T) {
	text, err := os.ReadFile("testdata/why-dra-claim.yaml")
	if err != nil {
		t.Fatal(err)
	}
	shows(t, string(text), "", `
  taints and labels admit 1 of 2 nodes
  claim gpu is not allocated
    tainted devices on nodes that the pod can be scheduled to; selectors not evaluated
    request g: untolerated taints on 1 of 1 device
      gpu.example.com/n2/gpu0
        gpu.example.com/unhealthy:NoSchedule is not tolerated (ResourceSlice); to add to the request: {"key":"gpu.example.com/unhealthy","operator":"Exists","effect":"NoSchedule"}

d/gated
`)
}

// Devices of many nodes that a selector names are found once, and too much work for devices
// leaves the rest of the answer.
func TestClaims_many(t *testing.T) {
	var one, each strings.Builder
	for i := range 4000 {
		node := fmt.Sprintf(`{"kind":"Node","metadata":{"name":"n%d","labels":{"zone":"a"}}}`, i)
		slice := fmt.Sprintf(`{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","metadata":{"name":"s%[1]d"},"spec":{"nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"%[2]s]}]}]},"driver":"d","pool":{"name":"s%[1]d","generation":1,"resourceSliceCount":1},"devices":[{"name":"x"}]}}`, i, "%s")
		fmt.Fprintf(&one, node+slice, "")
		fmt.Fprintf(&each, node+slice, fmt.Sprintf(`,"b%d"`, i))
	}
	const pod = `{"kind":"Pod","metadata":{"name":"p"},"spec":{"resourceClaims":[{"name":"g","resourceClaimName":"c"}]}}{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"x"}}]}}}`
	for input, want := range map[string]string{one.String(): "untolerated taints on 0 of 4000 devices", each.String(): "the claims and devices differ too much to compare all of them"} {
		shows(t, input+pod, "", "taints and labels admit 4000 of 4000 nodes", want)
	}
}
