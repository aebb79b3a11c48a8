package kubernetes_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
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
	file := startWebhook(ctx, t)
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
			if _, err = client.Pods("default").Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); (err == nil) == admitted {
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

// startWebhook builds the program and runs it with a copy of the configuration that its
// manifests bring, which it returns, and ends it as a kubelet does: by a signal. It
// installs the manifests.
func startWebhook(ctx context.Context, t *testing.T) (config string) {
	t.Helper()
	dir := t.TempDir()
	authority := writeCertificate(t, dir)
	config = filepath.Join(dir, "config.json")
	if err := os.CopyFS(dir, os.DirFS(deploy)); err != nil {
		t.Fatal(err)
	}
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
	first, err := lines.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var listening struct{ Msg, Address string }
	if err := json.Unmarshal(first, &listening); err != nil || listening.Msg != "listening" {
		t.Fatalf("it said first: %s", first)
	}
	t.Cleanup(func() {
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
	configure(ctx, t, listening.Address, authority)
	return config
}

// configure installs the manifests: all of them are tried on the API server,
// strictly, and the webhooks stay, by an address in the place of the service.
func configure(ctx context.Context, t *testing.T, address string, authority []byte) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deploy, "webhook.yaml"))
	if err != nil {
		t.Fatal(err)
	}
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
	kinds := map[string]int{}
	documents := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(string(data)), 4096)
	for {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(&o.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		kinds[o.GetKind()]++
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: o.GroupVersionKind().Group, Kind: o.GetKind()}, o.GroupVersionKind().Version)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(o.GetKind(), "WebhookConfiguration") {
			direct(t, o, address, authority)
			created, err := client.Resource(mapping.Resource).Create(ctx, o, strict)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := client.Resource(mapping.Resource).Delete(context.WithoutCancel(ctx), created.GetName(), metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			})
			continue
		}
		var into dynamic.ResourceInterface = client.Resource(mapping.Resource)
		if namespace := o.GetNamespace(); namespace != "" {
			into = client.Resource(mapping.Resource).Namespace(namespace)
		}
		// They stay, so a second run in the same cluster finds them.
		if _, err := into.Create(ctx, o, strict); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Errorf("%s %s: %v", o.GetKind(), o.GetName(), err)
		}
	}
	if kinds["MutatingWebhookConfiguration"] != 1 || kinds["ValidatingWebhookConfiguration"] != 1 || len(kinds) < 6 {
		t.Errorf("the manifests hold %v", kinds)
	}
	// The API server heeds new webhooks a moment after they were stored, each kind for itself.
	probe := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "probe"}, Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Image: "example.com/none", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")},
		}}},
	}}
	wildcard := probe.DeepCopy()
	wildcard.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	for ctx.Err() == nil {
		admitted, err := live.Client.CoreV1().Pods("default").Create(ctx, probe, dry)
		if err != nil {
			t.Fatal(err)
		}
		_, err = live.Client.CoreV1().Pods("default").Create(ctx, wildcard, dry)
		if apierrors.IsForbidden(err) && slices.Contains(texts(t, admitted), "node.kubernetes.io/memory-pressure:NoSchedule op=Exists") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the API server never called the webhooks")
}

// direct puts an address in the place of the service, which no kube-proxy serves
// here, and gives the webhook the longest time that there is, for a slow machine.
func direct(t *testing.T, o *unstructured.Unstructured, address string, authority []byte) {
	t.Helper()
	webhooks, found, err := unstructured.NestedSlice(o.Object, "webhooks")
	if err != nil || !found {
		t.Fatalf("%s: %v", o.GetKind(), err)
	}
	for _, w := range webhooks {
		webhook, ok := w.(map[string]any)
		if !ok {
			t.Fatalf("a webhook is a %T", w)
		}
		path, _, err := unstructured.NestedString(webhook, "clientConfig", "service", "path")
		if err != nil || path == "" {
			t.Fatalf("no path: %v", err)
		}
		url := "https://" + address + path
		var config map[string]any
		text, err := json.Marshal(admissionv1.WebhookClientConfig{URL: &url, CABundle: authority})
		if err == nil {
			err = json.Unmarshal(text, &config)
		}
		if err != nil {
			t.Fatal(err)
		}
		webhook["clientConfig"], webhook["timeoutSeconds"] = config, int64(30)
	}
	if err := unstructured.SetNestedSlice(o.Object, webhooks, "webhooks"); err != nil {
		t.Fatal(err)
	}
}

// writeCertificate makes a certificate for 127.0.0.1 that is its own authority.
func writeCertificate(t *testing.T, dir string) (authority []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	err = errors.Join(
		os.WriteFile(filepath.Join(dir, "tls.crt"), authority, 0o600),
		os.WriteFile(filepath.Join(dir, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	return authority
}
