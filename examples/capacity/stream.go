package main

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
)

// A stream queries for pods from several goroutines while, perhaps, one writes.
type stream struct {
	opts   options
	input  *input
	latest atomic.Pointer[fleet.Snapshot[string]]
	memo   *fleet.Memo

	queried atomic.Int64
}

// A measure is what one run came to.
type measure struct {
	pods      int64
	nodes     int64 // that fitted, over all pods
	nowhere   int64 // pods that fitted no node
	elapsed   time.Duration
	slowest   time.Duration // of any batch, for one pod of it
	changes   int
	snapshots int
}

func (m *measure) add(o measure) {
	m.pods += o.pods
	m.nodes += o.nodes
	m.nowhere += o.nowhere
	m.slowest = max(m.slowest, o.slowest)
}

func (m measure) perSecond() float64 { return float64(m.pods) / m.elapsed.Seconds() }

// batch is the largest number of queries between two readings of the clock, which
// costs as much as some of them. It is smaller where one takes long, so that -time
// is kept.
const (
	batch   = 64
	perLook = time.Millisecond
)

// run queries until the time is up, or for as many pods as was said.
func (s *stream) run(x *fleet.Index[string], flap bool, p *progress) measure {
	s.queried.Store(0)
	s.latest.Store(x.Snapshot())
	stop := make(chan struct{})
	start := time.Now()
	var total measure
	var writer, readers sync.WaitGroup
	if flap {
		writer.Go(func() { total.changes, total.snapshots = s.flap(x, stop) })
	}
	results := make([]measure, s.opts.readers)
	for r := range results {
		readers.Go(func() { results[r] = s.query(uint64(r), start) })
	}
	done := make(chan struct{})
	go func() {
		readers.Wait()
		close(done)
	}()
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
			p.show("%.1f s, %d pods", time.Since(start).Seconds(), s.queried.Load())
		}
	}
	total.elapsed = time.Since(start)
	close(stop)
	writer.Wait()
	for _, m := range results {
		total.add(m)
	}
	p.clear()
	return total
}

// query is one reader: it takes no lock, and always queries the latest snapshot.
func (s *stream) query(reader uint64, start time.Time) (m measure) {
	rng := rand.New(rand.NewPCG(s.opts.seed, 1+reader))
	a := fleet.Answer[string]{Memo: s.memo}
	size := int64(1)
	for began := time.Now(); ; {
		n := size
		if left := int64(s.opts.pods) - s.queried.Add(n) + n; s.opts.pods > 0 {
			n = min(n, left)
		}
		if n <= 0 {
			return m
		}
		for range n {
			pod := s.input.workloads[rng.IntN(len(s.input.workloads))]
			s.latest.Load().Query(&a, pod)
			m.nodes += int64(a.Schedulable())
			if a.Schedulable() == 0 {
				m.nowhere++
			}
		}
		m.pods += n
		now := time.Now()
		took := now.Sub(began)
		m.slowest = max(m.slowest, took/time.Duration(n))
		if took > perLook {
			size = max(size/2, 1)
		} else {
			size = min(2*size, batch)
		}
		if s.opts.pods == 0 && now.Sub(start) >= s.opts.time {
			return m
		}
		began = now
	}
}

func ended(stop <-chan struct{}) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}

// flap is the writer: nodes become not ready, and ready again, evenly in time.
// In the end all are as they were.
func (s *stream) flap(x *fleet.Index[string], stop <-chan struct{}) (changes, snapshots int) {
	const every = 2 * time.Millisecond
	rng := rand.New(rand.NewPCG(s.opts.seed, 0))
	down := map[int]bool{}
	tick := time.NewTicker(every)
	defer tick.Stop()
	start := time.Now()
	for {
		select {
		case <-stop:
			for i := range down {
				x.Put(s.input.names[i], s.input.nodes[i])
			}
			return changes, snapshots
		case <-tick.C:
		}
		for due := int(time.Since(start).Seconds() * float64(s.opts.flap)); changes < due && !ended(stop); changes++ {
			i := rng.IntN(len(s.input.nodes))
			n := s.input.nodes[i]
			if down[i] {
				delete(down, i)
			} else {
				down[i] = true
				n = match.Node{Taints: append(slices.Clone(n.Taints), notReady...), Unschedulable: n.Unschedulable}
			}
			x.Put(s.input.names[i], n)
		}
		s.latest.Store(x.Snapshot())
		snapshots++
	}
}
