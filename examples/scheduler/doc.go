// Scheduler schedules pods as Kubernetes' documentation describes it: filter the
// nodes that can take a pod, score those, and choose the best.
//
//	scheduler                                  # a sample cluster
//	kubectl get nodes,pods,runtimeclasses -A -o json | scheduler -
//	scheduler -seed 7 -o json nodes.json pods.json
//
// The pods that wait for a node are scheduled by priority, then by age, then as in
// the input. Each gets what those before it left.
//
// The filter requires of a node
//
//   - that the pod tolerates its NoSchedule and NoExecute taints (package
//     match), the cordon among them;
//   - that it has the labels of the pod's nodeSelector, and of its runtime class;
//   - that what the node can allocate, less the requests of the pods that are
//     there, is enough, for every resource, the number of pods included.
//
// A pod requests what its containers request together (or their limits, where
// there is no request) or, if that is more, what an init container does, and
// the overhead of its runtime class on top. Requests of the pod as a whole take the
// place of its containers'. What a resize in place has changed so far, which a pod's
// status reports, is not looked at. A runtime class's tolerations are
// added to the pod's.
//
// The score of a node is 3 times that for taints, 0 to 100, fewer untolerated
// PreferNoSchedule taints being better, and once that for room, 0 to 100, the
// share of CPU and memory that would stay free. Of equally good nodes one is
// drawn at random, always the same for the same -seed.
//
// Affinity, spreading, ports and volumes are not looked at; a pod that requests
// one of them is scheduled without, and the output says so. Nothing is preempted.
//
// The exit status is 0 when every pod has found a node, 1 when some has not,
// and 2 for bad flags or bad input; what can be read of a bad input is used
// nevertheless.
package main
