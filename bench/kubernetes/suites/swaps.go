package main

const (
	api     = "k8s.io/api"
	helpers = "k8s.io/component-helpers"
	k8s     = "k8s.io/kubernetes"
)

// swaps are Kubernetes' functions that decide, and what asks the library in
// their place. What is thin enough is written here; the rest is in package
// adapter and adapter/objects.
var swaps = []swap{
	{api, "core/v1/toleration.go", "Toleration.ToleratesTaint", `
	return tolerateadapter.Tolerates(
		tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds},
		tolerateadapter.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)},
		enableComparisonOperators)`},
	{api, "core/v1/toleration.go", "compareNumericValues", `
	return tolerateadapter.Compares(string(op), tolerationVal, taintVal)`},
	{api, "core/v1/taint.go", "Taint.ToString", `
	return tolerateadapter.TaintText(tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})`},
	{api, "core/v1/taint.go", "Taint.MatchTaint", `
	return tolerateadapter.SameKeyEffect(
		tolerateadapter.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)},
		tolerateadapter.Taint{Key: taintToMatch.Key, Value: taintToMatch.Value, Effect: string(taintToMatch.Effect)})`},

	{helpers, "scheduling/corev1/helpers.go", "TolerationsTolerateTaint", `
	return tolerateobjects.Tolerated(taint, tolerations, enableComparisonOperators)`},
	{helpers, "scheduling/corev1/helpers.go", "FindMatchingUntoleratedTaint", `
	return tolerateobjects.FirstUntolerated(taints, tolerations, inclusionFilter, enableComparisonOperators)`},

	{k8s, "pkg/apis/core/v1/helper/helpers.go", "GetMatchingTolerations", `
	return tolerateobjects.Serving(taints, tolerations, utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators))`},

	{k8s, "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", "TaintToleration.countIntolerableTaintsPreferNoSchedule", `
	return tolerateobjects.CountPreferNoSchedule(taints, tolerations, pl.enableTaintTolerationComparisonOperators)`},
	{k8s, "pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go", "TaintToleration.NormalizeScore", `
	counts := make([]int64, len(scores))
	for i := range scores {
		counts[i] = scores[i].Score
	}
	for i, score := range tolerateadapter.Scores(counts) {
		scores[i].Score = score
	}
	return nil`},
	{k8s, "pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go", "NodeUnschedulable.Filter", `
	gate := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	if tolerateobjects.CordonTolerated(nodeInfo.Node(), pod.Spec.Tolerations, gate) {
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, ErrReasonUnschedulable)`},

	{k8s, "pkg/util/taints/taints.go", "parseTaint", `
	key, value, effect, err := tolerateadapter.ParseTaint(st)
	if err != nil {
		return v1.Taint{}, err
	}
	return v1.Taint{Key: key, Value: value, Effect: v1.TaintEffect(effect)}, nil`},
	{k8s, "pkg/util/taints/taints.go", "CheckTaintValidation", `
	return tolerateadapter.CheckTaint(tolerateadapter.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})`},
	{k8s, "pkg/apis/core/validation/validation.go", "ValidateTolerations", `
	list := make([]tolerateadapter.Toleration, len(tolerations))
	for i, t := range tolerations {
		list[i] = tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
	}
	errs := field.ErrorList{}
	for _, p := range tolerateadapter.TolerationProblems(list, opts.AllowTaintTolerationComparisonOperators) {
		errs = append(errs, &field.Error{Type: field.ErrorType(p.Kind), Field: fldPath.Index(p.Index).Child(p.Field).String(), BadValue: p.Value, Detail: p.Detail})
	}
	return errs`},
	{k8s, "pkg/apis/core/validation/validation.go", "validateNodeTaints", `
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

	{k8s, "pkg/util/tolerations/tolerations.go", "VerifyAgainstWhitelist", ourTolerations + `
	return tolerateadapter.Allowed(ours(tolerations), ours(whitelist))`},
	{k8s, "pkg/util/tolerations/tolerations.go", "MergeTolerations", ourTolerations + `
	var merged []api.Toleration
	for _, i := range tolerateadapter.Merged(ours(first), ours(second)) {
		if i < len(first) {
			merged = append(merged, first[i])
		} else {
			merged = append(merged, second[i-len(first)])
		}
	}
	return merged`},
	{k8s, "pkg/util/tolerations/tolerations.go", "isSuperset", ourTolerations + `
	both := ours([]api.Toleration{ss, t})
	return tolerateadapter.Covers(both[0], both[1])`},
}

// ourTolerations stands in the bodies that are given lists of the internal API.
const ourTolerations = `
	ours := func(list []api.Toleration) []tolerateadapter.Toleration {
		out := make([]tolerateadapter.Toleration, len(list))
		for i, t := range list {
			out[i] = tolerateadapter.Toleration{Key: t.Key, Operator: string(t.Operator), Value: t.Value, Effect: string(t.Effect), Seconds: t.TolerationSeconds}
		}
		return out
	}`

// A suite is a package of Kubernetes whose tests are run.
type suite struct {
	pkg string
	run string // of go test -run; all by default
	// awaits is set where what the package itself decides does not ask the
	// library yet, and says what it waits for. All other suites must have
	// called an adapter.
	awaits string
}

var suites = []suite{
	{pkg: api + "/core/v1"},
	{pkg: helpers + "/scheduling/corev1"},
	{pkg: k8s + "/pkg/scheduler/framework/plugins/tainttoleration"},
	{pkg: k8s + "/pkg/scheduler/framework/plugins/nodeunschedulable"},
	{pkg: k8s + "/pkg/scheduler/framework/plugins/podtopologyspread"},
	{pkg: k8s + "/pkg/controller/tainteviction"},
	{pkg: k8s + "/pkg/controller/daemon", run: "Taint|Tolera|NodeShouldRunDaemonPod|DaemonPod"},
	{pkg: k8s + "/pkg/util/taints"},
	{pkg: k8s + "/pkg/apis/core/validation"},
	{pkg: k8s + "/pkg/apis/node/validation"},
	{pkg: k8s + "/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/validation"},
	{pkg: k8s + "/pkg/util/tolerations"},
	{pkg: k8s + "/plugin/pkg/admission/defaulttolerationseconds", awaits: "default seconds (D1)"},
	{pkg: k8s + "/plugin/pkg/admission/extendedresourcetoleration", awaits: "extended resources (D4)"},
	{pkg: k8s + "/plugin/pkg/admission/podtolerationrestriction"},
	{pkg: k8s + "/plugin/pkg/admission/runtimeclass"},
}

// cannotPass are the upstream tests that the library must not pass, each with
// the id of the listed difference (README.md) that is the cause. One that
// passes after all is an error too: the list is exact.
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
	k8s + "/pkg/util/tolerations": {
		"TestMergeTolerations/merge_redundant": "R3-kept",
		"TestMergeTolerations/merge_all":       "R3-kept",
	},
}
