package objects

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// Selects implements ruleMatchesDevice and the tracker of ResourceSlices.
func Selects(rule *resourcev1.DeviceTaintRule, driver, pool, name string) bool {
	var ours *device.TaintSelector
	if s := rule.Spec.DeviceSelector; s != nil {
		var err error
		if ours, err = dra.Selector(s.Driver, s.Pool, s.Device); err != nil {
			panic(err)
		}
	}
	return ours.Selects(device.ID{Driver: driver, Pool: pool, Device: name})
}
