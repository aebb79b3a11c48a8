package lint

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Elements in each form that are right, and others that are wrong, with what is reported.
var (
	ofKubernetes = pair{"[{key: a, effect: NoSchedule}, {key: a, value: b, effect: NoExecute}]", "[{key: a, effect: NO_SCHEDULE}]", `did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute) (invalid)`}
	ofPods       = pair{"[{key: a, operator: Exists}, {key: b, value: c, effect: PreferNoSchedule}]", "[{key: a, operator: Exist}]", "fix: write Exists"}
	ofClouds     = pair{"[{key: a, value: b, effect: NO_SCHEDULE}, {key: a, value: b, effect: PREFER_NO_SCHEDULE}]", "[{key: a, value: b, effect: NO_SHEDULE}]", "fix: write NO_SCHEDULE"}
	ofMachines   = pair{"[{key: a, effect: NoSchedule, propagation: Always}]", "[{key: a, effect: NoSchedule}]", "fix: add propagation: Always, or OnInitialization"}
	withValues   = pair{`[{key: a, value: "", effect: NoSchedule}]`, "[{key: a, effect: NoSchedule}]", `fix: add value: ""`}
	inTheCloud   = pair{`[{key: a, value: "", effect: NO_EXECUTE}]`, "[{key: a, effect: NO_EXECUTE}]", `fix: add value: ""`}
	ofCAPA       = pair{`[{key: a, value: "true", effect: no-schedule}]`, `[{key: a, value: "true", effect: NoSchedule}]`, "fix: write no-schedule"}
	texts        = pair{`["a=b:NoSchedule", "c:NoExecute"]`, `["a=b:NoSchedul"]`, "fix: write NoSchedule"}
	ofTalos      = pair{"{a: b:NoSchedule, c: NoExecute, d: {$patch: delete}, $patch: delete}", "{a: b:NoSchedul}", "fix: write NoSchedule"}
	claimed      = pair{"[{key: a, operator: Exists, effect: None, tolerationSeconds: 5}, {operator: Exists}]", `[{key: a, operator: Gt, value: "5"}]`, `unknown operator "Gt" (allowed: Equal, Exists) (invalid)`}
	ofDevices    = pair{"[{key: a, effect: None}, {key: a, effect: NoExecute}, {key: a, effect: NoExecute}]", "[{key: a, effect: PreferNoSchedule}]", `unknown effect "PreferNoSchedule" (allowed: NoSchedule, None, NoExecute) (invalid)`}
	notTaints    = pair{"[{key: a}]", "[{key: 5}]", ""}
)

type pair struct{ right, wrong, want string }

// Each row of homes has a case that passes and one that fails.
func TestHomes(t *testing.T) {
	forms := map[string]pair{ // by kind and path, without those of Kubernetes' taints
		"/Pod": ofPods, "/PodTemplate": ofPods, "/ReplicationController": ofPods, "apps/Deployment": ofPods, "apps/ReplicaSet": ofPods, "apps/StatefulSet": ofPods,
		"apps/DaemonSet": ofPods, "batch/Job": ofPods, "batch/CronJob": ofPods, "kueue.x-k8s.io/ResourceFlavor spec.tolerations": ofPods,
		"resource.k8s.io/ResourceClaim": claimed, "resource.k8s.io/ResourceClaimTemplate": claimed, "resource.k8s.io/v1beta1/ResourceClaim": claimed, "resource.k8s.io/v1beta1/ResourceClaimTemplate": claimed,
		"resource.k8s.io/ResourceSlice": ofDevices, "resource.k8s.io/v1beta1/ResourceSlice": ofDevices,
		"resource.k8s.io/DeviceTaintRule": {"{key: a, effect: None}", "{key: a, effect: NoExecut}", "fix: write NoExecute"},
		"/ node-taint":                    texts, "/ node-taint+": {`"a=b:NoSchedule,c:NoExecute"`, `"a=b:NoSchedule,c:NoExecut"`, "fix: write NoExecute"}, "/ machine.nodeTaints": ofTalos, "/KubeNodeConfig": ofTalos,
		"kops.k8s.io/InstanceGroup": texts, "eksctl.io/ClusterConfig nodeGroups[].taints": {"{a: b:NoSchedule, c: NoExecute}", "{a: b:NO_SCHEDULE}", "fix: write NoSchedule"},
		"eks.services.k8s.aws/Nodegroup": ofClouds, "eks.aws.upbound.io/NodeGroup": ofClouds, "eks.aws.m.upbound.io/NodeGroup": ofClouds, "eks.aws.crossplane.io/NodeGroup": ofClouds,
		"container.gcp.upbound.io/NodePool": ofClouds, "container.gcp.m.upbound.io/NodePool": ofClouds, "container.gcp.upbound.io/Cluster": ofClouds, "container.gcp.m.upbound.io/Cluster": ofClouds,
		"container.cnrm.cloud.google.com/ContainerNodePool": inTheCloud, "container.cnrm.cloud.google.com/ContainerCluster": inTheCloud,
		"cluster.x-k8s.io/Machine": ofMachines, "cluster.x-k8s.io/MachineSet": ofMachines, "cluster.x-k8s.io/MachineDeployment": ofMachines, "cluster.x-k8s.io/MachinePool": ofMachines,
		"cluster.x-k8s.io/Cluster": ofMachines, "cluster.x-k8s.io/ClusterClass": ofMachines, "controlplane.cluster.x-k8s.io/KubeadmControlPlane": ofMachines, "controlplane.cluster.x-k8s.io/KubeadmControlPlaneTemplate": ofMachines,
		"infrastructure.cluster.x-k8s.io/AWSManagedMachinePool": ofCAPA, "infrastructure.cluster.x-k8s.io/AzureManagedMachinePool": withValues, "infrastructure.cluster.x-k8s.io/AzureManagedMachinePoolTemplate": withValues,
		"infrastructure.cluster.x-k8s.io/GCPManagedMachinePool": withValues, "infrastructure.cluster.x-k8s.io/GCPManagedMachinePoolTemplate": withValues,
		"core.gardener.cloud/Shoot spec.tolerations": notTaints, "core.gardener.cloud/Shoot spec.taints": notTaints, "core.gardener.cloud/Shoot scheduling.tolerations": notTaints,
		"core.gardener.cloud/Project": notTaints, "core.gardener.cloud/Seed": notTaints, "core.gardener.cloud/ExposureClass": notTaints,
	}
	for kind, spots := range spots {
		dir, name := path.Split(kind)
		version := strings.Trim(dir, "/")
		if !strings.Contains(version, "/") && version != "" {
			version += "/v1"
		}
		for _, s := range spots {
			p, ok := forms[kind+" "+s.path]
			if !ok {
				if p, ok = forms[kind]; !ok {
					p = ofKubernetes
				}
			}
			if s.source == "" {
				t.Errorf("%s %s has no source", kind, s.path)
			}
			for _, v := range []string{p.right, p.wrong} {
				wrong := v == p.wrong && p.want != ""
				fields := strings.Split(s.path, ".")
				v = "{" + fields[len(fields)-1] + ": " + v + "}"
				for _, field := range slices.Backward(fields[:len(fields)-1]) {
					if of, inList := strings.CutSuffix(field, "[]"); inList {
						field, v = of, "["+v+"]"
					}
					v = "{" + field + ": " + v + "}"
				}
				if name != "" {
					v = "{apiVersion: " + strconv.Quote(version) + ", kind: " + name + ", " + v[1:]
				}
				if status, out, errOut := run("---\n"+v, "-f", "-", "--severity=error"); status > 1 || wrong != (status == 1) || wrong && !strings.Contains(out, p.want) {
					t.Errorf("status %d: %s\n%s%s", status, v, out, errOut)
				}
			}
		}
	}
}

// What the places of objects change, at severity info.
func TestPlaces(t *testing.T) {
	const (
		everything = "[{operator: Exists}]"
		chart      = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {chart: {spec: {chart: %s}}, values: {%s}}\n"
	)
	for _, tt := range []struct {
		name, text string
		status     int
		want       []string
	}{
		{"a NodePool of Karpenter", "apiVersion: karpenter.sh/v1\nkind: NodePool\nspec: {taints: [{key: a, effect: NoSchedule}]}\n", 1, []string{"3:8: error: taints have no effect here: a NodePool has them in spec.template.spec.taints; move them", "1 finding"}},
		{"a NodePool of HyperShift", "apiVersion: hypershift.openshift.io/v1beta1\nkind: NodePool\nspec: {taints: [{key: a, effect: NoSchedule}]}\n", 0, nil},
		{"a claim", "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {tolerations: [{key: a, operator: Exists}], devices: {requests: [{tolerations: [{key: a, operator: Exists}]}]}}\n", 1,
			[]string{"3:8: error: tolerations have no effect here: a ResourceClaim has them in spec.devices.requests[].exactly.tolerations; move them", "3:73: error: tolerations have no effect here", "2 findings"}},
		{"a claim, v1beta1", "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nspec: {devices: {requests: [{tolerations: [{key: a, operator: Exists}], exactly: {tolerations: [{key: a, operator: Exists}]}}]}}\n", 1,
			[]string{"3:83: error: tolerations have no effect here: a ResourceClaim has them in spec.devices.requests[].tolerations", "1 finding"}},
		{"parameters of a driver", "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: {config: [{opaque: {parameters: {taints: [{key: a, effect: NoSchedule}]}}}]}}\n", 0, nil},
		{"a rule", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: {driver: a}, taint: {key: a, effect: None}}\n", 0, nil},
		{"a rule, no selector", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {taint: {key: a, effect: None}}\n", 1, []string{"3:1: warning: the rule taints no device", "(device-selector)"}},
		{"a rule, null", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: null, taint: {key: a, effect: None}}\n", 1, []string{"warning: the rule taints no device"}},
		{"a rule, empty selector", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: {}, taint: {key: a, effect: None}}\n", 1, []string{"3:8: info: the rule taints every device"}},
		{"a rule, a list", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: {driver: a}, taint: [{key: a, effect: None}]}\n", 1, []string{"3:37: error: must be an object"}},
		{"a rule, misspelt", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {deviceSelector: {driver: a}, tain: {key: a, effect: None}}\n", 1, []string{`3:37: error: unknown field "tain", did you mean taint?`}},
		{"a selector in a patch", "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec: {}\n", 0, nil},
		{"CAPA, required", "apiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: AWSManagedMachinePool\nspec: {taints: [{key: a, effect: no-execute}]}\n", 1, []string{"3:17: error: value: must be set: the API of this object requires it", `fix: add value: ""`}},
		{"CAPI, propagation", "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nspec: {taints: [{key: a, effect: NoExecute, propagation: OnInitialisation}]}\n", 1, []string{"3:58: error: propagation: unknown propagation", "fix: write OnInitialization"}},
		{"CAPI, no value", "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nspec: {taints: [{key: a, effect: NoExecute, propagation: Always, value: ''}]}\n", 1, []string{"3:66: error: value: must be omitted if it is empty", "1 finding"}},
		{"another API", "apiVersion: example.com/v1\nkind: Pool\nspec:\n  taints:\n  - {key: a, effect: NO_SHEDULE}\n  - {key: b, effect: no-shedule}\n  - {key: c, effect: no-schedule, propagation: Always}\n  - {key: d, effect: NO_EXECUTE}\n", 1,
			[]string{"5:22", "fix: write NO_SCHEDULE", "6:22", "fix: write no-schedule", "2 findings"}},
		{"OpenShift's Network", "apiVersion: config.openshift.io/v1\nkind: Network\nspec: {networkDiagnostics: {targetPlacement: {tolerations: " + everything + "}, sourcePlacement: {tolerations: " + everything + "}}}\n", 1, []string{"info: ", "sourcePlacement"}},
		{"in a Composition", "apiVersion: apiextensions.crossplane.io/v1\nkind: Composition\nspec: {resources: [{base: {spec: {forProvider: {taint: [{key: a, effect: NO_EXECUT}]}}}}]}\n", 1, []string{"3:74: error: ", "fix: write NO_EXECUTE"}},
		{"another taint", "kind: Other\nspec: {taint: dark, a: {taint: [dark]}, b: {taint: {key: a}}}\n", 0, nil},
		{"k3s in a text", "kind: Secret\nstringData:\n  config.yaml: |\n    node-taint:\n    - a=b:NoExecut\n", 1, []string{"input:5: error: ", "fix: write NoExecute"}},
		{"wrong ones do not repeat", "kind: Node\nspec: {taints: [{key: a, effect: NoSchedule}, {key: a, effect: NoScheduel}, {key: a, effect: NoShedule}]}\n", 1, []string{"2:64", "2:94", "2 findings"}},
		{"k3s", "node-taint:\n- a=true\n- b:NoSchedule\n- 5\n", 1, []string{"2:3: error: \"a=true\": must have the form key=value:Effect", "4:3: error: 5: must be a string", "2 findings"}},
		{"k3s, commas", "node-taint:\n- a=b:NoSchedule,c:NoExecute\n- d:NoExecute,e:NoExecut\n", 1, []string{"3:3: error: ", "fix: write NoExecute", "1 finding"}},
		{"kOps", "apiVersion: kops.k8s.io/v1alpha2\nkind: InstanceGroup\nspec: {taints: [{key: a, effect: NoSchedule}]}\n", 1, []string{"3:17: error: ", "must be a string"}},
		{"Talos", "machine:\n  nodeTaints:\n    a: 5\n    _b: NoSchedule\n    c: \"\"\n    d: x y:NoExecute\n", 1, []string{"3:5: error: 5: must be a string", `4:9: error: key "_b"`, "5:8: error: effect: must not be empty", "6:8: error: value \"x y\"", "4 findings"}},
		{"Talos, a list", "apiVersion: v1alpha1\nkind: KubeNodeConfig\ntaints: [a]\n", 1, []string{"3:1: error: must be an object"}},
		{"eksctl, managed", "apiVersion: eksctl.io/v1alpha5\nkind: ClusterConfig\nmanagedNodeGroups:\n- taints: {a: NoSchedule}\n", 1, []string{"4:3: error: must be a list"}},

		{"values", "tolerations: " + everything + "\n", 1, []string{"1:15: warning: "}},
		{"a mode", "mode: daemonset\ntolerations: " + everything + "\n", 1, []string{"2:15: info: "}},
		{"a kind below", "deployment: {kind: DaemonSet}\ntolerations: " + everything + "\n", 1, []string{"2:15: info: "}},
		{"a kind elsewhere", "a: {kind: DaemonSet}\nb: {tolerations: " + everything + "}\n", 1, []string{"2:19: warning: "}},
		{"a controller", "controllers: {main: {type: daemonset, pod: {tolerations: " + everything + "}}}\n", 1, []string{"1:59: info: "}},
		{"a field", "daemonSet: {tolerations: " + everything + "}\n", 1, []string{"1:27: info: "}},
		{"a chart in a chart", "prometheus-node-exporter: {tolerations: " + everything + "}\nprometheus: {tolerations: " + everything + "}\n", 1, []string{"1:42: info: ", "2:28: warning: "}},
		{"a release", fmt.Sprintf(chart, "promtail", "tolerations: "+everything), 1, []string{"info: "}},
		{"a release of a repository", "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {chartRef: {kind: OCIRepository, name: prometheus-node-exporter}, values: {tolerations: " + everything + "}}\n", 1, []string{"info: "}},
		{"in a Template", "apiVersion: template.openshift.io/v1\nkind: Template\nobjects:\n- kind: DaemonSet\n  spec: {template: {spec: {containers: [], tolerations: " + everything + "}}}\n" +
			"- kind: Deployment\n  spec: {template: {spec: {containers: [], tolerations: " + everything + "}}}\n", 1, []string{"5:58: info: ", "7:58: warning: "}},
		{"another release", fmt.Sprintf(chart, "grafana", "tolerations: "+everything), 1, []string{"warning: "}},
		{"an application", "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec: {sources: [{chart: node-exporter, helm: {valuesObject: {tolerations: " + everything + "}}}]}\n", 1, []string{"info: "}},
		{"a chart of Kustomize", "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1\nhelmCharts: [{name: fluent-bit, valuesInline: {tolerations: " + everything + "}}]\n", 1, []string{"info: "}},
		{"a Deployment with a label", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {labels: {a: DaemonSet}}\nspec: {template: {metadata: {labels: {b: daemonset}}, spec: {containers: [], tolerations: " + everything + "}}}\n", 1, []string{"warning: "}},
		{"a patch for a DaemonSet", "kind: Kustomization\napiVersion: kustomize.config.k8s.io/v1\npatches:\n- target: {kind: DaemonSet}\n  patch: |-\n    - {op: add, path: /spec/template/spec/tolerations, value: " + everything + "}\n" +
			"- target: {kind: Deployment}\n  patch: |-\n    - {op: add, path: /spec/template/spec/tolerations, value: " + everything + "}\n", 1, []string{"9: warning: ", "1 finding"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, out, errOut := run(tt.text, "-f", "-", "--severity=info")
			inOrder(t, out, tt.want...)
			if status != tt.status {
				t.Errorf("status %d: %s%s", status, errOut, out)
			}
		})
	}
}

// The rules are about taints of nodes.
func TestDevices_rules(t *testing.T) {
	claim := "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nspec: {devices: {requests: [{exactly: {tolerations: [{operator: Exists}]}}]}}\n"
	check(t, claim, "-f - --rules "+withRules(t, rulesFile), 0, "")
}

// Other files show that values and patches are those of a DaemonSet.
func TestOtherFiles(t *testing.T) {
	const (
		values = "tolerations: [{operator: Exists}]\n"
		patch  = "- {op: add, path: /spec/template/spec/tolerations/-, value: {operator: Exists}}\n"
	)
	write(t, map[string]string{
		"a/values.yaml": values, "a/templates/agent.yaml": "kind: DaemonSet\n", "a/ci/values.yaml": values,
		"b/values.yaml": values, "b/templates/app/web.yaml": "kind: Deployment\n",
		"k/kustomization.yaml": "patches: [{path: p/d.yaml, target: {kind: DaemonSet}}, {path: p/e.yaml, target: {kind: Deployment}}]\npatchesJson6902: [{path: f.yaml, target: {kind: DaemonSet}}]\n",
		"k/p/d.yaml":           patch, "k/p/e.yaml": patch, "k/f.yaml": patch, "k/g.yaml": patch,
		"promtail/app/values.yaml": values, "apps/kube-vip.yaml": values, "apps/web.yaml": values,
	})
	_, out, _ := run("", "-R", "-f", ".")
	for name, want := range map[string]bool{"a/values": false, "a/ci/values": false, "b/values": true, "promtail/app/values": false, "apps/kube-vip": false, "apps/web": true,
		"k/p/d": false, "k/p/e": true, "k/f": false, "k/g": true} {
		if strings.Contains(out, name+".yaml:1:") != want {
			t.Errorf("%s: %s", name, out)
		}
	}
}
