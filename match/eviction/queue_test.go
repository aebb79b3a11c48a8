package eviction_test

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/toleration"
)

// set sets the deadline of a pod.
func set[ID comparable](s *eviction.Schedule[ID], id ID, at time.Time) {
	s.Restore(id, eviction.State{Deadline: at})
}

func TestSchedule_Due(t *testing.T) {
	t.Run("E9_order_among_equals", testDueOrderAmongEquals)
	t.Run("E9_while_changing", testDueWhileChanging)
	t.Run("E9_refused", testDueRefused)
	t.Run("E9_ids", testDueIDs)
}

func testDueOrderAmongEquals(t *testing.T) {
	var s eviction.Schedule[string]
	for _, id := range []string{"a", "b", "c", "d"} {
		set(&s, id, noon)
	}
	set(&s, "a", noon.In(time.FixedZone("", 3600))) // the same time: it keeps its position
	set(&s, "b", second(1))
	set(&s, "b", noon) // set to another time and back: it is after the others
	s.Remove("c")
	set(&s, "c", noon)
	want := []string{"a", "d", "b", "c"}
	var got []string
	for id := range s.Due(noon) {
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func testDueWhileChanging(t *testing.T) {
	var s eviction.Schedule[int]
	for i := range 5 {
		set(&s, i, second(i))
	}
	due := func(now time.Time, change func(id int)) (got []int) {
		for id := range s.Due(now) {
			if got = append(got, id); len(got) > 20 {
				t.Fatalf("a pass does not end: %v", got)
			}
			change(id)
		}
		return got
	}
	nothing := func(int) {}
	got := due(second(3), func(id int) {
		switch id {
		case 0:
			s.Remove(1)           // the pass does not reach it
			set(&s, 4, second(2)) // moved: the next pass
			set(&s, 0, second(9)) // put back: not due
		case 2:
			set(&s, 7, noon)      // new: the next pass, although it is overdue
			set(&s, 3, second(3)) // unchanged
		}
	})
	if want := []int{0, 2, 3}; !slices.Equal(got, want) || s.Len() != 3 {
		t.Errorf("%v and %d left, want %v and 3 left", got, s.Len(), want)
	}
	if got, want := due(second(8), nothing), []int{7, 4}; !slices.Equal(got, want) {
		t.Errorf("the next pass yields %v, want %v", got, want)
	}
	if got := append(due(second(8), nothing), due(second(9), nothing)...); !slices.Equal(got, []int{0}) || s.Len() != 0 {
		t.Errorf("then %v are due, and %d left", got, s.Len())
	}
}

// An eviction is refused: the pod is put back, by Update with the deadline now, or by
// Restore with an earlier one. The pass ends, and reaches all others.
func testDueRefused(t *testing.T) {
	var s eviction.Schedule[int]
	for i := range 4 {
		set(&s, i, second(i))
	}
	for _, back := range []func(id int){
		func(id int) { s.Update(id, slow, second(9), toleration.First) },
		func(id int) { set(&s, id, second(id-99)) },
	} {
		for range 2 {
			var got []int
			for id := range s.Due(second(9)) {
				if got = append(got, id); len(got) > 4 {
					break
				}
				back(id)
				if first, _, ok := s.Next(); !ok || s.Len() != 4 || s.State(first).Deadline.After(s.State(id).Deadline) {
					t.Errorf("after %v: %d of 4, first %d", got, s.Len(), first)
				}
			}
			if want := []int{0, 1, 2, 3}; !slices.Equal(got, want) {
				t.Errorf("a pass yields %v, want %v", got, want)
			}
		}
	}
	var got []int
	for id := range s.Due(second(9)) {
		set(&s, 10+id, noon)
		for again := range s.Due(second(9)) { // ends the pass around it
			got = append(got, id, again)
			break
		}
	}
	if want := []int{0, 1}; !slices.Equal(got, want) || s.Len() != 3 {
		t.Errorf("a pass in a pass yields %v, %d left", got, s.Len())
	}
}

// Unusual ids are compared as the keys of a map are.
func testDueIDs(t *testing.T) {
	var s eviction.Schedule[float64]
	for i := range 40 {
		set(&s, math.NaN(), second(i))
		set(&s, float64(i), second(i))
	}
	set(&s, math.Copysign(0, -1), second(1)) // equal to 0
	if s.Remove(math.NaN()) || s.State(math.NaN()) != (eviction.State{}) || s.Len() != 80 {
		t.Errorf("a NaN is found, or %d are left", s.Len())
	}
	n := 0
	for id := range s.Due(second(100)) {
		if math.IsNaN(id) {
			n++
		}
	}
	if n != 40 || s.Len() != 0 {
		t.Errorf("%d came out, %d left", n, s.Len())
	}
	var odd eviction.Schedule[any]
	set(&odd, "a", noon)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		set(&odd, any([]int{1}), noon)
	}()
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
