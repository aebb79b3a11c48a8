package kube_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A controller replaces a node when the first pod of a workload must leave it, and looks
// again at that time.
func ExampleDeadline() {
	added := metav1.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	taints := []corev1.Taint{{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute, TimeAdded: &added}}
	tolerates := func(seconds int64) []corev1.Toleration {
		return []corev1.Toleration{{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, TolerationSeconds: &seconds}}
	}
	now := added.Add(time.Minute)
	deadline, ok := kube.Deadline(taints, now, eviction.Options{}, tolerates(300), tolerates(120))
	fmt.Println(ok, deadline.After(now), deadline.Sub(now))
	// Output: true true 1m0s
}

func TestDeadline(t *testing.T) {
	at := func(second int) *metav1.Time { return &metav1.Time{Time: time.Unix(1e9+int64(second), 0).UTC()} }
	a, b, c := corev1.Taint{Key: "a", Effect: "NoExecute"}, corev1.Taint{Key: "b", Effect: "NoExecute"}, corev1.Taint{Key: "c", Effect: "NoExecute"}
	added := func(taint corev1.Taint, second int) corev1.Taint {
		taint.TimeAdded = at(second)
		return taint
	}
	for60, for5 := []corev1.Toleration{timedToleration("a", 60), timedToleration("b", 5)}, []corev1.Toleration{timedToleration("", 5)}
	forever := []corev1.Toleration{{Operator: "Exists"}}
	const now, never = 100, math.MinInt
	for _, tt := range []struct {
		name   string
		taints []corev1.Taint
		opts   eviction.Options
		pods   [][]corev1.Toleration
		want   int
	}{
		{"E10_no_pods", []corev1.Taint{a}, eviction.Options{}, nil, never},
		{"E10_earliest_of_several", []corev1.Taint{added(a, 90)}, eviction.Options{}, [][]corev1.Toleration{for60, forever, for5}, 95},
		{"E10_untolerated_by_one", []corev1.Taint{added(a, 90)}, eviction.Options{}, [][]corev1.Toleration{forever, nil, for5}, 90},
		{"E1_untolerated_first", []corev1.Taint{added(a, 80), added(c, 50)}, eviction.Options{}, [][]corev1.Toleration{for60}, 50},
		{"E1_untolerated_later", []corev1.Taint{added(a, 10), added(c, 90)}, eviction.Options{}, [][]corev1.Toleration{for60}, 70},
		{"E2_permanently", []corev1.Taint{a, b}, eviction.Options{}, [][]corev1.Toleration{forever, forever}, never},
		{"E4_one_start", []corev1.Taint{added(a, 90), added(b, 95)}, eviction.Options{}, [][]corev1.Toleration{for60}, 150},
		{"E4_one_start_for_each", []corev1.Taint{added(a, 90), added(b, 95)}, eviction.Options{PerTaint: true}, [][]corev1.Toleration{for60}, 100},
		{"E4_no_time_added", []corev1.Taint{a}, eviction.Options{}, [][]corev1.Toleration{for60}, now},
		{"E4_arrived", []corev1.Taint{a}, eviction.Options{Arrived: at(80).Time}, [][]corev1.Toleration{for60}, 140},
		{"E7_too_far", []corev1.Taint{added(a, 90)}, eviction.Options{}, [][]corev1.Toleration{{timedToleration("a", math.MaxInt64)}}, never},
		{"E2_zero_seconds_in_the_future", []corev1.Taint{added(a, 190)}, eviction.Options{}, [][]corev1.Toleration{{timedToleration("a", -1)}}, now},
		{"M8_zero", []corev1.Taint{{Effect: "NoExecute"}, kube.CoreTaints(taint.List{{}})[0]}, eviction.Options{}, [][]corev1.Toleration{nil}, never},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := kube.Deadline(tt.taints, at(now).Time, tt.opts, tt.pods...)
			if ok != (tt.want != never) || ok && got != at(tt.want).Time {
				t.Errorf("Deadline = %v, %v, want %d", got, ok, tt.want)
			}
			if allocs := testing.AllocsPerRun(50, func() { _, ok = kube.Deadline(tt.taints, at(now).Time, tt.opts, tt.pods...) }); allocs > 1 { // 1 by at
				t.Errorf("%v allocations", allocs-1)
			}
		})
	}
	t.Run("E10_property", rapid.MakeCheck(deadlineProperty))
}

func timedToleration(key string, seconds int64) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}
}

// deadlineProperty compares Deadline with Decide for the values of the structs.
func deadlineProperty(t *rapid.T) {
	instant := func(name string) time.Time {
		if rapid.Bool().Draw(t, name+" unknown") {
			return time.Time{}
		}
		return time.Unix(rapid.Int64Range(0, 9).Draw(t, name), rapid.SampledFrom([]int64{0, 7}).Draw(t, name+" ns")).UTC()
	}
	var observed []eviction.Observed
	taints := kube.CoreTaints(gen.TaintsAndZeros().Draw(t, "taints"))
	for i := range taints {
		if added := instant("added"); !added.IsZero() {
			taints[i].TimeAdded = &metav1.Time{Time: added}
		}
		v, _ := kube.Taint(&taints[i])
		observed = append(observed, eviction.Observed{Taint: v})
	}
	opts := eviction.Options{
		Choice:   toleration.Choice(rapid.IntRange(0, int(toleration.ForeverElseShortest)).Draw(t, "choice")),
		PerTaint: rapid.Bool().Draw(t, "per taint"), Arrived: instant("arrived"),
	}
	now, want, wantOK := time.Unix(5, 5).UTC(), time.Time{}, false
	var pods [][]corev1.Toleration
	for range rapid.IntRange(0, 3).Draw(t, "pods") {
		list := gen.Tolerations().Draw(t, "tolerations")
		pods = append(pods, kube.CoreTolerations(list))
		if at, ok := eviction.Decide(observed, now, opts, list).Deadline(); ok && (!wantOK || at.Before(want)) {
			want, wantOK = at, true
		}
	}
	if got, ok := kube.Deadline(taints, now, opts, pods...); ok != wantOK || !got.Equal(want) {
		t.Errorf("Deadline(%v, %+v, %v) = %v, %v, want %v, %v", taints, opts, pods, got, ok, want, wantOK)
	}
}

// BenchmarkDeadline compares with a loop that classifies each taint for all pods: with the
// permanent tolerations of a pod in a list of their own, it returns whether a taint is
// untolerated, and whether one is tolerated for a time.
func BenchmarkDeadline(b *testing.B) {
	added := metav1.Unix(1e9, 0)
	taints := decodedNode(taint.List{taint.MustParse("nvidia.com/gpu=present:NoSchedule"), taint.MustParse("node.kubernetes.io/unreachable:NoExecute")}).Spec.Taints
	taints[1].TimeAdded = &added
	pods := [][]corev1.Toleration{decodedPod(workload.Pod()).Spec.Tolerations, decodedPod(workload.Pod()).Spec.Tolerations}
	now := added.Add(time.Minute)
	workload.Run(b, "impl=tolerate", func() time.Time {
		at, _ := kube.Deadline(taints, now, eviction.Options{}, pods...)
		return at
	})
	workload.Run(b, "impl=handwritten", func() (result struct{ untolerated, timed bool }) {
		for i := range taints {
			if taints[i].Effect != corev1.TaintEffectNoExecute {
				continue
			}
			for _, pod := range pods {
				permanent := slices.DeleteFunc(slices.Clone(pod), func(u corev1.Toleration) bool { return u.TolerationSeconds != nil })
				result.untolerated = result.untolerated || !handwritten(taints[i:i+1], pod)
				result.timed = result.timed || !handwritten(taints[i:i+1], permanent)
			}
		}
		return result
	})
}
