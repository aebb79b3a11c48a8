// Package eviction answers when a running pod must go: never, now, or at a
// time, and keeps the deadlines of many pods on the caller's clock.
//
//	observed = eviction.Observe(observed, node.Taints, now) // the node changed
//	d := eviction.Decide(now, observed, eviction.Policy{}, pod)
//
//	var s eviction.Schedule[string] // of a whole cluster's pods
//	change := s.Update("web-0", now, observed, pod)
//	for id, deadline := range s.Due(now) { ... }
//
// # Rules
//
//  1. Only NoExecute taints count. Without one a pod stays for good; when one
//     is not tolerated it must go now, whatever the others say.
//  2. Otherwise each taint has a deadline: its start, plus the seconds of the
//     toleration chosen for it. A toleration without seconds gives no deadline,
//     and 0 or fewer seconds give now. The earliest deadline decides; of equal
//     ones that of the first taint.
//  3. A deadline that is not after now is now.
//  4. When several tolerations match a taint, a [toleration.Policy] chooses.
//  5. When the seconds start, a [Start] says: when the taint was observed on
//     its node, or when it was added to it. Each taint has its own start, and
//     keeps it as long as the node bears a taint of that key and effect,
//     whatever its value.
//
// # Time
//
// Nothing here has a clock, a timer or a goroutine: the caller says what time
// it is, so that a controller, a simulation and a test all work alike. Times
// are those of the wall clock to the nanosecond, whatever their location; a
// monotonic reading is left out of account, since it does not survive a
// restart. Times that are returned are in UTC.
//
// A clock that is set back moves no deadline. The zero time stands for one that
// is not known, or is none, so the clock of a simulation should start at another.
//
// A deadline is exact as far as a [time.Time] reaches, some 292 billion years.
// One that would lie beyond is none.
//
// # Controllers
//
// A pod's deadline changes with its tolerations and its node's taints.
// [Schedule.Update] takes in what holds now and tells what that changes:
// nothing, or that the pod's eviction is scheduled, moved, cancelled or due.
// [Reevaluate] does so for who keeps a pod's [State] himself. A controller that
// has lost everything calls Update for every pod and has the same deadlines
// again when seconds start [FromAdded] and the taints tell when that was, or when
// it has kept what was observed; with [Sticky] it has to keep the States, and to
// [Schedule.Restore] them. Restore is also how an eviction that was refused is
// tried again later.
//
// A pod that came to its node later than a taint did would have its seconds
// run out, or be gone, before it came. Give it seconds of its own with
// [Arrived], which [FromAdded] passes over where a taint tells its own time.
//
// # Differences from Kubernetes
//
// Kubernetes' controller keeps one start and one deadline for a pod, and leaves
// them as they are whatever comes, until all is tolerated for good or something
// is not tolerated. So a taint tolerated for 30 seconds that comes beside one
// tolerated for 300 is without effect, and one tolerated for 300 seconds that
// takes the place of one tolerated for 30 still evicts after 30. Here each taint
// has its own start, and the earliest deadline always decides; [Sticky] does
// as Kubernetes does. Seconds above 9,223,372,036 overflow there, so that some
// huge numbers evict at once; here they do not, under no policy.
//
// Who only wants to know whether a pod must go now asks package match.
package eviction
