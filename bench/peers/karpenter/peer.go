// Command karpenter runs Karpenter's tests with match/kube: see bench/peers.
package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

const (
	module = "sigs.k8s.io/karpenter"
	file   = "pkg/scheduling/taints.go"
)

func main() {
	peer.Main(peer.Peer{
		Name:   "Karpenter",
		Module: module,
		Swaps: []overlay.Swap{
			{File: file, Func: "IsKnownEphemeralTaint", Body: `
	return taint != nil && (kube.Find(KnownEphemeralTaints, taint) >= 0 ||
		slices.ContainsFunc(KnownEphemeralTaintKeyPrefixes, func(p string) bool { return strings.HasPrefix(taint.Key, p) }))`},
			{File: file, Func: "Taints.Tolerates", Body: `
	for i := range ts {
		if kube.Match(&ts[i], tolerations) < 0 {
			errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", pretty.Taint(ts[i])))
		}
	}
	return errs`},
			{File: file, Func: "Taints.Merge", Body: `
	merged, _ := kube.Merge(ts, with...)
	return merged`},
			{File: "pkg/utils/pod/scheduling.go", Func: "ToleratesDisruptedNoScheduleTaint", Body: `
	return kube.Match(&v1.DisruptedNoScheduleTaint, pod.Spec.Tolerations) >= 0`},
			{File: "pkg/controllers/nodeclaim/lifecycle/initialization.go", Func: "StartupTaintsRemoved", Body: `
	if nodeClaim != nil {
		for i := range nodeClaim.Spec.StartupTaints {
			if j := kube.Find(node.Spec.Taints, &nodeClaim.Spec.StartupTaints[i]); j >= 0 {
				return &node.Spec.Taints[j], false
			}
		}
	}
	return nil, true`},
		},
		Imports: map[string]string{"slices": "slices"},
		Packages: []string{
			module + "/pkg/scheduling", module + "/pkg/utils/pod", module + "/pkg/controllers/provisioning/scheduling",
			module + "/pkg/controllers/nodeclaim/lifecycle", module + "/pkg/controllers/node/termination/terminator",
		},
		Envtest: true,
		Bugs:    map[string]string{"Taints.Merge": "without any taint it returns the list itself, which can be nil; Karpenter's is empty and not nil."},
		Verdict: "To merge pays. Five functions become a third as long, and `ToleratesDisruptedNoScheduleTaint`, which runs for each pod that is evicted or drained, no longer makes an error that it drops. `Taints.Tolerates` gains least where a taint is untolerated, since its error costs more than the comparison. The price is a dependency, and that structs that no API server accepts match less. The edits of taints inside longer functions, such as `RequireNoScheduleTaint`, stay. Not run: pkg/controllers/state, where no test calls them, and the packages that reach them through the scheduler only, such as pkg/controllers/disruption, since they take long.",
	})
}
