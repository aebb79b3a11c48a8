package main

import (
	"maps"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// A verdict is what one node is to one pod.
type verdict uint8

const (
	unknown verdict = iota
	mayRun
	ratherNot
	mayNot
)

var verdictTexts = [...]string{"unknown", "may run", "rather not", "may not"}

func (v verdict) String() string { return verdictTexts[v] }

func verdictOf(r match.Result) verdict {
	switch {
	case !r.Schedulable():
		return mayNot
	case !r.Preferred():
		return ratherNot
	}
	return mayRun
}

// A decision is what the known nodes are to the pods of a class.
type decision struct {
	nodes  [4]int // by verdict
	taints int    // how many reasons there are

	// The reasons as far as they are requested: those of mayNot before those of
	// ratherNot, the most frequent first. Nil when there was no room for them.
	reasons []reason
}

// A reason is an untolerated taint and how many nodes have it.
type reason struct {
	verdict verdict
	taint   taint.Taint
	nodes   int
}

// In a cluster where every node has a taint of its own, one decision has as many
// reasons as there are nodes, and all pods have the product of both.
const (
	mostReasons = 1 << 18 // kept, to bound the memory that decisions take
	mostWritten = 1 << 20 // in all, to bound the output
	mostPairs   = 1 << 18 // of pods of one name and nodes, likewise
	mostWork    = 1 << 33 // looks at a taint, for all lists of tolerations
)

// A judge decides what the known nodes are to the pods of each class, once.
//
// Each distinct taint has a number, and a class of pods tolerates it or not, so
// a class of nodes is judged by looking its few numbers up. That counts: where
// all lists differ, 5,000 nodes and 20,000 pods are 100 million pairs.
type judge struct {
	taints  taint.List         // each that a known node has once, in order
	bearers []int              // by taint: how many nodes have it
	groups  map[string][]int32 // the taints by what they have in common
	hard    []int32            // the taints that keep pods away, the most frequent first
	soft    []int32            // the others, likewise
	classes []numberedClass
	most    int // reasons that are requested, 0 for all
	room    int // for reasons to be kept

	tolerated []bool  // by taint: whether the pods being judged tolerate it
	avoided   []int   // by taint: how many nodes they would rather not run on for it
	some      []int32 // taints that are reasons, while they are sorted

	// For fixes, by taint: whether it is passing, and what it costs to tolerate
	// it; and how many nodes have each set of untolerated taints, by its text.
	passing []bool
	prices  []int64
	sets    map[string]int
	meant   map[string][]int32 // the taints whose keys look like that key
	similar int                // in all of these
	key     []byte

	// Where values are left out, by taint: the first that reads like it, and
	// how many nodes all of these keep away.
	alike  []int32
	merged []int
}

// A numberedClass is a nodeClass with the numbers of its taints.
type numberedClass struct {
	hard, soft []int32
	nodes      int
}

func newJudge(classes []*nodeClass, most int) *judge {
	j := &judge{groups: make(map[string][]int32), most: most, room: mostReasons}
	nodes := make(map[taint.Taint]int)
	for _, c := range classes {
		for _, t := range c.taints.Untolerated() { // all, and a cordon's
			nodes[t] += c.nodes
		}
	}
	j.taints = slices.SortedFunc(maps.Keys(nodes), taint.Taint.Compare)
	j.bearers = make([]int, len(j.taints))
	j.tolerated, j.avoided = make([]bool, len(j.taints)), make([]int, len(j.taints))
	j.passing, j.prices, j.sets = make([]bool, len(j.taints)), make([]int64, len(j.taints)), make(map[string]int)
	j.meant = make(map[string][]int32)
	numbers := make(map[taint.Taint]int32, len(j.taints))
	for i, t := range j.taints {
		n := int32(i) // memory ends before int32 does
		numbers[t], j.bearers[i], j.passing[i] = n, nodes[t], passing.Has(t)
		for _, group := range []string{t.Key(), valueGroup(t.Key(), t.Value()), effectGroup(t.Effect()), effectGroup(0)} {
			j.groups[group] = append(j.groups[group], n)
		}
		j.hard, j.soft = appendTaint(j.hard, j.soft, t, n)
	}
	j.sort(j.hard, j.bearers)
	j.sort(j.soft, j.bearers)
	for _, c := range classes {
		n := numberedClass{nodes: c.nodes}
		for _, t := range c.taints.Untolerated() {
			n.hard, n.soft = appendTaint(n.hard, n.soft, t, numbers[t])
		}
		j.classes = append(j.classes, n)
	}
	return j
}

// appendTaint appends the number of a taint to those of its sort.
func appendTaint(hard, soft []int32, t taint.Taint, n int32) (_, _ []int32) {
	if t.Effect() == taint.PreferNoSchedule {
		return hard, append(soft, n)
	}
	return append(hard, n), soft
}

// sort sorts taints by their numbers of nodes, the most frequent first.
func (j *judge) sort(taints []int32, nodes []int) {
	slices.SortFunc(taints, func(a, b int32) int {
		if nodes[a] != nodes[b] {
			return nodes[b] - nodes[a]
		}
		return int(a - b)
	})
}

// work returns how many taints are looked at to judge one list of tolerations.
func (j *judge) work() int {
	n := len(j.taints)
	for _, c := range j.classes {
		n += 1 + len(c.hard) + len(c.soft)
	}
	return n
}

var noDecision = new(decision) // of a pod whose tolerations are unknown

func (j *judge) decision(p *pod) *decision {
	if p.because != "" {
		return noDecision
	}
	d := p.class.decision
	if d == nil {
		d = j.decide(p.class)
		if j.room -= len(d.reasons); j.room < 0 {
			d.reasons, j.room = nil, 0
		}
		p.class.decision = d
	}
	return d
}

// reasons returns the reasons that are requested.
func (j *judge) reasons(p *pod) []reason {
	d := j.decision(p)
	if d.reasons == nil && d.taints > 0 {
		return j.decide(p.class).reasons
	}
	return d.reasons
}

// mergeValues makes one reason of all taints that differ in their values alone,
// as is right where these are left out. No node has two of them.
func (j *judge) mergeValues() {
	first := make(map[string]int32)
	j.alike, j.merged = make([]int32, len(j.taints)), make([]int, len(j.taints))
	for i, t := range j.taints {
		text := redactedTaint(t)
		if _, known := first[text]; !known {
			first[text] = int32(i)
		}
		j.alike[i] = first[text]
	}
}

// meet finds out which taints the pods of a class tolerate.
func (j *judge) meet(p *podClass) {
	clear(j.tolerated)
	m := match.Compile(p.tolerations) // of some kB, so it is not kept
	for _, group := range p.some {
		for _, t := range j.groups[group] {
			j.tolerated[t] = m.Tolerates(j.taints[t])
		}
	}
	for _, group := range p.all {
		for _, t := range j.groups[group] {
			j.tolerated[t] = true
		}
	}
}

// decide judges every class of nodes.
func (j *judge) decide(p *podClass) *decision {
	j.meet(p)
	clear(j.avoided)
	d := new(decision)
	for i := range j.classes {
		c := &j.classes[i]
		v := mayRun
		if j.anyUntolerated(c.hard) {
			v = mayNot
		} else if j.anyUntolerated(c.soft) {
			v = ratherNot
			for _, t := range c.soft {
				j.avoided[t] += c.nodes
			}
		}
		d.nodes[v] += c.nodes
	}
	j.appendReasons(d)
	return d
}

func (j *judge) anyUntolerated(taints []int32) bool {
	for _, t := range taints {
		if !j.tolerated[t] {
			return true
		}
	}
	return false
}

// appendReasons fills in the reasons of the decision that was made just now. A
// node with an untolerated hard taint is one that the pods may not run on, so
// such a taint is a reason for all nodes that have it. On these nodes a soft taint,
// which would merely be avoided, is no reason.
func (j *judge) appendReasons(d *decision) {
	j.reasonsOf(d, mayNot, j.hard, j.bearers)
	j.reasonsOf(d, ratherNot, j.soft, j.avoided)
}

// reasonsOf appends the reasons of one verdict: those of the taints that are
// not tolerated, with these numbers of nodes.
func (j *judge) reasonsOf(d *decision, v verdict, taints []int32, nodes []int) {
	j.some = j.some[:0]
	for _, t := range taints {
		n := nodes[t]
		if j.tolerated[t] || n == 0 {
			continue
		}
		if j.alike != nil {
			t = j.alike[t]
			if j.merged[t] += n; j.merged[t] > n {
				continue
			}
		}
		j.some = append(j.some, t)
	}
	sorted := v == mayNot
	if j.alike != nil {
		nodes, sorted = j.merged, false
	}
	if !sorted && (j.most == 0 || d.taints < j.most) { // or else they are only counted
		j.sort(j.some, nodes)
	}
	for _, t := range j.some {
		if d.taints++; j.most == 0 || d.taints <= j.most {
			d.reasons = append(d.reasons, reason{v, j.taints[t], nodes[t]})
		}
	}
	for _, t := range j.some {
		if j.alike != nil {
			j.merged[t] = 0
		}
	}
}

// short is the product of two lists up to which compiling one does not pay.
const short = 1_000

// A pair is what one node is to one pod, with all that speaks against it.
type pair struct {
	node        *node
	verdict     verdict
	bound       bool
	untolerated taint.List // in the node's order, as many as were requested
	more        int        // beside these
	eviction    eviction
}

// most is the number of untolerated taints that were requested, 0 for all.
func judgePair(p *pod, n *node, most int) pair {
	pr := pair{node: n, bound: p.Node == n.name}
	if p.because != "" || n.because != "" {
		return pr
	}
	all := n.taints.Untolerated(p.Tolerations)
	if len(p.Tolerations)*len(n.taints.Taints) <= short {
		pr.verdict = verdictOf(n.taints.Filter(p.Tolerations))
	} else {
		m := match.Compile(p.Tolerations)
		pr.verdict, all = verdictOf(m.Filter(n.taints)), m.Untolerated(n.taints)
	}
	for _, t := range all {
		if most > 0 && len(pr.untolerated) == most {
			pr.more++
			continue
		}
		pr.untolerated = append(pr.untolerated, t.Canonical())
	}
	pr.eviction = p.class.evict(n.taints.Taints)
	return pr
}
