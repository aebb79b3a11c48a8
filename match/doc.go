// Package match evaluates a node's taints against a pod's tolerations: whether the pod
// can be scheduled to the node, and whether it is evicted from it. Begin with [Node].
//
//	node := match.Node{Taints: taint.MustParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")}
//	pod := toleration.MustParseList("dedicated=gpu")
//	fmt.Println(node.Schedulable(pod)) // true
//	fmt.Println(node.Blocking(nil))    // dedicated=gpu:NoSchedule true
//	r := node.Filter(pod)
//	fmt.Println(r.Schedulable(), r.Preferred()) // true false
//	for i, t := range node.Untolerated(pod) {
//		fmt.Println(i, t) // 1 spot:PreferNoSchedule
//	}
//
// To match many pods with the nodes of a cluster, use package match/fleet. To compute
// when a running pod is evicted, use match/eviction. To predict what a change of taints
// does, use match/impact. To find likely mistakes, use match/lint. For the taints of
// devices, use the module match/kube/dra.
//
// # Rules
//
//  1. A taint is tolerated if some toleration matches it; see package toleration.
//  2. An untolerated NoSchedule taint prevents scheduling. An untolerated NoExecute taint
//     also evicts running pods. An untolerated PreferNoSchedule taint makes the node less
//     suitable.
//  3. Seconds do not change a [Result]. A pod that tolerates a taint for 0 seconds can be
//     scheduled; package match/eviction computes that it must be evicted at once.
//  4. A pod's tolerations are one list. To add those of something else, such as the pod's
//     queue, use [slices.Concat] once for each pod.
//  5. A cordon (spec.unschedulable) counts as a NoSchedule taint.
//
// Resources, affinity and everything else are not evaluated. All functions are safe for
// concurrent use and do not modify their inputs. Filter, Explain and iteration do not
// allocate.
//
// # Differences from Kubernetes
//
// Lt and Gt match, which are off in Kubernetes by default: see
// [toleration.List.WithoutNumeric].
package match
