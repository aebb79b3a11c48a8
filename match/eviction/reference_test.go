package eviction_test

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }

// allOptions returns every Choice, with one start and with one for each taint, for a pod
// that arrived then and for one of which this is not known.
func allOptions(arrived time.Time) (all []eviction.Options) {
	for c := range toleration.ForeverElseShortest + 1 {
		for _, own := range []bool{false, true} {
			all = append(all, eviction.Options{Choice: c, PerTaint: own}, eviction.Options{Choice: c, PerTaint: own, Arrived: arrived})
		}
	}
	return all
}

// A verdict has the fields of a Decision.
type verdict struct {
	kind     eviction.DecisionKind
	deadline time.Time // zero for Never
	taint    int       // -1 for none
	by       int       // -1 for none
}

const nobody = -1

func spell(d eviction.Decision) verdict {
	v := verdict{kind: d.Kind(), taint: -1, by: nobody}
	v.deadline, _ = d.Deadline()
	if i, ok := d.Taint(); ok {
		v.taint = i
	}
	if by, ok := d.Toleration(); ok {
		v.by = by
	}
	return v
}

// A claim is the deadline of one taint.
type claim struct {
	verdict
	start time.Time
}

// decide is a second implementation of Decide, from the rules alone: it evaluates every
// taint separately, and its numbers have no bounds.
func decide(now time.Time, observed []eviction.Observed, p eviction.Options, tolerations toleration.List) verdict {
	var claims []claim
	for i, o := range observed {
		by, seconds := chosen(p.Choice, o.Taint, tolerations)
		if o.Taint.Effect() != taint.NoExecute || by != nobody && seconds == nil {
			continue
		}
		c := claim{verdict{kind: eviction.At, taint: i, by: by}, startOf(o, p)}
		ok := true
		switch {
		case by != nobody && *seconds > 0:
			c.deadline, ok = plus(c.start, *seconds)
		default:
			c.deadline = notAfter(c.start, now)
		}
		if c.start.IsZero() { // unknown
			c.deadline = now.UTC().Round(0)
			if by != nobody {
				_, ok = plus(now, *seconds)
			}
		}
		if ok {
			claims = append(claims, c)
		}
	}
	if !p.PerTaint {
		claims = seenFirst(claims)
	}
	slices.SortStableFunc(claims, func(c, d claim) int {
		if order := c.deadline.Compare(d.deadline); order != 0 || (c.by == nobody) == (d.by == nobody) {
			return order
		} else if c.by == nobody {
			return -1
		}
		return 1
	})
	if len(claims) == 0 {
		return verdict{taint: -1, by: nobody}
	}
	least := claims[0].verdict
	if !least.deadline.After(now) {
		least.kind = eviction.Due
	}
	return least
}

// seenFirst returns the claims that count in Kubernetes: those of untolerated taints, and
// those of the earliest start.
func seenFirst(claims []claim) (count []claim) {
	for _, c := range claims {
		later := slices.ContainsFunc(claims, func(d claim) bool { return d.by != nobody && d.start.Before(c.start) })
		if c.by == nobody || !later {
			count = append(count, c)
		}
	}
	return count
}

// startOf returns the zero time if the start is unknown.
func startOf(o eviction.Observed, p eviction.Options) time.Time {
	times := []time.Time{o.Since, o.Taint.TimeAdded()}
	start := times[0]
	if start.IsZero() {
		start = times[1]
	}
	if !p.Arrived.IsZero() && start.Before(p.Arrived) {
		return p.Arrived
	}
	return start
}

func notAfter(t, now time.Time) time.Time {
	if t.After(now) {
		return now.UTC().Round(0)
	}
	return t.UTC().Round(0)
}

// plus adds seconds to a time of the year 1 or later. It returns false if no time.Time
// can represent the sum.
func plus(t time.Time, seconds int64) (time.Time, bool) {
	const epoch = 62135596800 // Unix time, in seconds from the year 1
	sum := new(big.Int).Add(big.NewInt(t.Unix()), big.NewInt(seconds))
	if sum.Cmp(big.NewInt(math.MaxInt64-epoch)) > 0 {
		return time.Time{}, false
	}
	return time.Unix(sum.Int64(), int64(t.Nanosecond())).UTC(), true
}

// chosen returns the toleration that decides, and its seconds.
func chosen(p toleration.Choice, t taint.Taint, tolerations toleration.List) (int, *int64) {
	by := reference.Deciding(p, t, tolerations)
	if by < 0 {
		return nobody, nil
	}
	n, limited := tolerations[by].Seconds()
	if n = max(n, 0); !limited {
		return by, nil
	}
	return by, &n
}

// check compares Decide with the reference.
func check(t rapid.TB, now time.Time, observed []eviction.Observed, p eviction.Options, tolerations toleration.List) eviction.Decision {
	t.Helper()
	d := eviction.Decide(observed, now, p, tolerations)
	if got, want := spell(d), decide(now, observed, p, tolerations); got != want {
		t.Errorf("Decide(%v, %v, %v, %v) =\n%+v, want\n%+v", now, observed, p, tolerations, got, want)
	}
	return d
}

// seen draws when each taint of the list was observed, near the given time.
func seen(t *rapid.T, taints taint.List, about time.Time) (all []eviction.Observed) {
	for _, one := range taints {
		all = append(all, eviction.Observed{Taint: one, Since: moment(about).Draw(t, "since")})
	}
	return all
}

// moment makes times. Most differ from the given one by seconds that tolerations have;
// some are far away or zero.
func moment(about time.Time) *rapid.Generator[time.Time] {
	near := rapid.Custom(func(t *rapid.T) time.Time {
		d := rapid.SampledFrom([]time.Duration{0, 1, -1, time.Second, 30 * time.Second, 300 * time.Second, time.Hour, 24 * time.Hour}).Draw(t, "before")
		return about.Add(-d).In(rapid.SampledFrom([]*time.Location{time.UTC, time.FixedZone("", 3600)}).Draw(t, "zone"))
	})
	far := rapid.SampledFrom([]time.Time{{}, time.Time{}.Add(-time.Hour), about.Add(time.Minute), last, last.Add(-time.Nanosecond), last.Add(-time.Hour), time.Unix(1<<62, 5)})
	return rapid.OneOf(near, near, near, gen.Time(), far)
}

// last is the last time that a time.Time can represent.
var last = time.Unix(math.MaxInt64-62135596800, 999_999_999)

// observe parses taints, each "key=value:Effect@seconds": observed this many seconds
// after noon.
func observe(tb testing.TB, texts ...string) (all []eviction.Observed) {
	tb.Helper()
	for _, text := range texts {
		name, at, known := strings.Cut(text, " @")
		o := eviction.Observed{Taint: taint.MustParse(name)}
		if seconds, err := strconv.Atoi(at); known {
			if err != nil {
				tb.Fatalf("%q: %v", text, err)
			}
			o.Since = after(seconds)
		}
		all = append(all, o)
	}
	return all
}

// after returns the time this many seconds after noon.
func after(n int) time.Time { return noon.Add(time.Duration(n) * time.Second) }
