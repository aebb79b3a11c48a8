package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
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

// device adds an object of the group resource.k8s.io, and reports whether it is one.
func (r *reader) device(o *objects.Object) bool {
	version, ok := strings.CutPrefix(o.APIVersion, "resource.k8s.io/")
	if !r.Claims || !ok || version != "v1" && version != "v1beta2" && (version != "v1alpha3" || o.Kind != "DeviceTaintRule") {
		return false
	}
	name := strings.TrimPrefix(o.Namespace+"/"+o.Name, "/")
	switch o.Kind {
	case "DeviceClass": // its selectors are not evaluated
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
	default:
		return false
	}
	return true
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

// Limits of what is read of the group from the API server.
const (
	maxObjects = 50_000 // of a kind
	maxReading = 20 * time.Second
)

// devices reads the group from the API server if a pod waits for claims. Kinds that it does
// not have are omitted; what it does not list is one warning.
func (r *reader) devices(ctx context.Context, env *cli.Env) error {
	if !slices.ContainsFunc(r.Pods, func(p *Pod) bool { return len(p.Claims) > 0 }) {
		return nil
	}
	client, err := env.Client()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, maxReading)
	defer cancel()
	var first error
	lists := map[string]bool{"resourceclaims": true, "resourceclaimtemplates": true, "resourceslices": true, "devicetaintrules": true}
	for _, version := range []string{"v1", "v1beta2", "v1alpha3"} {
		if len(lists) == 0 {
			break
		}
		served, err := discovery.NewDiscoveryClient(client).ServerResourcesForGroupVersionWithContext(limited, "resource.k8s.io/"+version)
		if apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			first = cmp.Or(first, err)
			break
		}
		for _, resource := range served.APIResources {
			if !lists[resource.Name] || version == "v1alpha3" && resource.Name != "devicetaintrules" {
				continue
			}
			delete(lists, resource.Name)
			path, n := "/apis/resource.k8s.io/"+version+"/", 0
			if r.Namespace != "" && resource.Namespaced {
				path += "namespaces/" + r.Namespace + "/"
			}
			for o, err := range pages(limited, client, path+resource.Name, "", "") {
				if n++; n > maxObjects {
					err = fmt.Errorf("more than %d %s", maxObjects, resource.Name)
				}
				if err == nil || errors.As(err, new(*objects.Problem)) {
					err = r.object(o, err)
				}
				if err != nil {
					first = cmp.Or(first, err)
					break
				}
			}
		}
	}
	if r.Devices.Incomplete = r.Devices.Incomplete || first != nil || lists["resourceslices"]; first != nil {
		r.Warnings = append(r.Warnings, fmt.Errorf("claims and devices are not read completely: %w", first))
	}
	return ctx.Err()
}
