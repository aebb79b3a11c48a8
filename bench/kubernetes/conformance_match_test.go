package kubernetes_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A matcher decides for one toleration and one taint. The mutation check replaces it.
type matcher func(toleration.Toleration, taint.Taint) bool

// tolerates compares ToleratesTaint with the matcher, with the gate on and off.
func tolerates(ours matcher, matched *share) func(g *gen) string {
	return func(g *gen) string {
		tol, tnt := g.pair()
		u := valid(ourToleration(tol))
		v := valid(ourTaint(tnt))
		off := toleration.List{u}.WithoutNumeric()[0]
		on, want := ours(u, v), tol.ToleratesTaint(quiet, &tnt, true)
		matched.count(want)
		if on != want {
			return fmt.Sprintf("%s on %s: Kubernetes %v, ours %v", u, v, want, on)
		}
		if got, want := ours(off, v), tol.ToleratesTaint(quiet, &tnt, false); got != want {
			return fmt.Sprintf("gate off, %s on %s: Kubernetes %v, ours %v", u, v, want, got)
		}
		return ""
	}
}

func TestToleratesTaint_M1_M2_M3_M4_M5_M6_M7_M9(t *testing.T) {
	t.Parallel()
	var matched share
	conform(t, pure, tolerates(toleration.Toleration.Tolerates, &matched))
	matched.within(t, "match", 0.2, 0.8)
}

// allTolerations returns the tolerations over few keys, values and effects, valid or
// not.
func allTolerations() (out []corev1.Toleration) {
	for _, key := range []string{"", "a", "b", "-"} {
		for _, op := range append([]string{"equal"}, operators...) {
			for _, value := range []string{"", "x", "y", "1", "2", "-1", "02", "a b", "9223372036854775807", "9223372036854775808"} {
				for _, effect := range append([]string{"", "noexecute"}, effects...) {
					for _, seconds := range []*int64{nil, new(int64)} {
						out = append(out, corev1.Toleration{Key: key, Operator: corev1.TolerationOperator(op), Value: value, Effect: corev1.TaintEffect(effect), TolerationSeconds: seconds})
					}
				}
			}
		}
	}
	return out
}

func allTaints() (out []corev1.Taint) {
	for _, key := range []string{"", "a", "b", "-"} {
		for _, value := range []string{"", "x", "1", "2", "3", "02", "-1", "a b", "9223372036854775806", "9223372036854775807", "9223372036854775808"} {
			for _, effect := range append([]string{"", "noexecute"}, effects...) {
				out = append(out, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
			}
		}
	}
	return out
}

// A filterFunc is match.Node.Filter. The mutation check replaces it.
type filterFunc func(match.Node, toleration.List) match.Result

// finds compares FindMatchingUntoleratedTaint, with several filters including the
// scheduler's, with the filter and the functions that replace it.
func finds(filter filterFunc, found *share) func(g *gen) string {
	said := []func(match.Result) bool{ // the methods of Result that report untolerated taints, as in inclusions
		func(r match.Result) bool { return !r.Schedulable() },
		func(r match.Result) bool { return !r.Preferred() },
		match.Result.Evicted,
		func(r match.Result) bool { return r.Count(taint.PreferNoSchedule) > 0 },
	}
	return func(g *gen) string {
		d := g.decision()
		r := filter(match.Node{Taints: d.taints}, d.tolerations)
		for k, f := range inclusions {
			want, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, d.theirTaints, d.theirs, f.include, d.gate)
			if k == 0 && found != nil {
				found.count(untolerated)
			}
			i, ok := r.First(f.effects...)
			if ok != untolerated || said[k](r) != untolerated || ok && d.theirTaints[i] != want {
				return fmt.Sprintf("%v: filter %d: Kubernetes %v %v, ours %v %d", d, k, untolerated, want.ToString(), ok, i)
			}
		}
		for i, v := range (match.Node{Taints: d.taints}).Untolerated(d.tolerations) {
			want, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, d.theirTaints, d.theirs, nil, d.gate)
			if !untolerated || d.theirTaints[i] != want || v != d.taints[i] {
				return fmt.Sprintf("%v: Kubernetes %v %v, ours yields %d first", d, untolerated, want.ToString(), i)
			}
			break
		}
		return ""
	}
}

func TestFindMatchingUntoleratedTaint_F1_F2_F3_F4_F6(t *testing.T) {
	t.Parallel()
	var found share
	conform(t, pure, finds(match.Node.Filter, &found))
	conform(t, pure, finds(func(n match.Node, tolerations toleration.List) match.Result {
		return match.Compile(tolerations).Filter(n)
	}, nil))
	found.within(t, "are not schedulable", 0.2, 0.8)
}
