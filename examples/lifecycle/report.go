package main

import (
	"encoding/json"
	"io"
	"maps"
	"slices"

	"github.com/go-tolerate/tolerate/taint/disruption"
)

// A report is the result of a day. The manual describes the fields.
type report struct {
	Timeline []entry       `json:"timeline"`
	Pods     []podReport   `json:"pods"`
	Zones    []zoneReport  `json:"zones"`
	Taints   []taintReport `json:"taints"`
	Summary  summary       `json:"summary"`
}

type podReport struct {
	Name      string       `json:"name"`
	Kind      kind         `json:"kind"`
	Phase     phase        `json:"phase"`
	Node      string       `json:"node,omitempty"`
	Stays     []stayReport `json:"stays"`
	Evictions int          `json:"evictions"`
	Cancelled int          `json:"cancelled"`
	Downs     int          `json:"downs"`
	Down      clock        `json:"down"`
	Longest   clock        `json:"longest"`
}

type stayReport struct {
	Node  string `json:"node"`
	From  clock  `json:"from"`
	Until *clock `json:"until,omitempty"`
	Taint string `json:"evictedBy,omitempty"`
}

type zoneReport struct {
	Name    string `json:"name"`
	Nodes   int    `json:"nodes"`
	Partial clock  `json:"partial"`
	Full    clock  `json:"full"`
	Tainted int    `json:"tainted"`
}

type taintReport struct {
	Taint     string `json:"taint"`
	Evictions int    `json:"evictions"`
}

type summary struct {
	Seed        uint64 `json:"seed"`
	End         clock  `json:"end"`
	Nodes       int    `json:"nodes"`
	Pods        int    `json:"pods"`
	Failures    int    `json:"failures"`
	FailedNodes int    `json:"failedNodes"`
	Evictions   int    `json:"evictions"`
	Cancelled   int    `json:"cancelled"`
	Moved       int    `json:"moved"`
	Refused     int    `json:"refusedEdits"`
	Waiting     int    `json:"waiting"`
	Gone        int    `json:"gone"`
	Down        int    `json:"podsDown"`
	DownTime    clock  `json:"downTime"`
	Longest     clock  `json:"longest"`
}

func (sim *simulation) report() *report {
	r := &report{Timeline: sim.timeline, Pods: []podReport{}, Zones: []zoneReport{}, Taints: []taintReport{}}
	if r.Timeline == nil {
		r.Timeline = []entry{}
	}
	s := &r.Summary
	*s = summary{Seed: sim.seed, End: sim.end, Nodes: len(sim.nodes), Pods: len(sim.pods), Evictions: sim.stats.evictions, Refused: sim.stats.refused}
	for _, n := range sim.nodes {
		s.Failures += n.failures
		if n.failures > 0 {
			s.FailedNodes++
		}
	}
	for _, p := range sim.pods {
		one := podReport{Name: p.name, Kind: p.kind, Phase: p.phase, Stays: []stayReport{}, Evictions: p.evictions, Cancelled: p.cancelled, Downs: p.downs, Down: p.down, Longest: p.longest}
		if p.node >= 0 {
			one.Node = sim.nodes[p.node].name
		}
		for _, at := range p.path {
			s := stayReport{Node: sim.nodes[at.node].name, From: at.from, Taint: at.taint}
			if at.until != up {
				s.Until = &at.until
			}
			one.Stays = append(one.Stays, s)
		}
		r.Pods = append(r.Pods, one)
		s.Cancelled += p.cancelled
		s.DownTime += p.down
		s.Longest = max(s.Longest, p.longest)
		if p.down > 0 {
			s.Down++
		}
		if len(p.path) > 1 {
			s.Moved++
		}
		switch p.phase {
		case waiting:
			s.Waiting++
		case gone:
			s.Gone++
		}
	}
	for _, zone := range slices.SortedFunc(maps.Keys(sim.stats.zones), disruption.Zone.Compare) {
		z := sim.stats.zones[zone]
		r.Zones = append(r.Zones, zoneReport{zone.String(), z.nodes, z.spent[disruption.PartialDisruption], z.spent[disruption.FullDisruption], z.tainted})
	}
	for _, text := range slices.Sorted(maps.Keys(sim.stats.by)) {
		r.Taints = append(r.Taints, taintReport{text, sim.stats.by[text]})
	}
	return r
}

func writeJSON(w io.Writer, r *report) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
