// Package kube matches and edits the taints and tolerations of k8s.io/api/core/v1, and
// converts them to the library's values and back.
//
//	if t, ok := kube.Blocking(node, pod.Spec.Tolerations); ok {
//		fmt.Println("cannot be scheduled:", t.ToString())
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
//	does a toleration match a taint            Tolerates, Match
//	can the pod be scheduled, or why not       Schedulable, SchedulableNode, Blocking
//	are all taints tolerated, of any effect    Tolerated
//	every untolerated taint, by effect         Filter, FilterNode, Untolerated, UntoleratedNode
//	why it cannot be scheduled to many nodes   AddReasons
//	how long it can stay                       Seconds
//	is a taint there                           Find
//	add a taint, or replace one                Put, Merge, ReplaceKey
//	remove a taint                             Remove
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
//     value matches nothing, that nothing matches a taint without a key, and that an
//     untolerated taint whose effect is unknown counts as NoSchedule. So a pod that can
//     be scheduled here can be in Kubernetes with Lt and Gt.
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
