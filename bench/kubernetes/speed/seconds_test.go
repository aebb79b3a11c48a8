package speed

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// secondsHandwritten is the loop of the taint eviction controller for toleration.First.
func secondsHandwritten(taints []corev1.Taint, pod []corev1.Toleration) (seconds int64, limited bool) {
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		at := tolerationHandwritten(t, pod)
		if at < 0 {
			return 0, true
		}
		if n := pod[at].TolerationSeconds; n != nil && (!limited || *n < seconds) {
			seconds, limited = *n, true
		}
	}
	return seconds, limited
}

// secondsKubernetes makes the lists that the taint eviction controller makes.
func secondsKubernetes(taints []corev1.Taint, pod []corev1.Toleration) (seconds int64, limited bool) {
	var noExecute []corev1.Taint
	for i := range taints {
		if taints[i].Effect == corev1.TaintEffectNoExecute {
			noExecute = append(noExecute, taints[i])
		}
	}
	all, matching := corehelper.GetMatchingTolerations(quiet, noExecute, pod)
	if !all {
		return 0, true
	}
	for i := range matching {
		if n := matching[i].TolerationSeconds; n != nil && (!limited || *n < seconds) {
			seconds, limited = *n, true
		}
	}
	return seconds, limited
}

var secondsImpls = []struct {
	name    string
	seconds func([]corev1.Taint, []corev1.Toleration) (int64, bool)
}{
	{"kubernetes", secondsKubernetes}, {"handwritten", secondsHandwritten},
	{"tolerate-kube", func(taints []corev1.Taint, pod []corev1.Toleration) (int64, bool) {
		return kube.Seconds(taints, pod, toleration.First)
	}},
}

// secondsFleets are a usual fleet, and one whose nodes have all failed.
func secondsFleets() map[string][][]corev1.Taint {
	failed := make([]taint.List, 5000)
	for i := range failed {
		failed[i] = workload.Failed()
	}
	return map[string][][]corev1.Taint{"usual": coreFleet(workload.Fleet(5000, 1)), "failed": coreFleet(failed)}
}

func TestSameSeconds(t *testing.T) {
	pod := coreTolerations(workload.Pod())
	for name, fleet := range secondsFleets() {
		for i, taints := range fleet {
			want, limited := secondsKubernetes(taints, pod)
			for _, f := range secondsImpls[1:] {
				if got, has := f.seconds(taints, pod); got != want || has != limited {
					t.Fatalf("%s: node %d: %s finds %d s, %v, Kubernetes %d s, %v", name, i, f.name, got, has, want, limited)
				}
			}
		}
	}
}

// BenchmarkSeconds sums the seconds for which a pod can remain on each of 5,000 nodes.
func BenchmarkSeconds(b *testing.B) {
	pod := coreTolerations(workload.Pod())
	for name, fleet := range secondsFleets() {
		for _, f := range secondsImpls {
			workload.RunNodes(b, "nodes="+name+"/impl="+f.name, len(fleet), func() (sum int) {
				for _, taints := range fleet {
					n, _ := f.seconds(taints, pod)
					sum += int(n)
				}
				return sum
			})
		}
	}
}

// BenchmarkEvictionDecide decides when a pod is evicted, for one pod of a node of two
// NoExecute taints. The library also finds which taint and which toleration decide.
func BenchmarkEvictionDecide(b *testing.B) {
	pod, node := workload.Pod(), workload.Failed()
	theirs, theirPod := coreTaints(node), coreTolerations(pod)
	now := time.Unix(1e9, 0)
	observed := eviction.Observe(nil, node, now)
	workload.Run(b, "taints=2/impl=kubernetes", func() time.Duration {
		d, _ := upstream.MatchingTime(theirs, theirPod)
		return d
	})
	workload.Run(b, "taints=2/impl=handwritten", func() time.Time {
		seconds, _ := secondsHandwritten(theirs, theirPod)
		return now.Add(time.Duration(seconds) * time.Second)
	})
	workload.Run(b, "taints=2/impl=tolerate", func() eviction.Decision { return eviction.Decide(observed, now, eviction.Options{}, pod) })
}
