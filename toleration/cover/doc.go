// Package cover compares tolerations by what they tolerate: whether one, or a
// list of them, tolerates all that another does and for as long, which of a
// list are not needed, and how lists are merged without harm.
//
//	cover.Covers(toleration.MustParse("cores=3 op=Gt"), toleration.MustParse("cores=5")) // true
//	all := cover.Merge(cover.Keep, pod, defaults)
//	w, found := cover.FindWitness(toleration.First, allowed, pod) // what is not allowed, and why
//
// # Rules
//
//  1. A toleration covers another ([Covers]) when it matches every taint that
//     the other matches, and holds for at least as long. Without seconds a
//     toleration holds for good, which is longer than any number of them; a
//     negative number is 0.
//
//  2. "Every taint" is every valid one, whether or not some node bears it. A
//     taint's value is empty or a name, so the integers on taints are 0 to
//     9223372036854775807, each spelt in one way. Hence k=-1 op=Gt and k=-9
//     op=Gt cover each other, as k=1 op=Lt and k=0 do; k=3 op=Gt covers k=5,
//     and not k=05, which is no integer.
//
//  3. What matches no taint ([Empty]) is covered by everything, and covers
//     nothing else: the zero Toleration, k=0 op=Lt, and k=9223372036854775807
//     op=Gt.
//
//  4. A list covers another ([ListCovers]) when it tolerates every taint that
//     the other tolerates, and for at least as long; of several tolerations
//     that match a taint, a [toleration.Policy] says which decides, on both
//     sides the same policy. A list may cover what none of its tolerations
//     does: the three effects one by one cover the absent effect.
//
//  5. A toleration of a list is redundant ([Redundant]) when without it the
//     list tolerates the same taints, each for as long as before.
//
//  6. A [Set] holds the taints that some tolerations match and some others do not.
//     One set lies [Set.Within] others when each valid taint in it is in one of
//     them; time is left out of account.
//
// The answers are exact: they are decided, not sampled. Not covering has a
// proof that can be shown: a [Witness] is a taint, and what each side does
// with it; [FindCommon] and [FindOutside] name a taint for sets.
//
// # Merging
//
// [Merge] joins lists by one of two strategies. [Keep] is the one for a list
// that belongs to somebody, such as a running pod's: the first list stays as
// it was written and stays in front, and from the others comes what no
// toleration before it covers. As [toleration.First] decides about pods, each
// taint that the first list tolerates is tolerated exactly as long as before.
// [Reduce] is for lists that are being made: it also drops what is not needed.
//
// # Differences from Kubernetes
//
// Kubernetes' merge of a pod's tolerations with its namespace's drops each one
// that another covers, wherever the two stand: a default of 300 seconds
// silently takes the place of a user's 60. Here the user's 60 stay and decide.
// Its test for one toleration covering another goes by fields: no Lt or Gt
// covers any but its like, negative seconds are compared as numbers, and of two
// that differ in seconds an absent operator is not Equal. It never compares
// lists.
//
// Who only wants the same tolerations once, whatever they cover, uses
// [toleration.AppendCanonical].
package cover
