package kubernetes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// poolSize is how many nodes the pool of the operator has.
const poolSize = 400

func poolNode(i int) string { return fmt.Sprintf("pool-%03d", i) }

// beat writes the status of a node, as its kubelet does.
func beat(ctx context.Context, node string) error {
	now := time.Now()
	status := fmt.Appendf(nil, `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady","message":%q,"lastHeartbeatTime":%q}]}}`, now, now.UTC().Format(time.RFC3339))
	_, err := live.Client.CoreV1().Nodes().Patch(ctx, node, types.StrategicMergePatchType, status, metav1.PatchOptions{}, "status")
	return err
}

// newPool creates the nodes of the pool, with heartbeats, 20 a second, until the end of the
// test, and pods on them: 40 of a ReplicaSet, and three without a controller, of which
// one tolerates all taints, and one maintenance for an hour.
func newPool(ctx context.Context, t *testing.T) {
	t.Helper()
	fresh(ctx, t)
	nodes, pods := live.Client.CoreV1().Nodes(), live.Client.CoreV1().Pods("default")
	parallel(poolSize, func(i int) {
		n, err := nodes.Create(ctx, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: poolNode(i), Labels: map[string]string{"pool": "batch"}}}, metav1.CreateOptions{})
		if err == nil {
			n.Spec.Taints = nil // not ready
			_, err = nodes.Update(ctx, n, metav1.UpdateOptions{})
		}
		if err != nil {
			t.Error(err)
		}
	})
	hour, yes := int64(3600), true
	for i := range 43 {
		p := unpinned("", upstream, nil)
		p.Spec.NodeName, p.Spec.TerminationGracePeriodSeconds = poolNode(i*9), new(int64)
		switch p.Name = fmt.Sprintf("web-%02d", i); i {
		case 40:
			p.Name = "bare"
		case 41:
			p.Name, p.Spec.Tolerations = "forever", []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		case 42:
			p.Name, p.Spec.Tolerations = "hour", []corev1.Toleration{{Key: "maintenance", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &hour}}
		default:
			p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "u", Controller: &yes}}
		}
		if _, err := pods.Create(ctx, p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	ctx, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second / 20):
			}
			if err := beat(ctx, poolNode(i%poolSize)); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	})
	t.Cleanup(func() { stop(); running.Wait() })
}

// inMaintenance returns how many nodes of the pool have the taint of the maintenance.
func inMaintenance(ctx context.Context, t *testing.T) (n int) {
	t.Helper()
	list, err := live.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range list.Items {
		if slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool { return t.Key == "maintenance" }) {
			n++
		}
	}
	return n
}

// A transcript is what a command has written so far.
type transcript struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// The day of an operator: a taint evicts the pods of a pool, although heartbeats change its
// nodes all the time and the operator interrupts the command. It is repeated until all nodes
// have the taint, and removes it from all. Package edit has tests of what can fail.
func TestTool_operator(t *testing.T) {
	ctx := patient(t)
	newPool(ctx, t)
	stop, err := live.StartEvictor(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	var interrupt func() // at the patch of a node
	kubeconfig := proxy(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if interrupt != nil && r.Method == http.MethodPatch && r.URL.Path == "/api/v1/nodes/"+poolNode(150) {
			interrupt()
		}
		return false
	})
	var command *exec.Cmd
	var out *transcript
	taint := func(status int, want []string, args ...string) {
		t.Helper()
		out = new(transcript)
		command = toolCommand(ctx, t, append([]string{"taint", "-l", "pool=batch", "--kubeconfig", kubeconfig}, args...)...)
		command.Stdout, command.Stderr = out, out
		start := time.Now()
		_ = command.Run()
		if got := command.ProcessState.ExitCode(); got != status {
			t.Errorf("%q: exit status %d, want %d", args, got, status)
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%q does not print %q", args, text)
			}
		}
		t.Logf("%v: %q\n%s", time.Since(start), args, out)
	}
	const add, remove = "maintenance=today:NoExecute", "maintenance-"

	// Look.
	const nowhere = "Warning: 42 pods can no longer start or restart on any node: 40 pods of ReplicaSet default/web, default/bare, default/hour\n"
	taint(0, []string{"Affected pods: 42 (42 staying)\n" + nowhere, "   0 of 400 nodes        400\n"}, "maintenance=today:NoSchedule")
	const preview = "Affected pods: 42 (41 evicted now, 1 evicted later)\n" +
		"Warning: 41 pods can no longer start or restart on any node: 40 pods of ReplicaSet default/web, default/bare\n" +
		"Warning: no controller will recreate 2 evicted pods: default/bare, default/hour\n" +
		"Warning: evictions by taints ignore disruption budgets; kubectl drain respects them\n"
	taint(0, []string{"context test, cluster test (http://127.0.0.1:", preview, "40 pods of ReplicaSet default/web   40 nodes ", "\nnothing was changed; to apply it, add --yes\n"}, add)
	var report struct {
		Pods []struct{ Name, Effect string }
	}
	if err := json.Unmarshal([]byte(tool(ctx, t, 0, nil, "taint", "-l", "pool=batch", add, "-o", "json")), &report); err != nil {
		t.Fatal(err)
	}

	// Apply, and interrupt.
	interrupt = func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		await(ctx, t, "it is stopping", func() bool { return strings.Contains(out.String(), "\nstopping after node/pool-150 (151 of 400), ") })
	}
	start := time.Now().Truncate(time.Second)
	taint(130, []string{"\nerror: interrupted; 400 objects: 151 changed, 0 unchanged, 0 failed, 249 not reached\nto finish, run: kubectl tolerate taint -l pool=batch --kubeconfig " + kubeconfig + " " + add + " --yes\n"}, add, "--yes")
	if n := inMaintenance(ctx, t); n != 151 {
		t.Errorf("%d nodes are tainted", n)
	}

	// Finish.
	interrupt = nil
	taint(0, []string{"\n400 objects: 249 changed, 151 unchanged, 0 failed\n"}, add, "--yes")
	if n := inMaintenance(ctx, t); n != poolSize {
		t.Errorf("%d nodes are tainted", n)
	}

	// The pods that the preview named are evicted.
	want := []string{"forever", "hour"}
	for _, p := range report.Pods {
		if p.Effect != "evicted now" && p.Name != "hour" {
			t.Errorf("%s: %s", p.Name, p.Effect)
		}
	}
	var names []string
	await(ctx, t, "the pods are evicted", func() bool {
		list, err := live.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		names = nil
		for _, p := range list.Items {
			names = append(names, p.Name)
		}
		return len(names) <= len(want)
	})
	if !slices.Equal(names, want) {
		t.Errorf("pods %q are left, want %q", names, want)
	}

	// The time that the taint was added says how long the pod that tolerates it stays.
	n, err := live.Client.CoreV1().Nodes().Get(ctx, poolNode(42*9), metav1.GetOptions{})
	if err != nil || n.Spec.Taints[0].TimeAdded == nil || n.Spec.Taints[0].TimeAdded.Time.Before(start) || n.Spec.Taints[0].TimeAdded.Time.After(time.Now()) {
		t.Fatalf("%v: %v", err, n.Spec.Taints)
	}
	tool(ctx, t, 0, []string{n.Spec.Taints[0].TimeAdded.Add(time.Hour).UTC().Format(time.RFC3339)}, "why", "-A")

	// Undo.
	taint(0, []string{"\n400 objects: 400 changed, 0 unchanged, 0 failed\n"}, remove, "--yes")
	taint(0, []string{"\nWarning: no object has the taint to remove: maintenance\n", "\nnothing to do: the objects are as requested\n"}, remove, "--yes")
	if n := inMaintenance(ctx, t); n != 0 {
		t.Errorf("%d nodes are tainted", n)
	}
}
