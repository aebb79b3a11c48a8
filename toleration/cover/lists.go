package cover

import (
	"slices"
	"sort"
	"strconv"
	"unique"

	"github.com/go-tolerate/tolerate/internal/set"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/internal/cells"
)

// Merge returns the first list, followed by each toleration of the others that matches
// some taint and that none before it covers. An empty result is nil. It is idempotent.
//
// If the first list has no zero Toleration, [toleration.List.Validate] accepts the result
// as an update of it, with Lt and Gt on. By [toleration.First], a taint that the first
// list tolerates is tolerated for as long as before.
func Merge(lists ...toleration.List) toleration.List {
	all := slices.Concat(lists...)
	if len(all) == 0 {
		return nil
	}
	x := newIndex(all[:len(lists[0])], len(all))
	for i := len(lists[0]); i < len(all); i++ {
		if u := all[i]; !MatchesNothing(u) && !x.covers(&u) {
			x.list = append(x.list, u) // at index i of all, or before
			x.add(&u)
		}
	}
	if len(x.list) == 0 {
		return nil
	}
	return x.list
}

// Uncovered returns the indices of the tolerations in the list that no single one of by
// covers.
func Uncovered(list, by toleration.List) (found []int) {
	x := newIndex(by, min(len(list), len(by)))
	for i := range list {
		if u := &list[i]; !(len(by) > 0 && MatchesNothing(*u)) && !x.covers(u) {
			found = append(found, i)
		}
	}
	return found
}

// An index finds out whether a single toleration of its list covers another. It searches the
// list, or the stairs if there are many.
type index struct {
	list   toleration.List
	stairs map[pattern]stairs
}

// A pattern has fields of tolerations, and a value only for Equal.
type pattern struct {
	key, value unique.Handle[string]
	op         toleration.Operator
	effect     taint.Effect
}

// Stairs have the tolerations of a pattern. One covers another if its start is not greater,
// and its length not less. The start is the least integer of Gt, minus the greatest of Lt,
// and 0 of Equal and Exists. Starts and lengths ascend, since what is covered is omitted.
type stairs []step

type step struct {
	start  int64
	length cells.Length
}

// newIndex returns the index of a list, for about n tolerations or calls.
func newIndex(list toleration.List, n int) index {
	x := index{list: list}
	if n > set.Short {
		x.stairs = make(map[pattern]stairs)
		for i := range list {
			x.add(&list[i])
		}
	}
	return x
}

// add adds a toleration of the list to the stairs, if there are any.
func (x *index) add(u *toleration.Toleration) {
	if x.stairs == nil || MatchesNothing(*u) {
		return
	}
	p, start := pattern{key: keyOf(u), op: u.Operator(), effect: u.Effect()}, int64(0)
	switch lo, hi := cells.Integers(u); {
	case p.op == toleration.Gt:
		start = lo
	case p.op == toleration.Lt:
		start = -hi
	case p.op != toleration.Exists:
		p.op, p.value = toleration.Equal, value.Toleration(*u).ValueHandle()
	}
	x.stairs[p] = x.stairs[p].add(start, cells.LengthOf(u.Seconds()))
}

// covers reports whether a single toleration covers u, which matches some taint.
func (x *index) covers(u *toleration.Toleration) bool {
	if x.stairs == nil {
		return slices.ContainsFunc(x.list, func(v toleration.Toleration) bool { return covers(&v, u) })
	}
	key, n := keyOf(u), cells.LengthOf(u.Seconds())
	lo, hi := cells.Integers(u)
	equal, val := value.Toleration(*u).IsEqual(), value.Toleration(*u).ValueHandle()
	if !equal && lo == hi { // Lt and Gt that match one integer
		equal, val = true, unique.Make(strconv.FormatInt(lo, 10))
	}
	for _, e := range [...]taint.Effect{0, u.Effect()} {
		if x.stairs[pattern{op: toleration.Exists, effect: e}].longest(0) >= n ||
			x.stairs[pattern{key: key, op: toleration.Exists, effect: e}].longest(0) >= n ||
			equal && x.stairs[pattern{key, val, toleration.Equal, e}].longest(0) >= n ||
			lo <= hi && x.stairs[pattern{key: key, op: toleration.Gt, effect: e}].longest(lo) >= n ||
			lo <= hi && x.stairs[pattern{key: key, op: toleration.Lt, effect: e}].longest(-hi) >= n {
			return true
		}
	}
	return false
}

// add returns the stairs with a step, in the same memory if there is room.
func (s stairs) add(start int64, n cells.Length) stairs {
	if s.longest(start) >= n {
		return s
	}
	from := sort.Search(len(s), func(i int) bool { return s[i].start >= start })
	to := from
	for to < len(s) && s[to].length <= n {
		to++
	}
	return slices.Replace(s, from, to, step{start, n})
}

// longest returns the length of the longest toleration with at most this start, or 0.
func (s stairs) longest(start int64) cells.Length {
	after := sort.Search(len(s), func(i int) bool { return s[i].start > start })
	if after == 0 {
		return 0
	}
	return s[after-1].length
}
