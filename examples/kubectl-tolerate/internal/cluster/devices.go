package cluster

import (
	"reflect"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/device"
)

// Devices are the objects of dynamic resource allocation.
type Devices struct {
	Slices    []*Device[kubejson.Slice]
	Claims    []*Device[kubejson.Claim]
	Templates []*Device[kubejson.Claim]
	Rules     []*Device[device.Rule]

	// Unsure reports that there are slices or rules of a version that is not read.
	Unsure bool
}

// A Device is an object that has to do with devices.
type Device[T any] struct {
	Namespace, Name string
	Value           T
	Err             error // why the value is unknown
}

// device adds an object that has to do with devices, and reports whether it is one.
func (r *reader) device(o *kubejson.Object) bool {
	switch {
	case o.IsResource("ResourceSlice"):
		v, err := o.Slice()
		keep(r, o, &r.Slices, v, r.err(o, v.Ignored, err, named(o)))
	case o.IsResource("ResourceClaim"):
		v, err := o.Claim()
		keep(r, o, &r.Claims, v, r.err(o, v.Ignored, err, named(o)))
	case o.IsResource("ResourceClaimTemplate"):
		v, err := o.ClaimTemplate()
		keep(r, o, &r.Templates, v, r.err(o, v.Ignored, err, named(o)))
	case o.IsResource("DeviceTaintRule"):
		v, err := o.Rule()
		keep(r, o, &r.Rules, v, r.err(o, nil, err, named(o)))
	default:
		r.Unsure = r.Unsure || o.Kind == "ResourceSlice" || o.Kind == "DeviceTaintRule"
		return false
	}
	return true
}

// keep adds what was read of an object, unless it is there already.
func keep[T any](r *reader, o *kubejson.Object, to *[]*Device[T], v T, err error) {
	d := &Device[T]{o.Namespace, o.Name, v, err}
	if before, ok := r.devices[o.String()].(*Device[T]); ok && o.Name != "" {
		if !reflect.DeepEqual(before, d) {
			before.Err = r.err(o, nil, errDiffer)
		}
		return
	}
	r.devices[o.String()] = d
	*to = append(*to, d)
}
