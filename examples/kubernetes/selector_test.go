package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/go-tolerate/tolerate/examples/internal/selector"
)

// The nodes that the examples find selected are those that Kubernetes selects.
func TestSelector(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	list := func(most int, item func() string) string {
		var items []string
		for range rng.IntN(most + 1) {
			items = append(items, item())
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	expression := func() string {
		switch operator := pick("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"); operator {
		case "In", "NotIn":
			return fmt.Sprintf(`{"key":%q,"operator":%q,"values":["%s","%s"]}`, pick("a", "b", "c"), operator, pick("1", "2", "x"), pick("1", "y", ""))
		case "Gt", "Lt":
			return fmt.Sprintf(`{"key":%q,"operator":%q,"values":["%s"]}`, pick("a", "b", "c"), operator, pick("0", "1", "2"))
		default:
			return fmt.Sprintf(`{"key":%q,"operator":%q}`, pick("a", "b", "c"), operator)
		}
	}
	field := func() string {
		return fmt.Sprintf(`{"key":"metadata.name","operator":%q,"values":[%q]}`, pick("In", "NotIn"), pick("n", "m"))
	}
	term := func() string {
		return fmt.Sprintf(`{"matchExpressions":%s,"matchFields":%s}`, list(2, expression), list(1, field))
	}
	selected := 0
	const rounds = 20_000
	for range rounds {
		affinity, labels := "{}", map[string]string{}
		if rng.IntN(4) > 0 {
			affinity = `{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":` + list(2, term) + `}}}`
		}
		for _, key := range []string{"a", "b", "c"} {
			if rng.IntN(2) == 0 {
				labels[key] = pick("1", "2", "3", "x", "")
			}
		}
		nodeSelector := pick("{}", "{}", `{"a":"1"}`, `{"b":""}`)
		spec := fmt.Sprintf(`{"nodeSelector":%s,"affinity":%s}`, nodeSelector, affinity)
		var pod corev1.Pod
		var ours struct {
			NodeSelector map[string]string
			Affinity     selector.Affinity
		}
		if err := json.Unmarshal([]byte(spec), &pod.Spec); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(spec), &ours); err != nil {
			t.Fatal(err)
		}
		want, err := nodeaffinity.GetRequiredNodeAffinity(&pod).Match(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: labels}})
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if got := (selector.Selector{Labels: ours.NodeSelector, Affinity: ours.Affinity}).Selects("n", labels); got != want {
			t.Fatalf("%s selects n with %v: %v, Kubernetes: %v", spec, labels, got, want)
		}
		if want {
			selected++
		}
	}
	if selected < rounds/10 || selected > rounds*9/10 {
		t.Errorf("%d of %d are selected", selected, rounds)
	}
}
