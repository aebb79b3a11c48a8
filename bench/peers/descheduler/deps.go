//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "sigs.k8s.io/descheduler/pkg/descheduler"
	_ "sigs.k8s.io/descheduler/pkg/descheduler/node"
	_ "sigs.k8s.io/descheduler/pkg/framework/plugins/defaultevictor"
	_ "sigs.k8s.io/descheduler/pkg/framework/plugins/nodeutilization"
	_ "sigs.k8s.io/descheduler/pkg/framework/plugins/removeduplicates"
	_ "sigs.k8s.io/descheduler/pkg/framework/plugins/removepodsviolatingnodetaints"
	_ "sigs.k8s.io/descheduler/pkg/utils"
)
