// Package lint finds probable mistakes in a list of valid tolerations.
//
//	for _, f := range lint.Find(pod, lint.Options{}) {
//		fmt.Println(f) // 0: warning: "gpu:NoSchedule" matches only ...
//		if !f.Fix.IsZero() {
//			fmt.Println(f.Fix) // 0: replace "gpu:NoSchedule" with ...
//		}
//	}
//
// The checks are the constants of [Check]. [Check.Doc] describes each.
//
// Lint manifests and pod templates: the tolerations of a running pod cannot be removed.
// To restrict what pods may tolerate, use package toleration/policy.
//
// A toleration that [NeverMatches], [Shadowed] or [Redundant] reports can be removed,
// alone or with others, so the other checks ignore it, except [SuppressesDefault].
// After a removal, another toleration can be redundant: call [Find] again.
package lint
