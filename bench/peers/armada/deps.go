//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/armadaproject/armada/internal/scheduler/kubernetesobjects/taint"
	_ "github.com/armadaproject/armada/internal/scheduler/nodedb"
	_ "github.com/armadaproject/armada/internal/scheduler/scheduling"
	_ "github.com/go-tolerate/tolerate/match/kube"
)
