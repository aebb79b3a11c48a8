// Package kubernetes shows the library inside Kubernetes itself, by packages
// match/kube and match/kube/informer.
//
//   - plugin: a drop-in for the scheduler's plugin TaintToleration.
//   - scheduler: a kube-scheduler that has it.
//
// The tests of this package start a real etcd, kube-apiserver and kube-scheduler
// on loopback addresses (internal/cluster), and compare there: what Kubernetes'
// plugin, this one and an informer's index decide about the same pods, and which
// devices are allocated and which pods evicted because of the taints of devices,
// with the device taint eviction controller and package match/device.
// A file of rules is applied with kubectl, and judges pods as lint does (internal/policies
// compares many more, in one process).
// The commands of kubectl-tolerate run as an operator runs them: with heartbeats,
// failures of the API server, and the scheduler and the taint eviction controller.
// What examples/scheduler takes a pod to request, and the nodes that it takes a pod to
// select, are compared with Kubernetes' own functions.
//
//	go test ./...                                # a minute when compiled, more on a busy machine
//	go test -run '^$' -bench . ./plugin          # both plugins in the scheduler's framework
//	go test -run '^$' -bench . -benchtime 1x .   # both in a kube-scheduler with 5,000 nodes, two minutes; -short: 100
//
// The first build compiles most of Kubernetes: about three minutes on two cores.
package kubernetes
