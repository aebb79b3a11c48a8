package main

import (
	"math"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	utiltolerations "k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// superset calls Kubernetes' isSuperset, which is not exported, with a whitelist of
// one toleration.
func superset(a, b toleration) bool {
	return utiltolerations.VerifyAgainstWhitelist(internal([]toleration{b}), internal([]toleration{a}))
}

// apart are taints of every kind that tolerations of the list can distinguish.
func apart(list []toleration) (out []corev1.Taint) {
	keys, values := []string{"some.other/key"}, []string{"", "some.other.value", "0", "9223372036854775807"}
	for _, t := range list {
		if t.Key != "" {
			keys = append(keys, t.Key)
		}
		values = append(values, t.Value)
		if n, err := strconv.ParseInt(t.Value, 10, 64); err == nil {
			values = append(values, strconv.FormatInt(max(n, 1)-1, 10), strconv.FormatInt(min(n, math.MaxInt64-1)+1, 10))
		}
	}
	slices.Sort(keys)
	slices.Sort(values)
	for _, key := range slices.Compact(keys) {
		for _, value := range slices.Compact(values) {
			if value != "" && value[0] == '-' {
				continue // no taint
			}
			for _, effect := range []string{"NoSchedule", "PreferNoSchedule", "NoExecute"} {
				out = append(out, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
			}
		}
	}
	return out
}

// covering returns R2 by Kubernetes' own matcher, for tolerations of the list: whether a
// tolerates what b tolerates, for at least as long.
func covering(list []toleration) func(a, b toleration) bool {
	taints := apart(list)
	return func(a, b toleration) bool {
		both := api([]toleration{a, b})
		return !slices.ContainsFunc(taints, func(t corev1.Taint) bool {
			return upstream.Matches(&both[1], &t, true) && !(upstream.Matches(&both[0], &t, true) && holds(a) >= holds(b))
		})
	}
}

func withOperator(t toleration) toleration {
	if t.Operator == "" {
		t.Operator = "Equal"
	}
	return t
}

func withSeconds(t toleration) toleration {
	if t.Seconds != nil && *t.Seconds < 0 {
		t.Seconds = new(int64)
	}
	return t
}

func covered(c recorded.Cover) any {
	if !possible(c.Tolerations) {
		return nil
	}
	c.Differences = map[string][]int{}
	covers := covering(c.Tolerations)
	for _, a := range c.Tolerations {
		for _, b := range c.Tolerations {
			by, is := covers(a, b), superset(a, b)
			if by != is {
				id := coverDifference(a, b)
				c.Differences[id] = append(c.Differences[id], len(c.Covers))
			}
			c.Covers += digit[is]
			c.Ours += digit[by]
		}
	}
	return c
}

// coverDifference is the listed difference that explains why Kubernetes finds that a does
// not cover b.
func coverDifference(a, b toleration) string {
	switch {
	case a.Numeric() || b.Numeric():
		return "R2-numeric"
	case superset(withOperator(a), withOperator(b)):
		return "R2-absent-operator"
	case superset(withSeconds(a), withSeconds(b)):
		return "R2-negative-seconds"
	}
	panic("no listed difference explains it")
}

func kubernetesMerge(a, b []toleration) []toleration {
	return recordable(utiltolerations.MergeTolerations(internal(a), internal(b)))
}

// missing returns the tolerations of the second list that R3 adds to the first.
func missing(list, second []toleration) []toleration {
	return uncovered(list, second, covering(slices.Concat(list, second)))
}

// uncovered returns the tolerations of the second list that no single one before them covers.
func uncovered(list, second []toleration, covers func(a, b toleration) bool) (added []toleration) {
	for _, u := range second {
		before := slices.Concat(list, added)
		if !slices.ContainsFunc(before, func(t toleration) bool { return covers(t, u) }) {
			added = append(added, u)
		}
	}
	return added
}

func same(a, b []toleration) bool { return slices.EqualFunc(a, b, toleration.Equal) }

func merged(c recorded.Merge) any {
	all := slices.Concat(c.First, c.Second)
	if !possible(all) {
		return nil
	}
	c.Merged = kubernetesMerge(c.First, c.Second)
	byFields := slices.Concat(c.First, uncovered(c.First, c.Second, superset)) // R3 without the differences of R2
	if mine := slices.Concat(c.First, missing(c.First, c.Second)); !same(mine, c.Merged) {
		c.Ours = mine
		if !same(byFields, c.Merged) {
			c.Differences = append(c.Differences, "R3-kept")
		}
		if !same(byFields, mine) {
			covers := covering(all)
			for i, u := range c.Second {
				for _, t := range all[:len(c.First)+i] {
					if covers(t, u) && !superset(t, u) {
						c.Differences = append(c.Differences, coverDifference(t, u))
					}
				}
			}
		}
		c.Differences = unique(c.Differences)
	}
	if slices.ContainsFunc(apart(all), func(t corev1.Taint) bool { return firstHolds(all, &t, true) != firstHolds(c.Merged, &t, true) }) {
		c.Differences = append(c.Differences, "R3-seconds")
	}
	return c
}
