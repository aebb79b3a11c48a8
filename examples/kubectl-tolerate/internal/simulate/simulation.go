package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// A simulation is a cluster on a virtual clock. Nothing happens between two steps.
type simulation struct {
	*scenario
	begin, end, now time.Time
	nodes           []*node // all that exist at some time, by name
	pods            []*pod
	nodeIDs, podIDs map[string]int
	classes         []*class
	classIDs        map[string]*class

	events   eviction.Queue[int] // of the scenario
	notices  eviction.Queue[int] // silent nodes, when that is noticed
	schedule eviction.Schedule[int]
	zones    *disruption.Limiter[int] // nodes that wait for their NoExecute taint
	counts   map[disruption.Zone]disruption.Count
	dirty    []*node // that have changed in this step

	timeline []*Entry
	same     map[string]*Entry // entries of this step
	work     int
}

type node struct {
	*cluster.Node
	id             int
	exists, silent bool // silent: its kubelet is not heard of
	status         condition.NodeStatus
	zone           disruption.Zone
	observed       []eviction.Observed
	pods           []int
	before         taint.List // when the step began
	dirty, queued  bool       // queued for its NoExecute taint
	history        History
}

// well reports whether the pods of the node run.
func (n *node) well() bool { return !n.silent && condition.IsReady(n.status.Conditions) }

type pod struct {
	*cluster.Pod
	node, index int // index in the node's list; node is -1 if it waits
	home        int // the only node of a daemon's or static pod, or -1
	class       *class
	arrived     time.Time
	deadline    time.Time
	why         match.Explanation // of the deadline
	gone        bool
	history     History
}

// A class is pods that can be scheduled to the same nodes.
type class struct {
	*pod           // any of them
	first   [2]int // no node before can be used: of those that are preferred, and of all
	waiting []int
	known   int // how many of them are reported
}

// maxWork limits a simulation to about ten seconds, and its report to 250,000 entries.
const maxWork = 500_000_000

// newSimulation returns the simulation of a cluster, in which every object is readable.
func newSimulation(c *cluster.Cluster, s *scenario, begin time.Time) (*simulation, error) {
	rates := disruption.Rates{Usual: s.Rate, Reduced: s.SecondaryRate, LargeZone: s.LargeZone, Unhealthy: s.Unhealthy}
	sim := &simulation{scenario: s, nodeIDs: map[string]int{}, podIDs: map[string]int{}, classIDs: map[string]*class{},
		zones: disruption.NewLimiter[int](rates), counts: map[disruption.Zone]disruption.Count{}, same: map[string]*Entry{}}
	specs := slices.Clone(c.Nodes)
	for _, e := range s.Events {
		specs = append(specs, e.nodes...)
	}
	slices.SortStableFunc(specs, func(a, b *cluster.Node) int { return cmp.Compare(a.Name, b.Name) })
	for _, spec := range slices.CompactFunc(specs, func(a, b *cluster.Node) bool { return a.Name == b.Name }) {
		sim.nodeIDs[spec.Name] = len(sim.nodes)
		sim.nodes = append(sim.nodes, &node{id: len(sim.nodes), history: History{Name: spec.Name}})
	}
	for _, n := range c.Nodes {
		for _, t := range n.Taints {
			if at := t.TimeAdded(); at.After(begin) {
				begin = at // nothing is added later
			}
		}
	}
	sim.begin, sim.now, sim.end = begin, begin, begin.Add(s.End)
	for i, e := range s.Events {
		sim.events.Set(i, begin.Add(*e.At))
	}
	for _, n := range c.Nodes {
		sim.join(n, n.Taints).before = n.Taints
	}
	for _, p := range c.Pods {
		if !p.Finished() && !p.Terminating {
			if err := sim.addPod(p, time.Time{}); err != nil {
				return nil, err
			}
		}
	}
	for _, n := range sim.nodes { // of the seconds some have passed
		for _, o := range n.observed {
			if evicts(o.Taint) && o.Since.Before(sim.now) {
				sim.now = o.Since
			}
		}
		for _, id := range n.pods {
			sim.update(id, false)
			sim.pods[id].deadline = time.Time{} // it is reported in the first step
		}
		sim.now = begin
	}
	sim.timeline = nil
	return sim, nil
}

// The conditions that require taints, and Ready.
var (
	readiness = []condition.Condition{{Type: condition.TypeReady, Status: condition.StatusFalse}, {Type: condition.TypeReady, Status: condition.StatusUnknown}, {Type: condition.TypeReady, Status: condition.StatusTrue}}
	pressures = []condition.Condition{{Type: condition.TypeMemoryPressure, Status: condition.StatusTrue}, {Type: condition.TypeDiskPressure, Status: condition.StatusTrue},
		{Type: condition.TypePIDPressure, Status: condition.StatusTrue}, {Type: condition.TypeNetworkUnavailable, Status: condition.StatusTrue}}
)

// join adds a node. Its taints state its conditions.
func (sim *simulation) join(spec *cluster.Node, taints taint.List) *node {
	n := sim.nodes[sim.nodeIDs[spec.Name]]
	n.Node, n.exists, n.zone, n.observed = spec, true, disruption.ZoneOf(spec.Labels), eviction.Observe(nil, taints, sim.now)
	n.status = condition.NodeStatus{Taints: taints, Unschedulable: spec.Unschedulable}
	for _, c := range append(readiness[:2:2], pressures...) {
		required, _ := condition.Reconcile(condition.NodeStatus{Conditions: []condition.Condition{c}}, condition.Options{NoExecute: condition.AtOnce})
		if slices.ContainsFunc(taints, func(t taint.Taint) bool { return slices.ContainsFunc(required, t.SameKeyEffect) }) {
			n.status.Conditions = append(n.status.Conditions, c)
			n.silent = n.silent || c.Status == condition.StatusUnknown
		}
	}
	n.status.Conditions = append(n.status.Conditions, readiness[2]) // the first counts
	for i, o := range n.observed {
		if at := o.Taint.TimeAdded(); !at.IsZero() && at.Before(sim.now) {
			n.observed[i].Since = at
		}
	}
	sim.count(n, 1)
	sim.reconcile(n, condition.Wait)
	return n
}

// addPod adds a pod, which waits unless it has a node.
func (sim *simulation) addPod(spec *cluster.Pod, now time.Time) error {
	name := spec.FullName()
	if _, ok := sim.podIDs[name]; ok {
		return fmt.Errorf("pod %s exists or existed before; use another name", kubejson.Printable(name))
	}
	p := &pod{Pod: spec, node: -1, home: -1, arrived: now, history: History{Name: name}}
	id := len(sim.pods)
	sim.pods, sim.podIDs[name] = append(sim.pods, p), id
	if spec.Node == "" {
		sim.wait(id)
		return nil
	}
	i, ok := sim.nodeIDs[spec.Node]
	if !ok || !sim.nodes[i].exists {
		return fmt.Errorf("pod %s: its node %s does not exist", kubejson.Printable(name), kubejson.Printable(spec.Node))
	}
	if spec.Static || strings.HasPrefix(spec.Owner, "DaemonSet ") {
		p.home = i
	}
	sim.bind(id, i)
	sim.touch(sim.nodes[i])
	return nil
}

// run simulates the scenario.
func (sim *simulation) run(ctx context.Context) error {
	for found := true; found; found = sim.advance() {
		if err := sim.step(); err != nil {
			return err
		}
		if sim.work > maxWork {
			return fmt.Errorf("at %v: more than %d steps; use an earlier end or fewer events, and no seconds that evict pods again and again", sim.now.Sub(sim.begin), maxWork)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// advance sets the clock to the next step, and reports whether there is one before the end.
func (sim *simulation) advance() bool {
	next, ok := sim.zones.Next(sim.now)
	for _, q := range []interface{ Next() (int, time.Time, bool) }{&sim.events, &sim.notices, &sim.schedule} {
		if _, at, any := q.Next(); any && (!ok || at.Before(next)) {
			next, ok = at, true
		}
	}
	sim.now = next
	return ok && !next.After(sim.end)
}

// step does what is due, in a fixed order: events, the node controller, evictions, and
// the scheduler.
func (sim *simulation) step() error {
	clear(sim.same)
	sim.work += len(sim.counts) + len(sim.classes)
	for i := range sim.events.Due(sim.now) {
		if err := sim.happen(sim.Events[i]); err != nil {
			return fmt.Errorf("%s: at %v: %w", sim.Events[i].place, *sim.Events[i].At, err)
		}
	}
	for i := range sim.notices.Due(sim.now) {
		sim.believe(sim.nodes[i], readiness[1])
	}
	sim.updateZones()
	for i := range sim.zones.Due(sim.now) {
		sim.reconcile(sim.nodes[i], condition.AtOnce)
	}
	for _, n := range sim.dirty {
		sim.spread(n)
	}
	sim.dirty = sim.dirty[:0]
	for id := range sim.schedule.Due(sim.now) {
		p := sim.pods[id]
		p.history.Evictions++
		sim.add(Entry{Event: "Evicted", Reason: p.why}, sim.nodes[p.node], p)
		sim.leave(id)
	}
	for _, c := range sim.classes {
		if len(c.waiting) == 0 {
			continue
		}
		if i := sim.choose(c); i >= 0 {
			for _, id := range c.waiting {
				sim.place(id, i)
			}
			c.waiting, c.known = nil, 0
		}
		for _, id := range c.waiting[c.known:] {
			sim.add(Entry{Event: "Waits"}, nil, sim.pods[id])
			sim.markPod(sim.pods[id])
		}
		c.known = len(c.waiting)
	}
	return nil
}

func (sim *simulation) updateZones() {
	transition := sim.zones.Update(sim.now, sim.counts)
	for _, c := range transition.Changes {
		if c.Before.State != c.After.State {
			sim.add(Entry{Event: "Zone", Changes: []string{c.After.String()}}, nil, nil)
		}
	}
	if transition.Entered {
		sim.add(Entry{Event: "Zone", Changes: []string{"no node is ready: no evictions, and NoExecute taints of conditions are removed"}}, nil, nil)
	}
	if !transition.Entered && !transition.Left {
		return
	}
	sim.work += len(sim.nodes)
	for i, n := range sim.nodes {
		if transition.Entered && n.exists {
			n.status.Taints = condition.NodeEviction().Drop(n.status.Taints)
			sim.reconcile(n, condition.Wait)
		}
		if _, ok := sim.notices.Deadline(i); ok && transition.Left { // when it was last heard of is unknown
			sim.notices.Set(i, sim.now.Add(sim.GracePeriod))
		}
	}
}

// spread reports a change of a node to its pods and the scheduler.
func (sim *simulation) spread(n *node) {
	e := Entry{Event: "Tainted"}
	for _, c := range taint.Difference(n.before, n.status.Taints) {
		if !c.Before.IsZero() {
			e.Removed = append(e.Removed, c.Before)
		}
		if !c.After.IsZero() {
			e.Added = append(e.Added, c.After)
		}
	}
	if n.exists && len(e.Added)+len(e.Removed) > 0 {
		sim.add(e, n, nil)
	}
	had := slices.ContainsFunc(n.before, evicts)
	n.dirty, n.before = false, n.status.Taints
	n.observed = eviction.Observe(n.observed, n.status.Taints, sim.now)
	sim.markNode(n)
	for _, id := range n.pods {
		if had || slices.ContainsFunc(n.status.Taints, evicts) {
			sim.update(id, !had)
		}
		sim.markPod(sim.pods[id])
	}
	sim.work += 1 + len(sim.classes)/8
	for _, c := range sim.classes {
		for level, first := range c.first {
			if n.id < first && sim.fits(c.pod, n, level == 0) {
				c.first[level] = n.id
			}
		}
	}
}

func evicts(t taint.Taint) bool { return t.Effect() == taint.NoExecute }

// update evaluates when a pod must be evicted. Fresh means that its node had no NoExecute
// taint before.
func (sim *simulation) update(id int, fresh bool) {
	p := sim.pods[id]
	n := sim.nodes[p.node]
	if p.Static { // its kubelet runs it whatever the taints are
		return
	}
	sim.work += 1 + len(n.observed)*(1+len(p.Tolerations))
	d := sim.schedule.Update(id, n.observed, sim.now, eviction.Options{Choice: sim.Choice, Start: sim.Start, Arrived: p.arrived}, p.Tolerations).Decision
	if i, ok := d.Taint(); ok {
		p.why = match.Explain(n.observed[i].Taint, sim.Choice, p.Tolerations)
	}
	before := p.deadline
	p.deadline, _ = d.Deadline()
	switch {
	case d.Kind() == eviction.At && !p.deadline.Equal(before):
		e := Entry{Event: "Deadline", Reason: p.why}
		if !p.deadline.After(sim.end) {
			e.Deadline = Seconds(p.deadline.Sub(sim.begin))
		}
		sim.add(e, n, p)
	case d.Kind() == eviction.Never && !before.IsZero():
		sim.add(Entry{Event: "Cancelled"}, n, p)
	case d.Kind() == eviction.Never && fresh:
		sim.add(Entry{Event: "Stays"}, n, p)
	}
}

// touch notes that a node changes.
func (sim *simulation) touch(n *node) {
	if !n.dirty {
		n.dirty = true
		sim.dirty = append(sim.dirty, n)
	}
}

// reconcile makes the taints of a node those of its conditions.
func (sim *simulation) reconcile(n *node, pace condition.Pace) {
	sim.touch(n)
	taints, change := condition.Reconcile(n.status, condition.Options{At: sim.now, NoExecute: pace})
	_, waits := change.Waiting()
	if waits && !n.queued {
		sim.zones.Add(n.zone, n.id)
	} else if !waits {
		sim.zones.Remove(n.id)
	}
	n.status.Taints, n.queued = taints, waits
}

// count adds a node to those of its zone, or, with -1, removes it.
func (sim *simulation) count(n *node, sign int) {
	c := sim.counts[n.zone]
	switch {
	case disruption.Excluded(n.Labels):
	case condition.IsReady(n.status.Conditions):
		c.Ready += sign
	default:
		c.NotReady += sign
	}
	sim.counts[n.zone] = c
}

// believe sets a condition of a node, as the node controller knows it.
func (sim *simulation) believe(n *node, c condition.Condition) {
	sim.count(n, -1)
	n.status.Conditions = append([]condition.Condition{c}, slices.DeleteFunc(n.status.Conditions, func(old condition.Condition) bool { return old.Type == c.Type })...)
	sim.count(n, 1)
	sim.reconcile(n, condition.Wait)
}

// happen does what an event describes.
func (sim *simulation) happen(e *event) error {
	for _, spec := range e.nodes {
		if sim.nodes[sim.nodeIDs[spec.Name]].exists {
			return fmt.Errorf("node %s is already present; use another name", kubejson.Printable(spec.Name))
		}
		sim.add(Entry{Event: e.Event}, sim.join(spec, condition.AtCreation(spec.Taints)), nil)
	}
	for _, spec := range e.pods {
		if err := sim.addPod(spec, sim.now); err != nil {
			return err
		}
		sim.add(Entry{Event: e.Event}, nil, sim.pods[len(sim.pods)-1])
	}
	nodes, err := sim.targets(e)
	for _, n := range nodes {
		sim.work += 1 + len(n.pods)
		sim.add(Entry{Event: e.Event, Changes: e.changes()}, n, nil)
		sim.touch(n)
		switch e.Event {
		case "Unreachable":
			if !n.silent {
				sim.notices.Set(n.id, sim.now.Add(sim.GracePeriod))
			}
			n.silent = true
		case "Ready", "NotReady":
			n.silent = false
			sim.notices.Remove(n.id)
			sim.believe(n, readiness[map[string]int{"NotReady": 0, "Ready": 2}[e.Event]])
		case "Conditions":
			for _, c := range e.Conditions {
				sim.believe(n, c)
			}
		case "Cordon", "Uncordon":
			n.status.Unschedulable = e.Event == "Cordon"
			sim.reconcile(n, condition.Wait)
		case "Initialized":
			n.status.Taints = condition.CloudStartup().Drop(n.status.Taints)
		case "Taint":
			taints, _, err := taint.Apply(n.status.Taints, e.edits, taint.EditOptions{Overwrite: true, TimeAdded: sim.now})
			if err != nil {
				return fmt.Errorf("node %s: %w", kubejson.Printable(n.Name), err)
			}
			n.status.Taints = taints
			sim.reconcile(n, condition.Wait)
		case "Delete":
			sim.count(n, -1)
			sim.zones.Remove(n.id)
			sim.notices.Remove(n.id)
			n.exists, n.silent, n.queued, n.status = false, false, false, condition.NodeStatus{}
			for len(n.pods) > 0 {
				sim.leave(n.pods[0])
			}
		}
	}
	return err
}

// changes describes what an event changes.
func (e *event) changes() []string {
	list := slices.Clone(e.Edits)
	for _, c := range e.Conditions {
		list = append(list, c.Type+"="+c.Status)
	}
	return list
}

// targets returns the nodes of an event.
func (sim *simulation) targets(e *event) (nodes []*node, err error) {
	for _, name := range e.Nodes {
		i, ok := sim.nodeIDs[name]
		if !ok || !sim.nodes[i].exists {
			return nil, fmt.Errorf("node %s does not exist", kubejson.Printable(name))
		}
		nodes = append(nodes, sim.nodes[i])
	}
	if e.selector == nil {
		return nodes, nil
	}
	for _, n := range sim.nodes {
		sim.work += 1 + len(*e.Selector)/8
		if n.exists && e.selector.Matches(labels.Set(n.Labels)) {
			nodes = append(nodes, n)
		}
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("no node has the labels %s", kubejson.Printable(*e.Selector))
	}
	return nodes[:(len(nodes)*cmp.Or(e.Percent, 100)+99)/100], nil
}

// leave removes a pod from its node. If it has an owner, it waits for another one.
func (sim *simulation) leave(id int) {
	p := sim.pods[id]
	n := sim.nodes[p.node]
	last := n.pods[len(n.pods)-1]
	n.pods[p.index], sim.pods[last].index = last, p.index
	n.pods = n.pods[:len(n.pods)-1]
	p.node, p.deadline = -1, time.Time{}
	sim.schedule.Remove(id)
	if p.Owner != "" && (p.home < 0 || n.exists) {
		sim.wait(id)
		return
	}
	p.gone = true
	sim.add(Entry{Event: "Gone"}, nil, p)
	sim.markPod(p)
}

// wait lets a pod wait for the scheduler.
func (sim *simulation) wait(id int) {
	p := sim.pods[id]
	if p.class == nil {
		key := fmt.Sprint(p.home, p.Tolerations, p.Placement.Text)
		if sim.classIDs[key] == nil {
			sim.classIDs[key] = &class{pod: p}
			sim.classes = append(sim.classes, sim.classIDs[key])
		}
		p.class = sim.classIDs[key]
	}
	p.class.waiting = append(p.class.waiting, id)
}

// choose returns the first node for the pods of a class, or -1. Nodes whose
// PreferNoSchedule taints they tolerate are first.
func (sim *simulation) choose(c *class) int {
	if c.home >= 0 && sim.fits(c.pod, sim.nodes[c.home], false) {
		return c.home
	}
	for level := range c.first {
		for i := &c.first[level]; *i < len(sim.nodes) && c.home < 0; *i++ {
			if sim.fits(c.pod, sim.nodes[*i], level == 0) {
				return *i
			}
		}
	}
	return -1
}

// fits reports whether a pod can be scheduled to the node, and is not evicted at once.
func (sim *simulation) fits(p *pod, n *node, preferred bool) bool {
	sim.work += 1 + len(n.status.Taints)*(1+len(p.Tolerations))
	if !n.exists {
		return false
	}
	r := match.Node{Taints: n.status.Taints, Unschedulable: n.status.Unschedulable}.Filter(p.Tolerations)
	if !r.Schedulable() || preferred && !r.Preferred() {
		return false
	}
	if sim.work += len(p.Placement.Text); !p.Placement.Admits(n.Node) {
		return false
	}
	opts := eviction.Options{Choice: sim.Choice, Start: sim.Start, Arrived: sim.now}
	return eviction.Decide(n.observed, sim.now, opts, p.Tolerations).Kind() != eviction.Now
}

func (sim *simulation) place(id, i int) {
	p := sim.pods[id]
	p.arrived = sim.now
	sim.add(Entry{Event: "Scheduled"}, sim.nodes[i], p)
	sim.bind(id, i)
	sim.update(id, false)
	sim.markPod(p)
}

func (sim *simulation) bind(id, i int) {
	p, n := sim.pods[id], sim.nodes[i]
	p.node, p.index = i, len(n.pods)
	n.pods = append(n.pods, id)
}
