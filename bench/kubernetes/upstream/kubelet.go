//go:build !k134 && !k135 && !k136

package upstream

import (
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/kubelet/config"
	"k8s.io/kubernetes/pkg/kubelet/lifecycle"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	schedulerframework "k8s.io/kubernetes/pkg/scheduler/framework"
)

//go:linkname applyDefaults k8s.io/kubernetes/pkg/kubelet/config.applyDefaults
func applyDefaults(logger klog.Logger, pod *core.Pod, source string, isFile bool, nodeName types.NodeName) error

//go:linkname generalFilter k8s.io/kubernetes/pkg/kubelet/lifecycle.generalFilter
func generalFilter(logger klog.Logger, pod *corev1.Pod, node *schedulerframework.NodeInfo) []lifecycle.PredicateFailureReason

// StaticTolerations returns the tolerations that the kubelet gives to a pod
// that it reads from a file.
func StaticTolerations(tolerations []core.Toleration) []core.Toleration {
	pod := &core.Pod{Spec: core.PodSpec{Tolerations: tolerations}}
	must(applyDefaults(discard, pod, "file", true, nodeName))
	return pod.Spec.Tolerations
}

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
