// Capacity counts, for each pod of a stream, the nodes of a fleet that it may use,
// as to the nodes' taints: first while the fleet is unchanged, then while nodes
// become not ready and ready again. It prints how many pods a second that makes,
// for how many nodes the pods fit, and what keeps them from the others.
//
//	capacity                                    # a fleet of 100,000 nodes
//	capacity -nodes 1000000 -pools 500 -seed 7
//	kubectl get nodes,pods -A -o json | capacity -
//	capacity -pods 100000 nodes.json
//
// A fleet that is not read is made from the flags and the seed: the same each
// time. So are the pods, unless the input has some: then the tolerations are
// theirs. Each run takes -time, unless -pods gives the number of pods.
//
// The readers query snapshots, without a lock; the writer of the second run
// publishes a new one every few milliseconds. In the end the answers are held
// against the plain filter, node by node.
//
// The exit status is 0, or 1 when the two disagree, or 2 for bad flags or bad input; what can be read of a
// bad input is used nevertheless.
package main
