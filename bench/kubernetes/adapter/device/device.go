// Package device extends package adapter by functions about devices' taints.
package device

import (
	"errors"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/validate"
)

func selector(s *resourcev1.DeviceTaintSelector) *device.TaintSelector {
	if s == nil {
		return nil
	}
	out, err := dra.Selector(s.Driver, s.Pool, s.Device)
	if err != nil {
		panic(err)
	}
	return out
}

// Selects implements ruleMatchesDevice and the tracker of ResourceSlices.
func Selects(rule *resourcev1.DeviceTaintRule, driver, pool, name string) bool {
	return selector(rule.Spec.DeviceSelector).Selects(device.ID{Driver: driver, Pool: pool, Device: name})
}

// A Used is an allocated device with its own taints.
type Used struct {
	Result resourcev1.DeviceRequestAllocationResult
	Taints []resourcev1.DeviceTaint
}

// Eviction implements claimEvictionTime. It returns when a pod that uses these devices
// must be evicted, or false for never.
func Eviction(rules []*resourcev1.DeviceTaintRule, used ...Used) (when time.Time, ok bool) {
	var ours []device.TaintRule
	for _, r := range rules {
		t, _ := dra.Taint(&r.Spec.Taint)
		ours = append(ours, device.TaintRule{Selector: selector(r.Spec.DeviceSelector), Taint: t})
	}
	var devices []device.Allocated
	for _, u := range used {
		id := device.ID{Driver: u.Result.Driver, Pool: u.Result.Pool, Device: u.Result.Device}
		taints, _ := dra.Taints(u.Taints, "")
		tolerations, _ := dra.Tolerations(u.Result.Tolerations, "")
		devices = append(devices, device.Allocated{Device: device.Device{ID: id, Taints: taints}, Tolerations: tolerations})
	}
	d := device.Decide(time.Now(), ours, devices...)
	return d.Deadline, d.Kind != eviction.Never
}

// TaintErrors implements validateDeviceTaint. An update can keep an unknown effect.
func TaintErrors[E ~string](key, value string, effect E, kept bool, path *field.Path) field.ErrorList {
	_, err := device.TaintFrom(key, value, effect)
	if kept {
		_, err = dra.Taint(&resourcev1.DeviceTaint{Key: key, Value: value, Effect: resourcev1.DeviceTaintEffect(effect)})
	}
	return problems(err, path, "", effect)
}

// TolerationErrors implements validateDeviceToleration. Kubernetes sets an absent
// operator first.
func TolerationErrors[O, E ~string](key string, operator O, value string, effect E, path *field.Path) (errs field.ErrorList) {
	_, err := device.TolerationFrom(key, operator, value, effect, nil)
	if errs = problems(err, path, operator, effect); operator == "" {
		errs = append(errs, field.Required(path.Child("operator"), "").MarkCoveredByDeclarative())
	}
	return errs
}

func problems[O, E ~string](err error, path *field.Path, operator O, effect E) (errs field.ErrorList) {
	var ps validate.Problems
	errors.As(err, &ps)
	for _, p := range ps {
		at := path.Child(p.Path)
		switch cause := p.Rule.Cause(); {
		case cause == "FieldValueRequired":
			errs = append(errs, field.Required(at, "").MarkCoveredByDeclarative())
		case cause == "FieldValueNotSupported" && p.Path == "operator":
			errs = append(errs, field.NotSupported(at, operator, []string{"Equal", "Exists"}).MarkCoveredByDeclarative())
		case cause == "FieldValueNotSupported":
			errs = append(errs, field.NotSupported(at, effect, []string{"NoExecute", "NoSchedule", "None"}).MarkCoveredByDeclarative())
		default:
			errs = append(errs, field.Invalid(at, p.Value, (&validate.Problem{Rule: p.Rule}).Error()))
		}
	}
	return errs
}
