// Package impact evaluates a change of nodes' taints before it is made: which running
// pods will be evicted, and where waiting pods can be scheduled. See the
// package example; for a script that reads the JSON of kubectl, see the example Kubectl in
// example_kubectl_test.go.
//
// # Rules
//
//  1. An [Eviction] compares two decisions of package eviction, without and with the
//     change. A pod with the same deadline in both, or evicted now in both, is Unchanged.
//  2. A taint whose key and effect are on both sides keeps its time. A new taint is
//     observed when the change is made.
//  3. The zero Options predict what Kubernetes does: the change does not move a deadline,
//     but may cancel it or evict now. With PerTaint, the new deadline is that of package
//     eviction.
//
// Resources, disruption budgets and where evicted pods are scheduled are not evaluated.
package impact
