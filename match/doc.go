// Package match evaluates a node's taints against a pod's tolerations: whether
// the pod can be scheduled to the node, and whether it is evicted from it.
//
//	node := taint.List{
//		taint.MustParse("dedicated=gpu:NoSchedule"),
//		taint.MustParse("spot:PreferNoSchedule"),
//	}
//	pod := toleration.List{toleration.MustParse("dedicated=gpu")}
//	r := match.Filter(node, pod)
//	fmt.Println(r.Schedulable(), r.Preferred()) // true false
//	for i, t := range match.Untolerated(node, pod) {
//		fmt.Println(i, t) // 1 spot:PreferNoSchedule
//	}
//
// To match one pod of many tolerations with many nodes, use [Compile]; to match many pods with a
// fleet of nodes, package match/fleet. To find out when a running pod is evicted,
// use match/eviction; what a change of taints does, match/impact; likely
// mistakes, match/lint. For the taints of devices, such as GPUs, use match/device.
//
// # Rules
//
//  1. A taint is tolerated if some toleration matches it (see package
//     toleration).
//  2. An untolerated NoSchedule taint prevents the pod from being scheduled to the
//     node; a pod that is running there keeps running. An untolerated NoExecute
//     taint prevents scheduling, too, and evicts a running pod. An untolerated
//     PreferNoSchedule taint makes the node less suitable. In a [Result],
//     Schedulable reports that no NoSchedule or NoExecute taint is untolerated,
//     Evicted that a NoExecute taint is, and Preferred that all taints are tolerated.
//  3. A toleration with seconds, even 0, tolerates the taint: Schedulable is true
//     and Evicted is false. A running pod is evicted when the seconds have passed:
//     [Explain] reports that the time is limited, and package match/eviction
//     computes when it ends. If several tolerations match the taint, the first in
//     the list decides, as in Kubernetes; see [toleration.Choice].
//  4. A node without taints accepts every pod. A cordoned node (spec.unschedulable)
//     counts as having a NoSchedule taint: use [Node] and its method Filter.
//  5. Several lists of tolerations count as one list, for example the tolerations
//     of a pod and those of its queue.
//  6. Resources, affinity and everything else are not evaluated.
//
// All functions are safe for concurrent use and do not modify their inputs. No
// form of Filter allocates, and neither does ranging over an iterator. Each range
// statement reads the lists again.
//
// Results here and in the packages below are written as their text, in JSON and by
// log/slog, too. To write fields, fill a struct from their methods.
//
// # Differences from Kubernetes
//
// The zero Toleration matches nothing. No toleration matches the zero Taint, which
// constructors return on error: it counts as a NoSchedule taint, so it repels every
// pod, and never evicts one.
//
// Lt and Gt match. In a cluster they match nothing by default, since their feature
// gate is off up to Kubernetes 1.37: for its answers, match
// [toleration.List.WithoutNumeric].
package match
