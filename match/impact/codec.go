package impact

import (
	"encoding/json"
	"fmt"

	"github.com/go-tolerate/tolerate/internal/enum"
	"github.com/go-tolerate/tolerate/match/eviction"
)

// MarshalText returns the name. Unknown numbers are errors.
func (k PlacementKind) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, k, "impact.PlacementKind", placementNames[:])
}

// String returns text for people, which may change.
func (e Eviction) String() string {
	if e.Kind == eviction.Unchanged {
		return "unchanged, " + e.After.String()
	}
	return e.After.String() + ", was " + e.Before.String()
}

// String returns text, which may change.
func (p Placement) String() string {
	nodes := "nodes"
	if p.Before == 1 {
		nodes = "node"
	}
	text := fmt.Sprintf("%v, %d %s before, %d after", p.Kind(), p.Before, nodes, p.After)
	if p.Gained > 0 {
		text += fmt.Sprintf(", %d gained (first: node %d)", p.Gained, p.FirstGained)
	}
	if p.Lost > 0 {
		text += fmt.Sprintf(", %d lost (first: node %d)", p.Lost, p.FirstLost)
	}
	switch {
	case p.Repelled > 0:
		text += fmt.Sprintf(", %d more untolerated PreferNoSchedule", p.Repelled)
	case p.Repelled < 0:
		text += fmt.Sprintf(", %d fewer untolerated PreferNoSchedule", -p.Repelled)
	}
	return text
}

// MarshalJSON returns an object with the fields kind, before and after, and,
// unless zero, gained with firstGained, lost with firstLost, and repelled.
// Fields may be added.
func (p Placement) MarshalJSON() ([]byte, error) {
	fields := struct {
		Kind        PlacementKind `json:"kind"`
		Before      int           `json:"before"`
		After       int           `json:"after"`
		Gained      int           `json:"gained,omitempty"`
		FirstGained *int          `json:"firstGained,omitempty"`
		Lost        int           `json:"lost,omitempty"`
		FirstLost   *int          `json:"firstLost,omitempty"`
		Repelled    int           `json:"repelled,omitempty"`
	}{Kind: p.Kind(), Before: p.Before, After: p.After, Gained: p.Gained, Lost: p.Lost, Repelled: p.Repelled}
	if p.Gained != 0 {
		fields.FirstGained = &p.FirstGained
	}
	if p.Lost != 0 {
		fields.FirstLost = &p.FirstLost
	}
	return json.Marshal(fields)
}
