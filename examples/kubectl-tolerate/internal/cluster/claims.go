package cluster

import (
	"errors"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// A PodClaim is a ResourceClaim that a pod needs.
type PodClaim struct {
	Name     string // empty until it is created
	Template string // the ResourceClaimTemplate that it is created from, if any
}

func podClaims(spec *corev1.PodSpec, status *corev1.PodStatus) (claims []PodClaim) {
	for _, c := range spec.ResourceClaims {
		name := c.ResourceClaimName
		at := slices.IndexFunc(status.ResourceClaimStatuses, func(s corev1.PodResourceClaimStatus) bool { return s.Name == c.Name })
		if at >= 0 {
			name = status.ResourceClaimStatuses[at].ResourceClaimName
		}
		if at < 0 || name != nil { // otherwise it needs none
			claims = append(claims, PodClaim{ptr.Deref(name, ""), ptr.Deref(c.ResourceClaimTemplateName, "")})
		}
	}
	return claims
}

// Devices is what was read of the group resource.k8s.io.
type Devices struct {
	Claims     map[string]*resourcev1.ResourceClaimSpec // by kind and name: claims, nil if allocated, and templates
	Slices     map[string]*Slice                        // by name
	Rules      map[string]*dra.Rule                     // by name
	Incomplete bool                                     // some could not be read
}

// A Slice is the spec of a ResourceSlice: its pool, and the names, nodes and taints of devices.
type Slice = resourcev1.ResourceSliceSpec

// device adds an object of the group resource.k8s.io.
func (r *reader) device(o *objects.Object) {
	claim := o.Kind + " " + o.Namespace + "/" + o.Name
	switch o.Kind {
	case "ResourceClaim":
		var v resourcev1.ResourceClaim
		err, spec := o.Decode(&v), &v.Spec
		if v.Status.Allocation != nil {
			spec = nil
		}
		add(r, o, err, r.Devices.Claims, claim, spec)
	case "ResourceClaimTemplate":
		var v resourcev1.ResourceClaimTemplate
		add(r, o, o.Decode(&v), r.Devices.Claims, claim, &v.Spec.Spec)
	case "ResourceSlice":
		var v resourcev1.ResourceSlice
		err := o.Decode(&v)
		for i, d := range v.Spec.Devices { // the rest is large
			v.Spec.Devices[i] = resourcev1.Device{Name: d.Name, Taints: d.Taints, NodeName: d.NodeName, NodeSelector: d.NodeSelector, AllNodes: d.AllNodes}
		}
		add(r, o, err, r.Devices.Slices, o.Name, &v.Spec)
	case "DeviceTaintRule":
		var old struct { // up to Kubernetes 1.34
			Spec struct {
				DeviceSelector struct {
					DeviceClassName *string `json:"deviceClassName"`
					Selectors       []any   `json:"selectors"`
				} `json:"deviceSelector"`
			} `json:"spec"`
		}
		if s := &old.Spec.DeviceSelector; o.Decode(&old) == nil && (s.DeviceClassName != nil || len(s.Selectors) > 0) {
			r.Warnings = report(r.Warnings, o.Problem(errors.New("spec.deviceSelector: deviceClassName and selectors are not evaluated, so the rule is ignored")))
			r.Devices.Incomplete = true
			return
		}
		var v resourcev1.DeviceTaintRule
		err := o.Decode(&v)
		add(r, o, err, r.Devices.Rules, o.Name, &dra.Rule{Selector: (*dra.Selector)(v.Spec.DeviceSelector), Taint: v.Spec.Taint})
	}
}

// add adds what was decoded of an object.
func add[V any](r *reader, o *objects.Object, err error, to map[string]V, name string, v V) {
	if before, ok := to[name]; err == nil && ok && !reflect.DeepEqual(before, v) {
		err = errDiffer
	}
	if r.err(o, nil, err) != nil {
		r.Devices.Incomplete = true
	} else {
		to[name] = v
	}
}
