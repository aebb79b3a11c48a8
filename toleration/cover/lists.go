package cover

import (
	"slices"

	"github.com/go-tolerate/tolerate/internal/set"
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
	var x *index
	if len(all) > set.Short {
		line := cells.New(all, len(all), nil)
		x = &index{choice: toleration.Longest, list: all, spans: line.Spans, line: &line} // of those inserted
	}
	first := len(lists[0])
	for i := range all {
		u := &all[i]
		if i >= first && (MatchesNothing(*u) || x != nil && x.covers(u) || x == nil && covered(u, all[:i])) {
			*u = toleration.Toleration{}
		} else if x != nil {
			x.insert(i)
		}
	}
	all = all[:first+len(slices.DeleteFunc(all[first:], toleration.Toleration.IsZero))]
	if len(all) == 0 {
		return nil
	}
	return all
}

// covered reports whether a single toleration of the list covers u, which matches some
// taint.
func covered(u *toleration.Toleration, list toleration.List) bool {
	for i := range list {
		if covers(&list[i], u) {
			return true
		}
	}
	return false
}

// Uncovered returns the indices of the tolerations in the list that no single one of by
// covers.
func Uncovered(list, by toleration.List) []int {
	var found []int
	var x *index
	if min(len(list), len(by)) > set.Short {
		line := cells.New(by, len(by), nil)
		all := newIndex(toleration.Longest, by, line.Spans, &line, len(list))
		x = &all
	}
	for i := range list {
		u := &list[i]
		if MatchesNothing(*u) && len(by) > 0 || x != nil && x.covers(u) || x == nil && covered(u, by) {
			continue
		}
		found = append(found, i)
	}
	return found
}

// UncoveredTaint returns a taint that the list tolerates, and that by does not tolerate
// or not for as long; false if by covers the list.
func UncoveredTaint(list, by toleration.List, choice toleration.Choice) (t taint.Taint, found bool) {
	choice.Prefers(toleration.Toleration{}, toleration.Toleration{}) // panics if it is unknown
	var (
		room cells.Room
		n    = len(list)
		line = cells.New(append(append(room.List[:0], list...), by...), max(n, len(by)), &room)
		x    = newIndex(choice, list, line.Spans[:n], &line, len(line.Points))
		y    = newIndex(choice, by, line.Spans[n:], &line, len(line.Points))
	)
	for i, p := range line.Points {
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			j := x.decides(i, p, e)
			if j < 0 {
				continue
			}
			if k := y.decides(i, p, e); k < 0 || longer(&list[j], &by[k]) {
				return line.Taint(p, e), true
			}
		}
	}
	return taint.Taint{}, false
}

// Redundant reports whether the list tolerates the same taints, each for as long, without
// its toleration at index i. Of tolerations that make each other redundant, each is:
// remove one after the other. It panics if i is out of range.
func Redundant(list toleration.List, i int, choice toleration.Choice) bool {
	choice.Prefers(toleration.Toleration{}, toleration.Toleration{}) // panics if it is unknown
	u := &list[i]
	var room cells.Room
	others, before := toleration.List(room.List[:0]), 0 // those that overlap with u
	for j := range list {
		if j == i {
			before = len(others)
		} else if overlap(u, &list[j]) {
			others = append(others, list[j])
		}
	}
	n := len(others)
	line := cells.New(append(others, *u), n, &room)
	s := line.Spans[n]
	if s.IsEmpty() {
		return MatchesNothing(*u)
	}
	first, last := line.Find(s)
	x := newIndex(choice, others, line.Spans[:n], &line, last-first)
	for ; first <= last; first++ {
		for e := taint.NoSchedule; e <= taint.NoExecute; e++ {
			if of := u.Effect(); of != e && of != 0 {
				continue
			}
			next := x.decides(first, line.Points[first], e)
			if next < 0 {
				return false
			}
			v := &others[next]
			decides := next >= before && !choice.Prefers(*v, *u) || choice.Prefers(*u, *v)
			if decides && (longer(u, v) || longer(v, u)) {
				return false
			}
		}
	}
	return true
}

// longer reports whether u holds longer than v, where both match the same taint.
// Only tolerations of NoExecute have seconds, so for other taints no two
// tolerations differ.
func longer(u, v *toleration.Toleration) bool { return toleration.Longest.Prefers(*u, *v) }
