package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"
)

// requests runs examples/scheduler on pods, each given as its spec, and returns
// what it says that they request; false where it finds the pod wrong.
func requests(t *testing.T, specs []string) func(i int) (map[corev1.ResourceName]string, bool) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "scheduler")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/go-tolerate/tolerate/examples/scheduler")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var input strings.Builder
	for i, spec := range specs {
		fmt.Fprintf(&input, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d"},"spec":%s}`, i, spec)
	}
	run := exec.CommandContext(t.Context(), program, "-o", "json", "-")
	run.Stdin = strings.NewReader(input.String())
	text, _ := run.Output() // there is no node, so its status is about pods that wait
	var said struct {
		Pods []struct {
			Pod, Error string
			Requests   map[corev1.ResourceName]string
		}
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Pods) != len(specs) {
		t.Fatalf("it said %d pods of %d, %v", len(said.Pods), len(specs), err)
	}
	return func(i int) (map[corev1.ResourceName]string, bool) {
		p := said.Pods[i]
		if p.Pod != fmt.Sprintf("p%d", i) {
			t.Fatalf("pod %d is %s", i, p.Pod)
		}
		return p.Requests, p.Error == ""
	}
}

// Quantities are read as Kubernetes reads them, in the units in which its
// scheduler counts. Only what is negative or too much to count is refused, and what
// Kubernetes takes for 0 without a digit in it, such as Gi.
func TestSchedulerQuantities(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	texts := []string{"", "1.", ".5", "+1", "-1", "-0", "1e3", "1E3", "1E", "1e", "0.1", "1.0000000001", "9223372036854775807", "9223372036854775808", "8Ei", "7.9Ei", "1e-30", "0e99", "1K", "1ki", " 1", "0x1"}
	for range 2000 {
		texts = append(texts, pick("", "", "", "+", "-")+pick("0", "1", "7", "10", "250", "1000", "9999", "123456789")+
			pick("", "", ".", ".5", ".25", ".001", ".0001", ".999999999")+
			pick("", "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "e3", "E3", "e-3", "e+2", "K", "g", "mi"))
	}
	names := []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, "example.com/x"}
	var specs []string
	for i, text := range texts {
		specs = append(specs, fmt.Sprintf(`{"containers":[{"resources":{"requests":{%q:%q}}}]}`, names[i%len(names)], text))
	}
	said := requests(t, specs)
	fine := 0
	for i, text := range texts {
		name := names[i%len(names)]
		got, ok := said(i)
		q, err := resource.ParseQuantity(text)
		most := resource.MustParse("9223372036854775807")
		if name == corev1.ResourceCPU {
			most = resource.MustParse("9223372036854775807m")
		}
		// Kubernetes takes the largest number for all that is larger.
		if err != nil || q.Sign() < 0 || q.Cmp(most) >= 0 {
			if ok && text != "9223372036854775807" {
				t.Errorf("%q is taken for %v; Kubernetes: %v", text, got, err)
			}
			continue
		}
		written, err := resource.ParseQuantity(got[name])
		if !ok || err != nil || count(name, written) != count(name, q) {
			t.Errorf("%s %q is read as %q, %v", name, text, got[name], err)
		}
		fine++
	}
	if fine < len(texts)/3 {
		t.Errorf("%d of %d texts are quantities: too few for a conclusion", fine, len(texts))
	}
}

// count is an amount as the scheduler counts it.
func count(name corev1.ResourceName, q resource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// defaulted sets what the API server sets when a pod is created: the defaults of
// its version, and behind admission those of the pod's own resources.
func defaulted(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	corev1defaults.SetObjectDefaults_Pod(pod)
	var internal core.Pod
	if err := corev1defaults.Convert_v1_Pod_To_core_Pod(pod, &internal, nil); err != nil {
		t.Fatal(err)
	}
	podutil.DefaultPodLevelResources(&internal)
	if err := corev1defaults.Convert_core_Pod_To_v1_Pod(&internal, pod, nil); err != nil {
		t.Fatal(err)
	}
}

// What a pod requests with its init containers, sidecars, limits, its own
// resources and its overhead is what Kubernetes makes of it: the API server's
// defaults, then the sum that its scheduler takes.
func TestSchedulerRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := func(names ...string) string {
		var parts []string
		for _, name := range names {
			if rng.IntN(2) == 0 {
				unit := map[string]string{"cpu": "m", "memory": "Mi", "hugepages-2Mi": "Mi"}[name]
				parts = append(parts, fmt.Sprintf(`%q:"%d%s"`, name, 2*rng.IntN(200), unit))
			}
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	containers := func(most int, extra ...string) string {
		var parts []string
		for range rng.IntN(most + 1) {
			parts = append(parts, fmt.Sprintf(`{"resources":{"requests":%s,"limits":%s}%s}`,
				list("cpu", "memory", "example.com/x"), list("cpu", "memory", "example.com/x"), extra[rng.IntN(len(extra))]))
		}
		return strings.Join(parts, ",")
	}
	var specs []string
	for range 2000 {
		spec := fmt.Sprintf(`{"initContainers":[%s],"containers":[%s]`, containers(3, "", `,"restartPolicy":"Always"`), containers(3, ""))
		if rng.IntN(2) == 0 {
			spec += fmt.Sprintf(`,"resources":{"requests":%s,"limits":%s}`, list("cpu", "memory"), list("cpu", "memory", "hugepages-2Mi"))
		}
		if rng.IntN(2) == 0 {
			spec += fmt.Sprintf(`,"overhead":%s`, list("cpu", "memory"))
		}
		specs = append(specs, spec+"}")
	}
	said := requests(t, specs)
	for i, spec := range specs {
		var pod corev1.Pod
		if err := json.Unmarshal([]byte(spec), &pod.Spec); err != nil {
			t.Fatal(err)
		}
		defaulted(t, &pod)
		want := resourcehelper.PodRequests(&pod, resourcehelper.PodResourcesOptions{})
		want[corev1.ResourcePods] = resource.MustParse("1")
		got, ok := said(i)
		var wrong []string
		for name := range got {
			if _, asked := want[name]; !asked && got[name] != "0" {
				wrong = append(wrong, string(name))
			}
		}
		for name, q := range want {
			text, found := got[name]
			if !found {
				text = "0"
			}
			if written, err := resource.ParseQuantity(text); err != nil || count(name, written) != count(name, q) {
				wrong = append(wrong, fmt.Sprintf("%s: want %s", name, q.String()))
			}
		}
		slices.Sort(wrong)
		if !ok || wrong != nil {
			t.Errorf("%s\nrequests %v: %q", spec, got, wrong)
		}
	}
}
