package eviction_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestReevaluate_recorded(t *testing.T) { t.Run("E4_E5_E6_E8", testHistoryRecorded) }

func testHistoryRecorded(t *testing.T) {
	evicted, other := 0, 0
	recorded.Each(t, "history", func(_ recorded.Header, c recorded.History) error {
		var state eviction.State
		got, err := live(c, func(now time.Time, taints taint.List, list toleration.List) time.Time {
			state, _ = eviction.Reevaluate(state, taints, now, toleration.First, list)
			return state.Deadline
		})
		if err != nil || !reflect.DeepEqual(got, c.Evicted) {
			return fmt.Errorf("evicted %v, %v", got, err)
		}
		var observed []eviction.Observed
		got, err = live(c, func(now time.Time, taints taint.List, list toleration.List) time.Time {
			observed = eviction.Observe(observed, taints, now)
			at, _ := eviction.Decide(observed, now, eviction.Options{PerTaint: true}, list).Deadline()
			return at
		})
		if err != nil || !reflect.DeepEqual(got, c.PerTaint) {
			return fmt.Errorf("with PerTaint evicted %v, %v", got, err)
		}
		if c.Evicted != nil && *c.Evicted > 0 {
			evicted++
		}
		if !reflect.DeepEqual(c.Evicted, c.PerTaint) {
			other++
		}
		return nil
	})
	if evicted < 300 || other < 50 {
		t.Errorf("%d pods are evicted later, %d at another time with PerTaint", evicted, other)
	}
}

// live returns the seconds until the pod is evicted, nil if it is not. update evaluates it,
// and returns its deadline.
func live(c recorded.History, update func(now time.Time, taints taint.List, list toleration.List) time.Time) (*int64, error) {
	start := time.Unix(1_000_000_000, 0)
	now, deadline := start, time.Time{}
	var taints taint.List
	list, err := gen.ReadTolerations(c.Tolerations)
	for _, s := range append(slices.Clone(c.Steps), recorded.Step{After: 3600}) {
		now = now.Add(time.Duration(s.After) * time.Second)
		if !deadline.IsZero() && !deadline.After(now) {
			break
		}
		if s.Taints != nil {
			taints, err = gen.ReadTaints(s.Taints)
		}
		if s.Tolerations != nil {
			list, err = gen.ReadTolerations(s.Tolerations)
		}
		if err != nil {
			return nil, err
		}
		if deadline = update(now, taints, list); !deadline.IsZero() && deadline.Before(now) {
			deadline = now
		}
	}
	if deadline.IsZero() {
		return nil, nil
	}
	seconds := int64(deadline.Sub(start) / time.Second)
	return &seconds, nil
}

func TestDecide_recorded(t *testing.T) { t.Run("E1_E2_E3_E6_E7", testDecideRecorded) }

// Kubernetes' answers are recorded in bench/recorded.
func testDecideRecorded(t *testing.T) {
	kinds := map[string]int{}
	now := time.Unix(1_800_000_000, 5).UTC()
	recorded.Each(t, "evict", func(_ recorded.Header, c recorded.Evict) error {
		taints, err := gen.ReadTaints(c.Taints)
		if err != nil {
			return err
		}
		list, err := gen.ReadTolerations(c.Tolerations)
		if err != nil {
			return err
		}
		if !c.Gate {
			list = list.WithoutNumeric()
		}
		kind, deadline := eviction.Never, time.Time{}
		switch c.Kind {
		case "now":
			kind, deadline = eviction.Due, now
		case "at":
			kind, deadline = eviction.At, now.Add(time.Duration(c.After))
		}
		if len(c.Differences) > 0 { // E7-overflow: exact here; Kubernetes' durations overflow
			if kind, deadline = eviction.Never, (time.Time{}); c.Seconds < math.MaxInt64 {
				kind, deadline = eviction.At, time.Unix(now.Unix()+c.Seconds, int64(now.Nanosecond()))
			}
		}
		d := eviction.Decide(eviction.Observe(nil, taints, now), now, eviction.Options{}, list)
		if got, _ := d.Deadline(); d.Kind() != kind || !got.Equal(deadline) {
			return fmt.Errorf("%v %v, want %v %v", d.Kind(), got, kind, deadline)
		}
		kinds[c.Kind]++
		for _, id := range c.Differences {
			kinds[id]++
		}
		return nil
	})
	for _, kind := range []string{"never", "now", "at", "E7-overflow"} {
		if kinds[kind] < 30 {
			t.Errorf("%d cases of %s", kinds[kind], kind)
		}
	}
}
