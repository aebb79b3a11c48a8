package bench_test

import (
	stdheap "container/heap"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var (
	sinkDecision eviction.Decision
	sinkDue      time.Time
	sinkEvicted  uint64
	sinkServing  match.Position
)

var evictionStart = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// plainDecide is what one would write without package eviction: the first
// toleration of each taint, collected, and the least of their seconds.
func plainDecide(now, start time.Time, taints []taint.Taint, pod []toleration.Toleration) (at time.Time, ever bool) {
	var used []toleration.Toleration
	for _, t := range taints {
		if t.Effect() != taint.NoExecute {
			continue
		}
		i := toleration.Index(pod, t)
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

// evictionPod returns n tolerations of which those for the taints of
// evictionNode come first, last, or not at all.
func evictionPod(n, taints int, hit string) []toleration.Toleration {
	var serving, others []toleration.Toleration
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

func evictionNode(n int) (taints []taint.Taint) {
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
				b.Run("impl=decide/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						sinkDecision = eviction.Decide(now, observed, eviction.Policy{}, pod)
					}
				})
				b.Run("impl=plain/"+name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						sinkDue, _ = plainDecide(now, evictionStart, node, pod)
					}
				})
			}
		}
	}
}

// plainServing is what one would write to find the toleration that decides.
func plainServing(p toleration.Policy, t taint.Taint, pod []toleration.Toleration) int {
	best := -1
	for i, u := range pod {
		if u.Tolerates(t) && (best < 0 || p.Prefers(u, pod[best])) {
			best = i
			if p == toleration.First {
				break
			}
		}
	}
	return best
}

// BenchmarkServing finds, among 32 tolerations of a pod, the one that decides
// for how long a taint is tolerated; at worst all of them match it.
func BenchmarkServing(b *testing.B) {
	node := evictionNode(1)[0]
	for _, policy := range []toleration.Policy{toleration.First, toleration.ForeverElseShortest} {
		for _, hit := range []string{"first", "last", "none", "all"} {
			pod := evictionPod(32, 1, hit)
			if hit == "all" {
				pod = slices.Repeat(pod[:1], 32)
			}
			name := fmt.Sprintf("policy=%v/tolerations=32/hit=%s", policy, hit)
			b.Run("impl=match/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkServing, _ = match.Serving(policy, node, pod)
				}
			})
			b.Run("impl=plain/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					sinkServing.Index = plainServing(policy, node, pod)
				}
			})
		}
	}
}

// A plainQueue is what one would write without package eviction: a heap of the
// standard library, and a map to find what is in it.
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

// deadlines are the queues that are measured, by what they do.
type deadlines interface {
	set(id uint64, at time.Time)
	remove(id uint64)
	pop() (uint64, time.Time)
}

type ourQueue struct{ eviction.Queue[uint64] }

func (q *ourQueue) set(id uint64, at time.Time) { q.Set(id, at) }

func (q *ourQueue) remove(id uint64) { q.Remove(id) }

func (q *ourQueue) pop() (uint64, time.Time) {
	id, at, _ := q.Pop()
	return id, at
}

var queueImpls = []struct {
	name  string
	build func(n int) deadlines
}{
	{"queue", func(n int) deadlines {
		q := new(ourQueue)
		q.Grow(n)
		return q
	}},
	{"plain", func(n int) deadlines {
		return &plainQueue{items: make([]*plainItem, 0, n), byID: make(map[uint64]*plainItem, n)}
	}},
}

// evictionTimes draws deadlines as of a cluster: any second of a day, or, which
// is what a partition leads to, one and the same.
func evictionTimes(spread string, rng *rand.Rand) func() time.Time {
	if spread == "same" {
		return func() time.Time { return evictionStart.Add(300 * time.Second) }
	}
	return func() time.Time { return evictionStart.Add(time.Duration(rng.Int64N(86_400)) * time.Second) }
}

// fillDeadlines puts in n pods whose ids are in no order.
func fillDeadlines(q deadlines, n int, at func() time.Time) {
	for i := range n {
		q.set(podNumber(i), at())
	}
}

// podNumber spreads numbers over all of a uint64, each its own.
func podNumber(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 }

// drainDeadlines takes all out.
func drainDeadlines(q deadlines, n int) {
	for range n {
		sinkEvicted, sinkDue = q.pop()
	}
}

const queuePods = 1_000_000

// BenchmarkEvictionQueueFill adds a million pods, and BenchmarkEvictionQueueDrain
// takes them out: one operation is all of them.
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

// BenchmarkEvictionQueueMove gives one pod of a million another deadline; where
// all have the same, the one that it has.
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

// BenchmarkEvictionQueueSteady has pods come and go among a million: one comes,
// one is cancelled, one comes, the first goes.
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
	q.remove(podNumber(next - 1)) // which hardly ever has gone by itself
	sinkEvicted, sinkDue = q.pop()
	q.set(podNumber(next+1), at())
}

func eachQueue(b *testing.B, do func(b *testing.B, build func(int) deadlines, at func() time.Time)) {
	for _, impl := range queueImpls {
		for _, spread := range []string{"day", "same"} {
			b.Run(fmt.Sprintf("impl=%s/pods=%d/deadlines=%s", impl.name, queuePods, spread), func(b *testing.B) {
				b.ReportAllocs()
				do(b, impl.build, evictionTimes(spread, rand.New(rand.NewPCG(3, 4))))
			})
		}
	}
}

// BenchmarkEvictionQueueMemory reports the bytes that a pod takes in a queue
// that was made to measure; its time is of no interest.
func BenchmarkEvictionQueueMemory(b *testing.B) {
	for _, impl := range queueImpls {
		b.Run(fmt.Sprintf("impl=%s/pods=%d", impl.name, queuePods), func(b *testing.B) {
			var per float64
			for b.Loop() {
				before := heap()
				q := impl.build(queuePods)
				fillDeadlines(q, queuePods, func() time.Time { return evictionStart })
				per = float64(heap()-before) / queuePods
				runtime.KeepAlive(q)
			}
			b.ReportMetric(per, "bytes/pod")
		})
	}
}

// BenchmarkEvictionUpdate tells a Schedule of a million pods that the node of
// one has changed: scheduled, and cancelled the next time.
func BenchmarkEvictionUpdate(b *testing.B) {
	pod := evictionPod(4, 1, "last")
	node := eviction.Observe(nil, evictionNode(1), evictionStart)
	var s eviction.Schedule[uint64]
	s.Grow(queuePods)
	for i := range queuePods {
		s.Update(podNumber(i), evictionStart, node, pod)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	b.Run(fmt.Sprintf("pods=%d/change=none", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Update(podNumber(rng.IntN(queuePods)), evictionStart, node, pod)
		}
	})
	b.Run(fmt.Sprintf("pods=%d/change=twice", queuePods), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			id := podNumber(rng.IntN(queuePods))
			s.Update(id, evictionStart, nil, pod)
			s.Update(id, evictionStart, node, pod)
		}
	})
}
