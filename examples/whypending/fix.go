package main

import (
	"math"
	"slices"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
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
	clear(j.prices)
	least := int64(math.MaxInt64)
	for i := range j.classes {
		least = min(least, j.price(p, j.classes[i].hard, least))
	}
	var found []*fix
	bySet := make(map[string]*fix)
	var key []byte
	for i := range j.classes {
		c := &j.classes[i]
		if j.price(p, c.hard, least) != least {
			continue
		}
		key, j.some = key[:0], j.some[:0]
		for _, t := range c.hard {
			if !j.tolerated[t] {
				j.some = append(j.some, t)
			}
		}
		slices.Sort(j.some) // a cordon came first
		for _, t := range j.some {
			key = append(key, byte(t), byte(t>>8), byte(t>>16), byte(t>>24))
		}
		f := bySet[string(key)]
		if f == nil {
			f = &fix{taints: slices.Clone(j.some)}
			bySet[string(key)] = f
			found = append(found, f)
		}
		f.nodes += c.nodes
	}
	return slices.MinFunc(found, func(a, b *fix) int {
		if a.nodes != b.nodes {
			return b.nodes - a.nodes
		}
		return slices.Compare(a.taints, b.taints)
	})
}

// price returns what it costs to tolerate all of the taints, or something
// above the limit when it is more than that.
func (j *judge) price(p *podClass, taints []int32, limit int64) (sum int64) {
	for _, t := range taints {
		if j.tolerated[t] {
			continue
		}
		if j.prices[t] == 0 {
			j.prices[t] = priceOf(j.taints[t], p.tolerations)
		}
		if sum += j.prices[t]; sum > limit {
			break
		}
	}
	return sum
}

func priceOf(t taint.Taint, tolerations []toleration.Toleration) int64 {
	price := int64(oneMore)
	if passing.Has(t) {
		price += forPassing
	}
	if match.Explain(toleration.First, t, tolerations).Miss == match.OtherKey {
		price += forFar
	}
	return price
}

// explain explains each taint of the fix to the pods.
func (j *judge) explain(p *podClass, f *fix) (all []match.Explanation) {
	for _, t := range f.taints {
		all = append(all, match.Explain(toleration.First, j.taints[t], p.tolerations))
	}
	return all
}
