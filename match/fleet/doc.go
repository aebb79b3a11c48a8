// Package fleet indexes the taints of many nodes. It returns for all of them what package
// match returns for one.
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
// for each [Group.Number] what you need, such as a bitmap of its nodes, and make it again
// for another [Group.Version]. From time to time, delete the numbers that
// [Answer.AllGroups] does not yield. The example "Autoscaler" does this.
//
// # What if
//
// To evaluate a change first:
//   - Nodes join: call [match.Node.Schedulable] for one of them.
//   - All nodes lose a taint: query with one more toleration, of that taint.
//   - Any other change: make it in a [Snapshot.Fork].
//
// # Cost
//
// Each group is indexed under its rarest taint, and a query visits the groups under
// tolerated taints: usually a handful, but possibly all for a toleration without a key or
// value. For t taints of a node, and r visited groups:
//
//	Index.Put, Index.Remove   O(t log t) on average
//	Snapshot.Query            O(tolerations + r·t)
//	Answer.Node               O(t)
//	Answer.TopReasons         O(d log n) for d distinct taints, and n reasons
//
// Counts are O(1). With an id of 8 bytes, a node takes about 34 bytes, in small fleets 50;
// a group about 520. The memory of removed ones is reused, not released.
//
// A change after a snapshot copies O(√n) bytes, for the most nodes that there were.
// Hundreds of snapshots a second are cheap; one for each change is not.
package fleet
