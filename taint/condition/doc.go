// Package condition computes the taints that a node's conditions require, as Kubernetes'
// node lifecycle controller does, and selects well-known taints.
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
// # Rules
//
//  1. These require a taint with NoSchedule: Ready False ([NotReady]) and Unknown
//     ([Unreachable]); MemoryPressure, DiskPressure, PIDPressure and NetworkUnavailable
//     True (the key of that name); a cordon ([Unschedulable]).
//  2. The first Ready condition requires a taint with NoExecute: [NotReady] if it is
//     False, [Unreachable] if Unknown, none if True. Otherwise these two do not change.
//  3. A node's first taint of rule 2 waits for the rate of its zone, which package
//     taint/disruption limits. All other changes are immediate.
//
// # Differences from Kubernetes
//
// The controller renews a taint of rule 2, without its value, when it queues the node or
// removes the other one, and removes both from a node that it sees for the first time.
package condition
