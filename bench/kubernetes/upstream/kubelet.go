//go:build !k134 && !k135 && !k136

package upstream

import (
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname generalFilter k8s.io/kubernetes/pkg/kubelet/lifecycle.generalFilter
func generalFilter(logger klog.Logger, pod *corev1.Pod, node *schedulerframework.NodeInfo) []lifecycle.PredicateFailureReason

// KubeletTakes reports whether the kubelet admits a pod that is bound to its node.
func KubeletTakes(taints []corev1.Taint, tolerations []corev1.Toleration, static bool) bool {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: taints}, Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1")}}}
	node.Name = nodeName
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: nodeName, Tolerations: tolerations}}
	pod.Annotations = map[string]string{kubetypes.ConfigSourceAnnotationKey: kubetypes.ApiserverSource}
	if static {
		pod.Annotations[kubetypes.ConfigSourceAnnotationKey] = kubetypes.FileSource
	}
	info := schedulerframework.NewNodeInfo()
	info.SetNode(node)
	return len(generalFilter(discard, pod, info)) == 0
}
