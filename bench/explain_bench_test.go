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

// The plain twin of an explanation: what a user writes who compares strings,
// with a sentence for each taint that is not tolerated.
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

func explainFleet(fleet [][]taint.Taint, pod []toleration.Toleration) (missed int) {
	for _, taints := range fleet {
		for e := range (match.Node{Taints: taints}).Explanations(toleration.First, pod) {
			if e.Class == match.NotTolerated {
				missed++
			}
		}
	}
	return missed
}

func explainFleetText(fleet [][]taint.Taint, pod []toleration.Toleration, buf []byte) (missed int) {
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

// BenchmarkExplain explains every taint of a fleet to a pod: the usual one, and
// the worst, whose tolerations all have the taints' keys and match none.
func BenchmarkExplain(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	plain := make([][]plainTaint, nodes)
	for i, taints := range fleet {
		plain[i] = plainTaints(taints)
	}
	near := workload.Pod()
	for i := range 28 {
		near = append(near, toleration.MustParse(fmt.Sprintf("dedicated=nobody-%d:NoSchedule", i)))
	}
	for _, pod := range [][]toleration.Toleration{workload.Pod(), near} {
		b.Run(fmt.Sprintf("nodes=%d/tolerations=%d", nodes, len(pod)), func(b *testing.B) {
			theirs, buf := plainTolerations(pod), make([]byte, 0, 1024)
			want := explainPlain(plain, theirs)
			if got, text := explainFleet(fleet, pod), explainFleetText(fleet, pod, buf); got != want || text != want {
				b.Fatalf("untolerated: %d, with text %d, plain %d", got, text, want)
			}
			runNodes(b, "way=explain", nodes, func() int { return explainFleet(fleet, pod) })
			runNodes(b, "way=text", nodes, func() int { return explainFleetText(fleet, pod, buf) })
			runNodes(b, "way=plain", nodes, func() int { return explainPlain(plain, theirs) })
		})
	}
}

func reasonsOf(r *match.Reasons, dst []match.Reason, fleet [][]taint.Taint, pod []toleration.Toleration) []match.Reason {
	r.Reset()
	for _, taints := range fleet {
		r.Add(match.Node{Taints: taints}, pod)
	}
	return r.AppendReasons(dst[:0], 1000)
}

func reasonsCompiled(r *match.Reasons, dst []match.Reason, fleet [][]taint.Taint, pod []toleration.Toleration) []match.Reason {
	r.Reset()
	m := match.Compile(pod)
	for _, taints := range fleet {
		r.AddMatcher(match.Node{Taints: taints}, m)
	}
	return r.AppendReasons(dst[:0], 1000)
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

// BenchmarkReasons counts why a pod is kept away, over a fleet: the usual pod,
// and the worst, which tolerates nothing.
func BenchmarkReasons(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	plain := make([][]plainTaint, nodes)
	for i, taints := range fleet {
		plain[i] = plainTaints(taints)
	}
	for _, pod := range [][]toleration.Toleration{workload.Pod(), nil} {
		b.Run(fmt.Sprintf("nodes=%d/tolerations=%d", nodes, len(pod)), func(b *testing.B) {
			var reasons match.Reasons
			redacted := match.Reasons{Redact: true}
			theirs, dst := plainTolerations(pod), make([]match.Reason, 0, 1000)
			if got, want := reasonsOf(&reasons, dst, fleet, pod), reasonsPlain(plain, theirs); len(got) != len(want) || got[0].Nodes != want[0].nodes {
				b.Fatalf("%d reasons, plain %d", len(got), len(want))
			}
			runNodes(b, "way=add", nodes, func() int { return len(reasonsOf(&reasons, dst, fleet, pod)) })
			runNodes(b, "way=compiled", nodes, func() int { return len(reasonsCompiled(&reasons, dst, fleet, pod)) })
			runNodes(b, "way=redacted", nodes, func() int { return len(reasonsOf(&redacted, dst, fleet, pod)) })
			runNodes(b, "way=plain", nodes, func() int { return len(reasonsPlain(plain, theirs)) })
		})
	}
}
