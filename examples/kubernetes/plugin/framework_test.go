package plugin_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/examples/kubernetes/adapt"
	"github.com/go-tolerate/tolerate/examples/kubernetes/internal/cycle"
	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
)

func TestMain(m *testing.M) {
	metrics.Register()
	klog.LogToStderr(false) // Kubernetes' matcher logs each number that is none
	klog.SetOutput(io.Discard)
	m.Run()
}

func coreNode(name string, taints []corev1.Taint) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
}

func corePod(name string, tolerations []corev1.Toleration) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: corev1.PodSpec{Tolerations: tolerations}}
}

// Kubernetes' plugin and this one, over clusters that change between pods: the
// same nodes are open to each pod, with the same scores.
func TestSameAsKubernetes(t *testing.T) {
	for _, numeric := range []bool{false, true} {
		t.Run(fmt.Sprintf("numeric=%v", numeric), func(t *testing.T) {
			featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.TaintTolerationComparisonOperators, numeric)
			narrowed, none := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				nodes := &changing{}
				theirs, ours := cycle.New(t, tainttoleration.Name, nodes), cycle.New(t, plugin.Name, nodes)
				var list []*corev1.Node
				for i := range rapid.IntRange(1, 4).Draw(rt, "cycles") {
					list = change(rt, list)
					nodes.Snapshot = cache.NewSnapshot(nil, list)
					pod := corePod(fmt.Sprint("p", i), adapt.CoreTolerations(gen.Tolerations().Draw(rt, "tolerations")))
					want, err := cycle.Decide(t.Context(), theirs, pod)
					if err != nil {
						rt.Fatal(err)
					}
					got, err := cycle.Decide(t.Context(), ours, pod)
					if err != nil {
						rt.Fatal(err)
					}
					if !slices.Equal(got.Feasible, want.Feasible) || fmt.Sprint(got.Scores) != fmt.Sprint(want.Scores) {
						rt.Errorf("Kubernetes %v\nours       %v", want, got)
					}
					switch {
					case len(want.Feasible) == 0 && len(list) > 0:
						none++
						if !strings.HasPrefix(got.Message, "node(s) had untolerated taint(s): ") {
							rt.Errorf("message %q", got.Message)
						}
					case len(want.Feasible)*8 <= len(list):
						narrowed++
					}
				}
			})
			if narrowed == 0 || none == 0 {
				t.Errorf("%d cases with few nodes, %d with none: the generator has gone wrong", narrowed, none)
			}
		})
	}
}

// changing is a scheduler's snapshot: another one in each cycle, of the same
// nodes where these did not change.
type changing struct{ *cache.Snapshot }

// change replaces some nodes, takes some away and adds some.
func change(t *rapid.T, list []*corev1.Node) []*corev1.Node {
	var changed []*corev1.Node
	fresh := func(name string) *corev1.Node {
		return coreNode(name, adapt.CoreTaints(gen.NodeTaints().Draw(t, "taints")))
	}
	for _, n := range list {
		switch rapid.IntRange(0, 4).Draw(t, "fate") {
		case 0:
		case 1:
			changed = append(changed, fresh(n.Name))
		case 2:
			changed = append(changed, n.DeepCopy()) // a heartbeat
		default:
			changed = append(changed, n)
		}
	}
	for range rapid.IntRange(0, 12).Draw(t, "new") {
		name := fmt.Sprintf("n%d", rapid.IntRange(0, 1000).Draw(t, "name"))
		if !slices.ContainsFunc(changed, func(n *corev1.Node) bool { return n.Name == name }) {
			changed = append(changed, fresh(name))
		}
	}
	return changed
}

// A node that no PreFilter has seen, as simulations have them, is judged too.
func TestUnseenNode(t *testing.T) {
	f := cycle.New(t, plugin.Name, cache.NewSnapshot(nil, []*corev1.Node{
		coreNode("a", nil), coreNode("b", []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}),
	}))
	state := framework.NewCycleState()
	pod := corePod("p", nil)
	if _, status, _ := f.RunPreFilterPlugins(t.Context(), state, pod); !status.IsSuccess() {
		t.Fatal(status)
	}
	for _, tt := range []struct {
		taint corev1.Taint
		want  string
	}{
		{corev1.Taint{Key: "k", Effect: corev1.TaintEffectPreferNoSchedule}, ""},
		{corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}, "node(s) had untolerated taint k=v:NoExecute"},
		{corev1.Taint{Key: "k", Effect: "NoSuch"}, `node(s) had taints that cannot be judged: spec.taints[0].effect: unknown effect "NoSuch"`},
	} {
		info := framework.NewNodeInfo()
		info.SetNode(coreNode("template", []corev1.Taint{tt.taint}))
		status := f.RunFilterPlugins(t.Context(), state, pod, info)
		if status.IsSuccess() != (tt.want == "") || !strings.HasPrefix(status.Message(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.taint, status, tt.want)
		}
	}
}

// Filter and Score may run while another cycle begins, as in simulations: for the
// race detector.
func TestConcurrent(t *testing.T) {
	list := []*corev1.Node{coreNode("open", nil)}
	for i := range 50 {
		list = append(list, coreNode(fmt.Sprint("n", i), []corev1.Taint{{Key: "k", Value: fmt.Sprint("v", i%7), Effect: corev1.TaintEffectPreferNoSchedule}, {Key: "k", Effect: corev1.TaintEffectNoSchedule}}))
	}
	nodes := &changing{cache.NewSnapshot(nil, list)}
	f := cycle.New(t, plugin.Name, nodes)
	state, pod := framework.NewCycleState(), corePod("p", []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectPreferNoSchedule}})
	if _, status, _ := f.RunPreFilterPlugins(t.Context(), state, pod); !status.IsSuccess() {
		t.Fatal(status)
	}
	infos, err := nodes.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for range 20 {
				for _, n := range infos {
					if got := f.RunFilterPlugins(t.Context(), state, pod, n).IsSuccess(); got != (n.Node().Name == "open") {
						t.Errorf("%s: %v", n.Node().Name, got)
					}
				}
			}
		})
	}
	for i := range 100 {
		list[i%50+1] = list[i%50+1].DeepCopy()
		nodes.Snapshot = cache.NewSnapshot(nil, list)
		if _, status, _ := f.RunPreFilterPlugins(t.Context(), framework.NewCycleState(), pod); !status.IsSuccess() {
			t.Error(status)
		}
	}
	others.Wait()
}

// A node that cannot be judged keeps pods away from itself and from no other.
func TestBrokenNode(t *testing.T) {
	f := cycle.New(t, plugin.Name, cache.NewSnapshot(nil, []*corev1.Node{
		coreNode("broken", []corev1.Taint{{Key: "k", Effect: "NoSuch"}}), coreNode("fine", nil),
	}))
	got, err := cycle.Decide(t.Context(), f, corePod("p", nil))
	if err != nil || !slices.Equal(got.Feasible, []string{"fine"}) {
		t.Errorf("%+v, %v", got, err)
	}
	_, err = cycle.Decide(t.Context(), f, corePod("q", []corev1.Toleration{{Operator: "exists"}}))
	if err == nil || !strings.Contains(err.Error(), "spec.tolerations[0].operator") {
		t.Errorf("a broken pod: %v", err)
	}
}

// The messages name the taints, the most frequent first.
func TestMessage(t *testing.T) {
	var nodes []*corev1.Node
	for i := range 9 {
		for range i {
			nodes = append(nodes, coreNode(fmt.Sprint("n", len(nodes)), []corev1.Taint{{Key: "pool", Value: fmt.Sprint("p", i), Effect: corev1.TaintEffectNoSchedule}}))
		}
	}
	got, err := cycle.Decide(t.Context(), cycle.New(t, plugin.Name, cache.NewSnapshot(nil, nodes)), corePod("p", nil))
	const want = "node(s) had untolerated taint(s): 8 pool=p8:NoSchedule, 7 pool=p7:NoSchedule, 6 pool=p6:NoSchedule, 5 pool=p5:NoSchedule, 4 pool=p4:NoSchedule, and others"
	if err != nil || got.Message != want {
		t.Errorf("%q, %v, want\n%q", got.Message, err, want)
	}
}

// The hints wake the pods that Kubernetes' hints wake.
func TestHints(t *testing.T) {
	nodes := cache.NewSnapshot(nil, nil)
	hints := func(name string) map[fwk.EventResource]fwk.QueueingHintFn {
		byResource := map[fwk.EventResource]fwk.QueueingHintFn{}
		for _, p := range cycle.New(t, name, nodes).EnqueueExtensions() {
			if p.Name() != name {
				continue
			}
			events, err := p.EventsToRegister(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				byResource[e.Event.Resource] = e.QueueingHintFn
			}
		}
		return byResource
	}
	theirs, ours := hints(tainttoleration.Name), hints(plugin.Name)
	if len(ours) != len(theirs) || len(ours) != 2 {
		t.Fatalf("events: Kubernetes' %d, ours %d", len(theirs), len(ours))
	}
	woken := 0
	rapid.Check(t, func(rt *rapid.T) {
		pod := corePod("p", adapt.CoreTolerations(gen.Tolerations().Draw(rt, "tolerations")))
		draw := func() any { return coreNode("n", adapt.CoreTaints(gen.NodeTaints().Draw(rt, "taints"))) }
		before, after := draw(), draw()
		if rapid.Bool().Draw(rt, "new") {
			before = nil
		}
		other := corePod(rapid.SampledFrom([]string{"p", "q"}).Draw(rt, "pod"), nil)
		for resource, pair := range map[fwk.EventResource][2]any{fwk.Node: {before, after}, fwk.Pod: {pod, other}} {
			want, err := theirs[resource](klog.Logger{}, pod, pair[0], pair[1])
			if err != nil {
				rt.Fatal(err)
			}
			got, err := ours[resource](klog.Logger{}, pod, pair[0], pair[1])
			if got != want || err != nil {
				rt.Errorf("%v: %v, %v, want %v", resource, got, err, want)
			}
			if got == fwk.Queue {
				woken++
			}
		}
	})
	if woken == 0 {
		t.Error("no pod was ever woken")
	}
	for resource, hint := range ours {
		if got, err := hint(klog.Logger{}, corePod("p", nil), nil, "stray"); got != fwk.Queue || err == nil {
			t.Errorf("%v: a stray object: %v, %v", resource, got, err)
		}
	}
}

func TestSign(t *testing.T) {
	nodes := cache.NewSnapshot(nil, nil)
	pod := corePod("p", []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}})
	theirs, ours := cycle.New(t, tainttoleration.Name, nodes).SignPod(t.Context(), pod), cycle.New(t, plugin.Name, nodes).SignPod(t.Context(), pod)
	if len(theirs) == 0 || string(theirs) != string(ours) {
		t.Errorf("Kubernetes %s, ours %s", theirs, ours)
	}
}
