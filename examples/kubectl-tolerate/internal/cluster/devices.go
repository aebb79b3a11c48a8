package cluster

import (
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/device"
)

// Devices are the objects of dynamic resource allocation.
type Devices struct {
	Slices    []Device[kubejson.Slice]
	Claims    []Device[kubejson.Claim]
	Templates []Device[kubejson.Claim]
	Rules     []Device[device.Rule]
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
		r.Slices = append(r.Slices, Device[kubejson.Slice]{o.Namespace, o.Name, v, r.err(o, v.Ignored, err, named(o))})
	case o.IsResource("ResourceClaim"):
		v, err := o.Claim()
		r.Claims = append(r.Claims, Device[kubejson.Claim]{o.Namespace, o.Name, v, r.err(o, v.Ignored, err, named(o))})
	case o.IsResource("ResourceClaimTemplate"):
		v, err := o.ClaimTemplate()
		r.Templates = append(r.Templates, Device[kubejson.Claim]{o.Namespace, o.Name, v, r.err(o, v.Ignored, err, named(o))})
	case o.IsResource("DeviceTaintRule"):
		v, err := o.Rule()
		r.Rules = append(r.Rules, Device[device.Rule]{o.Namespace, o.Name, v, r.err(o, nil, err, named(o))})
	default:
		return false
	}
	return true
}
