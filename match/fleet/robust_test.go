package fleet_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
)

// Put panics for an id that cannot be hashed, and changes nothing.
func TestIndex_Put_uncomparable(t *testing.T) {
	var x fleet.Index[any]
	x.Put("a", match.Node{Taints: taints(t, "k=a:NoSchedule")})
	held := fleet.GroupsHeld(&x)
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
	if got := fleet.GroupsHeld(&x); got != held {
		t.Errorf("after the panics %d groups are held, want %d", got, held)
	}
	if err := fleet.Invariants(&x); err != nil || x.Len() != 1 || x.Snapshot().Groups() != 1 {
		t.Errorf("after the panic: %d nodes, %d groups, %v", x.Len(), x.Snapshot().Groups(), err)
	}
}

func TestAnswer_Changes_nil(t *testing.T) {
	var x fleet.Index[string]
	x.Put("a", match.Node{Taints: taints(t, "k=a:NoSchedule")})
	s := x.Snapshot()
	var a, b fleet.Answer[string]
	s.Query(&a, tolerations("k op=Exists"))
	var changes int
	for c := range a.Changes(nil) {
		changes++
		if c.Before != 0 || c.After != 1 {
			t.Errorf("since nil: from %d nodes to %d, want 0 to 1", c.Before, c.After)
		}
	}
	if changes != 1 {
		t.Errorf("since nil: %d changes, want 1", changes)
	}
	new(fleet.Snapshot[string]).Query(&b)
	if b.Schedulable() != 0 {
		t.Errorf("an empty fleet has %d nodes", b.Schedulable())
	}
}

// A query that reuses an Answer while an iterator ranges over it does not change what
// the iterator yields, however the range ends.
func TestSnapshot_Query_inside(t *testing.T) {
	var x fleet.Index[int]
	for id, list := range []string{"", "a:NoSchedule", "b:NoSchedule", "a:NoSchedule,b:NoExecute", "c:NoSchedule", "a:NoExecute", "a:NoSchedule"} {
		x.Put(id, match.Node{Taints: taints(t, list)})
	}
	s := x.Snapshot()
	x.Remove(1)
	x.Put(2, match.Node{Taints: taints(t, "d:NoSchedule,a:NoSchedule")})
	later := x.Snapshot()
	ranges := map[string]struct {
		over func(a *fleet.Answer[int]) iter.Seq[string]
		want string
	}{
		"Nodes":     {func(a *fleet.Answer[int]) iter.Seq[string] { return textOf(a.Nodes()) }, "0 1 6 5"},
		"Groups":    {func(a *fleet.Answer[int]) iter.Seq[string] { return textOf2(a.Groups()) }, "1 node: no taints tolerated 2 nodes: a:NoSchedule tolerated 1 node: a:NoExecute tolerated"},
		"AllGroups": {func(a *fleet.Answer[int]) iter.Seq[string] { return textOf2(a.AllGroups()) }, "1 node: no taints tolerated 2 nodes: a:NoSchedule tolerated 1 node: b:NoSchedule untolerated: 1 NoSchedule 1 node: a:NoSchedule,b:NoExecute untolerated: 1 NoExecute 1 node: c:NoSchedule untolerated: 1 NoSchedule 1 node: a:NoExecute tolerated"},
		"Since":     {func(a *fleet.Answer[int]) iter.Seq[string] { return textOf(a.Changes(nil)) }, "1 node, was 0: no taints 2 nodes, was 0: a:NoSchedule 1 node, was 0: a:NoExecute"},
	}
	inside := map[string]func(a *fleet.Answer[int]){
		"other":      func(a *fleet.Answer[int]) { s.Query(a, tolerations("b op=Exists", "c op=Exists")) },
		"none":       func(a *fleet.Answer[int]) { s.Query(a) },
		"everything": func(a *fleet.Answer[int]) { s.Query(a, tolerations("op=Exists")) },
		"later":      func(a *fleet.Answer[int]) { later.Query(a, tolerations("d op=Exists", "a")) },
		"empty":      func(a *fleet.Answer[int]) { new(fleet.Snapshot[int]).Query(a, tolerations("b op=Exists")) },
		"zero":       func(a *fleet.Answer[int]) { *a = fleet.Answer[int]{} },
		"zero_other": func(a *fleet.Answer[int]) { *a = fleet.Answer[int]{}; s.Query(a, tolerations("b op=Exists")) },
		"nested": func(a *fleet.Answer[int]) {
			for range a.Nodes() {
				s.Query(a, tolerations("b op=Exists"))
				for range a.Nodes() {
					s.Query(a)
				}
			}
		},
	}
	stop := errors.New("stop")
	ends := map[string]func(seq iter.Seq[string], query func()) []string{
		"end": func(seq iter.Seq[string], query func()) (got []string) {
			for text := range seq {
				got = append(got, text)
				query()
			}
			return got
		},
		"break": func(seq iter.Seq[string], query func()) (got []string) {
			for text := range seq {
				if got = append(got, text); len(got) == 2 {
					break
				}
				query()
			}
			return got
		},
		"panic": func(seq iter.Seq[string], query func()) (got []string) {
			defer func() {
				if r := recover(); r != nil && r != stop {
					t.Errorf("panic: %v", r)
				}
			}()
			for text := range seq {
				if got = append(got, text); len(got) == 2 {
					panic(stop)
				}
				query()
			}
			return got
		},
		"unfinished": func(seq iter.Seq[string], query func()) (got []string) {
			next, stop := iter.Pull(seq)
			t.Cleanup(stop)
			for range 2 {
				text, _ := next()
				got = append(got, text)
				query()
			}
			return got
		},
	}
	for how, run := range ends {
		for change, query := range inside {
			for method, r := range ranges {
				var a fleet.Answer[int]
				for range 2 { // the second time with the memory that the first one left
					s.Query(&a, tolerations("a op=Exists"))
					got := strings.Join(run(r.over(&a), func() { query(&a) }), " ")
					if !strings.HasPrefix(r.want, got) || how == "end" && got != r.want {
						t.Errorf("%s, %s, %s: %q, want %q", method, change, how, got, r.want)
					}
					var b fleet.Answer[int]
					query(&b)
					if got, want := slices.Collect(a.Nodes()), slices.Collect(b.Nodes()); change != "nested" && !slices.Equal(got, want) {
						t.Errorf("%s, %s, %s: after it %v, want %v", method, change, how, got, want)
					}
				}
			}
		}
	}
}

func textOf[V any](seq iter.Seq[V]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for v := range seq {
			if !yield(fmt.Sprint(v)) {
				return
			}
		}
	}
}

func textOf2[V, W any](seq iter.Seq2[V, W]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for v, w := range seq {
			if !yield(fmt.Sprint(v, w)) {
				return
			}
		}
	}
}

// The same query yields the same order.
func TestAnswer_Nodes_order(t *testing.T) {
	var x fleet.Index[int]
	for i := range 300 {
		x.Put(i, match.Node{Taints: taints(t, []string{"a=1:NoSchedule", "a=2:NoSchedule", "a=3:NoExecute", "b:PreferNoSchedule"}[i%4])})
	}
	s := x.Snapshot()
	for _, pod := range [][]string{{"a=1", "a=2"}, {"a=2", "a=1"}, {"a op=Exists"}, {"op=Exists"}, {"a=1 op=Gt"}, nil} {
		var want []int
		for i := range 2 {
			var a fleet.Answer[int]
			s.Query(&a, tolerations(pod...))
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
func TestAnswer_release(t *testing.T) {
	var x fleet.Index[string]
	x.Put("a", match.Node{})
	a := new(fleet.Answer[string])
	s := x.Snapshot()
	held := weak.Make(s)
	s.Query(a)
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
		if i%50 == 0 {
			clip(&x)
		}
	}
	if x.Remove(math.NaN()) || x.Len() != len(m) {
		t.Errorf("%d nodes, want %d", x.Len(), len(m))
	}
	s := x.Snapshot()
	for i := range 300 {
		_, want := m[float64(i)]
		if _, ok := s.Taints(float64(i)); ok != want {
			t.Errorf("node %d is there: %v, want %v", i, ok, want)
		}
	}
	if n := len(slices.Collect(s.All())); n != len(m) {
		t.Errorf("All() yields %d nodes, want %d", n, len(m))
	}
}
