package eviction_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/memory"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/toleration"
)

// A list is the reference for Queue: it is sorted after each change.
type list struct {
	items []item
	seq   int
}

type item struct {
	id  int
	at  time.Time
	seq int // the order of insertion
}

func (l *list) index(id int) int {
	return slices.IndexFunc(l.items, func(i item) bool { return i.id == id })
}

func (l *list) set(id int, at time.Time) (time.Time, bool) {
	l.seq++
	i := l.index(id)
	if i < 0 {
		l.items = append(l.items, item{id, at, l.seq})
		l.sort()
		return time.Time{}, false
	}
	before := l.items[i].at
	if !before.Equal(at) {
		l.items[i] = item{id, at, l.seq}
		l.sort()
	}
	return before.UTC(), true
}

func (l *list) sort() {
	slices.SortFunc(l.items, func(a, b item) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.seq, b.seq)) })
}

func (l *list) remove(id int) bool {
	i := l.index(id)
	if i >= 0 {
		l.items = slices.Delete(l.items, i, i+1)
	}
	return i >= 0
}

func (l *list) pop() (id int, at time.Time, ok bool) {
	if len(l.items) == 0 {
		return 0, time.Time{}, false
	}
	first := l.items[0]
	l.items = l.items[1:]
	return first.id, first.at.UTC(), true
}

// A machine performs the same operations on a queue and on a list, and compares them.
type machine struct {
	q eviction.Queue[int]
	l list
}

func (m *machine) set(t errorer, id int, at time.Time) {
	before, ok := m.q.Set(id, at)
	if wantBefore, want := m.l.set(id, at); ok != want || before != wantBefore {
		t.Errorf("Set(%d, %v) = %v, %v, want %v, %v", id, at, before, ok, wantBefore, want)
	}
}

func (m *machine) remove(t errorer, id int) {
	if got, want := m.q.Remove(id), m.l.remove(id); got != want {
		t.Errorf("Remove(%d) = %v, want %v", id, got, want)
	}
}

func (m *machine) pop(t errorer) {
	id, at, ok := m.q.Pop()
	if wantID, wantAt, want := m.l.pop(); id != wantID || at != wantAt || ok != want {
		t.Errorf("Pop() = %v, %v, %v, want %v, %v, %v", id, at, ok, wantID, wantAt, want)
	}
}

// due removes due ids, at most as many as most. For each it calls again, which can set
// the id to another time.
func (m *machine) due(t errorer, now time.Time, most int, again func(id int) (time.Time, bool)) {
	if most > 0 {
		for id, at := range m.q.Due(now) {
			wantID, wantAt, ok := m.l.pop()
			if !ok || id != wantID || at != wantAt || at.After(now) {
				t.Errorf("Due(%v) gives %v, %v, want %v, %v", now, id, at, wantID, wantAt)
			}
			if at, ok := again(id); ok {
				m.set(t, id, at)
			}
			if most--; most == 0 {
				return
			}
		}
	}
	if len(m.l.items) > 0 && !m.l.items[0].at.After(now) && most > 0 {
		t.Errorf("Due(%v) leaves %v", now, m.l.items[0])
	}
}

func (m *machine) check(t errorer, ids int) {
	if err := m.q.Invariants(); err != nil {
		t.Errorf("%v", err)
	}
	if m.q.Len() != len(m.l.items) {
		t.Errorf("Len() = %d, want %d", m.q.Len(), len(m.l.items))
	}
	id, at, ok := m.q.Next()
	var first item
	if len(m.l.items) > 0 {
		first = m.l.items[0]
	}
	if ok != (len(m.l.items) > 0) || id != first.id || at != first.at.UTC() {
		t.Errorf("Next() = %v, %v, %v, want %v", id, at, ok, first)
	}
	want := map[int]time.Time{}
	for _, i := range m.l.items {
		want[i.id] = i.at.UTC()
	}
	if got := maps.Collect(m.q.All()); !maps.Equal(got, want) {
		t.Errorf("All() = %v, want %v", got, want)
	}
	for id := range ids {
		at, ok := m.q.Deadline(id)
		if wantAt, want := want[id]; ok != want || at != wantAt {
			t.Errorf("Deadline(%d) = %v, %v, want %v, %v", id, at, ok, wantAt, want)
		}
	}
}

type errorer interface {
	Errorf(format string, args ...any)
}

func TestQueue(t *testing.T) {
	t.Run("E9_large", testQueueLarge)
	t.Run("E9_order_among_equals", testQueueOrderAmongEquals)
	t.Run("E9_due_while_changing", testQueueDueWhileChanging)
	t.Run("E9_ids", testQueueIds)
	t.Run("E9_empty", testQueueEmpty)
	t.Run("E9_room", testQueueRoom)
	t.Run("E9_memory", testQueueMemory)
	t.Run("E9_machine", rapid.MakeCheck(queueProperty))
}

// This queue is larger than those that rapid draws: the table grows, is full and is
// emptied.
func testQueueLarge(t *testing.T) {
	const ids = 5000
	rng := rand.New(rand.NewPCG(1, 2))
	var m machine
	want := map[int]time.Time{}
	var q eviction.Queue[string]
	for step := range 60_000 {
		id := rng.IntN(ids)
		key := fmt.Sprint("pod-", id)
		switch phase := step / 10_000; {
		case rng.IntN(6) < 5-phase%3*2: // fill, vary, empty
			at := second(rng.IntN(1000))
			before, ok := q.Set(key, at)
			if b, known := want[id]; before != b || ok != known {
				t.Fatalf("Set(%s) = %v, %v, want %v, %v", key, before, ok, b, known)
			}
			want[id] = at
		case rng.IntN(3) == 0 && q.Len() > 0:
			key, at, _ := q.Pop()
			var n int
			if _, err := fmt.Sscanf(key, "pod-%d", &n); err != nil || want[n] != at {
				t.Fatalf("Pop() = %v, %v, want %v", key, at, want[n])
			}
			delete(want, n)
		default:
			_, known := want[id]
			if q.Remove(key) != known {
				t.Fatalf("Remove(%s) = %v", key, !known)
			}
			delete(want, id)
		}
		if step%500 == 0 {
			if err := q.Invariants(); err != nil {
				t.Fatal(err)
			}
			_, first, _ := q.Next()
			for id, at := range want {
				if got, ok := q.Deadline(fmt.Sprint("pod-", id)); !ok || got != at || at.Before(first) {
					t.Fatalf("Deadline(%d) = %v, %v, want %v, and not before %v", id, got, ok, at, first)
				}
			}
			if q.Len() != len(want) {
				t.Fatalf("%d ids, want %d", q.Len(), len(want))
			}
		}
	}
	// Many ids with the same time are returned in the order of insertion.
	for i := range 3000 {
		m.l.seq++
		at := second(rng.IntN(5))
		m.q.Set(i, at)
		m.l.items = append(m.l.items, item{i, at, m.l.seq})
	}
	m.l.sort()
	m.due(t, second(3), 3000, func(int) (time.Time, bool) { return time.Time{}, false })
	m.check(t, 3000)
}

func testQueueOrderAmongEquals(t *testing.T) {
	var q eviction.Queue[string]
	for _, id := range []string{"a", "b", "c", "d"} {
		q.Set(id, noon)
	}
	q.Set("a", noon.In(time.FixedZone("", 3600))) // the same time: it keeps its position
	q.Set("b", second(1))
	q.Set("b", noon) // set to another time and back: it is after the others
	q.Remove("c")
	q.Set("c", noon)
	want := []string{"a", "d", "b", "c"}
	var got []string
	for id := range q.Due(noon) {
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func testQueueDueWhileChanging(t *testing.T) {
	var q eviction.Queue[int]
	for i := range 5 {
		q.Set(i, second(i))
	}
	var got []int
	for id := range q.Due(second(3)) {
		got = append(got, id)
		switch id {
		case 0:
			q.Remove(1)         // the iteration does not reach it
			q.Set(4, second(2)) // the iteration reaches it after the id that was queued before
			q.Set(0, second(9)) // the iteration does not reach it again
		case 2:
			q.Set(7, noon) // overdue: the iteration reaches it at once
		}
	}
	if want := []int{0, 2, 7, 4, 3}; !slices.Equal(got, want) || q.Len() != 1 {
		t.Errorf("%v and %d left, want %v and 1 left", got, q.Len(), want)
	}
	for range q.Due(second(8)) {
		t.Error("not due yet")
	}
	for range q.All() { // the iteration ends early
		break
	}
	next, stop := 0, q.Due(second(9))
	for range stop {
		next++
	}
	for range stop { // a second iteration: nothing remains
		next++
	}
	if next != 1 {
		t.Errorf("%d are due", next)
	}
}

// Unusual ids are compared as the keys of a map are.
func testQueueIds(t *testing.T) {
	t.Run("not equal to itself", func(t *testing.T) {
		var q eviction.Queue[float64]
		for i := range 40 {
			if _, ok := q.Set(math.NaN(), second(i)); ok {
				t.Error("found again")
			}
			q.Set(float64(i), second(i))
		}
		if q.Remove(math.NaN()) {
			t.Error("removed")
		}
		if _, ok := q.Deadline(math.NaN()); ok {
			t.Error("found")
		}
		for i := range 20 {
			q.Remove(float64(i))
		}
		if err := q.Invariants(); err != nil || q.Len() != 60 {
			t.Errorf("%v, %d left", err, q.Len())
		}
		n := 0
		for id := range q.Due(second(100)) {
			if math.IsNaN(id) {
				n++
			}
		}
		if err := q.Invariants(); err != nil || n != 40 || q.Len() != 0 {
			t.Errorf("%v, %d came out, %d left", err, n, q.Len())
		}
	})
	t.Run("zeros", func(t *testing.T) {
		var q eviction.Queue[float64]
		q.Set(0, noon)
		if _, ok := q.Set(math.Copysign(0, -1), second(1)); !ok || q.Len() != 1 {
			t.Error("0 and -0 are different ids")
		}
	})
	t.Run("not comparable", func(t *testing.T) {
		var q eviction.Queue[any]
		q.Set("a", noon)
		q.Set(1, second(1))
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			q.Set([]int{1}, noon)
		}()
		if err := q.Invariants(); err != nil || q.Len() != 2 {
			t.Errorf("%v, %d left", err, q.Len())
		}
	})
	t.Run("none", func(t *testing.T) {
		var q eviction.Queue[struct{}]
		q.Set(struct{}{}, noon)
		if before, ok := q.Set(struct{}{}, second(1)); !ok || before != noon || q.Len() != 1 {
			t.Error("not found again")
		}
	})
}

func testQueueEmpty(t *testing.T) {
	var q eviction.Queue[string]
	if _, _, ok := q.Next(); ok {
		t.Error("Next")
	}
	if _, ok := q.Deadline("a"); ok || q.Remove("a") || q.Len() != 0 {
		t.Error("something is there")
	}
	for range q.Due(last) {
		t.Error("Due")
	}
	if q.Cap() != 0 {
		t.Errorf("room for %d", q.Cap())
	}
}

// Ids that are removed make room for others, and their memory is released.
func testQueueRoom(t *testing.T) {
	const n = 10_000
	var q eviction.Queue[int]
	for i := range n {
		q.Set(i, second(i))
	}
	room := q.Cap()
	if room < n || room > n+n/2 {
		t.Errorf("room for %d", room)
	}
	for i := range 3 * n { // n at a time
		q.Remove(i)
		q.Set(n+i, second(n+i))
	}
	if q.Cap() != room || q.Len() != n {
		t.Errorf("room for %d became room for %d", room, q.Cap())
	}
	for range q.Due(second(4*n - 1501)) {
	}
	if q.Len() != 1500 || q.Cap() > 6000 || q.Invariants() != nil {
		t.Errorf("%d left, room for %d: %v", q.Len(), q.Cap(), q.Invariants())
	}
	if at, ok := q.Deadline(4*n - 1); !ok || at != second(4*n-1) {
		t.Errorf("Deadline = %v, %v", at, ok)
	}
	for range q.Due(last) {
	}
	if q.Len() != 0 || q.Cap() > 2048 || q.Bytes() > 110_000 {
		t.Errorf("nothing is there, in %d bytes", q.Bytes())
	}
	if q.Set(1, noon); q.Len() != 1 || q.Invariants() != nil {
		t.Errorf("%d ids: %v", q.Len(), q.Invariants())
	}
}

// testQueueMemory tests the documented numbers.
func testQueueMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("holds 1,000,000 pods")
	}
	const n = 200_000
	u := pod("disk=slow:NoExecute for 300s")
	for _, tt := range []struct {
		name string
		most float64
		fill func() any
	}{
		{"queue", 66, func() any {
			var q eviction.Queue[uint64]
			for i := range uint64(n) {
				q.Set(i, noon)
			}
			return &q
		}},
		{"queue after removals", 111, func() any {
			var q eviction.Queue[uint64]
			for i := range uint64(5 * n) {
				q.Set(i, noon)
			}
			for i := range uint64(4 * n) {
				q.Remove(i)
			}
			return &q
		}},
		{"schedule", 96, func() any {
			var s eviction.Schedule[uint64]
			for i := range uint64(n) {
				s.Update(i, slow, noon, toleration.First, u)
			}
			return &s
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := memory.InUse()
			filled := tt.fill()
			per := float64(memory.InUse()-before) / n
			runtime.KeepAlive(filled)
			if per > tt.most {
				t.Errorf("%.1f bytes a pod, want at most %v", per, tt.most)
			}
			t.Logf("%.1f bytes a pod", per)
		})
	}
}
