package eviction_test

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// set sets the deadline of a pod.
func set[ID comparable](s *eviction.Schedule[ID], id ID, at time.Time) {
	s.Restore(id, eviction.State{Deadline: at})
}

func TestSchedule_Due(t *testing.T) { t.Run("E9_ids", testDueIDs) }

// Unusual ids are compared as the keys of a map are.
func testDueIDs(t *testing.T) {
	var s eviction.Schedule[float64]
	for i := range 40 {
		set(&s, math.NaN(), after(i))
		set(&s, float64(i), after(i))
	}
	set(&s, math.Copysign(0, -1), after(1)) // equal to 0
	if s.Remove(math.NaN()) || s.State(math.NaN()) != (eviction.State{}) || s.Len() != 80 {
		t.Errorf("a NaN is found, or %d are left", s.Len())
	}
	if all := maps.Collect(s.Clone().All()); len(all) != 80 {
		t.Errorf("a clone has %d", len(all))
	}
	n := 0
	for id := range s.Due(after(100)) {
		if math.IsNaN(id) {
			n++
		}
	}
	if n != 40 || s.Len() != 0 {
		t.Errorf("%d came out, %d left", n, s.Len())
	}
	var odd eviction.Schedule[any]
	set(&odd, "a", noon)
	if contract.Panic(func() { set(&odd, any([]int{1}), noon) }) == nil {
		t.Error("no panic")
	}
	if id, _, ok := odd.Next(); id != "a" || !ok || odd.Len() != 1 {
		t.Errorf("after an id that cannot be compared: %v, %d left", id, odd.Len())
	}
}

// A list is the reference for the order of a Schedule: it is sorted after each change.
type list struct {
	items []item
	seq   int
	pass  int // of the last one
}

type item struct {
	id  int
	at  time.Time
	seq int // the order of insertion
}

func (l *list) index(id int) int {
	return slices.IndexFunc(l.items, func(i item) bool { return i.id == id })
}

func (l *list) set(id int, at time.Time) {
	l.seq++
	if i := l.index(id); i < 0 {
		l.items = append(l.items, item{id, at, l.seq})
	} else if !l.items[i].at.Equal(at) {
		l.items[i] = item{id, at, l.seq}
	}
	slices.SortFunc(l.items, func(a, b item) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
}

func (l *list) remove(id int) bool {
	i := l.index(id)
	if i >= 0 {
		l.items = slices.Delete(l.items, i, i+1)
	}
	return i >= 0
}

// begin begins a pass, which yields what is in the list now, unless it is moved.
func (l *list) begin() (pass int) {
	l.seq++
	l.pass = l.seq
	return l.pass
}

// pop removes what a pass yields next.
func (l *list) pop(pass int, now time.Time) (id int, at time.Time, ok bool) {
	i := slices.IndexFunc(l.items, func(i item) bool { return i.seq < pass && !i.at.After(now) })
	if i < 0 || pass != l.pass {
		return 0, time.Time{}, false
	}
	first := l.items[i]
	l.items = slices.Delete(l.items, i, i+1)
	return first.id, first.at.UTC(), true
}
