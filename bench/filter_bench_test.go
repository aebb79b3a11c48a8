package bench_test

import (
	"fmt"
	"testing"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// run runs work, which is named elsewhere: what stands within the loop's
// braces is slowed down.
func run[T any](b *testing.B, name string, work func() T) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work()
		}
	})
}

// The plain twin: strings compared as they are.
type (
	plainTaint      struct{ key, value, effect string }
	plainToleration struct {
		key, operator, value, effect string
		seconds                      *int64
	}
)

func plainTaints(list []taint.Taint) (out []plainTaint) {
	for _, t := range list {
		out = append(out, plainTaint{t.Key(), t.Value(), t.Effect().String()})
	}
	return out
}

func plainTolerations(list []toleration.Toleration) (out []plainToleration) {
	for _, u := range list {
		p := plainToleration{key: u.Key(), operator: u.Operator().String(), value: u.Value(), effect: u.Effect().String()}
		if n, ok := u.Seconds(); ok {
			p.seconds = &n
		}
		out = append(out, p)
	}
	return out
}

func plainSchedulable(taints []plainTaint, pod []plainToleration) bool {
	for i := range taints {
		if t := &taints[i]; t.effect != "PreferNoSchedule" && !plainTolerated(t, pod) {
			return false
		}
	}
	return true
}

func plainTolerated(t *plainTaint, pod []plainToleration) bool {
	for i := range pod {
		u := &pod[i]
		if (u.effect == "" || u.effect == t.effect) && (u.key == "" || u.key == t.key) &&
			(u.operator == "Exists" || (u.operator == "" || u.operator == "Equal") && u.value == t.value) {
			return true
		}
	}
	return false
}

func filterFleet(fleet [][]taint.Taint, pod []toleration.Toleration) (schedulable int) {
	for _, taints := range fleet {
		if match.Filter(taints, pod).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterCompiled(fleet [][]taint.Taint, m *match.Matcher) (schedulable int) {
	for _, taints := range fleet {
		if m.Filter(taints).Schedulable() {
			schedulable++
		}
	}
	return schedulable
}

func filterPlain(fleet [][]plainTaint, pod []plainToleration) (schedulable int) {
	for _, taints := range fleet {
		if plainSchedulable(taints, pod) {
			schedulable++
		}
	}
	return schedulable
}

// BenchmarkFilter counts the nodes of a fleet that a pod may be scheduled to:
// the usual pod of four tolerations, and one of 32, eight of which share a key.
func BenchmarkFilter(b *testing.B) {
	const nodes = 5000
	fleet := workload.Fleet(nodes, 1)
	plain := make([][]plainTaint, nodes)
	for i, taints := range fleet {
		plain[i] = plainTaints(taints)
	}
	many := workload.Pod()
	for i := range 8 {
		many = append(many, toleration.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule op=Equal", 10*i)))
	}
	for i := len(many); i < 32; i++ {
		many = append(many, toleration.MustParse(fmt.Sprintf("example.com/key-%d:NoSchedule op=Exists", i)))
	}
	for _, pod := range [][]toleration.Toleration{workload.Pod(), many} {
		b.Run(fmt.Sprintf("nodes=%d/tolerations=%d", nodes, len(pod)), func(b *testing.B) {
			m, theirs := match.Compile(pod), plainTolerations(pod)
			want := filterPlain(plain, theirs)
			if got, compiled := filterFleet(fleet, pod), filterCompiled(fleet, m); got != want || compiled != want {
				b.Fatalf("schedulable: %d, compiled %d, plain %d", got, compiled, want)
			}
			runNodes(b, "way=filter", nodes, func() int { return filterFleet(fleet, pod) })
			runNodes(b, "way=compiled", nodes, func() int { return filterCompiled(fleet, m) })
			runNodes(b, "way=plain", nodes, func() int { return filterPlain(plain, theirs) })
		})
	}
}

// runNodes is run for work on that many nodes, with the time for each.
func runNodes(b *testing.B, name string, nodes int, work func() int) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			work()
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
	})
}

// BenchmarkTolerates is one toleration and one taint, by operator.
func BenchmarkTolerates(b *testing.B) {
	t := taint.MustParse("example.com/sla=95:NoSchedule")
	for _, text := range []string{"op=Exists", "example.com/sla op=Exists", "example.com/sla=95:NoSchedule", "example.com/sla=90:NoSchedule op=Gt", "dedicated op=Exists"} {
		u := toleration.MustParse(text)
		name := map[bool]string{true: "first", false: "none"}[u.Tolerates(t)]
		run(b, fmt.Sprintf("op=%v/key=%s/hit=%s", u.Operator(), u.Key(), name), func() bool { return u.Tolerates(t) })
	}
}

// BenchmarkIndex looks for the toleration that matches a taint in a list.
func BenchmarkIndex(b *testing.B) {
	for _, n := range []int{4, 32} {
		list := make([]toleration.Toleration, n)
		for i := range list {
			list[i] = toleration.MustParse(fmt.Sprintf("example.com/key-%d=value:NoSchedule op=Equal", i))
		}
		for _, hit := range []struct {
			name string
			text string
			want int
		}{
			{"first", "example.com/key-0=value:NoSchedule", 0},
			{"last", fmt.Sprintf("example.com/key-%d=value:NoSchedule", n-1), n - 1},
			{"none", "example.com/key-0=other:NoSchedule", -1},
		} {
			t := taint.MustParse(hit.text)
			if got := toleration.Index(list, t); got != hit.want {
				b.Fatalf("Index = %d, want %d", got, hit.want)
			}
			plain, plainList := plainTaints([]taint.Taint{t})[0], plainTolerations(list)
			b.Run(fmt.Sprintf("tolerations=%d/hit=%s", n, hit.name), func(b *testing.B) {
				run(b, "way=tolerate", func() int { return toleration.Index(list, t) })
				run(b, "way=plain", func() bool { return plainTolerated(&plain, plainList) })
			})
		}
	}
}

// BenchmarkNode is one node of two taints, and one of a thousand against as
// many tolerations, none of which matches.
func BenchmarkNode(b *testing.B) {
	taints, pod := workload.Node(), workload.Pod()
	benchmarkNode(b, taints, pod)
	taints, pod = nil, nil
	for i := range 1000 {
		taints = append(taints, taint.MustParse(fmt.Sprintf("example.com/taint-%d:NoSchedule", i)))
		pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/toleration-%d:NoSchedule op=Exists", i)))
	}
	benchmarkNode(b, taints, pod)
}

func benchmarkNode(b *testing.B, taints []taint.Taint, pod []toleration.Toleration) {
	b.Run(fmt.Sprintf("taints=%d/tolerations=%d", len(taints), len(pod)), func(b *testing.B) {
		m := match.Compile(pod)
		run(b, "way=filter", func() match.Result { return match.Filter(taints, pod) })
		run(b, "way=compiled", func() match.Result { return m.Filter(taints) })
	})
}

// BenchmarkCompile prepares a pod; the threshold from which the matcher's rules
// are found by a map shows in BenchmarkMatcher.
func BenchmarkCompile(b *testing.B) {
	pod := workload.Pod()
	run(b, fmt.Sprintf("tolerations=%d", len(pod)), func() *match.Matcher { return match.Compile(pod) })
}

// BenchmarkMatcher asks about a taint whose key the last of many rules has, and
// no rule alone.
func BenchmarkMatcher(b *testing.B) {
	for _, n := range []int{2, 4, 8, 16, 17, 32, 64} {
		var pod []toleration.Toleration
		for i := range n {
			pod = append(pod, toleration.MustParse(fmt.Sprintf("example.com/key-%d=%d:NoSchedule op=Gt", i, i)))
		}
		m, t := match.Compile(pod), taint.MustParse(fmt.Sprintf("example.com/key-%d=1000:NoSchedule", n-1))
		if !m.Tolerates(t) {
			b.Fatal("not tolerated")
		}
		run(b, fmt.Sprintf("rules=%d/hit=last", n), func() bool { return m.Tolerates(t) })
	}
}
