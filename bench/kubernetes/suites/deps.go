//go:build deps

package main

// This file requires what the suites test and nothing else here imports, so that go.mod
// and go.sum list all of it; it is never built.
import (
	_ "k8s.io/kubernetes/pkg/apis/node/validation"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	_ "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/validation"
)
