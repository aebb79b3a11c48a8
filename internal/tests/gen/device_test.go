package gen_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/device"
)

// Every property on which device decisions depend is drawn often enough.
func TestDevices(t *testing.T) {
	demand(t, "Allocated", gen.Allocated(), func(all []device.Allocated, add func(string)) {
		for _, a := range all {
			for _, one := range a.Device.Taints {
				if !one.IsZero() && one.Effect() == 0 {
					add("unknown effect")
				}
				if slices.ContainsFunc(a.Tolerations, func(u device.Toleration) bool { return u.Tolerates(one) }) {
					add("tolerated")
				}
			}
			if len(a.Device.Taints) > 1 && a.Device.Allocatable(nil, a.Tolerations) {
				add("allocatable")
			}
			d, _ := device.Decide(gen.Time().Example(0), nil, a)
			add(d.Kind().String())
			if _, ok := d.Toleration(); ok {
				add("decided by a toleration")
			}
		}
	}, map[string]float64{
		"unknown effect": 0.2, "tolerated": 0.2, "allocatable": 0.02, "Never": 0.2, "Due": 0.1, "At": 0.05, "decided by a toleration": 0.02,
	})
}
