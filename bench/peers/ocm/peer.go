// Command ocm runs Open Cluster Management's tests with match/kube: see
// bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const file = "pkg/placement/plugins/tainttoleration/taint_toleration.go"

func main() {
	peer.Main(peer.Peer{
		Name:   "Open Cluster Management",
		Module: "open-cluster-management.io/ocm",
		Swaps: []overlay.Swap{{File: file, Func: "isClusterTolerated", Body: `
	var next *plugins.PluginRequeueResult
	t := corev1.Taint{Effect: corev1.TaintEffectNoSchedule} // clusters have their own effects
	for i := range cluster.Spec.Taints {
		taint := &cluster.Spec.Taints[i]
		if taint.Effect == clusterapiv1.TaintEffectPreferNoSelect || inDecision && taint.Effect == clusterapiv1.TaintEffectNoSelectIfNew {
			continue
		}
		t.Key, t.Value = taint.Key, taint.Value
		tolerated, requeue := false, (*plugins.PluginRequeueResult)(nil)
		for j := 0; j < len(tolerations) && !tolerated; j++ {
			toleration := &tolerations[j]
			if toleration.Key != "" && toleration.Key != t.Key || toleration.Effect != "" && toleration.Effect != taint.Effect ||
				!kube.Tolerates(&corev1.Toleration{Key: toleration.Key, Operator: corev1.TolerationOperator(toleration.Operator), Value: toleration.Value}, &t) {
				continue
			}
			if tolerated = toleration.TolerationSeconds == nil; !tolerated {
				tolerated, requeue, _ = isTolerationTimeExpired(*taint, *toleration)
				next = minRequeueTime(next, requeue)
			}
		}
		if !tolerated {
			return false, nil, ""
		}
	}
	return true, next, ""`}},
		Dead:    []overlay.Swap{{File: file, Func: "isTaintTolerated"}, {File: file, Func: "isTolerated"}},
		Imports: map[string]string{"corev1": "k8s.io/api/core/v1"},
		Suites: []overlay.Suite{
			{Package: "open-cluster-management.io/ocm/pkg/placement/plugins/tainttoleration"},
			{Package: "open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"},
		},
		Skipped:   "The integration tests need a cluster.",
		Hot:       "`TaintToleration.Filter`, 1,000 clusters",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkFilter"},
	})
}
