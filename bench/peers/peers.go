package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

// spread is the descheduler's file about topology spread constraints.
const spread = "pkg/framework/plugins/removepodsviolatingtopologyspreadconstraint/topologyspreadconstraint.go"

// peers are the projects by their folders, and what takes the place of their matching code.
var peers = map[string]peer.Peer{
	"armada": {
		Name:   "Armada",
		Module: "github.com/armadaproject/armada",
		Swaps: []overlay.Swap{{File: "internal/scheduler/kubernetesobjects/taint/taint.go", Func: "FindMatchingUntoleratedTaint", Body: `
	for i := range taints {
		if !slices.ContainsFunc(tolerations, func(list []v1.Toleration) bool { return kube.Match(&taints[i], list) >= 0 }) {
			return DeepCopyTaint(&taints[i]), true
		}
	}
	return v1.Taint{}, false`}},
		Inside:   "internal/scheduler/kubernetesobjects/taint",
		Packages: []string{"internal/scheduler/kubernetesobjects/taint", "internal/scheduler/internaltypes", "internal/scheduler/nodedb", "internal/scheduler/scheduling"},
		Bugs:     map[string]string{"FindMatchingUntoleratedTaint": "Lt and Gt match, which the k8s.io/api that Armada uses does not know."},
		Verdict:  "**Not for this alone.** One function becomes shorter, and a little faster. It gets several lists; a caller with one list for each pod (`slices.Concat`) could use `kube.Untolerated` alone.",
	},
	"clusterapi": {
		Name:   "Cluster API",
		Module: "sigs.k8s.io/cluster-api",
		Swaps: []overlay.Swap{
			{File: "internal/util/taints/taints.go", Func: "RemoveNodeTaint", Body: `
	if node.Spec.Taints == nil {
		node.Spec.Taints = []corev1.Taint{}
	}
	taints, removed := kube.Remove(node.Spec.Taints, drop)
	node.Spec.Taints = taints
	return removed`},
			{File: "internal/util/taints/taints.go", Func: "HasTaint", Body: `
	return kube.Find(taints, targetTaint) >= 0`},
			{File: "core/reconcilers/machine/machine_controller_noderef.go", Func: "ensureNodeTaintWithValue", Body: `
	taints, changed := kube.Put(node.Spec.Taints, taint)
	node.Spec.Taints = taints
	return changed`},
		},
		Inside:   "core/reconcilers/machine",
		Packages: []string{"internal/util/taints", "core/reconcilers/machine", "core/reconcilers/machinepool", "controlplane/kubeadm/pkg", "bootstrap/kubeadm/reconcilers/kubeadmconfig"},
		Envtest:  true,
		Bugs: map[string]string{
			"ensureNodeTaintWithValue": "if the value changes, the node's `timeAdded` stays; Cluster API erases it.",
		},
		Slower:  true,
		Verdict: "**Perhaps.** Three functions become shorter, and a list that does not change is not copied. Some calls take a few nanoseconds longer, which nobody notices: a node is edited a few times in its life. Which taints a Machine owns is in an annotation, whose code stays.",
	},
	"descheduler": {
		Name:   "descheduler",
		Module: "sigs.k8s.io/descheduler",
		Swaps: []overlay.Swap{
			{File: "pkg/utils/predicates.go", Func: "TolerationsTolerateTaint", Body: `
	return kube.Match(taint, tolerations) >= 0`},
			{File: "pkg/utils/pod.go", Func: "PodToleratesTaints", Lines: [2]int{153, 153}, Body: `
			if kube.Tolerated(taintsForNode, pod.Spec.Tolerations) {`},
			{File: "pkg/descheduler/node/node.go", Func: "NodeFit", Lines: [2]int{148, 150}, Body: `
	ok := kube.Schedulable(node.Spec.Taints, pod.Spec.Tolerations)`},
			{File: "pkg/framework/plugins/removeduplicates/removeduplicates.go", Func: "getTargetNodes", Lines: [2]int{268, 270}, Body: `
			if !kube.Schedulable(node.Spec.Taints, pod.Spec.Tolerations) {`},
			{File: spread, Func: "matchNodeInclusionPolicies", Lines: [2]int{505, 513}, Body: `
	return tsc.NodeTaintsPolicy != v1.NodeInclusionPolicyHonor || kube.Schedulable(node.Spec.Taints, tsc.PodTolerations)`},
			{File: spread, Func: "doNotScheduleTaintsFilterFunc"},
			{File: "pkg/utils/predicates.go", Func: "TolerationsEqual", Body: `return kube.SameTolerations(t1, t2)`},
		},
		Packages: []string{"pkg/..."},
		Bugs:     map[string]string{"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which the descheduler takes for another."},
		Verdict:  "**Merge it.** Three places that ask whether a pod can be scheduled become one call, without a filter function, and the one for topology spread no longer copies the taints. `TolerationsEqual`, which RemoveDuplicates calls for pairs of pods, no longer copies and sorts both lists. `uniqueSortTolerations` can go as well; its 38 lines are not counted, since it has a test of its own. `TolerationsTolerateTaintsWithFilter` stays for one plugin with filters of its own.",
	},
	"karmada": {
		Name:   "Karmada",
		Module: "github.com/karmada-io/karmada",
		Swaps: []overlay.Swap{
			{File: "pkg/estimator/server/nodes/filter.go", Func: "IsTolerationMatched", Body: `
	return kube.SchedulableNode(node, kube.WithoutNumeric(tolerations))`},
			{File: "pkg/estimator/server/nodes/filter.go", Func: "DoNotScheduleTaintsFilterFunc"},
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
	for _, t := range kube.Untolerated(ts, tolerations) {
		errs = multierr.Append(errs, serrors.Wrap(fmt.Errorf("did not tolerate taint"), "taint", pretty.Taint(t)))
	}
	return errs`},
			{File: "pkg/scheduling/taints.go", Func: "Taints.Merge", Body: `
	merged, _ := kube.AddMissing(ts, with...)
	return merged`},
			{File: "pkg/utils/pod/scheduling.go", Func: "ToleratesDisruptedNoScheduleTaint", Body: `
	return kube.Match(&v1.DisruptedNoScheduleTaint, pod.Spec.Tolerations) >= 0`},
			{File: "pkg/controllers/provisioning/scheduling/topologynodefilter.go", Func: "TopologyNodeFilter.Matches", Lines: [2]int{75, 77}, Body: `
		matchesTaints = kube.Tolerated(taints, t.Tolerations)`},
			{File: "pkg/controllers/provisioning/scheduling/topologydomaingroup.go", Func: "TopologyDomainGroup.ForEachDomain", Lines: [2]int{66, 66}, Body: `
			if kube.Tolerated(taints, pod.Spec.Tolerations) {`},
			{File: "pkg/controllers/provisioning/scheduling/scheduler.go", Func: "Scheduler.isDaemonPodCompatibleWithNode", Lines: [2]int{825, 825}, Body: `
	if !kube.Tolerated(taints, p.Spec.Tolerations) {`},
			{File: "pkg/controllers/provisioning/scheduling/scheduler.go", Func: "isDaemonPodCompatible", Lines: [2]int{1024, 1024}, Body: `
	if !kube.Tolerated(nodeClaimTemplate.Spec.Taints, pod.Spec.Tolerations) {`},
			{File: "pkg/controllers/provisioning/controller.go", Func: "NodeController.Reconcile", Lines: [2]int{114, 116}, Body: `
	if kube.Find(n.Spec.Taints, v1.DisruptedNoScheduleTaint) < 0 {`},
			{File: "pkg/controllers/nodeclaim/lifecycle/initialization.go", Func: "StartupTaintsRemoved", Body: `
	if nodeClaim != nil {
		if i := kube.FindOneOf(node.Spec.Taints, nodeClaim.Spec.StartupTaints...); i >= 0 {
			return &node.Spec.Taints[i], false
		}
	}
	return nil, true`},
			{File: "pkg/controllers/nodeclaim/lifecycle/registration.go", Func: "Registration.Reconcile", Lines: [2]int{77, 79}, Body: `
	hasStartupTaint := kube.Find(node.Spec.Taints, v1.UnregisteredNoExecuteTaint) >= 0`},
			{File: "pkg/controllers/nodeclaim/lifecycle/registration.go", Func: "Registration.Reconcile", Lines: [2]int{99, 101}, Body: `
		node.Spec.Taints, _ = kube.Remove(node.Spec.Taints, v1.UnregisteredNoExecuteTaint)`},
			{File: "pkg/controllers/node/termination/terminator/terminator.go", Func: "Terminator.Taint", Lines: [2]int{57, 66}, Body: `
	node.Spec.Taints, _ = kube.ReplaceKey(node.Spec.Taints, taint)`},
			{File: "pkg/controllers/state/statenode.go", Func: "StateNode.Taints", Lines: [2]int{327, 335}, Body: `
			return scheduling.IsKnownEphemeralTaint(&taint) || kube.Find(in.NodeClaim.Spec.StartupTaints, taint) >= 0`},
			{File: "pkg/controllers/state/statenode.go", Func: "RequireNoScheduleTaint", Lines: [2]int{527, 529}, Body: `
			hasTaint := kube.Find(node.Spec.Taints, v1.DisruptedNoScheduleTaint) >= 0`},
			{File: "pkg/controllers/state/statenode.go", Func: "RequireNoScheduleTaint", Lines: [2]int{538, 549}, Body: `
			if addTaint {
				node.Spec.Taints, _ = kube.AddMissing(node.Spec.Taints, v1.DisruptedNoScheduleTaint)
			} else {
				node.Spec.Taints, _ = kube.Remove(node.Spec.Taints, v1.DisruptedNoScheduleTaint)
			}`},
		},
		Packages: []string{
			"pkg/scheduling", "pkg/utils/pod", "pkg/controllers/provisioning/scheduling",
			"pkg/controllers/nodeclaim/lifecycle", "pkg/controllers/node/termination/terminator", "pkg/controllers/state", "pkg/controllers/provisioning",
		},
		Envtest: true,
		Bugs: map[string]string{
			"StartupTaintsRemoved": "of several startup taints it returns the node's first one, not the NodeClaim's; it stands in a message only.",
			"Taints.Merge":         "without any taint it returns the list itself, which can be nil; Karpenter's is empty and not nil.",
		},
		Slower:  true,
		Verdict: "**Merge it.** Functions lose half of their lines or more, and edits inside longer functions become one line each. Callers that want yes or no, such as `TopologyNodeFilter.Matches` and `ToleratesDisruptedNoScheduleTaint`, no longer make an error that they drop. `Terminator.Taint` and `RequireNoScheduleTaint` are measured whole, with a client that does nothing. Without taints, `Taints.Merge` and `Taints.Tolerates` take a few nanoseconds longer. `toleratePreferNoScheduleTaints` stays: `slices.ContainsFunc` shortens it as much as a function of ours would. Not run: packages that call the scheduler or `RequireNoScheduleTaint` only through others, such as pkg/controllers/disruption, since they take long.",
	},
	"koordinator": {
		Name:   "Koordinator",
		Module: "github.com/koordinator-sh/koordinator",
		Swaps: []overlay.Swap{
			{File: "pkg/descheduler/node/node.go", Func: "NodeFit", Lines: [2]int{119, 121}, Body: `
	ok := kube.Schedulable(node.Spec.Taints, kube.WithoutNumeric(pod.Spec.Tolerations))`},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaintsWithFilter"},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsEqual", Body: `
	return kube.SameTolerations(t1, t2)`},
			{File: "pkg/descheduler/utils/predicates.go", Func: "TolerationsTolerateTaint"},
			{File: "pkg/util/reservation/reservation.go", Func: "RequiredReservationAffinity.FindMatchingUntoleratedTaint", Body: `
	if s == nil {
		return corev1.Taint{}, false
	}
	return helper.FindMatchingUntoleratedTaint(klog.Background(), taints, s.tolerations, inclusionFilter, false)`},
		},
		Packages: []string{"pkg/descheduler/...", "pkg/scheduler/plugins/reservation/...", "pkg/scheduler/frameworkext/...", "pkg/util/reservation/..."},
		Bugs: map[string]string{
			"TolerationsEqual": "a toleration without an operator is equal to the same one with Equal, which Koordinator takes for another.",
			"RequiredReservationAffinity.FindMatchingUntoleratedTaint": "its tolerations are in an annotation, which nothing validates. There, `{}`, Equal without a key and Exists with a value match today; after the swap they match nothing.",
		},
		Slower:  true,
		Verdict: "**Merge it in the descheduler package**, whose functions are those of the descheduler: `NodeFit` makes one call, and two functions go. For nodes without taints it takes 3 ns longer, since Lt and Gt are looked for first. Here, too, 38 lines of `uniqueSortTolerations` are not counted. Lt and Gt stay off. Leave `RequiredReservationAffinity` as it is: its code becomes no shorter, and users would notice the other results.",
	},
	"kueue": {
		Name:   "Kueue",
		Module: "sigs.k8s.io/kueue",
		Swaps: []overlay.Swap{
			{File: "pkg/cache/scheduler/tas_flavor_snapshot.go", Func: "TASFlavorSnapshot.findTopologyAssignment", Lines: [2]int{744, 744}, Body: `
		kube.WithoutNumeric(append(podSetTolerations, s.tolerations...)),`},
			{File: "pkg/cache/scheduler/tas_flavor_snapshot.go", Func: "TASFlavorSnapshot.fillInCounts", Lines: [2]int{1333, 1336}, Body: `
			taint, untolerated := kube.Blocking(leaf.node, tolerations)`},
			{File: "pkg/scheduler/flavorassigner/flavorassigner.go", Func: "FlavorAssigner.checkFlavorForPodSets", Lines: [2]int{861, 863}, Body: `
		taint, untolerated := kube.Blocking(&corev1.Node{Spec: corev1.NodeSpec{Taints: flavor.Spec.NodeTaints}}, kube.WithoutNumeric(append(podSpec.Tolerations, flavor.Spec.Tolerations...)))`},
		},
		Packages: []string{"pkg/cache/scheduler/...", "pkg/scheduler/..."},
		Verdict:  "**Perhaps.** Kueue has no matching code of its own: it calls k8s.io/component-helpers with a filter. `kube.Blocking` needs none, and copies no taints, which matters where each node of a topology is checked. Lt and Gt stay off. Later versions wait for `tolerationSeconds` with code of their own, which is not compared here.",
	},
	"mcm": {
		Name:   "machine-controller-manager",
		Module: "github.com/gardener/machine-controller-manager",
		Swaps: []overlay.Swap{
			{File: "pkg/util/provider/machinecontroller/machine_util.go", Func: "SyncMachineTaints", Body: `
	template := machine.Spec.NodeTemplateSpec.Spec.Taints
	taints, changed := kube.Propagate(node.Spec.Taints, lastAppliedTaints, template)
	node.Spec.Taints = taints
	return changed || slices.ContainsFunc(lastAppliedTaints, func(t v1.Taint) bool { // then the annotation is out of date
		return kube.Find(template, t) < 0
	})`},
			{File: "pkg/util/provider/machinecontroller/machine_util.go", Func: "criticalComponentsNotReadyTaintPresent", Body: `
	return kube.Find(node.Spec.Taints, v1.Taint{Key: machineutils.TaintNodeCriticalComponentsNotReady, Effect: v1.TaintEffectNoSchedule}) >= 0`},
			{File: "pkg/util/taints/taints.go", Func: "AddOrUpdateTaint", Body: `
	newNode := node.DeepCopy()
	taints, changed := kube.Put(newNode.Spec.Taints, *taint)
	newNode.Spec.Taints = taints
	return newNode, changed, nil`},
			{File: "pkg/util/taints/taints.go", Func: "RemoveTaint", Body: `
	newNode := node.DeepCopy()
	taints, removed := kube.Remove(newNode.Spec.Taints, *taint)
	newNode.Spec.Taints = taints
	return newNode, removed, nil`},
			{File: "pkg/util/taints/taints.go", Func: "TaintExists", Body: `
	return kube.Find(taints, *taintToFind) >= 0`},
		},
		Inside:   "pkg/util/provider/machinecontroller",
		Packages: []string{"..."},
		Slower:   true,
		Verdict:  "**Merge it.** `SyncMachineTaints` no longer builds maps, and the node's taints stay in their order, which is random today. It also returns true if the last template, which an annotation of the node has, contains a taint that the new one does not. Only then is the annotation replaced: with `changed` alone an old one would stay, and a later sync would remove a taint that an administrator has added since. A taint of the node keeps its `timeAdded` if the template has none, also in `AddOrUpdateTaint`; today it is erased. Two requirements are added, the go directive rises from 1.23 to 1.25, and nothing else changes in go.mod. The type `taintKeyEffect` can go as well; its 4 lines are not counted. Without taints, some calls take a nanosecond longer. `AddOrUpdateTaint` and `RemoveTaint` are measured with the copy of the node that they make, which takes most of the time. Of six deliberate mistakes in `Propagate`, these tests find four, and with `changed` alone they pass; the random inputs find the other two, the first of repeated taints and a lost time.",
	},
	"nfd": {
		Name:   "node-feature-discovery",
		Module: "sigs.k8s.io/node-feature-discovery",
		Swaps: []overlay.Swap{{File: "pkg/nfd-master/nfd-master.go", Func: "nfdMaster.setTaints", Lines: [2]int{867, 902}, Body: `
	last, err := taint.ParseList(node.Annotations[nfdv1alpha1.NodeTaintsAnnotation])
	if err != nil {
		return err
	}
	newNode := node.DeepCopy()
	newTaints, taintsUpdated := kube.Propagate(node.Spec.Taints, kube.CoreTaints(last), taints)
	newNode.Spec.Taints = newTaints`}},
		Inside:   "pkg/nfd-master",
		Packages: []string{"cmd/...", "pkg/...", "source", "source/cpu", "source/custom/...", "source/kernel", "source/local", "source/memory", "source/network", "source/storage", "source/system", "source/usb"},
		Verdict:  "**Merge it.** `setTaints` reads the taints that it set before from an annotation, makes the node's those of its rules, and stores them. What the two loops did is one call, and the node is copied once, not once for each taint. A taint of the node keeps its `timeAdded`, which is erased today; a message at log level 1 goes. The measurement has the whole function, with a client that does nothing. Two requirements are added, and no other changes. The tests call `setTaints` without taints only, so the random inputs are the proof. Not run: test/e2e, which needs a cluster, and source/pci, whose tests read files that the module does not have.",
	},
	"ocm": {
		Name:   "Open Cluster Management",
		Module: "open-cluster-management.io/ocm",
		Swaps: []overlay.Swap{{File: "pkg/placement/plugins/tainttoleration/taint_toleration.go", Func: "isTolerated", Body: `
	u := core.Toleration{Key: toleration.Key, Operator: core.TolerationOperator(toleration.Operator), Value: toleration.Value, Effect: core.TaintEffect(toleration.Effect)}
	if !kube.Tolerates(&u, &core.Taint{Key: taint.Key, Value: taint.Value, Effect: core.TaintEffect(taint.Effect)}) {
		return false, nil, ""
	}
	return isTolerationTimeExpired(taint, toleration)`}},
		Inside:   "pkg/placement/plugins/tainttoleration",
		Packages: []string{"pkg/placement/plugins/...", "pkg/placement/controllers/scheduling/..."},
		Bugs:     map[string]string{"isTolerated": "Lt and Gt, which the placement's API rejects, match."},
		Slower:   true,
		Verdict:  "**Do not merge it.** A cluster's taints have types of their own, so each comparison first makes structs of Kubernetes' API, and takes longer. pkg/placement/controllers is not run, since its tests read files that the module does not have.",
	},
}
