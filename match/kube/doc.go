// Package kube converts the taints and tolerations of k8s.io/api/core/v1 to the
// library's values and back, and matches them without conversion.
//
//	r := kube.FilterNode(node, pod.Spec.Tolerations)
//	fmt.Println(r.Schedulable(), r.Evicted()) // or kube.SchedulableNode alone
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
// # Structs or values
//
// To match objects from the API as Kubernetes does, and to edit the taints of a node, use
// the functions that take structs. They need no conversion, and return no errors:
//
//	can the pod be scheduled, is it evicted    Schedulable, SchedulableNode, Filter, FilterNode
//	which taint repels it                      Untolerated
//	until when pods can stay                   Deadline, Seconds
//	is a taint there, or one of a set          Find, FindAny
//	add a taint, or replace one                Put, Merge, ReplaceKey
//	remove a taint, or those of a set          Remove, Drop
//	follow the taints of a template            Propagate
//	are two lists of tolerations equal         EqualSets, EqualSetsUntimed
//
// A set is a [condition.Selector], such as [condition.Temporary] or a variable made with
// [condition.MustParseSelector].
//
// To match the same objects often, to use the other packages of the library, or to reject
// what the API server would, such as the lists of a file, convert the objects once. The
// taints of devices are in package dra.
//
// # Rules
//
//  1. Structs are compared as they are, without a check of the syntax of keys and values.
//     If validation accepts them, the result is that of package match for their values.
//     For others it is that of Kubernetes with Lt and Gt on, except that a toleration
//     without a key matches only with Exists, that Exists with a value matches nothing,
//     and that no toleration matches a taint without a key, or with an unknown or absent
//     effect. Such a taint counts as NoSchedule, and so never evicts.
//  2. The value of an invalid struct is the zero value. The zero Taint repels all
//     pods, and never evicts. The zero Toleration matches nothing. So an error that is
//     ignored never opens a node. The other elements of a list are converted.
//  3. Valid structs are converted without loss, except that the time added has no
//     fraction of a second and no zone, as in the API's JSON. An absent operator stays
//     absent, nil stays nil, and an empty list stays empty.
//  4. An error is [validate.Problems], with every problem and the path of the field to
//     change.
//  5. [Put], [Merge], [ReplaceKey], [Remove], [Drop] and [Propagate] return the list itself
//     if nothing changes, and otherwise a new one, which is not nil even if empty. The
//     structs that do not change keep their pointers.
//  6. No input is modified.
//
// # Differences from Kubernetes
//
// What the API server rejects is not converted, except repeated keys and effects of a
// node's taints: see [taint.List.Validate]. Matching structs differs from Kubernetes only
// by the exceptions of rule 1, so it never opens what Kubernetes closes with Lt and Gt on.
// In Kubernetes, the zero Toleration matches each taint that has no value, and the
// scheduler ignores a taint whose effect is absent or unknown.
//
// The operators Lt and Gt are on. Up to Kubernetes 1.37 they are off by default. To
// match without them, use [WithoutNumeric]; to reject them, call
// [toleration.List.Validate] with NumericOff on the converted list.
//
// # Cost and concurrency
//
// Converting a list allocates the list, and the strings that no value has yet.
// Matching does not allocate, nor does an edit of a short list that changes nothing.
// [Schedulable] stops at the first taint that decides.
//
// All functions are safe for concurrent use. A nil pointer to a struct is a programming
// error: converting it panics, and matching it may panic.
package kube
