package cover_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// Kubernetes' answers are recorded in bench/recorded.

func coversRecorded(t *testing.T) {
	met := map[string]int{}
	recorded.Each(t, "cover", func(_ recorded.Header, c recorded.Cover) error {
		list, err := gen.ReadTolerations(c.Tolerations)
		if err != nil {
			return err
		}
		if n := len(list) * len(list); len(c.Covers) != n || len(c.Ours) != n {
			return fmt.Errorf("%d and %d answers for %d pairs", len(c.Covers), len(c.Ours), n)
		}
		for k := range c.Ours {
			a, b := list[k/len(list)], list[k%len(list)]
			listed := false
			for id, at := range c.Differences {
				if slices.Contains(at, k) {
					met[id]++
					listed = true
				}
			}
			// With every listed difference, more is covered here than in Kubernetes,
			// never less.
			if differs := c.Ours[k] != c.Covers[k]; differs != listed || differs && c.Ours[k] != '1' {
				return fmt.Errorf("%s covers %s: Kubernetes %c, here %c, listed: %v", a, b, c.Covers[k], c.Ours[k], listed)
			}
			if got := cover.Covers(a, b); got != (c.Ours[k] == '1') {
				return fmt.Errorf("%s covers %s: Kubernetes %c, here %v, want %c", a, b, c.Covers[k], got, c.Ours[k])
			}
		}
		return nil
	})
	for _, id := range []string{"R2-absent-operator", "R2-negative-seconds", "R2-numeric"} {
		if met[id] == 0 {
			t.Errorf("no pair of %s", id)
		}
	}
}

func mergeRecorded(t *testing.T) {
	met := map[string]int{}
	recorded.Each(t, "merge", func(_ recorded.Header, c recorded.Merge) error {
		want := c.Merged
		if len(c.Differences) > 0 {
			if want = c.Ours; slices.EqualFunc(want, c.Merged, recorded.Toleration.Equal) {
				return fmt.Errorf("%v, and nothing differs", c.Differences)
			}
		}
		for _, id := range c.Differences {
			met[id]++
		}
		first, err1 := gen.ReadTolerations(c.First)
		second, err2 := gen.ReadTolerations(c.Second)
		ours, err3 := gen.ReadTolerations(want)
		if got := cover.Merge(first, second); err1 != nil || err2 != nil || err3 != nil || !slices.Equal(got, ours) {
			return fmt.Errorf("%v, %v, %v: %v, want %v", err1, err2, err3, got, ours)
		}
		return nil
	})
	for id, n := range map[string]int{"R3-kept": 30, "R3-seconds": 30, "R2-absent-operator": 1, "R2-negative-seconds": 1, "R2-numeric": 1} {
		if met[id] < n {
			t.Errorf("%d cases of %s", met[id], id)
		}
	}
}
