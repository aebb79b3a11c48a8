// Package helper has functions with the names, parameters and results of
// k8s.io/component-helpers/scheduling/corev1 and k8s.io/kubernetes/pkg/apis/core/v1/helper,
// v0.35 to v0.37, that decide about taints. For v0.34, whose functions have fewer
// parameters, there is package v034. To use it, change the import:
//
//	v1helper "k8s.io/component-helpers/scheduling/corev1"
//	v1helper "github.com/go-tolerate/tolerate/match/kube/helper"
//
// ToleratesTaint of k8s.io/dynamic-resource-allocation/resourceclaim is in module dra.
//
// The logger can be of any type and is not used. To match a pod with many nodes, use the
// functions of package kube.
//
// # Differences from Kubernetes
//
// [GetMatchingTolerations] ignores the feature gate TaintTolerationComparisonOperators,
// which is off by default and which Kubernetes' function reads: Lt and Gt match nothing.
// For a cluster with the gate on, use [GetMatchingTolerationsWithComparisonOperators].
// In the other functions the gate is a parameter, as in Kubernetes.
//
// For taints and tolerations that the API server accepts, all other results are equal.
// For others, the rules of package kube apply.
//
// An untolerated taint with an unknown effect repels pods only if the caller's
// inclusionFilter includes it: one for NoSchedule and NoExecute, as the scheduler has,
// excludes it. For [kube.Schedulable], it counts as NoSchedule.
package helper

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube"
)

// TolerationsTolerateTaint reports whether some toleration matches the taint. Unless
// enableComparisonOperators is set, Lt and Gt match nothing. It does not allocate.
func TolerationsTolerateTaint[L any](_ L, tolerations []corev1.Toleration, taint *corev1.Taint, enableComparisonOperators bool) bool {
	return indexMatch(tolerations, taint, enableComparisonOperators) >= 0
}

// FindMatchingUntoleratedTaint returns the first untolerated taint of those for which
// inclusionFilter returns true, or of all if that is nil, and whether there is one. It
// calls inclusionFilter with elements of taints, and not for those after the result. It
// does not allocate.
func FindMatchingUntoleratedTaint[L any](_ L, taints []corev1.Taint, tolerations []corev1.Toleration, inclusionFilter func(*corev1.Taint) bool, enableComparisonOperators bool) (corev1.Taint, bool) {
	for i := range taints {
		t := &taints[i]
		if (inclusionFilter == nil || inclusionFilter(t)) && indexMatch(tolerations, t, enableComparisonOperators) < 0 {
			return *t, true
		}
	}
	return corev1.Taint{}, false
}

// GetMatchingTolerations reports whether all taints are tolerated, and returns for each
// taint the first toleration that matches it; an empty list if some taint is
// untolerated. Lt and Gt match nothing.
func GetMatchingTolerations[L any](_ L, taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return matching(taints, tolerations, false)
}

// GetMatchingTolerationsWithComparisonOperators is [GetMatchingTolerations] for a cluster
// with the feature gate TaintTolerationComparisonOperators: Lt and Gt compare integers.
func GetMatchingTolerationsWithComparisonOperators[L any](_ L, taints []corev1.Taint, tolerations []corev1.Toleration) (bool, []corev1.Toleration) {
	return matching(taints, tolerations, true)
}

func matching(taints []corev1.Taint, tolerations []corev1.Toleration, numeric bool) (bool, []corev1.Toleration) {
	matching := make([]corev1.Toleration, 0, len(taints))
	for i := range taints {
		j := indexMatch(tolerations, &taints[i], numeric)
		if j < 0 {
			return false, []corev1.Toleration{}
		}
		matching = append(matching, tolerations[j])
	}
	return true, matching
}

// indexMatch is [kube.Match] with or without the numeric operators.
func indexMatch(tolerations []corev1.Toleration, t *corev1.Taint, numeric bool) int {
	for next := 0; ; next++ {
		i := kube.Match(t, tolerations[next:])
		if i < 0 {
			return -1
		}
		next += i
		if op := tolerations[next].Operator; numeric || op != "Lt" && op != "Gt" {
			return next
		}
	}
}
