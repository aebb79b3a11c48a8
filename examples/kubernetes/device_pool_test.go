package kubernetes_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"

	"github.com/go-tolerate/tolerate/match/device"
)

// gpu returns the ID of a device; four of the devices are on each node.
func gpu(i int) device.ID {
	return device.ID{Driver: driver, Pool: fmt.Sprint("gpu-node-", 1+i/4), Device: fmt.Sprint("gpu-", i)}
}

// as converts between the library's types and the API's, whose JSON is the same.
func as[T any](t *testing.T, from any) (to T) {
	t.Helper()
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// dawn creates the nodes, the ResourceSlices, and what else the day needs.
func (d *day) dawn() {
	if err := startScheduler(); err != nil {
		d.Fatal(err)
	}
	api := live.Client.ResourceV1()
	create(d, live.Client.CoreV1().Namespaces(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: namespace, Labels: map[string]string{resourcev1.DRAAdminNamespaceLabelKey: "true"},
	}})
	create(d, api.DeviceClasses(), &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: driver}})
	for i := range 2 {
		node := gpu(4 * i).Pool
		createNode(d.ctx, d.T, node, nil)
		devices := make([]resourcev1.Device, 4)
		for j := range devices {
			devices[j] = published(gpu(4*i + j).Device)
		}
		create(d, api.ResourceSlices(), slice(node, resourcev1.ResourceSliceSpec{NodeName: &node, Devices: devices}))
	}
	all := true
	create(d, api.ResourceSlices(), slice(markers, resourcev1.ResourceSliceSpec{AllNodes: &all, Devices: []resourcev1.Device{published("slice"), published("rule")}}))
	for _, effect := range markEffects {
		d.rule("marker-"+strings.ToLower(effect), device.TaintRule{Selector: &device.TaintSelector{Pool: markers, Device: "rule"}, Taint: device.MustParseTaint("step=0:" + effect)})
	}
	stop := live.StartDeviceEvictor(context.Background())
	d.Cleanup(func() {
		core, now := live.Client.CoreV1(), int64(0)
		if err := errors.Join(
			stop(),
			core.Pods(namespace).DeleteCollection(context.Background(), metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}),
			core.Nodes().Delete(context.Background(), gpu(0).Pool, metav1.DeleteOptions{}),
			core.Nodes().Delete(context.Background(), gpu(4).Pool, metav1.DeleteOptions{}),
		); err != nil {
			d.Error(err)
		}
	})
}

func slice(name string, spec resourcev1.ResourceSliceSpec) *resourcev1.ResourceSlice {
	spec.Driver, spec.Pool = driver, resourcev1.ResourcePool{Name: name, ResourceSliceCount: 1}
	return &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: spec}
}

// published is a device that claims select by its name, and share.
func published(name string) resourcev1.Device {
	shared := true
	return resourcev1.Device{Name: name, AllowMultipleAllocations: &shared, Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"name": {StringValue: &name}}}
}

// read returns what the API server has stored.
func (d *day) read() pool {
	p := pool{devices: map[device.ID]device.Device{}}
	published, err := live.Client.ResourceV1().ResourceSlices().List(d.ctx, metav1.ListOptions{})
	if err != nil {
		d.Fatal(err)
	}
	for _, s := range published.Items {
		for _, dev := range s.Spec.Devices {
			id := device.ID{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: dev.Name}
			p.devices[id] = device.Device{ID: id, Taints: as[device.Taints](d.T, dev.Taints)}
		}
	}
	rules, err := live.Client.ResourceV1().DeviceTaintRules().List(d.ctx, metav1.ListOptions{})
	if err != nil {
		d.Fatal(err)
	}
	for _, r := range rules.Items {
		p.rules = append(p.rules, as[device.TaintRule](d.T, r.Spec))
	}
	return p
}

// taint replaces the taints of some devices of a slice, in one update. Without a
// time added, the API server sets it.
func (d *day) taint(pool string, added time.Time, texts map[string]string) {
	update(d, live.Client.ResourceV1().ResourceSlices(), pool, func(s *resourcev1.ResourceSlice) {
		for i := range s.Spec.Devices {
			text, ok := texts[s.Spec.Devices[i].Name]
			if !ok {
				continue
			}
			var taints device.Taints
			if err := taints.UnmarshalText([]byte(text)); err != nil {
				d.Fatal(err)
			}
			for i, t := range taints {
				taints[i], _ = t.WithTimeAdded(added)
			}
			s.Spec.Devices[i].Taints = as[[]resourcev1.DeviceTaint](d.T, taints)
		}
	})
}

func (d *day) rule(name string, r device.TaintRule) {
	create(d, live.Client.ResourceV1().DeviceTaintRules(), &resourcev1.DeviceTaintRule{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: as[resourcev1.DeviceTaintRuleSpec](d.T, r),
	})
}

// change gives a rule another taint, and leaves its time added to the API server.
func (d *day) change(name, text string) {
	update(d, live.Client.ResourceV1().DeviceTaintRules(), name, func(r *resourcev1.DeviceTaintRule) {
		changed := as[resourcev1.DeviceTaint](d.T, device.MustParseTaint(text))
		changed.TimeAdded = r.Spec.Taint.TimeAdded
		r.Spec.Taint = changed
	})
}

func create[T any](d *day, client interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
}, object T) {
	d.Helper()
	if _, err := client.Create(d.ctx, object, metav1.CreateOptions{}); err != nil {
		d.Fatal(err)
	}
}

func remove(d *day, client interface {
	Delete(context.Context, string, metav1.DeleteOptions) error
}, name string) {
	d.Helper()
	if err := client.Delete(d.ctx, name, metav1.DeleteOptions{}); err != nil {
		d.Fatal(err)
	}
}

// update changes an object whose status a controller may update at the same time.
func update[T any](d *day, client interface {
	Get(context.Context, string, metav1.GetOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
}, name string, change func(T)) {
	d.Helper()
	if err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object, err := client.Get(d.ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(object)
		_, err = client.Update(d.ctx, object, metav1.UpdateOptions{})
		return err
	}); err != nil {
		d.Fatal(err)
	}
}

func (d *day) wish(tolerations string, devices ...device.ID) wish {
	w := wish{devices: devices}
	if err := w.tolerations.UnmarshalText([]byte(tolerations)); err != nil {
		d.Fatal(err)
	}
	return w
}

// request creates a pod for each list of tolerations, which requests all these
// devices; every other one as an administrator, who needs tolerations too.
func (d *day) request(devices ...device.ID) {
	for i, tolerations := range requestTolerations {
		d.claim(i%2 == 1, d.wish(tolerations, devices...))
	}
}

// share creates a second pod for each claim to which this device is allocated.
func (d *day) share(id device.ID) {
	for _, u := range slices.Clone(d.users) {
		if u.bound && slices.Equal(u.wishes[0].devices, []device.ID{id}) {
			d.use(user{claim: u.claim, wishes: u.wishes, shares: true})
		}
	}
}

// claim creates a claim that requests the first alternative that can be allocated, and a
// pod that uses it.
func (d *day) claim(admin bool, wishes ...wish) {
	request := resourcev1.DeviceRequest{Name: "gpu"}
	for i, w := range wishes {
		var names []string
		for _, id := range w.devices {
			names = append(names, id.Device)
		}
		list, err := json.Marshal(names)
		if err != nil {
			d.Fatal(err)
		}
		expression := fmt.Sprintf("device.attributes[%q].name in %s", driver, list)
		r := resourcev1.ExactDeviceRequest{
			DeviceClassName: driver, AllocationMode: resourcev1.DeviceAllocationModeAll,
			Selectors:   []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}},
			Tolerations: as[[]resourcev1.DeviceToleration](d.T, w.tolerations),
		}
		if len(wishes) > 1 {
			alternative := as[resourcev1.DeviceSubRequest](d.T, r)
			alternative.Name = fmt.Sprint("a", i)
			request.FirstAvailable = append(request.FirstAvailable, alternative)
			continue
		}
		if admin {
			r.AdminAccess = &admin
		}
		request.Exactly = &r
	}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("claim-", len(d.users))}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{request}
	create(d, live.Client.ResourceV1().ResourceClaims(namespace), claim)
	d.use(user{claim: claim.Name, wishes: wishes})
}

// use creates a pod that uses a claim.
func (d *day) use(u user) {
	p := unpinned(fmt.Sprint("gpu-", len(d.users)), upstream, nil)
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &u.claim}}
	p.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
	create(d, live.Client.CoreV1().Pods(namespace), p)
	u.name, u.born = p.Name, d.steps
	d.users = append(d.users, &u)
}
