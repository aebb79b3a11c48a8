// Package plugin is a drop-in for kube-scheduler's plugin TaintToleration: the
// same pods find the same nodes, with the same scores. It keeps the nodes in an
// index, and names the taints in its messages. In the configuration of program
// scheduler, it takes the place of Kubernetes' plugin:
//
//	profiles:
//	- plugins:
//	    multiPoint:
//	      disabled: [{name: TaintToleration}]
//	      enabled: [{name: Tolerate, weight: 3}]
//	    preFilter: {enabled: [{name: Tolerate}]}
//	    filter: {enabled: [{name: Tolerate}]}
//
// The last two lines let it filter before the other plugins (BenchmarkScheduler in examples/kubernetes).
package plugin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// Name is what a scheduler's configuration calls the plugin.
const Name = "Tolerate"

const stateKey fwk.StateKey = "Tolerate"

// narrow is how many times fewer than all nodes must be open to a pod for their
// names to be worth gathering. A scheduler looks at a part of a large cluster only, in
// which it soon finds enough of what there is plenty of. The number lies
// between two cases of BenchmarkCycle: with one node in a hundred open gathering pays many
// times over, with one in two it costs a fifth more than it saves.
const narrow = 8

// A Plugin judges by taints which nodes a pod can be scheduled to, and which of
// them are preferred.
type Plugin struct {
	numeric bool // the operators Lt and Gt are switched on
	resizes bool // deferred resizes of running pods are scheduled too
	nodes   nodes
}

var (
	_ fwk.PreFilterPlugin   = (*Plugin)(nil)
	_ fwk.FilterPlugin      = (*Plugin)(nil)
	_ fwk.PreScorePlugin    = (*Plugin)(nil)
	_ fwk.ScorePlugin       = (*Plugin)(nil)
	_ fwk.EnqueueExtensions = (*Plugin)(nil)
	_ fwk.SignPlugin        = (*Plugin)(nil)
)

// New is the plugin's factory, for app.WithPlugin. The plugin has no
// configuration. It follows the scheduler's feature gates
// TaintTolerationComparisonOperators and
// InPlacePodVerticalScalingSchedulerPreemption, as Kubernetes' plugin does.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &Plugin{
		numeric: utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators),
		resizes: utilfeature.DefaultFeatureGate.Enabled(features.InPlacePodVerticalScalingSchedulerPreemption),
	}, nil
}

// Name returns Name.
func (*Plugin) Name() string { return Name }

// SignPod returns what of the pod the plugin's answers depend on.
func (*Plugin) SignPod(_ context.Context, pod *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}

// A cycle is what is known of the pod that is being scheduled.
type cycle struct {
	tolerations []corev1.Toleration // those that have a say
	scored      bool                // some node has a PreferNoSchedule taint that counts
	unread      bool                // some node has taints that cannot be converted
}

// Clone returns c: it is not changed.
func (c cycle) Clone() fwk.StateData { return c }

// tolerations returns the pod's tolerations as far as they have a say. On an
// error, what cannot be converted tolerates nothing.
func (p *Plugin) tolerations(pod *corev1.Pod) (toleration.List, error) {
	list, err := kube.Pod(pod)
	if !p.numeric {
		list = list.WithoutNumeric()
	}
	return list, err
}

// resized reports whether the pod runs and is only scheduled to make room for
// it to grow: taints have no say in that.
func (p *Plugin) resized(pod *corev1.Pod) bool { return p.resizes && resource.IsPodResizeDeferred(pod) }

// PreFilter prepares the pod, and where all nodes can take it, few, or none, it
// reports that at once. All means those of the snapshot: a simulation has to put
// its nodes there before PreFilter, as the scheduler and the cluster autoscaler
// do, since Filter is not called where there is nothing to do.
//
// A pod whose tolerations cannot be converted is rejected; its message names
// the fields.
func (p *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	judged := pod.Spec.Tolerations
	if !p.numeric {
		judged = kube.WithoutNumeric(judged)
	}
	if p.resized(pod) {
		state.Write(stateKey, cycle{tolerations: judged, scored: true}) // Score is called all the same
		return nil, fwk.NewStatus(fwk.Skip)
	}
	tolerations, err := p.tolerations(pod)
	if err != nil {
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "pod has tolerations that cannot be judged: "+brief(err))
	}
	var answer fleet.Answer[*node]
	snapshot := p.nodes.update(nodes)
	snapshot.Query(&answer, tolerations)
	counts := answer.Counts()
	state.Write(stateKey, cycle{judged, counts.Preferred < counts.Schedulable, snapshot.Len() < len(nodes)})
	switch open := counts.Schedulable; {
	case open == len(nodes):
		return nil, fwk.NewStatus(fwk.Skip) // Filter has nothing to do
	case open == 0 && snapshot.Len() == len(nodes):
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons(&answer))
	case open*narrow > snapshot.Len() || snapshot.Len() < len(nodes):
		return nil, nil
	default:
		names := make(sets.Set[string], open)
		for n := range answer.Nodes() {
			names.Insert(n.name)
		}
		return &fwk.PreFilterResult{NodeNames: names}, nil
	}
}

// most reasons are listed for a pod that no node can take.
const most = 5

// reasons describes why no node can take the pod, after the number of nodes that
// the scheduler writes before it.
func reasons(answer *fleet.Answer[*node]) string {
	var parts []string
	for _, r := range answer.TopReasons(most + 1) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Nodes, r.Taint))
	}
	if len(parts) > most {
		parts[most] = "and others"
	}
	return "node(s) had untolerated taint(s): " + strings.Join(parts, ", ")
}

// PreFilterExtensions returns nil: other pods make no difference to taints.
func (*Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// read returns what PreFilter wrote, and an error if it was not called.
func read(state fwk.CycleState) (cycle, error) {
	data, err := state.Read(stateKey)
	c, ok := data.(cycle)
	if err == nil && !ok {
		err = fmt.Errorf("the state %s is a %T", stateKey, data)
	}
	return c, err
}

// Filter refuses a node that has a NoSchedule or NoExecute taint which the pod
// does not tolerate, and names the first. A node whose taints cannot be
// converted is refused too.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	taints := info.Node().Spec.Taints
	if len(taints) == 0 || p.resized(pod) {
		return nil
	}
	c, err := read(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if c.unread { // structs that cannot be converted can be open as they are
		if n := p.nodes.look(info.Node()); n.unread {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, n.refusal[0])
		}
	}
	for i, t := range kube.Untolerated(taints, c.tolerations) {
		if t.Effect != corev1.TaintEffectPreferNoSchedule {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, p.nodes.look(info.Node()).refusal[i])
		}
	}
	return nil
}

// PreScore has nothing to prepare: PreFilter did it.
func (*Plugin) PreScore(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	return nil
}

// Score counts the node's PreferNoSchedule taints that the pod does not
// tolerate: fewer are better, as NormalizeScore says.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, pod *corev1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	taints := info.Node().Spec.Taints
	if len(taints) == 0 {
		return 0, nil
	}
	c, err := read(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	if !c.scored {
		return 0, nil
	}
	return int64(kube.Filter(taints, c.tolerations).Count(taint.PreferNoSchedule)), nil
}

// ScoreExtensions returns the plugin itself.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore turns the counts into scores of 0 to 100.
func (*Plugin) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	return helper.DefaultNormalizeScore(fwk.MaxScore, true, scores)
}

// EventsToRegister returns the events that can help a pod which the plugin
// refused: a new node, other taints, other tolerations of the pod itself.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint}, QueueingHintFn: p.afterNode},
		{Event: fwk.ClusterEvent{Resource: fwk.TargetPod, ActionType: fwk.UpdatePodToleration}, QueueingHintFn: afterTolerations},
	}, nil
}

// afterNode queues the pod when the node is open to it now and was not before.
// For a pod whose tolerations cannot be converted no node is open.
func (p *Plugin) afterNode(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	old, changed, err := util.As[*corev1.Node](before, after)
	if err != nil {
		return fwk.Queue, err // the next cycle decides
	}
	if changed == nil {
		return fwk.Queue, errors.New("an event without a node")
	}
	tolerations, err := p.tolerations(pod)
	if err != nil {
		return fwk.QueueSkip, nil
	}
	open := func(n *corev1.Node) bool {
		taints, _ := kube.Taints(n.Spec.Taints) // the zero Taint is not tolerated
		return match.Node{Taints: taints}.Schedulable(tolerations)
	}
	if open(changed) && (old == nil || !open(old)) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// afterTolerations queues the pod: the event is about the pod itself.
func afterTolerations(klog.Logger, *corev1.Pod, any, any) (fwk.QueueingHint, error) {
	return fwk.Queue, nil
}
