// Package condition computes the taints that a node's conditions require, as
// Kubernetes' node lifecycle controller does, and selects well-known taints.
//
//	node := condition.NodeStatus{Taints: taints, Conditions: conditions}
//	after, changes := condition.Reconcile(node, condition.Options{At: now})
//	for i, t := range changes.Removed() {
//		… // t was taints[i]
//	}
//	if t, ok := changes.Waiting(); ok {
//		… // see package taint/disruption
//	}
//	own := condition.Temporary().Drop(after) // without temporary taints
//
// To limit how fast nodes get NoExecute taints, use package taint/disruption; to
// edit taints as kubectl taint does, package taint.
//
// # Rules
//
//  1. These require a taint with NoSchedule: Ready False ([NotReady]) and
//     Unknown ([Unreachable]); MemoryPressure, DiskPressure, PIDPressure and
//     NetworkUnavailable True (the key of that name); a cordon
//     ([Unschedulable]).
//  2. The first Ready condition requires a taint with NoExecute: [NotReady] if
//     it is False, [Unreachable] if Unknown, none if True. With another status,
//     or without Ready, these two do not change.
//  3. [Reconcile] changes only taints with these keys and effects. The others
//     keep their order; taints that stay keep their values and times added; new
//     taints are last. Reconciling again changes nothing.
//  4. A node's first taint of rule 2 waits for the rate of its zone, because a
//     control plane that loses its network must not evict every pod. All other
//     changes are immediate.
//
// # Differences from Kubernetes
//
// The controller renews a taint of rule 2, without its value, when it queues the
// node or removes the other one. It also removes both from every node that it
// sees for the first time.
package condition
