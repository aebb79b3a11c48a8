// Package eviction decides when a running pod must be evicted from its node, and holds
// the deadlines of many pods.
//
//	var schedule eviction.Schedule[string]
//	for _, pod := range podsOf(node) { // the node changed
//		schedule.Update(pod.Name, node.Taints, now, toleration.First, pod.Tolerations)
//	}
//	for name, deadline := range schedule.Due(now) {
//		evict(name, deadline)
//	}
//
// A program that has no schedule, but knows when taints were added, uses [Decide]. To
// check only whether a pod must be evicted now, use package match.
//
// # Rules
//
//  1. Only NoExecute taints count. If one is untolerated, the pod must be evicted now.
//  2. Otherwise the deadline is a start plus the seconds of a toleration. Without seconds
//     there is none; a negative number is 0. A deadline that is not after now is due.
//  3. If several tolerations match a taint, [toleration.Choice] selects one.
//  4. As in Kubernetes, a pod has one start, when its eviction is first scheduled, and
//     then one deadline, by the fewest seconds. They are kept until the pod tolerates all
//     taints forever or one is untolerated. So a taint with 30 seconds that is added
//     after one with 300 has no effect.
//  5. With [Options.PerTaint], each taint has a start, kept while the node has a taint of
//     that key and effect, and the earliest deadline counts. See [Observe] and
//     [Schedule.Set].
//
// The package has no clock, timer or goroutine. Times are of the wall clock, and returned
// in UTC. The zero time means unknown or none. If the clock is set back, starts and
// deadlines stay. If no [time.Time] can hold a deadline, there is none.
//
// Before a restart, store the States; then use [Schedule.Restore], and call
// [Schedule.Update] for every pod. In Kubernetes, seconds start again.
//
// # Differences from Kubernetes
//
// [Decide] evaluates the present taints and tolerations; in Kubernetes a deadline can be
// that of a taint that is gone.
package eviction
