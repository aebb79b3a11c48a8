package recording

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
		if t.Operator == "Exists" {
			continue
		}
		values = append(values, t.Value)
		if n, err := strconv.ParseInt(t.Value, 10, 64); err == nil && numeric(t) {
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
			for _, effect := range effects {
				out = append(out, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
			}
		}
	}
	return out
}

// holds returns for how long a toleration tolerates a taint.
func holds(t toleration) uint64 {
	if t.Seconds == nil {
		return math.MaxInt64 + 1
	}
	return uint64(max(0, *t.Seconds))
}

// coversByMatching is R2 by Kubernetes' own matcher: a tolerates what b
// tolerates, for at least as long.
func coversByMatching(a, b toleration, taints []corev1.Taint) bool {
	both := api([]toleration{a, b})
	for i := range taints {
		if upstream.Matches(&both[1], &taints[i], true) && !(upstream.Matches(&both[0], &taints[i], true) && holds(a) >= holds(b)) {
			return false
		}
	}
	return true
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

// covers draws a list whose tolerations are near each other.
func covers(g *gen) any {
	list := g.nearLists(7)[0]
	if g.in(2) {
		list = slices.DeleteFunc(list, numeric)
	}
	return covered(list)
}

func covered(list []toleration) any {
	c := recorded.Cover{Tolerations: list, Differences: map[string][]int{}}
	if !upstream.HasNumeric && slices.ContainsFunc(c.Tolerations, numeric) {
		return nil
	}
	taints := apart(c.Tolerations)
	var theirs, mine []byte
	for _, a := range c.Tolerations {
		for _, b := range c.Tolerations {
			by, is := coversByMatching(a, b, taints), superset(a, b)
			if by != is {
				for _, id := range coverDifferences(a, b) {
					c.Differences[id] = append(c.Differences[id], len(theirs))
				}
			}
			theirs, mine = append(theirs, digit(is)), append(mine, digit(by))
		}
	}
	c.Covers, c.Ours = string(theirs), string(mine)
	return c
}

// coverDifferences are the listed differences that explain why Kubernetes finds
// that a does not cover b.
func coverDifferences(a, b toleration) []string {
	switch {
	case numeric(a) || numeric(b):
		return []string{"R2-numeric"}
	case superset(withOperator(a), withOperator(b)):
		return []string{"R2-absent-operator"}
	case superset(withSeconds(a), withSeconds(b)):
		return []string{"R2-negative-seconds"}
	case superset(withSeconds(withOperator(a)), withSeconds(withOperator(b))):
		return []string{"R2-absent-operator", "R2-negative-seconds"}
	}
	panic("no listed difference explains it")
}

// readAlike makes lists whose tolerations mean the same on both sides: without
// the differences of R2.
func (g *gen) readAlike(sizes ...int) [][]toleration {
	lists := g.nearLists(sizes...)
	for k := range lists {
		lists[k] = slices.DeleteFunc(lists[k], numeric)
		for i, t := range lists[k] {
			lists[k][i] = withSeconds(withOperator(t))
		}
	}
	return lists
}

func kubernetesMerge(a, b []toleration) []toleration {
	return recordable(utiltolerations.MergeTolerations(internal(a), internal(b)))
}

// missing returns the tolerations of the second list that R3 adds to the first.
func missing(list, second []toleration) []toleration {
	taints := apart(slices.Concat(list, second))
	return uncovered(list, second, func(a, b toleration) bool { return coversByMatching(a, b, taints) })
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

// firstHolds returns for how long the first toleration that matches tolerates
// the taint.
func firstHolds(list []toleration, tnt *corev1.Taint) uint64 {
	at := slices.IndexFunc(api(list), func(t corev1.Toleration) bool { return upstream.Matches(&t, tnt, true) })
	if at < 0 {
		return 0
	}
	return holds(list[at])
}

func merge(g *gen) any {
	lists := g.readAlike(g.IntN(4), g.IntN(4))
	return merged(lists[0], lists[1])
}

func merged(first, second []toleration) any {
	c := recorded.Merge{First: first, Second: second}
	all := slices.Concat(c.First, c.Second)
	if !upstream.HasNumeric && slices.ContainsFunc(all, numeric) {
		return nil
	}
	c.Merged = kubernetesMerge(c.First, c.Second)
	byFields := slices.Concat(c.First, uncovered(c.First, c.Second, superset)) // R3 without the differences of R2
	if mine := slices.Concat(c.First, missing(c.First, c.Second)); !same(mine, c.Merged) {
		var note notes
		if !same(byFields, c.Merged) {
			note.add("R3-kept")
		}
		if !same(byFields, mine) {
			for i, u := range all[len(first):] {
				for _, t := range all[:len(first)+i] {
					if coversByMatching(t, u, apart(all)) && !superset(t, u) {
						for _, id := range coverDifferences(t, u) {
							note.add(id)
						}
					}
				}
			}
		}
		c.Ours, c.Differences = mine, note
	}
	if slices.ContainsFunc(apart(all), func(t corev1.Taint) bool { return firstHolds(all, &t) != firstHolds(c.Merged, &t) }) {
		c.Differences = append(c.Differences, "R3-seconds")
	}
	return c
}
