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

// A pod is the tolerations of a query, each kind put together: so a query looks at each
// taint once, however many tolerations match it.
type pod struct {
	effects effects // of the tolerations without a key
	wants   []want  // of the others, in their order
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
	effects effects  // tolerated under Exists or Equal
	below   [4]int64 // by effect: lower integers are tolerated, by the largest Lt
	above   [4]int64 // and higher ones, by the smallest Gt
}

// effects is a set of effects: bit 1<<e for each effect e, and never bit 0, of the zero Taint.
type effects uint8

const allEffects effects = 1<<taint.NoSchedule | 1<<taint.PreferNoSchedule | 1<<taint.NoExecute

func (s effects) has(e taint.Effect) bool { return s&(1<<e) != 0 }

// reset makes p the pod with these tolerations. It reuses p's memory.
func (p *pod) reset(tolerations toleration.List) {
	p.effects, p.wants = 0, p.wants[:0]
	clear(p.index)
	for _, u := range tolerations {
		p.add(u)
	}
}

func (p *pod) add(u toleration.Toleration) {
	effects := allEffects
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
	last := &p.wants[len(p.wants)-1]
	for e := range last.below {
		last.below[e], last.above[e] = math.MinInt64, math.MaxInt64
	}
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
	return last
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
func (w *want) bound(u toleration.Toleration, effects effects) {
	n, _ := validate.Integer(u.Value())
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		switch {
		case !effects.has(e):
		case u.Operator() == toleration.Lt:
			w.below[e] = max(w.below[e], n)
		default:
			w.above[e] = min(w.above[e], n)
		}
	}
}

// byKey reports whether the tolerations of w's key under Exists, Lt or Gt match the taint.
func (w *want) byKey(t taint.Taint) bool {
	e := t.Effect()
	if w.effects.has(e) {
		return true
	}
	n, ok := value.Taint(t).Integer()
	return ok && (n < w.below[e] || n > w.above[e])
}

// tolerates reports whether some toleration matches the taint. None matches the
// zero Taint, which has no effect.
func (p *pod) tolerates(t taint.Taint) bool {
	return p.effects.has(t.Effect()) || p.toleratesKey(t) || p.toleratesValue(t)
}

func (p *pod) toleratesKey(t taint.Taint) bool {
	w := p.find(wanted{key: value.Taint(t).KeyHandle()})
	return w != nil && w.byKey(t)
}

func (p *pod) toleratesValue(t taint.Taint) bool {
	w := p.find(wanted{value.Taint(t).KeyHandle(), value.Taint(t).ValueHandle(), true})
	return w != nil && w.effects.has(t.Effect())
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
	f.find(x, p)
	var sum tally
	for _, id := range f.groups {
		t := x.tallies.at(id)
		sum.nodes += t.nodes
		sum.blocking += t.blocking
		sum.evicting += t.evicting
	}
	f.counts = Counts{int(sum.blocking), int(sum.nodes), x.total - int(sum.evicting), x.total}
}

// find takes each tolerated taint once: for its effect, else for its key or integer, else
// for its value.
func (f *search) find(x *groups, p *pod) {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if p.effects.has(e) {
			for id := x.byEffect[e]; id != zeroTaint; id = x.taints.at(id).nextEffect {
				f.take(x, p, id)
			}
		}
	}
	for i := range p.wants {
		w := &p.wants[i]
		if w.hasValue {
			f.findValue(x, p, w)
			continue
		}
		id, _ := x.byKey.get(w.key)
		for ; id != zeroTaint; id = x.taints.at(id).nextKey {
			if t := x.taints.at(id).taint; !p.effects.has(t.Effect()) && w.byKey(t) {
				f.take(x, p, id)
			}
		}
	}
}

func (f *search) findValue(x *groups, p *pod, w *want) {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		if w.effects.has(e) && !p.effects.has(e) {
			id, ok := x.byTaint.get(name{key: w.key, value: w.value, effect: e})
			if ok && !p.toleratesKey(x.taints.at(id).taint) {
				f.take(x, p, id)
			}
		}
	}
}

// take adds the groups that are indexed under a tolerated taint and whose other
// taints are tolerated too.
func (f *search) take(x *groups, p *pod, id uint32) {
	untolerated := func(t uint32) bool { return t != id && !p.tolerates(x.taints.at(t).taint) }
	for g := x.taints.at(id).indexed; g != untainted; {
		r := x.records.at(g)
		if !slices.ContainsFunc(r.taints, untolerated) {
			f.groups = append(f.groups, g)
		}
		g = r.nextIndexed
	}
}

// result returns the effect of the taints of a group on the pod.
func (p *pod) result(x *groups, id uint32) (r match.Result) {
	for i := range x.records.at(id).taints {
		if t := x.taint(id, i); !p.tolerates(t) {
			r = r.With(i, t.Effect())
		}
	}
	return r
}
