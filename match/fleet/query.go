package fleet

import (
	"hash/maphash"
	"math"
	"slices"
	"unique"

	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A pod is the tolerations of a query.
type pod struct {
	tolerations toleration.List // without zero ones, canonical, without seconds
	all         bool            // some toleration matches every taint
	planned     bool            // plan is that of tolerations
	plan        plan
}

// linear is the number of tolerations up to which a taint is compared with each
// of them: BenchmarkFleetTolerations.
const linear = 32

// reset makes p the pod with these tolerations. It reuses p's memory.
func (p *pod) reset(lists []toleration.List) {
	p.tolerations, p.all, p.planned = p.tolerations[:0], false, false
	for _, list := range lists {
		for _, u := range list {
			if !u.IsZero() {
				p.tolerations = append(p.tolerations, u.WithoutSeconds().Canonical())
				p.all = p.all || u.Key() == "" && u.Effect() == 0 && u.Operator() == toleration.Exists
			}
		}
	}
	if len(p.tolerations) > linear && !p.all {
		p.prepare()
	}
}

func (p *pod) prepare() {
	if !p.planned {
		p.plan.build(p.tolerations)
		p.planned = true
	}
}

// tolerates reports whether the pod tolerates the taint. No pod tolerates the
// zero Taint.
func (p *pod) tolerates(t taint.Taint) bool {
	switch {
	case p.all:
		return !t.IsZero()
	case p.planned:
		return p.plan.tolerates(t)
	}
	return p.tolerations.Match(t) >= 0
}

// toleratesAll reports whether the pod tolerates all taints but the given one,
// which it is known to tolerate; 0 for none.
func (p *pod) toleratesAll(elems []elem, but link) bool {
	for i := range elems {
		if elems[i].id+1 != but && !p.tolerates(elems[i].taint) {
			return false
		}
	}
	return true
}

// count counts the untolerated taints.
func (p *pod) count(elems []elem) (c Counts) {
	for i := range elems {
		if t := elems[i].taint; !p.tolerates(t) {
			c.counts[effectOf(t)]++
		}
	}
	return c
}

// A plan is tolerations sorted by what they match. So a query looks at each
// taint once, however many tolerations match it, and finds in constant time
// whether any does.
//
// A set of effects has the bit 1<<e for each effect e.
type plan struct {
	effects uint8 // of the tolerations without a key
	keys    []keyPlan
	values  []valuePlan
	bounds  []bounds

	// For more than linear tolerations, hash tables of the indices in keys and
	// values, plus one. Go maps take 1.3 times as long: BenchmarkFleetTolerations.
	hashed         bool
	seed           maphash.Seed
	byKey, byValue []uint32
}

// A keyPlan is the tolerations of one key.
type keyPlan struct {
	key                    unique.Handle[string]
	exists, equal, numeric uint8  // effects
	bounds                 uint32 // an index in bounds, if numeric is not empty
}

// A bounds is the tolerations of one key under Lt and Gt. For each effect,
// integers below the one bound and above the other are tolerated.
type bounds struct{ below, above [4]int64 }

// A valuePlan is the tolerations of one key and value under Equal.
type valuePlan struct {
	valueName
	effects uint8
}

// A valueName is a key, as an index in keys, and a value.
type valueName struct {
	key   uint32
	value unique.Handle[string]
}

const allEffects = 1<<taint.NoSchedule | 1<<taint.PreferNoSchedule | 1<<taint.NoExecute

// build makes p the plan of these tolerations. It reuses p's memory.
func (p *plan) build(tolerations toleration.List) {
	p.effects, p.keys, p.values, p.bounds = 0, p.keys[:0], p.values[:0], p.bounds[:0]
	if p.hashed = len(tolerations) > linear; p.hashed {
		p.clearTables(len(tolerations))
	}
	for _, u := range tolerations {
		effects := uint8(allEffects)
		if e := u.Effect(); e != 0 {
			effects = 1 << e
		}
		key := value.Toleration(u).KeyHandle()
		if key == (unique.Handle[string]{}) {
			if u.Operator() == toleration.Exists {
				p.effects |= effects
			}
			continue
		}
		i := p.addKey(key)
		k := &p.keys[i]
		switch u.Operator() {
		case toleration.Exists:
			k.exists |= effects
		case toleration.Lt, toleration.Gt:
			p.addBound(k, u, effects)
		case 0, toleration.Equal:
			k.equal |= effects
			p.addValue(valueName{uint32(i), value.Toleration(u).ValueHandle()}, effects)
		}
	}
}

// clearTables makes the hash tables empty, with room for n entries.
func (p *plan) clearTables(n int) {
	if p.seed == (maphash.Seed{}) {
		p.seed = maphash.MakeSeed()
	}
	size := 4 * linear
	for size < 2*n {
		size *= 2
	}
	if cap(p.byKey) < size {
		p.byKey, p.byValue = make([]uint32, size), make([]uint32, size)
	}
	p.byKey, p.byValue = p.byKey[:size], p.byValue[:size]
	clear(p.byKey)
	clear(p.byValue)
}

// addKey returns the index of the key, which is added if it is new.
func (p *plan) addKey(key unique.Handle[string]) int {
	i, cell := p.findKey(key)
	if i >= 0 {
		return i
	}
	p.keys = append(p.keys, keyPlan{key: key})
	if cell != nil {
		*cell = uint32(len(p.keys))
	}
	return len(p.keys) - 1
}

// findKey returns the index of the key; or -1, and its cell in the hash table if
// there is one.
func (p *plan) findKey(key unique.Handle[string]) (i int, cell *uint32) {
	if !p.hashed {
		for i := range p.keys {
			if p.keys[i].key == key {
				return i, nil
			}
		}
		return -1, nil
	}
	mask := uint64(len(p.byKey) - 1)
	for c := maphash.Comparable(p.seed, key) & mask; ; c = (c + 1) & mask {
		switch i := p.byKey[c]; {
		case i == 0:
			return -1, &p.byKey[c]
		case p.keys[i-1].key == key:
			return int(i - 1), nil
		}
	}
}

func (p *plan) addValue(name valueName, effects uint8) {
	i, cell := p.findValue(name)
	if i >= 0 {
		p.values[i].effects |= effects
		return
	}
	p.values = append(p.values, valuePlan{name, effects})
	if cell != nil {
		*cell = uint32(len(p.values))
	}
}

// findValue does for values what findKey does for keys.
func (p *plan) findValue(name valueName) (i int, cell *uint32) {
	if !p.hashed {
		return slices.IndexFunc(p.values, func(v valuePlan) bool { return v.valueName == name }), nil
	}
	mask := uint64(len(p.byValue) - 1)
	for c := maphash.Comparable(p.seed, name) & mask; ; c = (c + 1) & mask {
		switch i := p.byValue[c]; {
		case i == 0:
			return -1, &p.byValue[c]
		case p.values[i-1].valueName == name:
			return int(i - 1), nil
		}
	}
}

func (p *plan) addBound(k *keyPlan, u toleration.Toleration, effects uint8) {
	if k.numeric == 0 {
		const low, high = math.MinInt64, math.MaxInt64
		k.bounds = uint32(len(p.bounds))
		p.bounds = append(p.bounds, bounds{[4]int64{low, low, low, low}, [4]int64{high, high, high, high}})
	}
	k.numeric |= effects
	b := &p.bounds[k.bounds]
	bound, _ := validate.Integer(u.Value())
	for e := range b.below {
		switch {
		case effects&(1<<e) == 0:
		case u.Operator() == toleration.Lt:
			b.below[e] = max(b.below[e], bound)
		default:
			b.above[e] = min(b.above[e], bound)
		}
	}
}

// admits reports whether an integer is tolerated under the effect.
func (b *bounds) admits(n int64, e taint.Effect) bool { return n < b.below[e] || n > b.above[e] }

// compares reports whether a taint with this key is tolerated for its integer.
func (p *plan) compares(k *keyPlan, t taint.Taint) bool {
	if k.numeric&(1<<t.Effect()) == 0 {
		return false
	}
	n, ok := t.Integer()
	return ok && p.bounds[k.bounds].admits(n, t.Effect())
}

// tolerates reports whether some toleration matches the taint.
func (p *plan) tolerates(t taint.Taint) bool {
	effect := uint8(1) << t.Effect()
	if p.effects&effect != 0 {
		return true
	}
	i, _ := p.findKey(value.Taint(t).KeyHandle())
	if i < 0 {
		return false
	}
	k := &p.keys[i]
	if k.exists&effect != 0 || p.compares(k, t) {
		return true
	}
	if k.equal&effect == 0 {
		return false
	}
	v, _ := p.findValue(valueName{uint32(i), value.Taint(t).ValueHandle()})
	return v >= 0 && p.values[v].effects&effect != 0
}
