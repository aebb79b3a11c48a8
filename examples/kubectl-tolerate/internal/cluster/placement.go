package cluster

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/component-helpers/resource"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/utils/ptr"
)

// NameField is the field of a node that a required affinity can use instead of a label.
const NameField = metav1.ObjectNameField

// A Placement is the node selector of a pod, and the node affinity that it and its volumes
// require.
type Placement struct {
	Text     string          // for people, such as "pool=gpu"; empty if there is neither
	JSON     json.RawMessage // nodeSelector, requiredDuringSchedulingIgnoredDuringExecution and volumes
	Keys     []string        // of the labels that it depends on, and NameField
	Node     string          // the only node that can be admitted, by its name; empty for any
	selector map[string]string
	required *corev1.NodeSelector
	affinity nodeaffinity.RequiredNodeAffinity
	volumes  []*demand
}

type placementJSON struct {
	NodeSelector map[string]string      `json:"nodeSelector,omitempty"`
	Required     *corev1.NodeSelector   `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
	Volumes      []*corev1.NodeSelector `json:"volumes,omitempty"` // all of them
}

// Cost is what one call of Admits costs, in labels that are compared.
func (p *Placement) Cost() int { return 1 + len(p.JSON)/64 }

// Admits reports whether the node has the labels that the pod requires. An invalid
// affinity admits no node.
func (p *Placement) Admits(n *Node) bool {
	if p.JSON == nil {
		return true
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: n.Name, Labels: n.Labels}}
	ok, err := p.affinity.Match(node)
	return ok && err == nil && !slices.ContainsFunc(p.volumes, func(d *demand) bool { return d.selector == nil || !d.selector.Match(node) })
}

// An Index finds nodes by the values of labels.
type Index struct {
	nodes []*Node
	by    map[string]map[string][]int // by key and value; the key of the name is empty
}

// NewIndex returns an index of the nodes.
func NewIndex(nodes []*Node) *Index {
	return &Index{nodes, make(map[string]map[string][]int)}
}

// Candidates returns the indices of nodes, in order, among which are all that the placement
// admits: those with a value that it requires, or all if it requires none. It spends a unit
// for each node that it looks at, until there are no more.
func (x *Index) Candidates(p *Placement, spend func(int) bool) (list []int) {
	found := false
	try := func(terms []corev1.NodeSelectorTerm) {
		var all []int
		for _, t := range terms {
			fewest, some := []int(nil), false
			for i, q := range slices.Concat(t.MatchExpressions, t.MatchFields) {
				if q.Operator != corev1.NodeSelectorOpIn {
					continue
				}
				if i >= len(t.MatchExpressions) {
					q.Key = ""
				}
				var has []int
				for _, value := range q.Values {
					if has = append(has, x.labelled(q.Key, spend)[value]...); !spend(1 + len(has)) {
						return
					}
				}
				if !some || len(has) < len(fewest) {
					fewest, some = has, true
				}
			}
			if !some {
				return
			}
			all = append(all, fewest...)
		}
		if !found || len(all) < len(list) {
			list, found = all, true
		}
	}
	for _, terms := range p.alternatives() {
		try(terms)
	}
	if !found {
		for i := range x.nodes {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// alternatives returns lists of terms, of each of which one is required: by the node selector, by the
// node affinity, and by each volume.
func (p *Placement) alternatives() (lists [][]corev1.NodeSelectorTerm) {
	if len(p.selector) > 0 {
		var all corev1.NodeSelectorTerm
		for _, key := range slices.Sorted(maps.Keys(p.selector)) {
			all.MatchExpressions = append(all.MatchExpressions, in(key, p.selector[key]))
		}
		lists = append(lists, []corev1.NodeSelectorTerm{all})
	}
	if p.required != nil {
		lists = append(lists, p.required.NodeSelectorTerms)
	}
	for _, d := range p.volumes {
		lists = append(lists, d.terms)
	}
	return lists
}

// in returns the requirement of one of the values.
func in(key string, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: corev1.NodeSelectorOpIn, Values: values}
}

// labelled returns the nodes by the value of a label, and by their name if the key is empty.
func (x *Index) labelled(key string, spend func(int) bool) map[string][]int {
	if x.by[key] == nil && spend(len(x.nodes)) {
		x.by[key] = make(map[string][]int)
		for i, n := range x.nodes {
			value, ok := n.Labels[key]
			if key == "" {
				value, ok = n.Name, true
			}
			if ok {
				x.by[key][value] = append(x.by[key][value], i)
			}
		}
	}
	return x.by[key]
}

// placement returns the placement of a pod, one for all that are equal.
func (c *Cluster) placement(spec *corev1.PodSpec) (*Placement, error) {
	selector, required := spec.NodeSelector, (*corev1.NodeSelector)(nil)
	if a := spec.Affinity; a != nil && a.NodeAffinity != nil {
		required = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	var text []byte
	var err error
	if len(selector) > 0 || required != nil {
		text, err = json.Marshal(placementJSON{selector, required, nil})
	}
	p := c.placements[string(text)]
	if p == nil {
		p = &Placement{JSON: text, selector: selector, required: required, affinity: nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: *spec}), Keys: slices.Collect(maps.Keys(selector))}
		p.summarize()
		c.placements[string(text)] = p
	}
	if required != nil && err == nil {
		_, err = nodeaffinity.NewNodeSelector(required, field.WithPath(field.NewPath("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution")))
	}
	return p, err
}

// AnyNode returns the placement of a pod of a DaemonSet without the affinity to its node, by which
// the controller replaces all other affinity.
func (c *Cluster) AnyNode(p *Placement) *Placement {
	if p.Node == "" || len(p.required.NodeSelectorTerms[0].MatchExpressions) > 0 {
		return p
	}
	any, _ := c.placement(&corev1.PodSpec{NodeSelector: p.selector}) // which is valid without affinity
	return any
}

// summarize sets the Text, the Keys and the Node.
func (p *Placement) summarize() {
	terms := ptr.Deref(p.required, corev1.NodeSelector{}).NodeSelectorTerms
	for _, term := range terms {
		for _, q := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			p.Keys = append(p.Keys, q.Key)
		}
		if f := term.MatchFields; len(terms) == 1 && len(f) == 1 && f[0].Operator == corev1.NodeSelectorOpIn && len(f[0].Values) == 1 {
			p.Node = f[0].Values[0]
		}
	}
	p.Text = strings.Join(slices.DeleteFunc([]string{labels.FormatLabels(p.selector), describeTerms(terms)}, func(s string) bool { return s == "" || s == "<none>" }), "; ")
	if p.Text == "" && p.JSON != nil {
		p.Text = "no node: the node affinity has no terms"
	}
}

// A Requirement is one of a node's labels or, in a required affinity, of its name.
type Requirement struct {
	corev1.NodeSelectorRequirement
	Field    bool                       // it is the name
	selector *nodeaffinity.NodeSelector // nil if it is invalid
}

func newRequirement(q corev1.NodeSelectorRequirement, field bool) Requirement {
	s, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{q}}}})
	if err != nil {
		s = nil
	}
	return Requirement{q, field, s}
}

// maxTerms is how many requirements the alternatives of a placement have.
const maxTerms = 1 << 14

// Terms returns the alternatives that the placement selects: each is the node selector with a
// term of the required affinity and of each volume. Terms that select no node are omitted. It
// reports false if there are too many.
func (p *Placement) Terms() (terms [][]Requirement, ok bool) {
	terms = [][]Requirement{nil}
	for _, list := range p.alternatives() {
		var more [][]Requirement
		size := 0
		for _, t := range list {
			var own []Requirement
			for i, q := range slices.Concat(t.MatchExpressions, t.MatchFields) {
				own = append(own, newRequirement(q, i >= len(t.MatchExpressions)))
			}
			for _, term := range terms {
				if size += len(term) + len(own); size > maxTerms {
					return nil, false
				}
				if own != nil {
					more = append(more, slices.Concat(term, own))
				}
			}
		}
		terms = more
	}
	return terms, true
}

// Meets reports whether labels meet the requirement. Nothing meets an invalid one.
func (q Requirement) Meets(set map[string]string) bool {
	return q.selector != nil && q.selector.Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: set}})
}

// String returns the requirement as text, such as "pool=gpu" or "zone In (a, b)".
func (q Requirement) String() string {
	if q.Operator == corev1.NodeSelectorOpIn && len(q.Values) == 1 && !q.Field {
		return q.Key + "=" + q.Values[0]
	}
	return describe(q.NodeSelectorRequirement)
}

// describeTerms returns terms as text, such as "pool In (a, b) or zone Exists".
func describeTerms(terms []corev1.NodeSelectorTerm) string {
	var list []string
	for _, t := range terms {
		var parts []string
		for _, q := range slices.Concat(t.MatchExpressions, t.MatchFields) {
			parts = append(parts, describe(q))
		}
		list = append(list, strings.Join(parts, " and "))
	}
	return strings.Join(list, " or ")
}

// describe returns a requirement as text, such as "zone In (a, b)".
func describe(q corev1.NodeSelectorRequirement) string {
	text := q.Key + " " + string(q.Operator)
	if len(q.Values) > 0 {
		text += " (" + strings.Join(q.Values, ", ") + ")"
	}
	return text
}

// requests returns what the scheduler counts for a pod.
func (c *Cluster) requests(pod *corev1.Pod) corev1.ResourceList {
	c.scratch = resource.PodRequests(pod, resource.PodResourcesOptions{UseStatusResources: true, Reuse: c.scratch})
	c.scratch[corev1.ResourcePods] = *apiresource.NewQuantity(1, apiresource.DecimalSI)
	return c.shared(c.scratch)
}

// shared returns the list, the same for all that are equal, and nil if it is empty.
func (c *Cluster) shared(list corev1.ResourceList) corev1.ResourceList {
	if len(list) == 0 {
		return nil
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(list)) {
		q := list[name]
		text = append(append(append(append(text, name...), '='), q.String()...), ',')
	}
	if c.resources[string(text)] == nil {
		c.resources[string(text)] = list.DeepCopy()
	}
	return c.resources[string(text)]
}

// A Room is what nodes have free.
type Room struct {
	free map[string]corev1.ResourceList // by node; nil if it is unknown
}

// Room returns what the nodes have free when the pods are gone that leave reports.
func (c *Cluster) Room(leave func(*Pod) bool) *Room {
	r := &Room{make(map[string]corev1.ResourceList)}
	for _, n := range c.Nodes {
		if n.allocatable != nil {
			r.free[n.Name] = n.allocatable.DeepCopy()
		}
	}
	for _, p := range c.Pods {
		free := r.free[p.Node]
		if free == nil || p.Finished() || p.Terminating || leave(p) {
			continue
		}
		for name, q := range p.Requests {
			if left, ok := free[name]; ok {
				left.Sub(q)
				free[name] = left
			}
		}
	}
	return r
}

// Lacks says which resources the pods request more of than the nodes have free: "" if they
// all fit in sum, or that is unknown of a node.
func (r *Room) Lacks(pods []*Pod, nodes []*Node) string {
	asked, free := corev1.ResourceList{}, corev1.ResourceList{}
	add := func(to corev1.ResourceList, name corev1.ResourceName, q apiresource.Quantity) {
		if q.Sign() > 0 {
			sum := to[name]
			sum.Add(q)
			to[name] = sum
		}
	}
	for _, p := range pods {
		for name, q := range p.Requests {
			add(asked, name, q)
		}
	}
	for _, n := range nodes {
		if r.free[n.Name] == nil {
			return ""
		}
		for name := range asked {
			add(free, name, r.free[n.Name][name])
		}
	}
	var lacks []string
	for _, name := range slices.SortedFunc(maps.Keys(asked), func(a, b corev1.ResourceName) int {
		first := map[corev1.ResourceName]int{corev1.ResourceCPU: -2, corev1.ResourceMemory: -1}
		return cmp.Or(first[a]-first[b], cmp.Compare(a, b))
	}) {
		want, has := asked[name], free[name]
		if want.Cmp(has) > 0 {
			lacks = append(lacks, fmt.Sprintf("%s %s (at most %s free)", want.String(), name, has.String()))
		}
	}
	return strings.Join(lacks, ", ")
}
