// Package kubernetes shows the library at work in Kubernetes itself; this is
// where an adopter starts copying from.
//
//   - adapt: corev1's taints and tolerations to this library's values and back,
//     and an informer's handler that keeps an index of the cluster's nodes.
//   - plugin: a drop-in for the scheduler's plugin TaintToleration.
//   - scheduler: a kube-scheduler that has it.
//
// The tests of this package start a real etcd, kube-apiserver and kube-scheduler
// on loopback addresses (internal/cluster), and compare there: what Kubernetes'
// plugin and this one decide about the same pods, and what the admission webhook
// of examples/webhook makes of pods that are created and updated. What
// examples/scheduler takes a pod to request is compared with Kubernetes' own sums.
//
//	go test ./...                             # half a minute when compiled, more on a busy machine
//	go test -run '^$' -bench . ./plugin       # both plugins in the scheduler's framework
//
// The first build compiles most of Kubernetes: about three minutes on two cores.
package kubernetes
