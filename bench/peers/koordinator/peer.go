// Command koordinator runs Koordinator's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module = "github.com/koordinator-sh/koordinator"
	file   = "pkg/descheduler/utils/predicates.go"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Koordinator",
		Module: module,
		Swaps: []overlay.Swap{
			{File: file, Func: "TolerationsTolerateTaintsWithFilter", Body: `
	for i := range taints {
		if (applyFilter == nil || applyFilter(&taints[i])) && !helper.TolerationsTolerateTaint(0, tolerations, &taints[i], false) {
			return false
		}
	}
	return true`},
			{File: file, Func: "TolerationsEqual", Body: `
	return kube.EqualSetsUntimed(t1, t2)`},
			{File: file, Func: "TolerationsTolerateTaint"},
			{File: "pkg/util/reservation/reservation.go", Func: "RequiredReservationAffinity.FindMatchingUntoleratedTaint", Body: `
	if s == nil {
		return corev1.Taint{}, false
	}
	return helper.FindMatchingUntoleratedTaint(klog.Background(), taints, s.tolerations, inclusionFilter, false)`},
		},
		Packages: []string{module + "/pkg/descheduler/...", module + "/pkg/scheduler/plugins/reservation/...", module + "/pkg/scheduler/frameworkext/...", module + "/pkg/util/reservation/..."},
		Bugs:     map[string]string{"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which Koordinator takes for another."},
		Verdict:  "The same as for the descheduler, whose functions these are: `TolerationsEqual` is worth it, and the 38 lines of `uniqueSortTolerations`, which has a test of its own, are not counted. Lt and Gt stay off. The price is a dependency, and that structs that no API server accepts match less. Of pkg, the descheduler, the scheduler's framework and its plugin for reservations are run; test/e2e needs a cluster.",
	})
}
