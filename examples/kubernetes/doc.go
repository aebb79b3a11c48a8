// Package kubernetes shows the library inside Kubernetes: plugin is a drop-in for the
// scheduler's plugin TaintToleration, and scheduler a kube-scheduler that has it.
//
// The tests start a real etcd, kube-apiserver and kube-scheduler on loopback addresses
// (internal/cluster). They compare what Kubernetes' plugin, this one and an informer's index
// decide about the same pods, the policies of a file of rules with lint, and what the other
// examples compute with Kubernetes' own functions. The commands of kubectl-tolerate run as an
// operator runs them; what why reports of DaemonSets and ResourceClaims is compared with what
// their controllers and the scheduler do.
//
//	go test ./...                                # a minute when compiled, more on a busy machine
//	go test -run '^$' -bench . ./plugin          # both plugins in the scheduler's framework
//	go test -run '^$' -bench . -benchtime 1x .   # both in a kube-scheduler with 5,000 nodes, two minutes; -short: 100; rules of 100 teams
//
// The first build compiles most of Kubernetes: about three minutes on two cores.
package kubernetes
