// Package fleet indexes the taints of many nodes. A query returns the nodes to which a pod
// can be scheduled, and the reasons why it cannot be scheduled to the others.
//
//	var x fleet.Index[string] // changed by one goroutine
//	x.Put("n1", match.Node{Taints: taints})
//	s := x.Snapshot() // immutable, for any number of goroutines
//
//	var a fleet.Answer[string] // one for each goroutine, reused
//	s.Query(&a, tolerations)
//	fmt.Println(a.Counts())
//	for id := range a.Nodes() {
//		fmt.Println(id)
//	}
//
// The taints of a node are a set: order, repetition and times added make no difference.
// For a few dozen nodes, use [match.Node.Filter] in a loop.
//
// # Groups
//
// A [Group] is all nodes with the same taints. To combine answers with your own data, keep
// what you compute for a group under its [Group.Number], such as a bitmap of its nodes.
// Rebuild it when [Group.Version] changes, and delete it when the snapshot does not have the
// group any more: see the example Autoscaler in example_autoscaler_test.go. To count the
// nodes of each node group of a cloud provider, see the example NodeGroups.
//
// A group's taints are in an order of their own: the cordon's first, then the others, sorted.
// So the first untolerated taint of a group can differ from that of [match.Node.Blocking],
// which is the first in the order of the node.
//
// # What if
//
// To evaluate a change first:
//   - Nodes join, even a pool that has none yet: call [match.Node.Schedulable] for one of
//     them, or for the pool's template.
//   - All nodes lose a taint: query with one more toleration, of that taint.
//   - Any other change: make it in a [Snapshot.Fork].
//
// # Cost
//
// Each group is indexed under its rarest taint, and a query visits the groups under
// tolerated taints: usually a handful, but possibly all for a toleration without a key or
// value. For t taints of a node, and r visited groups:
//
//	Index.Put, Index.Remove   O(t log t), amortized
//	Snapshot.Query            O(tolerations + r·t)
//	Answer.Node               O(t)
//	Answer.TopReasons         O(d log n) for d distinct taints, and n reasons
//
// Counts are O(1). With an id of 8 bytes, a node takes about 34 bytes, in small fleets 50;
// a group about 320. The memory of removed ones is reused, not released.
//
// A change after a snapshot copies O(√n) bytes, for the most nodes that there were.
// Hundreds of snapshots a second are cheap; one for each change is not.
package fleet
