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
//  1. A toleration covers another if it matches every taint that the other
//     matches, for at least as long. A toleration without seconds has no time
//     limit; a negative number of seconds counts as 0.
//  2. "Every taint" means every valid taint, whether or not a node has it. The
//     integers on taints are 0 to 9223372036854775807, each with one spelling.
//     So k=-1 op=Gt and k=-9 op=Gt cover each other, and k=3 op=Gt covers k=5
//     but not k=05, which is not an integer.
//  3. A toleration that matches no taint ([MatchesNothing]) is covered by every
//     toleration and covers only others of its kind.
//  4. A list covers another if it tolerates every taint that the other
//     tolerates, for at least as long ([UncoveredTaint] finds none). Where
//     several tolerations of a list match a taint, a [toleration.Choice]
//     selects the one that counts. A list may cover what none of its
//     tolerations covers: three tolerations, one for each effect, cover one
//     without an effect.
//  5. A toleration of a list is redundant ([Redundant]) if the list without it
//     tolerates the same taints, each for as long.
//
// The answers are exact and, for the same lists, the same. No function takes
// more than O(n·log n), where n is the number of all tolerations. Lists of up to 32
// tolerations are compared without allocating more than the result. No function changes a list or returns its memory. Functions that
// take a Choice panic if it is unknown.
//
// # Differences from Kubernetes
//
// When Kubernetes merges a namespace's tolerations into a pod's, it drops every
// toleration that another one covers: a default of 300 seconds silently replaces
// a user's 60. [Merge] keeps the user's toleration. Kubernetes compares fields:
// Lt and Gt cover only equal tolerations, negative seconds are compared as
// numbers, and an absent operator is not Equal. It does not compare lists.
//
// To remove repeated tolerations only, use package toleration. To decide which
// tolerations a pod may have, use package policy.
package cover
