package fleet_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// Put panics for an id that cannot be hashed, and changes nothing.
func TestIndex_Put_uncomparable(t *testing.T) {
	var x fleet.Index[any]
	x.Put("a", match.Node{Taints: taint.MustParseList("k=a:NoSchedule")})
	held := fleet.GroupsHeld(&x)
	for i := range 100 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an id that cannot be compared does not panic")
				}
			}()
			x.Put([]int{1}, match.Node{Taints: taint.MustParseList(fmt.Sprintf("k=%d:NoSchedule", i))})
		}()
	}
	if got := fleet.GroupsHeld(&x); got != held {
		t.Errorf("after the panics %d groups are held, want %d", got, held)
	}
	if err := fleet.Invariants(&x); err != nil || x.Len() != 1 || x.Snapshot().Groups() != 1 {
		t.Errorf("after the panic: %d nodes, %d groups, %v", x.Len(), x.Snapshot().Groups(), err)
	}
}

// A node changes back to a group that is kept without nodes, and others take the group's
// place in the ring. When the node leaves, the group is kept again, and later freed.
func TestIndex_Put_back_and_forth(t *testing.T) {
	const ring = 256
	var x fleet.Index[int]
	put := func(id int, list string) { x.Put(id, match.Node{Taints: taint.MustParseList(list)}) }
	for i := range 10 {
		for _, home := range []string{fmt.Sprintf("home=%d:NoSchedule", i), "", fmt.Sprintf("home=%d:NoSchedule", i)} {
			put(1, home)
		}
		for j := range ring + 1 {
			put(2, fmt.Sprintf("visit=%d:NoSchedule", j))
		}
	}
	put(1, "")
	for j := range ring + 1 {
		put(2, fmt.Sprintf("visit=%d:NoSchedule", j))
	}
	if held := fleet.GroupsHeld(&x); held > ring+2 { // without taints, and that of node 2
		t.Errorf("%d groups are held, want at most %d", held, ring+2)
	}
}

// An Answer holds its snapshot until it is set to the zero Answer.
func TestAnswer_release(t *testing.T) {
	var x fleet.Index[string]
	x.Put("a", match.Node{})
	a := new(fleet.Answer[string])
	s := x.Snapshot()
	held := weak.Make(s)
	s.Query(a, nil)
	s = nil
	x.Put("b", match.Node{}) // the Index releases its own
	runtime.GC()
	if held.Value() == nil {
		t.Error("an Answer lost its snapshot")
	}
	runtime.KeepAlive(a)
	*a = fleet.Answer[string]{}
	runtime.GC()
	if held.Value() != nil {
		t.Error("the zero Answer holds a snapshot")
	}
	runtime.KeepAlive(a)
}

// An id that is not equal to itself is never found, and causes no error.
func TestIndex_NaN(t *testing.T) {
	var x fleet.Index[float64]
	m := map[float64]int{}
	for i := range 300 {
		for _, id := range []float64{math.NaN(), float64(i)} {
			x.Put(id, match.Node{})
			m[id]++
		}
		if i%3 == 0 {
			x.Remove(float64(i / 2))
			delete(m, float64(i/2))
		}
	}
	if x.Remove(math.NaN()) || x.Len() != len(m) {
		t.Errorf("%d nodes, want %d", x.Len(), len(m))
	}
	var a fleet.Answer[float64]
	x.Snapshot().Query(&a, nil)
	for i := range 300 {
		_, want := m[float64(i)]
		if _, _, ok := a.Node(float64(i)); ok != want {
			t.Errorf("node %d is there: %v, want %v", i, ok, want)
		}
	}
	if n := len(slices.Collect(a.Nodes())); n != len(m) {
		t.Errorf("Nodes() yields %d nodes, want %d", n, len(m))
	}
}
