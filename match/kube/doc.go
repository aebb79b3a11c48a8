// Package kube matches and edits the taints and tolerations of k8s.io/api/core/v1, and
// converts them to the library's values and back.
//
//	if t, blocked := kube.Blocking(node, pod.Spec.Tolerations); blocked {
//		fmt.Println("cannot be scheduled:", t.ToString())
//	}
//
// The first example schedules pods, explains, edits taints and evicts, with the objects of
// a cluster as they are.
//
// # Functions
//
//	does a toleration match a taint            Tolerates, Match
//	can a pod be scheduled, or why not         Schedulable, SchedulableNode, Blocking
//	are all taints tolerated, of any effect    Tolerated
//	every untolerated taint, by effect         Filter, FilterNode, Untolerated, UntoleratedNode
//	why many nodes are closed to a pod         AddReasons
//	how long a pod can stay                    Seconds; package match/eviction for its deadline
//	is a taint there, or one of several        Find, FindOneOf
//	add a taint, or replace one                Put, Merge, ReplaceKey
//	remove a taint                             Remove
//	follow the taints of a template            Propagate
//	are two lists of tolerations equal         EqualSetsUntimed
//	match as if Lt and Gt were off             WithoutNumeric
//	convert to values, and back                Node, Pod, Taints, ..., CoreTaints, CoreTolerations
//	the functions of component-helpers         package helper
//	an index of the nodes of a cluster         package informer
//	the taints of devices                      package dra
//
// Schedulable, SchedulableNode and Blocking stop at the first taint that decides. Filter and
// FilterNode look at every taint: use them to count, for example for a score. The functions
// of structs need no conversion, and return no errors. Convert objects to match them often,
// to use other packages of the library, or to reject what the API server rejects.
//
// # Rules
//
// For structs that the API server accepts, matching has the results of package match. Other
// structs are matched as by Kubernetes, with these exceptions:
//
//   - A toleration without a key matches only with the operator Exists.
//   - A toleration with Exists and a value matches nothing.
//   - Nothing matches a taint without a key.
//   - An untolerated taint with an unknown effect counts as NoSchedule.
//
// So a pod that can be scheduled here can be scheduled by a Kubernetes with Lt and Gt. An
// invalid taint is different in different forms:
//
//	a taint            as a struct             as a value, in an index    in Kubernetes
//	without a key      never tolerated         never tolerated,           compared
//	                                           NoSchedule
//	unknown effect     compared, NoSchedule    never tolerated,           compared, ignored
//	                                           NoSchedule                 by the scheduler
//	invalid key or     compared                never tolerated,           compared
//	value                                      NoSchedule
//
// An edit that changes nothing returns its list, without spare capacity. Otherwise it returns
// a new list, never nil, which shares no memory with its arguments. It checks nothing.
//
// An invalid struct is converted to the zero value, so an error that is ignored never opens a
// node: the zero Taint repels all pods, and the zero Toleration matches nothing. An error is
// [validate.Problems], with paths such as spec.taints[2].key. Conversion is without loss,
// except that the time added has no fraction of a second and no zone, as in the API's JSON.
// Nil stays nil, and an empty list empty.
//
// Matching does not allocate, nor does an edit of at most 32 taints that changes nothing. No
// input is modified. All functions are safe for concurrent use.
//
// Lt and Gt are on. Up to Kubernetes 1.37 they are off by default: to match without them, use
// [WithoutNumeric], once for each pod.
package kube
