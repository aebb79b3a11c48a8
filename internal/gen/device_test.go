package gen_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// Every property on which device decisions depend is drawn often enough.
func TestDevices(t *testing.T) {
	got := shares(gen.Allocated(), func(all []device.Allocated, add func(string)) {
		for _, a := range all {
			for _, one := range a.Device.Taints {
				if !one.IsZero() && !one.Effect().IsValid() {
					add("unknown effect")
				}
				if device.Explain(one, a.Tolerations).Miss == 0 {
					add("tolerated")
				}
			}
			if len(a.Device.Taints) > 1 && a.Device.Allocatable(nil, a.Tolerations) {
				add("allocatable")
			}
			d := device.Decide(gen.Time().Example(0), nil, a)
			add(d.Kind.String())
			if d.Kind != eviction.Never && !d.Toleration.IsZero() {
				add("decided by a toleration")
			}
		}
	})
	demand(t, got, map[string]float64{
		"unknown effect": 0.2, "tolerated": 0.2, "allocatable": 0.02, "Never": 0.2, "Due": 0.1, "At": 0.05, "decided by a toleration": 0.02,
	})
}
