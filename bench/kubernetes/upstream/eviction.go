package upstream

import (
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	_ "k8s.io/kubernetes/pkg/controller/tainteviction"
)

//go:linkname getMinTolerationTime k8s.io/kubernetes/pkg/controller/tainteviction.getMinTolerationTime
func getMinTolerationTime(tolerations []corev1.Toleration) time.Duration

//go:linkname getNoExecuteTaints k8s.io/kubernetes/pkg/controller/tainteviction.getNoExecuteTaints
func getNoExecuteTaints(taints []corev1.Taint) []corev1.Taint

// TolerationTime returns what the taint eviction controller computes for a pod: whether
// all NoExecute taints of the node are tolerated, and for how long. A negative time has
// no limit.
func TolerationTime(taints []corev1.Taint, tolerations []corev1.Toleration) (d time.Duration, tolerated bool) {
	taints = getNoExecuteTaints(taints)
	if len(taints) == 0 {
		return -1, true // without a taint, the controller does not call this
	}
	return MatchingTime(taints, tolerations)
}

// MatchingTime is TolerationTime for NoExecute taints only, as the controller
// calls it for each pod of a node.
func MatchingTime(taints []corev1.Taint, tolerations []corev1.Toleration) (d time.Duration, tolerated bool) {
	tolerated, used := Serving(taints, tolerations)
	if !tolerated {
		return 0, false
	}
	return getMinTolerationTime(used), true
}

const (
	nodeName     = "node"
	podName      = "pod"
	podNamespace = "default"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}
