package lint

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/validate"
)

// A form is how an object has its taints or tolerations.
type form uint8

const (
	inList   form = 1 << iota // of objects
	inTexts                   // a list of texts, such as key=value:Effect
	inText                    // one text; a text can be several with commas between them
	inMap                     // from keys to value:Effect or Effect
	inObject                  // one object
	closed                    // elsewhere in the object, such a field has no effect
	foreign                   // the field is something else
)

// The effects NoSchedule, PreferNoSchedule and NoExecute, as APIs write them. The taint of a device
// has None instead of the second.
var (
	kubernetes = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	cloud      = []string{"NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"}
	capa       = []string{"no-schedule", "prefer-no-schedule", "no-execute"}
	devices    = []string{"NoSchedule", "None", "NoExecute"}
)

// A home is where objects have taints or tolerations.
type home struct {
	kinds   string // group/kind, or group/version/kind of a version that differs
	paths   string // [] is any element
	form    form
	effects []string
	needs   string // what the API requires beside key and effect
	source  string // in which the row was verified
}

const (
	template   = "spec.template.spec.tolerations"
	machines   = "spec.template.spec.taints"
	claims     = "spec.devices.requests[].exactly.tolerations spec.devices.requests[].firstAvailable[].tolerations"
	claimsBeta = "spec.devices.requests[].tolerations spec.devices.requests[].firstAvailable[].tolerations"
	allocated  = " status.allocation.devices.results[].tolerations"
	nodeConfig = "spec.forProvider.nodeConfig.taint spec.forProvider.nodeConfig[].taint spec.initProvider.nodeConfig.taint spec.initProvider.nodeConfig[].taint"
	nodes      = "controlPlane.taints workers.machineDeployments[].taints workers.machinePools[].taints"
	planes     = "machineTemplate.spec.taints machineTemplate.taints"
	resources  = "resource.k8s.io/"
	infra      = "infrastructure.cluster.x-k8s.io/"
)

// homes are the places that are known. In other objects, a list that looks like one is checked too.
var homes = []home{
	{"/Pod", "spec.tolerations", inList | closed, kubernetes, "", "k8s.io/api/core/v1"},
	{"/PodTemplate", "template.spec.tolerations", inList | closed, kubernetes, "", "k8s.io/api/core/v1"},
	{"/ReplicationController apps/Deployment apps/ReplicaSet apps/StatefulSet apps/DaemonSet batch/Job", template, inList | closed, kubernetes, "", "k8s.io/api"},
	{"batch/CronJob", "spec.jobTemplate." + template, inList | closed, kubernetes, "", "k8s.io/api/batch/v1"},
	{"/Node", "spec.taints", inList | closed, kubernetes, "", "k8s.io/api/core/v1"},
	{resources + "ResourceClaim", claims + allocated, inList | closed, devices, "", "k8s.io/api/resource/v1"},
	{resources + "ResourceClaimTemplate", within("spec", claims), inList | closed, devices, "", "k8s.io/api/resource/v1"},
	{resources + "v1beta1/ResourceClaim", claimsBeta + allocated, inList | closed, devices, "", "k8s.io/api/resource/v1beta1"},
	{resources + "v1beta1/ResourceClaimTemplate", within("spec", claimsBeta), inList | closed, devices, "", "k8s.io/api/resource/v1beta1"},
	{resources + "ResourceSlice", "spec.devices[].taints", inList | closed, devices, "", "k8s.io/api/resource/v1"},
	{resources + "v1beta1/ResourceSlice", "spec.devices[].basic.taints", inList | closed, devices, "", "k8s.io/api/resource/v1beta1"},
	{resources + "DeviceTaintRule", "spec.taint", inObject | closed, devices, "", "k8s.io/api/resource/v1beta2"},
	{"kubelet.config.k8s.io/KubeletConfiguration kubeadm.k8s.io/InitConfiguration kubeadm.k8s.io/JoinConfiguration", "registerWithTaints nodeRegistration.taints", inList, kubernetes, "", "k8s.io/kubelet/config/v1beta1, k8s.io/kubernetes/cmd/kubeadm/app/apis"},
	{"/", "node-taint node-taint+", inTexts | inText, kubernetes, "", "k3s-io/k3s/pkg/cli/cmds, pkg/configfilearg"},
	{"/", "machine.nodeTaints", inMap, kubernetes, "", "siderolabs/talos/pkg/machinery/config/types/v1alpha1, labels"},
	{"/KubeNodeConfig", "taints", inMap, kubernetes, "", "siderolabs/talos/pkg/machinery/config/types/k8s, labels"},
	{"kops.k8s.io/InstanceGroup", "spec.taints", inTexts | closed, kubernetes, "", "kubernetes/kops/pkg/apis/kops"},
	{"machine.openshift.io/Machine", "spec.taints", inList | closed, kubernetes, "", "openshift/api/machine/v1beta1"},
	{"machine.openshift.io/MachineSet", machines, inList | closed, kubernetes, "", "openshift/api/machine/v1beta1"},
	{"hypershift.openshift.io/NodePool", "spec.taints", inList, kubernetes, "", "openshift/hypershift/api/hypershift/v1beta1"},
	{"karpenter.sh/NodePool", machines + " spec.template.spec.startupTaints", inList | closed, kubernetes, "", "kubernetes-sigs/karpenter/pkg/apis/v1"},
	{"karpenter.sh/NodeClaim karpenter.sh/Provisioner", "spec.taints spec.startupTaints", inList | closed, kubernetes, "", "kubernetes-sigs/karpenter/pkg/apis/v1, v1alpha5"},
	{"eksctl.io/ClusterConfig", "nodeGroups[].taints", inList | inMap, kubernetes, "", "eksctl-io/eksctl/pkg/apis/eksctl.io/v1alpha5"},
	{"eksctl.io/ClusterConfig", "managedNodeGroups[].taints", inList, kubernetes, "", "eksctl-io/eksctl/pkg/apis/eksctl.io/v1alpha5"},
	{"eks.services.k8s.aws/Nodegroup", "spec.taints", inList, cloud, "", "aws-controllers-k8s/eks-controller/apis/v1alpha1"},
	{"eks.aws.upbound.io/NodeGroup eks.aws.m.upbound.io/NodeGroup", "spec.forProvider.taint spec.initProvider.taint", inList, cloud, "", "crossplane-contrib/provider-upjet-aws/apis"},
	{"eks.aws.crossplane.io/NodeGroup", "spec.forProvider.taints", inList, cloud, "", "crossplane-contrib/provider-aws/apis/eks/manualv1alpha1"},
	{"container.gcp.upbound.io/NodePool container.gcp.m.upbound.io/NodePool container.gcp.upbound.io/Cluster container.gcp.m.upbound.io/Cluster", nodeConfig, inList, cloud, "", "crossplane-contrib/provider-upjet-gcp/apis"},
	{"container.cnrm.cloud.google.com/ContainerNodePool container.cnrm.cloud.google.com/ContainerCluster", "spec.nodeConfig.taint", inList, cloud, "value", "GoogleCloudPlatform/k8s-config-connector/config/crds"},
	{"cluster.x-k8s.io/Machine cluster.x-k8s.io/MachineSet cluster.x-k8s.io/MachineDeployment cluster.x-k8s.io/MachinePool", "spec.taints " + machines, inList, kubernetes, "propagation", "kubernetes-sigs/cluster-api/api/core/v1beta2"},
	{"cluster.x-k8s.io/Cluster cluster.x-k8s.io/ClusterClass", within("spec.topology", nodes) + " " + within("spec", nodes), inList, kubernetes, "propagation", "kubernetes-sigs/cluster-api/api/core/v1beta2"},
	{"controlplane.cluster.x-k8s.io/KubeadmControlPlane controlplane.cluster.x-k8s.io/KubeadmControlPlaneTemplate", within("spec", planes) + " " + within("spec.template.spec", planes), inList, kubernetes, "propagation", "kubernetes-sigs/cluster-api/api/controlplane/kubeadm"},
	{infra + "AWSManagedMachinePool", "spec.taints", inList, capa, "value", "kubernetes-sigs/cluster-api-provider-aws/exp/api/v1beta2"},
	{infra + "ROSAMachinePool", "spec.taints", inList, kubernetes, "", "kubernetes-sigs/cluster-api-provider-aws/exp/api/v1beta2"},
	{infra + "AzureManagedMachinePool " + infra + "AzureManagedMachinePoolTemplate", "spec.taints " + machines, inList, kubernetes, "value", "kubernetes-sigs/cluster-api-provider-azure/api/v1beta1"},
	{infra + "GCPManagedMachinePool " + infra + "GCPManagedMachinePoolTemplate", "spec.kubernetesTaints spec.template.spec.kubernetesTaints", inList, kubernetes, "value", "kubernetes-sigs/cluster-api-provider-gcp/exp/api/v1beta1"},
	{"cluster.k8s.io/MachineDeployment cluster.k8s.io/MachineSet", machines, inList, kubernetes, "", "kubermatic/machine-controller/sdk/apis/cluster/v1alpha1"},
	{"kueue.x-k8s.io/ResourceFlavor", "spec.tolerations spec.nodeTaints", inList, kubernetes, "", "kubernetes-sigs/kueue/apis/kueue/v1beta2"},
	{"core.gardener.cloud/Shoot", "spec.provider.workers[].taints", inList, kubernetes, "", "gardener/gardener/pkg/apis/core/v1beta1"},
	{"core.gardener.cloud/Shoot core.gardener.cloud/Project core.gardener.cloud/Seed core.gardener.cloud/ExposureClass", "spec.tolerations spec.taints scheduling.tolerations", foreign, nil, "", "gardener/gardener/pkg/apis/core/v1beta1"},
}

// within returns the paths below another.
func within(above, paths string) string {
	return above + "." + strings.ReplaceAll(paths, " ", " "+above+".")
}

// A spot is a path of a home.
type spot struct {
	*home
	path string
}

// spots are the paths of homes by kind.
var spots = func() map[string][]spot {
	spots := make(map[string][]spot)
	for i := range homes {
		for kind := range strings.FieldsSeq(homes[i].kinds) {
			for path := range strings.FieldsSeq(homes[i].paths) {
				spots[kind] = append(spots[kind], spot{&homes[i], path})
			}
		}
	}
	return spots
}()

// ending returns the name of the field.
func ending(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

var elements = regexp.MustCompile(`\[\d+\]`)

// spotAt returns the spot of a field with this name in a place, or nil.
func (o *object) spotAt(above *place, name string) *spot {
	for i, s := range o.spots {
		if ending(s.path) == name && s.path == strings.TrimPrefix(elements.ReplaceAllString(above.String()+"."+name, "[]"), ".") {
			return &o.spots[i]
		}
	}
	return nil
}

// closed returns where the object has such a field, which has no effect elsewhere, or nil.
func (o *object) closed(name string) *spot {
	if len(o.spots) == 0 || o.spots[0].form&closed == 0 {
		return nil
	}
	return &o.spots[max(0, slices.IndexFunc(o.spots, func(s spot) bool { return ending(s.path) == name }))]
}

// read sets the elements, or none if the field has another form than its spot.
func (l *list) read() {
	form := inList | inTexts
	if l.spot != nil && l.home == "" {
		form = l.spot.form
	}
	switch v := l.v.(type) {
	case []any:
		if form&(inList|inTexts) != 0 {
			l.values = v
		}
	case string:
		if l.single = form&inText != 0; l.single {
			l.values = []any{v}
		}
	case map[string]any:
		if l.single = form&inObject != 0; l.single {
			l.values = []any{v}
		} else if form&inMap != 0 {
			l.values = []any{}
			names := slices.DeleteFunc(slices.Sorted(maps.Keys(v)), func(name string) bool { return name == "$patch" })
			places := l.fields(names...)
			for _, name := range names {
				value := v[name]
				text, isText := value.(string)
				of, effect, found := strings.Cut(text, ":")
				if !found {
					of, effect = "", text
				}
				if isText {
					value = map[string]any{"key": name, "value": of, "effect": effect}
				}
				l.values, l.places = append(l.values, value), append(l.places, places[name])
			}
		}
	}
}

// element returns the place of an element.
func (l *list) element(i int) *place {
	if l.places != nil {
		return l.places[i]
	}
	return l.place.element(i)
}

// ofDevices reports whether the list is of devices, which have rules of their own.
func (l *list) ofDevices() bool { return l.spot != nil && &l.spot.effects[0] == &devices[0] }

const required = "must be set: the API of this object requires it"

// translate returns the fields of an element as Kubernetes has them, and the problems of the others. In
// an unknown object, the spelling of the effect shows which words its API has.
func (l *list) translate(from map[string]any) (fields map[string]any, ps validate.Problems) {
	fields = maps.Clone(from)
	known := func(name string, allowed ...string) {
		if text, _ := fields[name].(string); text != "" && !slices.Contains(allowed, text) {
			ps = append(ps, &validate.Problem{Path: name, Value: text, Rule: validate.NameUnknown, Allowed: allowed})
			fields[name] = allowed[0]
		}
	}
	effect, _ := from["effect"].(string)
	effects, needs := kubernetes, ""
	switch {
	case l.spot != nil:
		effects, needs = l.spot.effects, l.spot.needs
	case strings.Contains(effect, "_"):
		effects = cloud
	case strings.Contains(effect, "-"):
		effects = capa
	}
	if known("effect", effects...); effect != "" {
		fields["effect"] = kubernetes[slices.Index(effects, fields["effect"].(string))]
	}
	if l.ofDevices() {
		known("operator", "Equal", "Exists")
	}
	v, has := fields[needs]
	if text, _ := v.(string); needs != "" && (!has || text == "" && needs == "propagation") {
		ps = append(ps, &validate.Problem{Path: needs, Rule: validate.KeyMissing, Want: required})
	}
	if fields["value"] == "" && needs == "propagation" {
		ps = append(ps, &validate.Problem{Path: "value", Rule: validate.InvalidValue, Want: "must be omitted if it is empty"})
	}
	if needs == "propagation" || l.spot == nil {
		known("propagation", "Always", "OnInitialization")
		delete(fields, "propagation")
	}
	return fields, ps
}

// selector reports a rule that taints no device, or every device.
func (c *checker) selector(v map[string]any, at *place) {
	spec, _ := v["spec"].(map[string]any)
	selector, _ := spec["deviceSelector"].(map[string]any)
	at = at.fields("spec")["spec"]
	switch {
	case spec["taint"] == nil: // a patch
	case spec["deviceSelector"] == nil:
		c.report(at, "device-selector", lint.Warning, "the rule taints no device: it has no deviceSelector (an empty one selects every device)")
	case selector != nil && len(selector) == 0:
		c.report(at.fields("deviceSelector")["deviceSelector"], "device-selector", lint.Info, "the rule taints every device: its deviceSelector is empty")
	}
}

// agents are charts that make a DaemonSet by default, and a field of OpenShift's Network, beside
// those with the word in their name.
var agents = []string{"aws-for-fluent-bit", "aws-vpc-cni", "fluent-bit", "kube-vip", "loki-canary", "multus-cni", "node-exporter", "nvidia-device-plugin",
	"piraeus-ha-controller", "prometheus-node-exporter", "prometheus-smartctl-exporter", "promtail", "targetplacement", "tetragon"}

// isAgent reports whether a chart, a file or a field has the name of a DaemonSet.
func isAgent(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), ".yaml")
	return strings.Contains(name, "daemonset") || slices.Contains(agents, name)
}

// daemons reports whether the fields say that what is beside them is for a DaemonSet.
func daemons(fields map[string]any) bool {
	for _, v := range fields {
		if text, ok := v.(string); ok && strings.EqualFold(text, "DaemonSet") {
			return true
		}
	}
	chart, _, _ := unstructured.NestedString(fields, "chart") // of Argo CD, k3s and helmfile
	release, _, _ := unstructured.NestedString(fields, "chart", "spec", "chart")
	source, _, _ := unstructured.NestedString(fields, "chartRef", "name")
	target, _, _ := unstructured.NestedString(fields, "target", "kind") // of a patch
	name, _ := fields["name"].(string)
	return target == "DaemonSet" || isAgent(chart) || isAgent(release) || isAgent(source) || fields["valuesInline"] != nil && isAgent(name)
}

// chart reports whether the file is values, of a chart that has the name or a template of a DaemonSet.
func (c *checker) chart() bool {
	dir := filepath.Dir(c.from.Source)
	return c.kind == "" && (isAgent(c.from.Source) || isAgent(dir) || isAgent(filepath.Dir(dir)) || c.inTemplates("kind: DaemonSet"))
}

// inTemplates reports whether a template of the chart beside the file, or above it, has one of the texts.
func (c *checker) inTemplates(texts ...string) bool {
	dir := filepath.Dir(c.from.Source)
	return c.once(filepath.Join(dir, texts[0]), func() bool {
		for _, pattern := range []string{"templates/*.yaml", "templates/*/*.yaml", "../templates/*.yaml", "../templates/*/*.yaml"} {
			names, _ := filepath.Glob(filepath.Join(dir, pattern))
			for _, name := range names {
				text := small(name)
				if slices.ContainsFunc(texts, func(s string) bool { return bytes.Contains(text, []byte(s)) }) {
					return true
				}
			}
		}
		return false
	})
}

// targeted reports whether a kustomization in the directory, or above it, applies the file to DaemonSets.
func (c *checker) targeted() bool {
	type patch struct {
		Path   string
		Target struct{ Kind string }
	}
	const patched = "patched "
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "../kustomization.yaml", "../kustomization.yml"} {
		name = filepath.Join(filepath.Dir(c.from.Source), name)
		c.once(name, func() bool {
			var k struct {
				Patches []patch
				JSON    []patch `yaml:"patchesJson6902"`
			}
			_ = yaml.Unmarshal(small(name), &k) // what is wrong with it is reported where it is checked
			for _, p := range append(k.Patches, k.JSON...) {
				if p.Target.Kind == "DaemonSet" {
					c.known[patched+filepath.Join(filepath.Dir(name), p.Path)] = true
				}
			}
			return true
		})
	}
	return c.known[patched+filepath.Clean(c.from.Source)]
}

// once returns the result of a function that reads files, and keeps it.
func (o *command) once(key string, read func() bool) bool {
	if _, known := o.known[key]; !known {
		o.known[key] = read()
	}
	return o.known[key]
}

// small returns the content of a regular file, or nothing if it is large.
func small(name string) (text []byte) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 {
		text, _ = os.ReadFile(name)
	}
	return text
}
