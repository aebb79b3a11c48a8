package why

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// maxWork limits how many taints are matched, at some 40 ns each. To match labels costs
// that of ten.
const (
	maxWork   = 1 << 27
	labelWork = 10
)

var errWork = errors.New("the pods and nodes differ too much to compare all of them; name pods, or narrow them with -n, -l or --node")

// A judge evaluates groups of pods against groups of nodes.
type judge struct {
	*cluster.Cluster
	now      time.Time
	byName   map[string]*cluster.Node
	unread   []*cluster.Node
	observed map[*cluster.Node][]eviction.Observed // of nodes with NoExecute taints
	nodes    []*nodeGroup
	groupOf  map[*cluster.Node]*nodeGroup // of the known nodes
	keys     map[string]bool              // of taints
	shapes   []*shape
	pods     []*podGroup
	flows    map[toleration.Toleration]string // as YAML
	work     int
}

// A nodeGroup is nodes whose taints have the same effect on every pod.
type nodeGroup struct {
	match.Node
	nodes []*cluster.Node
}

// A shape is nodes of a group with the same values of the labels that placements use.
type shape struct {
	group int
	node  *cluster.Node
	count int
}

// A podGroup is pods that are alike: they can be scheduled to the same nodes, or each is
// for a node of its own, which it names, as those of daemon sets are.
type podGroup struct {
	pods    []*cluster.Pod // of those that wait, the group has no others
	waiting bool
	own     int // the group of the own nodes, -1 if they are unknown or not admitted
}

// A cell is what a group of nodes is to a group of pods.
type cell struct {
	admitted int // by the placement
	match.Result
}

func newJudge(c *cluster.Cluster, now time.Time) *judge {
	j := &judge{Cluster: c, now: now, byName: make(map[string]*cluster.Node), observed: make(map[*cluster.Node][]eviction.Observed),
		groupOf: make(map[*cluster.Node]*nodeGroup), keys: make(map[string]bool), flows: make(map[toleration.Toleration]string)}
	byTaints := make(map[string]*nodeGroup)
	for _, n := range c.Nodes {
		j.byName[n.Name] = n
		if n.Err != nil {
			j.unread = append(j.unread, n)
			continue
		}
		alike := match.Node{Taints: n.Taints.Canonical(), Unschedulable: n.Unschedulable}
		key := alike.Taints.String()
		if n.Unschedulable {
			key += " cordoned"
		}
		g := byTaints[key]
		if g == nil {
			g = &nodeGroup{Node: alike}
			byTaints[key] = g
			j.nodes = append(j.nodes, g)
			for _, t := range g.Untolerated() {
				j.keys[t.Key()] = true
			}
		}
		g.nodes = append(g.nodes, n)
		j.groupOf[n] = g
		if slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return t.Effect() == taint.NoExecute }) {
			observed := eviction.Observe(nil, n.Taints, now)
			for i, o := range observed {
				if at := o.Taint.TimeAdded(); !at.IsZero() {
					observed[i].Since = at
				}
			}
			j.observed[n] = observed
		}
	}
	slices.SortStableFunc(j.nodes, func(a, b *nodeGroup) int { return len(b.nodes) - len(a.nodes) })
	j.groupPods()
	return j
}

// groupPods groups the pods that are known and have not run to their end: first those that
// wait, then the largest groups.
func (j *judge) groupPods() {
	type key struct {
		tolerations string
		placement   *cluster.Placement
		own         int
		waiting     bool
	}
	number := make(map[*nodeGroup]int)
	for i, g := range j.nodes {
		number[g] = i
	}
	texts := make(map[*toleration.Toleration]string) // equal lists are often the same
	groups := make(map[key]*podGroup)
	used := make(map[string]bool)
	for _, p := range j.Pods {
		if p.Err != nil || p.Finished() {
			continue
		}
		k := key{placement: p.Placement, waiting: p.Waits()}
		if len(p.Tolerations) > 0 {
			first := &p.Tolerations[0]
			if _, ok := texts[first]; !ok {
				texts[first] = p.Tolerations.String()
			}
			k.tolerations = texts[first]
		}
		if p.Placement.Node != "" {
			k.placement, k.own = nil, -1
			if n := j.byName[p.Placement.Node]; n != nil && n.Err == nil && p.Placement.Admits(n) {
				k.own = number[j.groupOf[n]]
			}
		} else {
			for _, name := range p.Placement.Keys {
				used[name] = true
			}
		}
		if groups[k] == nil {
			groups[k] = &podGroup{waiting: k.waiting, own: k.own}
			j.pods = append(j.pods, groups[k])
		}
		groups[k].pods = append(groups[k].pods, p)
	}
	slices.SortStableFunc(j.pods, func(a, b *podGroup) int {
		if a.waiting != b.waiting {
			if a.waiting {
				return -1
			}
			return 1
		}
		return len(b.pods) - len(a.pods)
	})
	type shapeKey struct {
		group  int
		labels string
	}
	shapes := make(map[shapeKey]*shape)
	for _, n := range j.Nodes {
		if n.Err != nil {
			continue
		}
		var text []byte
		for _, name := range slices.Sorted(maps.Keys(n.Labels)) {
			if used[name] {
				text = strconv.AppendQuote(strconv.AppendQuote(text, name), n.Labels[name])
			}
		}
		if used[cluster.NameField] {
			text = append(text, n.Name...)
		}
		k := shapeKey{number[j.groupOf[n]], string(text)}
		if shapes[k] == nil {
			shapes[k] = &shape{group: k.group, node: n}
			j.shapes = append(j.shapes, shapes[k])
		}
		shapes[k].count++
	}
}

func (j *judge) spend(work int) error {
	if j.work += work; j.work > maxWork {
		return errWork
	}
	return nil
}

// cells returns what each group of nodes is to the group of pods.
func (j *judge) cells(g *podGroup) ([]cell, error) {
	p := g.pods[0]
	cells := make([]cell, len(j.nodes))
	switch {
	case g.own >= 0 && p.Placement.Node != "":
		cells[g.own].admitted = 1
	case p.Placement.Node != "":
	case p.Placement.JSON == nil:
		for i, n := range j.nodes {
			cells[i].admitted = len(n.nodes)
		}
	default:
		if err := j.spend(labelWork * len(j.shapes) * p.Placement.Cost()); err != nil {
			return nil, err
		}
		for _, s := range j.shapes {
			if p.Placement.Admits(s.node) {
				cells[s.group].admitted += s.count
			}
		}
	}
	m := match.Compile(p.Tolerations)
	work := len(p.Tolerations)
	for i, n := range j.nodes {
		if work++; cells[i].admitted > 0 {
			cells[i].Result = m.Filter(n.Node)
			work += len(n.Taints)
		}
	}
	return cells, j.spend(work)
}

// verdict returns the verdict for the nodes of the group that are admitted.
func (c cell) verdict() Verdict {
	switch {
	case c.admitted == 0:
		return NotSelected
	case !c.Schedulable():
		return Cannot
	case !c.Preferred():
		return PreferNot
	}
	return Can
}

// evaluate returns the entry of the group in a report.
func (j *judge) evaluate(g *podGroup, verdicts bool) (*PodGroup, error) {
	cells, err := j.cells(g)
	if err != nil {
		return nil, err
	}
	p := g.pods[0]
	r := &PodGroup{group: g, Waiting: g.waiting, Tolerations: p.Tolerations, Placement: p.Placement.JSON, placement: objects.Printable(p.Placement.Text)}
	if p.Placement.Node != "" && len(g.pods) > 1 {
		r.Placement, r.placement = nil, "each for a node that it names"
	}
	for _, p := range g.pods {
		r.Pods = append(r.Pods, p.FullName())
	}
	r.Nodes.Unknown = len(j.unread)
	blocking := make(map[taint.Taint]int)
	m := match.Compile(p.Tolerations)
	for i, c := range cells {
		if verdicts {
			r.Verdicts = append(r.Verdicts, c.verdict())
			if err := j.spend(len(j.nodes[i].Taints) * len(p.Tolerations)); err != nil { // to explain it
				return nil, err
			}
		}
		r.Nodes.NotSelected += len(j.nodes[i].nodes) - c.admitted
		switch c.verdict() {
		case Can:
			r.Nodes.Can += c.admitted
		case PreferNot:
			r.Nodes.PreferNot += c.admitted
		case Cannot:
			r.Nodes.Cannot += c.admitted
			for _, t := range m.Untolerated(j.nodes[i].Node) {
				if t.Effect() != taint.PreferNoSchedule {
					blocking[t] += c.admitted
				}
			}
		}
	}
	for t, n := range blocking {
		r.Reasons = append(r.Reasons, match.Reason{Taint: t, Nodes: n, Of: r.Nodes.Can + r.Nodes.PreferNot + r.Nodes.Cannot})
	}
	slices.SortFunc(r.Reasons, match.Reason.Compare)
	r.Reasons, r.MoreReasons = limit(r.Reasons, maxReasons)
	if !g.waiting {
		return r, nil
	}
	fits := r.Nodes.Can + r.Nodes.PreferNot
	if r.CannotBeScheduled = fits+r.Nodes.Unknown == 0; fits == 0 && r.Nodes.Cannot > 0 {
		err = j.nearest(r, cells, m)
	}
	return r, err
}

func limit[T any](list []T, most int) (_ []T, more int) {
	if len(list) <= most {
		return list, 0
	}
	return slices.Clone(list[:most]), len(list) - most
}

// passing are taints that are temporary: to wait, or to repair the node, is mostly better
// than to tolerate them.
var passing = condition.Passing()

// nearest finds the nodes on which the pods of a group can be scheduled with the fewest
// more tolerations: of as many those of the fewest taints that are passing or of the
// control plane, then of the fewest keys
// that the pods have no toleration of, be it misspelt, then the most nodes.
func (j *judge) nearest(r *PodGroup, cells []cell, m *match.Matcher) error {
	has := make(map[string]bool)
	var strange toleration.List // without a taint of that key
	for _, u := range r.Tolerations {
		if has[u.Key()] = true; u.Key() != "" && !j.keys[u.Key()] {
			strange = append(strange, u)
		}
	}
	similarTo := func(key string) (u toleration.Toleration) {
		if i := slices.IndexFunc(strange, func(u toleration.Toleration) bool { return similar(u.Key(), key) }); i >= 0 && !has[key] {
			u = strange[i]
		}
		return u
	}
	type candidate struct {
		price  []int
		taints taint.List
		nodes  int
		groups []int
	}
	candidates := make(map[string]*candidate)
	for i, c := range cells {
		if c.admitted == 0 {
			continue
		}
		if err := j.spend(len(j.nodes[i].Taints) * (1 + len(strange))); err != nil {
			return err
		}
		n := candidate{price: make([]int, 4)}
		for _, t := range m.Untolerated(j.nodes[i].Node) {
			if t.Effect() == taint.PreferNoSchedule {
				continue
			}
			n.taints = append(n.taints, t)
			n.price[0]++
			switch {
			case passing.Has(t):
				n.price[1]++
			case has[t.Key()] || has[""]:
			case !similarTo(t.Key()).IsZero():
				n.price[3]++
			case t.Key() == condition.ControlPlane || t.Key() == condition.Master:
				n.price[1] += 2 // to repair a node is better
			default:
				n.price[2]++
			}
		}
		key := n.taints.Canonical().String()
		if candidates[key] == nil {
			candidates[key] = &n
		}
		candidates[key].nodes += c.admitted
		candidates[key].groups = append(candidates[key].groups, i)
	}
	best := slices.SortedFunc(maps.Values(candidates), func(a, b *candidate) int {
		return cmp.Or(slices.Compare(a.price, b.price), b.nodes-a.nodes, slices.CompareFunc(a.taints, b.taints, taint.Taint.Compare))
	})[0]
	near := &Nearest{Nodes: best.nodes}
	for _, i := range best.groups {
		near.Names = append(near.Names, j.admitted(r.group, i, maxNames-len(near.Names))...)
	}
	best.taints, near.MoreTaints = limit(best.taints, maxTaints)
	for _, t := range best.taints {
		miss := Miss{Explanation: match.Explain(t, toleration.First, r.Tolerations), Temporary: passing.Has(t)}
		if u := similarTo(t.Key()); !u.IsZero() && miss.Explanation.Miss == match.OtherKey {
			miss.Misspelt = flow(u)
		}
		near.Taints = append(near.Taints, miss)
		near.Add = append(near.Add, miss.Explanation.Addition())
	}
	r.Nearest = near
	return nil
}

// admitted returns the names of at most so many nodes of a group that the placement of a
// group of pods admits.
func (j *judge) admitted(g *podGroup, nodes, most int) (names []string) {
	for _, n := range j.nodes[nodes].nodes {
		if len(names) >= most {
			break
		}
		j.work += labelWork // the next spend refuses what is too much
		if g.pods[0].Placement.Admits(n) {
			names = append(names, n.Name)
		}
	}
	return names
}

// similar reports whether two keys differ in their prefix alone, or in a single byte that
// is one too many, too few or another. A digit does not count, since digits distinguish
// team1 from team2, nor does a byte of so few as in cpu and gpu.
func similar(a, b string) bool {
	if a[strings.LastIndexByte(a, '/')+1:] == b[strings.LastIndexByte(b, '/')+1:] {
		return true
	}
	whole := len(a)
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 && whole-len(a) >= 3 && !strings.ContainsAny(a+b, "0123456789")
}

// evict returns when a pod is evicted from its node, or nil if it is not.
func (j *judge) evict(p *cluster.Pod) (*Eviction, error) {
	e := &Eviction{Pod: p.FullName(), Node: p.Node, When: EvictionUnknown}
	n := j.byName[p.Node]
	switch {
	case p.Node == "" || p.Finished() || p.Terminating || p.Static:
		return nil, nil
	case p.Err != nil:
		e.Because = "it could not be read as a whole"
		return e, nil
	case n == nil:
		e.Because = "its node is not in the input"
		return e, nil
	case n.Err != nil:
		e.Because = "the taints of its node could not be read"
		return e, nil
	}
	observed := j.observed[n]
	if len(observed) == 0 {
		return nil, nil
	}
	if err := j.spend(len(observed) * (1 + len(p.Tolerations))); err != nil {
		return nil, err
	}
	d := eviction.Decide(observed, j.now, eviction.Options{Arrived: p.Started}, p.Tolerations)
	if d.Kind() == eviction.Never {
		return nil, nil
	}
	e.When = Now
	i, _ := d.Taint()
	t := observed[i].Taint
	e.Taint = t.String()
	deadline, _ := d.Deadline()
	if at, ok := d.Toleration(); !ok {
		e.Because = "untolerated " + e.Taint
	} else {
		seconds, _ := p.Tolerations[at.Index].Seconds()
		verb := "was"
		if d.Kind() == eviction.At {
			e.When, verb = Later, "is"
		}
		e.Because = fmt.Sprintf("%s %s tolerated for %d s", e.Taint, verb, max(seconds, 0))
	}
	switch year := deadline.Year(); {
	case t.TimeAdded().IsZero() && e.When == Later:
		e.Because += " from when it was added, which is unknown"
	case !t.TimeAdded().IsZero() && year >= 0 && year <= 9999:
		e.At = &deadline
	}
	return e, nil
}
