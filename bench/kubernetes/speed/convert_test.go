package speed

import (
	"fmt"
	"runtime"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func fromCoreTolerations(dst toleration.List, list []corev1.Toleration) toleration.List {
	for i := range list {
		t := &list[i]
		u, err := toleration.From(t.Key, t.Operator, t.Value, t.Effect, t.TolerationSeconds)
		if err != nil {
			panic(err)
		}
		dst = append(dst, u)
	}
	return dst
}

func fromCoreTaints(dst taint.List, list []corev1.Taint) taint.List {
	for i := range list {
		t, err := taint.From(list[i].Key, list[i].Value, list[i].Effect)
		if err != nil {
			panic(err)
		}
		dst = append(dst, t)
	}
	return dst
}

// fromCoreFleet converts every node's list into the caller's memory.
func fromCoreFleet(dst taint.List, fleet [][]corev1.Taint) (taints int) {
	for _, list := range fleet {
		taints += len(fromCoreTaints(dst, list))
	}
	return taints
}

// copyFleet copies a node's taints, as Kubernetes' code does to keep them.
func copyFleet(dst []corev1.Taint, fleet [][]corev1.Taint) (taints int) {
	for _, list := range fleet {
		for i := range list {
			list[i].DeepCopyInto(&dst[i])
			taints++
		}
	}
	return taints
}

func TestSameConversion(t *testing.T) {
	pod := workload.Pod()
	if got := fromCoreTolerations(nil, coreTolerations(pod)); !slices.Equal(got, pod) {
		t.Errorf("converted %v, want %v", got, pod)
	}
	for _, taints := range workload.Fleet(1000, 1) {
		if got := fromCoreTaints(nil, coreTaints(taints)); !slices.Equal(got, taints) {
			t.Errorf("converted %v, want %v", got, taints)
		}
	}
}

// BenchmarkConvert converts the API's structs into values: a pod's four tolerations,
// and the taints of 5,000 nodes, both with interned strings (the steady state), and
// taints whose strings are not interned (cold).
func BenchmarkConvert(b *testing.B) {
	const nodes = 5000
	pod, fleet := workload.Pod(), workload.Fleet(nodes, 1)
	theirPod, theirs := coreTolerations(pod), coreFleet(fleet)
	b.Run("what=pod/state=steady", func(b *testing.B) {
		dst, copied := make(toleration.List, 0, 8), make([]corev1.Toleration, len(pod))
		workload.Run(b, "impl=kubernetes", func() int {
			for i := range theirPod {
				theirPod[i].DeepCopyInto(&copied[i])
			}
			return len(copied)
		})
		workload.Run(b, "impl=tolerate", func() int { return len(fromCoreTolerations(dst, theirPod)) })
	})
	b.Run("what=fleet/state=steady", func(b *testing.B) {
		dst, copied := make(taint.List, 0, 8), make([]corev1.Taint, 8)
		workload.RunNodes(b, "impl=kubernetes", nodes, func() int { return copyFleet(copied, theirs) })
		workload.RunNodes(b, "impl=tolerate", nodes, func() int { return fromCoreFleet(dst, theirs) })
	})
	b.Run("what=taint/state=cold", benchmarkCold)
	runtime.KeepAlive(pod)
	runtime.KeepAlive(fleet)
}

// benchmarkCold converts taints whose strings are not interned. It converts a long list
// once; then the collector removes the strings while the clock is stopped.
func benchmarkCold(b *testing.B) {
	fresh := make([]corev1.Taint, 1<<16)
	for i := range fresh {
		fresh[i] = corev1.Taint{Key: fmt.Sprintf("example.com/key-%d", i), Value: fmt.Sprintf("value-%d", i), Effect: corev1.TaintEffectNoSchedule}
	}
	b.Run("impl=tolerate", func(b *testing.B) {
		b.ReportAllocs()
		dst := make(taint.List, 0, 1)
		for i := 0; b.Loop(); i++ {
			if i == len(fresh) {
				i = 0
				b.StopTimer()
				runtime.GC()
				runtime.GC() // the map's entries go one cycle after the values
				b.StartTimer()
			}
			fromCoreTaints(dst, fresh[i:i+1])
		}
	})
}
