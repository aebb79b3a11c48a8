package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// Deciding returns the position of the toleration that decides how long t is tolerated,
// and how long that is. If several match t, choice selects the one that decides. If
// none does, it returns the zero Position and [match.NotTolerated].
func Deciding(t *corev1.Taint, choice toleration.Choice, tolerations ...[]corev1.Toleration) (match.Position, match.Class) {
	check(choice)
	at, ok := deciding(t, choice, tolerations)
	if !ok {
		return match.Position{}, match.NotTolerated
	}
	return at, classOf(&tolerations[at.List][at.Index])
}

// Seconds returns how long a pod may run on a node with these taints: the worst class of
// the NoExecute taints, and if that is [match.ForSeconds], the fewest seconds, at least
// 0. Other taints, and those with an empty key, do not evict, and are ignored. The seconds of each
// taint start when it is added; if the starts differ, use package match/eviction.
func Seconds(taints []corev1.Taint, choice toleration.Choice, tolerations ...[]corev1.Toleration) (int64, match.Class) {
	check(choice)
	fewest, worst := int64(0), match.Forever
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		at, ok := deciding(t, choice, tolerations)
		if !ok {
			if !repels(t) {
				return 0, match.NotTolerated
			}
			continue
		}
		if n := tolerations[at.List][at.Index].TolerationSeconds; n != nil {
			if seconds := max(*n, 0); worst == match.Forever || seconds < fewest {
				fewest = seconds
			}
			worst = match.ForSeconds
		}
	}
	return fewest, worst
}

// WithoutNumeric returns the list to match as a scheduler does whose numeric operators
// are off: what [CoreTolerations] returns for the zero Toleration, and matches no valid
// taint, takes the place of each with Lt or Gt. It returns the list itself if there is
// none.
func WithoutNumeric(tolerations []corev1.Toleration) []corev1.Toleration {
	if !slices.ContainsFunc(tolerations, func(u corev1.Toleration) bool { return isNumeric(&u) }) {
		return tolerations
	}
	out := slices.Clone(tolerations)
	for i := range out {
		if isNumeric(&out[i]) {
			out[i] = coreToleration(toleration.Toleration{}) // the zero struct would match in Kubernetes
		}
	}
	return out
}

// deciding returns the position of the toleration that decides about t, and whether
// any matches it. The choice must be known.
func deciding(t *corev1.Taint, choice toleration.Choice, tolerations [][]corev1.Toleration) (at match.Position, ok bool) {
	for l, list := range tolerations {
		for next := 0; ; next++ {
			i := Match(t, list[next:])
			if i < 0 {
				break
			}
			next += i
			u := &list[next]
			if !ok || choice.Prefers(timed(u), timed(&tolerations[at.List][at.Index])) {
				at, ok = match.Position{List: l, Index: next}, true
			}
			if choice == toleration.First {
				return at, true
			}
		}
	}
	return at, ok
}

// timed returns a toleration with the seconds of u.
func timed(u *corev1.Toleration) toleration.Toleration {
	if u.TolerationSeconds == nil {
		return untimed
	}
	v, _ := untimed.WithSeconds(*u.TolerationSeconds) // the effect is NoExecute
	return v
}

var untimed = toleration.MustParse(":NoExecute op=Exists")

func classOf(u *corev1.Toleration) match.Class {
	if u.TolerationSeconds != nil {
		return match.ForSeconds
	}
	return match.Forever
}

// check panics for an unknown choice, whatever the lists are.
func check(choice toleration.Choice) {
	if choice > toleration.ForeverElseShortest {
		panic("kube: unknown toleration." + choice.String())
	}
}
