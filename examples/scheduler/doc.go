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
// A pod requests the sum of its containers' requests (or limits, if there is no
// request) or, if greater, the request of an init container, plus the overhead of its
// runtime class. Requests of the pod replace those of its containers. Resizes in
// place, which the pod's status reports, are ignored. The tolerations of a runtime
// class are added to the pod's.
//
// The score of a node is 3 times its score for taints, 0 to 100, higher with fewer
// untolerated PreferNoSchedule taints, plus its score for room, 0 to 100, the share of
// CPU and memory that stays free. One of the best nodes is drawn at random, always the
// same for the same -seed.
//
// Affinity, spreading, ports and volumes are ignored, and the output lists them for
// each pod that has them. Nothing is preempted.
//
// The exit status is 0 if every pod was scheduled, 1 if not, and 2 for bad flags or bad
// input. The valid part of a bad input is used.
package main
