package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// The weights of the two scores.
const (
	taintWeight = 3
	roomWeight  = 1
)

// settle gives each pod what its runtime class adds, takes what the bound pods
// request from their nodes, and orders those that wait.
func (c *cluster) settle() {
	for _, p := range slices.Concat(c.bound, c.waiting) {
		if p.err != nil && p.Node == "" {
			continue
		}
		if err := c.apply(p); err != nil {
			p.err = cmp.Or(p.err, err)
		}
	}
	for _, p := range c.bound {
		switch n := c.byName[p.Node]; {
		case n == nil:
			c.problems = append(c.problems, fmt.Errorf("pod %s is bound to node %s, which cannot be judged", kubejson.Printable(p.title()), kubejson.Printable(p.Node)))
		case p.err != nil:
			c.problems = append(c.problems, fmt.Errorf("what pod %s takes of node %s is unknown: %w", kubejson.Printable(p.title()), kubejson.Printable(p.Node), p.err))
			fallthrough
		default:
			n.take(p.requests)
		}
	}
	slices.SortStableFunc(c.waiting, func(p, q *pod) int {
		return cmp.Or(cmp.Compare(q.priority, p.priority), p.created.Compare(q.created))
	})
}

func (p *pod) title() string { return strings.TrimPrefix(p.Namespace+"/"+p.Name, "/") }

// apply adds what the pod's runtime class says.
func (c *cluster) apply(p *pod) error {
	p.requests = maps.Clone(p.containers)
	if p.requests == nil {
		p.requests = amounts{}
	}
	p.requests[pods] = add(p.requests[pods], 1)
	class := c.classes[p.class]
	switch {
	case class != nil:
		if p.overhead == nil {
			p.overhead = class.overhead
		}
		p.Tolerations = cover.Merge(p.Tolerations, class.tolerations)
		selector := maps.Clone(class.selector)
		for name, value := range p.selector {
			if other, ok := selector[name]; ok && other != value {
				return fmt.Errorf("its nodeSelector requires %s, that of its runtime class %s", kubejson.Printable(name+"="+value), kubejson.Printable(other))
			}
			if selector == nil {
				selector = map[string]string{}
			}
			selector[name] = value
		}
		p.selector = selector
	case p.class != "" && p.overhead == nil:
		return fmt.Errorf("its runtime class %s is not in the input, so its overhead is unknown", kubejson.Printable(p.class))
	}
	p.requests.plus(p.overhead)
	return nil
}

// take reserves the requests. What is taken may be more than there was.
func (n *node) take(requests amounts) {
	for resource, amount := range requests {
		left := n.free[resource] - amount
		if left > n.free[resource] { // less than the smallest number
			left = math.MinInt64
		}
		n.free[resource] = left
	}
}

// A candidate is a node that passed the filter.
type candidate struct {
	Node  string `json:"node"`
	Soft  int64  `json:"untoleratedPreferNoSchedule"`
	Taint int64  `json:"taintScore"`
	Room  int64  `json:"roomScore"`
	Score int64  `json:"score"`
	node  *node
}

// A reason is why nodes did not pass the filter, and how many.
type reason struct {
	Reason string `json:"reason"`
	Nodes  int    `json:"nodes"`
}

// A decision is what became of one pod, and both steps that led to it.
type decision struct {
	pod        *pod
	candidates []candidate // the best first
	reasons    []reason    // the most frequent first
	best       int         // so many candidates are equally good
	chosen     *node
}

// schedule decides about all waiting pods in turn.
func (c *cluster) schedule(seed uint64) []decision {
	rng := rand.New(rand.NewPCG(seed, 0))
	decisions := make([]decision, 0, len(c.waiting))
	for _, p := range c.waiting {
		d := decision{pod: p}
		if p.err == nil {
			c.filter(&d)
			d.score()
			if d.best > 0 {
				d.chosen = d.candidates[rng.IntN(d.best)].node
				d.chosen.take(p.requests)
			}
		}
		decisions = append(decisions, d)
	}
	return decisions
}

// filter is the first step: the nodes that can take the pod, and why the others
// cannot. A node with several reasons counts under each of them.
func (c *cluster) filter(d *decision) {
	matcher := match.Compile(d.pod.Tolerations)
	counts := map[string]int{}
	for _, n := range c.nodes {
		var why []string
		result := matcher.Filter(n.taints)
		if !result.Schedulable() {
			for _, t := range matcher.Untolerated(n.taints) {
				if t.Effect() != taint.PreferNoSchedule {
					why = append(why, "untolerated "+t.String())
				}
			}
		}
		for _, name := range sorted(d.pod.selector) {
			if value, ok := n.labels[name]; !ok || value != d.pod.selector[name] {
				why = append(why, "no label "+name+"="+d.pod.selector[name])
			}
		}
		for _, resource := range sorted(d.pod.requests) {
			switch asked := d.pod.requests[resource]; {
			case asked == 0 || asked <= n.free[resource]:
			case asked > n.total[resource]:
				why = append(why, "never enough "+resource)
			default:
				why = append(why, "not enough "+resource+" left")
			}
		}
		slices.Sort(why)
		for _, w := range slices.Compact(why) {
			counts[w]++
		}
		if len(why) == 0 {
			d.candidates = append(d.candidates, candidate{
				Node: n.name,
				Soft: int64(result.Count(taint.PreferNoSchedule)),
				Room: room(n, d.pod.requests),
				node: n,
			})
		}
	}
	for text, n := range counts {
		d.reasons = append(d.reasons, reason{text, n})
	}
	slices.SortFunc(d.reasons, func(a, b reason) int {
		return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Reason, b.Reason))
	})
}

// room is the share of CPU and memory that stays free beside the pod, the mean
// of both, 0 to 100.
func room(n *node, requests amounts) int64 {
	var sum int64
	for _, resource := range [...]string{cpu, memory} {
		if total, left := n.total[resource], n.free[resource]-requests[resource]; total > 0 && left > 0 {
			hi, lo := bits.Mul64(100, uint64(left)) // left is no more than total, so the quotient is 100 at most
			share, _ := bits.Div64(hi, lo, uint64(total))
			sum += int64(share)
		}
	}
	return sum / 2
}

// score is the second step: it orders the candidates, the best first, and
// counts those that are as good as the first.
func (d *decision) score() {
	soft := make([]int64, len(d.candidates))
	for i, n := range d.candidates {
		soft[i] = n.Soft
	}
	for i, s := range match.Scores(soft) {
		n := &d.candidates[i]
		n.Taint = s
		n.Score = taintWeight*n.Taint + roomWeight*n.Room
	}
	slices.SortStableFunc(d.candidates, func(a, b candidate) int { return cmp.Compare(b.Score, a.Score) })
	for d.best < len(d.candidates) && d.candidates[d.best].Score == d.candidates[0].Score {
		d.best++
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
