package kubernetes_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/go-tolerate/tolerate/examples/kubernetes/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// live is the one cluster of all tests here.
var live *cluster.Cluster

func TestMain(m *testing.M) {
	if config := os.Getenv(schedulerFile); config != "" {
		runScheduler(config)
	}
	flag.Parse()
	var err error
	// The gate lets the API server take Lt and Gt, and both plugins heed them.
	if live, err = cluster.Start(context.Background(), "--feature-gates=TaintTolerationComparisonOperators=true"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	stopScheduler()
	if err := live.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

// The two profiles of the one scheduler: Kubernetes' own plugin, and ours in
// its place.
const (
	upstream = "upstream"
	ours     = "tolerate"
)

const schedulerConfig = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %q, qps: 5000, burst: 5000}
leaderElection: {leaderElect: false}
profiles:
- schedulerName: ` + upstream + `
- schedulerName: ` + ours + `
  plugins:
    multiPoint:
      disabled: [{name: TaintToleration}]
      enabled: [{name: ` + plugin.Name + `, weight: 3}]
    preFilter: {enabled: [{name: ` + plugin.Name + `}]}
    filter: {enabled: [{name: ` + plugin.Name + `}]}
`

// stopScheduler stops the scheduler if it runs.
var stopScheduler = func() {}

// startScheduler starts the one scheduler of all tests here, unless it runs.
var startScheduler = sync.OnceValue(func() error {
	stop, err := live.StartScheduler(context.Background(), fmt.Sprintf(schedulerConfig, live.KubeConfig), app.WithPlugin(plugin.Name, plugin.New))
	if err == nil {
		stopScheduler = stop
	}
	return err
})

// start starts the scheduler.
func start(t *testing.T) {
	t.Helper()
	if err := startScheduler(); err != nil {
		t.Fatal(err)
	}
}

// prepare starts the scheduler, removes what earlier tests left, and returns patient's context.
func prepare(t *testing.T) context.Context {
	t.Helper()
	ctx := patient(t)
	start(t)
	fresh(ctx, t)
	return ctx
}

// patient returns a context that ends with the test, or a little before the time of go test
// -timeout, the only limit here, so that a slow machine passes, and a test that hangs
// reports what it waits for.
func patient(t *testing.T) context.Context {
	end, ok := t.Deadline()
	if !ok {
		return t.Context()
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Until(end)*9/10)
	t.Cleanup(cancel)
	return ctx
}

const (
	nodeCount = 60
	podCount  = 2000
)

// The taints that nodes have and pods tolerate, such as is usual: dedicated pools, GPUs,
// the control plane, spot nodes, numbers, nodes in trouble; and what is often
// written by mistake: a value left out, the wrong effect, the wildcard.
var (
	nodeTaints = []string{
		"", "", "",
		"dedicated=team-1:NoSchedule", "dedicated=team-2:NoSchedule", "dedicated=team-2:NoExecute",
		"nvidia.com/gpu:NoSchedule", "nvidia.com/gpu=present:NoSchedule,dedicated=ml:NoSchedule",
		"node-role.kubernetes.io/control-plane:NoSchedule",
		"example.com/spot=true:PreferNoSchedule", "example.com/spot=true:PreferNoSchedule,dedicated=team-1:PreferNoSchedule",
		"node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute",
		"node.kubernetes.io/memory-pressure:NoSchedule",
		"example.com/generation=7:NoSchedule", "example.com/generation=12:NoSchedule", "example.com/generation=07:NoExecute",
	}
	podTolerations = []string{
		"", "", "op=Exists", ":NoSchedule op=Exists", ":NoExecute op=Exists",
		"dedicated=team-1", "dedicated=team-2:NoSchedule", "dedicated=team-2:NoExecute op=Equal for 60s", "dedicated op=Exists", "dedicated",
		"nvidia.com/gpu:NoSchedule op=Exists", "nvidia.com/gpu=present", "nvidia.com/gpu:NoSchedule",
		"node-role.kubernetes.io/control-plane:NoSchedule op=Exists", "node-role.kubernetes.io/master:NoSchedule op=Exists",
		"node.kubernetes.io/unreachable op=Exists", "node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
		"example.com/spot=true:PreferNoSchedule",
		"example.com/generation=6 op=Gt", "example.com/generation=10 op=Lt", "example.com/generation=12 op=Gt", "example.com/generation=-1:NoSchedule op=Gt",
	}
)

// The same 2,000 pods, each tied to one of 60 nodes so that every pair is decided
// for itself, go through both plugins in a running scheduler. The same are
// bound, the same wait, and the library's plain filter says the same.
func TestSchedulerPlugin(t *testing.T) {
	ctx := patient(t)
	start(t)

	rng := rand.New(rand.NewPCG(1, 2))
	nodes := createNodes(ctx, t, rng)
	catchUp(ctx, t)
	index := watch(t)
	tolerations := make([]toleration.List, podCount)
	for i := range tolerations {
		for range 1 + rng.IntN(3) {
			if text := podTolerations[rng.IntN(len(podTolerations))]; text != "" {
				tolerations[i] = append(tolerations[i], toleration.MustParse(text))
			}
		}
	}
	schedulable := make([]bool, podCount)
	parallel(podCount, func(i int) {
		node := nodes[i%len(nodes)]
		converted, err := kube.Node(node)
		if err != nil {
			t.Error(err)
			return
		}
		for _, scheduler := range []string{upstream, ours} {
			// Admission adds what it adds to every pod; what was stored decides.
			created, err := live.Client.CoreV1().Pods("default").Create(ctx, pinned(podName(i), scheduler, node.Name, tolerations[i]), metav1.CreateOptions{})
			if err != nil {
				t.Error(err)
				return
			}
			stored, err := kube.Pod(created)
			if err != nil {
				t.Error(err)
				return
			}
			schedulable[i] = match.Node{Taints: converted.Taints}.Schedulable(stored)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	expected := map[string]bool{} // by pod: bound
	for i, is := range schedulable {
		expected[podName(i)] = is
	}
	t.Logf("%d nodes and %d pods created", len(nodes), 2*podCount)

	bound := map[string]map[string]bool{upstream: {}, ours: {}}
	for scheduler := range bound {
		for _, p := range decided(ctx, t, scheduler, podCount) {
			bound[scheduler][strings.TrimPrefix(p.Name, scheduler+"-")] = p.Spec.NodeName != ""
		}
	}
	counts := map[bool]int{}
	for name, want := range expected {
		counts[want]++
		if bound[upstream][name] != want || bound[ours][name] != want {
			t.Errorf("%s: bound by Kubernetes' plugin: %v, by ours: %v, by the plain filter: %v", name, bound[upstream][name], bound[ours][name], want)
		}
	}
	if min(counts[true], counts[false]) < podCount/10 {
		t.Errorf("%d pods are bound, %d wait: too few for a conclusion", counts[true], counts[false])
	}
	t.Logf("%d bound, %d wait, by both", counts[true], counts[false])

	t.Run("Informer", func(t *testing.T) { indexed(ctx, t, index, expected) })
	t.Run("Wakes", func(t *testing.T) { wakes(ctx, t, nodes, bound[ours]) })
}

func podName(i int) string { return fmt.Sprintf("pod-%04d", i) }

// parallel calls f with each of 0 to n-1, some at a time.
func parallel(n int, f func(i int)) {
	const workers = 16
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	group.Wait()
}

func createNodes(ctx context.Context, t *testing.T, rng *rand.Rand) []*corev1.Node {
	var nodes []*corev1.Node
	for i := range nodeCount {
		taints, err := taint.ParseList(nodeTaints[rng.IntN(len(nodeTaints))])
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, createNode(ctx, t, fmt.Sprintf("node-%02d", i), taints))
	}
	return nodes
}

// createNode makes a node that is ready and empty. A node is not ready when it is
// created, and would report so itself later, so that taint is removed here.
func createNode(ctx context.Context, t testing.TB, name string, taints taint.List) *corev1.Node {
	t.Helper()
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("10000"),
	}
	created, err := live.Client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	created.Spec.Taints = kube.CoreTaints(taints)
	updated, err := live.Client.CoreV1().Nodes().Update(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return updated
}

// pinned is a pod that only this node may get, as a daemon's pods are.
func pinned(name, scheduler, node string, tolerations toleration.List) *corev1.Pod {
	p := unpinned(name, scheduler, tolerations)
	p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}},
		}}},
	}}}
	return p
}

func unpinned(name, scheduler string, tolerations toleration.List) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: scheduler + "-" + name, Labels: map[string]string{"scheduler": scheduler}},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler,
			Containers:    []corev1.Container{{Name: "c", Image: "example.com/none"}},
			Tolerations:   kube.CoreTolerations(tolerations),
		},
	}
}

// decided waits until a scheduler has decided about so many pods, and returns
// them.
func decided(ctx context.Context, t *testing.T, scheduler string, n int) []corev1.Pod {
	t.Helper()
	selector := labels.SelectorFromSet(labels.Set{"scheduler": scheduler}).String()
	for {
		list, err := live.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: selector})
		if err != nil {
			t.Fatal(err)
		}
		open := slices.ContainsFunc(list.Items, func(p corev1.Pod) bool { return p.Spec.NodeName == "" && refusal(&p) == "" })
		if len(list.Items) == n && !open {
			return list.Items
		}
		select {
		case <-ctx.Done():
			t.Fatalf("scheduler %s has not decided about all %d pods", scheduler, n)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// refusal is what the scheduler said when it found no node.
func refusal(p *corev1.Pod) string {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable {
			return c.Message
		}
	}
	return ""
}

// wakes takes the taints off a node for which pods wait: the hints wake them, and
// all are bound.
func wakes(ctx context.Context, t *testing.T, nodes []*corev1.Node, bound map[string]bool) {
	var node *corev1.Node
	waiting := 0
	for i, n := range nodes {
		count := 0
		for p := i; p < podCount; p += len(nodes) {
			if !bound[podName(p)] {
				count++
			}
		}
		if count > waiting {
			node, waiting = n, count
		}
	}
	if node == nil {
		t.Fatal("no pod waits for any node")
	}
	node.Spec.Taints = nil
	if _, err := live.Client.CoreV1().Nodes().Update(ctx, node, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, scheduler := range []string{upstream, ours} {
		for {
			pods, err := live.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=" + node.Name, LabelSelector: "scheduler=" + scheduler})
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for i := range podCount {
				if nodes[i%len(nodes)] == node {
					want++
				}
			}
			if len(pods.Items) == want {
				break
			}
			select {
			case <-ctx.Done():
				t.Fatalf("scheduler %s: %d of %d pods are on node %s", scheduler, len(pods.Items), want, node.Name)
			case <-time.After(200 * time.Millisecond):
			}
		}
	}
	t.Logf("%d pods woke for node %s", waiting, node.Name)
}
