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
//	can a pod be scheduled                     Schedulable, SchedulableNode
//	why not: the first taint, over many nodes  Blocking, AddReasons
//	are all taints tolerated, of any effect    Tolerated
//	all untolerated taints                     Filter, FilterNode, Untolerated, UntoleratedNode
//	for how long is a running pod tolerated    Seconds
//	is a taint in a list, or one of several    Find, FindOneOf
//	is a taint in a set                        taint.Selector.HasFields
//	read a taint from a flag or a cloud tag    ParseTaint
//	edit the taints of a node                  Put, AddMissing, ReplaceKey, Remove, Propagate
//	edit them by key alone                     package slices: see the example ByKey in edit_example_test.go
//	are two lists of tolerations equal         SameTolerations
//	Kubernetes' own signatures                 package helper
//	an index of the nodes, kept up to date     module informer
//
// Schedulable, SchedulableNode and Blocking stop at the first taint that prevents
// scheduling. Filter and FilterNode look at all: use them for PreferNoSchedule and
// evictions.
//
// Convert objects to match them often, to use other packages of the library, or to reject
// what the API server rejects. The taints of devices are in module dra.
//
// # Rules
//
// Valid structs match as their values do. The syntax of others is not checked; they match
// as in Kubernetes, except:
//
//   - A toleration without a key matches only with Exists.
//   - A toleration with Exists and a value matches nothing.
//   - An invalid taint matches as the table below says.
//
// So a pod that can be scheduled here can be in Kubernetes with Lt and Gt on.
//
//  1. An edit that changes nothing returns the list itself, without spare capacity.
//     Otherwise it returns a new list, never nil, that shares no memory with its
//     arguments. It checks nothing.
//  2. An invalid struct is converted to the zero value, so an error that is ignored never
//     opens a node: the zero Taint repels all pods, and the zero Toleration matches
//     nothing. An error is [validate.Problems], with paths such as spec.taints[2].key.
//  3. Conversion is without loss, except that the time added has no fraction of a second
//     and no zone, as in the API's JSON. Nil stays nil, and an empty list empty.
//
// Whether an invalid taint is tolerated, and what it counts as if it is not:
//
//	it has                 as a struct            as a value, in an index   in Kubernetes
//	no key                 never; its effect      never; NoSchedule         without a key; its effect
//	an unknown effect      as usual; NoSchedule   never; NoSchedule         as usual; nothing
//	another invalid field  as usual; its effect   never; NoSchedule         as usual; its effect
//
// Matching does not allocate, nor does an edit that changes nothing if its lists have at
// most 32 taints. No input is modified. All functions are safe for concurrent use.
//
// Lt and Gt are on. Up to Kubernetes 1.38 they are off by default: to match without them,
// use [WithoutNumeric].
//
// There is no release yet. In an empty folder, run these commands with the path of your
// clone, save the program there, and run go mod tidy:
//
//	go mod init example.com/try
//	go mod edit -replace=github.com/go-tolerate/tolerate=/path/to/clone
//	go mod edit -replace=github.com/go-tolerate/tolerate/match/kube=/path/to/clone/match/kube
package kube
