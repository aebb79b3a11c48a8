package kubernetes_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

// taintPlugin is the scheduler's plugin, called by the same interfaces as in the
// scheduler.
type taintPlugin interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
}

func quietContext() context.Context {
	return klog.NewContext(context.Background(), quiet)
}

// taintPlugins has the plugin with the gate off and on.
func taintPlugins(t *testing.T) map[bool]taintPlugin {
	plugins := map[bool]taintPlugin{}
	for _, gate := range []bool{false, true} {
		p, err := tainttoleration.New(quietContext(), nil, nil, feature.Features{EnableTaintTolerationComparisonOperators: gate})
		if err != nil {
			t.Fatal(err)
		}
		plugins[gate] = p.(taintPlugin)
	}
	return plugins
}

func nodeInfo(taints []corev1.Taint, cordoned bool) fwk.NodeInfo {
	info := framework.NewNodeInfo()
	info.SetNode(&corev1.Node{Spec: corev1.NodeSpec{Taints: taints, Unschedulable: cordoned}})
	return info
}

// The scores of a pod for several nodes are computed as in the scheduler: PreScore,
// Score for each, NormalizeScore for all.
func TestTaintTolerationScore_F8(t *testing.T) {
	t.Parallel()
	ctx, plugins := quietContext(), taintPlugins(t)
	var differing share
	conform(t, pure/4, func(g *gen) string { // about four nodes each
		theirs, _ := g.lists()
		gate := !g.in(4)
		_, tolerations := gated(nil, theirs, gate)
		m := match.Compile(tolerations)
		pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: theirs}}
		state := framework.NewCycleState()
		nodes := make([]fwk.NodeInfo, 1+g.IntN(7))
		counts := make([]int64, len(nodes))
		scores := make(fwk.NodeScoreList, len(nodes))
		for i := range nodes {
			theirTaints := make([]corev1.Taint, g.IntN(5))
			for j := range theirTaints {
				theirTaints[j] = g.taint()
				if g.in(2) {
					theirTaints[j].Effect = corev1.TaintEffectPreferNoSchedule
				}
			}
			taints := valid(ourTaints(theirTaints))
			nodes[i] = nodeInfo(theirTaints, false)
			counts[i] = int64(match.Node{Taints: taints}.Filter(tolerations).Count(taint.PreferNoSchedule))
			if c := int64(m.Filter(match.Node{Taints: taints}).Count(taint.PreferNoSchedule)); c != counts[i] {
				return fmt.Sprintf("%v on %v: compiled %d, plain %d", tolerations, taints, c, counts[i])
			}
		}
		p := plugins[gate]
		if status := p.PreScore(ctx, state, pod, nodes); !status.IsSuccess() {
			return fmt.Sprintf("PreScore: %v", status)
		}
		for i, info := range nodes {
			score, status := p.Score(ctx, state, pod, info)
			if !status.IsSuccess() || score != counts[i] {
				return fmt.Sprintf("%v on %v: Score %d (%v), ours %d", tolerations, info.Node().Spec.Taints, score, status, counts[i])
			}
			scores[i].Score = score
		}
		return normalized(ctx, p, state, pod, scores, counts, &differing)
	})
	differing.within(t, "have nodes of different scores", 0.3, 0.95)
}

// NormalizeScore is called alone, with counts that no node has.
func TestNormalizeScore_F8(t *testing.T) {
	t.Parallel()
	ctx, p := quietContext(), taintPlugins(t)[true]
	conform(t, pure, func(g *gen) string {
		counts := make([]int64, g.IntN(6))
		scores := make(fwk.NodeScoreList, len(counts))
		limit := []int64{1, 2, 4, 10, 1000, math.MaxInt64 / 100}[g.IntN(6)]
		for i := range counts {
			counts[i] = g.Int64N(limit)
			scores[i].Score = counts[i]
		}
		return normalized(ctx, p, nil, nil, scores, counts, nil)
	})
}

func normalized(ctx context.Context, p taintPlugin, state fwk.CycleState, pod *corev1.Pod, scores fwk.NodeScoreList, counts []int64, differing *share) string {
	if status := p.ScoreExtensions().NormalizeScore(ctx, state, pod, scores); !status.IsSuccess() {
		return fmt.Sprintf("NormalizeScore: %v", status)
	}
	different := false
	for i, got := range match.Scores(counts) {
		if got != scores[i].Score {
			return fmt.Sprintf("counts %v: NormalizeScore %v, ours %v", counts, scores, match.Scores(counts))
		}
		different = different || got != scores[0].Score
	}
	differing.count(different)
	return ""
}

// Two plugins together evaluate a cordoned node.
func TestNodeUnschedulable_F10(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		ctx, taints := quietContext(), taintPlugins(t)[gate]
		p, err := nodeunschedulable.New(ctx, nil, nil, feature.Features{EnableTaintTolerationComparisonOperators: gate})
		if err != nil {
			t.Fatal(err)
		}
		cordonPlugin := p.(fwk.FilterPlugin)
		var fits, cordonFits share
		conform(t, pure/2, func(g *gen) string {
			theirs, theirTaints := g.lists()
			for i := range theirs {
				if theirs[i].Key != "" && g.in(2) {
					theirs[i].Key = corev1.TaintNodeUnschedulable
				}
				if theirs[i].Key != "" && g.in(4) {
					theirs[i].Value, theirs[i].Operator = "", ""
				}
			}
			cordoned := !g.in(4)
			if g.in(3) { // most cordoned nodes have the taint too
				theirTaints = append(theirTaints, corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule})
			}
			ours, tolerations := gated(theirTaints, theirs, gate)
			pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: theirs}}
			info := nodeInfo(theirTaints, cordoned)
			first := cordonPlugin.Filter(ctx, nil, pod, info).IsSuccess()
			second := taints.Filter(ctx, nil, pod, info).IsSuccess()
			node := match.Node{Taints: ours, Unschedulable: cordoned}
			r := node.Filter(tolerations)
			if c := match.Compile(tolerations).Filter(node); c != r {
				return fmt.Sprintf("%v on %v: compiled %+v, plain %+v", tolerations, node, c, r)
			}
			fits.count(first && second)
			cordonFits.count(cordoned && first)
			at, ok := r.First(taint.NoSchedule)
			if r.Schedulable() != (first && second) || (ok && at == -1) != !first {
				return fmt.Sprintf("%v on %v: NodeUnschedulable %v, TaintToleration %v, ours %+v", tolerations, node, first, second, r)
			}
			return ""
		})
		fits.within(t, "fit", 0.1, 0.9)
		cordonFits.within(t, "fit a cordoned node", 0.05, 0.9)
	})
}

// daemonDecision calls the DaemonSet controller for a node. It returns the tolerations
// of the daemon's pod on this node, some of which the controller adds.
func daemonDecision(tolerations []corev1.Toleration, taints []corev1.Taint) (shouldRun, shouldContinue bool, all []corev1.Toleration) {
	meta := metav1.ObjectMeta{Name: "x", Namespace: "default"}
	ds := &appsv1.DaemonSet{ObjectMeta: meta}
	ds.Spec.Template.Spec.Tolerations = tolerations
	node := &corev1.Node{ObjectMeta: meta, Spec: corev1.NodeSpec{Taints: taints}}
	all = daemon.NewPod(ds, node.Name).Spec.Tolerations
	shouldRun, shouldContinue = daemon.NodeShouldRunDaemonPod(quiet, node, ds)
	return shouldRun, shouldContinue, all
}

func TestNodeShouldRunDaemonPod_F9(t *testing.T) {
	withGate(t, func(t *testing.T, gate bool) {
		var run, goOn share
		conform(t, objects, func(g *gen) string {
			theirs, theirTaints := g.lists()
			want, wantOn, theirs := daemonDecision(theirs, theirTaints)
			ours, tolerations := gated(theirTaints, theirs, gate)
			run.count(want)
			goOn.count(wantOn && !want)
			r := match.Node{Taints: ours}.Filter(tolerations)
			got, gotOn := r.Schedulable(), !r.Evicted()
			if got != want || gotOn != wantOn {
				return fmt.Sprintf("%v on %v: Kubernetes %v %v, ours %v %v", tolerations, ours, want, wantOn, got, gotOn)
			}
			return ""
		})
		run.within(t, "should run", 0.2, 0.9)
		goOn.within(t, "can only continue", 0.05, 0.9)
	})
}
