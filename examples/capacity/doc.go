// Capacity counts, for each pod of a stream, the nodes of a fleet whose taints it
// tolerates: first while the fleet is unchanged, then while nodes become not ready and
// ready again. It prints how many pods per second it evaluates, on how many nodes the
// pods can be scheduled, and which taints repel them from the others.
//
//	capacity                                    # a fleet of 100,000 nodes
//	capacity -nodes 1000000 -pools 500 -seed 7
//	kubectl get nodes,pods -A -o json | capacity -
//	capacity -pods 100000 nodes.json
//
// Without input, the fleet is made from the flags and the seed, and is the same each
// time. So are the pods, unless the input has pods: then their tolerations are used.
// Each run takes -time, unless -pods sets the number of pods.
//
// The readers query snapshots without a lock; the writer of the second run publishes a
// new one every few milliseconds. At the end the answers are compared with the plain
// filter, node by node.
//
// The exit status is 0, or 1 if the two disagree, or 2 for bad flags or bad input. The
// valid part of a bad input is used.
package main
