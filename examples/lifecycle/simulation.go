package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

// A simulation is a cluster on its way through the day. It goes from one event
// to the next; nothing happens in between.
type simulation struct {
	settings
	begin time.Time
	now   clock

	nodes   []*node
	pods    []*pod
	initial []int // where each pod is to be at the beginning, or -1

	profiles map[string]int    // lists of tolerations, by their text
	lists    []toleration.List // and by number

	// What is still to come.
	script   []*happening        // what happens to nodes
	notices  eviction.Queue[int] // silent nodes, when that is noticed
	starts   eviction.Queue[int] // pods, when they run
	schedule eviction.Schedule[int]
	zones    *disruption.Limiter[int] // nodes that wait for their NoExecute taint

	counts  map[disruption.Zone]disruption.Count
	recount bool // counts have changed in this step
	dirty   []int
	begun   bool
	opened  bool // there may be a place for a pod that waits

	placer  *placer
	waiting []int // pods without a node, first come, first served
	noise   *rand.Rand

	timeline []entry
	groups   map[group]int // entries of this step
	stats    stats
	most     int // evictions
}

// A happening is an event and the nodes that it is about.
type happening struct {
	*event
	nodes []int
}

func newSimulation(set settings) *simulation {
	sim := &simulation{
		settings: set,
		most:     mostEvictions,
		begin:    time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), // or later: see build
		profiles: map[string]int{},
		zones:    disruption.NewLimiter[int](set.rates),
		counts:   map[disruption.Zone]disruption.Count{},
		groups:   map[group]int{},
		noise:    rand.New(rand.NewPCG(set.seed, 1)),
	}
	sim.stats.by = map[string]int{}
	sim.stats.zones = map[disruption.Zone]*zoneStats{}
	return sim
}

func (sim *simulation) time(c clock) time.Time  { return sim.begin.Add(time.Duration(c)) }
func (sim *simulation) clock(t time.Time) clock { return clock(t.Sub(sim.begin)) }

// order sorts the script; what is at the same time stays as it was written.
func (sim *simulation) order() {
	slices.SortStableFunc(sim.script, func(a, b *happening) int { return cmp.Compare(a.at, b.at) })
}

// mostEvictions is the number from which a day is rejected.
const mostEvictions = 1_000_000

// run is the whole day.
func (sim *simulation) run() error {
	sim.start()
	for sim.advance() {
		sim.step()
		if sim.stats.evictions > sim.most {
			return fmt.Errorf("at %v there were more than %d evictions; some pods come and go without end", sim.now, sim.most)
		}
	}
	sim.now = sim.end
	sim.finish()
	return nil
}

// advance goes to the next event; false when there is none before the end.
func (sim *simulation) advance() bool {
	next, found := sim.time(sim.end), false
	earlier := func(at time.Time, ok bool) {
		if ok && !at.After(next) {
			next, found = at, true
		}
	}
	if len(sim.script) > 0 {
		earlier(sim.time(clock(sim.script[0].at)), true)
	}
	_, at, ok := sim.notices.Next()
	earlier(at, ok)
	_, at, ok = sim.starts.Next()
	earlier(at, ok)
	_, at, ok = sim.schedule.Next()
	earlier(at, ok)
	earlier(sim.zones.Next(sim.time(sim.now)))
	if found {
		sim.now = sim.clock(next)
	}
	return found
}

// start is the state of the cluster as the day begins: all pods run that have
// a place.
func (sim *simulation) start() {
	sim.placer = newPlacer(len(sim.nodes), sim.maxPods, sim.seed)
	for i, n := range sim.nodes {
		sim.touch(i)
		sim.count(n, 1)
		if !n.excluded {
			sim.stats.zone(n.zone).nodes++
		}
		sim.reconcile(i, condition.Wait)
	}
	sim.settle()
	for id, p := range sim.pods {
		switch at := sim.initial[id]; {
		case at >= 0:
			sim.put(id, at)
		case p.home >= 0:
			sim.placeAtHome(id)
		default:
			sim.place(id)
		}
		if p.node >= 0 {
			sim.starts.Remove(id)
			p.phase = running
			if sim.nodes[p.node].health != healthy {
				p.goDown(0)
			}
		}
	}
	sim.begun = true
	sim.step()
}

// step does everything that is due now.
func (sim *simulation) step() {
	now := sim.time(sim.now)
	for id := range sim.starts.Due(now) {
		sim.runs(id)
	}
	for len(sim.script) > 0 && clock(sim.script[0].at) <= sim.now {
		h := sim.script[0]
		sim.script = sim.script[1:]
		sim.happen(h)
	}
	for i := range sim.notices.Due(now) {
		sim.notice(i)
	}
	sim.settle()
	for id := range sim.schedule.Due(now) {
		sim.evict(id)
	}
	if sim.opened {
		sim.opened = false
		sim.placeWaiting()
	}
	clear(sim.groups)
}

// settle lets the control plane make of the nodes what has to be made of them,
// and updates the pods.
func (sim *simulation) settle() {
	now := sim.time(sim.now)
	if sim.recount {
		sim.recount = false
		sim.updateZones(now)
	}
	for i := range sim.zones.Due(now) {
		sim.nodes[i].waits = false
		sim.reconcile(i, condition.AtOnce)
		sim.stats.zone(sim.nodes[i].zone).tainted++
	}
	for _, i := range sim.dirty {
		sim.spread(i, now)
	}
	changed := sim.dirty
	sim.dirty = sim.dirty[:0]
	for _, i := range changed {
		for _, id := range sim.nodes[i].daemons {
			if sim.pods[id].phase == away {
				sim.placeAtHome(id)
			}
		}
	}
}

// spread reports a change of a node to the scheduler, the pods that are there, and
// the timeline.
func (sim *simulation) spread(i int, now time.Time) {
	n := sim.nodes[i]
	n.dirty = false
	had := slices.ContainsFunc(n.before, evicts)
	sim.reportTaints(n)
	sim.placer.index.Put(i, n.matchNode())
	sim.opened = true
	if !had && !n.hasNoExecute() {
		n.observed = nil
		return
	}
	n.observed = eviction.Observe(n.observed, n.state.Taints, now)
	for _, id := range n.pods {
		p := sim.pods[id]
		if p.kind == static {
			continue // its kubelet runs it, whatever anybody says
		}
		change := sim.schedule.Update(id, n.observed, now, sim.arrived(sim.time(p.arrived)), p.tolerations)
		sim.reportChange(n, p, change, !had)
	}
}

// arrived returns the options for a pod that was scheduled to its node then.
func (sim *simulation) arrived(at time.Time) eviction.Options {
	opts := sim.deadlines
	opts.Arrived = at
	return opts
}

func evicts(t taint.Taint) bool { return t.Effect() == taint.NoExecute }

// updateZones judges the zones anew.
func (sim *simulation) updateZones(now time.Time) {
	transition := sim.zones.Update(now, sim.counts)
	for _, c := range transition.Changes {
		if c.Before.Count == (disruption.Count{}) && c.After.State == disruption.Normal {
			continue // as the day begins
		}
		sim.stats.zone(c.After.Zone).become(c.After.State, sim.now)
		name := c.After.Zone.String()
		sim.add(entry{What: zoneChanged, Zone: &name, State: &zoneState{c.After.State, c.After.Count.Ready, c.After.Count.NotReady, c.After.Rate}})
	}
	if transition.Entered {
		sim.add(entry{What: allLost})
		evictions := condition.NodeEviction()
		for i, n := range sim.nodes {
			if slices.ContainsFunc(n.state.Taints, evictions.Has) {
				sim.touch(i)
				n.state.Taints = evictions.Drop(n.state.Taints)
			}
			sim.reconcile(i, condition.Wait)
		}
	}
	if transition.Left {
		sim.add(entry{What: notAllLost})
		for i := range sim.nodes { // when they were last heard of is not known any more
			if _, ok := sim.notices.Deadline(i); ok {
				sim.noticeLater(i)
			}
		}
	}
}

// touch says that a node is about to change.
func (sim *simulation) touch(i int) {
	if n := sim.nodes[i]; !n.dirty {
		n.dirty, n.before = true, n.state.Taints
		sim.dirty = append(sim.dirty, i)
	}
}

// reconcile brings a node's taints in line with its conditions.
func (sim *simulation) reconcile(i int, pace condition.Pace) {
	n := sim.nodes[i]
	taints, change := condition.Reconcile(n.state, condition.Options{At: sim.time(sim.now), NoExecute: pace})
	if change.Changed() {
		sim.touch(i)
		n.state.Taints = taints
	}
	_, waits := change.Waiting()
	if waits == n.waits {
		return
	}
	sim.touch(i)
	n.waits = waits
	if waits {
		sim.zones.Add(n.zone, i)
	} else {
		sim.zones.Remove(i)
	}
}

// count counts a node in its zone, or, with -1, takes it out.
func (sim *simulation) count(n *node, sign int) {
	if n.excluded {
		return
	}
	c := sim.counts[n.zone]
	if n.believedReady() {
		c.Ready += sign
	} else {
		c.NotReady += sign
	}
	sim.counts[n.zone] = c
	sim.recount = true
}

// believe sets a node's condition, as the control plane sees it.
func (sim *simulation) believe(i int, c condition.Condition) {
	n := sim.nodes[i]
	sim.count(n, -1)
	conditions := slices.Clone(n.state.Conditions)
	at := slices.IndexFunc(conditions, func(b condition.Condition) bool { return b.Type == c.Type })
	if at < 0 {
		conditions = append(conditions, c)
	} else {
		conditions[at] = c
	}
	n.state.Conditions = conditions
	sim.count(n, 1)
	sim.touch(i)
	sim.reconcile(i, condition.Wait)
}

// happen does what the script says.
func (sim *simulation) happen(h *happening) {
	e := entry{What: words[h.action]}
	down := 0
	for _, i := range h.nodes {
		n := sim.nodes[i]
		switch h.action {
		case falls:
			if n.health == silent {
				continue
			}
			down += sim.lose(i, silent)
			sim.noticeLater(i)
		case notReady:
			if n.health == sick {
				continue
			}
			down += sim.lose(i, sick)
			sim.notices.Remove(i)
			sim.believe(i, condition.Condition{Type: condition.TypeReady, Status: condition.StatusFalse})
		case ready:
			if n.health == healthy {
				continue
			}
			down -= sim.regain(i)
			sim.notices.Remove(i)
			sim.believe(i, condition.Condition{Type: condition.TypeReady, Status: condition.StatusTrue})
		case sets:
			sim.believe(i, h.status)
			e.Status = h.status.Type + "=" + h.status.Status
		case cordons, uncordons:
			if n.state.Unschedulable == (h.action == cordons) {
				continue
			}
			sim.touch(i)
			n.state.Unschedulable = h.action == cordons
			sim.reconcile(i, condition.Wait)
		case edits:
			taints, _, err := taint.Apply(n.state.Taints, h.edits, taint.EditOptions{Overwrite: true, TimeAdded: sim.time(sim.now)})
			if err != nil {
				sim.add(entry{What: refused, Nodes: []string{n.name}, Problem: err.Error()})
				sim.stats.refused++
				continue
			}
			sim.touch(i)
			n.state.Taints = taints
			sim.reconcile(i, condition.Wait)
		}
		e.Nodes = append(e.Nodes, n.name)
	}
	if len(e.Nodes) == 0 {
		return // nothing that is not so already
	}
	switch h.action {
	case falls, notReady, ready:
		down = max(down, -down)
		e.Down = &down
	case edits:
		for _, one := range h.edits {
			e.Edits = append(e.Edits, one.String())
		}
	}
	sim.add(e)
}

var words = map[action]what{
	falls: becameSilent, notReady: becameNotReady, ready: becameReady, sets: setCondition,
	cordons: cordoned, uncordons: uncordoned, edits: edited,
}

// lose takes the pods of a node down with it, and returns how many that are.
func (sim *simulation) lose(i int, to health) (down int) {
	n := sim.nodes[i]
	if n.health == healthy {
		n.failures++
	}
	n.health = to
	for _, id := range n.pods {
		p := sim.pods[id]
		sim.starts.Remove(id)
		if p.downSince == up {
			down++
		}
		p.goDown(sim.now)
	}
	return down
}

// regain brings the pods of a node up with it, those that had started at once,
// and returns how many these are.
func (sim *simulation) regain(i int) (back int) {
	n := sim.nodes[i]
	n.health = healthy
	for _, id := range n.pods {
		if p := sim.pods[id]; p.phase == running {
			p.comeUp(sim.now)
			back++
		} else {
			sim.starts.Set(id, sim.time(sim.now+sim.startup))
		}
	}
	return back
}

// noticeLater says when it is noticed that a node is silent.
func (sim *simulation) noticeLater(i int) {
	after := sim.grace
	if seconds := int64(time.Duration(sim.settings.spread) / time.Second); seconds > 0 {
		after += clock(sim.noise.Int64N(seconds+1)) * clock(time.Second)
	}
	sim.notices.Set(i, sim.time(sim.now+after))
}

// notice says that nothing has been heard of a node for too long.
func (sim *simulation) notice(i int) {
	sim.believe(i, condition.Condition{Type: condition.TypeReady, Status: condition.StatusUnknown})
	sim.addTo(group{what: noticed}, func() entry { return entry{What: noticed} }, sim.nodes[i].name, "")
}

// runs says that a pod has started.
func (sim *simulation) runs(id int) {
	p := sim.pods[id]
	p.phase = running
	d := p.comeUp(sim.now)
	sim.add(entry{What: runs, Pods: []string{p.name}, Nodes: []string{sim.nodes[p.node].name}, DownFor: &d})
}

// evict removes a pod from its node, and creates its replacement.
func (sim *simulation) evict(id int) {
	p := sim.pods[id]
	n := sim.nodes[p.node]
	e := entry{What: evicted, Pods: []string{p.name}, Nodes: []string{n.name}}
	e.because(p.why)
	sim.add(e)
	sim.stats.evictions++
	sim.stats.by[e.Taint]++

	last := n.pods[len(n.pods)-1]
	n.pods[p.index] = last
	sim.pods[last].index = p.index
	n.pods = n.pods[:len(n.pods)-1]
	sim.opened = sim.placer.leave(p.node) || sim.opened
	sim.starts.Remove(id)
	p.goDown(sim.now)
	p.evictions++
	left := &p.path[len(p.path)-1]
	left.until, left.taint = sim.now, e.Taint
	p.node, p.phase = -1, waiting
	switch p.kind {
	case bare:
		p.phase = gone
		sim.add(entry{What: isGone, Pods: []string{p.name}})
	case daemon:
		sim.placeAtHome(id)
	default:
		sim.place(id)
	}
}

// finish closes all accounts.
func (sim *simulation) finish() {
	for _, p := range sim.pods {
		if p.downSince != up {
			d := sim.now - p.downSince
			p.down += d
			p.longest = max(p.longest, d)
		}
	}
	sim.stats.close(sim.now)
}
