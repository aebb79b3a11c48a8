// Package fleet answers, for all nodes of a fleet at once, what package match
// answers for one: which may a pod be scheduled to, which had better not be,
// and which would evict it.
//
//	var x fleet.Index[string]                // by node name
//	x.Put("n1", match.Node{Taints: taints})  // one goroutine writes
//	s := x.Snapshot()                        // any number ask
//
//	var a fleet.Answer[string]               // one a goroutine, used again and again
//	s.Query(&a, pod)
//	a.Schedulable()                          // how many nodes
//	for id := range a.Nodes() { ... }        // which
//
// A fleet has few distinct taint lists, and a pod's tolerations reach few of
// these. So the nodes are kept by list, and a question costs as much as the
// tolerations reach, not as much as there are nodes.
//
// # Rules
//
//  1. The answers are those of [match.Node.Filter] for every node.
//  2. A node's list is the set of its taints: order, repeats and times added
//     make no difference, and a cordoned node bears [match.Cordon]. So there is
//     no first untolerated taint here; and where a list that the API server
//     would refuse repeats a taint, [Verdict.Count] counts it once.
//  3. No answer depends on the order of changes, but for the order in which
//     things are yielded. That stays the same for one snapshot and the same
//     tolerations, asked about in the same way.
//
// # How it works
//
// Each distinct list is kept once, with the number of nodes that bear it. So
// is, for each, the part that keeps pods away and the part that evicts: how
// many nodes are schedulable, preferred and not left is the sum over the lists
// that are tolerated as a whole. The lists without NoSchedule and NoExecute,
// such as the empty one, need no search: their sum is known.
//
// A list can be tolerated only when each of its taints is, so it hangs on one,
// the rarest. A toleration finds the taints it matches by key and
// value, by key, or among the integers of a key in order; then every list that
// hangs on these is looked at in full.
//
// # What it costs
//
// Let r be the number of lists that hang on a taint that the pod tolerates: a
// handful for an ordinary pod in an ordinary fleet. Under Lt and Gt the
// matching integers of the key count as well, under whatever effect. Distinct
// lists and taints are the most that the Index ever held at once.
//
//	Index.Put, Index.Remove   O(taints · log taints); 0 allocations in the long run, but for the first after a snapshot and new lists
//	Index.Snapshot            O(1); 1 allocation
//	Snapshot.Query            O(tolerations + r · taints · tolerations); 0 allocations
//	Snapshot.QueryMemo        a look-up, when the same was asked before; 1 allocation for the first time after a change
//	counts                    O(1)
//	Nodes, Lists              what they yield; 0 allocations
//	Node, Slot                O(taints · tolerations); 0 allocations
//	Bitmap                    a bit a slot, and what fits; 0 allocations
//	AppendReasons             O(distinct taints · tolerations); 0 allocations
//	Since                     what has changed
//
// An Index of ids of 8 bytes takes some 20 bytes a node once loaded, and at
// most 32: the id (8), its list (4), its place in a hash table (5), and its
// place in the list (up to 2); the rest is the distinct lists. Where every
// node has a list of its own, that is about 300 bytes a node. An id that
// points to memory, such as a string, keeps that too. Removed nodes leave
// their slots to others; an Index does not shrink below the most nodes that it
// held.
//
// What a pod reaches can be made large: by tolerations without a value, or
// without a key but with an effect, where nearly every node has a taint of its
// own. Then a query costs about 100 ns for each list reached.
//
// # Many readers, many processes
//
// A Snapshot never changes, so any number of goroutines ask the same one
// without a lock. A writer hands it over as it likes, by an [atomic.Pointer]
// for example. A snapshot costs the writer a copy of each page that changes
// before the next, and of the directories of these pages: some tens of
// kilobytes in a fleet of few distinct lists, some hundreds where 400,000
// nodes have a list of their own. So some hundred snapshots a second are
// cheap, and one for each change is not.
//
// On paper, for 10,000,000 nodes and 1,000,000 pods a second: the nodes take
// 10^7 · 20 bytes = 200 MB, and as much again at worst while an old snapshot
// is held and everything changes. A pod whose tolerations are new costs about
// 0.5 to 1 us, one whose tolerations were asked about before 0.2 us: 10^6 a
// second are one core at best and one or two at worst, on one snapshot that
// all cores share; yielding the nodes costs extra, some nanoseconds each.
// Changes cost 0.3 to 2 us between two snapshots, so a single writer takes
// some 500,000 a second when it takes a snapshot every ten milliseconds.
// Nothing here needs more than one machine.
//
// To use more than one, shard by node: each process keeps the nodes whose id
// hashes to it, every question goes to all, and their numbers add up:
// schedulable, preferred, evicted, the nodes of equal lists and of equal
// reasons. Nothing else is needed, since no answer about a node depends on
// another node.
//
// # Who should use something else
//
// For some dozen nodes, [match.Filter] in a loop is as fast and needs nothing
// kept. Only taints are judged: resources, affinity and all else are the
// caller's, who may intersect by slot ([Answer.Bitmap]).
//
// [atomic.Pointer]: https://pkg.go.dev/sync/atomic#Pointer
package fleet
