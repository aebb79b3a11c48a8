package fleet_test

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A watcher keeps an index of a cluster's nodes. Its methods are the handlers of a
// client-go informer.
type watcher struct {
	mu       sync.Mutex
	index    fleet.Index[string]
	snapshot atomic.Pointer[fleet.Snapshot[string]]
}

func (w *watcher) onUpdate(name string, taints taint.List, unschedulable bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index.Put(name, match.Node{Taints: taints, Unschedulable: unschedulable}) {
		w.snapshot.Store(w.index.Snapshot())
	}
}

func (w *watcher) onDelete(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.index.Remove(name) {
		w.snapshot.Store(w.index.Snapshot())
	}
}

// count returns the number of nodes on which the pod can be scheduled, and the number
// of all nodes. Any number of goroutines can call it while nodes change.
func (w *watcher) count(pod toleration.List) (schedulable, total int) {
	var a fleet.Answer[string] // keep one for each goroutine to avoid allocations
	s := w.snapshot.Load()
	s.Query(&a, pod)
	return a.Schedulable(), s.Len()
}

// An informer keeps the index; queries read the latest snapshot without a lock.
func Example_informer() {
	var w watcher
	for i := range 1000 {
		var taints taint.List
		if i%10 == 0 {
			taints = taint.MustParseList("nvidia.com/gpu=present:NoSchedule")
		}
		w.onUpdate(fmt.Sprintf("node-%d", i), taints, false)
	}
	pod := toleration.MustParseList("nvidia.com/gpu op=Exists")
	fmt.Println(w.count(nil))
	fmt.Println(w.count(pod))

	w.onUpdate("node-0", nil, true) // cordoned
	w.onDelete("node-1")
	fmt.Println(w.count(pod))
	// Output:
	// 900 1000
	// 1000 1000
	// 998 999
}
