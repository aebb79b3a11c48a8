//go:build !race

package disruption_test

import (
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/measure"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// These variables keep the results, so that the compiler does not remove the calls.
var (
	sinkBool  bool
	sinkZone  disruption.Zone
	sinkState disruption.ZoneState
	sinkRate  float64
	sinkInt   int
	sinkTime  time.Time
)

// The counts are the documented ones. The test must not run in parallel with other
// tests.
func TestAllocs(t *testing.T) {
	var (
		labels  = map[string]string{"topology.kubernetes.io/region": "eu", "topology.kubernetes.io/zone": "eu-a"}
		rates   = disruption.DefaultRates()
		count   = disruption.Count{Ready: 9, NotReady: 11}
		a, b    = zone{Name: "a"}, zone{Name: "b"}
		cluster = disruption.NewLimiter[int](disruption.Rates{Usual: 1e9, Unhealthy: 0.55})
		states  = []counts{{a: {Ready: 5}, b: {Ready: 5}}, {a: {Ready: 6}, b: {Ready: 5}}}
		now     = noon
		i       int
	)
	cluster.Update(noon, states[0])
	for id := range 1000 {
		cluster.Add(a, id)
	}
	measure.Allocs(t, "ZoneOf", 0, func() { sinkZone = disruption.ZoneOf(labels) })
	measure.Allocs(t, "Rates.State", 0, func() { sinkState, sinkRate = rates.State(count) })
	measure.Allocs(t, "Cluster", 0, func() {
		i++
		now = now.Add(time.Second)
		sinkBool, _ = cluster.Update(now, states[i%2])
		sinkTime, _ = cluster.Next(now)
		for id, zone := range cluster.Take(now) {
			sinkInt, sinkZone = id, zone
		}
		sinkState, sinkRate, sinkBool = cluster.State(b)
	})
}
