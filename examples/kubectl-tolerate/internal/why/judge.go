package why

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// maxTaints is how many taints a node group has. The others are counted.
const maxTaints = 10

// maxWork limits how many taints are matched, at some 40 ns each. To match labels costs
// that of ten, to list a taint that of a hundred, and to write a node group that of 3,000.
const (
	maxWork   = 1 << 27
	labelWork = 10
	listWork  = 100
	writeWork = 3000
)

// broken are temporary taints of nodes on which new pods would not run.
var broken = taint.MustParseSelector(strings.Join([]string{condition.Unreachable, condition.MemoryPressure, condition.DiskPressure, condition.PIDPressure}, ","))

var errWork = errors.New("the pods and nodes differ too much to compare all of them")

// A judge evaluates groups of pods against classes of nodes.
type judge struct {
	byName  map[string]*cluster.Node
	unread  int // nodes
	classes []*class
	classOf map[*cluster.Node]*class
	index   *cluster.Index // of the first nodes of the classes
	work    int

	c      *cluster.Cluster
	places map[string][]*cluster.Node // by selectors of slices

	valued    map[string]bool // keys of taints that some node has with a value
	temporary taint.Selector
}

// A class is nodes with the same taints, and the same values of the labels that pods use.
type class struct {
	match.Node
	taints string
	nodes  []*cluster.Node
}

func (j *judge) spend(work int) error {
	if j.work += work; j.work > maxWork {
		return errWork
	}
	return nil
}

// newReport evaluates the cluster. If the pods are named, those that have a node are
// evaluated, too, with this node, and the others with all nodes that they select, not only
// those that no node admits. All is to list all nodes that a pod selects.
func newReport(c *cluster.Cluster, now time.Time, temporary taint.Selector, all, named bool) *Report {
	r := &Report{Removers: []*Remover{}, Refused: append([]*cluster.Refusal{}, c.Refused...), Pods: []*PodGroup{}, Daemons: []*DaemonSet{}, Evictions: []*Eviction{}, Orphaned: []string{}, Unknown: []Unknown{}}
	r.Summary.Nodes = len(c.Nodes)
	for _, n := range c.Nodes {
		if n.Err != nil {
			r.Unknown = append(r.Unknown, Unknown{"Node " + n.Name, n.Err.Error()})
		}
	}
	var waiting []*cluster.Pod // or named
	for _, p := range c.Pods {
		switch {
		case p.Finished():
			r.Summary.Finished++
			continue
		case p.Err != nil:
			r.Unknown = append(r.Unknown, Unknown{"Pod " + p.FullName(), p.Err.Error()})
		case p.Waits():
			r.Summary.Pending++
			waiting = append(waiting, p)
		case named && p.Node != "":
			waiting = append(waiting, p)
		}
		if p.Node != "" && p.Phase == "Pending" && !p.Terminating {
			r.Summary.Starting++
		}
		r.Summary.Pods++
	}
	r.Summary.Unknown = len(r.Unknown)
	j := newJudge(c, waiting)
	j.temporary = temporary
	r.Pods = append(r.Pods, j.group(waiting, false)...)
	devices, pools, hints, bound := *j, *j, *j, *j // with work of their own, so that without it the rest is said
	pools.temporary = taint.Selector{}             // of a pool, all taints stay
	evaluated := make(map[wants]*PodGroup)
	room := sync.OnceValue(func() *cluster.Room { return c.Room(func(*cluster.Pod) bool { return false }) })
	for i, g := range r.Pods {
		if same := evaluated[g.wants]; same != nil && g.Node+g.own == "" {
			g.Nodes, g.NodeGroups, g.Unmet, g.admits, g.Pools, g.OtherPools = same.Nodes, same.NodeGroups, same.Unmet, same.admits, same.Pools, same.OtherPools
		} else {
			if c.NodesErr == nil && j.evaluate(g, all, named) != nil {
				var rest []*cluster.Pod
				for _, g := range r.Pods[i:] {
					rest = append(rest, g.pods...)
				}
				r.Pods = append(r.Pods[:i:i], j.group(rest, true)...)
				r.Incomplete = append(r.Incomplete, "podGroups")
				break
			}
			if n := g.Nodes; n != nil && n.Admitted+n.Tainted+n.Unknown == 0 && g.Node == "" && !c.OneNode {
				g.Unmet, _ = hints.unmet(g) // without enough work, none
			}
			if pools.work <= maxWork && (all || named || g.Nodes == nil || g.notAdmitted()) && pools.addPools(g, all || named) != nil {
				g.Pools, g.OtherPools = nil, 0
				r.Incomplete = append(r.Incomplete, "pools")
			}
		}
		if g.Node == "" {
			evaluated[g.wants] = g
		}
		if c.NodesErr != nil {
			continue
		}
		if g.Node == "" && len(g.admits) > 0 && !c.OneNode && hints.spend(listWork*g.Nodes.Admitted) == nil {
			g.request(room())
		}
		if devices.work > maxWork || devices.allocate(g) != nil {
			for _, c := range g.Claims {
				c.Requests, c.Unknown = nil, cmp.Or(c.Unknown, "the claims and devices differ too much to compare all of them")
			}
		}
		if g.Node != "" && named && !c.OneNode && !g.daemon {
			g.Unused, _ = hints.unused(g.pods[0])
		}
		if g.notAdmitted() && g.Node == "" {
			r.Summary.NotAdmitted += len(g.Pods)
		}
	}
	if c.NodesErr != nil {
		return r
	}
	before := map[bool]int{true: -1}
	slices.SortStableFunc(r.Pods, func(a, b *PodGroup) int {
		return cmp.Or(before[a.notAdmitted()]-before[b.notAdmitted()], before[a.Node == ""]-before[b.Node == ""], before[a.program != nil]-before[b.program != nil], len(b.Pods)-len(a.Pods))
	})
	r.daemonSets(c, temporary, named)
	j.removers(r)
	if !c.OneNode {
		r.lost(c.Nodes)
	}
	if bound.addBound(r, now) != nil {
		r.Evictions, r.Orphaned, r.Repelled, r.Returning = []*Eviction{}, []string{}, nil, nil
		r.Summary.EvictedNow, r.Summary.EvictedLater, r.Summary.Repelled = 0, 0, 0
		r.Incomplete = append(r.Incomplete, "evictions")
	}
	return r
}

// request sets what the pods request too much of, and what is not judged.
func (g *PodGroup) request(room *cluster.Room) {
	var nodes []*cluster.Node
	for _, c := range g.admits {
		nodes = append(nodes, c.nodes...)
	}
	if g.Placement == nil || g.pods[0].Placement.Node == "" {
		g.Lacks = room.Lacks(g.pods, nodes)
	}
	var all cluster.Set
	for _, p := range g.pods {
		all |= p.NotJudged
	}
	g.NotJudged = all.Names()
}

// notAdmitted reports whether it is known that no node admits the pods.
func (g *PodGroup) notAdmitted() bool { return g.Nodes != nil && g.Nodes.Admitted+g.Nodes.Unknown == 0 }

// newJudge returns a judge of the nodes, classified by the labels that these pods use.
func newJudge(c *cluster.Cluster, pods []*cluster.Pod) *judge {
	j := &judge{c: c, byName: make(map[string]*cluster.Node), classOf: make(map[*cluster.Node]*class), valued: c.Valued, places: make(map[string][]*cluster.Node)}
	used := make(map[string]bool)
	for _, p := range pods {
		if p.Placement.Node == "" {
			for _, name := range p.Placement.Keys {
				used[name] = true
			}
		}
	}
	classes := make(map[string]*class)
	for _, n := range c.Nodes {
		j.byName[n.Name] = n
		if n.Err != nil {
			j.unread++
			continue
		}
		alike := match.Node{Taints: n.Taints.Canonical(), Unschedulable: n.Unschedulable}
		taints := fmt.Sprint(alike.Unschedulable, alike.Taints)
		key := []byte(taints)
		for _, name := range slices.Sorted(maps.Keys(n.Labels)) {
			if used[name] {
				key = strconv.AppendQuote(strconv.AppendQuote(key, name), n.Labels[name])
			}
		}
		if used[cluster.NameField] {
			key = append(key, n.Name...)
		}
		j.classOf[n] = first(classes, &j.classes, string(key), class{Node: alike, taints: taints})
		j.classOf[n].nodes = append(j.classOf[n].nodes, n)
	}
	var one []*cluster.Node
	for _, c := range j.classes {
		one = append(one, c.nodes[0])
	}
	j.index = cluster.NewIndex(one)
	return j
}

// first returns the value that has the key, and adds it to the list if it is the first.
func first[K comparable, V any](of map[K]*V, list *[]*V, key K, value V) *V {
	if of[key] == nil {
		of[key] = &value
		*list = append(*list, of[key])
	}
	return of[key]
}

// selected returns the classes that a placement admits.
func (j *judge) selected(p *cluster.Placement) (list []*class, err error) {
	for _, i := range j.index.Candidates(p, func(work int) bool { return j.spend(work) == nil }) {
		if err := j.spend(labelWork * p.Cost()); err != nil {
			return nil, err
		}
		if p.Admits(j.classes[i].nodes[0]) {
			list = append(list, j.classes[i])
		}
	}
	return list, j.spend(0)
}

// A wants is what the nodes that admit a pod depend on.
type wants struct {
	tolerations string
	own         string // the taints of the only node that the pod selects, by its name
	daemon      bool   // it is of a daemon set
	program     *remover.Program
	placement   *cluster.Placement
}

// group groups pods that are alike: they have the same tolerations, placement, and reasons
// to be pending. Those that name a node each are alike if the nodes' taints are. Brief is to
// group them by what the scheduler wrote alone.
func (j *judge) group(pods []*cluster.Pod, brief bool) (list []*PodGroup) {
	type key struct {
		wants
		node, scheduler, gates string
		condition              cluster.Condition
		claims                 string
	}
	groups := make(map[key]*PodGroup)
	for _, p := range pods {
		k := key{node: p.Node, scheduler: p.SchedulerName, condition: p.Condition}
		var claims []*Claim
		if !brief {
			kind, owner, _ := strings.Cut(p.Owner, " ")
			k.wants = wants{p.Tolerations.String(), "", kind == "DaemonSet", remover.Running(kind, owner), p.Placement}
			k.gates = strings.Join(p.Gates, ",")
			if claims = j.claims(p); claims != nil {
				text, _ := json.Marshal(claims)
				k.claims = string(text)
			}
		}
		if p.Placement.Node != "" && !brief {
			k.placement = nil
			switch n := j.byName[p.Placement.Node]; {
			case n == nil:
				k.own = "none"
			case n.Err == nil && !p.Placement.Admits(n):
				k.own = "none, by labels"
			case n.Err != nil:
				k.own = "unknown"
			default:
				k.own = j.classOf[n].taints
			}
		}
		g := first(groups, &list, k, PodGroup{Node: p.Node, Condition: p.Condition, Claims: claims, wants: k.wants})
		if len(g.pods) == 0 && !brief {
			g.Gates, g.Tolerations, g.Placement = p.Gates, p.Tolerations, p.Placement.JSON
		}
		if p.SchedulerName != "default-scheduler" {
			g.Scheduler = p.SchedulerName // is part of the key
		}
		if e := p.Autoscaler; e != nil && (g.Autoscaler == nil || g.Autoscaler.At.Before(e.At)) {
			g.Autoscaler = e
		}
		g.Pods = append(g.Pods, p.FullName())
		g.pods = append(g.pods, p)
	}
	return list
}

// admits reports whether a pod can be scheduled to the node, and returns the taints that
// decide: those with PreferNoSchedule only if it can.
func admits(m *match.Matcher, n match.Node) (admitted bool, list taint.List) {
	admitted = m.Schedulable(n)
	for _, t := range m.Untolerated(n) {
		if admitted || t.Effect() != taint.PreferNoSchedule {
			list = append(list, t)
		}
	}
	return admitted, list
}

// evaluate sets what depends on nodes.
func (j *judge) evaluate(g *PodGroup, all, named bool) error {
	p := g.pods[0]
	n := &Counts{Unknown: j.unread, NotSelected: len(j.classOf)}
	var classes []*class
	if p.Placement.Node == "" {
		var err error
		if classes, err = j.selected(p.Placement); err != nil {
			return err
		}
		for _, c := range classes {
			n.NotSelected -= len(c.nodes)
		}
	} else {
		*n = Counts{}
		own, seen := &class{}, make(map[string]bool)
		for _, p := range g.pods {
			node, again := j.byName[p.Placement.Node], seen[p.Placement.Node]
			switch seen[p.Placement.Node] = true; {
			case again:
			case node == nil || node.Err == nil && !p.Placement.Admits(node):
				n.NotSelected++
			case node.Err != nil:
				n.Unknown++
			default:
				own.nodes = append(own.nodes, node)
				own.Node, classes = j.classOf[node].Node, []*class{own}
			}
		}
	}
	m := match.Compile(p.Tolerations)
	groups := make(map[string]*NodeGroup)
	taints := make(map[*NodeGroup]taint.List)
	for _, c := range classes {
		if err := j.spend(labelWork*len(c.Taints) + len(p.Tolerations)/16); err != nil {
			return err
		}
		admitted, list := admits(m, c.Node)
		if admitted {
			n.Admitted += len(c.nodes)
			g.admits = append(g.admits, c)
		} else {
			n.Tainted += len(c.nodes)
		}
		nodes := c.nodes
		if g.Node != "" && !all {
			i := slices.Index(nodes, j.byName[g.Node])
			if i < 0 {
				continue
			}
			nodes = nodes[i : i+1]
		}
		key, cordoned := list.Canonical().String(), ""
		if admitted && c.Unschedulable && !g.daemon {
			e := match.Explain(match.CordonTaint(), toleration.First, p.Tolerations)
			cordoned = e.Toleration.String()
			key += " cordoned"
		}
		if groups[key] == nil {
			groups[key] = &NodeGroup{Admitted: admitted, Cordoned: cordoned}
			taints[groups[key]] = list
		}
		groups[key].waits = groups[key].waits || slices.ContainsFunc(c.Taints, g.program.Removes)
		groups[key].Count += len(nodes)
		for _, node := range nodes[:min(len(nodes), cli.MaxNames-len(groups[key].Names))] {
			groups[key].Names = append(groups[key].Names, node.Name)
		}
	}
	if g.Nodes = n; n.Admitted > 0 && !all && !named {
		return nil
	}
	for group, list := range taints {
		if err := j.spend(len(list) * (listWork + len(p.Tolerations))); err != nil {
			return err
		}
		j.explain(group, g, list)
		g.NodeGroups = append(g.NodeGroups, group)
	}
	slices.SortFunc(g.NodeGroups, func(a, b *NodeGroup) int {
		return cmp.Or(slices.Compare(a.cost, b.cost), cmp.Compare(a.Cordoned, b.Cordoned), b.Count-a.Count, slices.CompareFunc(taints[a], taints[b], taint.Taint.Compare))
	})
	if all { // they are written
		return j.spend(writeWork * len(g.NodeGroups))
	}
	return nil
}

// explain sets the taints and the cost. What costs most is a taint of a control plane, then
// of a key that the pods have no toleration of, then one that is temporary, and then one of
// another value. Temporary taints are not to be tolerated, except by pods that remove them:
// to wait, or to repair the node, is better.
func (j *judge) explain(n *NodeGroup, g *PodGroup, list taint.List) {
	n.cost = make([]int, 5)
	if !n.Admitted {
		n.cost[0] = 1
	}
	vanishes := func(t taint.Taint) bool { return remover.Of(t).Vanishes }
	for _, t := range list {
		e := match.Explain(t, toleration.First, g.Tolerations)
		because, _, _ := strings.Cut(e.String(), "; to add: ")
		key := t.Key()
		add := remover.Addition(e, j.valued[key])
		why := Taint{t, because, &add}
		_, outdated := condition.Deprecated(key)
		switch {
		case key == condition.Unschedulable:
			n.cost[3]++
			why = Taint{t, "cordoned: wait, or use kubectl uncordon", nil}
			if slices.ContainsFunc(list, vanishes) {
				why.Because = "cordoned"
			}
		case j.temporary.Has(t) && g.program.Removes(t):
			n.cost[3]++
			why.Because = t.String() + " stays until these pods run: they must tolerate it"
		case (g.daemon || n.waits) && broken.Has(t):
			n.cost[1] += 2 // more than a control plane
			why = Taint{t, t.String() + " is temporary: " + remover.Advice(t), nil}
		case (g.daemon || n.waits) && j.temporary.Has(t) && !outdated && !vanishes(t):
			n.cost[3]++
			why.Because = t.String() + " is temporary: wait, unless these pods remove it"
		case j.temporary.Has(t) || key == condition.OutOfService || key == condition.CloudShutdown:
			n.cost[3]++
			why = Taint{t, t.String() + " is temporary: " + remover.Advice(t), nil}
		case key == condition.ControlPlane || key == condition.Master:
			n.cost[1]++
			why.Because += " (not for usual workloads)"
		case e.Mismatch == match.OtherKey:
			n.cost[2]++
		default:
			n.cost[4]++
			if e.Toleration.Operator() != toleration.Exists && e.Toleration.Value() != t.Value() {
				n.cost[4]++
			}
		}
		if len(n.Taints) < maxTaints {
			n.Taints = append(n.Taints, why)
		} else {
			n.More++
		}
	}
}

// removers adds the taints that every node has until pods run that do not: those of a
// DaemonSet without any, or pending ones of which no replica runs.
func (j *judge) removers(r *Report) {
	if j.unread > 0 || len(j.classes) == 0 {
		return
	}
	nodes := make(map[taint.Taint]int) // classes, whose taints are canonical
	for _, c := range j.classes {
		for _, t := range c.Taints {
			nodes[t]++
		}
	}
	add := func(p *remover.Program, pods []string, nearest []*NodeGroup) {
		for _, t := range j.classes[0].Taints {
			if nodes[t] < len(j.classes) || t.Effect() == taint.PreferNoSchedule || !j.temporary.Has(t) || !p.Removes(t) {
				continue
			}
			x := &Remover{Taint: t, Pods: pods}
			for _, n := range nearest[:min(1, len(nearest))] {
				for _, why := range n.Taints {
					if why.Add != nil {
						x.Add = append(x.Add, *why.Add)
					}
				}
			}
			r.Removers = append(r.Removers, x)
		}
	}
	for _, x := range r.Daemons {
		if x.Pods == 0 && len(x.Without) > 0 {
			add(x.program, []string{"DaemonSet " + x.Name}, x.Without)
		}
	}
	for _, g := range r.Pods {
		p := g.pods[0]
		if g.program == nil || g.Node != "" || j.c.Runs[cluster.Owner{Namespace: p.Namespace, Name: p.Owner}] || p.Placement.Node != "" && len(g.pods) < r.Summary.Nodes {
			continue
		}
		nearest := g.NodeGroups
		if !g.notAdmitted() {
			nearest = nil
		}
		add(g.program, g.Pods, nearest)
	}
}
