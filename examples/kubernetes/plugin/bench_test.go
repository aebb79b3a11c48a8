package plugin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// BenchmarkCycle is what both plugins cost in a scheduling cycle: PreFilter,
// Filter on every node that it leaves, PreScore, Score and NormalizeScore, all
// through the scheduler's framework, on one goroutine. What a cycle costs besides
// is the same for both.
//
// open is the share of the nodes that the pod may be scheduled to: scored is all
// nodes, every other one of which has a PreferNoSchedule taint that counts, and
// untainted is all nodes, none of which has a taint. churn is how many nodes have
// changed since the cycle before.
func BenchmarkCycle(b *testing.B) {
	const n = 5000
	usual := fleetOf(workload.Fleet(n, 1))
	dedicated, scored := make([]taint.List, n), make([]taint.List, n)
	for i := range n {
		dedicated[i] = taint.List{taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i%100))}
		if i%2 == 0 {
			scored[i] = taint.List{taint.MustParse("example.com/spot:PreferNoSchedule")}
		}
	}
	pod, none := corePod("p", kube.CoreTolerations(workload.Pod())), corePod("q", nil)
	all := corePod("r", kube.CoreTolerations(toleration.List{toleration.MustParse("op=Exists")}))
	for _, tt := range []struct {
		open  string
		nodes []*corev1.Node
		pod   *corev1.Pod
		churn int
	}{
		{"half", usual, pod, 0},
		{"half", usual, pod, 50},
		{"half", usual[:100], pod, 0},
		{"1%", fleetOf(dedicated), pod, 0},
		{"none", fleetOf(dedicated), none, 0},
		{"all", usual, all, 0},
		{"scored", fleetOf(scored), pod, 0},
		{"untainted", fleetOf(make([]taint.List, n)), none, 0},
		{"untainted", fleetOf(make([]taint.List, 100)), none, 0},
	} {
		for impl, name := range map[string]string{"kubernetes": tainttoleration.Name, "tolerate": plugin.Name} {
			b.Run(fmt.Sprintf("nodes=%d/open=%s/churn=%d/impl=%s", len(tt.nodes), tt.open, tt.churn, impl), func(b *testing.B) {
				// Two snapshots that differ in so many nodes, taken in turns.
				turns := [2]snapshot{inOrder(tt.nodes), inOrder(churned(tt.nodes, tt.churn))}
				nodes := &turning{turns[0]}
				f := newCycle(b, name, nodes)
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					nodes.snapshot = turns[i%2]
					oneCycle(b, f, tt.pod)
				}
			})
		}
	}
}

// fleetOf returns a node for each list of taints.
func fleetOf(taints []taint.List) []*corev1.Node {
	nodes := make([]*corev1.Node, len(taints))
	for i, list := range taints {
		nodes[i] = coreNode(fmt.Sprintf("node-%04d", i), kube.CoreTaints(list))
	}
	return nodes
}

// A snapshot is one that keeps its nodes in order, as the scheduler's does from
// cycle to cycle; [cache.NewSnapshot] shuffles them.
type snapshot struct {
	*cache.Snapshot
	ordered
}

type ordered struct {
	fwk.NodeInfoLister
	list []fwk.NodeInfo
}

func inOrder(nodes []*corev1.Node) snapshot {
	s := cache.NewSnapshot(nil, nodes)
	list, err := s.NodeInfos().List()
	if err != nil {
		panic(err) // a snapshot never fails
	}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	return snapshot{s, ordered{s.NodeInfos(), list}}
}

func (o ordered) List() ([]fwk.NodeInfo, error) { return o.list, nil }

func (s snapshot) NodeInfos() fwk.NodeInfoLister { return s.ordered }

type turning struct{ snapshot }

// churned is the nodes with every so-manieth one replaced by its like, as a
// heartbeat does, until that many are.
func churned(nodes []*corev1.Node, churn int) []*corev1.Node {
	changed := append([]*corev1.Node(nil), nodes...)
	for i := range churn {
		at := i * len(nodes) / churn
		changed[at] = nodes[at].DeepCopy()
	}
	return changed
}

func oneCycle(b *testing.B, f framework.Framework, pod *corev1.Pod) {
	ctx, state := b.Context(), framework.NewCycleState()
	all, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		b.Fatal(err)
	}
	narrowed, status, _ := f.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return
	}
	nodes := all
	if !narrowed.AllNodes() { // as the scheduler does it
		nodes = make([]fwk.NodeInfo, 0, len(narrowed.NodeNames))
		for name := range narrowed.NodeNames {
			n, err := f.SnapshotSharedLister().NodeInfos().Get(name)
			if err != nil {
				b.Fatal(err)
			}
			nodes = append(nodes, n)
		}
	}
	left := make([]fwk.NodeInfo, 0, len(nodes))
	for _, n := range nodes {
		if f.RunFilterPlugins(ctx, state, pod, n).IsSuccess() {
			left = append(left, n)
		}
	}
	if len(left) == 0 {
		return
	}
	if status := f.RunPreScorePlugins(ctx, state, pod, left); !status.IsSuccess() {
		b.Fatal(status)
	}
	if _, status := f.RunScorePlugins(ctx, state, pod, left); !status.IsSuccess() {
		b.Fatal(status)
	}
}
