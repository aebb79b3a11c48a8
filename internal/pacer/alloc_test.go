//go:build !race

package pacer_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/pacer"
)

// sink keeps results, so that the compiler does not remove the calls.
var sink struct {
	ok bool
	id int
	at time.Time
}

// Operations on a Pacer that has had as many items before do not allocate. It
// must not run in parallel with other tests.
func TestPacer_allocs(t *testing.T) {
	p := pacer.New[int](1e9)
	for id := range 100 {
		p.Add(id)
	}
	now := noon
	if got := testing.AllocsPerRun(100, func() {
		now = now.Add(time.Second)
		sink.at, sink.ok = p.Next(now)
		sink.id, sink.ok = p.Take(now)
		sink.ok = p.Add(sink.id)
		sink.ok = p.Remove(50)
		sink.ok = p.Add(50)
		for id := range p.All() {
			sink.id = id
		}
	}); got != 0 {
		t.Errorf("%v allocations, want 0", got)
	}
}

// However many items are added and removed, a Pacer needs slots only for those
// that waited at the same time.
func TestPacer_slots(t *testing.T) {
	p := pacer.New[int](1e9)
	for id := range 8 {
		p.Add(id)
	}
	now, next := noon, 8
	pass := func() {
		for range 20_000 {
			now = now.Add(time.Second)
			p.Remove(next - 4)
			p.Take(now)
			p.Add(next)
			p.Add(next + 1)
			next += 2
		}
	}
	if got := testing.AllocsPerRun(1, pass); got != 0 || p.Len() != 8 {
		t.Errorf("%v allocations, %d wait", got, p.Len())
	}
}
