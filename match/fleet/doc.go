// Package fleet indexes the taints of many nodes. It returns for a whole fleet
// what package match returns for one node: which nodes a pod can be scheduled
// to, which it prefers, and from which it is evicted.
//
//	var x fleet.Index[string] // changed by one goroutine
//	x.Put("n1", match.Node{Taints: taints})
//	s := x.Snapshot() // immutable, for any number of goroutines
//
//	var a fleet.Answer[string] // one for each goroutine, reused
//	s.Query(&a, tolerations)
//	fmt.Println(a.Schedulable(), "of", s.Len(), "nodes")
//	for id := range a.Nodes() {
//		fmt.Println(id)
//	}
//
// A query costs what its tolerations reach, whatever the number of nodes.
//
// For a few dozen nodes, use [match.Filter] in a loop. To combine an answer
// with filters of your own, use small integers as ids, and bitmaps. To find out
// what a change of the fleet would mean, use [Snapshot.Fork]; if a taint of all nodes
// were gone, query with one more toleration, of exactly that taint.
//
// # Rules
//
//  1. The answers are those of [match.Node.Filter] for each node.
//  2. The taints of a node are a set: order, repetition and times added make no
//     difference, and a cordoned node has [match.CordonTaint].
//  3. The zero [taint.Taint] in a node's list is a taint that could not be
//     read. No toleration matches it. It counts as a NoSchedule taint, and it
//     never evicts.
//  4. Answers do not depend on the order of changes, except for the order in
//     which iterators yield.
//
// # Cost
//
// A [Group] is all nodes with the same taints. A query reaches a group if the
// pod tolerates the rarest of its taints. It usually reaches a handful. Where
// every node has taints of its own, a toleration without a value or a key can
// reach all groups. For nodes with t taints, and r groups that the query reaches:
//
//	Index.Put, Index.Remove   O(t log t)
//	Snapshot.Query            O(tolerations + r·t)
//	Answer.Node               O(t)
//	Answer.TopReasons         O(d log n) for d distinct taints, and n reasons
//
// The numbers of nodes are O(1), and iterators cost what they yield. With Lt and
// Gt, a query also visits each value of the key; without a key, all keys.
//
// A node with an id of 8 bytes takes about 34 bytes, in small fleets 50; a group
// about 500. An Index grows in small steps, so that no Put takes much longer than
// others. The memory of removed nodes and groups is reused, not released.
//
// # Concurrency
//
// Any number of goroutines can query a Snapshot without a lock. A writer can
// publish it in an atomic.Pointer. After a snapshot, the Index copies each
// page of memory that it changes, some tens of kilobytes as a rule. Hundreds
// of snapshots a second are cheap; one for each change is not.
package fleet
