package speed

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	corehelper "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	plugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/helper"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A kubeCase is a fleet and a pod as the API has them.
type kubeCase struct {
	name  string
	fleet [][]corev1.Taint
	pod   []corev1.Toleration
}

const kubeNodes = 5000

// kubeCases are the usual fleet and the worst cases of matching the API's structs. A
// tolerated taint must be valid, and this check takes longer than a comparison.
func kubeCases() []kubeCase {
	usual, pod := workload.Fleet(kubeNodes, 1), workload.Pod()
	tolerated, two := make([]taint.List, kubeNodes), make([]taint.List, kubeNodes)
	for i := range kubeNodes {
		one := taint.MustParse("dedicated=team-7:NoSchedule")
		if i%2 > 0 {
			one = taint.MustParse("nvidia.com/gpu=present:NoSchedule")
		}
		tolerated[i] = taint.List{one}
		two[i] = workload.Node()
		if i%2 > 0 {
			two[i] = taint.List{one, taint.MustParse("example.com/spot=true:PreferNoSchedule")}
		}
	}
	return []kubeCase{
		{"usual", coreFleet(usual), coreTolerations(pod)},
		{"all_tolerated", coreFleet(tolerated), coreTolerations(pod)},
		{"two_taints", coreFleet(two), coreTolerations(pod)},
	}
}

func filterHelper(fleet [][]corev1.Taint, pod []corev1.Toleration) (schedulable int) {
	for _, taints := range fleet {
		_, untolerated := helper.FindMatchingUntoleratedTaint(quiet, taints, pod, plugins.DoNotScheduleTaintsFilterFunc(), comparisonOperators)
		if !untolerated {
			schedulable++
		}
	}
	return schedulable
}

var kubeFilters = []struct {
	name   string
	filter func([][]corev1.Taint, []corev1.Toleration) int
}{
	{"kubernetes", filterKubernetes}, {"handwritten", filterHandwritten}, {"drop-in", filterHelper}, {"kube", filterKube},
}

func TestSameKube(t *testing.T) {
	for _, c := range kubeCases() {
		for _, f := range kubeFilters[1:] {
			if got, want := f.filter(c.fleet, c.pod), filterKubernetes(c.fleet, c.pod); got != want {
				t.Errorf("%s: %s finds %d nodes, Kubernetes %d", c.name, f.name, got, want)
			}
		}
		for i := range c.fleet {
			want, class := secondsKubernetes(c.fleet[i], c.pod)
			for _, f := range kubeSeconds[1:] {
				if got, gotClass := f.seconds(c.fleet[i], c.pod); got != want || gotClass != class {
					t.Fatalf("%s: node %d: %s finds %d s and %v, Kubernetes %d s and %v", c.name, i, f.name, got, gotClass, want, class)
				}
			}
		}
	}
}

// BenchmarkKubeFilter counts the nodes on which a pod can be scheduled.
func BenchmarkKubeFilter(b *testing.B) {
	for _, c := range kubeCases() {
		for _, f := range kubeFilters {
			workload.RunNodes(b, "case="+c.name+"/impl="+f.name, kubeNodes, func() int { return f.filter(c.fleet, c.pod) })
		}
	}
}

// secondsHandwritten is the loop of the taint eviction controller for toleration.First.
func secondsHandwritten(taints []corev1.Taint, pod []corev1.Toleration) (seconds int64, class match.Class) {
	class = match.Forever
	for i := range taints {
		t := &taints[i]
		if t.Effect != corev1.TaintEffectNoExecute {
			continue
		}
		at := -1
		for j := range pod {
			if toleratedHandwritten(t, pod[j:j+1]) {
				at = j
				break
			}
		}
		if at < 0 {
			return 0, match.NotTolerated
		}
		if n := pod[at].TolerationSeconds; n != nil && (class == match.Forever || *n < seconds) {
			seconds, class = *n, match.ForSeconds
		}
	}
	return seconds, class
}

// secondsKubernetes makes the lists that the taint eviction controller makes.
func secondsKubernetes(taints []corev1.Taint, pod []corev1.Toleration) (seconds int64, class match.Class) {
	var noExecute []corev1.Taint
	for i := range taints {
		if taints[i].Effect == corev1.TaintEffectNoExecute {
			noExecute = append(noExecute, taints[i])
		}
	}
	all, matching := corehelper.GetMatchingTolerations(quiet, noExecute, pod)
	if !all {
		return 0, match.NotTolerated
	}
	class = match.Forever
	for i := range matching {
		if n := matching[i].TolerationSeconds; n != nil && (class == match.Forever || *n < seconds) {
			seconds, class = *n, match.ForSeconds
		}
	}
	return seconds, class
}

func secondsKube(taints []corev1.Taint, pod []corev1.Toleration) (int64, match.Class) {
	return kube.Seconds(taints, toleration.First, pod)
}

var kubeSeconds = []struct {
	name    string
	seconds func([]corev1.Taint, []corev1.Toleration) (int64, match.Class)
}{
	{"kubernetes", secondsKubernetes}, {"handwritten", secondsHandwritten}, {"kube", secondsKube},
}

// BenchmarkKubeSeconds sums the seconds for which a pod can remain on each node.
func BenchmarkKubeSeconds(b *testing.B) {
	for _, c := range kubeCases() {
		for _, f := range kubeSeconds {
			workload.RunNodes(b, "case="+c.name+"/impl="+f.name, kubeNodes, func() (sum int) {
				for _, taints := range c.fleet {
					n, _ := f.seconds(taints, c.pod)
					sum += int(n)
				}
				return sum
			})
		}
	}
}
