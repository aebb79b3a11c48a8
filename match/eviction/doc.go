// Package eviction decides when a running pod must be evicted from its node, and
// holds the deadlines of many pods.
//
//	var schedule eviction.Schedule[string]
//	for _, pod := range podsOf(node) { // the node changed
//		schedule.Update(pod.Name, node.Taints, now, toleration.First, pod.Tolerations)
//	}
//	for name, deadline := range schedule.Due(now) {
//		evict(name, deadline)
//	}
//
// This is what Kubernetes' controller does. A program that has no schedule, but
// knows when taints were added, uses [Decide]:
//
//	opts := eviction.Options{Arrived: pod.Start}
//	decision := eviction.Decide(observed, now, opts, pod.Tolerations)
//
// # Rules
//
//  1. Only NoExecute taints count. If one is not tolerated, the pod must be
//     evicted now.
//  2. Otherwise each taint has a deadline: a start plus the seconds of its
//     toleration. Without seconds it has none; 0 or fewer mean now.
//  3. A deadline that is not after now is due.
//  4. If several tolerations match a taint, [toleration.Choice] selects one.
//  5. In Kubernetes a pod has one start, at which its eviction is first scheduled,
//     and one deadline, that of the fewest seconds at that time. It is kept until
//     the pod tolerates all taints permanently or one is untolerated.
//
// # Each taint for itself
//
// So a taint that is tolerated for 30 seconds has no effect if it is added after
// one that is tolerated for 300. With PerTaint, each taint has
// its own start, which it keeps while the node has a taint of that key and effect,
// and the earliest deadline counts:
//
//	observed = eviction.Observe(observed, node.Taints, now) // the node changed
//	opts := eviction.Options{PerTaint: true, Arrived: pod.Start}
//	schedule.Set(pod.Name, eviction.Decide(observed, now, opts, pod.Tolerations))
//
// # Time
//
// The caller passes the time: the package has no clock, timer or goroutine.
// Times are of the wall clock, in nanoseconds, and returned in UTC. The zero
// time means unknown or none. If the clock is set back, starts and deadlines
// stay. A deadline that no [time.Time] can hold is never.
//
// # Controllers
//
// Before a restart, store the States; then use [Schedule.Restore], and call
// [Schedule.Update] for every pod. Kubernetes' controller stores nothing: after its
// restart, seconds start again. Deadlines of [Decide] are the same if the observed
// taints were stored, or if each Since is the time added of its taint.
//
// # Differences from Kubernetes
//
// [Decide] evaluates the present taints and tolerations; in Kubernetes a deadline can
// be that of a taint that is gone. Seconds above 9,223,372,036 overflow in Kubernetes,
// and some evict at once; not here.
//
// To check only whether a pod must be evicted now, use package match.
package eviction
