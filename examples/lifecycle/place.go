package main

import (
	"math/rand/v2"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/toleration"
)

// A placer finds nodes for pods: of those whose taints the pod tolerates, ready or
// not, and that have room, the ones that nothing speaks
// against, of these the ones with the fewest pods, and of these one by chance.
type placer struct {
	index   fleet.Index[int]
	answers []answer // by profile
	query   fleet.Answer[int]
	most    int
	chance  *rand.Rand

	pods   []int   // on each node
	byPods [][]int // the nodes, by number of pods
	at     []int   // where there
}

// An answer is which nodes take the pods of a profile. It is used until the
// fleet changes.
type answer struct {
	of                     *fleet.Snapshot[int]
	schedulable, preferred []uint64
	best                   bool // some are preferred
}

func newPlacer(nodes, most int, seed uint64) *placer {
	pl := &placer{
		most:   most,
		chance: rand.New(rand.NewPCG(seed, 2)),
		pods:   make([]int, nodes),
		at:     make([]int, nodes),
		byPods: make([][]int, 1),
	}
	for i := range nodes {
		pl.enter(i)
	}
	return pl
}

func (pl *placer) enter(i int) {
	n := pl.pods[i]
	for len(pl.byPods) <= n {
		pl.byPods = append(pl.byPods, nil)
	}
	pl.at[i] = len(pl.byPods[n])
	pl.byPods[n] = append(pl.byPods[n], i)
}

func (pl *placer) exit(i int) {
	list := pl.byPods[pl.pods[i]]
	last := list[len(list)-1]
	list[pl.at[i]] = last
	pl.at[last] = pl.at[i]
	pl.byPods[pl.pods[i]] = list[:len(list)-1]
}

// come and leave count the pods on a node; leave reports whether that makes
// room where there was none.
func (pl *placer) come(i int) { pl.change(i, 1) }

func (pl *placer) leave(i int) bool {
	pl.change(i, -1)
	return pl.pods[i] == pl.most-1
}

func (pl *placer) change(i, by int) {
	pl.exit(i)
	pl.pods[i] += by
	pl.enter(i)
}

// ask returns which nodes take the pods of a profile.
func (pl *placer) ask(profile int, tolerations toleration.List) *answer {
	for len(pl.answers) <= profile {
		pl.answers = append(pl.answers, answer{})
	}
	a := &pl.answers[profile]
	now := pl.index.Snapshot()
	if a.of == now {
		return a
	}
	words := (len(pl.pods) + 63) / 64
	if a.schedulable == nil {
		a.schedulable, a.preferred = make([]uint64, words), make([]uint64, words)
	}
	clear(a.schedulable)
	clear(a.preferred)
	a.of, a.best = now, false
	now.Query(&pl.query, tolerations)
	for list, verdict := range pl.query.Groups() {
		for i := range list.Nodes() {
			a.schedulable[i/64] |= 1 << (i % 64)
			if verdict.Preferred() {
				a.preferred[i/64] |= 1 << (i % 64)
				a.best = true
			}
		}
	}
	return a
}

// choose finds a node for a pod; false when there is none. Those that may not
// be chosen for another reason are left out.
func (pl *placer) choose(a *answer, but func(i int) bool) (int, bool) {
	if a.best {
		if i, ok := pl.first(a.preferred, but); ok {
			return i, true
		}
	}
	return pl.first(a.schedulable, but)
}

func (pl *placer) first(among []uint64, but func(i int) bool) (int, bool) {
	for n, list := range pl.byPods {
		if n >= pl.most {
			break
		}
		if len(list) == 0 {
			continue
		}
		from := pl.chance.IntN(len(list))
		for k := range list {
			i := list[(from+k)%len(list)]
			if among[i/64]>>(i%64)&1 != 0 && !but(i) {
				return i, true
			}
		}
	}
	return 0, false
}

// place finds a node for a pod of a workload, or lets it wait.
func (sim *simulation) place(id int) bool {
	p := sim.pods[id]
	i, ok := sim.placer.choose(sim.placer.ask(p.profile, p.tolerations), func(i int) bool { return sim.hopeless(i, p) })
	if ok {
		sim.put(id, i)
		return true
	}
	p.goDown(sim.now)
	if !p.queued {
		p.queued = true
		sim.waiting = append(sim.waiting, id)
		sim.addTo(group{what: waits}, func() entry { return entry{What: waits} }, "", p.name)
	}
	return false
}

// hopeless reports whether a pod would be evicted from the node at once:
// it tolerates a taint for zero seconds.
func (sim *simulation) hopeless(i int, p *pod) bool {
	n := sim.nodes[i]
	if n.observed == nil {
		return false
	}
	now := sim.time(sim.now)
	return eviction.Decide(n.observed, now, sim.arrived(now), p.tolerations).Kind() == eviction.Now
}

// placeAtHome puts a daemon's or static pod onto its node, if that takes it.
func (sim *simulation) placeAtHome(id int) {
	p := sim.pods[id]
	n := sim.nodes[p.home]
	if n.matchNode().Filter(p.tolerations).Schedulable() && !sim.hopeless(p.home, p) {
		sim.put(id, p.home)
		return
	}
	p.phase = away
}

// placeWaiting tries all pods that wait, in order. Where there is no node for
// one, there is none for the others like it.
func (sim *simulation) placeWaiting() {
	var still []int
	failed := map[int]bool{}
	for _, id := range sim.waiting {
		p := sim.pods[id]
		if failed[p.profile] || !sim.place(id) {
			failed[p.profile] = true
			still = append(still, id)
			continue
		}
		p.queued = false
	}
	sim.waiting = still
}

// put puts a pod onto a node, where it is to run after a while.
func (sim *simulation) put(id, i int) {
	p, n, now := sim.pods[id], sim.nodes[i], sim.time(sim.now)
	p.node, p.index, p.arrived, p.phase = i, len(n.pods), sim.now, starting
	p.path = append(p.path, stay{node: i, from: sim.now, until: up})
	n.pods = append(n.pods, id)
	sim.placer.come(i)
	if n.health == healthy {
		sim.starts.Set(id, sim.time(sim.now+sim.startup))
	}
	if sim.begun {
		p.goDown(sim.now) // a daemon's pod that never had a node
		sim.add(entry{What: placed, Pods: []string{p.name}, Nodes: []string{n.name}})
	}
	if n.observed != nil && p.kind != static {
		sim.reportChange(n, p, sim.schedule.Update(id, n.observed, now, sim.arrived(now), p.tolerations), false)
	}
}
