// Package admission says what a pod's tolerations become on the way into a
// cluster: the defaults, and what daemons, resources, quality of service,
// namespaces, runtime classes and nodes bring with them.
//
//	plan := admission.Plan{Seconds: admission.Seconds{NotReady: admission.For(60)}}
//	pod, err := admission.DecodePod(review.Request.Object, toleration.ListOptions{})
//	added, err := plan.OnCreate(pod)           // everything at once, or the refusal
//	patch := admission.Patch(pod.Tolerations, added)
//
// # Answers
//
// Every function but [Daemon] answers with what to add behind the pod's own
// tolerations. What a user wrote is never removed, moved or rewritten, so
// [toleration.ValidateUpdate] accepts the result as a change of the pod; and
// with what was added in place, asking again adds nothing. Each has a twin that
// appends to a slice of the caller's. Several lists of tolerations count as one
// list, the first in front; they are not modified, and must not lie in the
// spare room of the slice that is appended to.
//
// Zero Tolerations match nothing, and stand in the way of nothing.
//
// Nothing here keeps state, so everything may be used concurrently.
//
// # Rules
//
//  1. [DefaultSeconds]: a pod stays for 300 seconds on a node that is not ready
//     or cannot be reached, unless it says something of that itself.
//  2. [Daemon]: a daemon's pod stays where it is, and comes to nodes in trouble.
//  3. [MemoryPressure]: a pod that asks for processor or memory comes to nodes
//     that are short of memory.
//  4. [ExtendedResources]: who asks for a device comes to the nodes that are
//     tainted with the name of that device.
//  5. [NamespaceRestriction] reads what a namespace's annotations say: defaults,
//     of which [Missing] says what a pod lacks, and a whitelist, by which
//     [CheckWhitelist] judges a pod.
//  6. [Dedicate]: what ties a workload to the nodes that bear a taint.
//  7. [Derived]: what a pod needs for all taints of some nodes.
//  8. [Missing], of the tolerations that a runtime class brings with it.
//  9. [StaticPod]: what a kubelet does for the pods of its own files.
//
// A [Plan] does 1, 5 with 3, 4 and 8, in this order, in one call.
//
// # Differences from Kubernetes
//
// Kubernetes merges a namespace's defaults, and a runtime class's tolerations,
// by dropping whatever another toleration covers: a default of 300 seconds
// takes the place of a user's 60. Here the user's stay, stand first and decide.
// What covers what is decided by package cover: by the taints that are
// tolerated, not field by field. Kubernetes replaces a static pod's own
// wildcard when that has seconds; here the new one is added behind it. It takes
// a namespace's annotation for what it is as long as it decodes, fields' names
// in any letters; here what no pod could have is a problem with its path, and so
// is a name in other letters than the API's.
//
// Who serves the admission API needs a server around this: package
// admission reads and answers, and opens no connection.
package admission
