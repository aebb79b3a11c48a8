package kubejson

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A Node is what decides which pods a node repels.
type Node struct {
	Name          string // may be empty
	Taints        taint.List
	Unschedulable bool // cordoned

	// Ignored describes which fields of the taints are ignored: those
	// that no taint has. An API server ignores them too, and never writes such, so
	// somebody wrote them by hand and meant something by them.
	Ignored validate.Problems
}

// Node decodes the object as a node. On an error, which is all problems of it,
// the taints are not known; the name is, as far as there is one.
func (o *Object) Node() (Node, error) {
	var v struct {
		Spec struct {
			Taints        jsontext.Value `json:"taints"`
			Unschedulable bool           `json:"unschedulable"`
		} `json:"spec"`
	}
	r := o.read(&v)
	n := Node{Name: o.Name, Taints: r.taints(v.Spec.Taints, "spec.taints"), Unschedulable: v.Spec.Unschedulable}
	if n.Ignored = r.ignored; r.problems != nil {
		return Node{Name: o.Name, Ignored: r.ignored}, r.problems
	}
	return n, nil
}

// A Pod is what decides where a pod may run, and whether that is still a
// question.
type Pod struct {
	Namespace   string          // may be empty
	Name        string          // may be empty, or end in "*" when it is still to be generated
	Node        string          // that it is bound to; empty while it waits for one
	Phase       string          // Pending, Running, Succeeded, Failed, Unknown, or empty
	Tolerations toleration.List // must not be changed: other pods share it
	Terminating bool            // it is being deleted
	Static      bool            // run by its kubelet, which wrote this mirror of it
	Claims      []PodClaim

	// Ignored describes which fields of the tolerations are ignored, as
	// in a [Node].
	Ignored validate.Problems
}

// A PodClaim is how a pod refers to a claim.
type PodClaim struct {
	Name     string `json:"name"`                      // in the pod
	Claim    string `json:"resourceClaimName"`         // of the ResourceClaim; empty if it is not made yet
	Template string `json:"resourceClaimTemplateName"` // of the ResourceClaimTemplate, if there is one
}

// Finished reports whether the pod has run to its end, so that it stays on its
// node in name only.
func (p *Pod) Finished() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// Pod decodes the object as a pod. On an error, which is all problems of it, the
// tolerations are not known; the rest is as far as it could be read.
func (o *Object) Pod() (Pod, error) {
	var v struct {
		Metadata struct {
			DeletionTimestamp string `json:"deletionTimestamp"`
			Annotations       struct {
				Mirror *string `json:"kubernetes.io/config.mirror"`
			} `json:"annotations"`
		} `json:"metadata"`
		Spec struct {
			NodeName       string         `json:"nodeName"`
			Tolerations    jsontext.Value `json:"tolerations"`
			ResourceClaims []PodClaim     `json:"resourceClaims"`
		} `json:"spec"`
		Status struct {
			Phase                 string     `json:"phase"`
			ResourceClaimStatuses []PodClaim `json:"resourceClaimStatuses"`
		} `json:"status"`
	}
	r := o.read(&v)
	p := Pod{Namespace: o.Namespace, Name: o.Name, Node: v.Spec.NodeName, Phase: v.Status.Phase,
		Tolerations: r.tolerations(v.Spec.Tolerations, "spec.tolerations"),
		Terminating: v.Metadata.DeletionTimestamp != "", Static: v.Metadata.Annotations.Mirror != nil, Claims: v.Spec.ResourceClaims}
	made := make(map[string]string)
	for i, s := range v.Status.ResourceClaimStatuses {
		r.need(s.Name != "", problem.Index("status.resourceClaimStatuses", i)+".name")
		made[s.Name] = s.Claim
	}
	for i := range p.Claims {
		c := &p.Claims[i]
		r.need(c.Name != "", problem.Index("spec.resourceClaims", i)+".name")
		c.Claim = cmp.Or(c.Claim, made[c.Name])
	}
	if p.Ignored = r.ignored; r.problems != nil {
		p.Tolerations = nil
		return p, r.problems
	}
	return p, nil
}

// The versions of resource.k8s.io whose objects have the same fields.
var resourceVersions = []string{"", "resource.k8s.io/v1", "resource.k8s.io/v1beta2"}

// IsResource reports whether the object is of that kind in the group resource.k8s.io, in
// a version that this package reads.
func (o *Object) IsResource(kind string) bool {
	known := slices.Contains(resourceVersions, o.APIVersion) ||
		kind == "DeviceTaintRule" && o.APIVersion == "resource.k8s.io/v1alpha3"
	return o.Kind == kind && known
}

// A Slice is the devices of a ResourceSlice.
type Slice struct {
	Driver, Pool string
	Generation   int64 // only the highest of a pool counts
	Devices      []device.Device

	// Ignored describes which fields of the taints are ignored, as in a [Node].
	Ignored validate.Problems
}

// Slice decodes the object as a ResourceSlice. On an error, which is all problems of it,
// the devices are not known.
func (o *Object) Slice() (Slice, error) {
	var v struct {
		Spec struct {
			Driver string `json:"driver"`
			Pool   struct {
				Name       string `json:"name"`
				Generation int64  `json:"generation"`
			} `json:"pool"`
			Devices []struct {
				Name   string         `json:"name"`
				Taints jsontext.Value `json:"taints"`
			} `json:"devices"`
		} `json:"spec"`
	}
	r := o.read(&v)
	s := Slice{Driver: v.Spec.Driver, Pool: v.Spec.Pool.Name, Generation: v.Spec.Pool.Generation}
	r.need(s.Driver != "", "spec.driver")
	r.need(s.Pool != "", "spec.pool.name")
	for i, d := range v.Spec.Devices {
		path := problem.Index("spec.devices", i)
		r.need(d.Name != "", path+".name")
		added := device.Device{ID: device.ID{Driver: s.Driver, Pool: s.Pool, Device: d.Name}}
		r.devices(&added.Taints, d.Taints, path+".taints", "key", "value", "effect", "timeAdded")
		s.Devices = append(s.Devices, added)
	}
	if s.Ignored = r.ignored; r.problems != nil {
		s.Devices = nil
		return s, r.problems
	}
	return s, nil
}

// A Claim is what a ResourceClaim, or the one of a template, requests.
type Claim struct {
	Requests  []Request
	Allocated bool
	Devices   []device.ID // that are allocated

	// Ignored describes which fields of the tolerations are ignored, as in a [Node].
	Ignored validate.Problems
}

// A Request is a request of a claim, or one of its alternatives.
type Request struct {
	Name        string // with a slash and the name of the alternative, if it is one
	Class       string // of devices; may be empty
	All         bool   // it is for all devices of the class
	Tolerations device.Tolerations
}

type claimSpec struct {
	Devices struct {
		Requests []requestSpec `json:"requests"`
	} `json:"devices"`
}

type requestSpec struct {
	Name           string         `json:"name"`
	Exactly        *exactRequest  `json:"exactly"`
	FirstAvailable []exactRequest `json:"firstAvailable"`
}

type exactRequest struct {
	Name            string         `json:"name"` // of an alternative
	DeviceClassName string         `json:"deviceClassName"`
	AllocationMode  string         `json:"allocationMode"`
	Tolerations     jsontext.Value `json:"tolerations"`
}

// Claim decodes the object as a ResourceClaim. On an error, which is all problems of it,
// the requests are not known.
func (o *Object) Claim() (Claim, error) {
	var v struct {
		Spec   claimSpec `json:"spec"`
		Status struct {
			Allocation *struct {
				Devices struct {
					Results []struct {
						Driver string `json:"driver"`
						Pool   string `json:"pool"`
						Device string `json:"device"`
					} `json:"results"`
				} `json:"devices"`
			} `json:"allocation"`
		} `json:"status"`
	}
	r := o.read(&v)
	c := Claim{Requests: r.requests(v.Spec.Devices.Requests, "spec.devices.requests"), Allocated: v.Status.Allocation != nil}
	if c.Allocated {
		for i, result := range v.Status.Allocation.Devices.Results {
			path := problem.Index("status.allocation.devices.results", i)
			r.need(result.Driver != "", path+".driver")
			r.need(result.Pool != "", path+".pool")
			r.need(result.Device != "", path+".device")
			c.Devices = append(c.Devices, device.ID(result))
		}
	}
	return r.claim(c)
}

// ClaimTemplate is Claim for a ResourceClaimTemplate.
func (o *Object) ClaimTemplate() (Claim, error) {
	var v struct {
		Spec struct {
			Spec claimSpec `json:"spec"`
		} `json:"spec"`
	}
	r := o.read(&v)
	return r.claim(Claim{Requests: r.requests(v.Spec.Spec.Devices.Requests, "spec.spec.devices.requests")})
}

func (r *reading) claim(c Claim) (Claim, error) {
	if r.problems != nil {
		return Claim{Ignored: r.ignored}, r.problems
	}
	c.Ignored = r.ignored
	return c, nil
}

var errOneOf = errors.New("must have either exactly or firstAvailable")

func (r *reading) requests(list []requestSpec, path string) (requests []Request) {
	add := func(name string, e *exactRequest, path string) {
		q := Request{Name: name, Class: e.DeviceClassName, All: e.AllocationMode == "All"}
		r.devices(&q.Tolerations, e.Tolerations, path+".tolerations", "key", "operator", "value", "effect", "tolerationSeconds")
		requests = append(requests, q)
	}
	for i, q := range list {
		path := problem.Index(path, i)
		r.need(q.Name != "", path+".name")
		switch {
		case (q.Exactly == nil) == (q.FirstAvailable == nil):
			r.add(path, errOneOf)
		case q.Exactly != nil:
			add(q.Name, q.Exactly, path+".exactly")
		default:
			for j, a := range q.FirstAvailable {
				path := problem.Index(path+".firstAvailable", j)
				r.need(a.Name != "", path+".name")
				add(q.Name+"/"+a.Name, &a, path)
			}
		}
	}
	return requests
}

// Rule decodes the object as a DeviceTaintRule. On an error, which is all problems of it,
// the rule is not known.
func (o *Object) Rule() (device.Rule, error) {
	var v struct {
		Spec struct {
			DeviceSelector jsontext.Value `json:"deviceSelector"`
			Taint          jsontext.Value `json:"taint"`
		} `json:"spec"`
	}
	r := o.read(&v)
	var rule device.Rule
	if selector := v.Spec.DeviceSelector; selector != nil && selector.Kind() != 'n' {
		rule.Selector = new(device.Selector)
		r.add("spec.deviceSelector", rule.Selector.UnmarshalJSON(selector))
	}
	if taint := v.Spec.Taint; taint.Kind() == '{' {
		r.add("spec.taint", rule.Taint.UnmarshalJSON(taint))
	} else {
		r.add("", &validate.Problem{Path: "spec.taint", Value: cmp.Or(string(taint), "null"), Rule: validate.NotObject})
	}
	if r.problems != nil {
		return device.Rule{}, r.problems
	}
	return rule, nil
}

var errMissing = errors.New("missing")

// The lists of tolerations that are kept for the pods that follow: thousands of pods
// have the same few. BenchmarkRead is 20 % slower without them.
const (
	seenLists = 1000
	seenSize  = 4 << 10 // bytes of JSON
)

// A reading is what is wrong with an object that is being read.
type reading struct {
	problems, ignored validate.Problems
	decoded           bool // the types are right
	seen              map[string]toleration.List
}

func (o *Object) read(into any) *reading {
	err := o.Decode(into)
	return &reading{problems: problem.Append(nil, "", err), decoded: err == nil, seen: o.seen}
}

func (r *reading) add(path string, err error) { r.problems = problem.Append(r.problems, path, err) }

// need reports a field that is missing. A field of the wrong type is not.
func (r *reading) need(present bool, path string) {
	if !present && r.decoded {
		r.add(path, errMissing)
	}
}

func (r *reading) taints(list jsontext.Value, path string) taint.List {
	if list == nil {
		return nil
	}
	taints, ignored, err := taint.Decode(list, taint.ListOptions{Path: path})
	r.ignored = append(r.ignored, ignored...)
	r.add("", err)
	return taints
}

func (r *reading) tolerations(list jsontext.Value, path string) toleration.List {
	if list == nil {
		return nil
	}
	if tolerations, ok := r.seen[string(list)]; ok {
		return tolerations
	}
	tolerations, ignored, err := toleration.Decode(list, toleration.ListOptions{Path: path})
	tolerations = slices.Clip(tolerations)
	if r.seen != nil && err == nil && ignored == nil && len(list) <= seenSize && len(r.seen) < seenLists {
		r.seen[string(list)] = tolerations
	}
	r.ignored = append(r.ignored, ignored...)
	r.add("", err)
	return tolerations
}

// devices decodes a list of taints or tolerations of devices, which have these names.
func (r *reading) devices(into json.Unmarshaler, list jsontext.Value, path string, names ...string) {
	if list == nil {
		return
	}
	l := apijson.NewList(list, path, apijson.Warn)
	for l.Next(names, make([]apijson.Field, len(names))) {
	}
	r.ignored = append(r.ignored, l.Warnings...)
	r.add(path, into.UnmarshalJSON(list))
}
