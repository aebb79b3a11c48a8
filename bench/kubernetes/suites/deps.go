//go:build deps

package main

// This file requires what the suites test, so that go.mod and go.sum list all
// of it; it is never built. kubectl also parses taints.
import (
	_ "k8s.io/api/core/v1"
	_ "k8s.io/component-helpers/node/topology"
	_ "k8s.io/component-helpers/scheduling/corev1"
	_ "k8s.io/dynamic-resource-allocation/resourceclaim"
	_ "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	_ "k8s.io/dynamic-resource-allocation/structured"
	_ "k8s.io/kubectl/pkg/cmd/taint"
	_ "k8s.io/kubernetes/pkg/apis/core/validation"
	_ "k8s.io/kubernetes/pkg/apis/node/validation"
	_ "k8s.io/kubernetes/pkg/apis/resource/validation"
	_ "k8s.io/kubernetes/pkg/controller/daemon"
	_ "k8s.io/kubernetes/pkg/controller/daemon/util"
	_ "k8s.io/kubernetes/pkg/controller/devicetainteviction"
	_ "k8s.io/kubernetes/pkg/controller/nodelifecycle"
	_ "k8s.io/kubernetes/pkg/controller/tainteviction"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	_ "k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	_ "k8s.io/kubernetes/pkg/util/taints"
	_ "k8s.io/kubernetes/pkg/util/tolerations"
	_ "k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	_ "k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	_ "k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	_ "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
	_ "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction/validation"
	_ "k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
)
