package disruption

import (
	"encoding/json"
	"math"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/enum"
)

var stateNames = []string{"Normal", "PartialDisruption", "FullDisruption"}

// String returns the name of the constant.
func (s ZoneState) String() string { return enum.String(s, "disruption.ZoneState", stateNames) }

// AppendText appends the name of the constant to b. Unknown numbers
// are errors.
func (s ZoneState) AppendText(b []byte) ([]byte, error) {
	return enum.AppendText(b, s, "disruption.ZoneState", stateNames)
}

// MarshalText returns what AppendText appends.
func (s ZoneState) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets s to the constant with that name. On error s is unchanged.
func (s *ZoneState) UnmarshalText(text []byte) error {
	return enum.UnmarshalText(s, text, "disruption.ZoneState", stateNames)
}

// String returns region/name, or the one that is not empty. The text may change.
func (z Zone) String() string {
	if z.Region == "" || z.Name == "" {
		return z.Region + z.Name
	}
	return z.Region + "/" + z.Name
}

// String returns text such as "3 of 5 nodes ready". The text may change.
func (c Count) String() string {
	return strconv.Itoa(max(c.Ready, 0)) + " of " + strconv.Itoa(c.nodes()) + " nodes ready"
}

// String describes the status. The text may change.
func (s ZoneStatus) String() string { return "zone " + strconv.Quote(s.Zone.String()) + " " + s.text() }

// text describes the status without the zone's name.
func (s ZoneStatus) text() string {
	if s == (ZoneStatus{Zone: s.Zone}) {
		return "without nodes"
	}
	return "in " + s.State.String() + ": " + s.Count.String() + ", " + strconv.Itoa(s.Waiting) +
		" waiting at " + formatRate(s.Rate) + "/s"
}

func formatRate(rate float64) string { return strconv.FormatFloat(rate, 'g', -1, 64) }

// MarshalJSON returns an object with the fields zone, count, state, rate and
// waiting. An infinite rate is the string "+Inf".
func (s ZoneStatus) MarshalJSON() ([]byte, error) {
	var rate any = s.Rate
	if math.IsInf(s.Rate, 0) || math.IsNaN(s.Rate) { // not JSON numbers
		rate = formatRate(s.Rate)
	}
	return json.Marshal(struct {
		Zone    Zone      `json:"zone"`
		Count   Count     `json:"count"`
		State   ZoneState `json:"state"`
		Rate    any       `json:"rate"`
		Waiting int       `json:"waiting"`
	}{s.Zone, s.Count, s.State, rate, s.Waiting})
}

// String describes the change. The text may change.
func (c ZoneChange) String() string { return c.Before.String() + ", now " + c.After.text() }

// String describes the transition. The text may change.
func (t Transition) String() string {
	var b []byte
	add := func(text string) {
		if len(b) > 0 {
			b = append(b, "; "...)
		}
		b = append(b, text...)
	}
	if t.Entered {
		add("every zone is now in full disruption")
	}
	if t.Left {
		add("at least one zone is no longer in full disruption")
	}
	for _, c := range t.Changes {
		add(c.String())
	}
	if len(b) == 0 {
		return "no change"
	}
	return string(b)
}
