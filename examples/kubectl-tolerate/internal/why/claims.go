package why

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match/kube/dra"
)

// A Claim is a ResourceClaim that is not allocated.
type Claim struct {
	Name     string           `json:"name,omitempty"` // empty if it is created from a template
	Template string           `json:"template,omitempty"`
	State    string           `json:"state"` // such as "not allocated"
	Unknown  string           `json:"unknown,omitempty"`
	Requests []*DeviceRequest `json:"requests,omitempty"`
}

// A DeviceRequest is requests of a claim, or alternatives, with the same tolerations. Devices
// are counted that these do not select, as selectors in CEL are not evaluated.
type DeviceRequest struct {
	Names       []string                      `json:"names"`
	Tolerations []resourcev1.DeviceToleration `json:"tolerations,omitempty"`
	Devices     int                           `json:"devices"`    // on nodes that taints and labels admit
	Tainted     int                           `json:"tainted"`    // of these, with untolerated taints
	OtherNodes  int                           `json:"otherNodes"` // devices on other nodes
	Groups      []*DeviceGroup                `json:"deviceGroups,omitempty"`
}

// A DeviceGroup is devices with the same taints, in a report those that are not tolerated.
type DeviceGroup struct {
	Count  int           `json:"count"`
	Names  []string      `json:"names"` // of some
	Taints []DeviceTaint `json:"taints"`

	key   string // of the taints
	where cluster.Where
	nodes []*cluster.Node
}

// A DeviceTaint is a taint that prevents the allocation of a device.
type DeviceTaint struct {
	Taint resourcev1.DeviceTaint       `json:"taint"`
	Rule  string                       `json:"deviceTaintRule,omitempty"` // empty for a taint of the ResourceSlice
	Add   *resourcev1.DeviceToleration `json:"add,omitempty"`             // to the request
}

// claims returns the claims of a pod that are not allocated.
func (j *judge) claims(p *cluster.Pod) (list []*Claim) {
	for _, ref := range p.Claims {
		c := &Claim{ref.Name, ref.Template, "not allocated", "", nil}
		kind, name, from := "ResourceClaim", ref.Name, "in the input"
		switch {
		case j.c.Devices.Incomplete:
			from = "known"
		case j.c.FromServer:
			from = "in the cluster"
		}
		if name == "" {
			c.State, kind, name = "not created", "ResourceClaimTemplate", ref.Template
		} else if c.Template != "" {
			c.Name = "" // so that the pods of a workload are alike
		}
		spec, known := j.c.Devices.Claims[kind+" "+strings.TrimPrefix(p.Namespace+"/"+name, "/")]
		switch {
		case !known && ref.Name != "":
			c.State = "not " + from
		case known && spec == nil:
			continue
		case known && j.c.NodesErr != nil:
			c.Unknown = "the nodes are unknown"
		case known && len(j.c.Devices.Slices) == 0:
			c.Unknown = "no ResourceSlice is " + from
		case known:
			c.requests(spec)
		}
		if j.c.Devices.Incomplete {
			c.Unknown = "not everything could be read"
		}
		list = append(list, c)
	}
	return list
}

// requests adds the requests, those in a row with the same tolerations as one.
func (c *Claim) requests(spec *resourcev1.ResourceClaimSpec) {
	add := func(name string, tolerations []resourcev1.DeviceToleration) {
		last := len(c.Requests) - 1
		if last < 0 || !reflect.DeepEqual(c.Requests[last].Tolerations, tolerations) {
			c.Requests = append(c.Requests, &DeviceRequest{Tolerations: tolerations})
			last++
		}
		c.Requests[last].Names = append(c.Requests[last].Names, name)
	}
	for _, q := range spec.Devices.Requests {
		if q.Exactly != nil {
			add(q.Name, q.Exactly.Tolerations)
		}
		for _, sub := range q.FirstAvailable {
			add(q.Name+"/"+sub.Name, sub.Tolerations)
		}
	}
}

func (g *DeviceGroup) add(more *DeviceGroup) {
	g.Count += more.Count
	g.Names = append(g.Names, more.Names[:min(len(more.Names), cli.MaxNames-len(g.Names))]...)
}

// locate sets the devices of the newest generation of their pools.
func (j *judge) locate() error {
	d := j.c.Devices
	j.stock = []*DeviceGroup{} // not nil, if there are none
	newest := make(map[string]int64)
	for _, s := range d.Slices {
		pool := s.Driver + "/" + s.Pool.Name
		newest[pool] = max(newest[pool], s.Pool.Generation)
	}
	rules := make(map[string][]string) // by the pool in their selector
	for _, name := range slices.Sorted(maps.Keys(d.Rules)) {
		if s := d.Rules[name].Selector; s != nil {
			rules[ptr.Deref(s.Pool, "")] = append(rules[ptr.Deref(s.Pool, "")], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Slices)) {
		s := d.Slices[name]
		if s.Pool.Generation < newest[s.Driver+"/"+s.Pool.Name] {
			continue
		}
		candidates := slices.Concat(rules[""], rules[s.Pool.Name])
		for _, device := range s.Devices {
			id := dra.ID{Driver: s.Driver, Pool: s.Pool.Name, Device: device.Name}
			g := &DeviceGroup{Count: 1, Names: []string{id.String()}, where: s.Where}
			if g.where == (cluster.Where{}) {
				g.where = device.Where
			}
			for _, t := range device.Taints {
				g.Taints = append(g.Taints, DeviceTaint{t, "", nil})
			}
			for _, name := range candidates {
				if rule := d.Rules[name]; rule.Selects(id) {
					g.Taints = append(g.Taints, DeviceTaint{rule.Taint, name, nil})
				}
			}
			if err := j.spend(labelWork + len(candidates) + listWork*len(g.Taints)); err != nil {
				return err
			}
			g.Taints = untolerated(g.Taints, nil)
			g.key = fmt.Sprintf("%q", g.Taints)
			if last := len(j.stock) - 1; last >= 0 && j.stock[last].where == g.where && j.stock[last].key == g.key {
				j.stock[last].add(g)
				continue
			}
			if err := j.place(g); err != nil {
				return err
			}
			j.stock = append(j.stock, g)
		}
	}
	return nil
}

// place sets the nodes that can use the devices.
func (j *judge) place(g *DeviceGroup) error {
	selector, err := nodeaffinity.NewNodeSelector(cmp.Or(g.where.Selector, &corev1.NodeSelector{}))
	switch {
	case g.where.All:
		g.nodes = j.c.Nodes
	case g.where.Selector == nil:
		g.nodes = []*cluster.Node{j.byName[g.where.Node]} // perhaps nil
	case err == nil: // otherwise it selects none
		text, _ := json.Marshal(g.where.Selector)
		if nodes, ok := j.places[string(text)]; ok {
			g.nodes = nodes
			return nil
		}
		for _, n := range j.c.Nodes {
			if selector.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}) {
				g.nodes = append(g.nodes, n)
			}
		}
		j.places[string(text)] = g.nodes
		return j.spend(labelWork * len(j.c.Nodes))
	}
	return nil
}

// untolerated returns the taints that prevent an allocation.
func untolerated(taints []DeviceTaint, tolerations []resourcev1.DeviceToleration) (list []DeviceTaint) {
	for _, t := range taints {
		if !dra.Allocatable([]resourcev1.DeviceTaint{t.Taint}, tolerations) {
			t.Taint.TimeAdded = nil // it does not matter
			list = append(list, t)
		}
	}
	return list
}

// usable returns the devices on these nodes, grouped by taints, and the number of the others.
func (j *judge) usable(classes []*class) (found []*DeviceGroup, others int, err error) {
	if j.stock == nil {
		err = j.locate()
	}
	admitted, same := make(map[*cluster.Node]bool), make(map[string]*DeviceGroup)
	for _, c := range classes {
		for _, n := range c.nodes {
			admitted[n] = true
		}
	}
	for _, g := range j.stock {
		if err = cmp.Or(err, j.spend(1)); err != nil {
			return nil, 0, err
		}
		if !slices.ContainsFunc(g.nodes, func(n *cluster.Node) bool { j.work++; return admitted[n] }) {
			others += g.Count
			continue
		}
		if same[g.key] == nil {
			same[g.key] = &DeviceGroup{Taints: g.Taints}
			found = append(found, same[g.key])
		}
		same[g.key].add(g)
	}
	return found, others, j.spend(len(admitted))
}

// allocate evaluates the devices for the claims of the pods.
func (j *judge) allocate(g *PodGroup) error {
	if !slices.ContainsFunc(g.Claims, func(c *Claim) bool { return c.Requests != nil }) {
		return nil
	}
	found, others, err := j.usable(g.admits)
	for _, c := range g.Claims {
		for _, q := range c.Requests {
			q.OtherNodes = others
			same := make(map[string]*DeviceGroup)
			for _, d := range found {
				err = cmp.Or(err, j.spend(listWork+len(d.Taints)*(listWork+len(q.Tolerations))))
				q.Devices += d.Count
				taints := untolerated(d.Taints, q.Tolerations)
				if taints == nil || err != nil {
					continue
				}
				q.Tainted += d.Count
				key := fmt.Sprintf("%q", taints)
				if same[key] == nil {
					same[key] = &DeviceGroup{Taints: taints}
					q.Groups = append(q.Groups, same[key])
				}
				same[key].add(d)
			}
			for _, group := range q.Groups {
				for i := range group.Taints {
					group.Taints[i].Add = addition(&group.Taints[i].Taint)
				}
			}
			slices.SortStableFunc(q.Groups, func(a, b *DeviceGroup) int { return b.Count - a.Count })
		}
	}
	return err
}

// addition returns a toleration of the taint. Nothing tolerates one without an effect.
func addition(t *resourcev1.DeviceTaint) *resourcev1.DeviceToleration {
	u := &resourcev1.DeviceToleration{Key: t.Key, Operator: resourcev1.DeviceTolerationOpEqual, Value: t.Value, Effect: t.Effect}
	if t.Value == "" {
		u.Operator = resourcev1.DeviceTolerationOpExists
	}
	if !dra.Tolerates(u, t) {
		return nil
	}
	return u
}

// claims describes the claims of a group of pods.
func (t *text) claims(g *PodGroup) {
	noted := false
	for _, c := range g.Claims {
		name := objects.Printable(c.Name)
		if c.Template != "" {
			name = "of template " + objects.Printable(c.Template)
		}
		t.line("  claim %s is %s", name, c.State)
		if c.Unknown != "" {
			t.line("    %s", c.Unknown)
		}
		if c.Requests != nil && !noted {
			noted = true
			t.line("    tainted devices on nodes that the pod can be scheduled to; selectors not evaluated")
		}
		for _, q := range c.Requests {
			t.request(q)
		}
	}
}

// request describes the devices for a request.
func (t *text) request(q *DeviceRequest) {
	other := ""
	if q.OtherNodes > 0 {
		other = fmt.Sprintf("; %s on other nodes", cli.Count(q.OtherNodes, "device"))
	}
	t.line("    request %s: untolerated taints on %d of %s%s", cli.Names(q.Names, len(q.Names)), q.Tainted, cli.Count(q.Devices, "device"), other)
	rest := q.Tainted
	for i, d := range q.Groups {
		if i == maxNodeGroups && !t.wide {
			t.line("      and %s with other taints", cli.Count(rest, "more device"))
			return
		}
		rest -= d.Count
		t.line("      %s", cli.Names(d.Names, d.Count))
		for _, why := range d.Taints {
			key, source, add := strings.TrimSuffix(why.Taint.Key+"="+why.Taint.Value, "="), "ResourceSlice", ""
			if why.Rule != "" {
				source = "DeviceTaintRule " + why.Rule
			}
			if text, err := json.Marshal(why.Add); why.Add != nil && err == nil {
				add = "; to add to the request: " + string(text)
			}
			t.line("        %s is not tolerated (%s)%s", objects.Printable(key+":"+string(why.Taint.Effect)), objects.Printable(source), add)
		}
	}
}
