package dra

import (
	"strconv"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/match/kube/internal/convert"
	"github.com/go-tolerate/tolerate/validate"
)

// Taint returns the value of t. A zero time is an absent one.
func Taint(t *resourcev1.DeviceTaint) (device.Taint, error) {
	v, ps := newTaint(t)
	return v, convert.In("dra.Taint", ps)
}

// Taints returns the values of a device's taints, with the zero Taint for each invalid
// one. The paths of problems begin with taints.
func Taints(taints []resourcev1.DeviceTaint) (device.Taints, error) {
	list, ps := convert.Values(taints, "taints", newTaint)
	return list, ps.Err()
}

// Toleration returns the value of u.
func Toleration(u *resourcev1.DeviceToleration) (device.Toleration, error) {
	v, ps := newToleration(u)
	return v, convert.In("dra.Toleration", ps)
}

// Tolerations returns the values of a request's tolerations, with the zero Toleration for
// each invalid one. The paths of problems begin with tolerations.
func Tolerations(tolerations []resourcev1.DeviceToleration) (device.Tolerations, error) {
	list, ps := convert.Values(tolerations, "tolerations", newToleration)
	return list, ps.Err()
}

// Devices returns the devices of a slice with their taints, in its order.
func Devices(s *resourcev1.ResourceSlice) ([]device.Device, error) {
	var all validate.Problems
	devices := make([]device.Device, len(s.Spec.Devices))
	for i := range s.Spec.Devices {
		d := &s.Spec.Devices[i]
		taints, ps := convert.Values(d.Taints, "spec.devices["+strconv.Itoa(i)+"].taints", newTaint)
		devices[i] = device.Device{ID: device.ID{Driver: s.Spec.Driver, Pool: s.Spec.Pool.Name, Device: d.Name}, Taints: taints}
		all = append(all, ps...)
	}
	return devices, all.Err()
}

// Allocated returns the devices, with an ID alone, that are allocated to a claim, with
// the tolerations of their requests, for [device.Decide].
func Allocated(c *resourcev1.ResourceClaim) ([]device.Allocated, error) {
	if c.Status.Allocation == nil {
		return nil, nil
	}
	var all validate.Problems
	results := c.Status.Allocation.Devices.Results
	devices := make([]device.Allocated, len(results))
	for i := range results {
		r := &results[i]
		tolerations, ps := convert.Values(r.Tolerations, "status.allocation.devices.results["+strconv.Itoa(i)+"].tolerations", newToleration)
		devices[i] = device.Allocated{Device: device.Device{ID: device.ID{Driver: r.Driver, Pool: r.Pool, Device: r.Device}}, Tolerations: tolerations}
		all = append(all, ps...)
	}
	return devices, all.Err()
}

// Selector returns the selector with the fields of a deviceSelector, where nil selects
// all. A rule without a deviceSelector has a nil TaintSelector. An empty string is an
// error.
func Selector(driver, pool, name *string) (*device.TaintSelector, error) {
	var s device.TaintSelector
	var ps validate.Problems
	set := func(field *string, path string, from *string) {
		if from == nil {
			return
		}
		if *field = *from; *from == "" {
			ps = append(ps, &validate.Problem{Func: "dra.Selector", Path: path, Rule: validate.SelectorEmpty})
		}
	}
	set(&s.Driver, "driver", driver)
	set(&s.Pool, "pool", pool)
	set(&s.Device, "device", name)
	if ps != nil {
		return nil, ps
	}
	return &s, nil
}

func newTaint(t *resourcev1.DeviceTaint) (device.Taint, validate.Problems) {
	v, err := device.TaintFrom(t.Key, t.Value, t.Effect)
	if ps := convert.Problems(err); len(ps) == 1 && ps[0].Rule == validate.NameUnknown { // so key and value are valid
		var kept device.Taint
		if kept.UnmarshalText([]byte(t.Key+"="+t.Value+":"+string(t.Effect))) == nil {
			v, err = kept, nil
		}
	}
	if t.TimeAdded == nil {
		return v, convert.Problems(err)
	}
	if err == nil {
		if v, err = v.WithTimeAdded(t.TimeAdded.Time); err == nil {
			return v, nil
		}
		_, err = device.TaintFrom(t.Key, t.Value, t.Effect) // an unknown effect, too
	}
	_, late := anyTaint.WithTimeAdded(t.TimeAdded.Time)
	return device.Taint{}, append(convert.Problems(err), convert.Problems(late)...)
}

// anyTaint has times added that are checked although the rest of a taint is invalid.
var anyTaint = device.MustParseTaint("a:None")

func newToleration(u *resourcev1.DeviceToleration) (device.Toleration, validate.Problems) {
	v, err := device.TolerationFrom(u.Key, u.Operator, u.Value, u.Effect, u.TolerationSeconds)
	return v, convert.Problems(err)
}
