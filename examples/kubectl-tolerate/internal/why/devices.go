package why

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match/device"
)

// A Claim is which devices a claim of a pod can get, as far as taints decide.
type Claim struct {
	Name           string    `json:"name"`             // in the pod
	Object         string    `json:"object,omitempty"` // such as ResourceClaim ml/train-0
	Allocated      []string  `json:"allocated,omitempty"`
	Requests       []Request `json:"requests,omitempty"`
	UnknownBecause string    `json:"unknownBecause,omitempty"`
}

// A Request is a request of a claim, or an alternative of one. Device classes, selectors
// and other claims are not evaluated, so it is compared with the devices of all drivers.
type Request struct {
	Name    string   `json:"name"`
	Class   string   `json:"class,omitempty"`
	All     bool     `json:"all,omitempty"` // devices are requested
	Drivers []Driver `json:"drivers"`
}

// A Driver has numbers of devices.
type Driver struct {
	Driver      string         `json:"driver"`
	Devices     int            `json:"devices"`
	Allocatable int            `json:"allocatable"`
	Unknown     int            `json:"unknown"`
	Reasons     []DeviceReason `json:"reasons,omitempty"`
	MoreReasons int            `json:"moreReasons,omitempty"`
}

// A DeviceReason is an untolerated taint of devices.
type DeviceReason struct {
	Taint   device.Taint      `json:"taint"`
	Rule    string            `json:"rule,omitempty"` // the DeviceTaintRule; empty for their own taint
	Devices int               `json:"devices"`
	Add     device.Toleration `json:"add"`
}

// maxDeviceTaints limits the taints of all devices: each rule can select all.
const maxDeviceTaints = 1 << 20

// Devices are the devices of a cluster, by driver.
type devices struct {
	*cluster.Devices
	claims, templates map[string]*cluster.Device[kubejson.Claim]
	drivers           map[string][]deviceGroup
	taints            int
	because           string // no device is known
}

// A deviceGroup is devices of a slice with the same taints.
type deviceGroup struct {
	taints  []deviceTaint
	unknown bool // the devices may have other taints
	count   int
}

type deviceTaint struct {
	taint device.Taint
	rule  string
}

func newDevices(c *cluster.Devices) *devices {
	d := &devices{Devices: c, claims: index(c.Claims), templates: index(c.Templates), drivers: make(map[string][]deviceGroup)}
	unsure := c.Unsure
	var rules []device.Rule
	var names []string
	for _, r := range c.Rules {
		if unsure = unsure || r.Err != nil; r.Err == nil {
			rules, names = append(rules, r.Value), append(names, r.Name)
		}
	}
	type pool struct{ driver, pool string }
	newest, doubtful := make(map[pool]int64), make(map[pool]bool)
	for _, s := range c.Slices {
		id := pool{s.Value.Driver, s.Value.Pool}
		newest[id] = max(newest[id], s.Value.Generation)
		doubtful[id] = doubtful[id] || s.Err != nil
		unsure = unsure || s.Err != nil && (id.driver == "" || id.pool == "")
	}
	for _, s := range c.Slices {
		id := pool{s.Value.Driver, s.Value.Pool}
		if s.Err != nil || s.Value.Generation != newest[id] {
			continue
		}
		groups := d.drivers[id.driver]
		for _, v := range s.Value.Devices {
			if d.taints += 1 + len(v.Taints) + len(rules); d.taints > maxDeviceTaints {
				d.because = "the devices and the DeviceTaintRules are too many"
				return d
			}
			var taints []deviceTaint
			for source, t := range v.AllTaints(rules) {
				if t.Effect() == device.NoSchedule || t.Effect() == device.NoExecute {
					t, _ = t.WithTimeAdded(time.Time{}) // can be removed from every taint
					taint := deviceTaint{taint: t}
					if source.Rule {
						taint.rule = names[source.Index]
					}
					taints = append(taints, taint)
				}
			}
			if last := len(groups) - 1; last >= 0 && groups[last].unknown == (unsure || doubtful[id]) && slices.Equal(groups[last].taints, taints) {
				groups[last].count++
				continue
			}
			groups = append(groups, deviceGroup{taints, unsure || doubtful[id], 1})
		}
		d.drivers[id.driver] = groups
	}
	return d
}

func index[T any](objects []*cluster.Device[T]) map[string]*cluster.Device[T] {
	m := make(map[string]*cluster.Device[T])
	for _, o := range objects {
		m[o.Namespace+"/"+o.Name] = o
	}
	return m
}

// find returns the object that decides about a claim of a pod: a ResourceClaim or, as long
// as it is not allocated, its template.
func (d *devices) find(p *cluster.Pod, ref kubejson.PodClaim) (object string, found *cluster.Device[kubejson.Claim]) {
	claim := d.claims[p.Namespace+"/"+ref.Claim]
	if ref.Claim != "" && (ref.Template == "" || claim == nil || claim.Err != nil || claim.Value.Allocated) {
		return "ResourceClaim " + strings.TrimPrefix(p.Namespace+"/"+ref.Claim, "/"), claim
	}
	if ref.Template == "" {
		return "", nil
	}
	return "ResourceClaimTemplate " + strings.TrimPrefix(p.Namespace+"/"+ref.Template, "/"), d.templates[p.Namespace+"/"+ref.Template]
}

// key returns a text that is the same for pods whose claims are alike.
func (d *devices) key(p *cluster.Pod) string {
	var b strings.Builder
	for _, ref := range p.Claims {
		object, _ := d.find(p, ref)
		b.WriteString(ref.Name + "\x00" + object + "\x00")
	}
	return b.String()
}

// claims returns the claims of a pod, and whether it is known that there is no device for
// one of them.
func (j *judge) claims(p *cluster.Pod) (claims []Claim, none bool, err error) {
	d := j.devices
	for _, ref := range p.Claims {
		object, found := d.find(p, ref)
		c := Claim{Name: ref.Name, Object: object}
		switch {
		case object == "":
			c.UnknownBecause = "it names no object"
		case found == nil:
			c.UnknownBecause = "it is not in the input"
		case found.Err != nil:
			c.UnknownBecause = "it could not be read"
		case found.Value.Allocated:
			c.Allocated = []string{}
			for _, id := range found.Value.Devices {
				c.Allocated = append(c.Allocated, id.String())
			}
		case d.because != "":
			c.UnknownBecause = d.because
		case len(d.drivers) == 0:
			c.UnknownBecause = "no devices are in the input"
		default:
			possible := make(map[string]bool) // by request, of which one alternative is enough
			for _, q := range found.Value.Requests {
				if err := j.spend(d.taints * (1 + len(q.Tolerations))); err != nil {
					return nil, false, err
				}
				request := Request{Name: q.Name, Class: q.Class, All: q.All, Drivers: d.request(q.Tolerations)}
				name, _, _ := strings.Cut(q.Name, "/")
				possible[name] = possible[name] || slices.ContainsFunc(request.Drivers, func(d Driver) bool { return d.Allocatable+d.Unknown > 0 })
				c.Requests = append(c.Requests, request)
			}
			for _, ok := range possible {
				none = none || !ok
			}
		}
		claims = append(claims, c)
	}
	return claims, none && !slices.ContainsFunc(d.Slices, func(s *cluster.Device[kubejson.Slice]) bool { return s.Err != nil }) && !d.Unsure, nil
}

// request compares a request with the devices of each driver.
func (d *devices) request(tolerations device.Tolerations) (drivers []Driver) {
	for _, name := range slices.Sorted(maps.Keys(d.drivers)) {
		out := Driver{Driver: name}
		blocking := make(map[deviceTaint]int)
		for _, g := range d.drivers[name] {
			out.Devices += g.count
			tolerated := true
			for _, t := range g.taints {
				if tolerations.Match(t.taint) < 0 {
					tolerated = false
					blocking[t] += g.count
				}
			}
			switch {
			case tolerated && g.unknown:
				out.Unknown += g.count
			case tolerated:
				out.Allocatable += g.count
			}
		}
		for t, n := range blocking {
			out.Reasons = append(out.Reasons, DeviceReason{t.taint, t.rule, min(n, out.Devices), device.Explain(t.taint, tolerations).Addition()})
		}
		slices.SortFunc(out.Reasons, func(a, b DeviceReason) int {
			return cmp.Or(b.Devices-a.Devices, a.Taint.Compare(b.Taint), cmp.Compare(a.Rule, b.Rule))
		})
		out.Reasons, out.MoreReasons = limit(out.Reasons, maxReasons)
		drivers = append(drivers, out)
	}
	return drivers
}
