package condition_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint/condition"
)

func second(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// takeAll asks once a second, and returns when each node came.
func takeAll(p *condition.Pacer[int], from, to int) map[int]int {
	got := make(map[int]int)
	for s := from; s <= to; s++ {
		for {
			id, ok := p.Take(second(s))
			if !ok {
				break
			}
			got[id] = s
		}
	}
	return got
}

func TestT6_the_first_at_once_then_one_in_ten_seconds(t *testing.T) {
	p := condition.NewPacer[int](0.1)
	for i := range 100 {
		p.Add(i)
	}
	got := takeAll(p, 0, 2000)
	for i := range 100 {
		if got[i] != 10*i {
			t.Errorf("node %d comes at %d s, want %d", i, got[i], 10*i)
		}
	}
	if p.Len() != 0 || len(got) != 100 {
		t.Errorf("%d wait, %d came", p.Len(), len(got))
	}
}

func TestPacer(t *testing.T) {
	add := func(p *condition.Pacer[int], ids ...int) {
		for _, id := range ids {
			p.Add(id)
		}
	}
	for _, tt := range []struct {
		name string
		do   func(p *condition.Pacer[int]) map[int]int
		want map[int]int
	}{
		{"T6_idle_time_is_not_saved_up", func(p *condition.Pacer[int]) map[int]int {
			takeAll(p, 0, 1000)
			add(p, 1, 2, 3)
			return takeAll(p, 1000, 1030)
		}, map[int]int{1: 1000, 2: 1010, 3: 1020}},
		{"T6_a_removed_node_does_not_come", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Remove(2)
			return takeAll(p, 0, 30)
		}, map[int]int{1: 0, 3: 10}},
		{"T6_added_again_it_is_last", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Remove(1)
			add(p, 1)
			return takeAll(p, 0, 30)
		}, map[int]int{2: 0, 3: 10, 1: 20}},
		{"T6_slower_while_nobody_may_go", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Take(second(0))
			p.SetRate(second(4), 0.01)
			return takeAll(p, 4, 300)
		}, map[int]int{2: 104, 3: 204}},
		{"T6_faster_while_nobody_may_go", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Take(second(0))
			p.SetRate(second(4), 0.5)
			return takeAll(p, 4, 300)
		}, map[int]int{2: 6, 3: 8}},
		{"T6_a_rate_changes_while_one_may_go", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(4), 0.01)
			return takeAll(p, 4, 300)
		}, map[int]int{1: 4, 2: 104}},
		{"T6_the_same_rate_changes_nothing", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.Take(second(0))
			p.SetRate(second(9), 0.1)
			return takeAll(p, 9, 30)
		}, map[int]int{2: 10}},
		{"T6_rate_0_stops", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 0)
			return takeAll(p, 0, 1000)
		}, map[int]int{}},
		{"T6_after_rate_0_a_full_interval", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 0)
			p.SetRate(second(1000), 0.1)
			return takeAll(p, 1000, 1030)
		}, map[int]int{1: 1010, 2: 1020}},
		{"T6_a_clock_set_back_gives_nothing_early", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.Take(second(100))
			return takeAll(p, 50, 120)
		}, map[int]int{2: 110}},
		{"T6_infinite", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), math.Inf(1))
			return takeAll(p, 0, 1)
		}, map[int]int{1: 0, 2: 0}},
		{"T6_slower_than_any_clock", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), math.SmallestNonzeroFloat64)
			return takeAll(p, 0, 1000)
		}, map[int]int{1: 0}},
		{"T6_as_slow_as_no_Duration_can_say", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 1e9/(1<<63))
			return takeAll(p, 0, 1000)
		}, map[int]int{1: 0}},
		{"T6_negative_and_no_number_are_0", func(p *condition.Pacer[int]) map[int]int {
			add(p, 1)
			for _, r := range []float64{-1, math.Inf(-1), math.NaN()} {
				p.SetRate(second(0), 5)
				if p.SetRate(second(1), r); p.Rate() != 0 || condition.NewPacer[int](r).Rate() != 0 {
					t.Errorf("the rate %v becomes %v", r, p.Rate())
				}
			}
			return takeAll(p, 0, 1000)
		}, map[int]int{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.do(condition.NewPacer[int](0.1))
			if len(got) != len(tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			for id, s := range tt.want {
				if at, ok := got[id]; !ok || at != s {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			}
		})
	}
}

// The zero time is a time like any other, and so are those before it.
func TestT6_any_epoch(t *testing.T) {
	for _, start := range []time.Time{{}, time.Time{}.Add(-10 * time.Second), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0)} {
		p := condition.NewPacer[int](0.1)
		p.Add(1)
		p.Add(2)
		if _, ok := p.Take(start); !ok {
			t.Errorf("%v: the first has to wait", start)
		}
		for d, want := range map[time.Duration]bool{-time.Hour: false, 0: false, 10*time.Second - 1: false, 10 * time.Second: true} {
			at, ok := p.Next(start.Add(d))
			if due := start.Add(10 * time.Second); at != due || !ok || want != (at == start.Add(d)) {
				t.Errorf("%v: after %v the second comes at %v, %v; want %v", start, d, at, ok, due)
			}
		}
		p.SetRate(start, 0.2)
		if at, _ := p.Next(start); at != start.Add(5*time.Second) {
			t.Errorf("%v: at the other rate the second comes at %v", start, at)
		}
	}
}

// 1/rate is taken to the nearest nanosecond, so whole seconds stay whole.
func TestT6_whole_seconds(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		p := condition.NewPacer[int](1 / float64(n))
		p.Add(1)
		p.Add(2)
		p.Take(noon)
		if at, _ := p.Next(noon); at != second(n) {
			t.Errorf("one in %d s: the next comes after %v", n, at.Sub(noon))
		}
	}
}

// Who has gone is not held in memory by the room that stays for others.
func TestPacerForgets(t *testing.T) {
	p := condition.NewPacer[*[64]int](1)
	first, second, third := new([64]int), new([64]int), new([64]int)
	gone := []weak.Pointer[[64]int]{weak.Make(first), weak.Make(second)}
	p.Add(first)
	p.Add(second)
	p.Add(third)
	p.Take(noon)
	p.Remove(second)
	runtime.GC()
	for i, w := range gone {
		if w.Value() != nil {
			t.Errorf("node %d is still held", i)
		}
	}
	if p.Len() != 1 || !p.Has(third) {
		t.Error("the node that waits is lost")
	}
}

func TestPacerZero(t *testing.T) {
	var p condition.Pacer[float64]
	if p.Rate() != 0 || p.Len() != 0 || p.Has(1) || p.Remove(1) {
		t.Error("the zero Pacer is not empty")
	}
	if _, ok := p.Take(noon); ok || !p.Add(1) || p.Add(1) {
		t.Error("the zero Pacer does not queue")
	}
	if _, ok := p.Take(noon); ok {
		t.Error("the zero Pacer lets a node through")
	}
	if _, ok := p.Next(noon); ok || p.Add(math.NaN()) || p.Len() != 1 {
		t.Error("a NaN waits")
	}
	for range p.All() {
		break
	}
}

// plainPacer is a Pacer as the rule tells it, slowly: a list, and a bucket that
// is filled second by second.
type plainPacer struct {
	interval int // in seconds; 0 stops
	full     bool
	mark     int // when the bucket was emptied
	ids      []int
}

func (p *plainPacer) token(now int) bool {
	if p.interval == 0 || p.full {
		return p.interval > 0
	}
	filled := 0
	for s := p.mark; s < now; s++ {
		filled++
	}
	return filled >= p.interval
}

func (p *plainPacer) setInterval(now, interval int) {
	if interval == p.interval {
		return
	}
	if p.token(now) {
		p.full = true
	} else {
		p.full, p.mark = false, now
	}
	p.interval = interval
}

func (p *plainPacer) add(id int) bool {
	if slices.Contains(p.ids, id) {
		return false
	}
	p.ids = append(p.ids, id)
	return true
}

func (p *plainPacer) remove(id int) bool {
	i := slices.Index(p.ids, id)
	if i >= 0 {
		p.ids = slices.Delete(p.ids, i, i+1)
	}
	return i >= 0
}

func (p *plainPacer) take(now int) (int, bool) {
	if len(p.ids) == 0 || !p.token(now) {
		return 0, false
	}
	id := p.ids[0]
	p.ids = p.ids[1:]
	p.full, p.mark = false, now
	return id, true
}

// rate returns the rate that has the interval.
func rate(interval int) float64 {
	if interval == 0 {
		return 0
	}
	return 1 / float64(interval)
}

var intervals = []int{0, 0, 1, 3, 7, 10, 100}

func pacerProperty(t *rapid.T) {
	interval := rapid.SampledFrom(intervals).Draw(t, "interval")
	p := condition.NewPacer[int](rate(interval))
	q := plainPacer{interval: interval, full: true}
	now := 0
	id := rapid.IntRange(0, 9)
	t.Repeat(map[string]func(*rapid.T){
		"add": func(t *rapid.T) {
			id := id.Draw(t, "id")
			if got, want := p.Add(id), q.add(id); got != want {
				t.Fatalf("Add(%d) = %v, want %v", id, got, want)
			}
		},
		"remove": func(t *rapid.T) {
			id := id.Draw(t, "id")
			if got, want := p.Remove(id), q.remove(id); got != want {
				t.Fatalf("Remove(%d) = %v, want %v", id, got, want)
			}
		},
		"rate": func(t *rapid.T) {
			interval := rapid.SampledFrom(intervals).Draw(t, "interval")
			p.SetRate(second(now), rate(interval))
			q.setInterval(now, interval)
		},
		"clock": func(t *rapid.T) {
			now += rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(-20, 120)).Draw(t, "seconds")
		},
		"take": func(t *rapid.T) {
			id, ok := p.Take(second(now))
			want, wanted := q.take(now)
			if id != want || ok != wanted {
				t.Fatalf("Take(%d s) = %d, %v, want %d, %v", now, id, ok, want, wanted)
			}
		},
		"": func(t *rapid.T) {
			if got := slices.Collect(p.All()); !slices.Equal(got, q.ids) || p.Len() != len(q.ids) {
				t.Fatalf("%v wait (%d), want %v", got, p.Len(), q.ids)
			}
			for id := range 10 {
				if p.Has(id) != slices.Contains(q.ids, id) {
					t.Fatalf("Has(%d) = %v", id, p.Has(id))
				}
			}
			at, ok := p.Next(second(now))
			if wanted := len(q.ids) > 0 && q.interval > 0; ok != wanted {
				t.Fatalf("Next = %v, %v, want %v", at, ok, wanted)
			}
			if !ok {
				return
			}
			// Then, and not a second before.
			s := int(at.Sub(noon) / time.Second)
			if at != second(s) || !q.token(s) || s < now || s > now && q.token(s-1) {
				t.Fatalf("Next(%d s) = %d s", now, s)
			}
		},
	})
}

func TestT6_pacer(t *testing.T) { rapid.Check(t, pacerProperty) }
