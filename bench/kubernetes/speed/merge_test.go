package speed

import (
	"slices"
	"testing"

	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// mergeLists returns two tolerations of a pod and two that are added. None covers
// another, so Kubernetes' merging and the library's have the same result.
func mergeLists() (pod, given toleration.List) {
	all := workload.Pod()
	return all[:2:2], all[2:]
}

func TestSameMerge(t *testing.T) {
	pod, given := mergeLists()
	merged := tolerations.MergeTolerations(internalTolerations(coreTolerations(pod)), internalTolerations(coreTolerations(given)))
	var theirs toleration.List
	for _, m := range merged {
		u, err := toleration.From(m.Key, m.Operator, m.Value, m.Effect, m.TolerationSeconds)
		if err != nil {
			t.Fatal(err)
		}
		theirs = append(theirs, u)
	}
	ours := cover.Merge(pod, given)
	if len(ours) != 4 || !slices.Equal(ours, theirs) {
		t.Errorf("Kubernetes %v, ours %v", theirs, ours)
	}
}

// BenchmarkMerge joins two lists of two.
func BenchmarkMerge(b *testing.B) {
	b.Run("tolerations=2+2", func(b *testing.B) {
		pod, given := mergeLists()
		theirs, theirGiven := internalTolerations(coreTolerations(pod)), internalTolerations(coreTolerations(given))
		workload.Run(b, "impl=kubernetes", func() []core.Toleration { return tolerations.MergeTolerations(theirs, theirGiven) })
		workload.Run(b, "impl=tolerate", func() toleration.List { return cover.Merge(pod, given) })
	})
}
