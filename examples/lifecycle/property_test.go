package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "github.com/go-tolerate/tolerate/internal/gen" // RAPID_SEED
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// drawScript makes a small cluster and a crowded day, at the end of which, if
// healed, all is well again for hours.
func drawScript(t *rapid.T, healed bool) string {
	var b strings.Builder
	word := func(label string, words ...string) string { return rapid.SampledFrom(words).Draw(t, label) }
	zones := rapid.IntRange(1, 3).Draw(t, "zones")
	for z := range zones {
		fmt.Fprintf(&b, "node z%d-{1..%d} zone=z%[1]d%[3]s\n", z, rapid.IntRange(1, 4).Draw(t, "nodes"), word("node", "", "", "", " taint=k:NoSchedule", " taint=k:PreferNoSchedule", " label=node.kubernetes.io/exclude-disruption"))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "sets") {
		fmt.Fprintf(&b, "%s p%d", word("kind", "workload", "workload", "pod", "daemon"), i)
		for range rapid.IntRange(0, 2).Draw(t, "tolerations") {
			fmt.Fprintf(&b, " tolerates=%q", word("toleration", "k op=Exists", "k:NoExecute op=Exists for 100s", "k=v:NoExecute for 5s", "k=v:NoExecute for 0s",
				"node.kubernetes.io/unreachable:NoExecute op=Exists for 30s", "node.kubernetes.io/not-ready:NoExecute op=Exists", ":NoExecute op=Exists for 1000s", "op=Exists"))
		}
		fmt.Fprintln(&b)
	}
	at := 0
	for range rapid.IntRange(1, 12).Draw(t, "events") {
		at += rapid.SampledFrom([]int{0, 1, 5, 10, 39, 40, 45, 60, 100, 300, 1000, 4000}).Draw(t, "pause") + 1
		nodes := word("nodes", "all", "all 50%", "zone z0", "zone z0 50%", "node z*-1", "node z0-1", "zone z0 90%")
		what := word("what", "%s unreachable", "%s unreachable", "%s unreachable", "%s not-ready", "%s ready", "%s ready", "%s DiskPressure=True", "taint %s k=v:NoExecute", "taint %s k:NoExecute-", "taint %s k-", "cordon %s", "uncordon %s")
		fmt.Fprintf(&b, "+%ds "+what+"\n", at, nodes)
		at = 0
	}
	if healed {
		fmt.Fprintf(&b, "+10s all ready\n+10s uncordon all\n+10s all DiskPressure=False\n+10s taint all k=v:NoExecute k:NoSchedule\n+10s taint all k-\n+2h all ready\n")
	}
	return b.String()
}

func drawDay(t *rapid.T, healed bool) (*simulation, string) {
	text := drawScript(t, healed)
	args := []string{"-seed", fmt.Sprint(rapid.Uint64Range(0, 9).Draw(t, "seed"))}
	args = append(args, rapid.SampledFrom([][]string{nil, {"-startup", "0s"}, {"-startup", "3m"}, {"-max-pods", "2"}, {"-max-pods", "1"}}).Draw(t, "room")...)
	args = append(args, rapid.SampledFrom([][]string{nil, {"-node-eviction-rate", "0.3"}, {"-large-cluster-size-threshold", "2"}, {"-unhealthy-zone-threshold", "1"}}).Draw(t, "rates")...)
	opts, err := parseArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	s := &script{}
	s.parse("drawn", text)
	sim := s.build(opts.settings)
	if len(s.problems) > 0 {
		t.Fatalf("%v in\n%s", s.problems, text)
	}
	return sim, text
}

// A witness reads the timeline and knows nothing else of the simulation but how
// the day began: it judges by the rules alone.
type witness struct {
	t     *rapid.T
	sim   *simulation
	nodes map[string]*seenNode
	pods  map[string]*seenPod
	zones map[string]*seenZone
	lost  bool // every zone
}

type seenNode struct {
	zone   string
	well   bool
	taints map[[2]string]seenTaint // by key and effect
}

type seenTaint struct {
	taint taint.Taint
	since clock
}

type seenPod struct {
	*pod
	at      *seenNode // or nil
	arrived clock
	born    bool // it has had a node, or should
	started bool
	gone    bool
	since   clock // down, or up
	down    clock
}

type seenZone struct {
	rate      float64
	rateSince clock
	last      clock
	any       bool
}

func (w *witness) node(e *entry) *seenNode { return w.nodes[e.Nodes[0]] }

// deadline returns when the pod is evicted by the rules; false for never.
func (w *witness) deadline(p *seenPod) (earliest clock, ok bool) {
	if p.at == nil || p.kind == static {
		return 0, false
	}
	for _, s := range p.at.taints {
		if s.taint.Effect() != taint.NoExecute {
			continue
		}
		from := max(s.since, p.arrived)
		at, must := from, true
		for _, u := range p.tolerations {
			if (u.Key() == "" || u.Key() == s.taint.Key()) && (u.Effect() == 0 || u.Effect() == taint.NoExecute) && (u.Operator() == toleration.Exists || u.Value() == s.taint.Value()) {
				seconds, some := u.Seconds()
				at, must = from+clock(max(seconds, 0)*1e9), some
				break
			}
		}
		if must && (!ok || at < earliest) {
			earliest, ok = at, true
		}
	}
	return earliest, ok
}

// settle sees whether the pod has become up or down.
func (w *witness) settle(p *seenPod, now clock) {
	if !p.born {
		return
	}
	isUp := p.at != nil && p.at.well && p.started
	switch {
	case isUp && p.since != up:
		p.down += now - p.since
		p.since = up
	case !isUp && p.since == up:
		p.since = now
	}
}

func (w *witness) read(e *entry) {
	fail := func(form string, args ...any) {
		w.t.Helper()
		w.t.Fatalf("%v %s: %s", e.At, e.text(), fmt.Sprintf(form, args...))
	}
	switch e.What {
	case becameSilent, becameNotReady, becameReady:
		before := w.upPods(e.At)
		for _, name := range e.Nodes {
			w.nodes[name].well = e.What == becameReady
		}
		if got := max(before-w.upPods(e.At), w.upPods(e.At)-before); got != *e.Down {
			fail("it is %d pods", got)
		}
	case tainted:
		w.tainted(e, fail)
	case zoneChanged:
		z := w.zones[*e.Zone]
		if z.rate != e.State.Rate {
			z.rate, z.rateSince = e.State.Rate, e.At
		}
	case allLost, notAllLost:
		w.lost = e.What == allLost
	case evicted:
		p, n := w.pods[e.Pods[0]], w.node(e)
		if at, ok := w.deadline(p); p.at != n || !ok || at != e.At {
			fail("it is at %v, and must go at %v, %v", p.at, at, ok)
		}
		// With a wildcard with seconds in front, even a daemon's pod is evicted.
		wildcard := func(u toleration.Toleration) bool { _, ok := u.Seconds(); return ok && u.Key() == "" }
		if p.kind == static || p.kind == daemon && strings.HasPrefix(e.Taint, "node.kubernetes.io/") && !slices.ContainsFunc(p.tolerations, wildcard) {
			fail("a %v stays", p.kind)
		}
		if w.lost && strings.HasPrefix(e.Taint, "node.kubernetes.io/") {
			fail("every zone is lost")
		}
		p.at, p.started = nil, false
	case isGone:
		p := w.pods[e.Pods[0]]
		if p.kind != bare || p.at != nil {
			fail("a %v at %v", p.kind, p.at)
		}
		p.gone = true
	case placed:
		p, n := w.pods[e.Pods[0]], w.node(e)
		if p.at != nil || p.gone {
			fail("it is at %v, gone: %v", p.at, p.gone)
		}
		for _, s := range n.taints {
			if s.taint.Effect() != taint.PreferNoSchedule && p.tolerations.Match(s.taint) < 0 {
				fail("%v is not tolerated", s.taint)
			}
		}
		p.at, p.arrived = n, e.At
		p.born = true
		if at, ok := w.deadline(p); ok && at <= e.At {
			fail("it must go at once")
		}
	case runs:
		p := w.pods[e.Pods[0]]
		if p.at != w.node(e) || !p.at.well || e.At < p.arrived+w.sim.startup {
			fail("it came at %v", p.arrived)
		}
		p.started = true
	}
	for _, p := range w.pods {
		w.settle(p, e.At)
	}
}

// upPods is how many pods run.
func (w *witness) upPods(now clock) (n int) {
	for _, p := range w.pods {
		w.settle(p, now)
		if p.since == up && p.at != nil {
			n++
		}
	}
	return n
}

func (w *witness) tainted(e *entry, fail func(string, ...any)) {
	first := func(list []string) int {
		return slices.IndexFunc(list, func(s string) bool {
			t := taint.MustParse(s)
			return t.Effect() == taint.NoExecute && strings.HasPrefix(t.Key(), "node.kubernetes.io/")
		})
	}
	isNew := first(e.Added) >= 0 && first(e.Removed) < 0
	for _, name := range e.Nodes {
		n := w.nodes[name]
		before := map[[2]string]seenTaint{}
		for _, text := range e.Removed {
			t := taint.MustParse(text)
			key := [2]string{t.Key(), t.Effect().String()}
			if n.taints[key].taint.Value() != t.Value() || n.taints[key].taint.IsZero() {
				fail("%s does not have %s", name, text)
			}
			before[key] = n.taints[key]
			delete(n.taints, key)
		}
		for _, text := range e.Added {
			t := taint.MustParse(text)
			key := [2]string{t.Key(), t.Effect().String()}
			since := e.At
			if old, ok := before[key]; ok { // another value
				since = old.since
			}
			if _, ok := n.taints[key]; ok {
				fail("%s has %s already", name, text)
			}
			n.taints[key] = seenTaint{t, since}
		}
		if !isNew {
			continue
		}
		z := w.zones[n.zone]
		switch {
		case w.lost:
			fail("every zone is lost")
		case z.rate == 0:
			fail("the zone's rate is 0")
		case z.any && e.At == z.last:
			fail("two nodes of the zone at once")
		case z.any && z.rateSince <= z.last && float64(e.At-z.last) < 1e9/z.rate-1:
			fail("the last one of the zone was at %v, its rate is %v", z.last, z.rate)
		}
		z.any, z.last = true, e.At
	}
}

// watch runs the day and has the witness read it.
func watch(t *rapid.T, sim *simulation) *witness {
	w := &witness{t: t, sim: sim, nodes: map[string]*seenNode{}, pods: map[string]*seenPod{}, zones: map[string]*seenZone{}}
	for _, n := range sim.nodes {
		seen := &seenNode{zone: n.zone.String(), well: true, taints: map[[2]string]seenTaint{}}
		for _, one := range n.state.Taints {
			seen.taints[[2]string{one.Key(), one.Effect().String()}] = seenTaint{one, 0}
		}
		w.nodes[n.name] = seen
		w.zones[n.zone.String()] = &seenZone{rate: sim.rates.Usual}
	}
	if err := sim.run(); err != nil {
		t.Skip(err)
	}
	for _, p := range sim.pods {
		seen := &seenPod{pod: p, since: up}
		if len(p.path) > 0 && p.path[0].from == 0 {
			seen.born, seen.started = true, true
			seen.at = w.nodes[sim.nodes[p.path[0].node].name]
		} else if p.kind != daemon {
			seen.born, seen.since = true, 0
		}
		w.pods[p.name] = seen
	}
	for i := 0; i < len(sim.timeline); {
		now := sim.timeline[i].At
		for name, p := range w.pods {
			if at, ok := w.deadline(p); ok && at < now {
				t.Fatalf("%s must go at %v, and is there at %v", name, at, now)
			}
		}
		for ; i < len(sim.timeline) && sim.timeline[i].At == now; i++ {
			w.read(&sim.timeline[i])
		}
		for name, p := range w.pods {
			if at, ok := w.deadline(p); ok && at <= now {
				t.Fatalf("%s must go at %v, and is there after %v", name, at, now)
			}
		}
	}
	for name, p := range w.pods {
		if at, ok := w.deadline(p); ok && at <= sim.end {
			t.Fatalf("%s must go at %v, and is there in the end", name, at)
		}
	}
	return w
}

// Whatever happens, the day goes by the rules.
func TestRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sim, text := drawDay(t, false)
		w := watch(t, sim)
		phases, onNodes := [5]int{}, 0
		for _, n := range sim.nodes {
			onNodes += len(n.pods)
			for i, id := range n.pods {
				if p := sim.pods[id]; sim.nodes[p.node] != n || p.index != i {
					t.Fatalf("%s is lost", p.name)
				}
			}
		}
		for i, n := range sim.nodes {
			if sim.placer.pods[i] != len(n.pods) {
				t.Fatalf("%s has %d pods, not %d", n.name, len(n.pods), sim.placer.pods[i])
			}
		}
		for name, p := range w.pods {
			phases[p.phase]++
			at := (*seenNode)(nil)
			if p.node >= 0 {
				at = w.nodes[sim.nodes[p.node].name]
			}
			if p.at != at || p.started != (p.phase == running) || p.gone != (p.phase == gone) || p.gone && p.kind != bare || (p.phase == away) && p.kind != daemon {
				t.Fatalf("%s is %v on %v in\n%s", name, p.phase, at, text)
			}
			if p.since != up {
				p.down += sim.end - p.since
			}
			if p.down != p.pod.down || p.longest > p.down || p.downs == 0 && p.down > 0 {
				t.Fatalf("%s was down for %v, not %v, in\n%s", name, p.down, p.pod.down, text)
			}
		}
		if onNodes != phases[starting]+phases[running] || onNodes+phases[waiting]+phases[gone]+phases[away] != len(sim.pods) {
			t.Fatalf("%d on nodes of %d, %v", onNodes, len(sim.pods), phases)
		}
		for _, p := range sim.pods { // no pod waits in vain
			for i, n := range sim.nodes {
				takes := match.Filter(n.state.Taints, p.tolerations).Schedulable() && !sim.hopeless(i, p)
				if p.phase == waiting && takes && len(n.pods) < sim.maxPods || p.phase == away && p.home == i && takes {
					t.Fatalf("%s is %v, and %s takes it in\n%s", p.name, p.phase, n.name, text)
				}
			}
		}
		r := sim.report()
		if sum := r.Summary; sum.Pods != len(r.Pods) || sum.Waiting != phases[waiting] || sum.Gone != phases[gone] {
			t.Fatalf("%+v", sum)
		}
	})
}

// When all has been well for hours, the nodes have no taints but their own, and
// every pod that is not gone runs on a node that takes it, if there is room.
func TestRecovery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sim, text := drawDay(t, true)
		watch(t, sim)
		for _, n := range sim.nodes {
			if len(n.state.Taints) > 0 || n.waits || n.observed != nil || n.state.Unschedulable {
				t.Fatalf("%s: %+v in\n%s", n.name, n.state, text)
			}
		}
		if sim.schedule.Len()+sim.zones.Len()+sim.notices.Len()+sim.starts.Len() > 0 {
			t.Fatal("something is still to come")
		}
		room := sim.maxPods * len(sim.nodes)
		for _, p := range sim.pods {
			if p.phase != running && p.phase != gone && (p.phase != waiting || room > len(sim.pods)) {
				t.Fatalf("%s is %v in\n%s", p.name, p.phase, text)
			}
		}
	})
}
