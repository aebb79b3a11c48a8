package kube

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/toleration"
)

// Seconds returns for how many seconds a pod can run on a node with these taints, and
// whether there is a limit. They are the fewest of its NoExecute taints, at least 0, and 0
// if one is untolerated. To compute when the pod must be evicted, use
// [github.com/go-tolerate/tolerate/match/eviction.Schedule].
func Seconds(taints []corev1.Taint, tolerations []corev1.Toleration, choice toleration.Choice) (fewest int64, limited bool) {
	// Most nodes have no taints. With choice.IsValid, this would not be inlined.
	if len(taints) != 0 || choice > toleration.ForeverElseShortest {
		fewest, limited = seconds(taints, tolerations, choice)
	}
	return
}

func seconds(taints []corev1.Taint, tolerations []corev1.Toleration, choice toleration.Choice) (fewest int64, limited bool) {
	check(choice)
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		j := deciding(t, tolerations, choice)
		if j < 0 {
			return 0, true
		}
		if n := tolerations[j].TolerationSeconds; n != nil {
			if seconds := max(*n, 0); !limited || seconds < fewest {
				fewest, limited = seconds, true
			}
		}
	}
	return fewest, limited
}

// deciding returns the index of the toleration that decides about t, or -1. The choice
// must be known.
func deciding(t *corev1.Taint, tolerations []corev1.Toleration, choice toleration.Choice) int {
	best := Match(t, tolerations)
	if best < 0 || choice == toleration.First {
		return best
	}
	for i := best + 1; i < len(tolerations); i++ {
		u := &tolerations[i]
		if Tolerates(u, t) && choice.Prefers(timed(u), timed(&tolerations[best])) {
			best = i
		}
	}
	return best
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

// check panics for an unknown choice, whatever the lists are.
func check(choice toleration.Choice) {
	if !choice.IsValid() {
		panic("kube: unknown toleration." + choice.String())
	}
}
