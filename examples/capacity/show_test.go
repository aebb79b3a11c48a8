package main

import (
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// A snapshot of other nodes than those that the filter is called with must be
// found out.
func TestCheckFindsWhatIsWrong(t *testing.T) {
	f := new(input)
	f.generate(options{nodes: 300, pools: 5, tainted: 0.5, workloads: 3, seed: 1})
	for name, spoil := range map[string]func(*fleet.Index[string]){
		"": func(*fleet.Index[string]) {},
		"another list": func(x *fleet.Index[string]) {
			x.Put(f.names[7], match.Node{Taints: taint.List{taint.MustParse("nobody=tolerates:NoExecute")}})
		},
		"a node less":   func(x *fleet.Index[string]) { x.Remove(f.names[8]) },
		"a node beside": func(x *fleet.Index[string]) { x.Put("stranger", match.Node{}) },
	} {
		var x fleet.Index[string]
		for i, n := range f.names {
			x.Put(n, f.nodes[i])
		}
		spoil(&x)
		var out strings.Builder
		if got := showCheck(&out, f, x.Snapshot()); got != (name == "") || got != strings.Contains(out.String(), "says the same") {
			t.Errorf("with %q the check says %t: %s", name, got, &out)
		}
	}
}

// The first look at the clock comes after one pod, and the writer ends when it is
// stopped, however far it lags behind.
func TestTimeIsKept(t *testing.T) {
	f := new(input)
	f.generate(options{nodes: 300, pools: 5, tainted: 0.5, workloads: 3, seed: 1})
	var x fleet.Index[string]
	for i, n := range f.names {
		x.Put(n, f.nodes[i])
	}
	s := &stream{opts: options{time: 1, flap: 1 << 30}, input: f}
	s.latest.Store(x.Snapshot())
	if m := s.query(0, time.Now().Add(-time.Second)); m.pods != 1 {
		t.Errorf("%d pods are queried when the time is up", m.pods)
	}
	stop := make(chan struct{})
	done := make(chan int)
	go func() {
		changes, _ := s.flap(&x, stop)
		done <- changes
	}()
	time.Sleep(5 * time.Millisecond)
	close(stop)
	<-done
}
