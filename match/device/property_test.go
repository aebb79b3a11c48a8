package device_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

func TestMain(m *testing.M) { gen.Main(m, 2000) }

// A situation is the input of a property.
type situation struct {
	now     time.Time
	rules   []device.TaintRule
	devices []device.Allocated
}

func draw(t *rapid.T) situation {
	return situation{
		gen.Time().Draw(t, "now"), gen.DeviceRules().Draw(t, "rules"), gen.Allocated().Draw(t, "devices"),
	}
}

// property compares all decisions with the reference.
func property(t *rapid.T) {
	s := draw(t)
	for _, a := range s.devices {
		if got, want := a.Device.Allocatable(s.rules, a.Tolerations), refAllocatable(a.Device, s.rules, a.Tolerations); got != want {
			t.Errorf("G6: Allocatable(%v, %v, %v) = %v", a.Device, s.rules, a.Tolerations, got)
		}
	}
	decidesAs(t, device.Decide(s.now, s.rules, s.devices...), refDecide(s.now, s.rules, s.devices), s.devices, s.rules)
	explainsAs(t, s)
}

func TestDecisions_property(t *testing.T) { rapid.Check(t, property) }

func FuzzDecisions(f *testing.F) { gen.Fuzz(f, property) }

// decidesAs reports where a decision differs from the reference's, or where its taint
// or toleration is not one of the input's.
func decidesAs(t *rapid.T, got device.Decision, want refDecision, devices []device.Allocated, rules []device.TaintRule) {
	t.Helper()
	if got.Kind.String() != want.kind {
		t.Errorf("G8: %v, want %s at %v", got, want.kind, want.deadline)
		return
	}
	if got.Kind == eviction.Never {
		if got != (device.Decision{}) {
			t.Errorf("G8: Never is %#v", got)
		}
		return
	}
	if nanos(got.Deadline).Cmp(want.deadline) != 0 || got.Deadline.Location() != time.UTC {
		t.Errorf("G8: %v, want %v ns", got, want.deadline)
	}
	a := devices[got.Device]
	var there device.Taint
	if got.Rule {
		there = rules[got.Index].Taint
	} else {
		there = a.Device.Taints[got.Index]
	}
	if there != got.Taint || got.Taint.Effect() != device.NoExecute {
		t.Errorf("G8: %v is not decided by %v", got, there)
	}
	if u := got.Toleration; !u.IsZero() && (!slices.Contains(a.Tolerations, u) || u.Effect() != device.NoExecute || !u.Tolerates(got.Taint)) {
		t.Errorf("G8: %v is not decided by %v", got, u)
	}
}

// explainsAs reports where explanations and decisions contradict each other.
func explainsAs(t *rapid.T, s situation) {
	t.Helper()
	for i, a := range s.devices {
		blocked := false
		for _, one := range all(a.Device, s.rules) {
			e := device.Explain(one, a.Tolerations)
			blocked = blocked || e.Blocks()
			mends(t, e, a.Tolerations)
			if (e.Miss == 0) != slices.ContainsFunc(a.Tolerations, func(u device.Toleration) bool { return u.Tolerates(one) }) {
				t.Errorf("G12: %v has the miss %v", e, e.Miss)
			}
			stays := device.ExplainEviction(one, a.Tolerations)
			mends(t, stays, a.Tolerations)
			alone := device.Allocated{Device: device.Device{Taints: device.Taints{one}}, Tolerations: a.Tolerations}
			d := device.Decide(s.now, nil, alone)
			if now := one.Effect() == device.NoExecute && stays.Class == match.NotTolerated; stays.Blocks() != now {
				t.Errorf("G12: %v blocks: %v of device %d", stays, stays.Blocks(), i)
			}
			if d.Kind != eviction.Never && d.Toleration != stays.Toleration && stays.Miss == 0 {
				t.Errorf("G12: %v decides, and %v explains", d, stays)
			}
			if d.Kind == eviction.Never && stays.Blocks() {
				t.Errorf("G12: %v, but %v", d, stays)
			}
		}
		if a.Device.Allocatable(s.rules, a.Tolerations) == blocked {
			t.Errorf("G12: %v is allocatable: %v", a, !blocked)
		}
	}
}

// all returns the taints of a device and of the rules that select it.
func all(d device.Device, rules []device.TaintRule) device.Taints {
	list := slices.Clone(d.Taints)
	for _, r := range rules {
		if r.Selector.Selects(d.ID) {
			list = append(list, r.Taint)
		}
	}
	return list
}

// mends reports an Addition that leaves the taint untolerated, or that tolerates
// another taint.
func mends(t *rapid.T, e device.Explanation, l device.Tolerations) {
	t.Helper()
	u := e.Addition()
	if u.IsZero() {
		if e.Blocks() && !e.Taint.IsZero() {
			t.Errorf("G12: %v has no addition", e)
		}
		return
	}
	more := append(slices.Clone(l), u)
	if device.Explain(e.Taint, more).Miss != 0 || device.ExplainEviction(e.Taint, more).Blocks() {
		t.Errorf("G12: %v does not mend %v", u, e)
	}
	other, err := device.TaintFrom(e.Taint.Key(), e.Taint.Value()+"0", e.Taint.Effect())
	if err == nil && u.Tolerates(other) {
		t.Errorf("G12: %v tolerates %v as well", u, other)
	}
}
