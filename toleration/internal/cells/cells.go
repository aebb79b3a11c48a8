// Package cells divides all taints into cells. A toleration of a list matches all taints of a
// cell or none of them.
package cells

import (
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A Table has the cells of a list. Use [New] to make one.
type Table struct {
	// Taints has a taint of each cell. Three cells that differ only in the effect follow each
	// other: a row. The first row has all keys that the list does not name.
	Taints []taint.Taint

	keys  map[string]*key
	other key // of the first row
}

const effects = int(taint.NoExecute)

// A key has its rows in this order: that of all other values; those of the values of Equal,
// in the order of the list; and those of the integers, from each start to the next.
type key struct {
	name        string
	first, last int // rows
	values      []string
	number      map[string]int // of a value's row among those of the key; 0 is that of others
	starts      []int64
}

// New returns the table of the list. The keys have the order of the list.
func New(list toleration.List) *Table {
	t := &Table{keys: make(map[string]*key)}
	var keys []*key
	for i := range list {
		u := &list[i]
		if u.Key() == "" {
			continue
		}
		k := t.keys[u.Key()]
		if k == nil {
			k = &key{name: u.Key(), number: make(map[string]int), starts: []int64{0}}
			keys, t.keys[k.name] = append(keys, k), k
		}
		switch lo, hi := Integers(u); {
		case lo > hi && value.Toleration(*u).IsEqual() && k.number[u.Value()] == 0:
			k.values = append(k.values, u.Value())
			k.number[u.Value()] = len(k.values)
		case lo <= hi && hi < math.MaxInt64:
			k.starts = append(k.starts, lo, hi+1)
		case lo <= hi:
			k.starts = append(k.starts, lo)
		}
	}
	t.add(unused(t.keys), "")
	for _, k := range keys {
		val := ""
		if k.number[""] != 0 {
			val = unused(k.number)
		}
		k.first = t.add(k.name, val)
		for _, val := range k.values {
			t.add(k.name, val)
		}
		slices.Sort(k.starts)
		k.starts = slices.Compact(k.starts)
		for _, n := range k.starts {
			k.last = t.add(k.name, strconv.FormatInt(n, 10))
		}
	}
	return t
}

// add adds a row and returns it.
func (t *Table) add(key, val string) int {
	for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
		t.Taints = append(t.Taints, problem.Must(taint.New(key, val, e)))
	}
	return len(t.Taints)/effects - 1
}

// unused returns the first of "other", "other1", "other2"... that the map does not have.
func unused[V any](used map[string]V) string {
	name := "other"
	for i := 1; ; i++ {
		if _, found := used[name]; !found {
			return name
		}
		name = "other" + strconv.Itoa(i)
	}
}

// Reach yields the cells that have a taint that u matches, effect by effect, as indices of
// Taints. If the list does not have u, such a cell can have other taints, too.
func (t *Table) Reach(u *toleration.Toleration) iter.Seq[int] {
	return func(yield func(int) bool) {
		first, last := 0, -1 // rows
		k := t.keys[u.Key()]
		if k == nil {
			k = &t.other
		}
		switch lo, hi := Integers(u); {
		case u.Operator() == toleration.Exists && u.Key() == "":
			last = len(t.Taints)/effects - 1
		case u.Operator() == toleration.Exists:
			first, last = k.first, k.last
		case lo <= hi:
			first, last = k.integer(lo), k.integer(hi)
		case value.Toleration(*u).IsEqual():
			first = k.first + k.number[u.Value()]
			last = first
		}
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			if of := u.Effect(); of != 0 && of != e {
				continue
			}
			for row := first; row <= last; row++ {
				if !yield(effects*row + int(e-taint.NoSchedule)) {
					return
				}
			}
		}
	}
}

// integer returns the row of the integer.
func (k *key) integer(n int64) int {
	after, found := slices.BinarySearch(k.starts, n)
	if found {
		after++
	}
	return k.last - len(k.starts[after:])
}

// Integers returns the least and the greatest integer on a taint that u matches. If there is
// none, or the operator is Exists, the least is greater.
func Integers(u *toleration.Toleration) (lo, hi int64) {
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

// A Length is how long a taint is tolerated: 0 if it is not, n+1 for n seconds, or Forever.
type Length uint64

// Forever is the Length without a limit.
const Forever = Length(math.MaxUint64)

// LengthOf returns the Length of a toleration's seconds. A negative number is 0.
func LengthOf(seconds int64, timed bool) Length {
	if timed {
		return Length(max(seconds, 0)) + 1
	}
	return Forever
}
