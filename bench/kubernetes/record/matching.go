package main

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// withGate runs f with the process's feature gate for numeric operators.
func withGate(gate bool, f func()) {
	if upstream.HasNumeric {
		set := utilfeature.DefaultMutableFeatureGate.SetFromMap
		must(set(map[string]bool{"TaintTolerationComparisonOperators": gate}))
		defer set(map[string]bool{"TaintTolerationComparisonOperators": false})
	}
	f()
}

// possible reports whether the version has the operators of the tolerations.
func possible(list []toleration) bool {
	return upstream.HasNumeric || !slices.ContainsFunc(list, toleration.Numeric)
}

var digit = map[bool]string{false: "0", true: "1"}

// where returns the indices of the elements that have the property.
func where[T any](list []T, has func(T) bool) (at []int) {
	for i, e := range list {
		if has(e) {
			at = append(at, i)
		}
	}
	return at
}

// invalid reports whether Kubernetes' validation rejects it, with the gate on.
func invalid(t toleration) bool {
	return len(upstream.TolerationErrors(internal([]toleration{t}), path, true)) > 0
}

func invalidTaint(t taint) bool { return len(taintErrors([]taint{t})) > 0 }

func matched(c recorded.Match) any {
	tolerations := api(c.Tolerations)
	for _, t := range apiTaints(c.Taints) {
		for _, u := range tolerations {
			c.Off += digit[upstream.Matches(&u, &t, false)]
			if upstream.HasNumeric {
				c.On += digit[upstream.Matches(&u, &t, true)]
			}
		}
	}
	c.InvalidTaints, c.InvalidTolerations = where(c.Taints, invalidTaint), where(c.Tolerations, invalid)
	return c
}

func oneOf(effects ...corev1.TaintEffect) func(*corev1.Taint) bool {
	return func(t *corev1.Taint) bool { return slices.Contains(effects, t.Effect) }
}

func first(list []taint, tolerations []toleration, gate bool) recorded.First {
	taints := apiTaints(list)
	at := func(include func(*corev1.Taint) bool) int {
		t, ok := upstream.Untolerated(taints, api(tolerations), include, gate)
		if !ok {
			return -1
		}
		return slices.Index(taints, t)
	}
	return recorded.First{
		Schedule: at(oneOf(corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)),
		Any:      at(nil),
		Evict:    at(oneOf(corev1.TaintEffectNoExecute)),
		Prefer:   at(oneOf(corev1.TaintEffectPreferNoSchedule)),
	}
}

func filtered(c recorded.Filter) any {
	c.First = first(c.Taints, c.Tolerations, c.Gate)
	tolerations := api(c.Tolerations)
	var all bool
	var used []corev1.Toleration
	withGate(c.Gate, func() { all, used = upstream.Serving(apiTaints(c.Taints), tolerations) })
	if all {
		for _, u := range used {
			c.Serving = append(c.Serving, slices.Index(tolerations, u))
		}
	}
	return c
}

// filteredInvalid has our answer: that of Kubernetes for the valid elements only, and an
// invalid taint is a NoSchedule taint that nothing tolerates.
func filteredInvalid(c recorded.Filter) any {
	c.First = first(c.Taints, c.Tolerations, c.Gate)
	valid := slices.DeleteFunc(slices.Clone(c.Taints), invalidTaint)
	f := first(valid, slices.DeleteFunc(slices.Clone(c.Tolerations), invalid), c.Gate)
	at := where(c.Taints, func(t taint) bool { return !invalidTaint(t) })
	for _, k := range []*int{&f.Schedule, &f.Any, &f.Evict, &f.Prefer} {
		if *k >= 0 {
			*k = at[*k]
		}
	}
	repels := slices.IndexFunc(c.Taints, invalidTaint)
	for _, k := range []*int{&f.Schedule, &f.Any} {
		if *k < 0 || *k > repels {
			*k = repels
		}
	}
	c.Ours, c.Differences = &f, []string{"M8-invalid"}
	return c
}

func evictedAtOnce(c recorded.Evict) any {
	taints := apiTaints(c.Taints)
	var after time.Duration
	var tolerated bool
	withGate(c.Gate, func() { after, tolerated = upstream.TolerationTime(taints, api(c.Tolerations)) })
	switch {
	case !tolerated || after == 0:
		c.Kind = "now"
	case after < 0:
		c.Kind = "never"
	default:
		c.Kind, c.After = "at", int64(after)
	}
	least := unlimited // by E7
	for _, t := range taints {
		if t.Effect == corev1.TaintEffectNoExecute {
			least = min(least, firstHolds(c.Tolerations, &t, c.Gate))
		}
	}
	if tolerated && least != unlimited && least > math.MaxInt64/uint64(time.Second) {
		c.Seconds, c.Differences = int64(least), []string{"E7-overflow"}
	}
	return c
}

const unlimited uint64 = math.MaxInt64 + 1

// holds returns for how many seconds a toleration tolerates a taint.
func holds(t toleration) uint64 {
	if t.Seconds == nil {
		return unlimited
	}
	return uint64(max(0, *t.Seconds))
}

// firstHolds returns for how many seconds the first toleration that matches tolerates the
// taint.
func firstHolds(list []toleration, t *corev1.Taint, gate bool) uint64 {
	at := slices.IndexFunc(api(list), func(u corev1.Toleration) bool { return upstream.Matches(&u, t, gate) })
	if at < 0 {
		return 0
	}
	return holds(list[at])
}
