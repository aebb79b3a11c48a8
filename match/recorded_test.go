package match_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Kubernetes' answers are recorded in bench/recorded.

func first(r match.Result) recorded.First {
	at := func(effects ...taint.Effect) int {
		if i, ok := r.First(effects...); ok {
			return i
		}
		return -1
	}
	return recorded.First{Schedule: at(taint.NoSchedule, taint.NoExecute), Any: at(), Evict: at(taint.NoExecute), Prefer: at(taint.PreferNoSchedule)}
}

func filterRecorded(t *testing.T) {
	schedulable, numeric := map[bool]int{}, 0
	recorded.Each(t, "filter", func(_ recorded.Header, c recorded.Filter) error {
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
		r := match.Node{Taints: taints}.Filter(list)
		if m := match.Compile(list).Filter(match.Node{Taints: taints}); m != r {
			return fmt.Errorf("compiled %+v, plain %+v", m, r)
		}
		got := first(r)
		if got != c.First || r.Schedulable() != (got.Schedule < 0) || r.Preferred() != (got.Any < 0) || r.Evicted() != (got.Evict >= 0) {
			return fmt.Errorf("%+v, %v; want %+v", got, r, c.First)
		}
		if t, ok := (match.Node{Taints: taints}).Blocking(list); ok != (c.First.Schedule >= 0) || ok && t != taints[c.First.Schedule] {
			return fmt.Errorf("%v, %v blocks; want the taint %d", t, ok, c.First.Schedule)
		}
		schedulable[r.Schedulable()]++
		if first(match.Node{Taints: taints}.Filter(list.WithoutNumeric())) != c.First {
			numeric++
		}

		var serving []int
		for _, t := range taints {
			e := match.Explain(t, toleration.First, list)
			if e.Mismatch != 0 {
				serving = nil
				break
			}
			serving = append(serving, e.At)
		}
		if !slices.Equal(serving, c.Serving) {
			return fmt.Errorf("the tolerations that decide are %v, want %v", serving, c.Serving)
		}
		return nil
	})
	if schedulable[true] < 300 || schedulable[false] < 300 {
		t.Errorf("schedulable are %v", schedulable)
	}
	if numeric < 100 {
		t.Errorf("Lt and Gt decide %d answers, want at least 100", numeric)
	}
}

// Values that Kubernetes' validation rejects do not exist here. The zero values
// represent them: a toleration that matches nothing, and a NoSchedule taint that
// nothing matches.
func filterRecordedInvalid(t *testing.T) {
	closed := 0
	recorded.Each(t, "filter-invalid", func(_ recorded.Header, c recorded.Filter) error {
		taints, _ := gen.ReadTaints(c.Taints)
		list, _ := gen.ReadTolerations(c.Tolerations)
		if !c.Gate {
			list = list.WithoutNumeric()
		}
		if c.Ours == nil || !slices.Equal(c.Differences, []string{"M8-invalid"}) {
			return fmt.Errorf("%+v by %v", c.Ours, c.Differences)
		}
		if got := first(match.Node{Taints: taints}.Filter(list)); got != *c.Ours {
			return fmt.Errorf("%+v, want %+v", got, *c.Ours)
		}
		if got := first(match.Compile(list).Filter(match.Node{Taints: taints})); got != *c.Ours {
			return fmt.Errorf("compiled %+v, want %+v", got, *c.Ours)
		}
		if c.First.Schedule < 0 && c.Ours.Schedule >= 0 {
			closed++
		}
		return nil
	})
	if closed < 30 {
		t.Errorf("only %d nodes are open to Kubernetes and closed here", closed)
	}
}
