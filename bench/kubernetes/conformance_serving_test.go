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
			class := match.Forever
			for i, v := range taints {
				e := match.Explain(v, toleration.First, tolerations)
				ok := e.Class() != match.NotTolerated
				if all && (!ok || theirs[e.At.Index] != used[i]) {
					return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", theirText(theirs), theirTaints, used[i].String(), e)
				}
				if !ok {
					class = match.NotTolerated
				}
				if all && used[i].TolerationSeconds != nil {
					class = min(class, match.ForSeconds)
				}
			}
			// F7: this compares whether all taints are tolerated, and whether only for
			// a time.
			got := match.Forever
			for e := range (match.Node{Taints: taints}).Explanations(toleration.First, tolerations) {
				got = min(got, e.Class())
			}
			if got != class || match.Filter(taints, tolerations).Preferred() != all {
				return fmt.Sprintf("%v on %v: Kubernetes %v, ours %v", theirText(theirs), theirTaints, all, got)
			}
			return ""
		})
		tolerated.within(t, "are tolerated", 0.05, 0.6)
	})
}
