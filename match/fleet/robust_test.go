package fleet_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
)

// An id that cannot be compared panics as the key of a map does, and leaves
// the Index as it was.
func TestUncomparableID(t *testing.T) {
	var x fleet.Index[any]
	x.Put("a", match.Node{Taints: taints(t, "k=a:NoSchedule")})
	held := fleet.ListsHeld(&x)
	for i := range 100 {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("an id that cannot be compared does not panic")
				}
			}()
			x.Put([]int{1}, match.Node{Taints: taints(t, fmt.Sprintf("k=%d:NoSchedule", i))})
		}()
	}
	if got := fleet.ListsHeld(&x); got != held {
		t.Errorf("after the panics %d lists are held, want %d", got, held)
	}
	if err := fleet.Invariants(&x); err != nil || x.Len() != 1 || x.Snapshot().Lists() != 1 {
		t.Errorf("after the panic: %d nodes, %d lists, %v", x.Len(), x.Snapshot().Lists(), err)
	}
}

func TestNilArguments(t *testing.T) {
	var x fleet.Index[string]
	x.Put("a", match.Node{Taints: taints(t, "k=a:NoSchedule")})
	s := x.Snapshot()
	var a, b fleet.Answer[string]
	s.QueryMemo(nil, &a, tolerations("k op=Exists"))
	if a.Schedulable() != 1 {
		t.Errorf("with a nil Memo %d nodes fit, want 1", a.Schedulable())
	}
	var changes int
	for c := range a.Since(nil) {
		changes++
		if c.Before != 0 || c.After != 1 {
			t.Errorf("since nil: from %d nodes to %d, want 0 to 1", c.Before, c.After)
		}
	}
	if changes != 1 {
		t.Errorf("since nil: %d changes, want 1", changes)
	}
	new(fleet.Snapshot[string]).Query(&b)
	if b.Schedulable() != 0 || b.Total() != 0 {
		t.Errorf("an empty fleet has %d of %d nodes", b.Schedulable(), b.Total())
	}
}

// The same question gives the same order, remembered or not.
func TestOrderOfAnswers(t *testing.T) {
	var x fleet.Index[int]
	for i := range 300 {
		x.Put(i, match.Node{Taints: taints(t, []string{"a=1:NoSchedule", "a=2:NoSchedule", "a=3:NoExecute", "b:PreferNoSchedule"}[i%4])})
	}
	s := x.Snapshot()
	memo := fleet.NewMemo(4)
	for _, pod := range [][]string{{"a=1", "a=2"}, {"a=2", "a=1"}, {"a op=Exists"}, {"op=Exists"}, {"a=1 op=Gt"}, nil} {
		var want []int
		for i := range 4 {
			var a fleet.Answer[int]
			if i < 2 {
				s.Query(&a, tolerations(pod...))
			} else {
				s.QueryMemo(memo, &a, tolerations(pod...))
			}
			got := slices.Collect(a.Nodes())
			if i == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("%q: time %d yields %v, want %v", pod, i, got, want)
			}
		}
	}
}

// An Answer holds its snapshot until it is set to the zero Answer.
func TestAnswerLetsGo(t *testing.T) {
	var x fleet.Index[string]
	x.Put("a", match.Node{})
	a := new(fleet.Answer[string])
	s := x.Snapshot()
	held := weak.Make(s)
	s.Query(a)
	s = nil
	x.Put("b", match.Node{}) // the Index lets go of its own
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
