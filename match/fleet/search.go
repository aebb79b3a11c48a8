package fleet

import (
	"math"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A pod is the tolerations of a query, each kind put together: so a query looks
// at each taint once, however many tolerations match it.
//
// A set of effects has the bit 1<<e for each effect e.
type pod struct {
	effects uint8  // of the tolerations without a key
	wants   []want // of the others, in their order
	index   map[wanted]int
}

// A wanted is a key alone, or a key with a value.
type wanted struct {
	key, value unique.Handle[string]
	hasValue   bool
}

// A want is the tolerations of one key under Exists, Lt and Gt, or of one key
// and value under Equal.
type want struct {
	wanted
	effects uint8    // tolerated under Exists or Equal; never bit 0, that of the zero Taint
	numeric uint8    // the effects for which below and above are set
	below   [4]int64 // by effect: lower integers are tolerated, by the largest Lt
	above   [4]int64 // and higher ones, by the smallest Gt
}

const allEffects = 1<<taint.NoSchedule | 1<<taint.PreferNoSchedule | 1<<taint.NoExecute

// reset makes p the pod with these tolerations. It reuses p's memory.
func (p *pod) reset(tolerations toleration.List) {
	p.effects, p.wants = 0, p.wants[:0]
	clear(p.index)
	for _, u := range tolerations {
		p.add(u)
	}
}

func (p *pod) add(u toleration.Toleration) {
	effects := uint8(allEffects)
	if e := u.Effect(); e != 0 {
		effects = 1 << e
	}
	w := wanted{key: value.Toleration(u).KeyHandle()}
	switch op := u.Operator(); {
	case u.IsZero():
	case w.key == unique.Handle[string]{}:
		if op == toleration.Exists {
			p.effects |= effects
		}
	case op == toleration.Exists:
		p.want(w).effects |= effects
	case op == toleration.Lt || op == toleration.Gt:
		p.want(w).bound(u, effects)
	case value.Toleration(u).IsEqual():
		w.value, w.hasValue = value.Toleration(u).ValueHandle(), true
		p.want(w).effects |= effects
	}
}

// want returns what the pod wants of w, which is added if it is new.
func (p *pod) want(w wanted) *want {
	if known := p.find(w); known != nil {
		return known
	}
	p.wants = append(p.wants, want{wanted: w})
	switch n := len(p.wants); {
	case n == set.Short+1:
		if p.index == nil {
			p.index = make(map[wanted]int)
		}
		for i := range p.wants {
			p.index[p.wants[i].wanted] = i
		}
	case n > set.Short:
		p.index[w] = n - 1
	}
	return &p.wants[len(p.wants)-1]
}

// find returns what the pod wants of w; nil if nothing.
func (p *pod) find(w wanted) *want {
	if len(p.wants) > set.Short {
		if i, ok := p.index[w]; ok {
			return &p.wants[i]
		}
		return nil
	}
	for i := range p.wants {
		if p.wants[i].wanted == w {
			return &p.wants[i]
		}
	}
	return nil
}

// bound adds a toleration with Lt or Gt.
func (w *want) bound(u toleration.Toleration, effects uint8) {
	n, _ := validate.Integer(u.Value())
	for e := range w.below {
		bit := uint8(1) << e & effects
		if bit == 0 {
			continue
		}
		if w.numeric&bit == 0 {
			w.numeric |= bit
			w.below[e], w.above[e] = math.MinInt64, math.MaxInt64
		}
		if u.Operator() == toleration.Lt {
			w.below[e] = max(w.below[e], n)
		} else {
			w.above[e] = min(w.above[e], n)
		}
	}
}

// admits reports whether the tolerations of w's key under Exists, Lt or Gt match the
// taint.
func (w *want) admits(t taint.Taint) bool {
	e := t.Effect()
	bit := uint8(1) << e
	if w.effects&bit != 0 {
		return true
	}
	if w.numeric&bit == 0 {
		return false
	}
	n, ok := value.Taint(t).Integer()
	return ok && (n < w.below[e] || n > w.above[e])
}

// tolerates reports whether some toleration matches the taint. None matches the
// zero Taint, which has no effect.
func (p *pod) tolerates(t taint.Taint) bool {
	bit := uint8(1) << t.Effect()
	if p.effects&bit != 0 {
		return true
	}
	w := wanted{key: value.Taint(t).KeyHandle()}
	if key := p.find(w); key != nil && key.admits(t) {
		return true
	}
	w.value, w.hasValue = value.Taint(t).ValueHandle(), true
	known := p.find(w)
	return known != nil && known.effects&bit != 0
}

// result returns the effect of the taints on the pod.
func (p *pod) result(elems []elem) (r match.Result) {
	for i := range elems {
		if t := elems[i].taint; !p.tolerates(t) {
			r = r.With(i, t.Effect())
		}
	}
	return r
}

// A search finds the groups whose taints are all tolerated, and the numbers of
// nodes that follow.
type search struct {
	groups []uint32 // also those without nodes; untainted first; none if the pod tolerates everything
	counts Counts
}

func (f *search) run(x *groups, p *pod) {
	*f = search{f.groups[:0], Counts{Of: x.total}}
	if p.effects == allEffects || x.epoch == 0 { // nothing to find in the zero Snapshot
		f.counts.Schedulable = x.total - x.unreadable
		f.counts.Preferred = f.counts.Schedulable
		return
	}
	f.groups = append(f.groups, untainted)
	if p.effects != 0 {
		for _, page := range x.keys.pages {
			for i := range page.elems {
				f.takeKey(x, p, &page.elems[i], p.effects, nil)
			}
		}
	}
	for i := range p.wants {
		if w := &p.wants[i]; w.hasValue {
			f.takeValue(x, p, w)
		} else if id, ok := x.byKey.get(w.key); ok {
			f.takeKey(x, p, x.keys.at(id), (w.effects|w.numeric)&^p.effects, w)
		}
	}
	var sum tally
	for _, id := range f.groups {
		t := x.tallies.at(id)
		sum.nodes += t.nodes
		sum.blocking += t.blocking
		sum.evicting += t.evicting
	}
	f.counts = Counts{int(sum.blocking), int(sum.nodes), x.total - int(sum.evicting), x.total}
}

// takeKey takes the taints of a key with these effects; only those that w
// admits, if it is not nil.
func (f *search) takeKey(x *groups, p *pod, key *keyRecord, effects uint8, w *want) {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if effects&(1<<e) == 0 {
			continue
		}
		for _, page := range key.indexed[e].pages {
			for _, id := range page.elems {
				if t := x.taints.at(id); w == nil || w.admits(t.taint) {
					f.take(x, p, id, t)
				}
			}
		}
	}
}

// takeValue takes the taints of a key and value, except those that were taken
// for their effect, key or integer.
func (f *search) takeValue(x *groups, p *pod, w *want) {
	key := p.find(wanted{key: w.key})
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if w.effects&^p.effects&(1<<e) == 0 {
			continue
		}
		if id, ok := x.byTaint.get(name{key: w.key, value: w.value, effect: e}); ok {
			if t := x.taints.at(id); key == nil || !key.admits(t.taint) {
				f.take(x, p, id, t)
			}
		}
	}
}

// take adds the groups that are indexed under a tolerated taint and whose other
// taints are tolerated too.
func (f *search) take(x *groups, p *pod, id uint32, t *taintRecord) {
	for _, page := range t.indexed.pages {
		for _, g := range page.elems {
			if !slices.ContainsFunc(x.records.at(g).elems, func(e elem) bool { return e.id != id && !p.tolerates(e.taint) }) {
				f.groups = append(f.groups, g)
			}
		}
	}
}
