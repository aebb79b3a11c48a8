//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	_ "sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
)
