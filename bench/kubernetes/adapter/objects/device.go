package objects

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// Selects implements ruleMatchesDevice and the tracker of ResourceSlices.
func Selects(rule *resourcev1.DeviceTaintRule, driver, pool, name string) bool {
	ours := dra.Rule{Selector: (*dra.Selector)(rule.Spec.DeviceSelector)}
	return ours.Selects(dra.ID{Driver: driver, Pool: pool, Device: name})
}
