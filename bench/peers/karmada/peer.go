// Command karmada runs Karmada's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const module = "github.com/karmada-io/karmada"

func main() {
	peer.Main(peer.Peer{
		Name:   "Karmada",
		Module: module,
		Swaps: []overlay.Swap{
			{File: "pkg/estimator/server/nodes/filter.go", Func: "IsTolerationMatched", Body: `
	return kube.FilterNode(node, tolerations).Schedulable()`},
			{File: "pkg/util/helper/taint.go", Func: "GetMatchingTolerations", Body: `
	return kubehelper.GetMatchingTolerations(klog.Background(), taints, tolerations)`},
			{File: "pkg/util/helper/taint.go", Func: "GetMinTolerationTimeWithCurrentTime", Body: `
	least := time.Duration(-1)
	for i := range noExecuteTaints {
		t := &noExecuteTaints[i]
		at, class := kube.Deciding(t, usedTolerations, toleration.Shortest)
		if class == match.NotTolerated {
			return 0
		}
		if class == match.ForSeconds && t.TimeAdded != nil {
			seconds := time.Duration(*usedTolerations[at].TolerationSeconds) * time.Second
			left := max(0, t.TimeAdded.Add(seconds).Sub(currentTime))
			if least < 0 || left < least {
				least = left
			}
		}
	}
	return least`},
			{Module: "k8s.io/component-helpers", File: "scheduling/corev1/helpers.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for _, t := range kube.Untolerated(taints, tolerations) {
		if inclusionFilter == nil || inclusionFilter(t) {
			return *t, true
		}
	}
	return v1.Taint{}, false`},
		},
		Imports: map[string]string{
			"klog":       "k8s.io/klog/v2",
			"kubehelper": "github.com/go-tolerate/tolerate/match/kube/helper",
			"match":      "github.com/go-tolerate/tolerate/match",
			"toleration": "github.com/go-tolerate/tolerate/toleration",
		},
		Suites: []overlay.Suite{
			{Package: module + "/pkg/controllers/cluster"},
			{Package: module + "/pkg/estimator/server"},
			{Package: module + "/pkg/estimator/server/framework/plugins/noderesource"},
			{Package: module + "/pkg/scheduler/framework/plugins/tainttoleration"},
			{Package: module + "/pkg/util/helper"},
		},
		Skipped:   "`FindMatchingUntoleratedTaint` is that of k8s.io/component-helpers, which Karmada's scheduler calls; a function of its own replaces it. test/e2e needs a cluster.",
		Hot:       "`IsTolerationMatched`, 2 taints, 4 tolerations",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkIsTolerationMatched"},
	})
}
