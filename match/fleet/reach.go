package fleet

import (
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
	"slices"
)

// A pod is what a query is about.
type pod struct {
	tolerations []toleration.Toleration // no zero ones, canonical, without seconds
	buf         []toleration.Toleration // the memory of tolerations, when it is the pod's own
	matcher     *match.Matcher          // instead of tolerations, when not nil
	all         bool                    // some toleration matches every taint
}

func (p *pod) reset(lists [][]toleration.Toleration) {
	buf := p.buf[:0]
	*p = pod{}
	for _, list := range lists {
		for _, u := range list {
			if !u.IsZero() {
				buf = append(buf, u.WithoutSeconds().Canonical())
				p.all = p.all || u.Key() == "" && u.Effect() == 0
			}
		}
	}
	p.buf, p.tolerations = buf, buf
}

func (p *pod) compiled(m *match.Matcher) {
	*p = pod{buf: p.buf, matcher: m}
}

func (p *pod) tolerates(t taint.Taint) bool {
	if p.matcher != nil {
		return p.matcher.Tolerates(t)
	}
	return toleration.Index(p.tolerations, t) >= 0
}

// A found is the lists that a pod tolerates, and what that says.
type found struct {
	lists []uint32 // those whose every taint is tolerated, the empty one first; none when all are
	buf   []uint32 // the memory of lists, when it is its own

	schedulable, preferred, evicted int
}

// ask finds the lists that the pod tolerates. It finds a superset by the
// taints that they hang on, and then looks at each.
func (f *found) ask(x *lists, p *pod) {
	f.lists = f.buf[:0]
	if p.all {
		f.schedulable, f.preferred, f.evicted = x.total, x.total, 0
		return
	}
	if x.shapes.len() == 0 { // the zero Snapshot
		f.schedulable, f.preferred, f.evicted = 0, 0, 0
		return
	}
	f.lists = append(f.lists, emptyList)
	if p.matcher != nil {
		f.askMatcher(x, p)
	}
	for i := range p.tolerations {
		f.reach(x, p, i)
	}
	f.buf = f.lists
	f.sum(x)
}

// sum adds up what the lists found say.
func (f *found) sum(x *lists) {
	var sum tally
	for _, id := range f.lists {
		t := x.tallies.at(id)
		sum.own += t.own
		sum.hard += t.hard
		sum.evict += t.evict
	}
	f.preferred, f.schedulable, f.evicted = int(sum.own), int(sum.hard), x.total-int(sum.evict)
}

// reach adds the lists that hang on a taint of which the pod's toleration i is
// the first to match it.
func (f *found) reach(x *lists, p *pod, i int) {
	u := p.tolerations[i]
	if u.Key() == "" {
		f.reachEffect(x, p, i)
		return
	}
	if u.Operator() == toleration.Equal {
		n := name{key: u.KeyHandle(), value: u.ValueHandle(), effect: u.Effect()}
		if n.effect != 0 {
			f.reachName(x, p, i, n)
			return
		}
		for n.effect = taint.NoSchedule; n.effect <= taint.NoExecute; n.effect++ {
			f.reachName(x, p, i, n)
		}
		return
	}
	k, ok := x.findKey(u.KeyHandle())
	if !ok {
		return
	}
	key := x.keys.at(k)
	if u.Operator() == toleration.Exists {
		f.reachKey(x, p, i, key)
		return
	}
	f.reachNumbers(x, p, i, &key.numbers)
}

func (f *found) reachName(x *lists, p *pod, i int, n name) {
	if id, ok := x.findTaint(n); ok {
		f.reachTaint(x, p, i, x.taints.at(id))
	}
}

// reachKey looks at all taints of a key that have the effect of toleration i.
func (f *found) reachKey(x *lists, p *pod, i int, key *keyRecord) {
	effect := p.tolerations[i].Effect()
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if effect != 0 && effect != e {
			continue
		}
		for l := key.first[e]; l != 0; {
			t := x.taints.at(l - 1)
			f.reachTaint(x, p, i, t)
			l = t.next
		}
	}
}

// reachNumbers looks at the taints on the right side of the bound, whatever
// their effect.
func (f *found) reachNumbers(x *lists, p *pod, i int, numbers *integers) {
	u := p.tolerations[i]
	bound, _ := validate.Integer(u.Value())
	if u.Operator() == toleration.Lt {
		for _, l := range numbers.leaves {
			for _, e := range l.entries {
				if e.n >= bound {
					return
				}
				f.reachTaint(x, p, i, x.taints.at(e.taint))
			}
		}
		return
	}
	after := entry{bound, ^uint32(0)}
	for l := numbers.seek(after); l < len(numbers.leaves); l++ {
		entries := numbers.leaves[l].entries
		at, _ := slices.BinarySearchFunc(entries, after, entry.compare)
		for _, e := range entries[at:] {
			f.reachTaint(x, p, i, x.taints.at(e.taint))
		}
	}
}

func (f *found) reachTaint(x *lists, p *pod, i int, t *taintRecord) {
	// A taint that an earlier toleration matches has been reached by it.
	if t.hangs != 0 && p.tolerations[i].Tolerates(t.taint) && (i == 0 || toleration.Index(p.tolerations[:i], t.taint) < 0) {
		f.take(x, p, t)
	}
}

// take adds what hangs on a tolerated taint, if all else is tolerated too.
func (f *found) take(x *lists, p *pod, t *taintRecord) {
	for l := t.hangs; l != 0; {
		s := x.shapes.at(l - 1)
		if len(s.elems) == 1 || p.toleratesAll(s.elems) {
			f.lists = append(f.lists, l-1)
		}
		l = s.hangs
	}
}

func (p *pod) toleratesAll(elems []elem) bool {
	for i := range elems {
		if !p.tolerates(elems[i].taint) {
			return false
		}
	}
	return true
}

// reachEffect looks at all keys, for toleration i, which has none.
func (f *found) reachEffect(x *lists, p *pod, i int) {
	for _, page := range x.keys.root {
		for j := range page {
			f.reachKey(x, p, i, &page[j])
		}
	}
}

func (f *found) askMatcher(x *lists, p *pod) {
	for _, page := range x.taints.root {
		for j := range page {
			if t := &page[j]; t.hangs != 0 && p.matcher.Tolerates(t.taint) {
				f.take(x, p, t)
			}
		}
	}
}
