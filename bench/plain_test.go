package bench_test

import (
	"strconv"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The plain implementation uses structs like those of the API, and compares their
// strings.
type (
	plainTaint      struct{ key, value, effect string }
	plainToleration struct {
		key, operator, value, effect string
		seconds                      *int64
	}
)

func plainTaints(list taint.List) (out []plainTaint) {
	for _, t := range list {
		out = append(out, plainTaint{t.Key(), t.Value(), t.Effect().String()})
	}
	return out
}

func plainFleet(nodes []taint.List) [][]plainTaint {
	out := make([][]plainTaint, len(nodes))
	for i, taints := range nodes {
		out[i] = plainTaints(taints)
	}
	return out
}

func plainTolerations(list toleration.List) (out []plainToleration) {
	for _, u := range list {
		p := plainToleration{key: u.Key(), operator: u.Operator().String(), value: u.Value(), effect: u.Effect().String()}
		if n, ok := u.Seconds(); ok {
			p.seconds = &n
		}
		out = append(out, p)
	}
	return out
}

func plainSchedulable(taints []plainTaint, pod []plainToleration) bool {
	for i := range taints {
		if t := &taints[i]; t.effect != "PreferNoSchedule" && !plainTolerated(t, pod) {
			return false
		}
	}
	return true
}

func plainTolerated(t *plainTaint, pod []plainToleration) bool {
	for i := range pod {
		u := &pod[i]
		if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) &&
			(u.operator == "Exists" || (u.operator == "" || u.operator == "Equal") && u.value == t.value ||
				(u.operator == "Gt" || u.operator == "Lt") && plainCompares(u, t)) {
			return true
		}
	}
	return false
}

func plainCompares(u *plainToleration, t *plainTaint) bool {
	n, err := strconv.ParseInt(t.value, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != t.value {
		return false
	}
	bound, err := strconv.ParseInt(u.value, 10, 64)
	if err != nil {
		return false
	}
	if u.operator == "Lt" {
		return n < bound
	}
	return n > bound
}

// plainFilter returns the number of nodes on which the pod can be scheduled.
func plainFilter(fleet [][]plainTaint, pod []plainToleration) (schedulable int) {
	for _, taints := range fleet {
		if plainSchedulable(taints, pod) {
			schedulable++
		}
	}
	return schedulable
}

func tolerations(texts ...string) (list toleration.List) {
	for _, s := range texts {
		list = append(list, toleration.MustParse(s))
	}
	return list
}
