package kubernetes_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/go-tolerate/tolerate/examples/kubernetes/internal/cluster"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
)

// A whyReport is what these tests use of the output of why in JSON.
type whyReport struct {
	Summary   struct{ Pending int }
	PodGroups []struct {
		Claims     []claimReport
		NodeGroups []struct {
			Admitted bool
			Names    []string
		}
		Lacks     string
		NotJudged []string
	}
	DaemonSets []daemonReport
}

type daemonReport struct {
	Name                     string
	Pods                     int
	Nodes                    struct{ Admitted, Tainted, NotSelected, Unknown int }
	Without, NotCreatedAgain []struct {
		Count       int
		Names, Pods []string
		Taints      []struct{ Add *corev1.Toleration }
	}
	AdmittedWithout int
}

// why runs the tool's why with names or flags.
func why(ctx context.Context, t *testing.T, args ...string) (r whyReport) {
	t.Helper()
	out := tool(ctx, t, 0, nil, append([]string{"why", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// daemonNodes are the nodes of TestWhy_daemonSets.
var daemonNodes = []struct{ name, pool, taints string }{
	{"plain", "a", ""},
	{"spot", "b", "spot=true:PreferNoSchedule"},
	{"gpu-a", "a", "gpu=present:NoSchedule"},
	{"gpu-b", "b", "gpu=present:NoSchedule"},
	{"batch", "a", "dedicated=batch:NoExecute"},
	{"both", "b", "gpu=present:NoSchedule,dedicated=batch:NoExecute"},
	{"old", "c", "generation=7:NoSchedule"},
	{"new", "c", "generation=12:NoSchedule"},
	{"control", "c", "node-role.kubernetes.io/control-plane:NoSchedule"},
	{"cordoned", "a", "node.kubernetes.io/unschedulable:NoSchedule"},
	{"starting", "b", "node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute"},
	{"network", "a", "node.kubernetes.io/network-unavailable:NoSchedule"},
	{"pressure", "b", "node.kubernetes.io/memory-pressure:NoSchedule"},
	{"lost", "a", "node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute"},
	{"leaving", "b", "ToBeDeletedByClusterAutoscaler=1763625600:NoSchedule"},
}

// terms returns a required affinity for nodes that one of the terms selects.
func terms(list ...corev1.NodeSelectorTerm) *corev1.Affinity {
	return &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: list}}}
}

func requirement(key string, operator corev1.NodeSelectorOperator, value string) []corev1.NodeSelectorRequirement {
	return []corev1.NodeSelectorRequirement{{Key: key, Operator: operator, Values: []string{value}}}
}

// createDaemonSet creates a DaemonSet whose pods are deleted at once, as there is no kubelet.
// They are of Kubernetes' scheduler unless the spec names another.
func createDaemonSet(ctx context.Context, t *testing.T, name string, spec corev1.PodSpec) {
	t.Helper()
	labels := map[string]string{"daemon": name}
	spec.SchedulerName = cmp.Or(spec.SchedulerName, upstream)
	spec.Containers, spec.TerminationGracePeriodSeconds = unpinned("", upstream, nil).Spec.Containers, new(int64)
	if _, err := live.Client.AppsV1().DaemonSets("default").Create(ctx, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// awaitDaemons waits until the controller reports that it has made all pods of the DaemonSet's
// current template, and no others, and the scheduler has bound those that are for it. It
// returns the names of their nodes.
func awaitDaemons(ctx context.Context, t *testing.T, name string) (nodes []string) {
	t.Helper()
	await(ctx, t, "the pods of "+name+" are bound", func() bool {
		set, err := live.Client.AppsV1().DaemonSets("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s := set.Status; s.ObservedGeneration != set.Generation || s.CurrentNumberScheduled != s.DesiredNumberScheduled || s.UpdatedNumberScheduled != s.DesiredNumberScheduled || s.NumberMisscheduled > 0 {
			return false
		}
		nodes = nil
		for node, p := range podsOf(ctx, t, name) {
			if p.Spec.SchedulerName == upstream && p.Spec.NodeName != node {
				return false
			}
			nodes = append(nodes, node)
		}
		return len(nodes) == int(set.Status.DesiredNumberScheduled)
	})
	slices.Sort(nodes)
	return nodes
}

// podsOf returns the pods of a DaemonSet by the node for which the controller made them.
func podsOf(ctx context.Context, t *testing.T, name string) map[string]*corev1.Pod {
	t.Helper()
	list, err := live.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "daemon=" + name})
	if err != nil {
		t.Fatal(err)
	}
	pods := make(map[string]*corev1.Pod)
	for _, p := range list.Items {
		selector := p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		pods[selector.NodeSelectorTerms[0].MatchFields[0].Values[0]] = &p
	}
	return pods
}

// compareDaemons fails the test unless why reports exactly the nodes that a DaemonSet selects
// on which the controller has made no pod, and these are the wanted ones.
func compareDaemons(ctx context.Context, t *testing.T, name string, selected []string, want string) daemonReport {
	t.Helper()
	with := awaitDaemons(ctx, t, name)
	without := slices.DeleteFunc(slices.Clone(selected), func(node string) bool { return slices.Contains(with, node) })
	r := why(ctx, t, "daemonset/"+name)
	if len(r.DaemonSets) != 1 {
		t.Fatalf("%s: %d DaemonSets", name, len(r.DaemonSets))
	}
	x := r.DaemonSets[0]
	var listed []string
	for _, g := range x.Without {
		if listed = append(listed, g.Names...); len(g.Names) != g.Count {
			t.Errorf("%s: %d names of %d", name, len(g.Names), g.Count)
		}
	}
	slices.Sort(listed)
	if got := strings.Join(listed, " "); got != want || !slices.Equal(listed, without) {
		t.Errorf("%s: why lists %q, the controller made none on %q, want %q", name, got, without, want)
	}
	if n := x.Nodes; x.Name != "default/"+name || x.Pods != len(with) || n.Admitted != len(with) || n.Tainted != len(without) || n.NotSelected != len(daemonNodes)-len(selected) || n.Unknown+x.AdmittedWithout+len(x.NotCreatedAgain) > 0 {
		t.Errorf("%s: with %q, without %q: %+v", name, with, without, x)
	}
	return x
}

// Why lists the nodes on which the DaemonSet controller makes no pod, and with the tolerations
// that it prints the controller makes them.
func TestWhy_daemonSets(t *testing.T) {
	ctx := prepare(t)
	for _, n := range daemonNodes {
		labelled(ctx, t, n.name, n.taints, map[string]string{"pool": n.pool})
	}
	patchNode(ctx, t, "cordoned", `{"spec":{"unschedulable":true}}`)
	sets := live.Client.AppsV1().DaemonSets("default")
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		if err := sets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
			t.Error(err)
		}
		fresh(ctx, t)
	})
	stop, err := cluster.StartDaemonSets(ctx, live.Client)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()

	const pool = "pool"
	tests := []struct {
		name          string
		spec          corev1.PodSpec
		tolerations   string
		without, left string // left are those for whose taints why prints no toleration
	}{
		{"agent", corev1.PodSpec{}, "", "batch both control gpu-a gpu-b leaving lost network new old starting", "leaving lost"},
		{"host", corev1.PodSpec{HostNetwork: true, SchedulerName: "nobody"}, "", "batch both control gpu-a gpu-b leaving lost new old starting", "leaving lost"},
		{"pool-a", corev1.PodSpec{NodeSelector: map[string]string{pool: "a"}}, "", "batch gpu-a lost network", "lost"},
		{"pool-b", corev1.PodSpec{Affinity: terms(corev1.NodeSelectorTerm{MatchExpressions: requirement(pool, corev1.NodeSelectorOpIn, "b")})},
			"gpu:NoSchedule op=Exists", "both leaving starting", "leaving"},
		{"two-terms", corev1.PodSpec{Affinity: terms(
			corev1.NodeSelectorTerm{MatchExpressions: requirement(pool, corev1.NodeSelectorOpIn, "a"), MatchFields: requirement("metadata.name", corev1.NodeSelectorOpNotIn, "lost")},
			corev1.NodeSelectorTerm{MatchFields: requirement("metadata.name", corev1.NodeSelectorOpIn, "gpu-b")},
		)}, "dedicated=Batch,gpu=present:NoExecute", "batch gpu-a gpu-b network", ""},
		{"numbers", corev1.PodSpec{NodeSelector: map[string]string{pool: "c"}}, "generation=10 op=Gt", "control old", ""},
		{"one", corev1.PodSpec{Affinity: terms(corev1.NodeSelectorTerm{MatchFields: requirement("metadata.name", corev1.NodeSelectorOpIn, "control")})}, "", "control", ""},
		{"no-node", corev1.PodSpec{NodeSelector: map[string]string{pool: "z"}}, "", "", ""},
		{"everywhere", corev1.PodSpec{}, "op=Exists", "", ""},
	}
	selected := make(map[string][]string) // by the controller, as taints keep the pods of a twin from no node
	for _, tt := range tests {
		twin := tt.spec
		twin.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		createDaemonSet(ctx, t, tt.name+"-twin", twin)
		tt.spec.Tolerations = kube.CoreTolerations(toleration.MustParseList(tt.tolerations))
		createDaemonSet(ctx, t, tt.name, tt.spec)
	}
	reports := make(map[string]daemonReport)
	for _, tt := range tests {
		selected[tt.name] = awaitDaemons(ctx, t, tt.name+"-twin")
		reports[tt.name] = compareDaemons(ctx, t, tt.name, selected[tt.name], tt.without)
	}
	tool(ctx, t, 0, []string{"Taints keep the pods of 7 DaemonSets from nodes.\n", "\nDaemonSet default/one\n  has no pods\n", "\nand 4 more DaemonSets; -o wide lists all\n"}, "why")

	for _, tt := range tests {
		set, err := sets.Get(ctx, tt.name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range reports[tt.name].Without {
			for _, x := range g.Taints {
				if x.Add != nil && !slices.Contains(set.Spec.Template.Spec.Tolerations, *x.Add) {
					set.Spec.Template.Spec.Tolerations = append(set.Spec.Template.Spec.Tolerations, *x.Add)
				}
			}
		}
		if _, err := sets.Update(ctx, set, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		compareDaemons(ctx, t, tt.name, selected[tt.name], tt.left)
	}
	t.Run("Later", func(t *testing.T) { taintedLater(ctx, t, selected["agent"]) })
}

// taintedLater adds taints to nodes that have a pod of the DaemonSet agent.
func taintedLater(ctx context.Context, t *testing.T, selected []string) {
	pod := podsOf(ctx, t, "agent")["plain"].Name
	addTaint := func(node string, effect corev1.TaintEffect) {
		n, err := live.Client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "later", Effect: effect})
		if _, err := live.Client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	sets, seconds := live.Client.AppsV1().DaemonSets("default"), 0
	decideAgain := func() { // by another generation, since the controller does nothing when a NoSchedule taint is added
		seconds++
		if _, err := sets.Patch(ctx, "agent", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"minReadySeconds":%d}}`, seconds), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	misscheduled := func() int {
		set, err := sets.Get(ctx, "agent", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return int(set.Status.NumberMisscheduled)
	}

	addTaint("plain", corev1.TaintEffectNoSchedule)
	await(ctx, t, "the controller reports a pod on a node that is not for it", func() bool {
		decideAgain()
		return misscheduled() == 1
	})
	x := why(ctx, t, "daemonset/agent").DaemonSets[0]
	if len(x.NotCreatedAgain) != 1 || !slices.Equal(x.NotCreatedAgain[0].Names, []string{"plain"}) || !slices.Equal(x.NotCreatedAgain[0].Pods, []string{pod}) || len(x.Without) != 2 {
		t.Errorf("with the pod %s on plain: %+v", pod, x)
	}
	if err := live.Client.CoreV1().Pods("default").Delete(ctx, pod, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the controller reports no such pod", func() bool { return misscheduled() == 0 })
	decideAgain() // so that it has decided about the node without the pod
	compareDaemons(ctx, t, "agent", selected, "leaving lost plain")

	addTaint("spot", corev1.TaintEffectNoExecute)
	await(ctx, t, "the controller deletes the pod on spot", func() bool { return podsOf(ctx, t, "agent")["spot"] == nil })
	compareDaemons(ctx, t, "agent", selected, "leaving lost plain spot")
}
