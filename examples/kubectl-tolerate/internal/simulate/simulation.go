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
	named           map[string]*node
	pods            map[string]*pod
	classes         []*class
	alike           map[string]*class

	events   eviction.Queue[*event] // of the scenario, and when silent nodes are noticed
	schedule eviction.Schedule[*pod]
	zones    *disruption.Limiter[*node] // nodes that wait for their NoExecute taint
	counts   map[disruption.Zone]disruption.Count
	dirty    []*node // that have changed in this step

	timeline []*Entry
	same     map[string]*Entry // entries of this step
	work     int
}

type node struct {
	*cluster.Node
	id             int  // the index in the list of nodes
	exists, silent bool // silent: its kubelet is not heard of
	status         condition.NodeStatus
	zone           disruption.Zone
	observed       []eviction.Observed
	notice         *event // when it is noticed that the node is silent
	pods           []*pod
	before         taint.List // when the step began
	dirty          bool
	cause          Entry // of the changes in this step
	history        History
}

type pod struct {
	*cluster.Pod
	node     *node // nil if it waits
	index    int   // in the node's list
	home     *node // the only node of a daemon's or static pod
	class    *class
	arrived  time.Time
	deadline time.Time
	why      match.Explanation // of the deadline
	deleted  bool
	history  History
}

// A class is pods that can be scheduled to the same nodes.
type class struct {
	*pod           // any of them
	first   [2]int // no node before can be used: of those that are preferred, and of all
	waiting []*pod
	known   int // how many of them are reported
}

// maxWork limits a simulation to about ten seconds, and its report to 250,000 entries.
const maxWork = 500_000_000

// newSimulation returns the simulation of a cluster, in which every object is readable.
func newSimulation(c *cluster.Cluster, s *scenario, begin time.Time) (*simulation, error) {
	rates := disruption.Rates{Usual: s.Rate, Reduced: s.SecondaryRate, LargeZone: s.LargeZone, Unhealthy: s.Unhealthy}
	sim := &simulation{scenario: s, named: map[string]*node{}, pods: map[string]*pod{}, alike: map[string]*class{}, timeline: []*Entry{},
		zones: disruption.NewLimiter[*node](rates), same: map[string]*Entry{}}
	for _, n := range c.Nodes {
		for _, t := range n.Taints {
			if at := t.TimeAdded(); at.After(begin) {
				begin = at // nothing is added later
			}
		}
	}
	sim.begin, sim.now, sim.end = begin, begin, begin.Add(s.End)
	specs := slices.Clone(c.Nodes)
	for _, e := range s.Events {
		specs = append(specs, e.nodes...)
		sim.events.Set(e, begin.Add(*e.At))
	}
	slices.SortStableFunc(specs, func(a, b *cluster.Node) int { return cmp.Compare(a.Name, b.Name) })
	for _, spec := range slices.CompactFunc(specs, func(a, b *cluster.Node) bool { return a.Name == b.Name }) {
		n := &node{id: len(sim.nodes), history: History{Name: spec.Name}, notice: &event{Event: "Tainted", Nodes: []string{spec.Name}}}
		sim.nodes, sim.named[spec.Name] = append(sim.nodes, n), n
	}
	for _, n := range c.Nodes {
		sim.join(n, n.Taints).before = n.Taints
	}
	for _, p := range c.Pods {
		if p.Finished() || p.Terminating {
			continue
		}
		if err := sim.addPod(p, time.Time{}); err != nil {
			return nil, err
		}
		sim.replay(sim.pods[p.FullName()])
	}
	return sim, nil
}

// The conditions that require taints, and Ready.
var (
	ready       = condition.Condition{Type: condition.TypeReady, Status: condition.StatusTrue}
	notReady    = condition.Condition{Type: condition.TypeReady, Status: condition.StatusFalse}
	unreachable = condition.Condition{Type: condition.TypeReady, Status: condition.StatusUnknown}
	pressures   = []string{condition.TypeMemoryPressure, condition.TypeDiskPressure, condition.TypePIDPressure, condition.TypeNetworkUnavailable}
)

// join adds a node. Its taints state its conditions.
func (sim *simulation) join(spec *cluster.Node, taints taint.List) *node {
	n := sim.named[spec.Name]
	n.Node, n.exists, n.zone, n.observed = spec, true, disruption.ZoneOf(spec.Labels), eviction.Observe(nil, taints, sim.now)
	n.status = condition.NodeStatus{Taints: taints, Unschedulable: spec.Unschedulable}
	n.set(ready)
	conditions := []condition.Condition{unreachable, notReady}
	for _, p := range pressures {
		conditions = append(conditions, condition.Condition{Type: p, Status: condition.StatusTrue})
	}
	for _, c := range conditions {
		required, _ := condition.Reconcile(condition.NodeStatus{Conditions: []condition.Condition{c}}, condition.Options{NoExecute: condition.AtOnce})
		if slices.ContainsFunc(taints, func(t taint.Taint) bool { return slices.ContainsFunc(required, t.SameKeyEffect) }) {
			n.set(c)
		}
	}
	n.silent = slices.Contains(n.status.Conditions, unreachable)
	for i, o := range n.observed {
		if at := o.Taint.TimeAdded(); !at.IsZero() && at.Before(sim.now) {
			n.observed[i].Since = at
		}
	}
	sim.touch(n)
	return n
}

// addPod adds a pod, which waits unless it has a node.
func (sim *simulation) addPod(spec *cluster.Pod, now time.Time) error {
	name := spec.FullName()
	if sim.pods[name] != nil {
		return fmt.Errorf("pod %s exists or existed before; use another name", kubejson.Printable(name))
	}
	p := &pod{Pod: spec, arrived: now, history: History{Name: name}}
	sim.pods[name] = p
	if spec.Node == "" {
		sim.wait(p)
		return nil
	}
	n := sim.named[spec.Node]
	if n == nil || !n.exists {
		return fmt.Errorf("pod %s: its node %s does not exist", kubejson.Printable(name), kubejson.Printable(spec.Node))
	}
	if spec.Static || strings.HasPrefix(spec.Owner, "DaemonSet ") {
		p.home = n
	}
	sim.bind(p, n)
	sim.touch(n)
	return nil
}

// replay starts the seconds of a pod whose node has had a taint for some time.
func (sim *simulation) replay(p *pod) {
	if p.node == nil {
		return
	}
	start, opts := sim.now, eviction.Options{Choice: sim.Choice}
	for _, o := range p.node.observed {
		since := o.Since
		if since.Before(p.Started) {
			since = p.Started
		}
		if since.Before(start) && eviction.Decide([]eviction.Observed{o}, sim.now, opts, p.Tolerations).Kind() != eviction.Never {
			start = since
		}
	}
	later := func(o eviction.Observed) bool { return o.Since.After(start) }
	sim.decide(p, slices.DeleteFunc(slices.Clone(p.node.observed), later), start)
}

// decide returns when a pod must be evicted.
func (sim *simulation) decide(p *pod, observed []eviction.Observed, now time.Time) eviction.Decision {
	if p.Static { // its kubelet runs it whatever the taints are
		return eviction.Decision{}
	}
	sim.work += 1 + len(observed)*(1+len(p.Tolerations))
	d := sim.schedule.Update(p, observed, now, eviction.Options{Choice: sim.Choice, Start: sim.Start, Arrived: p.arrived}, p.Tolerations).Decision
	if i, ok := d.Taint(); ok {
		p.why = match.Explain(observed[i].Taint, sim.Choice, p.Tolerations)
	}
	return d
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
	if _, at, any := sim.events.Next(); any && (!ok || at.Before(next)) {
		next, ok = at, true
	}
	if _, at, any := sim.schedule.Next(); any && (!ok || at.Before(next)) {
		next, ok = at, true
	}
	sim.now = next
	return ok && !next.After(sim.end)
}

// step does what is due, in a fixed order: events, the node controller, evictions, and
// the scheduler.
func (sim *simulation) step() error {
	clear(sim.same)
	sim.work += len(sim.counts) + len(sim.classes)
	for e := range sim.events.Due(sim.now) {
		if err := sim.happen(e); err != nil {
			return fmt.Errorf("%s: at %v: %w", e.place, *e.At, err)
		}
	}
	for _, n := range sim.dirty {
		sim.reconcile(n, condition.Wait)
	}
	if len(sim.dirty) > 0 {
		sim.counts = sim.count()
	}
	transition := sim.zones.Update(sim.now, sim.counts)
	if transition.Entered || transition.Left {
		sim.disrupt(transition.Entered)
	}
	for n := range sim.zones.Due(sim.now) {
		sim.reconcile(n, condition.AtOnce)
	}
	for _, n := range sim.dirty {
		sim.describe(n)
	}
	for _, c := range transition.Changes {
		if c.Before.State != c.After.State {
			sim.add(Entry{Event: "Zone", Changes: []string{c.After.String()}}, nil, nil)
		}
	}
	if transition.Entered {
		sim.add(Entry{Event: "Zone", Changes: []string{"no node is ready: no evictions, and NoExecute taints of conditions are removed"}}, nil, nil)
	}
	for _, n := range sim.dirty {
		sim.spread(n)
	}
	sim.dirty = sim.dirty[:0]
	for p := range sim.schedule.Due(sim.now) {
		p.history.Evictions++
		sim.add(Entry{Event: "Evicted", Reason: p.why}, p.node, p)
		sim.leave(p)
	}
	for _, c := range sim.classes {
		if len(c.waiting) == 0 {
			continue
		}
		if n := sim.choose(c); n != nil {
			for _, p := range c.waiting {
				p.arrived = sim.now
				sim.add(Entry{Event: "Scheduled"}, n, p)
				sim.bind(p, n)
				sim.update(p, false)
				sim.mark(p)
			}
			c.waiting, c.known = nil, 0
		}
		for _, p := range c.waiting[c.known:] {
			sim.add(Entry{Event: "Pending"}, nil, p)
			sim.mark(p)
		}
		c.known = len(c.waiting)
	}
	return nil
}

// disrupt does what is done once when all zones are in full disruption, or no longer are.
func (sim *simulation) disrupt(entered bool) {
	sim.work += len(sim.nodes)
	for _, n := range sim.nodes {
		if entered && n.exists {
			n.status.Taints = condition.NodeEviction().Drop(n.status.Taints)
			sim.reconcile(n, condition.Wait)
		}
		if _, ok := sim.events.Deadline(n.notice); ok && !entered { // when it was last heard of is unknown
			sim.events.Set(n.notice, sim.now.Add(sim.GracePeriod))
		}
	}
}

// because sets the cause of a node's next changes, and reports the one before.
func (sim *simulation) because(n *node, e Entry) {
	if n.cause.Event != "" {
		sim.add(n.cause, n, nil)
	}
	n.cause = e
	sim.touch(n)
}

// describe reports how the taints of a node have changed, and why.
func (sim *simulation) describe(n *node) {
	e := n.cause
	for _, c := range taint.Difference(n.before, n.status.Taints) {
		if !c.Before.IsZero() {
			e.Removed = append(e.Removed, c.Before)
		}
		if !c.After.IsZero() {
			e.Added = append(e.Added, c.After)
		}
	}
	if len(e.Added)+len(e.Removed) > 0 {
		e.Event = cmp.Or(e.Event, "Tainted")
	}
	if e.Event != "" {
		sim.add(e, n, nil)
	}
	n.cause = Entry{}
}

// spread reports a change of a node to its pods and the scheduler.
func (sim *simulation) spread(n *node) {
	had := slices.ContainsFunc(n.before, evicts)
	n.dirty, n.before = false, n.status.Taints
	n.observed = eviction.Observe(n.observed, n.status.Taints, sim.now)
	sim.set(&n.history, n.state(), n.status.Taints.String())
	for _, p := range n.pods {
		if had || slices.ContainsFunc(n.status.Taints, evicts) {
			sim.update(p, !had)
		}
		sim.mark(p)
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
func (sim *simulation) update(p *pod, fresh bool) {
	d := sim.decide(p, p.node.observed, sim.now)
	before := p.deadline
	p.deadline, _ = d.Deadline()
	switch {
	case d.Kind() == eviction.At && !p.deadline.Equal(before):
		e := Entry{Event: "EvictionPlanned", Reason: p.why}
		if !p.deadline.After(sim.end) {
			e.Deadline = Seconds(p.deadline.Sub(sim.begin))
		}
		sim.add(e, p.node, p)
	case d.Kind() == eviction.Never && !before.IsZero():
		sim.add(Entry{Event: "EvictionCancelled"}, p.node, p)
	case d.Kind() == eviction.Never && fresh && !p.Static:
		sim.add(Entry{Event: "Stays"}, p.node, p)
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
	status := n.status
	if slices.Contains(status.Conditions, unreachable) { // then those that its kubelet reports are unknown
		status.Conditions = slices.DeleteFunc(slices.Clone(status.Conditions), func(c condition.Condition) bool {
			return c != unreachable && c.Type != condition.TypeNetworkUnavailable
		})
	}
	taints, change := condition.Reconcile(status, condition.Options{At: sim.now, NoExecute: pace})
	if _, waits := change.Waiting(); waits {
		sim.zones.Add(n.zone, n)
	} else {
		sim.zones.Remove(n)
	}
	n.status.Taints = taints
}

// count returns the nodes of each zone.
func (sim *simulation) count() map[disruption.Zone]disruption.Count {
	counts := map[disruption.Zone]disruption.Count{}
	sim.work += len(sim.nodes)
	for _, n := range sim.nodes {
		if !n.exists || disruption.Excluded(n.Labels) {
			continue
		}
		c := counts[n.zone]
		if condition.IsReady(n.status.Conditions) {
			c.Ready++
		} else {
			c.NotReady++
		}
		counts[n.zone] = c
	}
	return counts
}

// set sets a condition of a node, as the node controller knows it.
func (n *node) set(c condition.Condition) {
	others := slices.DeleteFunc(n.status.Conditions, func(old condition.Condition) bool { return old.Type == c.Type })
	n.status.Conditions = append(others, c)
}

// happen does what an event describes.
func (sim *simulation) happen(e *event) error {
	cause := Entry{Event: e.Event, Changes: e.changes}
	for _, spec := range e.nodes {
		if sim.named[spec.Name].exists {
			return fmt.Errorf("node %s is already present; use another name", kubejson.Printable(spec.Name))
		}
		sim.because(sim.join(spec, condition.AtCreation(spec.Taints)), cause)
	}
	for _, spec := range e.pods {
		if err := sim.addPod(spec, sim.now); err != nil {
			return err
		}
		sim.add(cause, nil, sim.pods[spec.FullName()])
	}
	nodes, err := sim.targets(e)
	for _, n := range nodes {
		if sim.work += 1 + len(n.pods) + 500*len(e.edits); sim.work > maxWork { // a taint takes memory
			return nil // the caller reports it
		}
		sim.because(n, cause)
		switch e.Event {
		case "Unreachable":
			if !n.silent {
				sim.events.Set(n.notice, sim.now.Add(sim.GracePeriod))
			}
			n.silent = true
		case "Tainted":
			n.cause.Changes = []string{"no heartbeat for " + sim.GracePeriod.String()}
			n.set(unreachable)
		case "Ready", "NotReady":
			n.silent = false
			sim.events.Remove(n.notice)
			n.set(map[string]condition.Condition{"Ready": ready, "NotReady": notReady}[e.Event])
		case "Conditions":
			for _, c := range e.Conditions {
				n.set(c)
			}
		case "Cordon", "Uncordon":
			n.status.Unschedulable = e.Event == "Cordon"
		case "Initialized":
			n.status.Taints = condition.CloudStartup().Drop(n.status.Taints)
		case "Taint":
			taints, _, err := taint.Apply(n.status.Taints, e.edits, taint.EditOptions{Overwrite: true, TimeAdded: sim.now})
			if err != nil {
				return fmt.Errorf("node %s: %w", kubejson.Printable(n.Name), err)
			}
			n.status.Taints = taints
		case "Delete":
			sim.because(n, Entry{}) // its pods are reported after it
			sim.events.Remove(n.notice)
			n.exists, n.silent, n.status, n.before = false, false, condition.NodeStatus{}, nil
			for len(n.pods) > 0 {
				sim.leave(n.pods[0])
			}
		}
	}
	return err
}

// targets returns the nodes of an event.
func (sim *simulation) targets(e *event) (nodes []*node, err error) {
	for _, name := range e.Nodes {
		n := sim.named[name]
		if n == nil || !n.exists {
			return nil, fmt.Errorf("node %s does not exist", kubejson.Printable(name))
		}
		nodes = append(nodes, n)
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
	percent := 100
	if e.Percent != nil {
		percent = *e.Percent
	}
	return nodes[:(len(nodes)*percent+99)/100], nil
}

// leave removes a pod from its node. If it has an owner, it waits for another one.
func (sim *simulation) leave(p *pod) {
	n := p.node
	last := n.pods[len(n.pods)-1]
	n.pods[p.index], last.index = last, p.index
	n.pods = n.pods[:len(n.pods)-1]
	p.node, p.deadline = nil, time.Time{}
	sim.schedule.Remove(p)
	if p.Owner != "" && (p.home == nil || n.exists) {
		sim.wait(p)
		return
	}
	p.deleted = true
	sim.add(Entry{Event: "Deleted"}, nil, p)
	sim.mark(p)
}

// wait lets a pod wait for the scheduler.
func (sim *simulation) wait(p *pod) {
	if p.class == nil {
		key := fmt.Sprintf("%p %v %s", p.home, p.Tolerations, p.Placement.Text)
		if sim.alike[key] == nil {
			sim.alike[key] = &class{pod: p}
			sim.classes = append(sim.classes, sim.alike[key])
		}
		p.class = sim.alike[key]
	}
	p.class.waiting = append(p.class.waiting, p)
}

// choose returns the first node for the pods of a class, or nil. Nodes whose
// PreferNoSchedule taints they tolerate are first.
func (sim *simulation) choose(c *class) *node {
	if c.home != nil {
		if sim.fits(c.pod, c.home, false) {
			return c.home
		}
		return nil
	}
	for level := range c.first {
		for i := &c.first[level]; *i < len(sim.nodes); *i++ {
			if n := sim.nodes[*i]; sim.fits(c.pod, n, level == 0) {
				return n
			}
		}
	}
	return nil
}

// fits reports whether a pod can be scheduled to the node, and is not evicted at once.
func (sim *simulation) fits(p *pod, n *node, preferred bool) bool {
	sim.work += 1 + len(n.status.Taints)*(1+len(p.Tolerations))
	if !n.exists || sim.work > maxWork {
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

func (sim *simulation) bind(p *pod, n *node) {
	p.node, p.index = n, len(n.pods)
	n.pods = append(n.pods, p)
}
