package fleet_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// Put panics for an id that cannot be hashed, and changes nothing.
func TestIndex_Put_uncomparable(t *testing.T) {
	var x fleet.Index[any]
	x.Put("a", match.Node{Taints: taint.MustParseList("k=a:NoSchedule")})
	held := fleet.Holds(&x)
	for i := range 100 {
		put := func() { x.Put([]int{1}, match.Node{Taints: taint.MustParseList(fmt.Sprintf("k=%d:NoSchedule", i))}) }
		if contract.Panic(put) == nil {
			t.Error("an id that cannot be compared does not panic")
		}
	}
	if got := fleet.Holds(&x); got != held || x.Len() != 1 {
		t.Errorf("after the panics %d nodes, %+v are held, want %+v", x.Len(), got, held)
	}
}

// Groups without nodes are swept away before they are many, and their records are used
// again, as is the memory of nodes that are gone and of snapshots. Node 1 stays in its group.
func TestIndex_Put_sweep(t *testing.T) {
	const rounds, kept = 20_000, 256 << 10
	var x fleet.Index[int]
	x.Put(1, match.Node{Taints: taint.MustParseList("home:NoSchedule")})
	most, before := 0, int64(0)
	for i := range rounds {
		if i == rounds/10 {
			before = measure.InUse()
		}
		x.Put(2, match.Node{Taints: taint.MustParseList(fmt.Sprintf("visit=%d:NoSchedule,soft:PreferNoSchedule", i))})
		x.Put(3+i, match.Node{Taints: taint.MustParseList("home:NoSchedule")})
		if i%8 == 0 {
			x.Snapshot()
		}
		x.Remove(3 + i)
		held := fleet.Holds(&x)
		most = max(most, held.Sets, held.Taints)
		if i > 0 && held.Live != 2 {
			t.Fatalf("%d groups have nodes, want 2", held.Live)
		}
	}
	grown := measure.InUse() - before
	if most < 100 || most > 300 || grown > kept || x.Len() != 2 {
		t.Errorf("up to %d groups or taints are held, want 100 to 300; %d bytes more than before", most, grown)
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
