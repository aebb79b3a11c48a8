package main

import "github.com/go-tolerate/tolerate/taint/disruption"

// stats are what is counted during the day.
type stats struct {
	evictions int
	by        map[string]int // the same, by taint
	refused   int
	zones     map[disruption.Zone]*zoneStats
}

type zoneStats struct {
	nodes   int
	tainted int // nodes that got their first NoExecute taint at the zone's rate
	state   disruption.ZoneState
	since   clock
	spent   [3]clock // in each state
}

func (s *stats) zone(z disruption.Zone) *zoneStats {
	if s.zones[z] == nil {
		s.zones[z] = &zoneStats{}
	}
	return s.zones[z]
}

func (z *zoneStats) become(state disruption.ZoneState, now clock) {
	z.spent[z.state] += now - z.since
	z.state, z.since = state, now
}

func (s *stats) close(now clock) {
	for _, z := range s.zones {
		z.become(z.state, now)
	}
}
