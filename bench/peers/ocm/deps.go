//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "open-cluster-management.io/ocm/pkg/placement/controllers/scheduling"
	_ "open-cluster-management.io/ocm/pkg/placement/plugins/tainttoleration"
)
