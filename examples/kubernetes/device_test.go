package kubernetes_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

const (
	namespace = "gpus"
	driver    = "gpu.example.com"
	markers   = "markers"
	// soon is how far in the future a deadline may be for settle to wait for it.
	soon = 5 * time.Second
)

// requestTolerations are the tolerations of the requests. Each list is used with each
// device: none, with and without seconds, for allocation only, without an effect, and
// without a key.
var requestTolerations = []string{
	"",
	"op=Exists",
	"ecc=uncorrectable:NoExecute for 2s",
	"ecc:NoSchedule op=Exists,maintenance:NoExecute op=Exists for 1s,maintenance:NoExecute op=Exists for 3600s",
	"=",
	"=uncorrectable:NoExecute,=disk:NoSchedule,=disk:NoExecute for 3s",
	"op=Exists,:NoExecute op=Exists for -5s",
	":NoExecute op=Exists for 3600s",
	"maintenance=disk:NoExecute,ecc:NoExecute op=Exists",
}

// A day of a pool of eight GPUs on two nodes. After each change, the running scheduler
// has allocated what package match/device finds allocatable, and the eviction
// controller has evicted the pods that the package finds, not before their deadlines.
func TestDevices(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	d := &day{T: t, ctx: ctx}
	d.dawn()
	d.step("G6_healthy", nil, func() {
		for i := range 8 {
			d.request(gpu(i))
		}
		d.request(gpu(0), gpu(1), gpu(2), gpu(3))
		d.request(gpu(4), gpu(5), gpu(6), gpu(7))
	})
	night := time.Now().Add(20 * time.Second)
	d.unhealthy(night)
	d.rules()
	d.step("G8_night", func() {
		for time.Now().Before(night) {
			d.pause("night")
		}
	}, nil)
	d.end()
}

// unhealthy taints devices in their slice, some of them from a later time on.
func (d *day) unhealthy(later time.Time) {
	d.step("G7_unhealthy", func() {
		d.taint(gpu(0).Pool, time.Time{}, map[string]string{"gpu-0": "ecc=uncorrectable:NoExecute", "gpu-1": "ecc=correctable:NoSchedule"})
	}, func() {
		d.request(gpu(0))
		d.request(gpu(1))
		d.request(gpu(0), gpu(1), gpu(2), gpu(3))
	})
	d.step("G10_claims", nil, func() {
		d.share(gpu(1))
		d.claim(false, d.wish("", gpu(0)), d.wish("ecc=uncorrectable:NoExecute", gpu(0)))
		d.claim(false, d.wish("ecc:NoSchedule op=Exists", gpu(1)), d.wish("op=Exists", gpu(1)))
	})
	d.step("G8_future", func() {
		d.taint(gpu(0).Pool, later, map[string]string{"gpu-0": "", "gpu-2": "maintenance:NoExecute", "gpu-3": "maintenance=disk:None,maintenance=disk:NoExecute"})
	}, func() {
		d.request(gpu(2))
		d.request(gpu(3))
	})
	d.step("G8_cancelled", func() { d.taint(gpu(0).Pool, time.Time{}, map[string]string{"gpu-2": ""}) }, nil)
}

// rules taints devices by a rule, whose effect changes, and by one whose device is in no
// slice any more.
func (d *day) rules() {
	rules := live.Client.ResourceV1().DeviceTaintRules()
	rule := device.TaintRule{Selector: &device.TaintSelector{Pool: gpu(4).Pool}, Taint: device.MustParseTaint("maintenance=disk:None")}
	d.step("G8_dry_run", func() { d.rule("maintenance", rule) }, func() { d.dryRun(rule) })
	d.step("G9_NoSchedule", func() { d.change("maintenance", "maintenance=disk:NoSchedule") }, func() {
		d.request(gpu(4))
		d.request(gpu(4), gpu(5), gpu(6), gpu(7))
	})
	d.step("G9_NoExecute", func() { d.change("maintenance", "maintenance=disk:NoExecute") }, func() { d.request(gpu(5)) })
	d.step("G9_deleted", func() { remove(d, rules, "maintenance") }, func() { d.request(gpu(6)) })
	d.step("G9_no_slice", func() {
		remove(d, live.Client.ResourceV1().ResourceSlices(), gpu(6).Pool)
		d.rule("retired", device.TaintRule{Selector: &device.TaintSelector{Driver: driver, Device: "gpu-6"}, Taint: device.MustParseTaint("retired=soon:NoExecute")})
	}, nil)
}

// A pool is the part of the cluster that decides about devices.
type pool struct {
	devices map[device.ID]device.Device // in ResourceSlices
	rules   []device.TaintRule
}

// A wish is one alternative of a request: all of these devices.
type wish struct {
	devices     []device.ID
	tolerations device.Tolerations
}

func (w wish) String() string {
	return fmt.Sprintf("%v with tolerations %q", w.devices, w.tolerations.String())
}

// usable reports whether the library allows the allocation.
func (p pool) usable(w wish) bool {
	return !slices.ContainsFunc(w.devices, func(id device.ID) bool {
		d, published := p.devices[id]
		return !published || !d.Allocatable(p.rules, w.tolerations)
	})
}

// used returns the devices that are allocated to a claim.
func (p pool) used(t *testing.T, claim *resourcev1.ResourceClaim) (used []device.Allocated) {
	for _, r := range claim.Status.Allocation.Devices.Results {
		id := device.ID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}
		used = append(used, device.Allocated{
			Device:      device.Device{ID: id, Taints: p.devices[id].Taints},
			Tolerations: as[device.Tolerations](t, r.Tolerations),
		})
	}
	return used
}

// decide returns the library's decision about a pod that uses this claim.
func (p pool) decide(t *testing.T, claim *resourcev1.ResourceClaim) eviction.Decision {
	d, _ := device.Decide(time.Now(), p.rules, p.used(t, claim)...)
	return d
}

// A user is a pod that uses a claim.
type user struct {
	name, claim string
	wishes      []wish // of the claim, in order
	shares      bool   // the claim was allocated to another pod
	born        int    // the step
	bound, gone bool
}

// A day is a cluster with GPUs, and what the library decides about it. T is that of the step.
type day struct {
	*testing.T
	ctx           context.Context
	users         []*user
	steps         int
	earlier, pool pool // before the step, and since

	woken, evicted, timed int
}

// markEffects are the effects of the taints of the markers, in the order in which they change.
var markEffects = []string{"NoExecute", "NoSchedule"}

// step changes what decides, waits until the scheduler and the evictor have seen the
// change, creates pods, and compares all pods with the library's decisions.
//
// Each controller sees the changes of slices in order, and those of rules, and last
// those of two markers: devices whose taints have the number of the step as their value.
// New pods tolerate the markers of this step, and are bound. Those of the step before
// tolerate its markers, and are evicted. An evictor that is behind the scheduler
// does not evict new ones, which tolerate the last NoExecute taint too.
func (d *day) step(name string, change, pods func()) {
	all := d.T
	defer func() { d.T = all }()
	if !all.Run(name, func(t *testing.T) {
		d.T = t
		d.steps++
		if change != nil {
			change()
		}
		d.mark()
		d.settle()
		if pods != nil {
			pods()
			d.settle()
		}
	}) {
		all.FailNow() // what follows would only repeat it
	}
}

// mark changes the markers, after which the pool changes no more in this step, and
// creates the pods that use them.
func (d *day) mark() {
	var marks []string
	for _, effect := range markEffects {
		mark := fmt.Sprintf("step=%d:%s", d.steps, effect)
		marks = append(marks, mark)
		d.change("marker-"+strings.ToLower(effect), mark)
	}
	mark := strings.Join(marks, ",")
	d.taint(markers, time.Time{}, map[string]string{"slice": mark})
	d.earlier, d.pool = d.pool, d.read()
	tolerations := fmt.Sprintf("%s,step=%d:NoExecute", mark, d.steps-1)
	for _, marker := range []string{"slice", "rule"} {
		d.claim(false, d.wish(tolerations, device.ID{Driver: driver, Pool: markers, Device: marker}))
	}
}

// settle waits until what the library decides has happened to each pod.
func (d *day) settle() {
	d.Helper()
	for {
		open := d.compare()
		if len(open) == 0 {
			return
		}
		d.pause(strings.Join(open[:min(len(open), 10)], "\n"))
	}
}

func (d *day) pause(open string) {
	d.Helper()
	select {
	case <-d.ctx.Done():
		d.Fatalf("still waiting for:\n%s", open)
	case <-time.After(100 * time.Millisecond):
	}
}

// compare returns what has not happened yet. What must not happen is an error.
func (d *day) compare() (open []string) {
	list, err := live.Client.CoreV1().Pods(namespace).List(d.ctx, metav1.ListOptions{})
	if err != nil {
		d.Fatal(err)
	}
	pods := map[string]*corev1.Pod{}
	for i := range list.Items {
		pods[list.Items[i].Name] = &list.Items[i]
	}
	claims := d.claims()
	for _, u := range d.users {
		if problem := d.follow(u, pods[u.name], claims[u.claim]); problem != "" {
			open = append(open, fmt.Sprintf("%s, %v: %s", u.name, u.wishes, problem))
		}
	}
	return open
}

func (d *day) claims() map[string]*resourcev1.ResourceClaim {
	list, err := live.Client.ResourceV1().ResourceClaims(namespace).List(d.ctx, metav1.ListOptions{})
	if err != nil {
		d.Fatal(err)
	}
	claims := map[string]*resourcev1.ResourceClaim{}
	for i := range list.Items {
		claims[list.Items[i].Name] = &list.Items[i]
	}
	return claims
}

// follow compares a pod with the library's decisions, and returns what is open.
func (d *day) follow(u *user, p *corev1.Pod, claim *resourcev1.ResourceClaim) (open string) {
	if u.gone {
		return ""
	}
	if p.Spec.NodeName == "" {
		switch {
		case claim.Status.Allocation != nil || slices.ContainsFunc(u.wishes, d.pool.usable):
			return "to be bound, " + refusal(p)
		case refusal(p) == "":
			return "to be decided"
		}
		return ""
	}
	if !u.bound {
		d.allocated(u, p, claim)
	}
	decision := d.pool.decide(d.T, claim)
	if p.DeletionTimestamp == nil {
		if deadline, ok := decision.Deadline(); ok && deadline.Before(time.Now().Add(soon)) {
			return "to be evicted, " + decision.String()
		}
		return ""
	}
	u.gone = true
	at := p.DeletionTimestamp.Add(-time.Duration(*p.DeletionGracePeriodSeconds) * time.Second)
	due := func(decision eviction.Decision) bool {
		deadline, ok := decision.Deadline()
		return ok && !at.Before(deadline)
	}
	if !due(decision) && (u.born == d.steps || !due(d.earlier.decide(d.T, claim))) {
		d.Errorf("%s, %v, was evicted at %v; the library: %v", u.name, u.wishes, at.UTC(), decision)
	}
	d.evicted++
	if by, ok := decision.Toleration(); ok {
		if seconds, _ := d.pool.used(d.T, claim)[by.List].Tolerations[by.Index].Seconds(); seconds > 0 {
			d.timed++
		}
	}
	return ""
}

// allocated compares the allocation of a pod that was bound since the last look.
func (d *day) allocated(u *user, p *corev1.Pod, claim *resourcev1.ResourceClaim) {
	u.bound = true
	if u.shares {
		return
	}
	if u.born < d.steps {
		d.woken++
	}
	var got []device.ID
	results := claim.Status.Allocation.Devices.Results
	for _, r := range results {
		got = append(got, device.ID{Driver: r.Driver, Pool: r.Pool, Device: r.Device})
	}
	i := slices.IndexFunc(u.wishes, d.pool.usable)
	if i < 0 || !slices.Equal(got, u.wishes[i].devices) || len(u.wishes) > 1 && results[0].Request != fmt.Sprintf("gpu/a%d", i) {
		d.Errorf("%s, %v: allocated %v for %s, alternative %d by the library", u.name, u.wishes, got, results[0].Request, i)
	}
}

// simulated is how the controller describes what a rule without an effect would do.
var simulated = regexp.MustCompile(`^(\d+) published devices? selected\. (\d+) allocated devices? selected\. (\d+) pods? would be evicted`)

// dryRun compares what the controller writes into the status of the rule with the effect
// None with the library's decisions with the effect NoExecute.
func (d *day) dryRun(rule device.TaintRule) {
	claims := d.claims()
	var published, selected, moved int
	for id := range d.pool.devices {
		if rule.Selector.Selects(id) {
			published++
		}
	}
	for _, c := range claims {
		if c.Status.Allocation == nil {
			continue
		}
		for _, a := range d.pool.used(d.T, c) {
			if rule.Selector.Selects(a.Device.ID) {
				selected++
			}
		}
	}
	rule.Taint = device.MustParseTaint(rule.Taint.Key() + "=" + rule.Taint.Value() + ":NoExecute")
	now := time.Now()
	rule.Taint, _ = rule.Taint.WithTimeAdded(now)
	after := append(slices.Clone(d.pool.rules), rule)
	for _, u := range d.users {
		if !u.bound || u.gone {
			continue
		}
		used := d.pool.used(d.T, claims[u.claim])
		before, _ := device.Decide(now, d.pool.rules, used...)
		if with, _ := device.Decide(now, after, used...); with != before {
			moved++
		}
	}
	want := fmt.Sprint(published, selected, moved)
	for {
		r, err := live.Client.ResourceV1().DeviceTaintRules().Get(d.ctx, "maintenance", metav1.GetOptions{})
		if err != nil {
			d.Fatal(err)
		}
		if len(r.Status.Conditions) > 0 {
			message := r.Status.Conditions[0].Message
			if got := simulated.FindStringSubmatch(message); got == nil || strings.Join(got[1:], " ") != want {
				d.Errorf("dry run: %q, by the library %s", message, want)
			}
			d.Logf("dry run: %s", message)
			return
		}
		d.pause("the rule's status")
	}
}

// end checks that the day had enough of everything.
func (d *day) end() {
	waiting, staying := 0, 0
	for _, u := range d.users {
		if !u.bound {
			waiting++
		} else if !u.gone {
			staying++
		}
	}
	d.Logf("%d pods: %d wait, %d had waited, %d are evicted, %d of them after some seconds, %d stay", len(d.users), waiting, d.woken, d.evicted, d.timed, staying)
	if min(waiting, d.woken, d.timed, staying) < 5 || d.evicted < 50 {
		d.Error("too few for a conclusion")
	}
}
