package kubernetes_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"

	"github.com/go-tolerate/tolerate/match/kube"
)

// deploy is where the webhook's manifests are, as an operator would install them.
const deploy = "../webhook/deploy"

// The API server calls the webhook, a process of its own, by the configurations
// that its manifests hold: it adds the tolerations that pods lack, accepts their
// updates, and rejects pods with the policy's words.
func TestWebhook(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	startWebhook(ctx, t)
	pods := live.Client.CoreV1().Pods("default")
	one := resource.MustParse("1")
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "webhook-1"},
		Spec: corev1.PodSpec{
			SchedulerName: "nobody",
			Containers: []corev1.Container{{Name: "c", Image: "example.com/none", Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"cpu": one, "example.com/fpga": one}, Limits: corev1.ResourceList{"example.com/fpga": one},
			}}},
			Tolerations: []corev1.Toleration{{Key: "dedicated", Value: "ml"}, {Key: "node.kubernetes.io/unreachable", Operator: corev1.TolerationOpExists}},
		},
	}
	created, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"dedicated=ml", "node.kubernetes.io/unreachable op=Exists", // the pod's own, as written
		"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s",
		"node.kubernetes.io/memory-pressure:NoSchedule op=Exists",
		"example.com/fpga:NoSchedule op=Exists",
	}
	if got := texts(t, created); !reflect.DeepEqual(got, want) {
		t.Errorf("created with %q\nwant         %q", got, want)
	}

	created.Labels = map[string]string{"touched": "yes"}
	updated, err := pods.Update(ctx, created, metav1.UpdateOptions{})
	if err != nil {
		t.Fatalf("an update of what the webhook changed: %v", err)
	}
	if got := texts(t, updated); !reflect.DeepEqual(got, want) {
		t.Errorf("updated, it has %q\nwant           %q", got, want)
	}

	wildcard := pod.DeepCopy()
	wildcard.Name, wildcard.Spec.Tolerations = "webhook-2", []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	_, err = pods.Create(ctx, wildcard, metav1.CreateOptions{})
	refused(t, "a wildcard", err, 403, `spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies`)

	claimed := wildcard.DeepCopy()
	claimed.Name, claimed.DeletionTimestamp, claimed.Finalizers = "webhook-3", &metav1.Time{Time: time.Now()}, []string{"example.com/held"}
	_, err = pods.Create(ctx, claimed, metav1.CreateOptions{})
	refused(t, "a wildcard that claims to be on its way out", err, 403, "control-plane")

	updated.Spec.Tolerations = append(updated.Spec.Tolerations, corev1.Toleration{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists})
	_, err = pods.Update(ctx, updated, metav1.UpdateOptions{})
	refused(t, "an update to what must not be", err, 403, "control-plane")

	if err := pods.Delete(ctx, created.Name, metav1.DeleteOptions{}); err != nil {
		t.Errorf("deleting: %v", err)
	}
}

// Pods of the namespace ml get the toleration and the node selector of its nodes, whoever
// creates them. Elsewhere, only members of the group gpu-users can tolerate the taint.
func TestWebhook_dedicated(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	startWebhook(ctx, t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "ml"}}
	if _, err := live.Client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	member, other := impersonate(t, "ann", "gpu-users"), impersonate(t, "bob", "web-users")
	gpu := corev1.Toleration{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	pod := func(selector map[string]string, tolerations ...corev1.Toleration) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "dedicated"}, Spec: corev1.PodSpec{
			SchedulerName: "nobody", Containers: []corev1.Container{{Name: "c", Image: "example.com/none"}}, NodeSelector: selector, Tolerations: tolerations,
		}}
	}

	for _, tt := range []struct{ selector, want map[string]string }{
		{nil, map[string]string{"dedicated": "gpu"}},
		{map[string]string{}, map[string]string{"dedicated": "gpu"}},
		{map[string]string{"dedicated": "gpu"}, map[string]string{"dedicated": "gpu"}},
		{map[string]string{"example.com/disk": "ssd"}, map[string]string{"dedicated": "gpu", "example.com/disk": "ssd"}},
	} {
		created, err := other.Pods("ml").Create(ctx, pod(tt.selector), dry)
		if err != nil {
			t.Errorf("node selector %v: %v", tt.selector, err)
		} else if got := created.Spec.NodeSelector; !maps.Equal(got, tt.want) || !slices.Contains(texts(t, created), "dedicated=gpu") {
			t.Errorf("node selector %v: created with %v and %q, want %v", tt.selector, got, texts(t, created), tt.want)
		}
	}
	created := new(corev1.Pod)
	err := other.RESTClient().Post().Namespace("ml").Resource("pods").
		Body([]byte(`{"metadata": {"name": "dedicated"}, "spec": {"containers": [{"name": "c", "image": "example.com/none"}], "nodeSelector": null}}`)).
		SetHeader("Content-Type", "application/json").Param("dryRun", metav1.DryRunAll).Do(ctx).Into(created)
	if err != nil || !maps.Equal(created.Spec.NodeSelector, map[string]string{"dedicated": "gpu"}) {
		t.Errorf("node selector null: created with %v, %v", created.Spec.NodeSelector, err)
	}
	for _, client := range []typedcorev1.CoreV1Interface{member, other, live.Client.CoreV1()} {
		_, err = client.Pods("ml").Create(ctx, pod(map[string]string{"dedicated": "cpu"}), dry)
		refused(t, "another value", err, 403, `spec.nodeSelector[dedicated] "cpu"`, `use "gpu"`)
	}

	_, err = other.Pods("default").Create(ctx, pod(nil, gpu), dry)
	refused(t, "the toleration without the group", err, 403, "dedicated=gpu:NoSchedule", "gpu-users")
	_, err = member.Pods("default").Create(ctx, pod(nil, corev1.Toleration{Operator: corev1.TolerationOpExists}), dry)
	refused(t, "a wildcard with the group", err, 403, "control-plane")
	if created, err = member.Pods("default").Create(ctx, pod(nil, gpu), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if created.Spec.NodeSelector != nil {
		t.Errorf("the node selector in default is %v", created.Spec.NodeSelector)
	}
	created.Labels = map[string]string{"touched": "yes"} // who is not in the group can change the rest of the pod
	if created, err = other.Pods("default").Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	created.Spec.Tolerations = append(created.Spec.Tolerations, corev1.Toleration{Key: "dedicated", Value: "gpu"})
	_, err = other.Pods("default").Update(ctx, created, metav1.UpdateOptions{})
	refused(t, "one more toleration without the group", err, 403, "spec.tolerations[")
	if _, err = member.Pods("default").Update(ctx, created, metav1.UpdateOptions{}); err != nil {
		t.Errorf("one more toleration with the group: %v", err)
	}
	if err := live.Client.CoreV1().Pods("default").Delete(ctx, created.Name, metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// A changed configuration has an effect without a restart: with a rule that warns, a wildcard
// is admitted, with a warning, and without the rule it is refused again.
func TestWebhook_warn(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	file, _ := startWebhook(ctx, t)
	shipped, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	warned := make(warnings, 100)
	config := rest.CopyConfig(live.Config)
	config.WarningHandler = warned
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "warned"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "example.com/none"}}, Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
	}}
	until := func(admitted bool, text string) (err error) {
		next := file + ".next"
		if err := errors.Join(os.WriteFile(next, []byte(text), 0o600), os.Rename(next, file)); err != nil {
			t.Fatal(err)
		}
		for ctx.Err() == nil {
			if _, err = client.Pods("default").Create(ctx, pod, dry); (err == nil) == admitted {
				return err
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("the change had no effect: %v", err)
		return nil
	}
	end := strings.LastIndex(string(shipped), "]")
	if err := until(true, string(shipped[:end])+`, {"warn": true}`+string(shipped[end:])); err != nil {
		t.Error(err)
	}
	const want = `tolerate: spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies`
	select {
	case got := <-warned:
		if !strings.HasPrefix(got, want) {
			t.Errorf("warned %q, want %q", got, want)
		}
	default:
		t.Error("admitted without a warning")
	}
	refused(t, "a wildcard without the rule", until(false, string(shipped)), 403, "control-plane")
}

// Without the webhook, nothing is admitted that it should judge, and all that admission.yaml
// excludes, which is not judged with it either: pods of kube-system, its own pods, and updates
// of other things than tolerations.
func TestWebhook_stopped(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	_, stop := startWebhook(ctx, t)
	pods := live.Client.CoreV1().Pods("default")
	labelled, err := pods.Create(ctx, probePod("labelled"), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	deployment, err := live.Client.AppsV1().Deployments("tolerate").Get(ctx, "tolerate-webhook", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	own := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "own"}, Spec: deployment.Spec.Template.Spec}
	for _, state := range []string{"running", "stopped"} {
		if state == "stopped" {
			stop()
			_, err := pods.Create(ctx, probePod("judged"), dry)
			if err == nil || !strings.Contains(err.Error(), `failed calling webhook "pods.tolerate.example.com"`) {
				t.Errorf("%s: a pod: %v, want it refused by failurePolicy", state, err)
			}
		}
		for namespace, pod := range map[string]*corev1.Pod{"kube-system": probePod("system"), "tolerate": own} {
			created, err := live.Client.CoreV1().Pods(namespace).Create(ctx, pod, dry)
			if err != nil {
				t.Errorf("%s: a pod of %s: %v", state, namespace, err)
			} else if got := texts(t, created); slices.Contains(got, added) {
				t.Errorf("%s: a pod of %s has %q", state, namespace, got)
			}
		}
		labelled.Labels = map[string]string{"webhook": state}
		if labelled, err = pods.Update(ctx, labelled, metav1.UpdateOptions{}); err != nil {
			t.Fatalf("%s: a label: %v", state, err)
		}
	}
	labelled.Spec.Tolerations = append(labelled.Spec.Tolerations, corev1.Toleration{Key: "a"})
	if _, err := pods.Update(ctx, labelled, metav1.UpdateOptions{}); err == nil || !strings.Contains(err.Error(), "failed calling") {
		t.Errorf("stopped: a toleration: %v", err)
	}
	if err := pods.Delete(ctx, "labelled", metav1.DeleteOptions{}); err != nil {
		t.Error(err)
	}
}

// The API server accepts the objects of cert-manager.yaml with cert-manager's own schemas. They
// fit the other manifests: the secret, the name of the service, and where the authority is from.
func TestWebhook_certManager(t *testing.T) {
	ctx, cancel := patient(t)
	defer cancel()
	running, err := os.ReadFile(filepath.Join(deploy, "webhook.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	certificates, err := os.ReadFile(filepath.Join(deploy, "cert-manager.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", "github.com/cert-manager/cert-manager@v1.21.2").Output()
	var module struct{ Dir, Error string }
	if err := errors.Join(err, json.Unmarshal(out, &module)); err != nil {
		t.Fatal(err, module.Error)
	}
	for _, name := range []string{"issuers", "certificates"} {
		definition, err := os.ReadFile(filepath.Join(module.Dir, "deploy/crds/cert-manager.io_"+name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		install(ctx, t, definition, 0)
	}
	for served := 0; served < 2 && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		served = 0
		if list, err := live.Client.Discovery().ServerResourcesForGroupVersion("cert-manager.io/v1"); err == nil {
			for _, r := range list.APIResources {
				if !strings.Contains(r.Name, "/") {
					served++
				}
			}
		}
	}
	service := install(ctx, t, running, 0)["Service"]
	certificate := install(ctx, t, certificates, 0)["Certificate"]
	names, _, err := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
	if want := service.GetName() + "." + service.GetNamespace() + ".svc"; err != nil || !slices.Equal(names, []string{want}) {
		t.Errorf("the certificate is for %q, %v, want %s", names, err, want)
	}
	deployment, err := live.Client.AppsV1().Deployments("tolerate").Get(ctx, "tolerate-webhook", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secret, _, err := unstructured.NestedString(certificate.Object, "spec", "secretName")
	if !slices.ContainsFunc(deployment.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Secret != nil && v.Secret.SecretName == secret }) {
		t.Errorf("the deployment has no volume of the secret %q, %v", secret, err)
	}
	admission, err := os.ReadFile(filepath.Join(deploy, "admission.yaml"))
	if from := "cert-manager.io/inject-ca-from: " + certificate.GetNamespace() + "/" + certificate.GetName(); err != nil || strings.Count(string(admission), from) != 2 {
		t.Errorf("admission.yaml has not twice %q, %v", from, err)
	}
}

// warnings are those that a client gets.
type warnings chan string

func (w warnings) HandleWarningHeader(_ int, _ string, text string) { w <- text }

// impersonate returns a client of a user in these groups.
func impersonate(t *testing.T, user string, groups ...string) typedcorev1.CoreV1Interface {
	t.Helper()
	config := rest.CopyConfig(live.Config)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: groups}
	client, err := typedcorev1.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func texts(t *testing.T, p *corev1.Pod) (list []string) {
	tolerations, err := kube.Pod(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range tolerations {
		list = append(list, u.String())
	}
	return list
}

func refused(t *testing.T, what string, err error, code int32, words ...string) {
	t.Helper()
	var status *apierrors.StatusError
	if !errors.As(err, &status) || status.Status().Code != code {
		t.Errorf("%s: %v, want it refused with %d", what, err, code)
		return
	}
	for _, w := range append(words, "tolerate: ") {
		if !strings.Contains(status.Error(), w) {
			t.Errorf("%s: %v, want %q in it", what, err, w)
		}
	}
}

// startWebhook builds the program, runs it with a copy of the manifests' configuration, which
// it returns, and installs the manifests. stop ends it as a kubelet does: by a signal.
func startWebhook(ctx context.Context, t *testing.T) (config string, stop func()) {
	t.Helper()
	dir := t.TempDir()
	config = filepath.Join(dir, "config.json")
	if err := os.CopyFS(dir, os.DirFS(deploy)); err != nil {
		t.Fatal(err)
	}
	documented(ctx, t, dir, "openssl req")
	program := filepath.Join(dir, "webhook")
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/go-tolerate/tolerate/examples/webhook")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	c := exec.CommandContext(context.WithoutCancel(ctx), program, "-listen", "127.0.0.1:0", "-cert", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key"), "-config", config)
	log, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(log)
	stop = sync.OnceFunc(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		rest, err := io.ReadAll(lines)
		if err := errors.Join(err, c.Wait()); err != nil {
			t.Errorf("%v\n%s", err, rest)
		}
		for line := range strings.Lines(string(rest)) {
			if !json.Valid([]byte(line)) {
				t.Errorf("it logged %q", line)
			}
		}
	})
	t.Cleanup(stop)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var listening struct{ Msg, Address string }
	if err := json.Unmarshal(first, &listening); err != nil || listening.Msg != "listening" {
		t.Fatalf("it said first: %s", first)
	}
	_, number, err := net.SplitHostPort(listening.Address)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	running, err := os.ReadFile(filepath.Join(deploy, "webhook.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	kinds := install(ctx, t, running, port)
	maps.Copy(kinds, install(ctx, t, documented(ctx, t, dir, "sed "), port))
	if len(kinds) != 7 {
		t.Errorf("the manifests hold %v", slices.Collect(maps.Keys(kinds)))
	}
	called(ctx, t)
	return config, stop
}

// documented runs the command of the webhook's documentation that begins so in a copy of the
// manifests' directory, and returns what it would pipe to kubectl.
func documented(ctx context.Context, t *testing.T, dir, start string) []byte {
	t.Helper()
	text, err := os.ReadFile("../webhook/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n//\t", "")) {
		command, _, _ := strings.Cut(strings.TrimPrefix(line, "//\t"), " | kubectl")
		if !strings.HasPrefix(command, start) {
			continue
		}
		c := exec.CommandContext(ctx, "sh", "-c", command)
		c.Dir = dir
		var errs strings.Builder
		c.Stderr = &errs
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, &errs)
		}
		return out
	}
	t.Fatalf("no command %q", start)
	return nil
}

// install creates the objects of a manifest, and returns their kinds. All of them are tried on the
// API server as they are, strictly. No kube-proxy serves services here, so the webhook's leads to
// this host, and the API server calls the port at which the webhook listens.
func install(ctx context.Context, t *testing.T, manifest []byte, port int64) map[string]*unstructured.Unstructured {
	t.Helper()
	client, err := dynamic.NewForConfig(live.Config)
	if err != nil {
		t.Fatal(err)
	}
	groups, err := restmapper.GetAPIGroupResources(live.Client.Discovery())
	if err != nil {
		t.Fatal(err)
	}
	mapper := restmapper.NewDiscoveryRESTMapper(groups)
	strict := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	trial := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll}}
	kinds := map[string]*unstructured.Unstructured{}
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(&o.Object); errors.Is(err, io.EOF) {
			return kinds
		} else if err != nil {
			t.Fatal(err)
		}
		kind := o.GroupVersionKind()
		mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			t.Fatal(err)
		}
		var into dynamic.ResourceInterface = client.Resource(mapping.Resource)
		if namespace := o.GetNamespace(); namespace != "" {
			into = client.Resource(mapping.Resource).Namespace(namespace)
		}
		kinds[kind.Kind] = o.DeepCopy()
		// What an earlier test created stays.
		if _, err := into.Create(ctx, o, trial); apierrors.IsAlreadyExists(err) {
			continue
		} else if err != nil {
			t.Fatalf("%s %s: %v", kind.Kind, o.GetName(), err)
		}
		calls := strings.HasSuffix(kind.Kind, "WebhookConfiguration")
		switch {
		case kind.Kind == "Service":
			err = errors.Join(unstructured.SetNestedField(o.Object, "ExternalName", "spec", "type"), unstructured.SetNestedField(o.Object, "localhost", "spec", "externalName"))
		case calls:
			webhooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
			for _, w := range webhooks {
				webhook := w.(map[string]any)
				webhook["timeoutSeconds"] = int64(30) // the longest, for a slow machine
				err = errors.Join(err, unstructured.SetNestedField(webhook, port, "clientConfig", "service", "port"))
			}
			err = errors.Join(err, unstructured.SetNestedSlice(o.Object, webhooks, "webhooks"))
		}
		if err == nil {
			_, err = into.Create(ctx, o, strict)
		}
		if err != nil {
			t.Fatalf("%s %s: %v", kind.Kind, o.GetName(), err)
		}
		if calls || kind.Kind == "CustomResourceDefinition" {
			t.Cleanup(func() {
				if err := into.Delete(context.WithoutCancel(ctx), o.GetName(), metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// called waits until the API server calls the webhooks, each for itself, which is a moment after
// their configurations were stored.
func called(ctx context.Context, t *testing.T) {
	t.Helper()
	probe := probePod("probe")
	wildcard := probePod("probe", corev1.Toleration{Operator: corev1.TolerationOpExists})
	var err error
	for ctx.Err() == nil {
		var admitted *corev1.Pod
		admitted, err = live.Client.CoreV1().Pods("default").Create(ctx, probe, dry)
		if err == nil && slices.Contains(texts(t, admitted), added) {
			if _, err = live.Client.CoreV1().Pods("default").Create(ctx, wildcard, dry); apierrors.IsForbidden(err) {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("the API server never called the webhooks: %v", err)
}

// added is what the webhook adds to each probePod, and Kubernetes does not.
const added = "node.kubernetes.io/memory-pressure:NoSchedule op=Exists"

var dry = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

func probePod(name string, tolerations ...corev1.Toleration) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{
		SchedulerName: "nobody",
		Containers: []corev1.Container{{Name: "c", Image: "example.com/none", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
		}}},
		Tolerations: tolerations,
	}}
}
