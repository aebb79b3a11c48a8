package device_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

func TestMain(m *testing.M) { gen.Main(m, 2000) }

// property compares all matches and decisions with the reference.
func property(t *rapid.T) {
	now, rules, devices := gen.Time().Draw(t, "now"), gen.DeviceRules().Draw(t, "rules"), gen.Allocated().Draw(t, "devices")
	for _, a := range devices {
		if got, want := a.Device.Allocatable(rules, a.Tolerations), refAllocatable(a.Device, rules, a.Tolerations); got != want {
			t.Errorf("G6: Allocatable(%v, %v, %v) = %v", a.Device, rules, a.Tolerations, got)
		}
		for _, u := range a.Tolerations {
			for _, one := range a.Device.Taints {
				if got, want := u.Tolerates(one), refMatches(refTolerationOf(u), refTaintOf(one)); got != want {
					t.Errorf("G3: %#v tolerates %#v: %v", u, one, got)
				}
			}
		}
	}
	decidesAs(t, refDecide(now, rules, devices), now, rules, devices)
}

func TestDecisions_property(t *testing.T) {
	t.Run("G3_G4_G5_G6_G7_G8_G9_G13", rapid.MakeCheck(property))
}

func FuzzDecisions(f *testing.F) { gen.Fuzz(f, property) }

// decidesAs reports where a decision differs from the reference's, or where its taint
// or toleration is not one of the input's.
func decidesAs(t *rapid.T, want refDecision, now time.Time, rules []device.TaintRule, devices []device.Allocated) {
	t.Helper()
	got, i := device.Decide(now, rules, devices...)
	if got.Kind().String() != want.kind {
		t.Errorf("G8: %v, want %s at %v", got, want.kind, want.deadline)
		return
	}
	if got.Kind() == eviction.Never {
		if got != (eviction.Decision{}) || i >= 0 {
			t.Errorf("G8: Never is %#v, %d", got, i)
		}
		return
	}
	if at, _ := got.Deadline(); nanos(at).Cmp(want.deadline) != 0 {
		t.Errorf("G8: %v, want %v ns", got, want.deadline)
	}
	a, all := devices[i], slices.Clone(devices[i].Device.Taints)
	for _, r := range rules {
		if !r.Selector.Selects(a.Device.ID) {
			r.Taint = device.Taint{}
		}
		all = append(all, r.Taint)
	}
	index, _ := got.Taint()
	if all[index].Effect() != device.NoExecute {
		t.Errorf("G8: %v is not decided by taint %d of %v", got, index, all)
	}
	if by, ok := got.Toleration(); ok {
		if u := a.Tolerations[by]; !u.Tolerates(all[index]) {
			t.Errorf("G8: %v is not decided by %v", got, u)
		}
	}
}
