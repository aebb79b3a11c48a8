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
	"github.com/go-tolerate/tolerate/internal/nearest"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/taint"
)

// A Pool is a pool that has no node that pods select, and whether a new node would admit them.
type Pool struct {
	Name     string         `json:"name"` // such as "NodePool gpu"
	Admits   cluster.Answer `json:"admits"`
	Selected cluster.Answer `json:"selected"`          // whether the pods select its nodes
	Because  string         `json:"because,omitempty"` // why one of these is not yes, except for taints
	Taints   []Taint        `json:"taints,omitempty"`  // that are untolerated
	Startup  taint.List     `json:"startupTaints,omitempty"`

	known int // labels that the pods select and the pool has
	cost  []int
}

// addPools adds the pools: those that admit the pods are first. Unless all is set, those whose
// nodes the pods do not select are only counted.
func (j *judge) addPools(g *PodGroup, all bool) error {
	p := g.pods[0]
	if p.Placement.Node != "" || p.Node != "" || j.c.OneNode || len(j.c.Pools) == 0 {
		return nil
	}
	m := match.Compile(p.Tolerations)
	terms, ok := p.Placement.Terms()
	if !ok {
		return errWork
	}
	for _, pool := range j.c.Pools {
		if err := j.spend(labelWork * (1 + pool.Cost(terms) + len(pool.Taints) + len(pool.Nodes)*p.Placement.Cost())); err != nil {
			return err
		}
		if pool.Ready > 0 || slices.ContainsFunc(pool.Nodes, p.Placement.Admits) {
			continue
		}
		x := &Pool{Name: pool.Name, Startup: pool.Startup}
		x.Selected, x.Because, x.known = pool.Selected(terms)
		if x.Selected == cluster.No && !all {
			g.OtherPools++
			continue
		}
		switch x.Admits = x.Selected; {
		case pool.Closed != "":
			x.Admits, x.Because = cluster.No, pool.Closed
		case x.Selected == cluster.No:
			x.Because = "its nodes do not meet " + x.Because
		case x.Selected == cluster.Perhaps:
			x.Because = "its nodes can have " + x.Because + ", or not"
		case pool.Unread != "":
			x.Admits, x.Because = cluster.Perhaps, pool.Unread
		}
		admitted, list := admits(m, match.Node{Taints: pool.Taints})
		if !admitted && x.Selected != cluster.No {
			n := &NodeGroup{}
			j.explain(n, g, list)
			x.Admits, x.Taints, x.cost = cluster.No, n.Taints, n.cost
		}
		g.Pools = append(g.Pools, x)
		if err := j.spend(listWork * (1 + len(list))); err != nil {
			return err
		}
	}
	order := []cluster.Answer{cluster.Yes, cluster.Perhaps, cluster.No}
	slices.SortStableFunc(g.Pools, func(a, b *Pool) int {
		return cmp.Or(slices.Index(order, a.Admits)-slices.Index(order, b.Admits), slices.Index(order, a.Selected)-slices.Index(order, b.Selected), b.known-a.known, slices.Compare(a.cost, b.cost))
	})
	return nil
}

// pools describes the autoscaler's event and the pools.
func (t *text) pools(g *PodGroup) {
	if e := g.Autoscaler; e != nil {
		t.line("  %s (%s)%s: %s", objects.Printable(e.Reason), objects.Printable(e.Source), t.at(e.At), cli.Cut(e.Message, maxMessage))
	}
	other := cli.Count(g.OtherPools, "pool") + " with other labels"
	switch {
	case len(g.Pools) > 0 && t.unknown:
		t.line("  pools, by labels and taints:")
	case len(g.Pools) > 0:
		t.line("  pools without such nodes, by labels and taints:")
	case g.OtherPools > 0:
		t.line("  %s", other)
		return
	}
	for i, x := range g.Pools {
		if i == maxNodeGroups && !t.wide {
			t.line("    and %s; -o wide lists all", cli.Count(len(g.Pools)-i, "more pool"))
			break
		}
		verdict := string(x.Admits)
		if len(x.Taints) > 0 && x.Because != "" {
			verdict = "perhaps: " + x.Because + "; but these taints are not tolerated:"
		} else if len(x.Taints) > 0 {
			verdict = "no, these taints are not tolerated:"
		} else if x.Because != "" {
			verdict += ": " + x.Because
		}
		t.line("    %s: %s", cli.Cut(x.Name, 100), cli.Cut(verdict, maxMessage))
		t.taints(x.Taints)
		t.when(len(x.Startup) > 0 && (t.wide || t.named > 0),
			"      its nodes start with %s, until another program removes it", cli.Cut(x.Startup.String(), maxMessage))
	}
	t.when(g.OtherPools > 0, "    and %s", other)
}

// maxValues is how many values of a label are listed.
const maxValues = 5

// An Unmet is a requirement of the pods that no node meets.
type Unmet struct {
	Requires string `json:"requires"` // such as "pool=gpus"
	Because  string `json:"because"`  // such as "no node has it; 2 nodes have pool=gpu"
}

// unmet returns the requirements of pods that select no node, and what the nodes have instead:
// all nodes, or those that the pods name.
func (j *judge) unmet(g *PodGroup) (list []Unmet, err error) {
	p, nodes := g.pods[0].Placement, j.c.Nodes
	if p.Node != "" {
		nodes = nil
		for _, p := range g.pods {
			if n := j.byName[p.Placement.Node]; n != nil {
				nodes = append(nodes, n)
			}
		}
	}
	terms, ok := p.Terms()
	if !ok || len(terms) != 1 || len(nodes) == 0 {
		return nil, nil
	}
	for _, q := range terms[0] {
		if err := j.spend(labelWork * len(nodes)); err != nil {
			return nil, err
		}
		values := make(map[string]int)
		if q.Field || slices.ContainsFunc(nodes, func(n *cluster.Node) bool {
			if value, ok := n.Labels[q.Key]; ok {
				values[value]++
			}
			return q.Meets(n.Labels)
		}) {
			continue
		}
		because := "no node meets it"
		if q.Operator == corev1.NodeSelectorOpIn {
			because = "no node has it"
		}
		sorted := slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Or(values[b]-values[a], strings.Compare(a, b)) })
		some := q.Values[:min(len(q.Values), maxValues)]
		if err := j.spend(labelWork * len(sorted) * len(some)); err != nil {
			return nil, err
		}
		for _, value := range some {
			if near := nearest.Name(value, sorted); near != "" { // this one first
				i := slices.Index(sorted, near)
				sorted = slices.Insert(slices.Delete(sorted, i, i+1), 0, near)
			}
		}
		for i, value := range sorted[:min(len(sorted), maxValues)] {
			have := "nodes have"
			if values[value] == 1 {
				have = "node has"
			}
			because += fmt.Sprintf("%s %d %s %s=%s", map[bool]string{true: ";", false: ","}[i == 0], values[value], have, q.Key, value)
		}
		if more := len(sorted) - maxValues; more > 0 {
			because += fmt.Sprintf(" and %s", cli.Count(more, "more value"))
		}
		if len(values) == 0 {
			because = "no node has the label " + q.Key
			key, err := j.nearKey(q.Key, nodes)
			if err != nil {
				return nil, err
			}
			if key != "" {
				because += ", but some have " + key
			}
		}
		list = append(list, Unmet{q.String(), because})
	}
	if len(list) == 0 && len(terms[0]) > 1 && p.Node == "" {
		list = []Unmet{{p.Text, "each of these is on a node, but no node has all"}}
	}
	return list, nil
}

// nearKey returns the key of a label that was probably meant.
func (j *judge) nearKey(key string, nodes []*cluster.Node) (string, error) {
	keys := make(map[string]bool)
	for _, n := range nodes {
		if err := j.spend(1 + 2*len(n.Labels)); err != nil {
			return "", err
		}
		for k := range n.Labels {
			keys[k] = true
		}
	}
	return nearest.Name(key, slices.Sorted(maps.Keys(keys))), j.spend(labelWork * len(keys))
}

// A Claim is a ResourceClaim that is not allocated.
type Claim struct {
	Name     string           `json:"name,omitempty"` // empty if it is created from a template
	Template string           `json:"template,omitempty"`
	State    string           `json:"state"` // such as "not allocated"
	Unknown  string           `json:"unknown,omitempty"`
	Requests []*DeviceRequest `json:"requests,omitempty"`
}

// A DeviceRequest is requests of a claim, or alternatives, that are alike. Devices are
// counted that these do not select, as selectors in CEL are not evaluated.
type DeviceRequest struct {
	Names       []string                      `json:"names"`
	All         bool                          `json:"all,omitempty"` // it needs all devices that it selects
	Tolerations []resourcev1.DeviceToleration `json:"tolerations,omitempty"`
	Devices     int                           `json:"devices"`    // on nodes that taints and labels admit
	Tainted     int                           `json:"tainted"`    // of these, with untolerated taints
	OtherNodes  int                           `json:"otherNodes"` // devices on other nodes
	Groups      []*DeviceGroup                `json:"deviceGroups,omitempty"`
}

// A DeviceGroup is devices with the same untolerated taints.
type DeviceGroup struct {
	Count  int           `json:"count"`
	Names  []string      `json:"names"` // of some
	Taints []DeviceTaint `json:"taints"`
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
		d, from := j.c.Devices, map[bool]string{true: "in the cluster", false: "in the input"}[j.c.FromServer]
		if d.Incomplete {
			from = "known"
		}
		c := &Claim{Name: ref.Name, Template: ref.Template, State: "not allocated"}
		key := "ResourceClaim " + p.Namespace + "/" + ref.Name
		if ref.Name == "" {
			c.State, key = "not created", "ResourceClaimTemplate "+p.Namespace+"/"+ref.Template
		} else if ref.Template != "" {
			c.Name = "" // so that the pods of a workload are alike
		}
		spec, known := d.Claims[key]
		switch {
		case known && spec == nil:
			continue
		case known && j.c.NodesErr != nil:
			c.Unknown = "the nodes are unknown"
		case known && len(d.Slices) == 0:
			c.Unknown = "no ResourceSlice is " + from
		case known:
			c.requests(spec)
		case ref.Name != "":
			c.State = "not " + from
		}
		if d.Incomplete {
			c.Unknown = "not everything could be read"
		}
		list = append(list, c)
	}
	return list
}

// requests adds the requests, those in a row that are alike as one.
func (c *Claim) requests(spec *resourcev1.ResourceClaimSpec) {
	last := &DeviceRequest{}
	add := func(name string, mode resourcev1.DeviceAllocationMode, tolerations []resourcev1.DeviceToleration) {
		all := mode == resourcev1.DeviceAllocationModeAll
		if c.Requests == nil || last.All != all || !reflect.DeepEqual(last.Tolerations, tolerations) {
			last = &DeviceRequest{All: all, Tolerations: tolerations}
			c.Requests = append(c.Requests, last)
		}
		last.Names = append(last.Names, name)
	}
	for _, q := range spec.Devices.Requests {
		if q.Exactly != nil {
			add(q.Name, q.Exactly.AllocationMode, q.Exactly.Tolerations)
		}
		for _, sub := range q.FirstAvailable {
			add(q.Name+"/"+sub.Name, sub.AllocationMode, sub.Tolerations)
		}
	}
}

// allocate evaluates the devices for the claims of the pods.
func (j *judge) allocate(g *PodGroup) error {
	if !slices.ContainsFunc(g.Claims, func(c *Claim) bool { return c.Requests != nil }) {
		return nil
	}
	admitted := make(map[*cluster.Node]bool)
	for _, c := range g.admits {
		for _, n := range c.nodes {
			admitted[n] = true
		}
	}
	devices, others := j.devices(admitted)
	tainted, _ := j.untolerated(devices, nil)
	for _, c := range g.Claims {
		for _, q := range c.Requests {
			q.Devices, q.OtherNodes = len(devices), others
			q.Groups, q.Tainted = j.untolerated(tainted, q.Tolerations)
			slices.SortStableFunc(q.Groups, func(a, b *DeviceGroup) int { return b.Count - a.Count })
		}
	}
	return j.spend(len(admitted))
}

// devices returns the devices that admitted nodes can use, each as a group, and the number of
// the others. Old generations of pools are ignored. It stops when there is no work left.
func (j *judge) devices(admitted map[*cluster.Node]bool) (list []*DeviceGroup, others int) {
	d := j.c.Devices
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
	j.work += labelWork * (len(d.Slices) + len(d.Rules))
	for _, name := range slices.Sorted(maps.Keys(d.Slices)) {
		s := d.Slices[name]
		if s.Pool.Generation < newest[s.Driver+"/"+s.Pool.Name] {
			continue
		}
		if j.spend(len(s.Devices)) != nil {
			return nil, 0
		}
		each := ptr.Deref(s.NodeName, "") == "" && s.NodeSelector == nil && !ptr.Deref(s.AllNodes, false)
		usable := j.usable(s.NodeName, s.NodeSelector, s.AllNodes, admitted)
		candidates := slices.Concat(rules[""], rules[s.Pool.Name])
		for _, device := range s.Devices {
			if each {
				usable = j.usable(device.NodeName, device.NodeSelector, device.AllNodes, admitted)
			}
			if !usable {
				others++
				continue
			}
			id := dra.ID{Driver: s.Driver, Pool: s.Pool.Name, Device: device.Name}
			g := &DeviceGroup{Count: 1, Names: []string{id.String()}}
			for _, t := range device.Taints {
				g.Taints = append(g.Taints, newDeviceTaint(t, ""))
			}
			for _, name := range candidates {
				if rule := d.Rules[name]; rule.Selects(id) {
					g.Taints = append(g.Taints, newDeviceTaint(rule.Taint, name))
				}
			}
			j.work += labelWork*(1+len(g.Taints)) + len(candidates)
			list = append(list, g)
		}
	}
	return list, others
}

// usable reports whether an admitted node is among those of a slice or device.
func (j *judge) usable(node *string, selector *corev1.NodeSelector, all *bool, admitted map[*cluster.Node]bool) bool {
	switch {
	case ptr.Deref(all, false):
		return len(admitted) > 0
	case selector == nil:
		return admitted[j.byName[ptr.Deref(node, "")]]
	}
	text, _ := json.Marshal(selector)
	nodes, known := j.places[string(text)]
	if !known {
		s, err := nodeaffinity.NewNodeSelector(selector)
		for _, n := range j.c.Nodes { // an invalid one selects none
			if err == nil && s.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}) {
				nodes = append(nodes, n)
			}
		}
		j.places[string(text)] = nodes
		j.work += labelWork * len(j.c.Nodes)
	}
	j.work += labelWork + len(text)/8
	return slices.ContainsFunc(nodes, func(n *cluster.Node) bool { j.work++; return admitted[n] })
}

// untolerated groups devices by the taints that keep them from a request with these
// tolerations, and returns how many have any. It stops when there is no work left.
func (j *judge) untolerated(devices []*DeviceGroup, tolerations []resourcev1.DeviceToleration) (list []*DeviceGroup, n int) {
	same := make(map[string]*DeviceGroup)
	for _, d := range devices {
		if j.spend(1+len(d.Taints)*(labelWork+len(tolerations))) != nil {
			return nil, 0
		}
		taints := slices.DeleteFunc(slices.Clone(d.Taints), func(t DeviceTaint) bool {
			return dra.Allocatable([]resourcev1.DeviceTaint{t.Taint}, tolerations)
		})
		if len(taints) == 0 {
			continue
		}
		key, _ := json.Marshal(taints)
		g := same[string(key)]
		if g == nil {
			g = &DeviceGroup{Taints: taints}
			same[string(key)], list = g, append(list, g)
			j.work += listWork * (1 + len(taints))
		}
		n += d.Count
		g.Count += d.Count
		g.Names = append(g.Names, d.Names[:min(len(d.Names), cli.MaxNames-len(g.Names))]...)
	}
	return list, n
}

// newDeviceTaint returns the taint of a rule, if any, with a toleration to add. Nothing
// tolerates a taint without an effect.
func newDeviceTaint(t resourcev1.DeviceTaint, rule string) DeviceTaint {
	t.TimeAdded = nil // it does not matter
	u := &resourcev1.DeviceToleration{Key: t.Key, Operator: resourcev1.DeviceTolerationOpEqual, Value: t.Value, Effect: t.Effect}
	if t.Value == "" {
		u.Operator = resourcev1.DeviceTolerationOpExists
	}
	if t.Effect == "" {
		u = nil
	}
	return DeviceTaint{t, rule, u}
}

// claims describes the claims of a group of pods.
func (t *text) claims(g *PodGroup) {
	note := "    tainted devices on nodes that the pod can be scheduled to; selectors not evaluated\n"
	for _, c := range g.Claims {
		name := objects.Printable(c.Name)
		if c.Template != "" {
			name = "of template " + objects.Printable(c.Template)
		}
		t.line("  claim %s is %s", name, c.State)
		t.when(c.Unknown != "", "    %s", c.Unknown)
		for _, q := range c.Requests {
			fmt.Fprint(t, note)
			note = "" // it is written once
			t.request(q)
		}
	}
}

// request describes the devices for a request.
func (t *text) request(q *DeviceRequest) {
	all, other := map[bool]string{true: " (all devices)"}[q.All], ""
	if q.OtherNodes > 0 {
		other = fmt.Sprintf("; %s on other nodes", cli.Count(q.OtherNodes, "device"))
	}
	t.line("    request %s%s: untolerated taints on %d of %s%s", cli.Names(q.Names, len(q.Names)), all, q.Tainted, cli.Count(q.Devices, "device"), other)
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
