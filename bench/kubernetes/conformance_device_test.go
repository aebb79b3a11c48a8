package kubernetes_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

var (
	deviceKeys      = []string{"a", "b", "A", "a.b", "a/b", "example.com/a", "gpu.example.com/unhealthy", "0"}
	deviceEffects   = []string{"NoSchedule", "NoExecute", "None"}
	unknownEffects  = []string{"NoAdmit", "PreferNoSchedule", "noexecute", "x"} // effects that a later version may have
	badDeviceEffect = []string{"", "No Execute", "NoExecute ", "-", "é"}
	deviceOperators = []string{"", "Equal", "Exists"}
	badDeviceOps    = []string{"equal", "exists", "Lt", "Gt", "In", "x"}
)

func knownEffect(e resourcev1.DeviceTaintEffect) bool {
	return slices.Contains(deviceEffects, string(e))
}

// deviceTaint makes a valid taint, sometimes with an unknown effect.
func (g *gen) deviceTaint() resourcev1.DeviceTaint {
	t := resourcev1.DeviceTaint{Key: g.one(deviceKeys[:4]...), Value: g.one("", "", "x", "y", "X"), Effect: resourcev1.DeviceTaintEffect(g.one(deviceEffects...))}
	switch g.IntN(8) {
	case 0:
		t.Key = g.one(deviceKeys...)
	case 1:
		t.Value = g.one(g.label(), g.one(goodValues...))
	case 2:
		t.Effect = resourcev1.DeviceTaintEffect(g.one(unknownEffects...))
	}
	if g.in(2) {
		t.TimeAdded = &metav1.Time{Time: time.Unix(g.Int64N(4_000_000_000), 0)}
	}
	return t
}

// deviceToleration makes a valid toleration.
func (g *gen) deviceToleration() resourcev1.DeviceToleration {
	u := resourcev1.DeviceToleration{
		Key:      g.one(deviceKeys[:4]...),
		Operator: resourcev1.DeviceTolerationOperator(g.one(deviceOperators...)),
		Effect:   resourcev1.DeviceTaintEffect(g.one("", g.one(deviceEffects...))),
	}
	if g.in(3) {
		u.Key = ""
	}
	if u.Operator != resourcev1.DeviceTolerationOpExists {
		u.Value = g.one("", "x", "y", g.one(goodValues...))
	}
	if g.in(2) {
		u.TolerationSeconds = g.deviceSeconds()
	}
	return u
}

// deviceSeconds makes seconds that Kubernetes' durations can represent.
func (g *gen) deviceSeconds() *int64 {
	n := []int64{0, 1, 30, 60, 300, -1, -5, -1 << 63, 9_223_372_036}[g.IntN(9)]
	return &n
}

// aim changes the toleration so that it often matches the taint.
func (g *gen) aim(u *resourcev1.DeviceToleration, t resourcev1.DeviceTaint) {
	if u.Key != "" && !g.in(4) {
		u.Key = t.Key
	}
	if u.Effect != "" && !g.in(4) && knownEffect(t.Effect) {
		u.Effect = t.Effect
	}
	if u.Operator != resourcev1.DeviceTolerationOpExists && g.in(2) {
		u.Value = t.Value
	}
}

// spoilDeviceToleration makes one or more of the fields invalid, or only changes them.
func (g *gen) spoilDeviceToleration(u *resourcev1.DeviceToleration) {
	for again := true; again; again = g.in(2) {
		switch g.IntN(5) {
		case 0:
			u.Key = g.one(badKeys...)
		case 1:
			u.Operator = resourcev1.DeviceTolerationOperator(g.one(g.one(deviceOperators...), g.one(badDeviceOps...)))
		case 2:
			u.Value = g.one(g.one(goodValues...), g.one(badValues...))
		case 3:
			u.Effect = resourcev1.DeviceTaintEffect(g.one("", g.one(unknownEffects...), g.one(badDeviceEffect...)))
		case 4:
			u.Key, u.Value = "", ""
		}
	}
}

func (g *gen) spoilDeviceTaint(t *resourcev1.DeviceTaint) {
	for again := true; again; again = g.in(2) {
		switch g.IntN(3) {
		case 0:
			t.Key = g.one(badKeys...)
		case 1:
			t.Value = g.one(badValues...)
		case 2:
			t.Effect = resourcev1.DeviceTaintEffect(g.one(g.one(unknownEffects...), g.one(badDeviceEffect...)))
		}
	}
}

func isDeviceToleration(u *resourcev1.DeviceToleration) bool {
	return len(upstream.DeviceTolerationErrors(u)) == 0
}

// A deviceMatcher is dra.Tolerates. The mutation check replaces it.
type deviceMatcher func(*resourcev1.DeviceToleration, *resourcev1.DeviceTaint) bool

// A devicePairs counts the kinds of cases.
type devicePairs struct{ matched, invalid, listed share }

// toleratesDevice compares ToleratesTaint with the matcher, for valid and invalid input
// (G13-invalid).
func toleratesDevice(ours deviceMatcher, seen *devicePairs) func(g *gen) string {
	return func(g *gen) string {
		u, t := g.deviceToleration(), g.deviceTaint()
		g.aim(&u, t)
		if g.in(4) {
			g.spoilDeviceToleration(&u)
		}
		if g.in(4) {
			g.spoilDeviceTaint(&t)
		}
		valid := isDeviceToleration(&u) && len(upstream.DeviceTaintErrors(&t, true)) == 0
		matches := resourceclaim.ToleratesTaint(u, t)
		if seen != nil {
			seen.matched.count(matches && valid)
			seen.invalid.count(!valid)
			seen.listed.count(matches && !valid)
		}
		closed := t.Effect == "" || u.Effect != "" && !knownEffect(u.Effect) || u.Operator == resourcev1.DeviceTolerationOpExists && u.Value != ""
		got, dropIn, want := ours(&u, &t), dra.ToleratesTaint(u, t), matches && !closed
		if got != want || dropIn != want {
			return fmt.Sprintf("%+v on %+v: Kubernetes %v, valid %v; ours %v, drop-in %v", u, t, matches, valid, got, dropIn)
		}
		return ""
	}
}

func TestDeviceToleratesTaint_G2_G3_G4_G13(t *testing.T) {
	t.Parallel()
	var seen devicePairs
	conform(t, pure, toleratesDevice(dra.Tolerates, &seen))
	seen.matched.within(t, "match", 0.1, 0.8)
	seen.invalid.within(t, "are invalid", 0.1, 0.8)
	seen.listed.within(t, "match in spite of that", 0.01, 0.5)
}

// A selectedBy is Rule.Selects. The mutation check replaces it.
type selectedBy func(*dra.Rule, dra.ID) bool

// ourRule converts a rule as a program would.
func ourRule(r *resourcev1.DeviceTaintRule) dra.Rule {
	return dra.Rule{Selector: (*dra.Selector)(r.Spec.DeviceSelector), Taint: r.Spec.Taint}
}

// deviceRule makes a rule with that taint.
func (g *gen) deviceRule(t resourcev1.DeviceTaint) *resourcev1.DeviceTaintRule {
	rule := &resourcev1.DeviceTaintRule{Spec: resourcev1.DeviceTaintRuleSpec{Taint: t}}
	if g.in(8) {
		return rule
	}
	s := &resourcev1.DeviceTaintSelector{}
	for _, field := range []**string{&s.Driver, &s.Pool, &s.Device} {
		if g.in(2) {
			*field = new(g.one(deviceNames...))
		}
	}
	rule.Spec.DeviceSelector = s
	return rule
}

var deviceNames = []string{"a", "b", "c"}

// selectsDevice compares the code of the controller and of the scheduler with the
// selector.
func selectsDevice(ours selectedBy, selected, narrowed *share) func(g *gen) string {
	return func(g *gen) string {
		theirs := g.deviceRule(resourcev1.DeviceTaint{Key: "k", Effect: resourcev1.DeviceTaintEffectNoExecute})
		rule, id := ourRule(theirs), dra.ID{Driver: g.one(deviceNames...), Pool: g.one(deviceNames...), Device: g.one(deviceNames...)}
		want := upstream.RuleSelects(theirs, id.Driver, id.Pool, id.Device)
		selected.count(want)
		narrowed.count(want && *rule.Selector != dra.Selector{})
		if got := ours(&rule, id); got != want {
			return fmt.Sprintf("%+v on %v: the controller %v, ours %v", theirs.Spec, id, want, got)
		}
		slice := deviceSlice(id.Driver, id.Pool, resourcev1.Device{Name: id.Device})
		if tainted := len(upstream.WithRules(slice, []*resourcev1.DeviceTaintRule{theirs}).Spec.Devices[0].Taints) > 0; tainted != want {
			return fmt.Sprintf("%+v on %v: the scheduler %v, ours %v", theirs.Spec, id, tainted, want)
		}
		return ""
	}
}

// deviceSlice makes a slice that is the whole of its pool.
func deviceSlice(driver, pool string, devices ...resourcev1.Device) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{}
	slice.Name = driver + "-" + pool
	slice.Spec = resourcev1.ResourceSliceSpec{
		Driver: driver, Pool: resourcev1.ResourcePool{Name: pool, Generation: 1, ResourceSliceCount: 1}, AllNodes: new(true), Devices: devices,
	}
	return slice
}

func TestDeviceSelector_G9(t *testing.T) {
	t.Parallel()
	var selected, narrowed share
	conform(t, pure/4, selectsDevice((*dra.Rule).Selects, &selected, &narrowed))
	selected.within(t, "are selected", 0.1, 0.8)
	narrowed.within(t, "are selected by a field", 0.1, 0.8)
}
