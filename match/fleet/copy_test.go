package fleet_test

import (
	"iter"
	"reflect"
	"testing"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
)

// lookup returns m[k] in a way that vet does not detect.
func lookup[K comparable, V any](m map[K]V, k K) *V {
	v := m[k]
	return &v
}

// Every method of a copy panics; no method of the original does.
func TestCopy(t *testing.T) {
	var x fleet.Index[int]
	x.Put(1, match.Node{Taints: taints(t, "a:NoSchedule")})
	s := x.Snapshot()
	var a fleet.Answer[int]
	pod := tolerations("a")
	copies.Check(t, "fleet.Index", func(x *fleet.Index[int]) { x.Put(1, match.Node{}) })
	copies.Check(t, "fleet.Answer", func(a *fleet.Answer[int]) { s.Query(a, pod) })
	s.Query(&a, pod)
	memo := fleet.NewMemo(4)
	for name, f := range map[string]func(){
		"fleet.Answer was copied after first use": func() { s.Query(copies.Duplicate(&a), pod) },
		"fleet.Memo was copied after first use": func() {
			b := fleet.Answer[int]{Memo: copies.Duplicate(memo)}
			s.Query(&b, pod)
		},
	} {
		if p := copies.Panic(f); p != name {
			t.Errorf("a query with a copy: panic %v, want %v", p, name)
		}
	}
	// The original is unchanged and can still be used.
	x.Put(2, match.Node{})
	a.Memo = memo
	s.Query(&a, pod)
	if x.Len() != 2 || a.Schedulable() != 1 {
		t.Errorf("after it was copied: %d nodes, %d schedulable, want 2, 1", x.Len(), a.Schedulable())
	}
	// A copy of an unused value, or of a Snapshot, can be used.
	var fresh fleet.Answer[int]
	copies.Duplicate(s).Query(copies.Duplicate(&fresh), pod)
	copies.Duplicate(new(fleet.Index[int])).Put(1, match.Node{})
	a.Memo = copies.Duplicate(new(fleet.Memo))
	s.Query(&a, pod)
	a = fleet.Answer[int]{}
	copies.Duplicate(&a).Total()
}

// An Index in a map is copied when it is read.
func TestCopy_map(t *testing.T) {
	m := map[string]fleet.Index[string]{}
	change := func() {
		x := lookup(m, "eu")
		for _, id := range []string{"a", "b", "c"} {
			x.Put(id, match.Node{})
		}
		reflect.ValueOf(m).SetMapIndex(reflect.ValueOf("eu"), reflect.ValueOf(x).Elem())
	}
	if p := copies.Panic(change); p != nil {
		t.Fatalf("the zero Index of a map panics: %v", p)
	}
	const want = "fleet.Index was copied after first use"
	if p := copies.Panic(change); p != want {
		t.Errorf("an Index taken from a map: panic %v, want %v", p, want)
	}
	if p := copies.Panic(func() { lookup(m, "eu").Load(iter.Seq2[string, match.Node](nil)) }); p != want {
		t.Errorf("Load of an Index taken from a map: panic %v, want %v", p, want)
	}
}
