package main

import (
	"cmp"
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
	nodes   [4]int   // by verdict
	reasons []reason // those of mayNot before those of ratherNot, the most frequent first
}

// A reason is an untolerated taint and how many nodes bear it.
type reason struct {
	verdict verdict
	taint   taint.Taint
	nodes   int
}

// decide judges every class of nodes once.
func decide(m *match.Matcher, classes []*nodeClass) *decision {
	d := new(decision)
	counts := make(map[reason]int) // by reasons without nodes
	for _, c := range classes {
		v := verdictOf(m.FilterNode(c.taints))
		d.nodes[v] += c.nodes
		for _, t := range m.UntoleratedNode(c.taints) {
			// Where the pod may not run, a taint that would merely be avoided is no reason.
			if v == ratherNot || t.Effect() != taint.PreferNoSchedule {
				counts[reason{verdict: v, taint: t}] += c.nodes
			}
		}
	}
	d.reasons = slices.Collect(maps.Keys(counts))
	for i := range d.reasons {
		d.reasons[i].nodes = counts[d.reasons[i]]
	}
	slices.SortFunc(d.reasons, func(a, b reason) int {
		return cmp.Or(-cmp.Compare(a.verdict, b.verdict), -cmp.Compare(a.nodes, b.nodes), a.taint.Compare(b.taint))
	})
	return d
}

// mostReasons bounds the memory that decisions take: in a cluster where every
// node bears a taint of its own, one decision has as many reasons as there are
// nodes.
const mostReasons = 1 << 20

// A judge keeps the decision of each class of pods, as long as there is room.
type judge struct {
	cluster *cluster
	room    int // for reasons, mostReasons but in tests
	held    []*podClass
	reasons int
}

var noDecision = new(decision) // of a pod whose tolerations are unknown

func (j *judge) decision(p *pod) *decision {
	if p.because != "" {
		return noDecision
	}
	if p.class.decision == nil {
		if j.reasons > j.room {
			for _, c := range j.held {
				c.decision = nil
			}
			j.held, j.reasons = j.held[:0], 0
		}
		p.class.decision = decide(p.class.matcher, j.cluster.classes)
		j.held = append(j.held, p.class)
		j.reasons += len(p.class.decision.reasons)
	}
	return p.class.decision
}

// A pair is what one node is to one pod, with all that speaks against it.
type pair struct {
	node        *node
	verdict     verdict
	bound       bool
	untolerated []taint.Taint // in the node's order
	eviction    eviction
}

func judgePair(p *pod, n *node) pair {
	pr := pair{node: n, bound: p.Node == n.name}
	if p.because != "" || n.because != "" {
		return pr
	}
	pr.verdict = verdictOf(p.class.matcher.FilterNode(n.taints))
	for _, t := range p.class.matcher.UntoleratedNode(n.taints) {
		pr.untolerated = append(pr.untolerated, t.Canonical())
	}
	pr.eviction = evict(n.taints.Taints, p.Tolerations)
	return pr
}
