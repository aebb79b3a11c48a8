package cluster

import (
	"errors"
	"reflect"
	"slices"
	"strings"

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

// A Slice is what is used of a ResourceSlice.
type Slice struct {
	Driver  string                  `json:"driver"`
	Pool    resourcev1.ResourcePool `json:"pool"`
	Devices []Device                `json:"devices"`
	Where
}

// A Device is a device of a slice.
type Device struct {
	Name   string                   `json:"name"`
	Taints []resourcev1.DeviceTaint `json:"taints"`
	Where
}

// A Where is the nodes that can use the devices of a slice, or one of these devices.
type Where struct {
	Node     string               `json:"nodeName"`
	Selector *corev1.NodeSelector `json:"nodeSelector"`
	All      bool                 `json:"allNodes"`
}

type specOf[T any] struct {
	Spec T `json:"spec"`
}

// device adds an object of the group resource.k8s.io.
func (r *reader) device(o *objects.Object) {
	name := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	switch o.Kind {
	case "ResourceClaim":
		var v struct {
			specOf[resourcev1.ResourceClaimSpec]
			Status struct {
				Allocation *struct{} `json:"allocation"`
			} `json:"status"`
		}
		err, spec := o.Decode(&v), &v.Spec
		if v.Status.Allocation != nil {
			spec = nil
		}
		add(r, o, err, r.Devices.Claims, o.Kind+" "+name, spec)
	case "ResourceClaimTemplate":
		var v specOf[resourcev1.ResourceClaimTemplateSpec]
		err := o.Decode(&v)
		add(r, o, err, r.Devices.Claims, o.Kind+" "+name, &v.Spec.Spec)
	case "ResourceSlice":
		var v specOf[Slice]
		err := o.Decode(&v)
		add(r, o, err, r.Devices.Slices, name, &v.Spec)
	case "DeviceTaintRule":
		var old specOf[struct { // up to Kubernetes 1.34
			DeviceSelector struct {
				DeviceClassName *string `json:"deviceClassName"`
				Selectors       []any   `json:"selectors"`
			} `json:"deviceSelector"`
		}]
		if s := &old.Spec.DeviceSelector; o.Decode(&old) == nil && (s.DeviceClassName != nil || len(s.Selectors) > 0) {
			r.Warnings = report(r.Warnings, o.Problem(errors.New("spec.deviceSelector: deviceClassName and selectors are not evaluated, so the rule is ignored")))
			r.Devices.Incomplete = true
			break
		}
		var v specOf[resourcev1.DeviceTaintRuleSpec]
		err := o.Decode(&v)
		add(r, o, err, r.Devices.Rules, name, &dra.Rule{Selector: (*dra.Selector)(v.Spec.DeviceSelector), Taint: v.Spec.Taint})
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
