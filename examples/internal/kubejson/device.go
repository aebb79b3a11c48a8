package kubejson

import (
	"errors"
	"slices"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/device"
	"github.com/go-tolerate/tolerate/validate"
)

// The versions of resource.k8s.io whose objects have the same fields.
var resourceVersions = []string{"", "resource.k8s.io/v1", "resource.k8s.io/v1beta2"}

// IsResource reports whether the object is of that kind in the group resource.k8s.io, in
// a version that this package reads.
func (o *Object) IsResource(kind string) bool {
	known := slices.Contains(resourceVersions, o.APIVersion) ||
		kind == "DeviceTaintRule" && o.APIVersion == "resource.k8s.io/v1alpha3"
	return o.Kind == kind && known
}

var (
	taintFields      = []string{"key", "value", "effect", "timeAdded"}
	tolerationFields = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

	errMissing = errors.New("missing")
	errOneOf   = errors.New("must have either exactly or firstAvailable")
)

// A Slice is the devices of a ResourceSlice.
type Slice struct {
	Driver, Pool string
	Generation   int64 // only the highest of a pool counts
	Devices      []device.Device

	// Ignored describes which fields of the taints are ignored, as in a [Node].
	Ignored validate.Problems
}

// Slice reads the object as a ResourceSlice. On an error, which is all problems of it,
// the devices are not known.
func (o *Object) Slice() (Slice, error) {
	f, ps := o.Fields("metadata.name", "spec.driver", "spec.pool.name", "spec.pool.generation", "spec.devices")
	var s Slice
	_, ps = f[0].AsString("metadata.name", ps)
	s.Driver, ps = required(f[1], "spec.driver", ps)
	s.Pool, ps = required(f[2], "spec.pool.name", ps)
	s.Generation, _, ps = f[3].AsInteger("spec.pool.generation", ps)
	ps = elements(f[4], "spec.devices", ps, func(d apijson.Field, path string, ps validate.Problems) validate.Problems {
		f, ps := fieldsOf(d, path, ps, "name", "taints")
		id := device.ID{Driver: s.Driver, Pool: s.Pool}
		id.Device, ps = required(f[0], path+".name", ps)
		var taints device.Taints
		s.Ignored, ps = decode(&taints, f[1], path+".taints", taintFields, s.Ignored, ps)
		s.Devices = append(s.Devices, device.Device{ID: id, Taints: taints})
		return ps
	})
	if ps != nil {
		return Slice{Driver: s.Driver, Pool: s.Pool, Generation: s.Generation, Ignored: s.Ignored}, ps
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

// Claim reads the object as a ResourceClaim. On an error, which is all problems of it,
// the requests are not known.
func (o *Object) Claim() (Claim, error) { return o.claim("spec.devices.requests") }

// ClaimTemplate is Claim for a ResourceClaimTemplate.
func (o *Object) ClaimTemplate() (Claim, error) { return o.claim("spec.spec.devices.requests") }

func (o *Object) claim(requests string) (Claim, error) {
	const results = "status.allocation.devices.results"
	f, ps := o.Fields("metadata.namespace", "metadata.name", requests, "status.allocation")
	var c Claim
	_, ps = f[0].AsString("metadata.namespace", ps)
	_, ps = f[1].AsString("metadata.name", ps)
	ps = elements(f[2], requests, ps, c.request)
	if c.Allocated = f[3].Kind != apijson.Absent; c.Allocated {
		var g []apijson.Field
		g, ps = fieldsOf(f[3], "status.allocation", ps, "devices.results")
		ps = elements(g[0], results, ps, func(r apijson.Field, path string, ps validate.Problems) validate.Problems {
			f, ps := fieldsOf(r, path, ps, "driver", "pool", "device")
			var id device.ID
			id.Driver, ps = required(f[0], path+".driver", ps)
			id.Pool, ps = required(f[1], path+".pool", ps)
			id.Device, ps = required(f[2], path+".device", ps)
			c.Devices = append(c.Devices, id)
			return ps
		})
	}
	if ps != nil {
		return Claim{Ignored: c.Ignored}, ps
	}
	return c, nil
}

// request reads a request, or its alternatives.
func (c *Claim) request(r apijson.Field, path string, ps validate.Problems) validate.Problems {
	f, ps := fieldsOf(r, path, ps, "name", "exactly", "firstAvailable")
	name, ps := required(f[0], path+".name", ps)
	exactly, first := f[1].Kind != apijson.Absent, f[2].Kind != apijson.Absent
	if exactly == first {
		return append(ps, &validate.Problem{Path: path, Err: errOneOf})
	}
	if exactly {
		return c.exact(Request{Name: name}, f[1], path+".exactly", ps)
	}
	return elements(f[2], path+".firstAvailable", ps, func(r apijson.Field, path string, ps validate.Problems) validate.Problems {
		f, ps := fieldsOf(r, path, ps, "name")
		alternative, ps := required(f[0], path+".name", ps)
		return c.exact(Request{Name: name + "/" + alternative}, r, path, ps)
	})
}

// exact reads the rest of the request, which is at path.
func (c *Claim) exact(r Request, object apijson.Field, path string, ps validate.Problems) validate.Problems {
	f, ps := fieldsOf(object, path, ps, "deviceClassName", "allocationMode", "tolerations")
	r.Class, ps = asText(f[0], path+".deviceClassName", ps)
	mode, ps := f[1].AsString(path+".allocationMode", ps)
	r.All = mode == "All"
	c.Ignored, ps = decode(&r.Tolerations, f[2], path+".tolerations", tolerationFields, c.Ignored, ps)
	c.Requests = append(c.Requests, r)
	return ps
}

// Rule reads the object as a DeviceTaintRule. On an error, which is all problems of it,
// the rule is not known.
func (o *Object) Rule() (device.Rule, error) {
	f, ps := o.Fields("metadata.name", "spec.deviceSelector", "spec.taint")
	_, ps = f[0].AsString("metadata.name", ps)
	var r device.Rule
	if f[1].Kind != apijson.Absent {
		r.Selector = new(device.Selector)
		ps = problem.Append(ps, "spec.deviceSelector", r.Selector.UnmarshalJSON([]byte(f[1].Raw())))
	}
	_, ps = fieldsOf(f[2], "spec.taint", ps, taintFields...) // an object without repeated fields
	if ps == nil {
		ps = problem.Append(ps, "spec.taint", r.Taint.UnmarshalJSON([]byte(f[2].Raw())))
	}
	if ps != nil {
		return device.Rule{}, ps
	}
	return r, nil
}

// podClaims returns the claims of a pod, with the names of those that were made of a
// template.
func podClaims(spec, status apijson.Field, ps validate.Problems) (claims []PodClaim, _ validate.Problems) {
	if spec.Kind == apijson.Absent {
		return nil, ps
	}
	made := make(map[string]string)
	ps = elements(status, "status.resourceClaimStatuses", ps, func(e apijson.Field, path string, ps validate.Problems) validate.Problems {
		f, ps := fieldsOf(e, path, ps, "name", "resourceClaimName")
		name, ps := required(f[0], path+".name", ps)
		made[name], ps = asText(f[1], path+".resourceClaimName", ps)
		return ps
	})
	ps = elements(spec, "spec.resourceClaims", ps, func(e apijson.Field, path string, ps validate.Problems) validate.Problems {
		f, ps := fieldsOf(e, path, ps, "name", "resourceClaimName", "resourceClaimTemplateName")
		var c PodClaim
		c.Name, ps = required(f[0], path+".name", ps)
		c.Claim, ps = asText(f[1], path+".resourceClaimName", ps)
		c.Template, ps = asText(f[2], path+".resourceClaimTemplateName", ps)
		if c.Claim == "" {
			c.Claim = made[c.Name]
		}
		claims = append(claims, c)
		return ps
	})
	return claims, ps
}

// decode reads a list of taints or tolerations with those fields.
func decode(into interface{ UnmarshalJSON([]byte) error }, f apijson.Field, path string, names []string, ignored, ps validate.Problems) (_, _ validate.Problems) {
	if err := checkSize(f, path); err != nil {
		return ignored, problem.Append(ps, "", err)
	}
	data := []byte(f.Raw())
	l := apijson.NewList(data, path, apijson.Warn)
	var room [8]apijson.Field
	for l.Next(names, room[:len(names)]) {
	}
	return append(ignored, l.Warnings...), problem.Append(ps, path, into.UnmarshalJSON(data))
}

// elements calls read with each element of the list, and its path.
func elements(list apijson.Field, path string, ps validate.Problems, read func(apijson.Field, string, validate.Problems) validate.Problems) validate.Problems {
	if err := checkSize(list, path); err != nil {
		return problem.Append(ps, "", err)
	}
	s, err := apijson.OpenList([]byte(list.Raw()), path)
	if err != nil {
		return problem.Append(ps, "", err)
	}
	for i := 0; s.More(); i++ {
		ps = read(s.Value(), problem.Index(path, i), ps)
	}
	return ps
}

// fieldsOf is [Object.Fields] for an object at path.
func fieldsOf(object apijson.Field, path string, ps validate.Problems, names ...string) ([]apijson.Field, validate.Problems) {
	find := finder{paths: names, found: make([]apijson.Field, len(names))}
	scan, err := apijson.NewScanner([]byte(object.Raw()))
	switch {
	case err != nil:
		return find.found, problem.Append(ps, path, err)
	case !scan.Enter('{'):
		return find.found, append(ps, &validate.Problem{Path: path, Value: object.Raw(), Rule: validate.NotObject})
	}
	find.members(&scan, "")
	return find.found, problem.Append(ps, path, find.problems)
}

// required is the content of a field that must be a string and not empty.
func required(f apijson.Field, path string, ps validate.Problems) (string, validate.Problems) {
	s, ps := asText(f, path, ps)
	if f.Kind <= apijson.String && s == "" {
		ps = append(ps, &validate.Problem{Path: path, Err: errMissing})
	}
	return s, ps
}
