package policy

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// An index has the clauses that decide about each cell: the taints of an effect and a
// point of the clauses' tolerations. A toleration of a pod is refused if one of the cells
// that it reaches is.
type index struct {
	clauses [2][]*clause // that deny and that allow, by descending effect: the first that has a taint counts
	line    cells.Line
	cells   [effects][]cell  // by point
	every   [effects]verdict // about tolerations without a key, by their effect, or 0 for an absent one
}

const (
	deny, allow = 0, 1
	effects     = int(taint.NoExecute) + 1
)

// A cell has the position of the first clause of each kind that has its taints, or the
// number of all clauses.
type cell struct {
	taint  taint.Taint
	clause [2]int
}

// A verdict has the cells that decide about a toleration: where the most is denied, and
// where the least is allowed.
type verdict [2]*cell

func newIndex(denied, allowed []clause) *index {
	x := &index{clauses: [2][]*clause{sorted(denied, (*clause).denied), sorted(allowed, func(c *clause) length { return forever - c.limit() })}}
	var list toleration.List
	for _, c := range slices.Concat(x.clauses[deny], x.clauses[allow]) {
		list = append(append(list, c.Except...), c.Taints...)
	}
	x.line = cells.New(list, math.MaxInt, nil)
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		for _, p := range x.line.Points {
			x.cells[e] = append(x.cells[e], cell{x.line.Taint(p, e), [2]int{len(denied), len(allowed)}})
		}
	}
	for kind, clauses := range x.clauses {
		for i, c := range clauses {
			for j := range c.Taints {
				for cell := range x.reach(&c.Taints[j]) {
					if cell.clause[kind] > i && c.Except.Match(cell.taint) < 0 {
						cell.clause[kind] = i
					}
				}
			}
		}
	}
	for i := range keyless {
		x.every[keyless[i].Effect()] = x.worst(&keyless[i])
	}
	return x
}

// keyless has all tolerations without a key and seconds.
var keyless = toleration.MustParseList("op=Exists,:NoSchedule op=Exists,:PreferNoSchedule op=Exists,:NoExecute op=Exists")

func sorted(clauses []clause, by func(*clause) length) (list []*clause) {
	for i := range clauses {
		list = append(list, &clauses[i])
	}
	slices.SortStableFunc(list, func(c, d *clause) int { return cmp.Compare(by(c), by(d)) })
	return list
}

// reach yields the cells that u matches, effect by effect.
func (x *index) reach(u *toleration.Toleration) iter.Seq[*cell] {
	return func(yield func(*cell) bool) {
		s := x.line.Span(u)
		if s.IsEmpty() {
			return
		}
		first, last := x.line.Find(s)
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			if of := u.Effect(); of != 0 && of != e {
				continue
			}
			for i := first; i <= last; i++ {
				if !yield(&x.cells[e][i]) {
					return
				}
			}
		}
	}
}

// worst returns the verdict about u, with the first cells of equal ones. It is zero if u
// reaches no cell.
func (x *index) worst(u *toleration.Toleration) (v verdict) {
	if every := x.every[u.Effect()]; u.Key() == "" && every[deny] != nil {
		return every
	}
	for cell := range x.reach(u) {
		if v[deny] == nil || cell.clause[deny] < v[deny].clause[deny] {
			v[deny] = cell
		}
		if v[allow] == nil || cell.clause[allow] > v[allow].clause[allow] {
			v[allow] = cell
		}
	}
	return v
}

// clause returns the clause of a kind that decides, or nil if none does.
func (x *index) clause(v verdict, kind int) *clause {
	if i := v[kind].clause[kind]; i < len(x.clauses[kind]) {
		return x.clauses[kind][i]
	}
	return nil
}

// isAllowed reports whether the clause alone allows u, which matches some taint.
func (x *index) isAllowed(u *toleration.Toleration, c *clause) bool {
	if lengthOf(u) > c.limit() {
		return false
	}
	for cell := range x.reach(u) {
		if c.Taints.Match(cell.taint) < 0 || c.Except.Match(cell.taint) >= 0 {
			return false
		}
	}
	return true
}

// witness returns a taint of the cell that u, which reaches it, matches.
func (c *cell) witness(u *toleration.Toleration) taint.Taint {
	if u.Tolerates(c.taint) {
		return c.taint
	}
	val := u.Value()
	if u.IsNumeric() {
		lo, _ := cells.Integers(u)
		val = strconv.FormatInt(lo, 10)
	}
	t, err := taint.New(u.Key(), val, c.taint.Effect())
	if err != nil {
		panic("policy: " + err.Error()) // not reached
	}
	return t
}
