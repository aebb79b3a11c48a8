// Package cells divides the values of taints with one key into cells. The taints of a
// cell and an effect match the same tolerations.
package cells

import (
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/toleration"
)

// Values are the cells of one key: first intervals of integers, then single values that
// are not integers, then one cell of all other values. Call Add for all tolerations of the
// key, and then Sort, before the other methods.
type Values struct {
	starts []int64        // of the intervals; the first is 0
	names  map[string]int // the cells of single values, counted from the end of the intervals
	texts  []string       // these values
	other  string         // a value in the last cell
}

// Add adds the cells that exist because of u.
func (v *Values) Add(u *toleration.Toleration) {
	lo, hi := Span(u)
	_, known := v.names[u.Value()]
	switch {
	case lo <= hi:
		v.starts = append(v.starts, lo)
		if hi < math.MaxInt64 {
			v.starts = append(v.starts, hi+1)
		}
	case value.Toleration(*u).IsEqual() && !known:
		if v.names == nil {
			v.names = make(map[string]int)
		}
		v.names[u.Value()] = len(v.texts)
		v.texts = append(v.texts, u.Value())
	}
}

// Sort numbers the cells.
func (v *Values) Sort() {
	v.starts = append(v.starts, 0)
	slices.Sort(v.starts)
	v.starts = slices.Compact(v.starts)
	named := func(s string) bool { _, ok := v.names[s]; return ok }
	if named("") {
		v.other = set.Unused(named)
	}
}

// Intervals returns the number of intervals.
func (v *Values) Intervals() int { return len(v.starts) }

// Len returns the number of cells.
func (v *Values) Len() int { return len(v.starts) + len(v.texts) + 1 }

// Interval returns the cell of an integer.
func (v *Values) Interval(n int64) int {
	return sort.Search(len(v.starts), func(i int) bool { return v.starts[i] > n }) - 1
}

// Cell returns the cell of a value.
func (v *Values) Cell(value string) int {
	if i, ok := v.names[value]; ok {
		return len(v.starts) + i
	}
	if n, rule := syntax.Integer(value); rule == 0 && n >= 0 {
		return v.Interval(n)
	}
	return v.Len() - 1
}

// Range returns the first and the last cell of the values that u matches, which are some.
func (v *Values) Range(u *toleration.Toleration) (first, last int) {
	lo, hi := Span(u)
	switch {
	case u.Operator() == toleration.Exists:
		return 0, v.Len() - 1
	case lo > hi:
		first = v.Cell(u.Value())
		return first, first
	}
	return v.Interval(lo), v.Interval(hi)
}

// Text returns a value of the cell, the least one of an interval.
func (v *Values) Text(cell int) string {
	switch i := cell - len(v.starts); {
	case i < 0:
		return strconv.FormatInt(v.starts[cell], 10)
	case i < len(v.texts):
		return v.texts[i]
	}
	return v.other
}

// Span returns the least and the greatest integer on a taint that u matches, whose
// operator is not Exists. If it matches no integer, the least is above the greatest. The
// span of Equal is one integer, or none if its value is not an integer: callers must
// compare such values themselves.
func Span(u *toleration.Toleration) (lo, hi int64) {
	n, rule := syntax.Integer(u.Value())
	switch {
	case u.Operator() == toleration.Gt && n < math.MaxInt64:
		return max(n, -1) + 1, math.MaxInt64
	case u.Operator() == toleration.Lt && n > 0:
		return 0, n - 1
	case value.Toleration(*u).IsEqual() && rule == 0 && n >= 0:
		return n, n
	}
	return 1, 0
}
