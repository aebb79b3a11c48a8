// Package impact tells what a change of nodes' taints will do to pods, before
// it is made: who is evicted, at once or at a time, whose eviction is put off
// or called off, who may newly be scheduled there, and who no longer.
//
//	plan := impact.New(impact.Options{Now: now}, impact.Node{Before: node, After: changed})
//	for _, e := range plan.Evictions(running) { ... } // pods that are touched
//	for _, w := range plan.Placements(waiting) { ... }
//
// # Rules
//
//  1. Running pods are touched by NoExecute taints alone. What counts is the
//     difference: when the pod would have to go without the change, and when
//     with it (package eviction). A pod that has to go now anyway, or at the
//     same time as before, is not touched.
//  2. A taint that stays keeps the time at which it was observed, even under
//     another value; a new one is observed now. Other taints than NoExecute,
//     and a cordon, never evict.
//  3. Waiting pods are touched by all taints and by a cordon. Of one node the
//     question is whether the pod may be scheduled there, of a pool on how
//     many of its nodes. PreferNoSchedule keeps nobody away, so it is told
//     apart: as a node liked more or less.
//
// A running pod can be asked about as a waiting one is: whether it could come
// back.
//
// Only taints are judged. Whether a node has room, what disruption budgets say
// of an eviction, and where an evicted pod goes are not.
//
// Package taint makes the changed list, from edits or from a template. Who has
// made the change already asks package eviction.
package impact
