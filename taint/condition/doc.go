// Package condition computes the taints that a node's conditions require, as Kubernetes'
// node lifecycle controller does, and selects well-known taints. See the
// package example.
//
// # Rules
//
//  1. These require a taint with NoSchedule: Ready False ([NotReady]) and Unknown
//     ([Unreachable]); MemoryPressure, DiskPressure, PIDPressure and NetworkUnavailable
//     True (the key of that name); a cordon ([Unschedulable]).
//  2. The first Ready condition requires a taint with NoExecute: [NotReady] if it is
//     False, [Unreachable] if Unknown, none if True. If the node has no such condition, or
//     one with another status, these two taints do not change.
//  3. A node's first taint of rule 2 waits for the rate of its zone, which package
//     taint/disruption limits. All other changes are immediate.
package condition
