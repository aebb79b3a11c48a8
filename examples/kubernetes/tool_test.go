package kubernetes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// toolPath returns the path of kubectl-tolerate, built on the first call.
var toolPath = sync.OnceValues(func() (string, error) {
	path := filepath.Join(filepath.Dir(live.KubeConfig), "kubectl-tolerate")
	out, err := exec.Command("go", "build", "-C", "../kubectl-tolerate", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

// toolCommand returns a command that runs the tool as the cluster's administrator.
func toolCommand(ctx context.Context, t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := toolPath()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, path, args...)
	c.Env = append(os.Environ(), "KUBECONFIG="+live.KubeConfig)
	return c
}

// tool runs the tool, and returns what it wrote on standard output. It fails the test if
// the exit status differs, or an expected text is not on standard output or error.
func tool(ctx context.Context, t *testing.T, status int, expected []string, args ...string) string {
	t.Helper()
	c := toolCommand(ctx, t, args...)
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	err := c.Run()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	t.Logf("$ kubectl tolerate %s\n%s%s", strings.Join(args, " "), &out, &errOut)
	if got := c.ProcessState.ExitCode(); got != status {
		t.Fatalf("%q: exit status %d, want %d", args, got, status)
	}
	for _, text := range expected {
		if !strings.Contains(out.String(), text) && !strings.Contains(errOut.String(), text) {
			t.Errorf("%q does not print %q", args, text)
		}
	}
	return out.String()
}

// fresh removes the nodes and pods of earlier tests.
func fresh(ctx context.Context, t testing.TB) {
	t.Helper()
	now := metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
	nodes := live.Client.CoreV1().Nodes()
	if err := nodes.DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	namespaces, err := live.Client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ns := range namespaces.Items {
		if err := live.Client.CoreV1().Pods(ns.Name).DeleteCollection(ctx, now, metav1.ListOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	await(ctx, t, "the pods are deleted", func() bool {
		list, err := live.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
		return err == nil && len(list.Items) == 0
	})
}

// labelled creates a node with taints and labels.
func labelled(ctx context.Context, t *testing.T, name, taints string, labels map[string]string) {
	t.Helper()
	list, err := taint.ParseList(taints)
	if err != nil {
		t.Fatal(err)
	}
	n := createNode(ctx, t, name, list)
	n.Labels = labels
	if _, err := live.Client.CoreV1().Nodes().Update(ctx, n, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// waiting creates a pod of Kubernetes' own scheduler.
func waiting(ctx context.Context, t *testing.T, name, tolerations string, selector map[string]string) {
	t.Helper()
	list, err := toleration.ParseList(tolerations)
	if err != nil {
		t.Fatal(err)
	}
	p := unpinned(name, upstream, list)
	p.Name, p.Spec.NodeSelector = name, selector
	if _, err := live.Client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// await returns once the condition is true.
func await(ctx context.Context, t testing.TB, text string, is func() bool) {
	t.Helper()
	for !is() {
		select {
		case <-ctx.Done():
			t.Fatal("waited in vain until: " + text)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// nodeOf returns the node of a pod once the scheduler has decided; empty if it found none.
func nodeOf(ctx context.Context, t *testing.T, name string) (node string) {
	t.Helper()
	await(ctx, t, "the scheduler has decided about "+name, func() bool {
		p, err := live.Client.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		node = p.Spec.NodeName
		return node != "" || refusal(p) != ""
	})
	return node
}

// awaitNode returns once the pod is bound to the node.
func awaitNode(ctx context.Context, t *testing.T, pod, node string) {
	t.Helper()
	await(ctx, t, pod+" is bound to "+node, func() bool {
		p, err := live.Client.CoreV1().Pods("default").Get(ctx, pod, metav1.GetOptions{})
		if err == nil && p.Spec.NodeName != "" && p.Spec.NodeName != node {
			t.Fatalf("%s is bound to %s", pod, p.Spec.NodeName)
		}
		return err == nil && p.Spec.NodeName == node
	})
}

func nodeTaintsOf(ctx context.Context, t *testing.T, name string) string {
	t.Helper()
	n, err := live.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, x := range n.Spec.Taints {
		texts = append(texts, x.ToString())
	}
	return strings.Join(texts, ",")
}

// proxy serves the API server without credentials, after a call of before, which
// reports whether it has answered the request itself. It returns a kubeconfig.
func proxy(t *testing.T, before func(http.ResponseWriter, *http.Request) bool) (kubeconfig string) {
	t.Helper()
	transport, err := rest.TransportFor(live.Config)
	if err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(live.Config.Host)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(host) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !before(w, r) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	config, err := clientcmd.LoadFromFile(live.KubeConfig)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range config.Clusters {
		c.Server, c.CertificateAuthority = server.URL, ""
	}
	config.AuthInfos = nil
	for _, c := range config.Contexts {
		c.AuthInfo = ""
	}
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// Pods are pending for eight kinds of reasons. With what "why" prints, three are scheduled.
func TestTool_why(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "gpu-0", "dedicated=gpu:NoSchedule", map[string]string{"pool": "gpu"})
	labelled(ctx, t, "spot-0", "dedicated=batch:NoSchedule", map[string]string{"pool": "spot"})
	waiting(ctx, t, "train", "dedicated=gpu:NoExecute", map[string]string{"pool": "gpu"})
	waiting(ctx, t, "report", "dedicated=Batch:NoSchedule", map[string]string{"pool": "spot"})
	waiting(ctx, t, "camera", "dedicated op=Exists", map[string]string{"pool": "edge"})
	labelled(ctx, t, "old-0", "", map[string]string{"pool": "old"})
	patchNode(ctx, t, "old-0", `{"spec":{"unschedulable":true}}`)
	gpu := corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists}
	for name, change := range map[string]func(*corev1.PodSpec){
		"gated": func(s *corev1.PodSpec) { s.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}} },
		"other": func(s *corev1.PodSpec) { s.SchedulerName = "nobody" },
		"large": func(s *corev1.PodSpec) {
			s.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1000")}
		},
		"volume": func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "none"}}}}
		},
		"affine": func(s *corev1.PodSpec) {
			beside := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "nobody"}}}
			s.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{beside}}}
		},
		"cordon": func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"pool": "old"} },
	} {
		p := unpinned(name, upstream, nil)
		p.Name, p.Spec.Tolerations = name, []corev1.Toleration{gpu}
		change(&p.Spec)
		if _, err := live.Client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"train", "report", "camera", "large", "volume", "affine", "cordon"} {
		if node := nodeOf(ctx, t, name); node != "" {
			t.Fatalf("%s is bound to %s", name, node)
		}
	}
	tool(ctx, t, 0, []string{"train", "report", "camera", "dedicated=gpu:NoSchedule", "dedicated=batch:NoSchedule"}, "why")
	for name, texts := range map[string][]string{
		"gated":  {"SchedulingGated: ", "scheduling gates: example.com/quota", "taints and labels admit 2 of 3 nodes"},
		"other":  {"waits for the scheduler nobody", "taints and labels admit 2 of 3 nodes"},
		"large":  {"Insufficient cpu", "taints and labels admit 2 of 3 nodes"},
		"volume": {`"none" not found`},
		"affine": {"didn't match pod affinity rules", "taints and labels admit 2 of 3 nodes"},
		"cordon": {"node(s) were unschedulable", "old-0\n", "cordoned: wait, or use kubectl uncordon"},
	} {
		tool(ctx, t, 0, texts, "why", name)
	}
	for _, name := range []string{"train", "report"} {
		add(ctx, t, name, tool(ctx, t, 0, nil, "why", name))
	}
	tool(ctx, t, 0, []string{"pool"}, "why", "camera")
	labelled(ctx, t, "edge-0", "dedicated=edge:NoSchedule", map[string]string{"pool": "edge"})
	awaitNode(ctx, t, "train", "gpu-0")
	awaitNode(ctx, t, "report", "spot-0")
	awaitNode(ctx, t, "camera", "edge-0")
	tool(ctx, t, 0, []string{"Pending: 6 "}, "why")
}

// What a day has besides pods that wait: pods that do not exist, as they are refused, and
// pods of nodes that do not exist; users who cannot list nodes; a namespace that is misspelt.
func TestTool_whyNot(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "a", "dedicated=gpu:NoSchedule", nil)
	stop, err := live.StartWorkloads(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	const enforce = "pod-security.kubernetes.io/enforce"
	_, err = live.Client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "strict", Labels: map[string]string{enforce: "restricted"}}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]string{"app": "web"}
	selector, template := &metav1.LabelSelector{MatchLabels: labels}, corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: unpinned("", upstream, nil).Spec}
	_, err = live.Client.AppsV1().ReplicaSets("strict").Create(ctx, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{})
	if err == nil {
		_, err = live.Client.AppsV1().StatefulSets("strict").Create(ctx, &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}}, metav1.CreateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the controller retries after more than a second, the unit of the times", func() bool {
		list, err := live.Client.CoreV1().Events("strict").List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=db"})
		return err == nil && len(list.Items) == 1 && list.Items[0].Count > 8
	})
	out := tool(ctx, t, 0, []string{"0 pods", "Pending: 0.", "The pods of 2 workloads are refused.\n", "\nReplicaSet strict/web\n", "\nStatefulSet strict/db\n"}, "why", "-A", "-l", "app=web")
	if n := strings.Count(out, `is forbidden: violates PodSecurity "restricted:latest"`); n != 2 {
		t.Errorf("%d messages", n)
	}
	if _, err := live.Client.CoreV1().Namespaces().Patch(ctx, "strict", types.MergePatchType, []byte(`{"metadata":{"labels":{"`+enforce+`":null}}}`), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the pods are created", func() bool {
		out := tool(ctx, t, 0, nil, "why", "-n", "strict")
		return strings.HasPrefix(out, "2 pods") && !strings.Contains(out, "refused")
	})

	p := unpinned("", upstream, nil)
	p.Name, p.Spec.NodeName = "lost", "gone"
	if _, err := live.Client.CoreV1().Pods("default").Create(ctx, p, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if out := tool(ctx, t, 0, []string{"1 pod orphaned, as the node does not exist: default/lost.\n"}, "why"); strings.Contains(out, "EVICTED") {
		t.Error("the pod without a node is evicted")
	}
	if out := tool(ctx, t, 2, []string{`Error from server (NotFound): namespaces "nobody" not found`}, "why", "-n", "nobody"); out != "" {
		t.Errorf("a report: %s", out)
	}

	waiting(ctx, t, "waits", "", nil)
	if node := nodeOf(ctx, t, "waits"); node != "" {
		t.Fatalf("it is bound to %s", node)
	}
	permit(ctx, t, "pods", "get", "list")
	tool(ctx, t, 2, []string{"Error from server (Forbidden): nodes is forbidden", "warning: workloads whose pods are refused are not listed: events is forbidden", "nodes unknown. Pending: 1, starting on a node: 1.",
		": 0/1 nodes are available: 1 node(s) had untolerated taint(s)", "taints keep the pods from 1 node;"}, append([]string{"why"}, asVisitor...)...)
}

// A dedicated node is used by its team alone, and the team uses no other.
func TestTool_dedicate(t *testing.T) {
	ctx := prepare(t)
	labelled(ctx, t, "a", "", nil)
	labelled(ctx, t, "b", "", nil)
	deployments := live.Client.AppsV1().Deployments("default")
	labels := map[string]string{"app": "team"}
	if _, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "team"},
		Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{SchedulerName: upstream, Containers: []corev1.Container{{Name: "c", Image: "example.com/none"}}},
		}},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := deployments.Delete(context.WithoutCancel(ctx), "team", metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	args := []string{"dedicate", "b", "dedicated=team", "--workload", "deployment/team"}
	tool(ctx, t, 0, []string{"nothing was changed", "--yes"}, args...)
	if got := nodeTaintsOf(ctx, t, "b"); got != "" {
		t.Fatalf("without --yes the node has %s", got)
	}
	tool(ctx, t, 0, nil, append(args, "--yes")...)
	if got := nodeTaintsOf(ctx, t, "b"); got != "dedicated=team:NoSchedule" {
		t.Fatalf("the node has %q", got)
	}
	tool(ctx, t, 0, []string{"nothing to do"}, append(args, "--yes")...)

	d, err := deployments.Get(ctx, "team", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 { // as the controllers of Deployments and ReplicaSets would
		team := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("team-", i), Labels: labels}, Spec: d.Spec.Template.Spec}
		if _, err := live.Client.CoreV1().Pods("default").Create(ctx, team, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		other := fmt.Sprint("other-", i)
		waiting(ctx, t, other, "", nil)
		awaitNode(ctx, t, team.Name, "b")
		awaitNode(ctx, t, other, "a")
	}
}

// asVisitor are the flags of a user who has only the permissions of permit.
var asVisitor = []string{"--as", "visitor", "--as-group", "system:unauthenticated"}

// permit permits the visitor to use a resource, until the end of the test.
func permit(ctx context.Context, t *testing.T, resource string, verbs ...string) {
	t.Helper()
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "visitor-" + resource},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{resource}, Verbs: verbs},
			{NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*"}, Verbs: []string{"get"}},
		},
	}
	rbac := live.Client.RbacV1()
	if _, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err := rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: role.ObjectMeta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: "visitor"}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end := context.WithoutCancel(ctx)
		if err := errors.Join(rbac.ClusterRoleBindings().Delete(end, role.Name, metav1.DeleteOptions{}), rbac.ClusterRoles().Delete(end, role.Name, metav1.DeleteOptions{})); err != nil {
			t.Error(err)
		}
	})
	config := rest.CopyConfig(live.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "visitor", Groups: []string{"system:unauthenticated"}}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the permission is known", func() bool {
		_, err := client.CoreV1().RESTClient().Get().Resource(resource).DoRaw(ctx)
		return !apierrors.IsForbidden(err)
	})
}

// add adds the toleration to the pod that the output shows first.
func add(ctx context.Context, t *testing.T, pod, output string) {
	t.Helper()
	_, text, _ := strings.Cut(output, "; to add: ")
	text, _, _ = strings.Cut(text, "\n")
	var toleration corev1.Toleration
	if err := json.Unmarshal([]byte(text), &toleration); err != nil {
		t.Fatalf("why %s shows no toleration to add: %v", pod, err)
	}
	p, err := live.Client.CoreV1().Pods("default").Get(ctx, pod, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Tolerations = append(p.Spec.Tolerations, toleration)
	if _, err := live.Client.CoreV1().Pods("default").Update(ctx, p, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}
