// Package cover compares tolerations by the taints that they match.
//
//	pod := toleration.List{toleration.MustParse("cores=16 op=Gt")}
//	defaults := toleration.List{toleration.MustParse("cores=32"), toleration.MustParse("team=a")}
//	whitelist := toleration.List{toleration.MustParse("cores op=Exists")}
//
//	merged := cover.Merge(pod, defaults) // cores=16 op=Gt, team=a
//	for _, i := range cover.Uncovered(merged, whitelist) {
//		fmt.Println("not allowed:", merged[i]) // team=a
//	}
//
// # Rules
//
//  1. A toleration covers another if it matches every valid taint that the other matches,
//     for at least as long. Without seconds there is no limit; a negative number is 0.
//  2. The integers on taints are 0 to 9223372036854775807, each with one spelling. So
//     k=-1 op=Gt and k=-9 op=Gt cover each other, and k=3 op=Gt covers k=5 but not k=05.
//  3. A list covers another if it tolerates every taint that the other tolerates, for at
//     least as long: three tolerations, one for each effect, cover one without an effect.
//
// The answers are exact. [Merge] and [Uncovered] take O(n·log n) for n tolerations. Many
// with Lt or Gt, one key and different seconds take longer: 10,000 take 20 ms. Up to 32
// tolerations, only the result is allocated.
// [UncoveredTaint] takes O(n²). No function changes a list. An unknown [toleration.Choice]
// panics.
//
// # Differences from Kubernetes
//
// When Kubernetes merges a namespace's tolerations into a pod's, it drops every
// toleration that another one covers: a default of 300 seconds replaces a user's 60.
// [Merge] keeps the user's.
package cover
