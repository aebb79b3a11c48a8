package lint

import (
	"sort"
	"unique"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// manyTolerations is the greatest length of a list in which each toleration is
// compared with all others, which takes cubic time. In a longer list, tolerations
// are looked up in a [long]. BenchmarkLintLong set it.
const manyTolerations = 128

// closeLook is how many earlier tolerations of a long list are compared with one
// to determine its check. lint.Find in BenchmarkGrowth set it.
const closeLook = 128

// A long is an index of a long list.
type long struct {
	groups map[unique.Handle[string]]*group
	all    group // of all keys

	// The indices of the needed tolerations by form: the only one of its form,
	// or those with Lt or Gt, each of which matches more numbers than the one
	// before.
	first map[form]int
	wider map[form][]int

	matches map[taint.Taint]int // results of [linter.findMatch]
}

// A form is a toleration without its seconds and, for Lt and Gt, its value.
type form struct {
	key, value unique.Handle[string]
	op         toleration.Operator // not absent
	effect     taint.Effect
}

// A group describes the tolerations with one key, or without a key.
type group struct {
	have   [taint.NoExecute + 1]int  // number of tolerations, by effect or 0
	valued [taint.NoExecute + 1]bool // whether a needed one has a value, by effect or 0
	// The indices of the needed tolerations that match some NoExecute taint, and
	// whether their seconds differ.
	evict []int
	mixed bool
}

func newLong(list toleration.List) *long {
	x := &long{
		groups: make(map[unique.Handle[string]]*group), first: make(map[form]int), wider: make(map[form][]int),
		matches: make(map[taint.Taint]int),
	}
	for i := range list {
		if u := &list[i]; !u.IsZero() {
			x.group(u).have[u.Effect()]++
		}
	}
	return x
}

func (x *long) group(u *toleration.Toleration) *group {
	g := x.groups[keyOf(u)]
	if g == nil {
		g = new(group)
		x.groups[keyOf(u)] = g
	}
	return g
}

// meeting returns the number of tolerations of the list that meet u, which has a
// key.
func (x *long) meeting(u *toleration.Toleration) (n int) {
	for _, key := range [...]unique.Handle[string]{keyOf(u), anyKey} {
		if g := x.groups[key]; g != nil {
			for e, have := range g.have {
				if own := u.Effect(); own == 0 || e == 0 || own == taint.Effect(e) {
					n += have
				}
			}
		}
	}
	return n
}

// hasValue is [linter.namesValue] for a long list.
func (x *long) hasValue(u *toleration.Toleration) bool {
	valued := &x.group(u).valued
	if u.Effect() == 0 {
		return valued[0] || valued[taint.NoSchedule] || valued[taint.PreferNoSchedule] || valued[taint.NoExecute]
	}
	return valued[0] || valued[u.Effect()]
}

func formOf(u *toleration.Toleration) form {
	f := form{keyOf(u), valueOf(u), max(u.Operator(), toleration.Equal), u.Effect()}
	if u.IsNumeric() {
		f.value = anyKey // no value
	}
	return f
}

// The numbers that can be the only one that Lt or Gt matches.
var least, greatest = unique.Make("0"), unique.Make("9223372036854775807")

// coverer returns the index of the first toleration that matches all taints of
// u, -1 if there is none. Only tolerations that no earlier one covers are
// indexed: what covers another one also covers all that this one covers.
func (x *long) coverer(list toleration.List, u *toleration.Toleration) int {
	best := -1
	covers := func(i int) bool { return cover.Covers(list[i].WithoutSeconds(), *u) }
	one := func(f form) {
		if i, ok := x.first[f]; ok && (best < 0 || i < best) && covers(i) {
			best = i
		}
	}
	own := formOf(u)
	for _, effect := range [...]taint.Effect{0, own.effect} {
		one(form{op: toleration.Exists, effect: effect})
		one(form{key: own.key, op: toleration.Exists, effect: effect})
		switch own.op {
		case toleration.Exists:
			continue
		case toleration.Equal:
			one(form{own.key, own.value, toleration.Equal, effect})
		default:
			one(form{own.key, least, toleration.Equal, effect})
			one(form{own.key, greatest, toleration.Equal, effect})
		}
		for _, op := range [...]toleration.Operator{toleration.Lt, toleration.Gt} {
			wider := x.wider[form{key: own.key, op: op, effect: effect}]
			k := sort.Search(len(wider), func(k int) bool { return covers(wider[k]) })
			if k < len(wider) && (best < 0 || wider[k] < best) {
				best = wider[k]
			}
		}
	}
	return best
}

// add indexes a toleration that no earlier one covers.
func (x *long) add(list toleration.List, i int) {
	u := &list[i]
	if f := formOf(u); u.IsNumeric() {
		x.wider[f] = append(x.wider[f], i)
	} else {
		x.first[f] = i
	}
}

// keep records a needed toleration in its group. The calls are in list order.
func (x *long) keep(list toleration.List, i int) {
	u := &list[i]
	if u.Effect() != 0 && u.Effect() != taint.NoExecute {
		return
	}
	for _, g := range [...]*group{x.group(u), &x.all} {
		g.mixed = g.mixed || len(g.evict) > 0 && !sameTime(&list[g.evict[0]], u)
		g.evict = append(g.evict, i)
	}
}

// classify returns the check that reports u, all whose taints the earlier
// toleration at index first matches: Shadowed if some of them are tolerated for
// another time than that of u, else Redundant. It returns 0 if the first
// closeLook comparisons do not decide this.
func (x *long) classify(list toleration.List, u *toleration.Toleration, first int) Check {
	if e := u.Effect(); e != 0 && e != taint.NoExecute {
		return Redundant // no seconds
	}
	if !x.all.mixed && sameTime(&list[first], u) {
		return Redundant // all seconds are the same
	}
	queue := x.evicting(u)
	decided := false // some taints of u may be tolerated for its time
	for range closeLook {
		i := queue.next() // not empty: first is in it
		switch v := &list[i]; {
		case !overlap(u, v):
		case !sameTime(u, v) && decided:
			return 0 // v perhaps decides for none of these taints
		case !sameTime(u, v):
			return Shadowed
		case i == first:
			return Redundant
		default:
			decided = true
		}
	}
	return 0
}

// evicting returns the needed tolerations that match a NoExecute taint and allow
// the key of u.
func (x *long) evicting(u *toleration.Toleration) (q queue) {
	if keyOf(u) == anyKey {
		q.any = x.all.evict
		return q
	}
	q.own = x.group(u).evict
	if g := x.groups[anyKey]; g != nil {
		q.any = g.evict
	}
	return q
}

// A queue holds indices of tolerations with a key and without one.
type queue struct{ own, any []int }

// next removes the least index.
func (q *queue) next() int {
	from := &q.any
	if len(q.any) == 0 || len(q.own) > 0 && q.own[0] < q.any[0] {
		from = &q.own
	}
	i := (*from)[0]
	*from = (*from)[1:]
	return i
}

// overlap reports whether both tolerations match some taint. Neither is empty,
// and they meet.
func overlap(u, v *toleration.Toleration) bool {
	switch {
	case u.Operator() == toleration.Exists || v.Operator() == toleration.Exists:
		return true
	case !u.IsNumeric() && !v.IsNumeric():
		return valueOf(u) == valueOf(v)
	}
	in, except := [...]toleration.Toleration{*u}, [...]toleration.Toleration{*v}
	return !cover.Set{In: in[:]}.Within(cover.Set{In: in[:], Except: except[:]})
}

// unneededLong is [linter.unneeded] for a long list: it finds only tolerations
// that one earlier toleration covers and classify can classify.
func (l *linter) unneededLong(found []Finding) []Finding {
	x := l.long
	for i := range l.pod {
		u := &l.list[i]
		if u.IsZero() || l.isDropped(i) {
			continue
		}
		first, c := x.coverer(l.list, u), Check(0)
		if first < 0 {
			x.add(l.list, i)
		} else {
			c = x.classify(l.list, u, first)
		}
		if c == 0 {
			x.keep(l.list, i)
			continue
		}
		f := l.finding(c, i)
		l.setOther(&f, first)
		l.setFix(&f, remove, true) // the first one is never removed
		found = append(found, f)
		l.mark(i)
	}
	l.update()
	for i := range l.list {
		if u := &l.list[i]; u.Value() != "" && !l.isDropped(i) {
			x.group(u).valued[u.Effect()] = true
		}
	}
	return found
}
