package plugin_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
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

	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/kube"
)

func TestMain(m *testing.M) {
	metrics.Register()
	// Kubernetes' matcher logs each value that is no number.
	klog.SetLoggerWithOptions(logr.Discard(), klog.ContextualLogger(true))
	m.Run()
}

func coreNode(name string, taints []corev1.Taint) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
}

func corePod(name string, tolerations []corev1.Toleration) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}, Spec: corev1.PodSpec{Tolerations: tolerations}}
}

// Kubernetes' plugin and this one, over clusters that change between pods: the
// same nodes are open to each pod, with the same scores. A node that cannot be
// read is closed, as if it was not there, and a pod that cannot be read is
// rejected.
func TestSameAsKubernetes(t *testing.T) {
	seen := map[string]int{}
	for _, gates := range []struct{ numeric, resizes bool }{{}, {numeric: true}, {resizes: true}, {true, true}} {
		t.Run(fmt.Sprintf("numeric=%v/resizes=%v", gates.numeric, gates.resizes), func(t *testing.T) {
			featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, featuregatetesting.FeatureOverrides{
				features.TaintTolerationComparisonOperators:           gates.numeric,
				features.InPlacePodVerticalScalingSchedulerPreemption: gates.resizes,
			})
			rapid.Check(t, func(rt *rapid.T) { compare(t, rt, gates.resizes, seen) })
		})
	}
	for _, what := range []string{"few open", "none open", "all open", "unreadable node", "unreadable pod", "resized"} {
		if t.Logf("%s: %d", what, seen[what]); seen[what] == 0 {
			t.Errorf("no case with %s: the generator has gone wrong", what)
		}
	}
}

// compare sends some pods through both plugins, and counts what it saw.
func compare(t *testing.T, rt *rapid.T, resizes bool, seen map[string]int) {
	theirNodes, ourNodes := &changing{}, &changing{}
	theirs, ours := newCycle(t, tainttoleration.Name, theirNodes), newCycle(t, plugin.Name, ourNodes)
	var list []*corev1.Node
	for i := range rapid.IntRange(1, 5).Draw(rt, "cycles") {
		list = change(rt, list)
		open := slices.DeleteFunc(slices.Clone(list), func(n *corev1.Node) bool { return !readable(n) })
		pod, unread, resized := drawPod(rt, fmt.Sprint("p", i))
		count(seen, "unreadable node", len(open) < len(list))
		count(seen, "unreadable pod", unread)
		count(seen, "resized", resized)
		resized = resized && resizes // it depends on the gate
		ordered := rapid.Bool().Draw(rt, "in order")
		ourNodes.SharedLister = lister(list, ordered)
		theirNodes.SharedLister = lister(open, ordered)
		if resized {
			theirNodes.SharedLister = ourNodes.SharedLister
		}
		want, err := decide(t.Context(), theirs, pod)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := decide(t.Context(), ours, pod)
		if err != nil {
			rt.Fatal(err)
		}
		if unread && !resized {
			if len(got.Feasible) > 0 || !strings.HasPrefix(got.Message, "pod has tolerations that cannot be judged: spec.tolerations[") {
				rt.Errorf("a pod that cannot be read: %+v", got)
			}
			continue
		}
		sameScores := fmt.Sprint(got.Scores) == fmt.Sprint(want.Scores) || resized && len(open) < len(list)
		if !slices.Equal(got.Feasible, want.Feasible) || !sameScores {
			rt.Errorf("Kubernetes %v\nours       %v", want, got)
		}
		if resized {
			continue // no taint is looked at
		}
		holds(rt, ours, list, len(open))
		count(seen, "all open", len(want.Feasible) == len(list))
		count(seen, "few open", len(want.Feasible) > 0 && len(want.Feasible)*8 <= len(list))
		none := len(want.Feasible) == 0 && len(list) > 0
		count(seen, "none open", none)
		if none && len(open) == len(list) && !strings.HasPrefix(got.Message, "node(s) had untolerated taint(s): ") {
			rt.Errorf("message %q", got.Message)
		}
	}
}

func count(seen map[string]int, what string, is bool) {
	if is {
		seen[what]++
	}
}

// drawPod makes a pod; some cannot be read, and some run and wait to be resized.
func drawPod(t *rapid.T, name string) (pod *corev1.Pod, unread, resized bool) {
	pod = corePod(name, kube.CoreTolerations(gen.Tolerations().Draw(t, "tolerations")))
	if unread = oneIn(t, 8, "unreadable pod"); unread {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: "a", Operator: "exists"})
	}
	if resized = oneIn(t, 8, "resized"); resized {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonDeferred}}
	}
	return pod, unread, resized
}

func oneIn(t *rapid.T, n int, label string) bool { return rapid.IntRange(0, n-1).Draw(t, label) == n-1 }

func readable(n *corev1.Node) bool {
	_, err := kube.Taints(n.Spec.Taints)
	return err == nil
}

// holds checks that the plugin holds the nodes of the snapshot and no others.
func holds(t *rapid.T, f framework.Framework, list []*corev1.Node, readable int) {
	objects, indexed := pluginOf(f).(*plugin.Plugin).Held()
	if indexed != readable || len(objects) != len(list) {
		t.Errorf("%d nodes held, %d indexed, want %d and %d", len(objects), indexed, len(list), readable)
	}
	for _, n := range list {
		if !objects[n] {
			t.Errorf("node %s is not held", n.Name)
		}
	}
}

// pluginOf returns the framework's plugin for taints.
func pluginOf(f framework.Framework) fwk.Plugin {
	for _, p := range f.EnqueueExtensions() {
		if p.Name() == tainttoleration.Name || p.Name() == plugin.Name {
			return p
		}
	}
	return nil
}

// changing is a scheduler's snapshot: another one in each cycle, of the same
// nodes where these did not change.
type changing struct{ fwk.SharedLister }

// lister returns a snapshot of the nodes, in the order of their names or in any.
func lister(list []*corev1.Node, ordered bool) fwk.SharedLister {
	if ordered {
		return inOrder(list)
	}
	return cache.NewSnapshot(nil, list)
}

// change replaces some nodes, takes some away and adds some.
func change(t *rapid.T, list []*corev1.Node) []*corev1.Node {
	var changed []*corev1.Node
	fresh := func(name string) *corev1.Node {
		n := coreNode(name, kube.CoreTaints(gen.NodeTaints().Draw(t, "taints")))
		if oneIn(t, 16, "unreadable") {
			n.Spec.Taints = append(n.Spec.Taints, rapid.SampledFrom(unreadable).Draw(t, "taint"))
		}
		return n
	}
	for _, n := range list {
		switch rapid.IntRange(0, 6).Draw(t, "fate") {
		case 0:
		case 1:
			changed = append(changed, fresh(n.Name))
		case 6:
			changed = append(changed, retainted(t, n))
		case 2, 3:
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

// retainted returns a copy of the node in which one field of a taint differs.
func retainted(t *rapid.T, n *corev1.Node) *corev1.Node {
	n = n.DeepCopy()
	if len(n.Spec.Taints) == 0 {
		return n
	}
	u := &n.Spec.Taints[rapid.IntRange(0, len(n.Spec.Taints)-1).Draw(t, "taint")]
	switch rapid.IntRange(0, 3).Draw(t, "field") {
	case 0:
		u.Key = gen.Key().Draw(t, "key")
	case 1:
		u.Value = gen.Value().Draw(t, "value")
	case 2:
		u.Effect = corev1.TaintEffect(gen.Effect().Draw(t, "effect").String())
	case 3:
		u.TimeAdded = &metav1.Time{Time: time.Date(rapid.SampledFrom([]int{2026, 10_000}).Draw(t, "year"), 1, 1, 0, 0, 0, 0, time.UTC)}
	}
	return n
}

// unreadable are taints that no API server accepts, and that one of a later
// version may.
var unreadable = []corev1.Taint{
	{Key: "a", Effect: "NoSuch"},
	{Key: "a"},
	{Effect: corev1.TaintEffectNoSchedule},
	{Key: "a/b/c", Effect: corev1.TaintEffectPreferNoSchedule},
	{Key: "a", Value: "-1", Effect: corev1.TaintEffectNoExecute},
	{Key: "a", Effect: corev1.TaintEffectNoExecute, TimeAdded: &metav1.Time{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}},
}

// A pod that runs and waits to be resized is not kept from its node, even by a
// framework that does not heed Skip.
func TestResized(t *testing.T) {
	tainted := framework.NewNodeInfo()
	tainted.SetNode(coreNode("n", []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoExecute}}))
	pod := corePod("p", nil)
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodResizePending, Reason: corev1.PodReasonDeferred}}
	for _, resizes := range []bool{false, true} {
		featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.InPlacePodVerticalScalingSchedulerPreemption, resizes)
		for _, name := range []string{tainttoleration.Name, plugin.Name} {
			p := pluginOf(newCycle(t, name, cache.NewSnapshot(nil, nil)))
			state := framework.NewCycleState()
			p.(fwk.PreFilterPlugin).PreFilter(t.Context(), state, pod, []fwk.NodeInfo{tainted})
			if got := p.(fwk.FilterPlugin).Filter(t.Context(), state, pod, tainted).IsSuccess(); got != resizes {
				t.Errorf("%s: open: %v, want %v", name, got, resizes)
			}
		}
	}
}

// A node that no PreFilter has seen, as simulations have them, is judged too.
func TestUnseenNode(t *testing.T) {
	f := newCycle(t, plugin.Name, cache.NewSnapshot(nil, []*corev1.Node{
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
	nodes := &changing{lister(list, true)}
	f := newCycle(t, plugin.Name, nodes)
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
		nodes.SharedLister = lister(list, i%2 == 0)
		if _, status, _ := f.RunPreFilterPlugins(t.Context(), framework.NewCycleState(), pod); !status.IsSuccess() {
			t.Error(status)
		}
	}
	others.Wait()
}

// A node whose taints cannot be converted repels pods, and affects no other node.
func TestBrokenNode(t *testing.T) {
	f := newCycle(t, plugin.Name, cache.NewSnapshot(nil, []*corev1.Node{
		coreNode("broken", []corev1.Taint{{Key: "k", Effect: "NoSuch"}}), coreNode("fine", nil),
	}))
	got, err := decide(t.Context(), f, corePod("p", nil))
	if err != nil || !slices.Equal(got.Feasible, []string{"fine"}) {
		t.Errorf("%+v, %v", got, err)
	}
	// Nor does a pod that cannot be judged get anywhere; its message is short.
	got, err = decide(t.Context(), f, corePod("q", slices.Repeat([]corev1.Toleration{{Key: "k", Operator: "exists"}}, 1000)))
	if err != nil || len(got.Feasible) > 0 || len(got.Message) > 500 ||
		!strings.Contains(got.Message, "spec.tolerations[0].operator") || !strings.HasSuffix(got.Message, ", and 999 more") {
		t.Errorf("a broken pod: %+v, %v", got, err)
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
	got, err := decide(t.Context(), newCycle(t, plugin.Name, cache.NewSnapshot(nil, nodes)), corePod("p", nil))
	const want = "node(s) had untolerated taint(s): 8 pool=p8:NoSchedule, 7 pool=p7:NoSchedule, 6 pool=p6:NoSchedule, 5 pool=p5:NoSchedule, 4 pool=p4:NoSchedule, and others"
	if err != nil || got.Message != want {
		t.Errorf("%q, %v, want\n%q", got.Message, err, want)
	}
}

// events returns the events that a plugin registers, with their hints.
func events(t *testing.T, name string) map[fwk.ClusterEvent]fwk.ClusterEventWithHint {
	p, ok := pluginOf(newCycle(t, name, cache.NewSnapshot(nil, nil))).(fwk.EnqueueExtensions)
	if !ok {
		t.Fatalf("%s has no events", name)
	}
	list, err := p.EventsToRegister(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	byEvent := map[fwk.ClusterEvent]fwk.ClusterEventWithHint{}
	for _, e := range list {
		byEvent[e.Event] = e
	}
	return byEvent
}

// The same events are registered, and the hints wake the pods that Kubernetes'
// hints wake. A node that cannot be read is never open, and wakes no pod.
func TestHints(t *testing.T) {
	theirs, ours := events(t, tainttoleration.Name), events(t, plugin.Name)
	if got, want := fmt.Sprint(slices.SortedFunc(maps.Keys(ours), byText)), fmt.Sprint(slices.SortedFunc(maps.Keys(theirs), byText)); got != want {
		t.Fatalf("events %v, Kubernetes' %v", got, want)
	}
	woken := 0
	rapid.Check(t, func(rt *rapid.T) {
		pod := corePod("p", kube.CoreTolerations(gen.Tolerations().Draw(rt, "tolerations")))
		draw := func() any { return coreNode("n", kube.CoreTaints(gen.NodeTaints().Draw(rt, "taints"))) }
		for event, e := range ours {
			before, after := any(pod), any(corePod(rapid.SampledFrom([]string{"p", "q"}).Draw(rt, "pod"), nil))
			if event.Resource == fwk.Node {
				before, after = draw(), draw()
				if rapid.Bool().Draw(rt, "new") {
					before = nil
				}
			}
			if (e.PreQueueingHintFn == nil) != (theirs[event].PreQueueingHintFn == nil) {
				rt.Errorf("%v: only one has a PreQueueingHintFn", event)
			}
			want, err := theirs[event].QueueingHintFn(klog.Logger{}, pod, before, after)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := e.QueueingHintFn(klog.Logger{}, pod, before, after)
			if got != want || err != nil {
				rt.Errorf("%v: %v, %v, want %v", event, got, err, want)
			}
			if got == fwk.Queue && event.Resource == fwk.Node {
				woken++
			}
		}
	})
	if woken == 0 {
		t.Error("no node ever woke a pod")
	}
	stray(t, theirs, ours)
}

func byText(a, b fwk.ClusterEvent) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }

// stray calls the hints with what cannot be judged.
func stray(t *testing.T, theirs, ours map[fwk.ClusterEvent]fwk.ClusterEventWithHint) {
	t.Helper()
	node, pod := coreNode("n", nil), corePod("p", nil)
	for event, e := range ours {
		for _, pair := range [][2]any{{nil, "stray"}, {"stray", node}, {node, "stray"}} {
			want, theirErr := theirs[event].QueueingHintFn(klog.Logger{}, pod, pair[0], pair[1])
			got, err := e.QueueingHintFn(klog.Logger{}, pod, pair[0], pair[1])
			if got != want || (err == nil) != (theirErr == nil) {
				t.Errorf("%v: %v: %v, %v, want %v, %v", event, pair, got, err, want, theirErr)
			}
		}
		if event.Resource != fwk.Node {
			continue
		}
		if got, err := e.QueueingHintFn(klog.Logger{}, pod, nil, nil); got != fwk.Queue || err == nil {
			t.Errorf("an event without a node: %v, %v", got, err)
		}
		unread := corePod("q", []corev1.Toleration{{Operator: corev1.TolerationOpExists}, {Key: "a", Operator: "exists"}})
		if got, err := e.QueueingHintFn(klog.Logger{}, unread, nil, node); got != fwk.QueueSkip || err != nil {
			t.Errorf("a pod that cannot be read: %v, %v", got, err)
		}
		all := corePod("r", []corev1.Toleration{{Operator: corev1.TolerationOpExists}})
		for _, u := range unreadable {
			closed := coreNode("n", []corev1.Taint{u})
			if got, err := e.QueueingHintFn(klog.Logger{}, all, nil, closed); got != fwk.QueueSkip || err != nil {
				t.Errorf("a node that cannot be read: %v, %v", got, err)
			}
			if got, err := e.QueueingHintFn(klog.Logger{}, all, closed, node); got != fwk.Queue || err != nil {
				t.Errorf("a node that can be read now: %v, %v", got, err)
			}
		}
	}
}

// The plugin is called where Kubernetes' is: it implements the same extension
// points.
func TestExtensionPoints(t *testing.T) {
	nodes := cache.NewSnapshot(nil, nil)
	theirs, ours := pluginOf(newCycle(t, tainttoleration.Name, nodes)), pluginOf(newCycle(t, plugin.Name, nodes))
	count := 0
	for _, point := range []reflect.Type{
		reflect.TypeFor[fwk.PreEnqueuePlugin](), reflect.TypeFor[fwk.QueueSortPlugin](), reflect.TypeFor[fwk.EnqueueExtensions](),
		reflect.TypeFor[fwk.PreFilterPlugin](), reflect.TypeFor[fwk.FilterPlugin](), reflect.TypeFor[fwk.PostFilterPlugin](),
		reflect.TypeFor[fwk.PodGroupPostFilterPlugin](), reflect.TypeFor[fwk.PreScorePlugin](), reflect.TypeFor[fwk.ScorePlugin](),
		reflect.TypeFor[fwk.ReservePlugin](), reflect.TypeFor[fwk.PreBindPlugin](), reflect.TypeFor[fwk.PostBindPlugin](),
		reflect.TypeFor[fwk.PermitPlugin](), reflect.TypeFor[fwk.BindPlugin](), reflect.TypeFor[fwk.SignPlugin](),
		reflect.TypeFor[fwk.PlacementGeneratePlugin](), reflect.TypeFor[fwk.PlacementScorePlugin](),
	} {
		has := reflect.TypeOf(ours).Implements(point)
		if has != reflect.TypeOf(theirs).Implements(point) {
			t.Errorf("%v: ours %v, Kubernetes' %v", point, has, !has)
		}
		if has {
			count++
		}
	}
	if count != 6 {
		t.Errorf("%d extension points, want 6", count)
	}
}

func TestSign(t *testing.T) {
	nodes := cache.NewSnapshot(nil, nil)
	pod := corePod("p", []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}})
	theirs, ours := newCycle(t, tainttoleration.Name, nodes).SignPod(t.Context(), pod), newCycle(t, plugin.Name, nodes).SignPod(t.Context(), pod)
	if len(theirs) == 0 || string(theirs) != string(ours) {
		t.Errorf("Kubernetes %s, ours %s", theirs, ours)
	}
}
