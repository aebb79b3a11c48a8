package kubernetes_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/helper"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// match/kube matches the API's structs directly, and match/kube/helper replaces
// Kubernetes' own functions.

func TestKubeTolerates_M1_M2_M3_M4_M5_M6_M7_M9(t *testing.T) {
	t.Parallel()
	var matched share
	conform(t, pure, func(g *gen) string {
		tol, tnt := g.pair()
		tnt.TimeAdded = g.timeAdded()
		want := tol.ToleratesTaint(quiet, &tnt, true)
		matched.count(want)
		if got := kube.Tolerates(&tol, &tnt); got != want {
			return fmt.Sprintf("%s on %+v: Kubernetes %v, ours %v", tol.String(), tnt, want, got)
		}
		one := []corev1.Toleration{tol}
		for _, gate := range []bool{false, true} {
			want := tol.ToleratesTaint(quiet, &tnt, gate)
			if got := helper.TolerationsTolerateTaint(quiet, one, &tnt, gate); got != want {
				return fmt.Sprintf("gate %v, %s on %+v: Kubernetes %v, ours %v", gate, tol.String(), tnt, want, got)
			}
		}
		if got, want := kube.Match(&tnt, kube.WithoutNumeric(one)) == 0, tol.ToleratesTaint(quiet, &tnt, false); got != want {
			return fmt.Sprintf("without numeric operators, %s on %+v: Kubernetes %v, ours %v", tol.String(), tnt, want, got)
		}
		return ""
	})
	matched.within(t, "match", 0.2, 0.8)
}

// This compares every toleration with every taint over small sets of fields, valid and
// invalid, with Lt and Gt on and off. Ours matches where Kubernetes' does, except as
// M8-invalid describes for structs; so no pod can be scheduled here that cannot be in
// Kubernetes with Lt and Gt on.
func TestKubeToleratesExhaustive(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	none := kube.CoreTolerations(toleration.List{{}})[0] // in the place of Lt and Gt
	taints := allTaints()
	for _, effect := range effects {
		taints = append(taints, corev1.Taint{Key: none.Key, Effect: corev1.TaintEffect(effect)})
	}
	for _, tol := range append(allTolerations(), none) {
		for i := range taints {
			tnt := &taints[i]
			on, why := tol.ToleratesTaint(quiet, tnt, true), differs(&tol, tnt)
			if got, want := kube.Tolerates(&tol, tnt), on && why == ""; got != want {
				t.Errorf("%s on %s: Kubernetes %v, %q, ours %v", tol.String(), tnt.ToString(), on, why, got)
			}
			list := []corev1.Toleration{tol}
			off := kube.WithoutNumeric(list)
			if got, want := kube.Match(tnt, off) == 0, tol.ToleratesTaint(quiet, tnt, false) && why == ""; got != want {
				t.Errorf("gate off, %s on %s: want %v, ours %v", tol.String(), tnt.ToString(), want, got)
			}
			schedulable := on || tnt.Effect != corev1.TaintEffectNoSchedule && tnt.Effect != corev1.TaintEffectNoExecute
			for _, list := range [][]corev1.Toleration{list, off} {
				if kube.Schedulable(taints[i:i+1], list) && !schedulable {
					t.Errorf("%s on %s: schedulable only here", tol.String(), tnt.ToString())
				}
				if !on && kube.Schedulable(taints[i:i+1], list) != (tnt.Effect == corev1.TaintEffectPreferNoSchedule) {
					t.Errorf("%s on %s: an untolerated taint counts as none of its effect", tol.String(), tnt.ToString())
				}
			}
			if on {
				seen[why]++
			}
		}
	}
	for _, why := range []string{"", "taint without a key", "no key", "Exists with a value"} {
		if seen[why] == 0 {
			t.Errorf("the difference %q was not seen", why)
		}
	}
}

// inclusions are the filters of FindMatchingUntoleratedTaint, with their effects.
var inclusions = []struct {
	include func(*corev1.Taint) bool
	effects []taint.Effect
}{
	{plugins.DoNotScheduleTaintsFilterFunc(), []taint.Effect{taint.NoSchedule, taint.NoExecute}},
	{nil, nil},
	{func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectNoExecute }, []taint.Effect{taint.NoExecute}},
	{func(t *corev1.Taint) bool { return t.Effect == corev1.TaintEffectPreferNoSchedule }, []taint.Effect{taint.PreferNoSchedule}},
}

func TestKubeFindMatchingUntoleratedTaint_F1_F2_F3_F4_F6_M9(t *testing.T) {
	t.Parallel()
	var found, decided share
	conform(t, pure, func(g *gen) string {
		tols, taints := g.lists()
		gate := !g.in(4)
		for i := range taints {
			taints[i].TimeAdded = g.timeAdded()
		}
		ours := tols
		if !gate {
			ours = kube.WithoutNumeric(tols)
		}
		r := kube.Filter(taints, ours)
		for k, f := range inclusions {
			want, untolerated := v1helper.FindMatchingUntoleratedTaint(quiet, taints, tols, f.include, gate)
			if k == 0 {
				found.count(untolerated)
				_, other := v1helper.FindMatchingUntoleratedTaint(quiet, taints, tols, f.include, !gate)
				decided.count(untolerated != other)
				if kube.Schedulable(taints, ours) == untolerated {
					return fmt.Sprintf("%+v, %v, gate %v: Kubernetes %v, Schedulable %v", taints, theirText(tols), gate, want, untolerated)
				}
			}
			got, ok := helper.FindMatchingUntoleratedTaint(quiet, taints, tols, f.include, gate)
			if got != want || ok != untolerated {
				return fmt.Sprintf("%+v, %v, gate %v, filter %d: Kubernetes %v %v, ours %v %v", taints, theirText(tols), gate, k, untolerated, want, ok, got)
			}
			if i, ok := r.First(f.effects...); ok != untolerated || ok && taints[i] != want {
				return fmt.Sprintf("%+v, %v, gate %v, filter %d: Kubernetes %v %v, Filter %v %d", taints, theirText(tols), gate, k, untolerated, want, ok, i)
			}
		}
		first, untolerated := r.First()
		for i, got := range kube.Untolerated(taints, ours) {
			if !untolerated || i != first || got != taints[i] {
				return fmt.Sprintf("%+v, %v, gate %v: Filter %v %d, ours yields %d, %v first", taints, theirText(tols), gate, untolerated, first, i, got)
			}
			return ""
		}
		if untolerated {
			return fmt.Sprintf("%+v, %v, gate %v: Filter %d, ours yields nothing", taints, theirText(tols), gate, first)
		}
		return ""
	})
	found.within(t, "are not schedulable", 0.2, 0.8)
	decided.within(t, "are schedulable only with Lt and Gt", 0.03, 0.5)
}

func TestKubeGetMatchingTolerations_F1_M9(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		ours := helper.GetMatchingTolerations[any]
		if gate {
			ours = helper.GetMatchingTolerationsWithComparisonOperators[any]
		}
		var tolerated share
		conform(t, pure/2, func(g *gen) string {
			tols, taints := g.lists()
			if g.in(2) {
				tols = append(tols, corev1.Toleration{Key: "a", Operator: corev1.TolerationOpExists}, corev1.Toleration{Key: "b", Operator: corev1.TolerationOpExists})
			}
			all, want := corehelper.GetMatchingTolerations(quiet, taints, tols)
			tolerated.count(all)
			ok, got := ours(quiet, taints, tols)
			if ok != all || (got == nil) != (want == nil) || !slices.Equal(got, want) {
				return fmt.Sprintf("%+v, %v: Kubernetes %v %v, ours %v %v", taints, theirText(tols), all, theirText(want), ok, theirText(got))
			}
			return ""
		})
		tolerated.within(t, "are tolerated", 0.2, 0.8)
	})
}

// Kubernetes' function reads the gate of its process; the drop-in has a function for each.
func TestListed_M9_gate(t *testing.T) {
	taints := []corev1.Taint{{Key: "k", Value: "9", Effect: corev1.TaintEffectNoExecute}}
	tols := []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpGt, Value: "5"}}
	withGate(t, func(t *testing.T, gate bool) {
		theirs, _ := corehelper.GetMatchingTolerations(quiet, taints, tols)
		off, _ := helper.GetMatchingTolerations(quiet, taints, tols)
		on, _ := helper.GetMatchingTolerationsWithComparisonOperators(quiet, taints, tols)
		if theirs != gate || off || !on {
			t.Errorf("Kubernetes %v, ours %v and %v", theirs, off, on)
		}
	})
}

// differs returns the listed difference that prevents a match, or "".
func differs(tol *corev1.Toleration, tnt *corev1.Taint) string {
	switch {
	case tnt.Key == "":
		return "taint without a key"
	case tol.Key == "" && tol.Operator != corev1.TolerationOpExists:
		return "no key"
	case tol.Operator == corev1.TolerationOpExists && tol.Value != "":
		return "Exists with a value"
	}
	return ""
}
