package main

import (
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

const (
	api     = "k8s.io/api"
	helpers = "k8s.io/component-helpers"
	kubectl = "k8s.io/kubectl"
	dra     = "k8s.io/dynamic-resource-allocation"
	k8s     = "k8s.io/kubernetes"
)

// imports are the packages that a body can use, by the name that it uses.
var imports = map[string]string{
	"tolerateadapter":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter",
	"tolerateobjects":   "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/objects",
	"tolerateadmission": "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/admission",
	"toleratedevice":    "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/device",
	"toleratevalidate":  "github.com/go-tolerate/tolerate/validate",
	"tolerategates":     "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/gates",
}

// swaps are Kubernetes' functions that decide, and the bodies that replace theirs and
// call the library. Longer bodies are in packages adapter and adapter/objects.
var swaps = []overlay.Swap{
	{Module: api, File: "core/v1/toleration.go", Func: "Toleration.ToleratesTaint", Body: `
	return tolerateadapter.Tolerates(
		tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds},
		tolerateadapter.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)},
		enableComparisonOperators)`},
	{Module: api, File: "core/v1/toleration.go", Func: "compareNumericValues", Body: `
	return tolerateadapter.Compares(string(op), tolerationVal, taintVal)`},
	{Module: api, File: "core/v1/taint.go", Func: "Taint.ToString", Body: `
	return tolerateadapter.TaintText(tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})`},
	{Module: api, File: "core/v1/taint.go", Func: "Taint.MatchTaint", Body: `
	return tolerateadapter.SameKeyEffect(
		tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)},
		tolerateadapter.Taint{Key: taintToMatch.Key, Value: taintToMatch.Value, Effect: string(taintToMatch.Effect)})`},

	{Module: helpers, File: "scheduling/corev1/helpers.go", Func: "TolerationsTolerateTaint", Body: `
	return tolerateobjects.Tolerated(taint, tolerations, enableComparisonOperators)`},
	{Module: helpers, File: "scheduling/corev1/helpers.go", Func: "FindMatchingUntoleratedTaint", Body: `
	return tolerateobjects.FirstUntolerated(taints, tolerations, inclusionFilter, enableComparisonOperators)`},

	{Module: k8s, File: "pkg/apis/core/v1/helper/helpers.go", Func: "GetMatchingTolerations", Body: `
	return tolerateobjects.Serving(taints, tolerations, utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators))`},

	{Module: k8s, File: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", Func: "TaintToleration.countIntolerableTaintsPreferNoSchedule", Body: `
	return tolerateobjects.CountPreferNoSchedule(taints, tolerations, pl.enableTaintTolerationComparisonOperators)`},
	{Module: k8s, File: "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", Func: "TaintToleration.NormalizeScore", Body: `
	counts := make([]int64, len(scores))
	for i := range scores {
		counts[i] = scores[i].Score
	}
	for i, score := range tolerateadapter.Scores(counts) {
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
	return tolerateadapter.CheckTaint(tolerateadapter.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})`},
	{Module: k8s, File: "pkg/apis/core/validation/validation.go", Func: "ValidateTolerations", Body: `
	list := make([]tolerateadapter.Toleration, len(tolerations))
	for i, t := range tolerations {
		list[i] = tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
	}
	errs := field.ErrorList{}
	for _, p := range tolerateadapter.TolerationProblems(list, opts.AllowTaintTolerationComparisonOperators) {
		errs = append(errs, &field.Error{Type: field.ErrorType(p.Kind), Field: fldPath.Index(p.Index).Child(p.Field).String(), BadValue: p.Value, Detail: p.Detail})
		if p.Field == "key" && slices.Contains(validationOpts, KeyFormatCovered) {
			errs[len(errs)-1:].MarkCoveredByDeclarative()
		}
	}
	return errs`},
	{Module: k8s, File: "pkg/apis/core/validation/validation.go", Func: "validateNodeTaints", Body: `
	list := make([]tolerateadapter.Taint, len(taints))
	for i, t := range taints {
		list[i] = tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
	}
	errs := field.ErrorList{}
	for _, p := range tolerateadapter.TaintProblems(list) {
		path := fldPath.Index(p.Index)
		if p.Field != "" {
			path = path.Child(p.Field)
		}
		errs = append(errs, &field.Error{Type: field.ErrorType(p.Kind), Field: path.String(), BadValue: p.Value, Detail: p.Detail})
	}
	return errs`},

	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "VerifyAgainstWhitelist", Body: ourTolerations + `
	return tolerateadapter.Allowed(ours(tolerations), ours(whitelist))`},
	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "MergeTolerations", Body: ourTolerations + `
	var merged []api.Toleration
	for _, i := range tolerateadapter.Merged(ours(first), ours(second)) {
		if i < len(first) {
			merged = append(merged, first[i])
		} else {
			merged = append(merged, second[i-len(first)])
		}
	}
	return merged`},
	{Module: k8s, File: "pkg/util/tolerations/tolerations.go", Func: "isSuperset", Body: ourTolerations + `
	both := ours([]api.Toleration{ss, t})
	return tolerateadapter.Covers(both[0], both[1])`},

	{Module: k8s, File: "pkg/controller/tainteviction/taint_eviction.go", Func: "Controller.processPodOnNode", Body: `
	var created, fires time.Time
	if w := tc.taintEvictionQueue.GetWorkerUnsafe(podNamespacedName.String()); w != nil {
		created, fires = w.CreatedAt, w.FireAt
	}
	created, fires, changed := tolerateobjects.Eviction(created, fires, now, taints, tolerations, tolerategates.Numeric())
	if !changed {
		return
	}
	tc.cancelWorkWithEvent(klog.FromContext(ctx), podNamespacedName)
	if !fires.IsZero() {
		tc.taintEvictionQueue.AddWork(ctx, NewWorkArgs(podNamespacedName.Name, podNamespacedName.Namespace), created, fires)
	}`},
	{Module: k8s, File: "pkg/controller/tainteviction/taint_eviction.go", Func: "getMinTolerationTime", Body: `
	return tolerateobjects.Lasting(tolerations)`},

	{Module: k8s, File: lifecycle, Func: "Controller.doNoScheduleTaintingPass", Body: `
	node, err := nc.nodeLister.Get(nodeName)
	if apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	add, remove := tolerateobjects.NoScheduleChange(node)
	if len(add)+len(remove) > 0 && !controllerutil.SwapNodeControllerTaint(ctx, nc.kubeClient, add, remove, node) {
		return fmt.Errorf("not tainted: %s", nodeName)
	}
	return nil`},
	{Module: k8s, File: lifecycle, Func: "Controller.processTaintBaseEviction", Body: `
	add, remove, waits := tolerateobjects.NoExecuteChange(node, currentReadyCondition.Status)
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
	ready := 0
	for _, c := range nodeReadyConditions {
		if c != nil && c.Status == v1.ConditionTrue {
			ready++
		}
	}
	notReady := len(nodeReadyConditions) - ready
	return notReady, ZoneState(tolerateadmission.ZoneState(ready, notReady, nc.unhealthyZoneThreshold))`},
	{Module: k8s, File: lifecycle, Func: "isNodeExcludedFromDisruptionChecks", Body: `
	return tolerateadmission.Excluded(node.Labels)`},
	{Module: helpers, File: "node/topology/helpers.go", Func: "GetZoneKey", Body: `
	return tolerateadmission.ZoneKey(node.Labels)`},

	{Module: k8s, File: "plugin/pkg/admission/nodetaint/admission.go", Func: "addNotReadyTaint", Body: `
	list := make([]tolerateadapter.Taint, len(node.Spec.Taints))
	for i, t := range node.Spec.Taints {
		list[i] = tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)}
	}
	if tolerateadmission.NotReadyAtCreation(list) {
		node.Spec.Taints = append(node.Spec.Taints, api.Taint{Key: v1.TaintNodeNotReady, Effect: api.TaintEffectNoSchedule})
	}`},
	{Module: k8s, File: "plugin/pkg/admission/defaulttolerationseconds/admission.go", Func: "Plugin.Admit", Body: ourTolerations + `
	if attributes.GetResource().GroupResource() != api.Resource("pods") || attributes.GetSubresource() != "" {
		return nil
	}
	pod, ok := attributes.GetObject().(*api.Pod)
	if !ok {
		return errors.NewBadRequest(fmt.Sprintf("%T", attributes.GetObject()))
	}
	for _, t := range tolerateadmission.DefaultSeconds(ours(pod.Spec.Tolerations), *p.notReadyToleration.TolerationSeconds, *p.unreachableToleration.TolerationSeconds) {
		added := p.notReadyToleration
		if t.Key == v1.TaintNodeUnreachable {
			added = p.unreachableToleration
		}
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, added)
	}
	return nil`},
	{Module: k8s, File: "plugin/pkg/admission/extendedresourcetoleration/admission.go", Func: "plugin.Admit", Body: strings.ReplaceAll(ourTolerations, "api.", "core.") + `
	if attributes.GetResource().GroupResource() != core.Resource("pods") || attributes.GetSubresource() != "" {
		return nil
	}
	pod, ok := attributes.GetObject().(*core.Pod)
	if !ok {
		return errors.NewBadRequest(fmt.Sprintf("%T", attributes.GetObject()))
	}
	var names []string
	for _, containers := range [][]core.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for _, c := range containers {
			for name := range c.Resources.Requests {
				names = append(names, string(name))
			}
		}
	}
	for _, t := range tolerateadmission.ExtendedResources(ours(pod.Spec.Tolerations), names) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, core.Toleration{Key: t.Key, Operator: core.TolerationOperator(t.Operator), Effect: core.TaintEffect(t.Effect)})
	}
	return nil`},
	{Module: k8s, File: "pkg/apis/core/helper/helpers.go", Func: "IsExtendedResourceName", Body: `
	return tolerateadmission.Extended(string(name))`},
	{Module: k8s, File: "pkg/apis/core/v1/helper/helpers.go", Func: "IsExtendedResourceName", Body: `
	return tolerateadmission.Extended(string(name))`},
	{Module: k8s, File: "plugin/pkg/admission/podtolerationrestriction/admission.go", Func: "extractNSTolerations", Body: `
	text, ok := ns.Annotations[key]
	if !ok {
		return nil, nil
	}
	list, err := tolerateadmission.Annotated(text)
	if err != nil {
		return nil, err
	}
	ts := []api.Toleration{}
	for _, t := range list {
		ts = append(ts, api.Toleration{Key: t.Key, Operator: api.TolerationOperator(t.Operator), Value: t.Value, Effect: api.TaintEffect(t.Effect), TolerationSeconds: t.Seconds})
	}
	return ts, nil`},
	{Module: k8s, File: "pkg/controller/daemon/util/daemonset_util.go", Func: "AddOrUpdateDaemonPodTolerations", Body: strings.ReplaceAll(ourTolerations, "api.", "v1.") + `
	timeless, added := tolerateadmission.Daemon(ours(spec.Tolerations), spec.HostNetwork)
	spec.Tolerations = append([]v1.Toleration(nil), spec.Tolerations...)
	for i := range timeless {
		if timeless[i] {
			spec.Tolerations[i].TolerationSeconds = nil
		}
	}
	for _, t := range added {
		spec.Tolerations = append(spec.Tolerations, v1.Toleration{Key: t.Key, Operator: v1.TolerationOperator(t.Operator), Effect: v1.TaintEffect(t.Effect)})
	}`},

	{Module: kubectl, File: "pkg/cmd/taint/utils.go", Func: "parseTaints", Body: `
	return tolerateobjects.ParseEdits(spec)`},
	{Module: kubectl, File: "pkg/cmd/taint/utils.go", Func: "reorganizeTaints", Body: `
	after, outcome, err := tolerateobjects.Edit(node.Spec.Taints, overwrite, taintsToAdd, taintsToRemove)
	return outcome, after, err`},
	{Module: kubectl, File: "pkg/cmd/taint/utils.go", Func: "checkIfTaintsAlreadyExists", Body: `
	return tolerateobjects.Present(oldTaints, taints)`},
	{Module: kubectl, File: "pkg/cmd/taint/utils.go", Func: "deleteTaint", Body: `
	return tolerateobjects.Remove(taints, taintToDelete.Key, taintToDelete.Effect)`},
	{Module: kubectl, File: "pkg/cmd/taint/utils.go", Func: "deleteTaintsByKey", Body: `
	return tolerateobjects.Remove(taints, taintKey, "")`},

	{Module: dra, File: "resourceclaim/devicetoleration.go", Func: "ToleratesTaint", Body: `
	return toleratedevice.Tolerates(toleration, taint)`},
	{Module: dra, File: "structured/internal/stable/allocator_stable.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "structured/internal/incubating/allocator_incubating.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "structured/internal/experimental/allocator_experimental.go", Func: "taintPreventsAllocation", Body: allocatable},
	{Module: dra, File: "resourceslice/tracker/tracker.go", Func: "Tracker.applyPatches", Body: `
	patched := slice
	for _, rule := range taintRules {
		for i := range slice.Spec.Devices {
			if !toleratedevice.Selects(rule, slice.Spec.Driver, slice.Spec.Pool.Name, slice.Spec.Devices[i].Name) {
				continue
			}
			if patched == slice {
				patched = slice.DeepCopy()
			}
			patched.Spec.Devices[i].Taints = append(patched.Spec.Devices[i].Taints, rule.Spec.Taint)
		}
	}
	return patched, nil`},
	{Module: k8s, File: deviceEviction, Func: "ruleMatchesDevice", Body: `
	return toleratedevice.Selects(rule, driverName, poolName, deviceName)`},
	{Module: k8s, File: deviceEviction, Func: "Controller.claimEvictionTime", Body: `
	rules := slices.Collect(maps.Values(tc.evictingRules))
	var used []toleratedevice.Used
	reasons := sets.New[trackedTaint]()
	for _, result := range claim.Status.Allocation.Devices.Results {
		u := toleratedevice.Used{Result: result}
		slice, device := tc.pools[poolID{driverName: result.Driver, poolName: result.Pool}].getDevice(result.Device)
		if device != nil {
			u.Taints = device.Taints
		}
		used = append(used, u)
		for t := range tc.allEvictingDeviceTaints(result, slice, device) {
			alone := toleratedevice.Used{Result: result, Taints: []resourceapi.DeviceTaint{*t.deviceTaint()}}
			if _, evicts := toleratedevice.Eviction(nil, alone); evicts {
				reasons.Insert(t)
			}
		}
	}
	when, evicts := toleratedevice.Eviction(rules, used...)
	if !evicts {
		return nil
	}
	return &evictionAndReason{when: metav1.NewTime(when), reason: slices.SortedFunc(maps.Keys(reasons), trackedTaint.Compare)}`},
	{Module: k8s, File: "pkg/apis/resource/validation/validation.go", Func: "validateDeviceTaint", Body: `
	kept := oldTaint != nil && oldTaint.Effect == taint.Effect
	var errs field.ErrorList
	for _, p := range toleratedevice.TaintProblems(taint.Key, taint.Value, string(taint.Effect), kept) {
		path := fldPath.Child(p.Path)
		switch p.Rule.Cause() {
		case "FieldValueRequired":
			errs = append(errs, field.Required(path, "").MarkCoveredByDeclarative())
		case "FieldValueNotSupported":
			errs = append(errs, field.NotSupported(path, taint.Effect, sets.List(validDeviceTaintEffects)).MarkCoveredByDeclarative())
		default:
			errs = append(errs, field.Invalid(path, p.Value, (&toleratevalidate.Problem{Rule: p.Rule}).Error()))
		}
	}
	return errs`},
	{Module: k8s, File: "pkg/apis/resource/validation/validation.go", Func: "validateDeviceToleration", Body: `
	var errs field.ErrorList
	for _, p := range toleratedevice.TolerationProblems(toleration.Key, string(toleration.Operator), toleration.Value, string(toleration.Effect), toleration.TolerationSeconds) {
		path := fldPath.Child(p.Path)
		switch cause := p.Rule.Cause(); {
		case cause == "FieldValueRequired" || p.Path == "operator" && toleration.Operator == "":
			errs = append(errs, field.Required(path, "").MarkCoveredByDeclarative())
		case cause == "FieldValueNotSupported" && p.Path == "operator":
			errs = append(errs, field.NotSupported(path, toleration.Operator, validDeviceTolerationOperators).MarkCoveredByDeclarative())
		case cause == "FieldValueNotSupported":
			errs = append(errs, field.NotSupported(path, toleration.Effect, sets.List(validDeviceTaintEffects)).MarkCoveredByDeclarative())
		default:
			errs = append(errs, field.Invalid(path, p.Value, (&toleratevalidate.Problem{Rule: p.Rule}).Error()))
		}
	}
	return errs`},
}

// allocatable is the body of each allocator's function for taints.
const allocatable = `
	return !toleratedevice.Allocatable(device.Taints, request.tolerations())`

const deviceEviction = "pkg/controller/devicetainteviction/device_taint_eviction.go"

const lifecycle = "pkg/controller/nodelifecycle/node_lifecycle_controller.go"

// ourTolerations is used in bodies that get lists of the internal API.
const ourTolerations = `
	ours := func(list []api.Toleration) []tolerateadapter.Toleration {
		out := make([]tolerateadapter.Toleration, len(list))
		for i, t := range list {
			out[i] = tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
		}
		return out
	}`

// suites are the packages of Kubernetes whose tests are run.
var suites = []overlay.Suite{
	{Package: api + "/core/v1"},
	{Package: helpers + "/scheduling/corev1"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/tainttoleration"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/nodeunschedulable"},
	{Package: k8s + "/pkg/scheduler/framework/plugins/podtopologyspread"},
	{Package: k8s + "/pkg/controller/tainteviction"},
	{Package: k8s + "/pkg/controller/daemon", Run: "Taint|Tolera|NodeShouldRunDaemonPod|DaemonPod"},
	{Package: k8s + "/pkg/util/taints"},
	{Package: k8s + "/pkg/apis/core/validation"},
	{Package: k8s + "/pkg/apis/node/validation"},
	{Package: k8s + "/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/validation"},
	{Package: k8s + "/pkg/util/tolerations"},
	{Package: k8s + "/plugin/pkg/admission/defaulttolerationseconds"},
	{Package: k8s + "/plugin/pkg/admission/extendedresourcetoleration"},
	{Package: k8s + "/plugin/pkg/admission/podtolerationrestriction"},
	{Package: k8s + "/plugin/pkg/admission/runtimeclass"},
	{Package: k8s + "/plugin/pkg/admission/nodetaint"},
	{Package: k8s + "/pkg/controller/daemon/util"},
	{Package: k8s + "/pkg/controller/nodelifecycle"},
	{Package: helpers + "/node/topology"},
	{Package: kubectl + "/pkg/cmd/taint"},
	{Package: dra + "/resourceclaim"},
	{Package: dra + "/structured/internal/stable"},
	{Package: dra + "/structured/internal/incubating"},
	{Package: dra + "/structured/internal/experimental"},
	{Package: dra + "/resourceslice/tracker"},
	{Package: k8s + "/pkg/controller/devicetainteviction"},
	{Package: k8s + "/pkg/apis/resource/validation"},
}

// cannotPass are the upstream tests that the library must not pass, each with
// the id of the listed difference (README.md) that causes it. If one of them
// passes, that is an error too.
var cannotPass = map[string]map[string]string{
	api + "/core/v1": {
		"TestCompareNumericValues/Gt_operator_-_negative_numbers,_taint_greater,_expect_true": "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_negative_numbers,_taint_less,_expect_true":    "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_zero_and_negative,_expect_true":               "V3-negative",
		"TestCompareNumericValues/Lt_operator_-_min_int64_as_taint,_expect_true":              "V3-negative",
	},
	k8s + "/pkg/apis/core/validation": {
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_non-numeric_value_and_feature_gate_enabled":                           "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_leading_zeros_and_feature_gate_enabled_(invalid_-_strict_validation)": "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_just_minus_sign_and_feature_gate_enabled":                             "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_plus_sign_and_feature_gate_enabled_(invalid_-_strict_validation)":     "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_empty_value_and_feature_gate_enabled":                                 "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_decimal_value_and_feature_gate_enabled":                               "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_space_in_value_and_feature_gate_enabled":                              "V10-wording",
		"TestNumericTolerationsWithFeatureGate/Gt_operator_with_overflow_value_and_feature_gate_enabled":                              "V10-wording",
	},
	k8s + "/plugin/pkg/admission/podtolerationrestriction": {
		"TestPodAdmission/added_memoryPressure/DiskPressure_for_Burstable_pod":  "D5-contents",
		"TestPodAdmission/added_memoryPressure/DiskPressure_for_Guaranteed_pod": "D5-contents",
		"TestPodAdmission/duplicate_key_pod_and_namespace_tolerations":          "D5-contents",
		"TestPodAdmission/merged_pod_tolerations_satisfy_whitelist":             "D5-contents",
		"TestPodAdmission/namespace_tolerations":                                "D5-contents",
		"TestPodAdmission/no_pod_tolerations":                                   "D5-contents",
	},
	k8s + "/pkg/apis/resource/validation": {
		"TestValidateClaim/tolerations":    "V10-wording",
		"TestValidateResourceSlice/taints": "V10-wording",
	},
	dra + "/resourceslice/tracker": {
		"TestListPatchedResourceSlices/merge-taints/0_1":     "G9-no-selector",
		"TestListPatchedResourceSlices/merge-taints/1_0":     "G9-no-selector",
		"TestListPatchedResourceSlices/patch-all-slices/0_1": "G9-no-selector",
		"TestListPatchedResourceSlices/patch-all-slices/1_0": "G9-no-selector",
	},
	k8s + "/pkg/util/tolerations": {
		"TestMergeTolerations/merge_redundant": "R3-kept",
		"TestMergeTolerations/merge_all":       "R3-kept",
	},
}
