package eviction_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A keeper is a controller such as a user would write: one goroutine owns a Schedule,
// receives changes through a channel, and sleeps until the next pod is due.
type keeper struct {
	changes chan func()
	pods    map[string]toleration.List
	nodes   map[string]taint.List
	on      map[string]string // the node of each pod
	s       eviction.Schedule[string]

	mu      sync.Mutex
	evicted []string // the second at which each pod was evicted
}

func (k *keeper) run(ctx context.Context, begin time.Time) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for range 1000 { // a controller that does not sleep does more
		now := time.Now()
		for id := range k.s.Due(now) {
			delete(k.on, id)
			k.mu.Lock()
			k.evicted = append(k.evicted, fmt.Sprintf("%s at %v", id, now.Sub(begin)))
			k.mu.Unlock()
		}
		if _, at, ok := k.s.Next(); ok {
			timer.Reset(time.Until(at))
		} else {
			timer.Stop()
		}
		select {
		case <-ctx.Done():
			return
		case change := <-k.changes:
			change()
		case <-timer.C:
		}
	}
}

// taint gives a node taints.
func (k *keeper) taint(t *testing.T, node, list string) {
	taints, err := taint.ParseList(list)
	if err != nil {
		t.Error(err)
	}
	k.changes <- func() {
		now := time.Now()
		k.nodes[node] = taints
		for pod, on := range k.on {
			if on == node {
				k.s.Update(pod, taints, now, toleration.First, k.pods[pod])
			}
		}
	}
}

func testScheduleController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		k := &keeper{
			changes: make(chan func()),
			pods: map[string]toleration.List{
				"web":    pod("node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"),
				"db":     pod("node.kubernetes.io/unreachable:NoExecute op=Exists for 6000s"),
				"daemon": pod("node.kubernetes.io/unreachable:NoExecute op=Exists"),
				"batch":  nil,
			},
			nodes: map[string]taint.List{},
			on:    map[string]string{"web": "a", "db": "a", "daemon": "a", "batch": "b"},
		}
		go k.run(ctx, begin)

		k.taint(t, "a", "node.kubernetes.io/unreachable:NoExecute")
		time.Sleep(100 * time.Second)
		k.taint(t, "b", "maintenance:NoSchedule")
		k.taint(t, "a", "node.kubernetes.io/unreachable=again:NoExecute,maintenance:NoSchedule") // nothing new
		time.Sleep(500 * time.Second)
		k.taint(t, "b", "maintenance:NoExecute")
		k.taint(t, "a", "maintenance:NoSchedule")
		time.Sleep(10_000 * time.Second)
		synctest.Wait()
		k.mu.Lock()
		defer k.mu.Unlock()
		if want := []string{"web at 5m0s", "batch at 10m0s"}; !slices.Equal(k.evicted, want) {
			t.Errorf("evicted: %q, want %q", k.evicted, want)
		}
	})
}
