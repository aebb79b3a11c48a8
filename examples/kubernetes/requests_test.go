package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	kuberesource "k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1defaults "k8s.io/kubernetes/pkg/apis/core/v1"

	"github.com/go-tolerate/tolerate/examples/internal/resource"
)

// requests returns what the examples read that a pod with this spec requests, in
// thousandths; nil where they find it wrong.
func requests(spec string) resource.Amounts {
	var pod struct {
		InitContainers, Containers []resource.Container
		Overhead                   resource.Amounts
	}
	if json.Unmarshal([]byte(spec), &pod) != nil {
		return nil
	}
	amounts := resource.Requests(pod.InitContainers, pod.Containers)
	amounts.Add(pod.Overhead)
	return amounts
}

// Quantities have the value that Kubernetes gives them. Those that the API server writes
// are read, up to nine petabytes; of the other forms, some are rejected.
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
	fine := 0
	for i, text := range texts {
		name := names[i%len(names)]
		read := requests(fmt.Sprintf(`{"containers":[{"resources":{"requests":{%q:%q}}}]}`, name, text))
		q, err := kuberesource.ParseQuantity(text)
		switch {
		case read != nil && (err != nil || q.Sign() < 0 || q.Cmp(exact) < 0 && count(name, q) != thousandths(name, read)):
			t.Errorf("%s %q is read as %v thousandths; Kubernetes: %s, %v", name, text, read[string(name)], q.String(), err)
		case read != nil:
			fine++
		case err == nil && written.MatchString(text) && text == q.String() && q.Cmp(kuberesource.MustParse("9P")) < 0:
			t.Errorf("%s %q is rejected", name, text)
		}
	}
	if fine < len(texts)/6 {
		t.Errorf("%d of %d texts are quantities: too few for a conclusion", fine, len(texts))
	}
}

// exact bounds the quantities that are exact in thousandths.
var exact = kuberesource.MustParse("9T")

// written matches what the API server writes for the amounts that a node can have.
var written = regexp.MustCompile(`^[0-9]+(m|k|M|G|T|P|[KMGTP]i)?$`)

// count is an amount as the scheduler counts it.
func count(name corev1.ResourceName, q kuberesource.Quantity) int64 {
	if name == corev1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
}

// thousandths is an amount that was read, as the scheduler counts it.
func thousandths(name corev1.ResourceName, amounts resource.Amounts) int64 {
	n := int64(amounts[string(name)])
	if name == corev1.ResourceCPU {
		return n
	}
	return n/1000 + (n%1000+999)/1000
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

// What a pod requests with its init containers, sidecars, limits and its overhead is what
// Kubernetes computes: the API server's defaults, then the sum that its scheduler takes.
func TestSchedulerRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	list := func(names ...string) string {
		var parts []string
		for _, name := range names {
			if rng.IntN(2) == 0 {
				unit := map[string]string{"cpu": "m", "memory": "Mi"}[name]
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
			spec += fmt.Sprintf(`,"overhead":%s`, list("cpu", "memory"))
		}
		specs = append(specs, spec+"}")
	}
	for _, spec := range specs {
		read := requests(spec)
		var pod corev1.Pod
		if err := json.Unmarshal([]byte(spec), &pod.Spec); err != nil {
			t.Fatal(err)
		}
		defaulted(t, &pod)
		want := resourcehelper.PodRequests(&pod, resourcehelper.PodResourcesOptions{})
		want[corev1.ResourcePods] = kuberesource.MustParse("1")
		var wrong []string
		for name := range read {
			if _, ok := want[corev1.ResourceName(name)]; !ok && read[name] != 0 {
				wrong = append(wrong, name)
			}
		}
		for name, q := range want {
			if thousandths(name, read) != count(name, q) {
				wrong = append(wrong, fmt.Sprintf("%s: want %s", name, q.String()))
			}
		}
		slices.Sort(wrong)
		if read == nil || wrong != nil {
			t.Errorf("%s\nrequests %v: %q", spec, read, wrong)
		}
	}
}
