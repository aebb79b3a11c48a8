// Package eviction decides when a running pod must be evicted from its node, and
// holds the deadlines of many pods.
//
//	var schedule eviction.Schedule[string]
//	observed = eviction.Observe(observed, node.Taints, now) // the node changed
//	for _, pod := range podsOf(node) {
//		opts := eviction.Options{Arrived: pod.Start}
//		schedule.Update(pod.Name, observed, now, opts, pod.Tolerations)
//	}
//	for name, deadline := range schedule.Due(now) {
//		evict(name, deadline)
//	}
//
// # Rules
//
//  1. Only NoExecute taints count. If one is not tolerated, the pod must be
//     evicted now.
//  2. Otherwise each taint has a deadline: its start plus the seconds of its
//     toleration. Without seconds it has none; 0 or fewer mean now. The first
//     of the earliest deadlines decides.
//  3. A deadline that is not after now is now.
//  4. If several tolerations match a taint, [Options.Choice] selects one.
//  5. Each taint has its own start ([Options.Start]), which it keeps while the
//     node has a taint of that key and effect.
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
// After a restart, call [Schedule.Update] for every pod. Deadlines are the same
// if the observed taints were stored, or with [FromAdded] if the taints
// have a time. With [Sticky], store the States and use [Schedule.Restore].
//
// # Differences from Kubernetes
//
// Kubernetes keeps one start and one deadline for a pod, as [Sticky] does.
// There a taint that is tolerated for 30 seconds has no effect if it is added
// after one that is tolerated for 300. Seconds above 9,223,372,036 overflow in
// Kubernetes, and some evict at once; not here.
//
// To check only whether a pod must be evicted now, use package match.
package eviction
