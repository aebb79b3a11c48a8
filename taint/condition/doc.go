// Package condition tells where a node's taints come from: the well-known keys,
// the taints that a node's conditions and its cordon call for and how a list is
// brought in line with them, classes of taints, and how fast the nodes of a
// zone may be told to lose their pods.
//
//	taints, change := condition.Reconcile(node, condition.Options{At: now})
//	if _, ok := change.Waiting(); ok {
//		cluster.Add(zone, name) // its NoExecute taint waits for the zone's rate
//	}
//
// # Rules
//
//  1. Conditions call for NoSchedule taints ([NoSchedule]): Ready False for
//     [NotReady], Ready Unknown for [Unreachable], MemoryPressure,
//     DiskPressure, PIDPressure and NetworkUnavailable True for the taint of
//     that name, and a cordoned node for [Unschedulable].
//  2. Ready alone calls for a NoExecute taint ([NoExecute]): False for
//     [NotReady], Unknown for [Unreachable], never both. True calls for
//     neither. Where a node has no Ready condition, nothing is known, and the
//     NoExecute taint that is there stays.
//  3. Reconciling ([Reconcile]) touches these taints alone, by key and effect.
//     All others stay, in their order; what stays keeps its value and its time
//     added; new taints come last. Done twice, it does nothing new.
//  4. A node gets its first NoExecute taint at its zone's rate, so that a
//     control plane that has lost sight of a zone does not empty it. Everything
//     else happens at once: NoSchedule taints, a NoExecute taint that takes the
//     place of the other, and every removal.
//  5. A zone is in full disruption when it has nodes and none is ready, in
//     partial disruption when more than two are not ready and their share has
//     reached a threshold, else normal ([Rates.State]). The state gives the
//     rate ([Rates.Rate]): one node in ten seconds, less or none in a partial
//     disruption.
//  6. When every zone that has nodes is in full disruption, the fault is more
//     likely with the observer: no node gets a NoExecute taint any more, and
//     the ones of rule 2 come off once, on entering ([Transition]).
//
// Nothing here has a clock or a goroutine: times are the caller's.
//
// # What is the caller's
//
// Finding out that a node is no longer heard of, and setting its conditions to
// Unknown. Writing the taints to the API, and trying again where that fails.
// Giving nodes a new grace period when the cluster has come back from full
// disruption everywhere. Telling pods that their node is not ready.
//
// # Differences from Kubernetes
//
// Kubernetes' controller renews a NoExecute taint that stays, without its value
// and with another time added, when it first queues the node or takes the other
// taint off; and it takes both off every node that it has not seen before, as
// after each start of its own.
//
// It changes a zone's rate only when its state changes, so a zone in partial
// disruption that outgrows the size of a large one keeps its rate; here the
// rate follows the size. Whether all zones are lost depends here on the nodes
// that are there; zones that come and go meanwhile confuse it. It takes a zone
// that has only nodes excluded from disruption checks for a new one at every
// pass. Its rates are float32, so its ten seconds are 149 ns short. It
// queues the nodes of a zone anew at every pass, in no fixed order; here the
// first to wait is the first to be tainted. When all zones are lost, it empties
// its queues and fills them again; here nodes keep their places.
//
// Who wants to change taints by hand, as kubectl taint does, uses package taint.
package condition
