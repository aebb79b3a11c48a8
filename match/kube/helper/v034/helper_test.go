package helper_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/kube"
	v1helper "github.com/go-tolerate/tolerate/match/kube/helper/v034"
)

func TestMain(m *testing.M) { gen.Main(m, 1000) }

// The results are those of the method of k8s.io/api, which has no Lt and Gt before v0.35, and
// which Kubernetes' functions called, for lists that the API server accepts.
func TestHelper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		taints := kube.CoreTaints(gen.NodeTaints().Draw(t, "taints"))
		tolerations := kube.CoreTolerations(gen.Tolerations().Draw(t, "tolerations"))
		effect := corev1.TaintEffect(rapid.SampledFrom([]string{"", "NoSchedule", "NoExecute"}).Draw(t, "filter"))
		var filter func(*corev1.Taint) bool
		if effect != "" {
			filter = func(t *corev1.Taint) bool { return t.Effect == effect }
		}
		var first corev1.Taint
		found, all, matching := false, true, []corev1.Toleration{}
		for i := range taints {
			at := -1
			for j := range tolerations {
				if op := tolerations[j].Operator; at < 0 && op != "Lt" && op != "Gt" && tolerations[j].ToleratesTaint(&taints[i]) {
					at = j
				}
			}
			if got := v1helper.TolerationsTolerateTaint(tolerations, &taints[i]); got != (at >= 0) {
				t.Errorf("TolerationsTolerateTaint(%v, %v) = %v", tolerations, taints[i], got)
			}
			switch {
			case at >= 0:
				matching = append(matching, tolerations[at])
			case !found && (filter == nil || filter(&taints[i])):
				first, found = taints[i], true
			}
			all = all && at >= 0
		}
		if !all {
			matching = []corev1.Toleration{}
		}
		if got, ok := v1helper.FindMatchingUntoleratedTaint(taints, tolerations, filter); !cmp.Equal(got, first) || ok != found {
			t.Errorf("FindMatchingUntoleratedTaint(%v, %v, %q) = %v, %v, want %v, %v", taints, tolerations, effect, got, ok, first, found)
		}
		if ok, got := v1helper.GetMatchingTolerations(taints, tolerations); ok != all || !cmp.Equal(got, matching) {
			t.Errorf("GetMatchingTolerations(%v, %v) = %v, %v, want %v, %v", taints, tolerations, ok, got, all, matching)
		}
	})
}

var (
	exampleTaints      = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: "NoSchedule"}, {Key: "spot", Effect: "PreferNoSchedule"}}
	exampleTolerations = []corev1.Toleration{{Key: "dedicated", Operator: "Exists"}}
)

func ExampleTolerationsTolerateTaint() {
	fmt.Println(v1helper.TolerationsTolerateTaint(exampleTolerations, &exampleTaints[0]))
	// Output: true
}

func ExampleFindMatchingUntoleratedTaint() {
	t, found := v1helper.FindMatchingUntoleratedTaint(exampleTaints, exampleTolerations, nil)
	fmt.Println(t.ToString(), found)
	// Output: spot:PreferNoSchedule true
}

func ExampleGetMatchingTolerations() {
	all, matching := v1helper.GetMatchingTolerations(exampleTaints[:1], exampleTolerations)
	fmt.Println(all, len(matching))
	// Output: true 1
}
