package eviction

import (
	"time"

	"github.com/go-tolerate/tolerate/match/internal/stamp"
)

// An instant is a time on the wall clock, without location and monotonic reading.
// Instants are equal exactly if they are ==. The zero instant is the zero time.
type instant struct {
	// sec counts from the year 1, as time.Time does, so that it overflows where
	// a time.Time does.
	sec  int64
	nsec int32
}

const unixEpoch = 62_135_596_800 // seconds from the year 1 to 1970

// earliest is before every other instant.
var earliest = instant{sec: -1 << 63}

// instantOf is exact for every time: the addition undoes an overflow of Unix.
func instantOf(t time.Time) instant { return instant{t.Unix() + unixEpoch, int32(t.Nanosecond())} }

// time returns the time in UTC.
func (i instant) time() time.Time { return time.Unix(i.sec-unixEpoch, int64(i.nsec)).UTC() }

func (i instant) String() string { return stamp.Time(i.time()).String() }

// before reports whether i is before j.
func (i instant) before(j instant) bool {
	return i.sec < j.sec || i.sec == j.sec && i.nsec < j.nsec
}

// add returns the instant n seconds later, and false if no time.Time holds it. Fewer
// than 0 seconds are 0.
func (i instant) add(n int64) (instant, bool) {
	n = max(n, 0)
	i.sec += n
	return i, i.sec >= i.sec-n
}
