package main

import (
	"math"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A fix is what would let the pods of a class run somewhere that may run
// nowhere: one toleration for each of the taints.
type fix struct {
	taints []int32 // by number
	nodes  int     // that bear these, and no other that keeps the pods away
}

// passing is the class of taints that come and go of themselves: to wait for
// their end, or to mend the node, is mostly better than to tolerate them.
var passing = condition.Passing()

// What it costs to tolerate a taint: each more than all of the next, on any
// node.
const (
	oneMore    = 1 << 40 // toleration to be added
	forPassing = 1 << 20
	forFar     = 1 // there is no toleration of that key, so nobody meant it
)

// fix returns the cheapest fix for pods that may run nowhere: the fewest
// tolerations; of as many those for the fewest passing taints, and then those
// for the fewest keys that the pods have no toleration of. Of fixes as cheap it
// is the one that opens the most nodes, and then the first by its taints.
func (j *judge) fix(p *podClass) *fix {
	if p.fix == nil {
		p.fix = j.findFix(p)
	}
	return p.fix
}

func (j *judge) findFix(p *podClass) *fix {
	j.meet(p)
	j.setPrices(p)
	least := int64(math.MaxInt64)
	for i := range j.classes {
		least = min(least, j.price(j.classes[i].hard, least))
	}
	clear(j.sets)
	var best fix
	for i := range j.classes {
		c := &j.classes[i]
		if j.price(c.hard, least) != least {
			continue
		}
		j.some = j.some[:0]
		for _, t := range c.hard {
			if !j.tolerated[t] {
				j.some = append(j.some, t)
			}
		}
		slices.Sort(j.some) // a cordon came first
		j.key = j.key[:0]
		for _, t := range j.some {
			j.key = append(j.key, byte(t), byte(t>>8), byte(t>>16), byte(t>>24))
		}
		nodes := j.sets[string(j.key)] + c.nodes
		j.sets[string(j.key)] = nodes
		if nodes > best.nodes || nodes == best.nodes && slices.Compare(j.some, best.taints) < 0 {
			best = fix{append(best.taints[:0], j.some...), nodes}
		}
	}
	return &best
}

// setPrices finds out what it costs the pods of a class to tolerate each taint.
func (j *judge) setPrices(p *podClass) {
	for i := range j.prices {
		j.prices[i] = oneMore + forFar
		if j.passing[i] {
			j.prices[i] += forPassing
		}
	}
	for _, u := range p.tolerations {
		group := u.Key()
		if group == "" {
			group = effectGroup(0) // it has every key
		}
		for _, t := range j.groups[group] {
			j.prices[t] &^= forFar
		}
	}
}

// price returns what it costs to tolerate all of the taints, or something
// above the limit when it is more than that.
func (j *judge) price(taints []int32, limit int64) (sum int64) {
	for _, t := range taints {
		if !j.tolerated[t] {
			sum += j.prices[t]
		}
		if sum > limit {
			break
		}
	}
	return sum
}

// explain explains each taint of the fix to the pods.
func (j *judge) explain(p *podClass, f *fix) (all []match.Explanation) {
	for _, t := range f.taints {
		all = append(all, match.Explain(toleration.First, j.taints[t], p.tolerations))
	}
	return all
}
