package main

import (
	"math"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A fix is what would let the pods of a class run somewhere that may run
// nowhere: one toleration for each of the taints.
type fix struct {
	taints []int32 // by number, as many as were requested
	more   int     // beside these
	nodes  int     // that have these, and no other that keeps the pods away
}

// passing is the class of taints that come and go of themselves: to wait for
// their end, or to mend the node, is mostly better than to tolerate them.
var passing = condition.Passing()

// What it costs to tolerate a taint: each more than all of the next, on a node
// of less than 32,768 taints.
const (
	oneMore     = 1 << 45 // toleration to be added
	forPassing  = 1 << 30
	forFar      = 1 << 15 // there is no toleration of such a key, so it was not meant
	forMisspelt = 1       // there is one of a similar key
)

// fix returns the cheapest fix for pods that may run nowhere: the fewest
// tolerations; of as many those for the fewest passing taints, and then those
// for the fewest keys that the pods have no toleration of, a misspelt one
// counting for less. Of fixes as cheap it is the one that opens the most nodes,
// and then the first by its taints.
func (j *judge) fix(p *podClass) *fix {
	if p.fix == nil {
		p.fix = j.findFix(p)
		if n := len(p.fix.taints); j.most > 0 && n > j.most { // pods times taints would fill the memory
			p.fix.taints, p.fix.more = slices.Clone(p.fix.taints[:j.most]), n-j.most
		}
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
			best = fix{taints: append(best.taints[:0], j.some...), nodes: nodes}
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
		for _, t := range j.misspelt(u.Key()) {
			j.prices[t] = j.prices[t]&^forFar | forMisspelt
		}
	}
	for _, u := range p.tolerations {
		group := u.Key()
		if group == "" {
			group = effectGroup(0) // it has every key
		}
		for _, t := range j.groups[group] {
			j.prices[t] &^= forFar | forMisspelt
		}
	}
}

// How many pairs of keys are compared, and how many similar ones are kept: beyond, no
// key is taken for misspelt, and less is suggested.
const (
	mostGuesses = 1 << 26
	mostMeant   = 1 << 20
)

// misspelt returns the taints whose keys the given one is perhaps meant to be;
// none when it is the key of a taint itself.
func (j *judge) misspelt(key string) []int32 {
	taints, known := j.meant[key]
	if !known {
		if _, right := j.groups[key]; !right && key != "" && len(j.meant) <= mostGuesses/(len(j.taints)+1) {
			for i, t := range j.taints {
				if similar(key, t.Key()) {
					taints = append(taints, int32(i))
				}
			}
		}
		if j.similar += len(taints); j.similar > mostMeant {
			taints = nil
		}
		j.meant[key] = taints
	}
	return taints
}

// similar reports whether two keys differ in their prefix alone, or in a single
// byte that is one too many, too few or another. A digit does not count, since
// digits distinguish team1 from team2, nor does a byte of so few as in cpu and gpu.
func similar(a, b string) bool {
	nameA, nameB := a[strings.LastIndexByte(a, '/')+1:], b[strings.LastIndexByte(b, '/')+1:]
	if nameA == nameB {
		return true
	}
	whole := len(a)
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 && whole-len(a) >= 3 && !strings.ContainsAny(a+b, "0123456789")
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

// A miss is a taint of a fix, and why the pods do not tolerate it.
type miss struct {
	match.Explanation
	similar toleration.Toleration // of a similar key, where there is none of the taint's
}

func (j *judge) explain(p *podClass, taints []int32) (all []miss) {
	for _, t := range taints {
		m := miss{Explanation: match.Explain(j.taints[t], toleration.First, p.tolerations)}
		for _, u := range p.tolerations {
			if m.Miss == match.OtherKey && m.similar.IsZero() && slices.Contains(j.misspelt(u.Key()), t) {
				m.similar = u
			}
		}
		all = append(all, m)
	}
	return all
}
