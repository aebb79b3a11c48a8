package main

import (
	"github.com/go-tolerate/tolerate/bench/overlay"
)

const (
	api     = "k8s.io/api"
	helpers = "k8s.io/component-helpers"
	dra     = "k8s.io/dynamic-resource-allocation"
	k8s     = "k8s.io/kubernetes"
)

// imports are the packages that a body can use, by the name that it uses.
var imports = map[string]string{
	"tolerateadapter":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter",
	"tolerateobjects":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/objects",
	"tolerateadditions": "github.com/go-tolerate/tolerate/toleration/admission",
	"toleratedra":       "github.com/go-tolerate/tolerate/match/kube/dra",
	"toleratehelper":    "github.com/go-tolerate/tolerate/match/kube/helper",
	"toleratekube":      "github.com/go-tolerate/tolerate/match/kube",
	"toleratematch":     "github.com/go-tolerate/tolerate/match",
	"toleratetaint":     "github.com/go-tolerate/tolerate/taint",
	"toleratefeature":   "k8s.io/apiserver/pkg/util/feature",
	"toleratefeatures":  "k8s.io/kubernetes/pkg/features",
}

// swaps are Kubernetes' functions that decide, and the bodies that replace theirs and
// call the library. Longer bodies are in packages adapter and adapter/objects.
var swaps = []overlay.Swap{
	{Module: api, File: "core/v1/toleration.go", Func: "Toleration.ToleratesTaint", Body: `
	return tolerateadapter.Tolerates(t.Key, t.Operator, t.Value, t.Effect, taint.Key, taint.Value, taint.Effect, enableComparisonOperators)`},
	{Module: api, File: "core/v1/toleration.go", Func: "compareNumericValues", Body: `return tolerateadapter.Compares(op, tolerationVal, taintVal)`},
	{Module: api, File: "core/v1/taint.go", Func: "Taint.ToString", Body: `return tolerateadapter.TaintText(t.Key, t.Value, t.Effect)`},
	{Module: api, File: "core/v1/taint.go", Func: "Taint.MatchTaint", Body: `
	return tolerateadapter.SameKeyEffect(t.Key, t.Value, t.Effect, taintToMatch.Key, taintToMatch.Value, taintToMatch.Effect)`},

	{Module: helpers, File: "scheduling/corev1/helpers.go", Func: "TolerationsTolerateTaint", Body: `
	return toleratehelper.TolerationsTolerateTaint(logger, tolerations, taint, enableComparisonOperators)`},
	{Module: helpers, File: "scheduling/corev1/helpers.go", Func: "FindMatchingUntoleratedTaint", Body: `
	return toleratehelper.FindMatchingUntoleratedTaint(logger, taints, tolerations, inclusionFilter, enableComparisonOperators)`},

	{Module: k8s, File: "pkg/apis/core/v1/helper/helpers.go", Func: "GetMatchingTolerations", Body: `
	if utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators) {
		return toleratehelper.GetMatchingTolerationsWithComparisonOperators(logger, taints, tolerations)
	}
	return toleratehelper.GetMatchingTolerations(logger, taints, tolerations)`},

	{Module: k8s, File: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", Func: "TaintToleration.countIntolerableTaintsPreferNoSchedule", Body: `
	return toleratekube.Filter(taints, tolerateobjects.Gated(tolerations, pl.enableTaintTolerationComparisonOperators)).Count(toleratetaint.PreferNoSchedule)`},
	{Module: k8s, File: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", Func: "TaintToleration.NormalizeScore", Body: `
	counts := make([]int64, len(scores))
	for i := range scores {
		counts[i] = scores[i].Score
	}
	for i, score := range toleratematch.Scores(counts) {
		scores[i].Score = score
	}
	return nil`},
	{Module: k8s, File: "pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go", Func: "NodeUnschedulable.Filter", Body: `
	if pl.enableInPlacePodVerticalScalingSchedulerPreemption && resource.IsPodResizeDeferred(pod) {
		return nil
	}
	if tolerateobjects.CordonTolerated(nodeInfo.Node(), pod.Spec.Tolerations, pl.enableTaintTolerationComparisonOperators) {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, ErrReasonUnschedulable)`},

	{Module: k8s, File: "pkg/util/taints/taints.go", Func: "parseTaint", Body: `
	key, value, effect, err := tolerateadapter.ParseTaint(st)
	if err != nil {
		return v1.Taint{}, err
	}
	return v1.Taint{Key: key, Value: value, Effect: v1.TaintEffect(effect)}, nil`},
	{Module: k8s, File: "pkg/util/taints/taints.go", Func: "CheckTaintValidation", Body: `
	return tolerateadapter.CheckTaint(taint.Key, taint.Value, taint.Effect)`},
	{Module: k8s, File: "pkg/apis/core/validation/validation.go", Func: "ValidateTolerations", Body: `
	errs := tolerateobjects.TolerationErrors(tolerations, opts.AllowTaintTolerationComparisonOperators, fldPath)
	for i, e := range errs {
		if strings.HasSuffix(e.Field, ".key") && slices.Contains(validationOpts, KeyFormatCovered) {
			errs[i : i+1].MarkCoveredByDeclarative()
		}
	}
	return errs`},
	{Module: k8s, File: "pkg/apis/core/validation/validation.go", Func: "validateNodeTaints", Body: `
	return tolerateobjects.TaintErrors(taints, fldPath)`},

	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "VerifyAgainstWhitelist", Body: `
	return tolerateobjects.Allowed(tolerations, whitelist)`},
	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "MergeTolerations", Body: `return tolerateobjects.Merged(first, second)`},
	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "isSuperset", Body: `return tolerateobjects.Covers(ss, t)`},

	{Module: k8s, File: "pkg/controller/tainteviction/taint_eviction.go", Func: "Controller.processPodOnNode", Body: `
	var created, fires time.Time
	if w := tc.taintEvictionQueue.GetWorkerUnsafe(podNamespacedName.String()); w != nil {
		created, fires = w.CreatedAt, w.FireAt
	}
	created, fires, changed := tolerateobjects.Eviction(created, fires, now, taints,
		tolerateobjects.Gated(tolerations, toleratefeature.DefaultFeatureGate.Enabled(toleratefeatures.TaintTolerationComparisonOperators)))
	if !changed {
		return
	}
	tc.cancelWorkWithEvent(klog.FromContext(ctx), podNamespacedName)
	if !fires.IsZero() {
		tc.taintEvictionQueue.AddWork(ctx, NewWorkArgs(podNamespacedName.Name, podNamespacedName.Namespace), created, fires)
	}`},

	{Module: k8s, File: lifecycle, Func: "Controller.doNoScheduleTaintingPass", Body: `
	node, err := nc.nodeLister.Get(nodeName)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	add, remove, _ := tolerateobjects.TaintChange(node, toleratetaint.NoSchedule, node.Status.Conditions...)
	if len(add)+len(remove) > 0 && !controllerutil.SwapNodeControllerTaint(ctx, nc.kubeClient, add, remove, node) {
		return fmt.Errorf("not tainted: %s", nodeName)
	}
	return nil`},
	{Module: k8s, File: lifecycle, Func: "Controller.processTaintBaseEviction", Body: `
	add, remove, waits := tolerateobjects.TaintChange(node, toleratetaint.NoExecute, *currentReadyCondition)
	switch {
	case currentReadyCondition.Status == v1.ConditionTrue: // which takes it out of the queue, too
		if _, err := nc.markNodeAsReachable(ctx, node); err != nil {
			utilruntime.HandleError(err)
		}
	case waits:
		nc.markNodeForTainting(node, currentReadyCondition.Status)
	case len(add)+len(remove) > 0:
		controllerutil.SwapNodeControllerTaint(ctx, nc.kubeClient, add, remove, node)
	}`},
	{Module: k8s, File: lifecycle, Func: "Controller.ComputeZoneState", Body: `
	notReady, state := tolerateobjects.ZoneState(nodeReadyConditions, nc.unhealthyZoneThreshold)
	return notReady, ZoneState(state)`},
	{Module: helpers, File: "node/topology/helpers.go", Func: "GetZoneKey", Body: `return tolerateobjects.ZoneKey(node.Labels)`},

	{Module: k8s, File: "plugin/pkg/admission/nodetaint/admission.go", Func: "addNotReadyTaint", Body: `tolerateobjects.AddNotReady(&node.Spec)`},
	{Module: k8s, File: "plugin/pkg/admission/defaulttolerationseconds/admission.go", Func: "Plugin.Admit", Body: `
	pod, ok := attributes.GetObject().(*api.Pod)
	if ok && attributes.GetResource().GroupResource() == api.Resource("pods") && attributes.GetSubresource() == "" {
		tolerateobjects.AddDefaultSeconds(&pod.Spec, p.notReadyToleration.TolerationSeconds, p.unreachableToleration.TolerationSeconds)
	}
	return nil`},
	{Module: k8s, File: "plugin/pkg/admission/extendedresourcetoleration/admission.go", Func: "plugin.Admit", Body: `
	pod, ok := attributes.GetObject().(*core.Pod)
	if ok && attributes.GetResource().GroupResource() == core.Resource("pods") && attributes.GetSubresource() == "" {
		tolerateobjects.AddExtendedResources(&pod.Spec)
	}
	return nil`},
	{Module: k8s, File: "pkg/apis/core/helper/helpers.go", Func: "IsExtendedResourceName", Body: `return tolerateobjects.Extended(name)`},
	{Module: k8s, File: "pkg/apis/core/v1/helper/helpers.go", Func: "IsExtendedResourceName", Body: `return tolerateobjects.Extended(name)`},
	{Module: k8s, File: "plugin/pkg/admission/podtolerationrestriction/admission.go", Func: "extractNSTolerations", Body: `
	text, ok := ns.Annotations[key]
	if !ok {
		return nil, nil
	}
	return tolerateobjects.Annotated(text)`},
	{Module: k8s, File: "pkg/controller/daemon/util/daemonset_util.go", Func: "AddOrUpdateDaemonPodTolerations", Body: `
	list, _ := toleratekube.Tolerations(spec.Tolerations)
	spec.Tolerations = toleratekube.CoreTolerations(tolerateadditions.Daemon(tolerateadditions.DaemonOptions{HostNetwork: spec.HostNetwork}, list))`},

	{Module: dra, File: "resourceclaim/devicetoleration.go", Func: "ToleratesTaint", Body: `return toleratedra.ToleratesTaint(toleration, taint)`},
	{Module: dra, File: "structured/internal/stable/allocator_stable.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "structured/internal/incubating/allocator_incubating.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "structured/internal/experimental/allocator_experimental.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "resourceslice/tracker/tracker.go", Func: "Tracker.applyPatches", Body: `
	patched := slice
	for _, rule := range taintRules {
		for i := range slice.Spec.Devices {
			// They are strings, or from 1.38 on values that have one.
			if !tolerateobjects.Selects(rule, fmt.Sprint(slice.Spec.Driver), fmt.Sprint(slice.Spec.Pool.Name), fmt.Sprint(slice.Spec.Devices[i].Name)) {
				continue
			}
			if patched == slice {
				patched = slice.DeepCopy()
			}
			patched.Spec.Devices[i].Taints = append(patched.Spec.Devices[i].Taints, rule.Spec.Taint)
		}
	}
	return patched, nil`},
	{Module: k8s, File: "pkg/controller/devicetainteviction/device_taint_eviction.go", Func: "ruleMatchesDevice", Body: `return tolerateobjects.Selects(rule, driverName, poolName, deviceName)`},
}

// allocatable is the body of each allocator's function for taints.
const allocatable = `
	return !toleratedra.Allocatable(device.Taints, request.tolerations())`

const lifecycle = "pkg/controller/nodelifecycle/node_lifecycle_controller.go"

// suites are the packages of Kubernetes whose tests are run, with the tests that the library
// must not pass, each with the id of the difference (SEMANTICS.md) that causes it. If one of
// them passes, that is an error too.
var suites = []overlay.Suite{
	{Package: api + "/core/v1", CannotPass: map[string]string{
		"TestCompareNumericValues/Gt_operator_-_negative_numbers,_taint_greater,_expect_true": "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_negative_numbers,_taint_less,_expect_true":    "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_zero_and_negative,_expect_true":               "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_min_int64_as_taint,_expect_true":              "V3-negative",
	}},
	{Package: helpers + "/scheduling/corev1"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/tainttoleration"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/nodeunschedulable"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/podtopologyspread"},
	{Package: k8s + "/pkg/controller/tainteviction"},
	{Package: k8s + "/pkg/controller/daemon", Flags: overlay.Flags{Run: "Taint|Tolera|NodeShouldRunDaemonPod|DaemonPod"}},
	{Package: k8s + "/pkg/util/taints"},
	{Package: k8s + "/pkg/apis/core/validation", CannotPass: map[string]string{
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_non-numeric_value_and_feature_gate_enabled":                           "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_leading_zeros_and_feature_gate_enabled_(invalid_-_strict_validation)": "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_just_minus_sign_and_feature_gate_enabled":                             "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_plus_sign_and_feature_gate_enabled_(invalid_-_strict_validation)":     "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_empty_value_and_feature_gate_enabled":                                 "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_decimal_value_and_feature_gate_enabled":                               "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_space_in_value_and_feature_gate_enabled":                              "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_overflow_value_and_feature_gate_enabled":                              "V10-wording",
	}},
	{Package: k8s + "/pkg/apis/node/validation"},
	{Package: k8s + "/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/validation"},
	{Package: k8s + "/pkg/util/tolerations", CannotPass: map[string]string{
		"TestMergeTolerations/merge_redundant": "R3-kept",
		"TestMergeTolerations/merge_all":       "R3-kept",
	}},
	{Package: k8s + "/plugin/pkg/admission/defaulttolerationseconds"},
	{Package: k8s + "/plugin/pkg/admission/extendedresourcetoleration"},
	{Package: k8s + "/plugin/pkg/admission/podtolerationrestriction", CannotPass: map[string]string{
		"TestPodAdmission/added_memoryPressure/DiskPressure_for_Burstable_pod":  "D5-contents",
		"TestPodAdmission/added_memoryPressure/DiskPressure_for_Guaranteed_pod": "D5-contents",
		"TestPodAdmission/duplicate_key_pod_and_namespace_tolerations":          "D5-contents",
		"TestPodAdmission/merged_pod_tolerations_satisfy_whitelist":             "D5-contents",
		"TestPodAdmission/namespace_tolerations":                                "D5-contents",
		"TestPodAdmission/no_pod_tolerations":                                   "D5-contents",
	}},
	{Package: k8s + "/plugin/pkg/admission/runtimeclass"},
	{Package: k8s + "/plugin/pkg/admission/nodetaint"},
	{Package: k8s + "/pkg/controller/daemon/util"},
	{Package: k8s + "/pkg/controller/nodelifecycle"},
	{Package: helpers + "/node/topology"},
	{Package: dra + "/resourceclaim"},
	{Package: dra + "/structured/internal/stable"},
	{Package: dra + "/structured/internal/incubating"},
	{Package: dra + "/structured/internal/experimental"},
	{Package: dra + "/resourceslice/tracker"},
	{Package: k8s + "/pkg/controller/devicetainteviction"},
}
