//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "github.com/karmada-io/karmada/pkg/controllers/cluster"
	_ "github.com/karmada-io/karmada/pkg/estimator/server"
	_ "github.com/karmada-io/karmada/pkg/estimator/server/framework/plugins/noderesource"
	_ "github.com/karmada-io/karmada/pkg/estimator/server/nodes"
	_ "github.com/karmada-io/karmada/pkg/scheduler/framework/plugins/tainttoleration"
	_ "github.com/karmada-io/karmada/pkg/util/helper"
)
