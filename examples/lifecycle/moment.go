package main

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// A moment is a time of the simulation that may be further away than a clock can
// hold, 292 years: seconds have no limit.
type moment struct {
	seconds int64
	nanos   int64 // 0 to 999,999,999; none when negative
}

var noMoment = moment{nanos: -1}

func (sim *simulation) moment(t time.Time) moment {
	m := moment{t.Unix() - sim.begin.Unix(), int64(t.Nanosecond() - sim.begin.Nanosecond())}
	if m.nanos < 0 {
		m.seconds, m.nanos = m.seconds-1, m.nanos+1e9
	}
	return m
}

func (c clock) moment() moment {
	m := moment{int64(time.Duration(c) / time.Second), int64(time.Duration(c) % time.Second)}
	if m.nanos < 0 {
		m.seconds, m.nanos = m.seconds-1, m.nanos+1e9
	}
	return m
}

// clock is the moment as a clock, false when that cannot hold it.
func (m moment) clock() (clock, bool) {
	const most = math.MaxInt64/int64(time.Second) - 1
	if m.seconds > most || m.seconds < -most {
		return 0, false
	}
	return clock(m.seconds*int64(time.Second) + m.nanos), true
}

// String is the moment as a clock shows it; far away it is in whole seconds.
func (m moment) String() string {
	if c, ok := m.clock(); ok {
		return c.String()
	}
	s, sign := m.seconds, ""
	if s < 0 {
		s, sign = -s, "-"
	}
	return sign + fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// MarshalJSON writes seconds, exactly where a clock can hold them, and whole ones
// elsewhere.
func (m moment) MarshalJSON() ([]byte, error) {
	if c, ok := m.clock(); ok {
		return c.MarshalJSON()
	}
	return strconv.AppendInt(nil, m.seconds, 10), nil
}
