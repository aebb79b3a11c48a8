// Package when has the arithmetic of deadlines, and the representation of
// eviction.Decision, which packages eviction and device make.
package when

import (
	"time"

	"github.com/go-tolerate/tolerate/match/internal/stamp"
)

// An Instant is a time on the wall clock, without location and monotonic
// reading. Instants are equal exactly if they are ==. The zero Instant is the zero time.
type Instant struct {
	// sec counts from the year 1, as time.Time does, so that it overflows where
	// a time.Time does.
	sec  int64
	nsec int32
}

const unixEpoch = 62_135_596_800 // seconds from the year 1 to 1970

// First is before every other Instant.
var First = Instant{sec: -1 << 63}

// Of is exact for every time: the addition undoes an overflow of Unix.
func Of(t time.Time) Instant { return Instant{t.Unix() + unixEpoch, int32(t.Nanosecond())} }

// Time returns the time in UTC.
func (i Instant) Time() time.Time { return time.Unix(i.sec-unixEpoch, int64(i.nsec)).UTC() }

func (i Instant) String() string { return stamp.Time(i.Time()).String() }

// Before reports whether i is before j.
func (i Instant) Before(j Instant) bool {
	return i.sec < j.sec || i.sec == j.sec && i.nsec < j.nsec
}

// Add returns the instant n seconds later, and false if no time.Time holds it. Fewer
// than 0 seconds are 0.
func (i Instant) Add(n int64) (Instant, bool) {
	n = max(n, 0)
	i.sec += n
	return i, i.sec >= i.sec-n
}

// The constants of eviction.DecisionKind, in its order.
const (
	Never = iota
	Due
	At
)

// A Decision is eviction.Decision.
type Decision struct{ f Fields }

// Fields are the content of a [Decision]. The compiler keeps up to four fields in
// registers: BenchmarkEvictionDecide.
type Fields struct {
	Deadline Instant
	Kind     uint8
	Taint    uint32 // index + 1; 0 if no taint decides
	By       uint32 // index + 1; 0 if no toleration decides
}

// Decision returns the decision with its kind at that time.
func (f Fields) Decision(now Instant) Decision {
	if f.Kind != Never {
		f.Kind = Due
		if now.Before(f.Deadline) {
			f.Kind = At
		}
	}
	return Decision{f}
}

// Fields returns the content of d.
func (d Decision) Fields() Fields { return d.f }
