// Package kube converts the taints and tolerations of k8s.io/api/core/v1 to the
// library's values and back, and matches them without conversion.
//
//	r := kube.FilterNode(node, pod.Spec.Tolerations)
//	fmt.Println(r.Schedulable(), r.Evicted())
//	for i, t := range kube.Untolerated(node.Spec.Taints, pod.Spec.Tolerations) {
//		fmt.Println(i, t.Key, t.Effect) // 1 spot PreferNoSchedule
//	}
//
//	n, err := kube.Node(node)
//	if err != nil {
//		log.Print(err) // spec.taints[2].effect: unknown effect "NoAdmit" ...
//	}
//	tolerations, err := kube.Pod(pod)
//
// To match structs now and then, use the functions that take them. To use the other
// packages of the library, or to match the same objects often, convert them once. The
// taints of devices are in package dra.
//
// # Rules
//
//  1. A function that matches structs returns what package match returns for their
//     values, with the errors of the conversion ignored.
//  2. The value of an invalid struct is the zero value. The zero Taint repels all
//     pods, and never evicts. The zero Toleration matches nothing. So an error that is
//     ignored never opens a node. The other elements of a list are converted.
//  3. Valid structs are converted without loss, except that the time added has no
//     fraction of a second and no zone, as in the API's JSON. An absent operator stays
//     absent, nil stays nil, and an empty list stays empty.
//  4. An error is [validate.Problems], with every problem and the path of the field to
//     change.
//  5. [Apply], [Drop] and [Daemon] return the caller's structs wherever nothing changes,
//     with their pointers. No edit changes or removes a taint that cannot be converted;
//     one that names it is an error.
//  6. No input is modified or kept.
//
// # Differences from Kubernetes
//
// What the API server rejects is invalid here, except repeated keys and effects of a
// node's taints: see [taint.List.Validate]. Kubernetes' functions match the zero
// Toleration with every taint that has no value. Its scheduler ignores a taint without
// an effect or with an unknown one.
//
// The operators Lt and Gt are on. Up to Kubernetes 1.37 they are off by default. To
// match without them, use [WithoutNumeric]; to reject them, call
// [toleration.List.Validate] with NumericOff on the converted list.
//
// # Cost and concurrency
//
// Converting a list allocates the list, and the strings that no value has yet.
// Matching does not allocate if the taints are valid.
//
// All functions are safe for concurrent use. A nil pointer to a struct is a programming
// error: converting it panics, and matching it may panic.
package kube
