package recording

import (
	"math"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

func digit(b bool) byte {
	if b {
		return '1'
	}
	return '0'
}

// valid reports whether Kubernetes' validation accepts it, with the gate on.
func valid(t toleration) bool {
	return len(upstream.TolerationErrors(internal([]toleration{t}), path, true)) == 0
}

func validTaint(t taint) bool { return len(taintErrors([]taint{t})) == 0 }

// match draws a table of tolerations and taints, some of them invalid.
func match(g *gen) any {
	c := recorded.Match{Taints: g.taints(6)}
	c.Tolerations = g.aimed(6, c.Taints)
	if g.in(4) {
		g.spoilTaint(&c.Taints[g.IntN(len(c.Taints))])
		g.spoil(&c.Tolerations[g.IntN(len(c.Tolerations))])
	}
	return matched(c)
}

func matched(c recorded.Match) recorded.Match {
	var on, off []byte
	tols, taints := api(c.Tolerations), apiTaints(c.Taints)
	for i := range taints {
		for j := range tols {
			on = append(on, digit(upstream.Matches(&tols[j], &taints[i], true)))
			off = append(off, digit(upstream.Matches(&tols[j], &taints[i], false)))
		}
	}
	c.Off = string(off)
	if upstream.HasNumeric {
		c.On = string(on)
	}
	for i, t := range c.Taints {
		if !validTaint(t) {
			c.InvalidTaints = append(c.InvalidTaints, i)
		}
	}
	for i, t := range c.Tolerations {
		if !valid(t) {
			c.InvalidTolerations = append(c.InvalidTolerations, i)
		}
	}
	return c
}

func oneOf(effects ...corev1.TaintEffect) func(*corev1.Taint) bool {
	return func(t *corev1.Taint) bool { return slices.Contains(effects, t.Effect) }
}

func first(taints []corev1.Taint, tolerations []corev1.Toleration, gate bool) recorded.First {
	at := func(include func(*corev1.Taint) bool) int {
		t, ok := upstream.Untolerated(taints, tolerations, include, gate)
		if !ok {
			return -1
		}
		return slices.IndexFunc(taints, func(u corev1.Taint) bool {
			return u.Key == t.Key && u.Value == t.Value && u.Effect == t.Effect && (include == nil || include(&u))
		})
	}
	return recorded.First{
		Schedule: at(oneOf(corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)),
		Any:      at(nil),
		Evict:    at(oneOf(corev1.TaintEffectNoExecute)),
		Prefer:   at(oneOf(corev1.TaintEffectPreferNoSchedule)),
	}
}

func filter(g *gen) any {
	c := recorded.Filter{Taints: g.node(g.IntN(6)), Gate: g.gate()}
	c.Tolerations = g.aimed(g.IntN(6), c.Taints)
	taints, tols := apiTaints(c.Taints), api(c.Tolerations)
	c.First = first(taints, tols, c.Gate)
	var all bool
	var used []corev1.Toleration
	withGate(c.Gate, func() { all, used = upstream.Serving(taints, tols) })
	if all {
		for _, u := range used {
			c.Serving = append(c.Serving, slices.IndexFunc(tols, func(t corev1.Toleration) bool { return t == u }))
		}
	}
	return c
}

// filterInvalid draws lists with invalid elements (M8-invalid). Our answer is
// that of Kubernetes for the valid elements only, and an invalid taint is a
// NoSchedule taint that nothing tolerates.
func filterInvalid(g *gen) any {
	c := recorded.Filter{Taints: g.node(1 + g.IntN(5)), Gate: g.gate()}
	c.Tolerations = g.aimed(1+g.IntN(5), c.Taints)
	if g.in(2) {
		c.Tolerations = append(c.Tolerations, toleration{Operator: "Exists"})
	}
	if g.spoilTaint(&c.Taints[g.IntN(len(c.Taints))]); g.in(2) {
		g.spoil(&c.Tolerations[g.IntN(len(c.Tolerations))])
	}
	c.First = first(apiTaints(c.Taints), api(c.Tolerations), c.Gate)
	var at []int // where the valid taints are
	var taints []taint
	invalid := len(c.Taints)
	for i, t := range c.Taints {
		if validTaint(t) {
			at, taints = append(at, i), append(taints, t)
		} else {
			invalid = min(invalid, i)
		}
	}
	f := first(apiTaints(taints), api(slices.DeleteFunc(slices.Clone(c.Tolerations), func(t toleration) bool { return !valid(t) })), c.Gate)
	for _, k := range []*int{&f.Schedule, &f.Any, &f.Evict, &f.Prefer} {
		if *k >= 0 {
			*k = at[*k]
		}
	}
	for _, k := range []*int{&f.Schedule, &f.Any} {
		if *k < 0 || *k > invalid {
			*k = invalid
		}
	}
	c.Ours, c.Differences = &f, []string{"M8-invalid"}
	return c
}

func evict(g *gen) any {
	c := recorded.Evict{Taints: g.node(g.IntN(5)), Gate: g.gate()}
	for i := range c.Taints {
		if !g.in(4) && !slices.ContainsFunc(c.Taints, func(u taint) bool { return u.Key == c.Taints[i].Key && u.Effect == "NoExecute" }) {
			c.Taints[i].Effect = "NoExecute"
		}
	}
	c.Tolerations = g.aimed(g.IntN(6), c.Taints)
	for i := range c.Tolerations {
		if u := &c.Tolerations[i]; u.Effect == "NoExecute" && !g.in(3) {
			u.Seconds = g.seconds()
		}
	}
	return evictedAtOnce(c)
}

func evictedAtOnce(c recorded.Evict) recorded.Evict {
	taints, tols := apiTaints(c.Taints), api(c.Tolerations)
	var after time.Duration
	var tolerated bool
	withGate(c.Gate, func() { after, tolerated = upstream.TolerationTime(taints, tols) })
	switch {
	case !tolerated || after == 0:
		c.Kind = "now"
	case after < 0:
		c.Kind = "never"
	default:
		c.Kind, c.After = "at", int64(after)
	}
	if s, limited := leastSeconds(taints, tols, c.Gate); limited && tolerated && s > math.MaxInt64/int64(time.Second) {
		c.Seconds, c.Differences = s, []string{"E7-overflow"}
	}
	return c
}

// leastSeconds implements E7 for tolerated taints with Kubernetes' matcher: the
// fewest seconds of the tolerations that decide, or false if there is no limit.
func leastSeconds(taints []corev1.Taint, tolerations []corev1.Toleration, gate bool) (least int64, limited bool) {
	least = math.MaxInt64
	for i := range taints {
		at := slices.IndexFunc(tolerations, func(t corev1.Toleration) bool { return upstream.Matches(&t, &taints[i], gate) })
		if at < 0 || taints[i].Effect != corev1.TaintEffectNoExecute {
			continue
		}
		if s := tolerations[at].TolerationSeconds; s != nil {
			least, limited = min(least, max(0, *s)), true
		}
	}
	return least, limited
}
