package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// plainExplain is the plain implementation of an explanation: it compares
// strings, and returns a sentence for each untolerated taint.
func plainExplain(taints []plainTaint, pod []plainToleration) (lines []string) {
	for i := range taints {
		t := &taints[i]
		if plainTolerated(t, pod) {
			continue
		}
		line := "no toleration of " + t.key
		for _, u := range pod {
			if u.key != t.key {
				continue
			}
			if line = "another value: " + u.value; u.effect != "" && u.effect != t.effect {
				line = "another effect: " + u.effect
			}
			break
		}
		lines = append(lines, t.key+"="+t.value+":"+t.effect+" is not tolerated: "+line)
	}
	return lines
}

func explainFleet(fleet []taint.List, pod toleration.List) (missed int) {
	for _, taints := range fleet {
		for e := range (match.Node{Taints: taints}).Explanations(toleration.First, pod) {
			if e.Class == match.NotTolerated {
				missed++
			}
		}
	}
	return missed
}

func explainFleetText(fleet []taint.List, pod toleration.List, buf []byte) (missed int) {
	for _, taints := range fleet {
		for e := range (match.Node{Taints: taints}).Explanations(toleration.First, pod) {
			if e.Class == match.NotTolerated {
				missed++
				buf, _ = e.AppendText(buf[:0])
			}
		}
	}
	return missed
}

func explainPlain(fleet [][]plainTaint, pod []plainToleration) (missed int) {
	for _, taints := range fleet {
		missed += len(plainExplain(taints, pod))
	}
	return missed
}

// BenchmarkExplain explains each taint of a fleet for two pods: the usual one, and the
// worst case, in which every toleration has the key of a taint and none matches.
func BenchmarkExplain(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	plain := plainFleet(fleet)
	near := workload.Pod()
	for i := range 28 {
		near = append(near, toleration.MustParse(fmt.Sprintf("dedicated=nobody-%d:NoSchedule", i)))
	}
	for _, pod := range []toleration.List{workload.Pod(), near} {
		b.Run(fmt.Sprintf("nodes=%d/tolerations=%d", nodes, len(pod)), func(b *testing.B) {
			theirs, buf := plainTolerations(pod), make([]byte, 0, 1024)
			want := explainPlain(plain, theirs)
			if got, text := explainFleet(fleet, pod), explainFleetText(fleet, pod, buf); got != want || text != want {
				b.Fatalf("untolerated: %d, with text %d, plain %d", got, text, want)
			}
			workload.RunNodes(b, "impl=tolerate", nodes, func() int { return explainFleet(fleet, pod) })
			workload.RunNodes(b, "impl=tolerate-text", nodes, func() int { return explainFleetText(fleet, pod, buf) })
			workload.RunNodes(b, "impl=plain", nodes, func() int { return explainPlain(plain, theirs) })
		})
	}
}

func reasonsOf(fleet []taint.List, pod toleration.List) []match.Reason {
	var r match.Reasons
	for _, taints := range fleet {
		r.Add(match.Node{Taints: taints}.Untolerated(pod))
	}
	return r.TopReasons(1000)
}

func reasonsCompiled(fleet []taint.List, pod toleration.List) []match.Reason {
	var r match.Reasons
	m := match.Compile(pod)
	for _, taints := range fleet {
		r.Add(m.Untolerated(match.Node{Taints: taints}))
	}
	return r.TopReasons(1000)
}

type plainReason struct {
	taint string
	nodes int
}

func reasonsPlain(fleet [][]plainTaint, pod []plainToleration) (reasons []plainReason) {
	counts := make(map[string]int)
	for _, taints := range fleet {
		for i := range taints {
			if t := &taints[i]; t.effect != "PreferNoSchedule" && !plainTolerated(t, pod) {
				counts[t.key+"="+t.value+":"+t.effect]++
			}
		}
	}
	for text, n := range counts {
		reasons = append(reasons, plainReason{text, n})
	}
	slices.SortFunc(reasons, func(a, b plainReason) int { return b.nodes - a.nodes })
	return reasons
}

// BenchmarkReasons counts the reasons why a pod cannot be scheduled on the nodes of a
// fleet: for the usual pod, and for the worst case, a pod without tolerations.
func BenchmarkReasons(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	plain := plainFleet(fleet)
	for _, pod := range []toleration.List{workload.Pod(), nil} {
		b.Run(fmt.Sprintf("nodes=%d/tolerations=%d", nodes, len(pod)), func(b *testing.B) {
			theirs := plainTolerations(pod)
			if got, want := reasonsOf(fleet, pod), reasonsPlain(plain, theirs); len(got) != len(want) || got[0].Nodes != want[0].nodes {
				b.Fatalf("%d reasons, plain %d", len(got), len(want))
			}
			workload.RunNodes(b, "impl=tolerate", nodes, func() int { return len(reasonsOf(fleet, pod)) })
			workload.RunNodes(b, "impl=tolerate-compiled", nodes, func() int { return len(reasonsCompiled(fleet, pod)) })
			workload.RunNodes(b, "impl=plain", nodes, func() int { return len(reasonsPlain(plain, theirs)) })
		})
	}
}
