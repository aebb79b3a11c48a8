package plugin_test

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
)

// newCycle returns the scheduler's framework over those nodes, with one plugin for
// taints: that of this module, or Kubernetes' own.
func newCycle(t testing.TB, name string, nodes fwk.SharedLister) framework.Framework {
	t.Helper()
	registry := runtime.Registry{
		queuesort.Name:       queuesort.New,
		defaultbinder.Name:   defaultbinder.New,
		plugin.Name:          plugin.New,
		tainttoleration.Name: runtime.FactoryAdapter(feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate), tainttoleration.New),
	}
	f, err := runtime.NewFramework(klog.NewContext(t.Context(), klog.Logger{}), registry, &config.KubeSchedulerProfile{
		SchedulerName: name,
		Plugins: &config.Plugins{
			QueueSort:  config.PluginSet{Enabled: []config.Plugin{{Name: queuesort.Name}}},
			Bind:       config.PluginSet{Enabled: []config.Plugin{{Name: defaultbinder.Name}}},
			MultiPoint: config.PluginSet{Enabled: []config.Plugin{{Name: name, Weight: 3}}},
		},
	}, runtime.WithSnapshotSharedLister(nodes))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// An answer is what a framework says about one pod.
type answer struct {
	Feasible []string // the names of the nodes, sorted
	Scores   map[string]int64
	Message  string // of the first refusal, by PreFilter or Filter
}

// decide runs a pod through a framework as the scheduler does, but looks at all
// nodes.
func decide(ctx context.Context, f framework.Framework, pod *corev1.Pod) (answer, error) {
	a := answer{Scores: map[string]int64{}}
	state := framework.NewCycleState()
	all, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return a, err
	}
	narrowed, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	if status.IsRejected() {
		a.Message = status.Message()
		return a, nil
	}
	if !status.IsSuccess() {
		return a, status.AsError()
	}
	var left []fwk.NodeInfo
	for _, n := range all {
		if !narrowed.AllNodes() && !narrowed.NodeNames.Has(n.Node().Name) {
			continue
		}
		status := f.RunFilterPlugins(ctx, state, pod, n)
		if status.IsSuccess() {
			left = append(left, n)
			a.Feasible = append(a.Feasible, n.Node().Name)
		} else if a.Message == "" {
			a.Message = status.Message()
		}
	}
	slices.Sort(a.Feasible)
	if len(left) == 0 {
		return a, nil
	}
	if status := f.RunPreScorePlugins(ctx, state, pod, left); !status.IsSuccess() {
		return a, status.AsError()
	}
	scores, status := f.RunScorePlugins(ctx, state, pod, left)
	for _, s := range scores {
		a.Scores[s.Name] = s.TotalScore
	}
	return a, status.AsError()
}
