// Package admission computes the tolerations that pods get on admission to a
// cluster: default seconds, and those of daemons, resources, quality of service,
// namespaces, runtime classes and nodes.
//
//	restriction, err := admission.NamespaceRestriction(annotations, admission.Restriction{}, "")
//	plan := admission.Plan{Restriction: restriction}
//
//	pod, _, err := admission.DecodePod(object, "")
//	added, err := plan.OnCreate(pod) // err is the refusal
//
// # Results
//
// Every function except [Daemon] returns the tolerations to append to the
// pod's. With the result appended, the same call returns nil.
//
// Zero Tolerations are ignored. Functions do not change lists, and are safe for
// concurrent use. They are O(n·log n), where n is the number of all tolerations and
// resources. They allocate one list, and working memory for more than 32 tolerations.
//
// # Rules
//
//  1. [DefaultSeconds]: a pod stays for 300 seconds on a node that is not ready or
//     unreachable.
//  2. [Daemon]: a daemon's pod stays on such nodes, and tolerates pressure.
//  3. Quality of service: a [Burstable] or [Guaranteed] pod tolerates
//     node.kubernetes.io/memory-pressure with NoSchedule.
//  4. Extended resources: a pod that requests example.com/gpu tolerates taints with
//     this key and NoSchedule, with the operator Exists; a wildcard does not replace
//     this toleration. An extended resource has a name with a '/', without
//     "kubernetes.io/" in it, that is a valid key with the prefix "requests.", but
//     does not have this prefix.
//  5. [NamespaceRestriction]: a namespace's default tolerations and whitelist.
//  6. [Dedicate]: the toleration and the node affinity of dedicated nodes.
//  8. The tolerations of a runtime class.
//
// A [Plan] applies rules 1, 5, 3, 4 and 8, in this order.
//
// # Differences from Kubernetes
//
// Kubernetes merges tolerations by removing each one that another covers: a default
// of 300 seconds replaces a user's 60. Here the user's tolerations stay first and
// decide. Package cover defines what covers what. Kubernetes accepts every
// annotation that it can decode; here a toleration that no pod can have, and the name
// of a field in another case, are errors.
//
// Lt and Gt are valid; a cluster rejects them by default. To reject them too, use
// [toleration.List.Validate] with NumericOff.
//
// For allow and deny clauses about taints, use package policy.
package admission
