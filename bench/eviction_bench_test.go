package bench_test

import (
	stdheap "container/heap"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/internal/measure"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// These variables keep the results of the queues alive.
var (
	sinkDue     time.Time
	sinkEvicted uint64
)

var (
	evictionStart = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	evictionEnd   = evictionStart.AddDate(1, 0, 0) // later than each deadline
)

// plainDecide is the plain implementation: it collects the first toleration of
// each taint, and returns the least of their seconds.
func plainDecide(now, start time.Time, taints taint.List, pod toleration.List) (at time.Time, ever bool) {
	var used toleration.List
	for _, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		i := pod.Match(t)
		if i < 0 {
			return now, true
		}
		used = append(used, pod[i])
	}
	least := int64(-1)
	for _, u := range used {
		if n, ok := u.Seconds(); ok && (least < 0 || max(n, 0) < least) {
			least = max(n, 0)
		}
	}
	if least < 0 {
		return time.Time{}, false
	}
	return start.Add(time.Duration(least) * time.Second), true
}

// evictionPod returns n tolerations. Those for the taints of evictionNode are first,
// last or absent.
func evictionPod(n, taints int, hit string) toleration.List {
	var serving, others toleration.List
	for i := range taints {
		key := "hit"
		if hit == "none" {
			key = "miss"
		}
		serving = append(serving, toleration.MustParse(fmt.Sprintf("%s-%d:NoExecute op=Exists for %ds", key, i, 300+i)))
	}
	for i := range n - taints {
		others = append(others, toleration.MustParse(fmt.Sprintf("other-%d:NoExecute op=Exists for 30s", i)))
	}
	if hit == "last" {
		return append(others, serving...)
	}
	return append(serving, others...)
}

func evictionNode(n int) (taints taint.List) {
	for i := range n {
		taints = append(taints, taint.MustParse(fmt.Sprintf("hit-%d=x:NoExecute", i)))
	}
	return taints
}

func BenchmarkEvictionDecide(b *testing.B) {
	for _, taints := range []int{1, 4} {
		for _, tolerations := range []int{4, 32} {
			for _, hit := range []string{"first", "last", "none"} {
				node, pod := evictionNode(taints), evictionPod(tolerations, taints, hit)
				observed := eviction.Observe(nil, node, evictionStart)
				now := evictionStart.Add(time.Second)
				name := fmt.Sprintf("taints=%d/tolerations=%d/hit=%s", taints, tolerations, hit)
				workload.Run(b, name+"/impl=tolerate", func() eviction.Decision { return eviction.Decide(observed, now, eviction.Options{}, pod) })
				workload.Run(b, name+"/impl=plain", func() time.Time { at, _ := plainDecide(now, evictionStart, node, pod); return at })
			}
		}
	}
}

// plainServing returns the index of the toleration that decides, or -1.
func plainServing(c toleration.Choice, t taint.Taint, pod toleration.List) int {
	best := -1
	for i, u := range pod {
		if u.Tolerates(t) && (best < 0 || c.Prefers(u, pod[best])) {
			best = i
			if c == toleration.First {
				break
			}
		}
	}
	return best
}

// BenchmarkExplainChoice finds, among 32 tolerations of a pod, the one that decides for how
// long a taint is tolerated. In the worst case all of them match it.
func BenchmarkExplainChoice(b *testing.B) {
	node := evictionNode(1)
	for _, choice := range []toleration.Choice{toleration.First, toleration.ForeverElseShortest} {
		for _, hit := range []string{"first", "last", "none", "all"} {
			pod := evictionPod(32, 1, hit)
			if hit == "all" {
				pod = slices.Repeat(pod[:1], 32)
			}
			name := fmt.Sprintf("choice=%v/tolerations=32/hit=%s", choice, hit)
			workload.Run(b, name+"/impl=tolerate", func() match.Class { return match.Explain(node[0], choice, pod).Class })
			workload.Run(b, name+"/impl=plain", func() int { return plainServing(choice, node[0], pod) })
		}
	}
}

// A plainQueue is the plain implementation: a heap of the standard library, and a map
// from id to item.
type plainQueue struct {
	items []*plainItem
	byID  map[uint64]*plainItem
	seq   uint64
}

type plainItem struct {
	id    uint64
	at    time.Time
	seq   uint64
	index int
}

func (q *plainQueue) Len() int { return len(q.items) }

func (q *plainQueue) Less(i, j int) bool {
	if c := q.items[i].at.Compare(q.items[j].at); c != 0 {
		return c < 0
	}
	return q.items[i].seq < q.items[j].seq
}

func (q *plainQueue) Swap(i, j int) {
	q.items[i], q.items[j] = q.items[j], q.items[i]
	q.items[i].index, q.items[j].index = i, j
}

func (q *plainQueue) Push(x any) {
	item := x.(*plainItem)
	item.index = len(q.items)
	q.items = append(q.items, item)
}

func (q *plainQueue) Pop() any {
	last := len(q.items) - 1
	item := q.items[last]
	q.items[last] = nil
	q.items = q.items[:last]
	return item
}

func (q *plainQueue) set(id uint64, at time.Time) {
	q.seq++
	if item, ok := q.byID[id]; ok {
		if !item.at.Equal(at) {
			item.at, item.seq = at, q.seq
			stdheap.Fix(q, item.index)
		}
		return
	}
	item := &plainItem{id: id, at: at, seq: q.seq}
	q.byID[id] = item
	stdheap.Push(q, item)
}

func (q *plainQueue) remove(id uint64) {
	if item, ok := q.byID[id]; ok {
		stdheap.Remove(q, item.index)
		delete(q.byID, id)
	}
}

func (q *plainQueue) pop() (uint64, time.Time) {
	item := stdheap.Pop(q).(*plainItem)
	delete(q.byID, item.id)
	return item.id, item.at
}

// deadlines are the measured operations of a queue.
type deadlines interface {
	set(id uint64, at time.Time)
	remove(id uint64)
	pop() (uint64, time.Time)
}

type ourQueue struct{ eviction.Schedule[uint64] }

func (q *ourQueue) set(id uint64, at time.Time) { q.Restore(id, eviction.State{Deadline: at}) }

func (q *ourQueue) remove(id uint64) { q.Remove(id) }

func (q *ourQueue) pop() (uint64, time.Time) {
	for id, at := range q.Due(evictionEnd) {
		return id, at
	}
	return 0, time.Time{}
}

var queueImpls = []struct {
	name  string
	build func(n int) deadlines
}{
	{"tolerate", func(int) deadlines {
		return new(ourQueue)
	}},
	{"plain", func(n int) deadlines {
		return &plainQueue{items: make([]*plainItem, 0, n), byID: make(map[uint64]*plainItem, n)}
	}},
}

// evictionTimes draws deadlines: random seconds of a day, or the same deadline for all
// pods, as after a network partition.
func evictionTimes(spread string, rng *rand.Rand) func() time.Time {
	if spread == "same" {
		return func() time.Time { return evictionStart.Add(300 * time.Second) }
	}
	return func() time.Time { return evictionStart.Add(time.Duration(rng.Int64N(86_400)) * time.Second) }
}

// fillDeadlines adds n pods whose ids are in no order.
func fillDeadlines(q deadlines, n int, at func() time.Time) {
	for i := range n {
		q.set(podNumber(i), at())
	}
}

// podNumber returns an id for pod i. The ids are spread over all values of a uint64.
func podNumber(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

// drainDeadlines removes n pods in the order of their deadlines.
func drainDeadlines(q deadlines, n int) {
	for range n {
		sinkEvicted, sinkDue = q.pop()
	}
}

const queuePods = 1_000_000

// BenchmarkEvictionQueueFill adds a million pods, and BenchmarkEvictionQueueDrain
// removes them. One operation handles all pods.
func BenchmarkEvictionQueueFill(b *testing.B) {
	eachQueue(b, func(b *testing.B, build func(int) deadlines, at func() time.Time) {
		for b.Loop() {
			fillDeadlines(build(queuePods), queuePods, at)
		}
	})
}

func BenchmarkEvictionQueueDrain(b *testing.B) {
	eachQueue(b, func(b *testing.B, build func(int) deadlines, at func() time.Time) {
		for b.Loop() {
			b.StopTimer()
			q := build(queuePods)
			fillDeadlines(q, queuePods, at)
			b.StartTimer()
			drainDeadlines(q, queuePods)
		}
	})
}

// BenchmarkEvictionQueueMove gives one pod of a million a new deadline. If all
// deadlines are the same, the new one equals the old one.
func BenchmarkEvictionQueueMove(b *testing.B) {
	eachQueue(b, func(b *testing.B, build func(int) deadlines, at func() time.Time) {
		q := build(queuePods)
		fillDeadlines(q, queuePods, at)
		rng := rand.New(rand.NewPCG(5, 6))
		for b.Loop() {
			q.set(podNumber(rng.IntN(queuePods)), at())
		}
	})
}

// BenchmarkEvictionQueueAdversary moves one of 256 pods whose ids differ only in the
// last byte.
func BenchmarkEvictionQueueAdversary(b *testing.B) {
	const pods = 256
	for _, impl := range queueImpls {
		b.Run(fmt.Sprintf("pods=%d/ids=last-byte/impl=%s", pods, impl.name), func(b *testing.B) {
			b.ReportAllocs()
			rng := rand.New(rand.NewPCG(9, 10))
			q, at := impl.build(pods), evictionTimes("day", rng)
			for b.Loop() {
				q.set(podNumber(1)&^0xff|rng.Uint64N(pods), at())
			}
		})
	}
}

// BenchmarkEvictionQueueSteady adds two pods to a queue of a million, cancels one and
// pops one.
func BenchmarkEvictionQueueSteady(b *testing.B) {
	eachQueue(b, func(b *testing.B, build func(int) deadlines, at func() time.Time) {
		q := build(queuePods + 1000)
		fillDeadlines(q, queuePods, at)
		next := queuePods
		for b.Loop() {
			steadyDeadlines(q, next, at)
			next += 2
		}
	})
}

func steadyDeadlines(q deadlines, next int, at func() time.Time) {
	q.set(podNumber(next), at())
	q.remove(podNumber(next - 1)) // almost always still queued
	sinkEvicted, sinkDue = q.pop()
	q.set(podNumber(next+1), at())
}

func eachQueue(b *testing.B, do func(b *testing.B, build func(int) deadlines, at func() time.Time)) {
	for _, impl := range queueImpls {
		for _, spread := range []string{"day", "same"} {
			b.Run(fmt.Sprintf("pods=%d/deadlines=%s/impl=%s", queuePods, spread, impl.name), func(b *testing.B) {
				b.ReportAllocs()
				do(b, impl.build, evictionTimes(spread, rand.New(rand.NewPCG(3, 4))))
			})
		}
	}
}

// BenchmarkEvictionQueueMemory reports the bytes for each pod in a queue of a million.
// Its time does not matter.
func BenchmarkEvictionQueueMemory(b *testing.B) {
	for _, impl := range queueImpls {
		b.Run(fmt.Sprintf("pods=%d/impl=%s", queuePods, impl.name), func(b *testing.B) {
			var per float64
			for b.Loop() {
				before := measure.InUse()
				q := impl.build(queuePods)
				fillDeadlines(q, queuePods, func() time.Time { return evictionStart })
				per = float64(measure.InUse()-before) / queuePods
				runtime.KeepAlive(q)
			}
			b.ReportMetric(per, "bytes/pod")
		})
	}
}

// BenchmarkEvictionUpdate updates one pod in a Schedule of a million: without a change,
// or cancelled and scheduled again.
func BenchmarkEvictionUpdate(b *testing.B) {
	pod := evictionPod(4, 1, "last")
	node := evictionNode(1)
	var s eviction.Schedule[uint64]
	for i := range queuePods {
		s.Update(podNumber(i), node, evictionStart, toleration.First, pod)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	b.Run(fmt.Sprintf("pods=%d/change=none/impl=tolerate", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Update(podNumber(rng.IntN(queuePods)), node, evictionStart, toleration.First, pod)
		}
	})
	b.Run(fmt.Sprintf("pods=%d/change=twice/impl=tolerate", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			id := podNumber(rng.IntN(queuePods))
			s.Update(id, nil, evictionStart, toleration.First, pod)
			s.Update(id, node, evictionStart, toleration.First, pod)
		}
	})
}
