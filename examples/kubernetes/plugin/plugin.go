// Package plugin is a drop-in for kube-scheduler's plugin TaintToleration: the
// same pods find the same nodes, with the same scores.
//
// Kubernetes' plugin asks about each taint of each node, again for each pod.
// This one keeps the nodes in an index, so that a pod which few nodes can take
// is sent to those alone; and it says in its messages which taint keeps a pod
// away. Program scheduler beside it is a kube-scheduler that has it. In its
// configuration the one takes the other's place:
//
//	profiles:
//	- plugins:
//	    multiPoint:
//	      disabled: [{name: TaintToleration}]
//	      enabled: [{name: Tolerate, weight: 3}]
package plugin

import (
	"context"
	"errors"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/go-tolerate/tolerate/examples/kubernetes/adapt"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
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

// A Plugin judges by taints which nodes a pod may be scheduled to, and which of
// them it had better not be.
type Plugin struct {
	numeric bool // the operators Lt and Gt are switched on

	// What the last cycle saw. The nodes of a scheduler's snapshot are replaced,
	// never changed, so the pointer tells whether one is still the same.
	mu    sync.Mutex
	cycle uint64 // of those that saw a change
	order []*node
	index fleet.Index[*node]

	nodes sync.Map // of *corev1.Node to *node: what Filter, in parallel, asks
}

// A node is one that has been converted.
type node struct {
	of     *corev1.Node
	taints []taint.Taint
	err    error  // why it cannot be judged
	cycle  uint64 // that saw it last; Plugin.mu guards it
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
// configuration: whether Lt and Gt count is told by the scheduler's feature gate
// TaintTolerationComparisonOperators.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
	return &Plugin{numeric: utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)}, nil
}

// Name returns Name.
func (*Plugin) Name() string { return Name }

// SignPod tells what of the pod the plugin's answers depend on.
func (*Plugin) SignPod(_ context.Context, pod *corev1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	return []fwk.SignFragment{{Key: fwk.TolerationsSignerName, Value: fwk.TolerationsSigner(pod)}}, nil
}

// A cycle is what is known of the pod that is being scheduled.
type cycle struct {
	*match.Matcher
	soft bool // some node has a PreferNoSchedule taint that counts
}

// Clone returns c: it is not changed.
func (c cycle) Clone() fwk.StateData { return c }

func (p *Plugin) tolerations(pod *corev1.Pod) ([]toleration.Toleration, error) {
	list, err := adapt.Pod(pod)
	if err == nil && !p.numeric {
		list = toleration.WithoutNumeric(list)
	}
	return list, err
}

// PreFilter prepares the pod, and where all nodes can take it, few, or none, it
// says so at once. All means those of the snapshot: a simulation has to put its
// nodes there before PreFilter, as the scheduler and the cluster autoscaler do,
// since Filter is not called where there is nothing to do.
func (p *Plugin) PreFilter(_ context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	tolerations, err := p.tolerations(pod)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	var answer fleet.Answer[*node]
	p.sync(nodes).Query(&answer, tolerations)
	state.Write(stateKey, cycle{match.Compile(tolerations), answer.Preferred() < answer.Schedulable()})
	switch open := answer.Schedulable(); {
	case open == len(nodes):
		return nil, fwk.NewStatus(fwk.Skip) // Filter has nothing to do
	case open == 0 && answer.Total() == len(nodes):
		return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reasons(&answer))
	case open*narrow > answer.Total() || answer.Total() < len(nodes):
		return nil, nil
	default:
		names := make(sets.Set[string], open)
		for n := range answer.Nodes() {
			names.Insert(n.of.Name)
		}
		return &fwk.PreFilterResult{NodeNames: names}, nil
	}
}

// most reasons are told of a pod that no node can take.
const most = 5

// reasons tells why no node can take the pod, behind the number of nodes that
// the scheduler writes before it.
func reasons(answer *fleet.Answer[*node]) string {
	text := "node(s) had untolerated taint(s)"
	for i, r := range answer.AppendReasons(nil, most+1) {
		switch i {
		case 0:
			text += fmt.Sprintf(": %d %s", r.Nodes, r.Taint)
		case most:
			text += ", and others"
		default:
			text += fmt.Sprintf(", %d %s", r.Nodes, r.Taint)
		}
	}
	return text
}

// PreFilterExtensions returns nil: other pods make no difference to taints.
func (*Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

// sync brings the index to what the scheduler's snapshot holds now. From one
// cycle to the next little changes: for all the rest it compares pointers.
func (p *Plugin) sync(nodes []fwk.NodeInfo) *fleet.Snapshot[*node] {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.same(nodes) {
		p.replace(nodes)
	}
	return p.index.Snapshot()
}

func (p *Plugin) same(nodes []fwk.NodeInfo) bool {
	if len(nodes) != len(p.order) {
		return false
	}
	for i, n := range nodes {
		if p.order[i].of != n.Node() {
			return false
		}
	}
	return true
}

// replace puts what is new into the index and takes out what is gone.
func (p *Plugin) replace(nodes []fwk.NodeInfo) {
	p.cycle++
	order := make([]*node, len(nodes))
	for i, info := range nodes {
		n := p.look(info.Node())
		if n.cycle == 0 {
			p.nodes.Store(n.of, n)
			if n.err == nil {
				p.index.Put(n, match.Node{Taints: n.taints})
			}
		}
		n.cycle = p.cycle
		order[i] = n
	}
	for _, n := range p.order {
		if n.cycle != p.cycle {
			p.index.Remove(n)
			p.nodes.Delete(n.of)
		}
	}
	p.order = order
}

// look returns the node as it was converted, or converts it: one that no
// PreFilter has seen is a simulation's.
func (p *Plugin) look(of *corev1.Node) *node {
	if n, ok := p.nodes.Load(of); ok {
		return n.(*node)
	}
	taints, err := adapt.Taints(of.Spec.Taints)
	return &node{of: of, taints: taints, err: err}
}

// errNoCycle tells of a framework that did not call PreFilter first.
var errNoCycle = errors.New("PreFilter was not called for this pod")

func read(state fwk.CycleState) (cycle, error) {
	data, err := state.Read(stateKey)
	if err != nil {
		return cycle{}, err
	}
	c, ok := data.(cycle)
	if !ok {
		return cycle{}, errNoCycle
	}
	return c, nil
}

// Filter refuses a node that has a NoSchedule or NoExecute taint which the pod
// does not tolerate, and names the first.
func (p *Plugin) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, info fwk.NodeInfo) *fwk.Status {
	c, err := read(state)
	if err != nil {
		return fwk.AsStatus(err)
	}
	n := p.look(info.Node())
	if n.err != nil { // the node's fault: others may do
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had taints that cannot be judged: "+n.err.Error())
	}
	if i, ok := c.Filter(n.taints).First(taint.NoSchedule, taint.NoExecute); ok {
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) had untolerated taint "+n.taints[i].String())
	}
	return nil
}

// PreScore has nothing to prepare: PreFilter did it.
func (*Plugin) PreScore(context.Context, fwk.CycleState, *corev1.Pod, []fwk.NodeInfo) *fwk.Status {
	return nil
}

// Score counts the node's PreferNoSchedule taints that the pod does not
// tolerate: fewer are better, as NormalizeScore says.
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, _ *corev1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	c, err := read(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	if !c.soft {
		return 0, nil
	}
	n := p.look(info.Node())
	if n.err != nil {
		return 0, fwk.AsStatus(n.err)
	}
	return int64(c.Filter(n.taints).Count(taint.PreferNoSchedule)), nil
}

// ScoreExtensions returns the plugin itself.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore turns the counts into scores of 0 to 100.
func (*Plugin) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	counts := make([]int64, len(scores))
	for i, s := range scores {
		counts[i] = s.Score
	}
	for i, s := range match.AppendScores(counts[:0], counts) {
		scores[i].Score = s
	}
	return nil
}

// EventsToRegister names the events that may help a pod which the plugin
// refused: a new node, other taints, other tolerations.
func (p *Plugin) EventsToRegister(context.Context) ([]fwk.ClusterEventWithHint, error) {
	return []fwk.ClusterEventWithHint{
		{Event: fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add | fwk.UpdateNodeTaint}, QueueingHintFn: p.afterNode},
		{Event: fwk.ClusterEvent{Resource: fwk.Pod, ActionType: fwk.UpdatePodToleration}, QueueingHintFn: afterPod},
	}, nil
}

// afterNode queues the pod when the node is open to it now and was not before.
// What it cannot judge it lets the next cycle judge.
func (p *Plugin) afterNode(_ klog.Logger, pod *corev1.Pod, before, after any) (fwk.QueueingHint, error) {
	old, _ := before.(*corev1.Node)
	changed, ok := after.(*corev1.Node)
	if !ok {
		return fwk.Queue, fmt.Errorf("an event of a node has a %T", after)
	}
	tolerations, err := p.tolerations(pod)
	if err != nil {
		return fwk.Queue, err
	}
	open := func(n *corev1.Node) bool {
		taints, err := adapt.Taints(n.Spec.Taints)
		return err == nil && match.Filter(taints, tolerations).Schedulable()
	}
	if open(changed) && (old == nil || !open(old)) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}

// afterPod queues a pod whose own tolerations changed.
func afterPod(_ klog.Logger, pod *corev1.Pod, _, after any) (fwk.QueueingHint, error) {
	changed, ok := after.(*corev1.Pod)
	if !ok {
		return fwk.Queue, fmt.Errorf("an event of a pod has a %T", after)
	}
	if changed.UID == pod.UID {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
