// Package match answers what a node's taints do to a pod, given the pod's
// tolerations: whether it may be scheduled there, had better not be, or is
// evicted.
//
//	r := match.Filter(taints, tolerations)
//	r.Schedulable() // no untolerated NoSchedule, no untolerated NoExecute
//	r.Preferred()   // schedulable, and no untolerated PreferNoSchedule
//	r.Evicted()     // some untolerated NoExecute
//
// # Rules
//
//  1. A taint is tolerated when at least one toleration matches it (see
//     package toleration); one toleration may serve many taints. Taints that
//     are not tolerated decide, by their effect.
//  2. An untolerated NoSchedule keeps the pod from being scheduled; a running
//     pod stays. An untolerated PreferNoSchedule alone never keeps it away. An
//     untolerated NoExecute keeps it away and evicts it if it runs.
//  3. A taint that is tolerated for some seconds only is tolerated here, even
//     for 0 seconds: the pod is scheduled, and its seconds begin to run.
//     [Result.Class] tells such a pod from one that may stay for good.
//  4. A node without taints is open to every pod. A cordoned node (its
//     spec.unschedulable) behaves as if it bore the taint [Cordon]: see [Node].
//  5. Several lists of tolerations (a pod's own, its queue's, its flavour's)
//     match as one list that has them one after the other.
//
// Only taints are judged. Resources, affinity and all else that a scheduler
// looks at are the caller's.
//
// # Ways to ask
//
// [Filter] takes two slices and prepares nothing. [Compile] prepares one pod's
// tolerations to be asked about many nodes. They give the same answers, for
// any number of taints and tolerations, without allocating and without
// changing their inputs; all functions may be called concurrently.
//
// # Why
//
// [Explain] tells of one taint which toleration decides for how long it is
// tolerated, or which comes nearest, why that fails, and what to add. [Reasons]
// counts over many nodes which taints keep a pod away. Both can be written
// without the values of taints and tolerations, where those must not be seen:
// see [RedactedValue].
//
// # Differences from Kubernetes
//
// The zero values of taints and tolerations match nothing, so a zero Taint in
// a list is left out of account: it has no effect that could be applied.
//
// Who wants no more than the untolerated taints asks [Untolerated], and
// [Serving] for the toleration that decides.
package match
