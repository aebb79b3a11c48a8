package pacer_test

import (
	"math"
	"runtime"
	"slices"
	"testing"
	"time"
	"weak"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/internal/pacer"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func second(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }

// takeAll calls Take in each second, until it returns none, and returns the
// second in which each item was released.
func takeAll(p *pacer.Pacer[int], from, to int) map[int]int {
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

func TestPacer(t *testing.T) {
	add := func(p *pacer.Pacer[int], ids ...int) {
		for _, id := range ids {
			p.Add(id)
		}
	}
	everyTen := make(map[int]int)
	for id := range 100 {
		everyTen[id] = 10 * id
	}
	for _, tt := range []struct {
		name string
		do   func(p *pacer.Pacer[int]) map[int]int
		want map[int]int
	}{
		{"T6_first_at_once_then_one_in_ten_seconds", func(p *pacer.Pacer[int]) map[int]int {
			for id := range 100 {
				p.Add(id)
			}
			got := takeAll(p, 0, 2000)
			if p.Len() != 0 {
				t.Errorf("%d still wait", p.Len())
			}
			return got
		}, everyTen},
		{"T6_idle_time_is_not_saved_up", func(p *pacer.Pacer[int]) map[int]int {
			takeAll(p, 0, 1000)
			add(p, 1, 2, 3)
			return takeAll(p, 1000, 1030)
		}, map[int]int{1: 1000, 2: 1010, 3: 1020}},
		{"T6_removed_item_is_not_released", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Remove(2)
			return takeAll(p, 0, 30)
		}, map[int]int{1: 0, 3: 10}},
		{"T6_added_again_is_last", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Remove(1)
			add(p, 1)
			return takeAll(p, 0, 30)
		}, map[int]int{2: 0, 3: 10, 1: 20}},
		{"T6_slower_rate_during_an_interval", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Take(second(0))
			p.SetRate(second(4), 0.01)
			return takeAll(p, 4, 300)
		}, map[int]int{2: 104, 3: 204}},
		{"T6_faster_rate_during_an_interval", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2, 3)
			p.Take(second(0))
			p.SetRate(second(4), 0.5)
			return takeAll(p, 4, 300)
		}, map[int]int{2: 6, 3: 8}},
		{"T6_other_rate_when_one_is_due", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(4), 0.01)
			return takeAll(p, 4, 300)
		}, map[int]int{1: 4, 2: 104}},
		{"T6_same_rate_changes_nothing", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.Take(second(0))
			p.SetRate(second(9), 0.1)
			return takeAll(p, 9, 30)
		}, map[int]int{2: 10}},
		{"T6_rate_0_stops", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 0)
			return takeAll(p, 0, 1000)
		}, map[int]int{}},
		{"T6_after_rate_0_a_full_interval", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 0)
			p.SetRate(second(1000), 0.1)
			return takeAll(p, 1000, 1030)
		}, map[int]int{1: 1010, 2: 1020}},
		{"T6_clock_set_back_releases_nothing_early", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.Take(second(100))
			return takeAll(p, 50, 120)
		}, map[int]int{2: 110}},
		{"T6_infinite", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), math.Inf(1))
			return takeAll(p, 0, 1)
		}, map[int]int{1: 0, 2: 0}},
		{"T6_smallest_rate", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), math.SmallestNonzeroFloat64)
			return takeAll(p, 0, 1000)
		}, map[int]int{1: 0}},
		{"T6_interval_longer_than_a_Duration", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1, 2)
			p.SetRate(second(0), 1e9/(1<<63))
			return takeAll(p, 0, 1000)
		}, map[int]int{1: 0}},
		{"T6_negative_and_NaN_are_0", func(p *pacer.Pacer[int]) map[int]int {
			add(p, 1)
			for _, r := range []float64{-1, math.Inf(-1), math.NaN()} {
				p.SetRate(second(0), 5)
				if p.SetRate(second(1), r); p.Rate() != 0 || pacer.New[int](r).Rate() != 0 {
					t.Errorf("the rate %v becomes %v", r, p.Rate())
				}
			}
			return takeAll(p, 0, 1000)
		}, map[int]int{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.do(pacer.New[int](0.1))
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

// The zero time and earlier times are not special.
func TestPacer_Next(t *testing.T) {
	t.Run("T6_any_epoch", testAnyEpoch)
	t.Run("T6_whole_seconds", testWholeSeconds)
}

func testAnyEpoch(t *testing.T) {
	for _, start := range []time.Time{{}, time.Time{}.Add(-10 * time.Second), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0)} {
		p := pacer.New[int](0.1)
		p.Add(1)
		p.Add(2)
		if _, ok := p.Take(start); !ok {
			t.Errorf("%v: the first has to wait", start)
		}
		for d, want := range map[time.Duration]bool{-time.Hour: false, 0: false, 10*time.Second - 1: false, 10 * time.Second: true} {
			at, ok := p.Next(start.Add(d))
			if due := start.Add(10 * time.Second); at != due || !ok || want != (at == start.Add(d)) {
				t.Errorf("%v: after %v the second is due at %v, %v; want %v", start, d, at, ok, due)
			}
		}
		p.SetRate(start, 0.2)
		if at, _ := p.Next(start); at != start.Add(5*time.Second) {
			t.Errorf("%v: at the other rate the second is due at %v", start, at)
		}
	}
}

// 1/rate is rounded to the nearest nanosecond, so whole seconds are exact.
func testWholeSeconds(t *testing.T) {
	for n := 1; n <= 1000; n++ {
		p := pacer.New[int](1 / float64(n))
		p.Add(1)
		p.Add(2)
		p.Take(noon)
		if at, _ := p.Next(noon); at != second(n) {
			t.Errorf("one in %d s: the next is due after %v", n, at.Sub(noon))
		}
	}
}

// An unused slot keeps no pointer to the item that it held.
func TestPacer_memory(t *testing.T) {
	p := pacer.New[*[64]int](1)
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
			t.Errorf("item %d is still reachable", i)
		}
	}
	if p.Len() != 1 || !p.Has(third) {
		t.Error("the item that waits is lost")
	}
}

func TestPacer_zero(t *testing.T) {
	var p pacer.Pacer[float64]
	if p.Rate() != 0 || p.Len() != 0 || p.Has(1) || p.Remove(1) {
		t.Error("the zero Pacer is not empty")
	}
	if _, ok := p.Take(noon); ok || !p.Add(1) || p.Add(1) {
		t.Error("the zero Pacer does not queue")
	}
	if _, ok := p.Take(noon); ok {
		t.Error("the zero Pacer releases an item")
	}
	if _, ok := p.Next(noon); ok || p.Add(math.NaN()) || p.Len() != 1 {
		t.Error("a NaN waits")
	}
	for range p.All() {
		break
	}
}

var intervals = []int{0, 0, 1, 3, 7, 10, 100}

func pacerProperty(t *rapid.T) {
	base := gen.Epoch().Draw(t, "base")
	second := func(n int) time.Time { return base.Add(time.Duration(n) * time.Second) }
	interval := rapid.SampledFrom(intervals).Draw(t, "interval")
	p := pacer.New[int](plain.Rate(interval))
	q := plain.Pacer{Interval: interval}
	now := 0
	const crowd = 100
	id := rapid.OneOf(rapid.IntRange(0, 9), rapid.IntRange(0, crowd-1))
	nothing := func(*rapid.T) {} // checked after every step
	t.Repeat(gen.Actions[pacer.Pacer[int]](t, map[string]func(*rapid.T){
		"All": nothing, "Has": nothing, "Idle": nothing, "Len": nothing, "Next": nothing, "Rate": nothing,
		"addMany": func(t *rapid.T) {
			for i := range rapid.IntRange(1, crowd).Draw(t, "n") {
				if got, want := p.Add(i), q.Add(i); got != want {
					t.Fatalf("Add(%d) = %v, want %v", i, got, want)
				}
			}
		},
		"removeMany": func(t *rapid.T) {
			for i := range rapid.IntRange(crowd/2, crowd).Draw(t, "n") {
				if got, want := p.Remove(i), q.Remove(i); got != want {
					t.Fatalf("Remove(%d) = %v, want %v", i, got, want)
				}
			}
		},
		"Add": func(t *rapid.T) {
			id := id.Draw(t, "id")
			if got, want := p.Add(id), q.Add(id); got != want {
				t.Fatalf("Add(%d) = %v, want %v", id, got, want)
			}
		},
		"Remove": func(t *rapid.T) {
			id := id.Draw(t, "id")
			if got, want := p.Remove(id), q.Remove(id); got != want {
				t.Fatalf("Remove(%d) = %v, want %v", id, got, want)
			}
		},
		"SetRate": func(t *rapid.T) {
			interval := rapid.SampledFrom(intervals).Draw(t, "interval")
			p.SetRate(second(now), plain.Rate(interval))
			q.SetInterval(now, interval)
		},
		"clock": func(t *rapid.T) {
			now += gen.Tick().Draw(t, "seconds")
		},
		"Take": func(t *rapid.T) {
			id, ok := p.Take(second(now))
			want, wanted := q.Take(now)
			if id != want || ok != wanted {
				t.Fatalf("Take(%d s) = %d, %v, want %d, %v", now, id, ok, want, wanted)
			}
		},
		"": func(t *rapid.T) {
			if got := slices.Collect(p.All()); !slices.Equal(got, q.IDs) || p.Len() != len(q.IDs) {
				t.Fatalf("%v wait (%d), want %v", got, p.Len(), q.IDs)
			}
			if want := plain.Rate(q.Interval); p.Rate() != want {
				t.Fatalf("Rate() = %v, want %v", p.Rate(), want)
			}
			for id := range crowd {
				if p.Has(id) != slices.Contains(q.IDs, id) {
					t.Fatalf("Has(%d) = %v", id, p.Has(id))
				}
			}
			if got, want := p.Idle(second(now)), len(q.IDs) == 0 && (!q.Empty || q.Token(now)); got != want {
				t.Fatalf("Idle(%d s) = %v, want %v", now, got, want)
			}
			at, ok := p.Next(second(now))
			if wanted := len(q.IDs) > 0 && q.Interval > 0; ok != wanted {
				t.Fatalf("Next = %v, %v, want %v", at, ok, wanted)
			}
			if !ok {
				return
			}
			// Then, and not a second before.
			s := int(at.Sub(base) / time.Second)
			if at != second(s) || !q.Token(s) || s < now || s > now && q.Token(s-1) {
				t.Fatalf("Next(%d s) = %d s", now, s)
			}
		},
	}))
}

func TestPacer_machine(t *testing.T) { rapid.Check(t, pacerProperty) }

// FuzzPacer searches for a sequence of operations after which the Pacer and its
// reference differ.
func FuzzPacer(f *testing.F) {
	gen.Fuzz(f, pacerProperty)
}

func TestPacer_copies(t *testing.T) {
	copies.Check(t, "pacer.Pacer", func(p *pacer.Pacer[int]) { p.Add(p.Len()) })
}
