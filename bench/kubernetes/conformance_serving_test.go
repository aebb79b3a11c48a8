package kubernetes_test

import (
	"fmt"
	"testing"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	v1helper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/features"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/toleration"
)

// withGate runs f with the feature gate for numeric operators on and off. It
// changes the whole process, so f must not run in parallel with other tests.
func withGate(t *testing.T, f func(t *testing.T, gate bool)) {
	for _, gate := range []bool{true, false} {
		t.Run(fmt.Sprintf("gate=%v", gate), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, gate)
			f(t, gate)
		})
	}
}

func TestGetMatchingTolerations_E3(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		var tolerated share
		conform(t, pure/2, func(g *gen) string {
			theirs, theirTaints := g.lists()
			taints, tolerations := gated(theirTaints, theirs, gate)
			all, used := v1helper.GetMatchingTolerations(quiet, theirTaints, theirs)
			tolerated.count(all && len(used) > 0)
			for i, v := range taints {
				e := match.Explain(v, toleration.First, tolerations)
				if all && (e.Mismatch != 0 || theirs[e.At] != used[i]) {
					return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", theirText(theirs), theirTaints, used[i].String(), e)
				}
				if _, limited := e.Seconds(); all && limited != (used[i].TolerationSeconds != nil) { // F7
					return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", theirText(theirs), theirTaints, used[i].String(), e)
				}
			}
			every := true
			for e := range (match.Node{Taints: taints}).Explanations(toleration.First, tolerations) {
				every = every && e.Mismatch == 0
			}
			if every != all || (match.Node{Taints: taints}).Filter(tolerations).Preferred() != all {
				return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", theirText(theirs), theirTaints, all, every)
			}
			return ""
		})
		tolerated.within(t, "are tolerated", 0.05, 0.6)
	})
}
