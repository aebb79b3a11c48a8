// Package kube matches and edits the taints and tolerations of k8s.io/api/core/v1, and
// converts them to the library's values and back.
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
//
// # Structs or values
//
// The functions of structs need no conversion, and return no errors:
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
// Convert objects to match them often, to use other packages of the library, or to reject
// what the API server rejects. The taints of devices are in package dra.
//
// # Rules
//
//  1. The syntax of keys and values in structs is not checked. For valid structs,
//     matching has the results of package match. For others it has those of Kubernetes,
//     except that a toleration without a key matches only with Exists, that Exists with a
//     value matches nothing, and that nothing matches a taint without a key, or without
//     one of the three effects, which counts as NoSchedule. So what it allows,
//     Kubernetes with Lt and Gt allows.
//  2. An edit that changes nothing returns the list that it got. Otherwise it returns a
//     new list, never nil, with the unchanged structs as they are. It checks nothing.
//  3. An invalid struct is converted to the zero value, so an error that is ignored never
//     opens a node: the zero Taint repels all pods, and the zero Toleration matches
//     nothing. An error is [validate.Problems], with paths such as spec.taints[2].key.
//  4. Conversion is without loss, except that the time added has no fraction of a second
//     and no zone, as in the API's JSON. Nil stays nil, and an empty list empty.
//
// Matching does not allocate, nor does an edit of at most 32 taints that changes nothing.
// No input is modified. All functions are safe for concurrent use.
//
// Lt and Gt are on. Up to Kubernetes 1.37 they are off by default: to match without them,
// use [WithoutNumeric].
package kube
