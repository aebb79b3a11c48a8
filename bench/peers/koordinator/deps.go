//go:build deps

package main

// What the suites and the swapped functions need is required here, so that go.mod
// and go.sum have all of it; it is never built.
import (
	_ "github.com/go-tolerate/tolerate/match/kube"
	_ "github.com/koordinator-sh/koordinator/pkg/descheduler/evictions"
	_ "github.com/koordinator-sh/koordinator/pkg/descheduler/framework/plugins/custompriority"
	_ "github.com/koordinator-sh/koordinator/pkg/descheduler/framework/plugins/loadaware"
	_ "github.com/koordinator-sh/koordinator/pkg/descheduler/node"
	_ "github.com/koordinator-sh/koordinator/pkg/descheduler/utils"
	_ "github.com/koordinator-sh/koordinator/pkg/scheduler/plugins/reservation"
	_ "github.com/koordinator-sh/koordinator/pkg/util/reservation"
)
