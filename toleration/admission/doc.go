// Package admission computes the tolerations that pods get on admission to a cluster:
// default seconds, and those of daemons, resources, quality of service, namespaces,
// runtime classes and dedicated nodes.
//
//	restriction, err := admission.NamespaceRestriction(annotations, admission.Restriction{}, "")
//	plan := admission.Plan{Restriction: restriction}
//	pod, _, err := admission.DecodePod(object, "")
//	added, err := plan.OnCreate(pod) // err is the refusal
//
// Functions, except [Daemon], return the tolerations to append to the pod's. With these,
// the same call returns nil. Functions do not change lists, and are safe for concurrent
// use. They are O(n·log n) for n tolerations and resources. Errors are
// [validate.Problems].
//
// # Rules
//
// A [Plan] applies these, in this order:
//
//  1. [DefaultSeconds]: a pod stays for 300 seconds on a node that is not ready or
//     unreachable.
//  2. [NamespaceRestriction]: a namespace's default tolerations and whitelist.
//  3. A [Burstable] or [Guaranteed] pod tolerates
//     node.kubernetes.io/memory-pressure:NoSchedule.
//  4. A pod that requests an extended resource such as example.com/gpu tolerates
//     NoSchedule taints with this key, by the operator Exists. The name has a '/', not
//     "kubernetes.io/", and is a valid key with the prefix "requests.", which it does not
//     have.
//  5. The tolerations of a runtime class.
//
// # Differences from Kubernetes
//
// Kubernetes removes each toleration that another covers (see package cover): a default
// of 300 seconds replaces a user's 60. Here the user's decide. Kubernetes accepts every
// annotation that it can decode; here tolerations that no pod can have, and names of
// fields in the wrong case, are errors.
package admission
