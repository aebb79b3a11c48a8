package disruption_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

func TestZoneState_contract(t *testing.T) {
	contract.Enum[disruption.ZoneState]{Names: map[disruption.ZoneState]string{
		disruption.Normal: "Normal", disruption.PartialDisruption: "PartialDisruption", disruption.FullDisruption: "FullDisruption",
	}}.Test(t)
}

func TestZoneStatus_contract(t *testing.T) {
	zone := disruption.Zone{Region: "r", Name: "a"}
	full := disruption.ZoneStatus{Zone: zone, Count: disruption.Count{NotReady: 3}, State: disruption.FullDisruption, Rate: 0.1, Waiting: 2}
	statuses := []disruption.ZoneStatus{
		{}, {Zone: zone}, full,
		{Zone: zone, Count: disruption.Count{Ready: 3}, Rate: 0.1},
		{Zone: zone, Count: disruption.Count{Ready: 3}, Rate: math.Inf(1)},
		{Zone: zone, Count: disruption.Count{Ready: 3}, Rate: 0.1, Waiting: 1},
	}
	contract.Result[disruption.ZoneStatus]{Samples: statuses}.Test(t)
	var changes []disruption.ZoneChange
	transitions := []disruption.Transition{{}, {Entered: true}, {Left: true}}
	for _, before := range statuses[1:] {
		for _, after := range statuses[1:] {
			c := disruption.ZoneChange{Before: before, After: after}
			changes = append(changes, c)
			transitions = append(transitions, disruption.Transition{Changes: changes[len(changes)-1:]},
				disruption.Transition{Entered: true, Changes: []disruption.ZoneChange{c, c}})
		}
	}
	contract.Result[disruption.ZoneChange]{Samples: changes}.Test(t)
	contract.Result[disruption.Transition]{Samples: transitions}.Test(t)
	contract.Result[disruption.Count]{Samples: []disruption.Count{{}, {Ready: 1}, {NotReady: 1}, {Ready: 1, NotReady: 1}}}.Test(t)
	// A user can read the text of a cluster's transition.
	c := disruption.NewLimiter[string](disruption.DefaultRates())
	got := c.Update(time.Unix(0, 0), map[disruption.Zone]disruption.Count{zone: {NotReady: 3}}).String()
	const want = `every zone is now in full disruption; zone "r/a" without nodes, now in FullDisruption: 0 of 3 nodes ready, 0 waiting at 0/s`
	if got != want {
		t.Errorf("String() = %s, want %s", got, want)
	}
}
