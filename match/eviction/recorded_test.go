package eviction_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/internal/recorded"
	"github.com/go-tolerate/tolerate/match/eviction"
)

func TestDecide_recorded(t *testing.T) {
	t.Run("E1_E2_E3_E6_E7", testDecideRecorded)
}

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
