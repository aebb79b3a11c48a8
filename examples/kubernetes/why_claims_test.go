package kubernetes_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A claimReport is what these tests use of a claim in the output of why.
type claimReport struct {
	Name, Template, State, Unknown string
	Requests                       []struct {
		Names                        []string
		Devices, Tainted, OtherNodes int
		DeviceGroups                 []struct {
			Count  int
			Names  []string
			Taints []struct {
				Taint           resourcev1.DeviceTaint
				DeviceTaintRule string
				Add             *resourcev1.DeviceToleration
			}
		}
	}
}

// claimObjects are the devices of TestWhy_claims: those of most pools are on the node with
// the pool's name. The rules precede the slices, so that the scheduler knows them first.
const claimObjects = `apiVersion: v1
kind: List
items:
- {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {selectors: [{cel: {expression: device.driver == "gpu.example.com"}}]}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: weekly}, spec: {deviceSelector: {driver: gpu.example.com, pool: rule}, taint: {key: maintenance, value: weekly, effect: NoExecute}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: recall}, spec: {deviceSelector: {pool: both, device: gpu-1}, taint: {key: recall, effect: NoSchedule}}}
- {apiVersion: resource.k8s.io/v1, kind: DeviceTaintRule, metadata: {name: audit}, spec: {deviceSelector: {}, taint: {key: audit, effect: None}}}
`

// claimSlices are the slices. One of a pool with an older generation does not count.
var claimSlices = []struct {
	name, pool     string
	generation     int
	nodes, devices string
}{
	{"free", "free", 1, "nodeName: free", "{name: gpu-0, taints: [{key: seen, effect: None}]}"},
	{"slice", "slice", 1, "nodeName: slice", "{name: gpu-0, taints: [{key: unhealthy, value: ecc, effect: NoSchedule}]}"},
	{"rule", "rule", 1, "nodeName: rule", "{name: gpu-0}"},
	{"both", "both", 1, "nodeName: both", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}, {name: gpu-1, taints: [{key: hot, effect: NoSchedule}]}"},
	{"count", "count", 1, "nodeName: count", "{name: gpu-0}, {name: gpu-1, taints: [{key: hot, effect: NoExecute}]}"},
	{"either", "either", 1, "nodeName: either", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}"},
	{"newer-1", "newer", 1, "nodeName: newer", "{name: gpu-0}"},
	{"newer-2", "newer", 2, "nodeName: newer", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}"},
	{"shared", "shared", 1, "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: case, operator: In, values: [shared]}]}]}", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}"},
	{"each", "each", 1, "perDeviceNodeSelection: true", "{name: gpu-0, nodeName: each, taints: [{key: hot, effect: NoSchedule}]}, {name: gpu-1, nodeName: other}"},
	{"node", "node", 1, "nodeName: node", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}"},
	{"node-tainted", "node-tainted", 1, "nodeName: node-tainted", "{name: gpu-0}"},
	{"template", "template", 1, "nodeName: template", "{name: gpu-0, taints: [{key: hot, effect: NoSchedule}]}"},
}

// claimDevices is the number of devices in the newest generations of their pools.
const claimDevices = 15

// text returns requests as "name tainted/devices", and each group of devices after them.
func (c *claimReport) text() string {
	var list []string
	for _, q := range c.Requests {
		list = append(list, fmt.Sprintf("%s %d/%d", strings.Join(q.Names, ","), q.Tainted, q.Devices))
		for _, g := range q.DeviceGroups {
			group := strings.ReplaceAll(strings.Join(g.Names, ","), "gpu.example.com/", "") + ":"
			for _, x := range g.Taints {
				group += " " + x.Taint.Key + "=" + x.Taint.Value + ":" + string(x.Taint.Effect)
				if x.DeviceTaintRule != "" {
					group += " of " + x.DeviceTaintRule
				}
			}
			list = append(list, group)
		}
	}
	return strings.Join(list, "; ")
}

// tolerated returns the requests with the tolerations that why prints.
func (c *claimReport) tolerated(requests []resourcev1.DeviceRequest) []resourcev1.DeviceRequest {
	requests = (&resourcev1.DeviceClaim{Requests: requests}).DeepCopy().Requests
	for _, q := range c.Requests {
		add := func(name string, to *[]resourcev1.DeviceToleration) {
			for _, g := range q.DeviceGroups {
				for _, x := range g.Taints {
					if slices.Contains(q.Names, name) && x.Add != nil && !slices.Contains(*to, *x.Add) {
						*to = append(*to, *x.Add)
					}
				}
			}
		}
		for _, request := range requests {
			if request.Exactly != nil {
				add(request.Name, &request.Exactly.Tolerations)
			}
			for i := range request.FirstAvailable {
				add(request.Name+"/"+request.FirstAvailable[i].Name, &request.FirstAvailable[i].Tolerations)
			}
		}
	}
	return requests
}

// A claimCase is a pod that waits for its claim, both with this name. The nodes have the
// label case with the name, and node-tainted is the only one with a taint.
type claimCase struct {
	name, nodes string
	requests    []resourcev1.DeviceRequest
	want        string // as claimReport.text
}

// template returns the name of the template that the claim is created from, if any.
func (c *claimCase) template() string {
	if c.name == "template" {
		return c.name
	}
	return ""
}

// createClaim creates the claim, or its template.
func (c *claimCase) createClaim(ctx context.Context, t *testing.T, requests []resourcev1.DeviceRequest) {
	t.Helper()
	meta, spec := metav1.ObjectMeta{Name: c.name}, resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: requests}}
	var err error
	if c.template() == "" {
		_, err = live.Client.ResourceV1().ResourceClaims("default").Create(ctx, &resourcev1.ResourceClaim{ObjectMeta: meta, Spec: spec}, metav1.CreateOptions{})
	} else {
		_, err = live.Client.ResourceV1().ResourceClaimTemplates("default").Create(ctx, &resourcev1.ResourceClaimTemplate{ObjectMeta: meta, Spec: resourcev1.ResourceClaimTemplateSpec{Spec: spec}}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// createPod creates a pod of this name that waits for the claim.
func (c *claimCase) createPod(ctx context.Context, t *testing.T, name, cpu string) {
	t.Helper()
	p, claim := unpinned("", upstream, nil), corev1.PodResourceClaim{Name: "c"}
	if c.template() == "" {
		claim.ResourceClaimName = &c.name
	} else {
		claim.ResourceClaimTemplateName = &c.name
	}
	p.Name, p.Spec.NodeSelector, p.Spec.ResourceClaims = name, map[string]string{"case": c.name}, []corev1.PodResourceClaim{claim}
	p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	if _, err := live.Client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// create creates the nodes, the claim and the pod.
func (c *claimCase) create(ctx context.Context, t *testing.T) {
	t.Helper()
	for _, node := range strings.Fields(c.nodes) {
		taints := ""
		if node == "node-tainted" {
			taints = "dedicated=batch:NoSchedule"
		}
		labelled(ctx, t, node, taints, map[string]string{"case": c.name})
	}
	c.createClaim(ctx, t, c.requests)
	c.createPod(ctx, t, c.name, "1")
}

// recreate creates the claim again. That of a template belongs to its pod, so that is
// created again, too.
func (c *claimCase) recreate(ctx context.Context, t *testing.T, requests []resourcev1.DeviceRequest) {
	t.Helper()
	var err error
	if c.template() == "" {
		err = live.Client.ResourceV1().ResourceClaims("default").Delete(ctx, c.name, metav1.DeleteOptions{})
	} else {
		err = errors.Join(
			live.Client.CoreV1().Pods("default").Delete(ctx, c.name, metav1.DeleteOptions{}),
			live.Client.ResourceV1().ResourceClaimTemplates("default").Delete(ctx, c.name, metav1.DeleteOptions{}),
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	if c.createClaim(ctx, t, requests); c.template() != "" {
		c.createPod(ctx, t, c.name, "1")
	}
}

// report returns what why reports of the claim, and fails the test if it is not what is wanted.
func (c *claimCase) report(ctx context.Context, t *testing.T, state string) *claimReport {
	t.Helper()
	r := why(ctx, t, c.name)
	if len(r.PodGroups) != 1 || len(r.PodGroups[0].Claims) != 1 {
		t.Fatalf("%s: %+v", c.name, r.PodGroups)
	}
	got, name := &r.PodGroups[0].Claims[0], c.name
	if c.template() != "" {
		name = ""
	}
	if got.Name != name || got.Template != c.template() || got.State != state || got.Unknown != "" || got.text() != c.want {
		t.Errorf("%s: claim %q of template %q is %s %s, %q, want %q", c.name, got.Name, got.Template, got.State, got.Unknown, got.text(), c.want)
	}
	for _, q := range got.Requests {
		if q.Devices+q.OtherNodes != claimDevices {
			t.Errorf("%s: %d and %d devices, want %d", c.name, q.Devices, q.OtherNodes, claimDevices)
		}
	}
	return got
}

// allocated waits until the pod is bound, and fails the test unless its claim is allocated on
// one of its nodes.
func (c *claimCase) allocated(ctx context.Context, t *testing.T) {
	t.Helper()
	node := ""
	await(ctx, t, c.name+" is bound", func() bool {
		p, err := live.Client.CoreV1().Pods("default").Get(ctx, c.name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		node = p.Spec.NodeName
		return node != ""
	})
	if !slices.Contains(strings.Fields(c.nodes), node) || node == "node-tainted" {
		t.Errorf("%s is bound to %s", c.name, node)
	}
	list, err := live.Client.ResourceV1().ResourceClaims("default").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list.Items, func(x resourcev1.ResourceClaim) bool {
		used := slices.ContainsFunc(x.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool { return r.Name == c.name })
		return used && x.Status.Allocation != nil && x.Status.Allocation.Devices.Results[0].Pool == c.name
	}) {
		t.Errorf("%s: no claim is allocated", c.name)
	}
}

// startClaims starts the controller that makes claims of templates. At the end of the test,
// when it has released the claims, they are deleted.
func startClaims(ctx context.Context, t *testing.T) {
	t.Helper()
	ctx = context.WithoutCancel(ctx)
	stop, err := live.StartClaims(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		defer stop()
		fresh(ctx, t)
		claims := live.Client.ResourceV1().ResourceClaims("default")
		if err := errors.Join(
			claims.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
			live.Client.ResourceV1().ResourceClaimTemplates("default").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
		); err != nil {
			t.Error(err)
		}
		await(ctx, t, "the claims are deleted", func() bool {
			list, err := claims.List(ctx, metav1.ListOptions{})
			return err == nil && len(list.Items) == 0
		})
	})
}

// Why lists the devices whose taints keep the scheduler from an allocation, and with the
// tolerations that it prints the scheduler allocates them.
func TestWhy_claims(t *testing.T) {
	ctx := prepare(t)
	file, objects := filepath.Join(t.TempDir(), "objects.yaml"), claimObjects
	for _, s := range claimSlices {
		objects += fmt.Sprintf("- {apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: %s}, spec: {driver: gpu.example.com, pool: {name: %s, generation: %d, resourceSliceCount: 1}, %s, devices: [%s]}}\n", s.name, s.pool, s.generation, s.nodes, s.devices)
	}
	if err := os.WriteFile(file, []byte(objects), 0o600); err != nil {
		t.Fatal(err)
	}
	shell(ctx, t, true, "kubectl create -f "+file)
	t.Cleanup(func() { shell(context.WithoutCancel(ctx), t, true, "kubectl delete -f "+file) })

	one := []resourcev1.DeviceRequest{{Name: "g", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}
	two := []resourcev1.DeviceRequest{{Name: "g", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2}}}
	either := []resourcev1.DeviceRequest{{Name: "g", FirstAvailable: []resourcev1.DeviceSubRequest{
		{Name: "two", DeviceClassName: "gpu", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 2, Tolerations: []resourcev1.DeviceToleration{{Key: "hot", Operator: resourcev1.DeviceTolerationOpExists}}},
		{Name: "one", DeviceClassName: "gpu"},
	}}}
	tests := []*claimCase{
		{"slice", "slice", one, "g 1/1; slice/gpu-0: unhealthy=ecc:NoSchedule"},
		{"rule", "rule", one, "g 1/1; rule/gpu-0: maintenance=weekly:NoExecute of weekly"},
		{"both", "both", two, "g 2/2; both/gpu-0: hot=:NoSchedule; both/gpu-1: hot=:NoSchedule recall=:NoSchedule of recall"},
		{"count", "count", two, "g 1/2; count/gpu-1: hot=:NoExecute"},
		{"either", "either", either, "g/two 0/1; g/one 1/1; either/gpu-0: hot=:NoSchedule"},
		{"newer", "newer", one, "g 1/1; newer/gpu-0: hot=:NoSchedule"},
		{"shared", "shared shared-1", one, "g 1/1; shared/gpu-0: hot=:NoSchedule"},
		{"each", "each", one, "g 1/1; each/gpu-0: hot=:NoSchedule"},
		{"node", "node node-tainted", one, "g 1/1; node/gpu-0: hot=:NoSchedule"},
		{"template", "template", one, "g 1/1; template/gpu-0: hot=:NoSchedule"},
	}
	free := &claimCase{"free", "free", one, ""} // a taint with the effect None prevents no allocation
	free.create(ctx, t)
	free.allocated(ctx, t)
	for _, tt := range tests {
		if tt.create(ctx, t); tt.template() != "" {
			tt.report(ctx, t, "not created")
		}
	}
	startClaims(ctx, t)
	reports := make(map[string]*claimReport)
	for _, tt := range tests {
		if node := nodeOf(ctx, t, tt.name); node != "" {
			t.Fatalf("%s is bound to %s", tt.name, node)
		}
		reports[tt.name] = tt.report(ctx, t, "not allocated")
	}
	tool(ctx, t, 0, []string{
		"\n  claim slice is not allocated\n", "\n  claim of template template is not allocated\n",
		`unhealthy=ecc:NoSchedule is not tolerated (ResourceSlice); to add to the request: {"key":"unhealthy","operator":"Equal","value":"ecc","effect":"NoSchedule"}`,
		`maintenance=weekly:NoExecute is not tolerated (DeviceTaintRule weekly); to add to the request: {"key":"maintenance","operator":"Equal","value":"weekly","effect":"NoExecute"}`,
	}, "why")

	for _, tt := range tests {
		tt.recreate(ctx, t, reports[tt.name].tolerated(tt.requests))
	}
	for _, tt := range tests {
		if tt.allocated(ctx, t); len(why(ctx, t, tt.name).PodGroups[0].Claims) > 0 {
			t.Errorf("the claim of %s is listed", tt.name)
		}
	}
	// A pod that waits, but not for its claim, which another pod uses.
	tests[0].createPod(ctx, t, "large", "1000")
	if node := nodeOf(ctx, t, "large"); node != "" {
		t.Fatalf("it is bound to %s", node)
	}
	if r := why(ctx, t); r.Summary.Pending != 1 || len(r.PodGroups) != 1 || len(r.PodGroups[0].Claims) > 0 {
		t.Errorf("%+v", r)
	}
}
