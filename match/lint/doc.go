// Package lint finds probable mistakes in a list of valid tolerations.
//
//	for _, f := range lint.Find(pod, lint.Options{}) {
//		fmt.Println(f) // 0: warning: "gpu:NoSchedule" matches only ...
//		if !f.Fix.IsZero() {
//			fmt.Println(f.Fix) // 0: replace "gpu:NoSchedule" with ...
//		}
//	}
//
// To validate tolerations, use package toleration. To restrict what pods may
// tolerate, use package toleration/policy.
//
// Lint manifests and pod templates: the tolerations of a running pod cannot be
// removed.
//
// A toleration that [NeverMatches], [Shadowed] or [Redundant] reports can be
// removed, alone or with any others that they report, so the other checks ignore it,
// except [SuppressesDefault]. Shadowed and Redundant consider every valid taint: the
// first toleration that matches it decides for how long it is tolerated, as by
// [toleration.First]. A toleration can become redundant when another one is removed:
// to find it, call [Find] again.
//
// The operators Lt and Gt are valid, and [NeedsFeatureGate] reports that clusters reject
// them by default.
//
// Functions do not change their arguments, and are safe for concurrent use.
package lint
