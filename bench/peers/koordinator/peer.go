// Command koordinator runs Koordinator's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const module = "github.com/koordinator-sh/koordinator"

func main() {
	peer.Main(peer.Peer{
		Name:   "Koordinator",
		Module: module,
		Swaps: []overlay.Swap{
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaintsWithFilter", Body: `
	_, found := helper.FindMatchingUntoleratedTaint(klog.Background(), taints, tolerations, applyFilter, false)
	return !found`},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsEqual", Body: `
	return kube.EqualSetsUntimed(t1, t2)`},
			{File: "pkg/util/reservation/reservation.go", Func: "RequiredReservationAffinity.FindMatchingUntoleratedTaint", Body: `
	if s == nil {
		return corev1.Taint{}, false
	}
	return helper.FindMatchingUntoleratedTaint(klog.Background(), taints, s.tolerations, inclusionFilter, false)`},
		},
		Dead:    []overlay.Swap{{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaint"}},
		Imports: map[string]string{"helper": "github.com/go-tolerate/tolerate/match/kube/helper"},
		Suites: []overlay.Suite{
			{Package: module + "/pkg/descheduler/evictions"},
			{Package: module + "/pkg/descheduler/framework/plugins/custompriority"},
			{Package: module + "/pkg/descheduler/framework/plugins/loadaware"},
			{Package: module + "/pkg/descheduler/node"},
			{Package: module + "/pkg/descheduler/utils"},
			{Package: module + "/pkg/scheduler/plugins/reservation"},
		},
		Skipped:   "test/e2e needs a cluster.",
		Hot:       "`RequiredReservationAffinity.FindMatchingUntoleratedTaint`, 2 taints, 4 tolerations",
		Benchmark: overlay.Suite{Package: ".", Run: "BenchmarkFindMatchingUntoleratedTaint"},
	})
}
