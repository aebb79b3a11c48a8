package bench_test

import (
	"strings"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Structs like those of the API, each with strings of its own, as decoded objects have:
// strings that share their bytes compare faster.
type (
	plainTaint      struct{ key, value, effect string }
	plainToleration struct{ key, operator, value, effect string }
)

func plainFleet(nodes []taint.List) [][]plainTaint {
	out := make([][]plainTaint, len(nodes))
	for i, list := range nodes {
		for _, t := range list {
			out[i] = append(out[i], plainTaint{strings.Clone(t.Key()), strings.Clone(t.Value()), strings.Clone(t.Effect().String())})
		}
	}
	return out
}

func plainTolerations(list toleration.List) (out []plainToleration) {
	for _, u := range list {
		out = append(out, plainToleration{strings.Clone(u.Key()), strings.Clone(u.Operator().String()), strings.Clone(u.Value()), strings.Clone(u.Effect().String())})
	}
	return out
}

// handwrittenSchedulable is the loop that an adopter has: it stops at the first taint
// that decides.
func handwrittenSchedulable(taints []plainTaint, tolerations []plainToleration) bool {
	for i := range taints {
		t := &taints[i]
		if t.effect == "PreferNoSchedule" {
			continue
		}
		tolerated := false
		for j := range tolerations {
			u := &tolerations[j]
			if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) &&
				(u.operator == "Exists" || u.operator != "Lt" && u.operator != "Gt" && u.value == t.value) {
				tolerated = true
				break
			}
		}
		if !tolerated {
			return false
		}
	}
	return true
}
