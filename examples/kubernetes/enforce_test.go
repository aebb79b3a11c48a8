package kubernetes_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/go-tolerate/tolerate/examples/kubernetes/internal/cluster"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// enforced is the file of rules of these tests.
const enforced = `
rules:
- namespaces: [kube-system]
  policy: {allow: [{taints: [{operator: Exists}]}]}
- namespaces: [ml]
  tolerations: [{key: dedicated, value: gpu}]
  nodeSelector: {dedicated: gpu}
- name: trial
  namespaces: [trial]
  warn: true
  denyNodeName: true
- groups: [admins]
  denyNodeName: false
  policy: {allow: [{taints: [{operator: Exists}]}]}
- denyNodeName: true
  policy:
    allow: [{taints: [{operator: Exists}]}]
    deny:
    - {name: control-plane, message: ask "the" platform, taints: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]}
    - {name: gpu, taints: [{key: dedicated, value: gpu}]}
`

var enforcedNamespaces = []string{"default", "kube-system", "ml", "trial"}

// kubectlPath returns the directory of kubectl and of its plugin, built on the first call.
var kubectlPath = sync.OnceValues(func() (string, error) {
	tool, err := toolPath()
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(tool)
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "kubectl"), "k8s.io/kubernetes/cmd/kubectl").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return dir, nil
})

// shell runs a command line with kubectl, and returns what it wrote. It fails the test if the
// command does not fail as expected.
func shell(ctx context.Context, t testing.TB, succeeds bool, line string) string {
	t.Helper()
	dir, err := kubectlPath()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(ctx, "bash", "-o", "pipefail", "-c", line)
	c.Env = append(os.Environ(), "KUBECONFIG="+live.KubeConfig, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := c.CombinedOutput()
	if (err == nil) != succeeds {
		t.Fatalf("$ %s\n%s%v", line, out, err)
	}
	t.Logf("$ %s\n%.3000s", line, out)
	return string(out)
}

func createNamespaces(ctx context.Context, t testing.TB, names ...string) {
	t.Helper()
	for _, name := range names {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := live.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
}

// startEnforcing applies the rules, and waits until the API server uses them. It returns their
// file.
func startEnforcing(ctx context.Context, t *testing.T) (file string) {
	t.Helper()
	createNamespaces(ctx, t, enforcedNamespaces...)
	file = applyRules(ctx, t, enforced)
	enforcing(ctx, t)
	return file
}

// applyRules applies a file of rules until the test ends, and returns its name.
func applyRules(ctx context.Context, t testing.TB, rules string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
		defer cancel()
		printed(ctx, t, deleteAll, "-f "+file)
		await(ctx, t, "the rules are not used", func() bool { // the next test's pods are its own
			_, refused := live.Client.CoreV1().Pods("default").Create(ctx, tolerating("probe", "op=Exists"), dry)
			completed, err := live.Client.CoreV1().Pods("ml").Create(ctx, tolerating("probe", ""), dry)
			return refused == nil && (err != nil || completed.Spec.NodeSelector["dedicated"] == "")
		})
		fresh(ctx, t)
	})
	shell(ctx, t, true, "kubectl tolerate enforce -f "+file+" | kubectl apply --server-side -f -")
	return file
}

// enforcing waits until each policy is used.
func enforcing(ctx context.Context, t *testing.T) {
	t.Helper()
	var warned warnings
	pods, heard := live.Client.CoreV1(), impersonate(t, &warned, "ann")
	labels := map[string]string{"app": "probe"}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "probe"}, Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: tolerating("", "op=Exists").Spec},
	}}
	await(ctx, t, "pods are refused, completed, and warned about, and templates", func() bool {
		warned = nil
		_, refused := pods.Pods("default").Create(ctx, tolerating("probe", "op=Exists"), dry)
		completed, err := pods.Pods("ml").Create(ctx, tolerating("probe", ""), dry)
		if !apierrors.IsForbidden(refused) || err != nil || completed.Spec.NodeSelector == nil || len(completed.Spec.Tolerations) != 3 {
			return false
		}
		_, pod := heard.CoreV1().Pods("trial").Create(ctx, tolerating("probe", "op=Exists"), dry)
		_, template := heard.AppsV1().Deployments("default").Create(ctx, deployment, dry)
		return pod == nil && template == nil && len(warned) == 2
	})
}

// printed runs the commands that enforce prints for a file: after the line that begins like this.
func printed(ctx context.Context, t testing.TB, after, args string) {
	t.Helper()
	text := shell(ctx, t, true, "kubectl tolerate enforce "+args+" 2>/dev/null")
	_, text, found := strings.Cut(text, "\n# "+after)
	commands := regexp.MustCompile(`(?m)\A.*\n((?:#   kubectl .*\n)+)`).FindStringSubmatch(text)
	if !found || commands == nil {
		t.Fatalf("no commands after %q", after)
	}
	for line := range strings.Lines(commands[1]) {
		shell(ctx, t, true, strings.TrimPrefix(line, "# "))
	}
}

// What the lines before the printed commands begin with.
const (
	deleteOlder = "Then delete what older rules left"
	refuseNone  = "To refuse no pod for now"
	refuseAgain = "To refuse pods again"
	deleteAll   = "To delete everything"
)

var dry = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

// tolerating returns a pod that stays pending.
func tolerating(name, tolerations string) *corev1.Pod {
	p := unpinned("", "nobody", toleration.MustParseList(tolerations))
	p.Name, p.Spec.Containers[0].Resources.Requests = name, corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}
	return p
}

// warnings are those that a client gets.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { *w = append(*w, text) }

// impersonate returns a client of a user in these groups.
func impersonate(t *testing.T, heard *warnings, user string, groups ...string) kubernetes.Interface {
	t.Helper()
	config := rest.CopyConfig(live.Config)
	config.WarningHandler = heard
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: append(groups, "system:authenticated")}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// refused fails the test unless the policy refused with this text, or, without it, unless nothing did.
func refused(t *testing.T, what string, err error, text string) {
	t.Helper()
	if text == "" && err != nil || text != "" && (!apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy 'tolerate' with binding 'tolerate' denied request: "+text)) {
		t.Errorf("%s: %v, want %q", what, err, text)
	}
}

// Pods are refused and completed, and older pods can be changed, as the rules say.
func TestEnforce(t *testing.T) {
	ctx := patient(t)
	fresh(ctx, t)
	createNamespaces(ctx, t, enforcedNamespaces...)
	for namespace, p := range map[string]*corev1.Pod{"default": tolerating("old", "op=Exists"), "ml": tolerating("old", "")} {
		if _, err := live.Client.CoreV1().Pods(namespace).Create(ctx, p, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	startEnforcing(ctx, t)
	labelled(ctx, t, "n", "", nil)
	const control = `rules[4].policy.control-plane denies it: ask "the" platform`

	for _, tt := range []struct{ what, namespace, subresource, patch, refused string }{
		{"metadata", "default", "", `{"metadata":{"finalizers":["example.com/held"],"labels":{"touched":"yes"}}}`, ""},
		{"finalizers without a label", "ml", "", `{"metadata":{"finalizers":["example.com/held"]}}`, ""},
		{"finalizers, removed", "ml", "", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/held"]}}`, ""},
		{"a harmless toleration", "default", "", `{"spec":{"tolerations":[{"operator":"Exists"},{"key":"a","operator":"Exists"}]}}`, ""},
		{"another", "default", "", `{"spec":{"tolerations":[{"operator":"Exists"},{"key":"a","operator":"Exists"},{"key":"node-role.kubernetes.io/control-plane","operator":"Exists"}]}}`, "spec.tolerations[2]: " + control},
		{"an ephemeral container", "default", "ephemeralcontainers", `{"spec":{"ephemeralContainers":[{"name":"e","image":"example.com/none","terminationMessagePolicy":"File"}]}}`, ""},
		{"the status", "default", "status", `{"status":{"phase":"Running"}}`, ""},
		{"resize", "default", "resize", `{"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":"2"}}}]}}`, ""},
		{"while it is being deleted", "default", "", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.com/held"]}}`, ""},
	} {
		pods := live.Client.CoreV1().Pods(tt.namespace)
		if tt.what == "while it is being deleted" {
			if err := pods.Delete(ctx, "old", metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
		_, err := pods.Patch(ctx, "old", types.StrategicMergePatchType, []byte(tt.patch), metav1.PatchOptions{}, tt.subresource)
		refused(t, tt.what, err, tt.refused)
	}

	mirror := map[string]string{corev1.MirrorPodAnnotationKey: "x"}
	for _, tt := range []struct {
		what, user, group, namespace string
		pod                          *corev1.Pod
		node                         string
		annotations, selector        map[string]string
		refused                      string
	}{
		{"a wildcard", "ann", "", "default", tolerating("new", "a op=Exists,op=Exists"), "", nil, nil, "spec.tolerations[1]: " + control},
		{"a wildcard of an administrator", "ann", "admins", "default", tolerating("new", "op=Exists"), "", nil, nil, ""},
		{"another label", "ann", "", "ml", tolerating("new", ""), "", nil, map[string]string{"dedicated": "cpu"}, "spec.nodeSelector must have dedicated=gpu, by rules[1].nodeSelector"},
		{"a node's name", "ann", "", "default", tolerating("new", ""), "n", nil, nil, "spec.nodeName must be omitted"},
		{"a mirror pod", "system:node:n", "system:nodes", "default", tolerating("new", "op=Exists"), "n", mirror, nil, ""},
		{"that of another kubelet", "system:node:m", "system:nodes", "default", tolerating("new", "op=Exists"), "n", mirror, nil, "spec.nodeName"},
		{"that of nobody", "system:node:n", "", "default", tolerating("new", "op=Exists"), "n", mirror, nil, "spec.nodeName"},
	} {
		tt.pod.Annotations, tt.pod.Spec.NodeName, tt.pod.Spec.NodeSelector = tt.annotations, tt.node, tt.selector
		tt.pod.DeletionTimestamp, tt.pod.Finalizers = &metav1.Time{Time: time.Now()}, []string{"example.com/held"} // it only claims this
		_, err := impersonate(t, new(warnings), tt.user, strings.Fields(tt.group)...).CoreV1().Pods(tt.namespace).Create(ctx, tt.pod, dry)
		refused(t, tt.what, err, tt.refused)
	}
	completed, err := live.Client.CoreV1().Pods("ml").Create(ctx, tolerating("completed", "a op=Exists"), metav1.CreateOptions{})
	if err != nil || !maps.Equal(completed.Spec.NodeSelector, map[string]string{"dedicated": "gpu"}) || !slices.Contains(completed.Spec.Tolerations, corev1.Toleration{Key: "dedicated", Value: "gpu"}) {
		t.Errorf("completed to %+v, %v", completed.Spec, err)
	}
	if out := shell(ctx, t, false, "kubectl debug node/n --image=example.com/none --as=ann --as-group=users"); !strings.Contains(out, "spec.nodeName must be omitted") {
		t.Errorf("kubectl debug node of a user: %s", out)
	}
	shell(ctx, t, true, "kubectl debug node/n --image=example.com/none --as=ann --as-group=admins")

	var heard warnings
	if _, err := impersonate(t, &heard, "ann").CoreV1().Pods("trial").Create(ctx, tolerating("warned", "op=Exists"), dry); err != nil || len(heard) != 1 || !strings.Contains(heard[0], control) {
		t.Errorf("warned %q, %v", heard, err)
	}
	text, err := live.Client.CoreV1().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	for _, action := range []string{"deny", "warn", "audit"} {
		if !regexp.MustCompile(`(?m)^apiserver_validating_admission_policy_check_total\{enforcement_action="` + action + `",error_type="\w+",policy="tolerate`).Match(text) {
			t.Errorf("no metric about %s: %v", action, err)
		}
	}
}

// Lint, with the same file, refuses in manifests what the API server refuses of an
// administrator, and finds in templates of all kinds what it warns about.
func TestEnforce_lint(t *testing.T) {
	ctx := patient(t)
	file := startEnforcing(ctx, t)
	var heard warnings
	client := impersonate(t, &heard, "ann").CoreV1().RESTClient()
	want, sent := map[string]bool{}, map[string]any{}
	create := func(kind, apiVersion, path, namespace, name string, spec any) {
		object := map[string]any{"kind": kind, "apiVersion": apiVersion, "metadata": metav1.ObjectMeta{Name: name, Namespace: namespace}, "spec": spec}
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		heard = nil
		err = client.Post().AbsPath(path, "namespaces", namespace, strings.ToLower(kind)+"s").Param("dryRun", "All").SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
		if heard = slices.DeleteFunc(heard, func(w string) bool { return !strings.Contains(w, "'tolerate") }); err != nil {
			refused(t, kind+" "+name, err, "spec.")
		}
		id := fmt.Sprintf("%s %s/%s", kind, namespace, name)
		sent[id], want[id] = object, err != nil || len(heard) > 0
	}
	for i, text := range []string{"", "op=Exists", "dedicated=gpu", "dedicated op=Exists", "dedicated=web", "node-role.kubernetes.io/control-plane:NoSchedule op=Exists", "dedicated=7 op=Gt"} {
		for _, namespace := range enforcedNamespaces {
			for j, change := range []func(*corev1.PodSpec){func(*corev1.PodSpec) {}, func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{"dedicated": "cpu"} }, func(s *corev1.PodSpec) { s.NodeName = "n" }} {
				p, labels := tolerating(fmt.Sprintf("case-%d-%d", i, j), text), map[string]string{"app": "w"}
				change(&p.Spec)
				create("Pod", "v1", "/api/v1", namespace, p.Name, p.Spec)
				template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: p.Spec}
				with := map[string]any{"template": template, "selector": metav1.LabelSelector{MatchLabels: labels}}
				for _, kind := range []string{"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"} {
					create(kind, "apps/v1", "/apis/apps/v1", namespace, p.Name, with)
				}
				create("ReplicationController", "v1", "/api/v1", namespace, p.Name, map[string]any{"template": template, "selector": labels})
				template.Spec.RestartPolicy = corev1.RestartPolicyNever
				job := map[string]any{"template": template}
				create("Job", "batch/v1", "/apis/batch/v1", namespace, p.Name, job)
				create("CronJob", "batch/v1", "/apis/batch/v1", namespace, p.Name, map[string]any{"schedule": "@daily", "jobTemplate": map[string]any{"spec": job}})
			}
		}
	}
	input, err := json.Marshal(map[string]any{"kind": "List", "apiVersion": "v1", "items": slices.Collect(maps.Values(sent))})
	if err != nil {
		t.Fatal(err)
	}
	lint := toolCommand(ctx, t, "lint", "-f", "-", "--rules", file, "-o", "json")
	lint.Stdin = bytes.NewReader(input)
	out, _ := lint.Output()
	var report struct {
		Findings []struct{ Check, Object string }
	}
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found, number := map[string]bool{}, 0
	for _, f := range report.Findings {
		found[f.Object] = found[f.Object] || f.Check == "policy"
	}
	for id, is := range want {
		if found[id] != is {
			t.Errorf("%s: lint finds something: %t, the API server: %t", id, found[id], is)
		}
		if is {
			number++
		}
	}
	t.Logf("%d of %d", number, len(want))
	if number < len(want)/5 || number > len(want)*4/5 {
		t.Error("too few for a conclusion")
	}
}

// The DaemonSet controller gets its pods admitted, with its own tolerations and the rule's, on
// the nodes of a namespace that are for it alone.
func TestEnforce_daemonSet(t *testing.T) {
	ctx := patient(t)
	fresh(ctx, t)
	startEnforcing(ctx, t)
	labelled(ctx, t, "gpu", "dedicated=gpu:NoSchedule", map[string]string{"dedicated": "gpu"})
	labelled(ctx, t, "other", "", nil)
	controller := impersonate(t, new(warnings), "system:serviceaccount:kube-system:daemon-set-controller", "system:serviceaccounts")
	stop, err := cluster.StartDaemonSets(ctx, controller)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	labels := map[string]string{"app": "driver"}
	spec := tolerating("", "dedicated=gpu").Spec
	spec.NodeSelector, spec.HostNetwork = map[string]string{"dedicated": "gpu"}, true
	sets := live.Client.AppsV1().DaemonSets("ml")
	if _, err := sets.Create(ctx, &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "driver"}, Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec},
	}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	await(ctx, t, "the controller is done", func() bool {
		set, err := sets.Get(ctx, "driver", metav1.GetOptions{})
		return err == nil && set.Status.DesiredNumberScheduled > 0 && set.Status.CurrentNumberScheduled == set.Status.DesiredNumberScheduled
	})
	list, err := live.Client.CoreV1().Pods("ml").List(ctx, metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d pods, %v", len(list.Items), err)
	}
	stored, err := kube.Pod(&list.Items[0])
	if want := admission.Daemon(admission.DaemonOptions{HostNetwork: true}, toleration.MustParseList("dedicated=gpu")); err != nil || len(cover.Uncovered(want, stored)) > 0 {
		t.Errorf("created with %v, want %v", stored, want)
	}
	if err := sets.Delete(ctx, "driver", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// After a restart of the API server no pod is admitted that the rules refuse, from its first answer.
func TestEnforce_restart(t *testing.T) {
	ctx := patient(t)
	startEnforcing(ctx, t)
	stop, answers := make(chan struct{}), map[string]int{}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_, err := live.Client.CoreV1().Pods("default").Create(ctx, tolerating("probe", "op=Exists"), dry)
			switch {
			case err == nil:
				answers["admitted"]++
			case apierrors.IsForbidden(err):
				answers[err.Error()]++
			default:
				answers["none"]++
			}
			time.Sleep(10 * time.Millisecond)
		}
	})
	start := time.Now()
	err := live.Restart(context.Background())
	t.Logf("restarted in %v", time.Since(start))
	enforcing(ctx, t)
	close(stop)
	group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", answers)
	if answers["admitted"] > 0 {
		t.Errorf("%d pods were admitted", answers["admitted"])
	}
}

// The printed commands delete what older rules left, and nothing of another name, and all.
func TestEnforce_delete(t *testing.T) {
	ctx := patient(t)
	file := startEnforcing(ctx, t)
	shell(ctx, t, true, "kubectl tolerate enforce --name other -f "+file+" | kubectl apply --server-side -f -")
	names := func() []string {
		return strings.Fields(shell(ctx, t, true, "kubectl get mutatingadmissionpolicies,mutatingadmissionpolicybindings,validatingadmissionpolicies,validatingadmissionpolicybindings -o name"))
	}
	before := names()
	if err := os.WriteFile(file, []byte("rules: [{policy: {allow: [{taints: [{operator: Exists}]}]}}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell(ctx, t, true, "kubectl tolerate enforce -f "+file+" | kubectl apply --server-side -f -")
	printed(ctx, t, deleteOlder, "-f "+file)
	gone := func(name string) bool {
		return strings.HasPrefix(name, "mutating") && strings.Contains(name, "/tolerate") || strings.HasSuffix(name, "/tolerate-warn")
	}
	if got, want := names(), slices.DeleteFunc(slices.Clone(before), gone); !slices.Equal(got, want) || len(want) == len(before) {
		t.Errorf("left %q, want %q of %q", got, want, before)
	}
	printed(ctx, t, deleteAll, "-f "+file)
	if got := names(); slices.ContainsFunc(got, func(name string) bool { return !strings.Contains(name, "/other") }) || len(got) == 0 {
		t.Errorf("left %q", got)
	}
	shell(ctx, t, true, "kubectl delete mutatingadmissionpolicies,mutatingadmissionpolicybindings,validatingadmissionpolicies,validatingadmissionpolicybindings -l app.kubernetes.io/instance=other")
	await(ctx, t, "pods are admitted", func() bool {
		_, err := live.Client.CoreV1().Pods("default").Create(ctx, tolerating("probe", "op=Exists"), dry)
		return err == nil
	})
}

// With the printed patch nothing is refused: who creates a pod is warned, and new pods are still
// completed. What is printed to undo it restores the rules, and the file can be applied again.
func TestEnforce_patch(t *testing.T) {
	ctx := patient(t)
	file := startEnforcing(ctx, t)
	printed(ctx, t, refuseNone, "-f "+file)
	var heard warnings
	ann := impersonate(t, &heard, "ann").CoreV1()
	await(ctx, t, "a pod is admitted with a warning", func() bool {
		heard = nil
		_, err := ann.Pods("default").Create(ctx, tolerating("new", "op=Exists"), dry)
		if err != nil {
			refused(t, "before the patch is used", err, "spec.tolerations[0]")
		}
		return err == nil
	})
	if len(heard) != 1 || !strings.Contains(heard[0], `rules[4].policy.control-plane denies it: ask "the" platform`) {
		t.Errorf("warned %q", heard)
	}
	completed, err := ann.Pods("ml").Create(ctx, tolerating("new", ""), dry)
	if err != nil || completed.Spec.NodeSelector["dedicated"] != "gpu" || len(completed.Spec.Tolerations) != 3 {
		t.Errorf("completed to %+v, %v", completed.Spec, err)
	}
	apply := "kubectl tolerate enforce -f " + file + " | kubectl apply --server-side -f -"
	if out := shell(ctx, t, false, apply); !strings.Contains(out, "must not contain both Deny and Warn") {
		t.Error("the file is refused for another reason")
	}
	printed(ctx, t, refuseAgain, "-f "+file)
	enforcing(ctx, t)
	shell(ctx, t, true, apply)
}
