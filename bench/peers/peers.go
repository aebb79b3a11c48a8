package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// peers are the projects by their folders, and what takes the place of their matching code.
var peers = map[string]peer.Peer{
	"armada": {
		Name:   "Armada",
		Module: "github.com/armadaproject/armada",
		Swaps: []overlay.Swap{{File: "internal/scheduler/kubernetesobjects/taint/taint.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for i := range taints {
		tolerated := func(list []v1.Toleration) bool { return helper.TolerationsTolerateTaint(0, list, &taints[i], false) }
		if !slices.ContainsFunc(tolerations, tolerated) {
			return DeepCopyTaint(&taints[i]), true
		}
	}
	return v1.Taint{}, false`}},
		Inside:   "internal/scheduler/kubernetesobjects/taint",
		Packages: []string{"internal/scheduler/kubernetesobjects/taint", "internal/scheduler/internaltypes", "internal/scheduler/nodedb", "internal/scheduler/scheduling"},
		Verdict:  "**Not for this alone.** One function becomes half as long, and a little faster. Lt and Gt stay off, as in the k8s.io/api that Armada uses.",
	},
	"clusterapi": {
		Name:   "Cluster API",
		Module: "sigs.k8s.io/cluster-api",
		Swaps: []overlay.Swap{
			{File: "internal/util/taints/taints.go", Func: "RemoveNodeTaint", Body: `
	if len(node.Spec.Taints) == 0 {
		node.Spec.Taints = []corev1.Taint{}
		return false
	}
	taints, removed := kube.Remove(node.Spec.Taints, drop)
	node.Spec.Taints = taints
	return removed`},
			{File: "internal/util/taints/taints.go", Func: "HasTaint", Body: `
	return kube.Find(taints, targetTaint) >= 0`},
			{File: "core/reconcilers/machine/machine_controller_noderef.go", Func: "ensureNodeTaintWithValue", Body: `
	switch i := kube.Find(node.Spec.Taints, taint); {
	case i < 0:
		node.Spec.Taints = append(node.Spec.Taints, taint)
	case node.Spec.Taints[i].Value != taint.Value:
		node.Spec.Taints[i] = taint
	default:
		return false
	}
	return true`},
		},
		Inside:   "core/reconcilers/machine",
		Packages: []string{"internal/util/taints", "core/reconcilers/machine", "core/reconcilers/machinepool", "controlplane/kubeadm/pkg", "bootstrap/kubeadm/reconcilers/kubeadmconfig"},
		Envtest:  true,
		Verdict:  "**Perhaps.** Three functions become shorter, and a list that does not change is not copied. Nobody notices the time: a node is edited a few times in its life. Which taints a Machine owns is in an annotation, whose code stays.",
	},
	"descheduler": {
		Name:   "descheduler",
		Module: "sigs.k8s.io/descheduler",
		Swaps: []overlay.Swap{
			{File: "pkg/utils/predicates.go", Func: "TolerationsTolerateTaint", Body: `
	return kube.Match(taint, tolerations) >= 0`},
			{File: "pkg/utils/predicates.go", Func: "TolerationsTolerateTaintsWithFilter", Body: `
	for i := range taints {
		if (applyFilter == nil || applyFilter(&taints[i])) && kube.Match(&taints[i], tolerations) < 0 {
			return false
		}
	}
	return true`},
			{File: "pkg/utils/predicates.go", Func: "TolerationsEqual", Body: `return kube.EqualSetsUntimed(t1, t2)`},
		},
		Packages: []string{"pkg/..."},
		Bugs:     map[string]string{"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which the descheduler takes for another."},
		Verdict:  "**Merge it for `TolerationsEqual`**, which RemoveDuplicates calls for pairs of pods: it no longer copies and sorts both lists. `uniqueSortTolerations` can go as well; its 38 lines are not counted, since it has a test of its own. Matching gets a little faster, in as many lines.",
	},
	"karmada": {
		Name:   "Karmada",
		Module: "github.com/karmada-io/karmada",
		Swaps: []overlay.Swap{
			{File: "pkg/estimator/server/nodes/filter.go", Func: "IsTolerationMatched", Body: `
	return kube.SchedulableNode(node, kube.WithoutNumeric(tolerations))`},
			{File: "pkg/util/helper/taint.go", Func: "TaintExists", Body: `return kube.Find(taints, *taintToFind) >= 0`},
			{File: "pkg/util/helper/taint.go", Func: "SetCurrentClusterTaints", Body: `
	taints := cluster.Spec.Taints
	for _, t := range taintsToRemove {
		taints, _ = kube.Remove(taints, *t)
	}
	for _, t := range taintsToAdd {
		if kube.Find(cluster.Spec.Taints, *t) < 0 {
			now := metav1.Now()
			taints = append(slices.Clip(taints), corev1.Taint{Key: t.Key, Value: t.Value, Effect: t.Effect, TimeAdded: &now})
		}
	}
	return taints`},
		},
		Packages: []string{"pkg/controllers/cluster/...", "pkg/estimator/server/...", "pkg/util/helper"},
		Verdict:  "**Merge it.** Most of the code that edits taints goes, and estimates check nodes faster. Lt and Gt stay off, as in the k8s.io/api that Karmada uses. `GetMatchingTolerations` stays, since that of match/kube/helper is slower where a taint is untolerated, and so does `GetMinTolerationTimeWithCurrentTime`.",
	},
	"karpenter": {
		Name:   "Karpenter",
		Module: "sigs.k8s.io/karpenter",
		Swaps: []overlay.Swap{
			{File: "pkg/scheduling/taints.go", Func: "IsKnownEphemeralTaint", Body: `
	return taint != nil && (kube.Find(KnownEphemeralTaints, *taint) >= 0 ||
		slices.ContainsFunc(KnownEphemeralTaintKeyPrefixes, func(p string) bool { return strings.HasPrefix(taint.Key, p) }))`},
			{File: "pkg/scheduling/taints.go", Func: "Taints.Tolerates", Body: `
	for i := range ts {
		if kube.Match(&ts[i], tolerations) < 0 {
			errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", pretty.Taint(ts[i])))
		}
	}
	return errs`},
			{File: "pkg/scheduling/taints.go", Func: "Taints.Merge", Body: `
	merged, _ := kube.Merge(ts, with...)
	return merged`},
			{File: "pkg/utils/pod/scheduling.go", Func: "ToleratesDisruptedNoScheduleTaint", Body: `
	return kube.Match(&v1.DisruptedNoScheduleTaint, pod.Spec.Tolerations) >= 0`},
			{File: "pkg/controllers/nodeclaim/lifecycle/initialization.go", Func: "StartupTaintsRemoved", Body: `
	if nodeClaim != nil {
		for i := range nodeClaim.Spec.StartupTaints {
			if j := kube.Find(node.Spec.Taints, nodeClaim.Spec.StartupTaints[i]); j >= 0 {
				return &node.Spec.Taints[j], false
			}
		}
	}
	return nil, true`},
		},
		Packages: []string{
			"pkg/scheduling", "pkg/utils/pod", "pkg/controllers/provisioning/scheduling",
			"pkg/controllers/nodeclaim/lifecycle", "pkg/controllers/node/termination/terminator",
		},
		Envtest: true,
		Bugs:    map[string]string{"Taints.Merge": "without any taint it returns the list itself, which can be nil; Karpenter's is empty and not nil."},
		Verdict: "**Merge it.** Five functions lose more than half of their lines. `ToleratesDisruptedNoScheduleTaint`, which runs for each pod that is evicted or drained, no longer makes an error that it drops. `IsKnownEphemeralTaint`, and `Taints.Merge` of nothing, become a little slower. The edits of taints inside longer functions, such as `RequireNoScheduleTaint`, stay. Not run: pkg/controllers/state, where no test calls them, and packages that reach them through the scheduler only, such as pkg/controllers/disruption, since they take long.",
	},
	"koordinator": {
		Name:   "Koordinator",
		Module: "github.com/koordinator-sh/koordinator",
		Swaps: []overlay.Swap{
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaintsWithFilter", Body: `
	for i := range taints {
		if (applyFilter == nil || applyFilter(&taints[i])) && !helper.TolerationsTolerateTaint(0, tolerations, &taints[i], false) {
			return false
		}
	}
	return true`},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsEqual", Body: `
	return kube.EqualSetsUntimed(t1, t2)`},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaint"},
			{File: "pkg/util/reservation/reservation.go", Func: "RequiredReservationAffinity.FindMatchingUntoleratedTaint", Body: `
	if s == nil {
		return corev1.Taint{}, false
	}
	return helper.FindMatchingUntoleratedTaint(klog.Background(), taints, s.tolerations, inclusionFilter, false)`},
		},
		Packages: []string{"pkg/descheduler/...", "pkg/scheduler/plugins/reservation/...", "pkg/scheduler/frameworkext/...", "pkg/util/reservation/..."},
		Bugs:     map[string]string{"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which Koordinator takes for another."},
		Verdict:  "**Merge it for `TolerationsEqual`**, as in the descheduler, whose functions these are; here, too, 38 lines of `uniqueSortTolerations` are not counted. Lt and Gt stay off.",
	},
	"kueue": {
		Name:   "Kueue",
		Module: "sigs.k8s.io/kueue",
		Swaps: []overlay.Swap{
			{Module: "k8s.io/component-helpers", File: "scheduling/corev1/helpers.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for i := range taints {
		if (inclusionFilter == nil || inclusionFilter(&taints[i])) && !helper.TolerationsTolerateTaint(0, tolerations, &taints[i], false) {
			return taints[i], true
		}
	}
	return v1.Taint{}, false`},
			{Module: "k8s.io/component-helpers", File: "scheduling/corev1/helpers.go", Func: "getFilteredTaints"},
		},
		Packages: []string{"pkg/cache/scheduler/...", "pkg/scheduler/..."},
		Verdict:  "**There is nothing to merge.** Kueue has no matching code of its own, and calls k8s.io/component-helpers; the deleted lines are those of that module. It would change an import and add an argument. The calls become faster, since the taints are not copied. Later versions wait for `tolerationSeconds` with code of their own, which is not compared here.",
	},
	"ocm": {
		Name:   "Open Cluster Management",
		Module: "open-cluster-management.io/ocm",
		Swaps: []overlay.Swap{{File: "pkg/placement/plugins/tainttoleration/taint_toleration.go", Func: "isTolerated", Body: `
	if toleration.Effect != "" && toleration.Effect != taint.Effect || toleration.Key != "" && toleration.Key != taint.Key {
		return false, nil, ""
	}
	u := corev1.Toleration{Key: toleration.Key, Operator: corev1.TolerationOperator(toleration.Operator), Value: toleration.Value}
	t := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffectNoSchedule} // clusters have effects of their own
	if !kube.Tolerates(&u, &t) {
		return false, nil, ""
	}
	return isTolerationTimeExpired(taint, toleration)`}},
		Imports:  map[string]string{"corev1": "k8s.io/api/core/v1"},
		Inside:   "pkg/placement/plugins/tainttoleration",
		Packages: []string{"pkg/placement/plugins/...", "pkg/placement/controllers/scheduling/..."},
		Bugs:     map[string]string{"isTolerated": "Lt and Gt, which the placement's API rejects, match."},
		Slower:   true,
		Verdict:  "**Do not merge it.** A cluster has effects of its own, so each comparison first makes structs of Kubernetes' API, and takes longer. pkg/placement/controllers is not run, since its tests read files that the module does not have.",
	},
}
