package policy

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
	"github.com/go-tolerate/tolerate/validate"
)

// Judge returns the verdict on the toleration. Of several clauses that deny it, the one with
// the fewest seconds decides, then the first. Of several that allow it, the first is named.
// Judge allocates only for a refusal. A refusal takes O(log n + k) for n tolerations in the
// clauses, k of them with its key. To find the clause that allows takes up to O(n²), 0.3 s for
// 4,000: for the pods of strangers, use Check, which does not search for it.
func (p Policy) Judge(u toleration.Toleration) Verdict {
	c := cmp.Or(p.compiled, noClauses)
	v := c.judge(u)
	for i := 0; v.Allowed && v.Clause == "" && i < len(c.clauses[allow]); i++ {
		if one := &c.clauses[allow][i]; one.allows(&u, c.table) {
			v.Clause = one.label
		}
	}
	return v
}

// Check reports all tolerations of the list at path, such as "spec.tolerations", that the
// policy refuses. It takes O(log n + k) for each, where n tolerations are in the clauses, k
// of them with its key, and allocates only for refusals.
func (p Policy) Check(list toleration.List, path string) error {
	c := cmp.Or(p.compiled, noClauses)
	var ps validate.Problems
	for i, u := range list {
		if v := c.judge(u); !v.Allowed {
			ps = append(ps, v.problem(problem.Index(path, i)))
		}
	}
	return ps.Err()
}

// compiled has, for each cell of the taints, the clauses that decide about it. The rank of a
// clause is its index among those of its kind in this order: first that which allows the most
// seconds, and that which denies from the fewest seconds on. The last of each kind stands for
// no clause.
type compiled struct {
	clauses [2][]clause
	ranked  [2][]*clause
	table   *cells.Table
	lowest  [][2]int                         // by cell: the lowest rank of each kind
	keyless [int(taint.NoExecute) + 1][2]int // what worst returns without a key, by effect
}

// A clause is a Clause with its name in verdicts, and how long a toleration may be: for a
// deny clause, 0 or its limit.
type clause struct {
	Clause
	label string
	most  cells.Length
}

var noClauses = compile([2][]clause{})

// compile takes at most the number of tolerations times the number of cells.
func compile(clauses [2][]clause) *compiled {
	p := &compiled{clauses: clauses}
	for kind := range clauses {
		for i := range clauses[kind] {
			p.ranked[kind] = append(p.ranked[kind], &clauses[kind][i])
		}
	}
	p.ranked[allow] = append(p.ranked[allow], &clause{most: 0})
	p.ranked[deny] = append(p.ranked[deny], &clause{most: cells.Forever})
	slices.SortStableFunc(p.ranked[allow], func(c, d *clause) int { return cmp.Compare(d.most, c.most) })
	slices.SortStableFunc(p.ranked[deny], func(c, d *clause) int { return cmp.Compare(c.most, d.most) })
	var list toleration.List
	for _, c := range slices.Concat(p.ranked[deny], p.ranked[allow]) {
		list = append(append(list, c.Except...), c.Taints...)
	}
	p.table = cells.New(list)
	p.lowest = slices.Repeat([][2]int{{len(clauses[allow]), len(clauses[deny])}}, len(p.table.Taints))
	excepted := make([]*clause, len(p.lowest)) // the last clause that excepts the cell
	for kind, clauses := range p.ranked {
		for rank, c := range clauses {
			for i := range c.Except {
				for cell := range p.table.Reach(&c.Except[i]) {
					excepted[cell] = c
				}
			}
			for i := range c.Taints {
				for cell := range p.table.Reach(&c.Taints[i]) {
					if excepted[cell] != c {
						p.lowest[cell][kind] = min(p.lowest[cell][kind], rank)
					}
				}
			}
		}
	}
	for _, u := range toleration.MustParseList("op=Exists,:NoSchedule op=Exists,:PreferNoSchedule op=Exists,:NoExecute op=Exists") {
		p.keyless[u.Effect()] = p.worst(&u)
	}
	return p
}

// worst returns the cells that decide about u, which is denied if one of its cells is, and
// allowed only if all are: the first of those where the deny clause has the lowest rank, and
// of those where the allow clause has the highest. They are -1 if u matches no taint.
func (p *compiled) worst(u *toleration.Toleration) (worst [2]int) {
	worst, rank := [2]int{-1, -1}, [2]int{allow: -1, deny: math.MaxInt}
	for cell := range p.table.Reach(u) {
		lowest := &p.lowest[cell]
		if lowest[deny] < rank[deny] {
			worst[deny], rank[deny] = cell, lowest[deny]
		}
		if lowest[allow] > rank[allow] {
			worst[allow], rank[allow] = cell, lowest[allow]
		}
	}
	return worst
}

// judge is Judge without the clause that allows the toleration.
func (p *compiled) judge(u toleration.Toleration) Verdict {
	worst := p.keyless[u.Effect()]
	if u.Key() != "" || u.IsZero() {
		worst = p.worst(&u)
	}
	v := Verdict{Toleration: u}
	if worst[deny] < 0 {
		v.Allowed = u.IsNumeric()
		return v
	}
	denies := p.ranked[deny][p.lowest[worst[deny]][deny]]
	allows := p.ranked[allow][p.lowest[worst[allow]][allow]]
	switch length := cells.LengthOf(u.Seconds()); {
	case length > denies.most:
		v.Denied = true
		v.refuse(denies, p.table.Taints[worst[deny]])
	case length > allows.most:
		v.refuse(allows, p.table.Taints[worst[allow]])
	default:
		v.Allowed = true
	}
	return v
}

// refuse sets the clause, and a taint of the cell that has t.
func (v *Verdict) refuse(c *clause, t taint.Taint) {
	v.Clause, v.Message, v.Witness = c.label, c.Message, t
	if c.MaxSeconds != nil {
		n := max(*c.MaxSeconds, 0)
		v.MaxSeconds = &n
	}
	if u := v.Toleration; !u.Tolerates(t) {
		val := u.Value()
		if u.IsNumeric() {
			lo, _ := cells.Integers(&u)
			val = strconv.FormatInt(lo, 10)
		}
		v.Witness, _ = taint.New(u.Key(), val, t.Effect()) // valid
	}
}

// allows reports whether u matches some taint, and the clause alone allows u.
func (c *clause) allows(u *toleration.Toleration, table *cells.Table) bool {
	if cells.LengthOf(u.Seconds()) > c.most {
		return false
	}
	matched := false
	for cell := range table.Reach(u) {
		matched = true
		tolerates := func(v toleration.Toleration) bool { return v.Tolerates(table.Taints[cell]) }
		if !slices.ContainsFunc(c.Taints, tolerates) || slices.ContainsFunc(c.Except, tolerates) {
			return false
		}
	}
	return matched
}
