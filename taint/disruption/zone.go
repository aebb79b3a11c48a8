package disruption

import (
	"cmp"

	"github.com/go-tolerate/tolerate/internal/enum"
)

// The labels of a node for its zone, and those that they replaced in 1.17. Kubernetes
// prefers the older ones.
const (
	labelRegion     = "topology.kubernetes.io/region"
	labelZone       = "topology.kubernetes.io/zone"
	labelRegionBeta = "failure-domain.beta.kubernetes.io/region"
	labelZoneBeta   = "failure-domain.beta.kubernetes.io/zone"
)

// A Zone identifies nodes that fail together.
type Zone struct {
	Region string `json:"region"`
	Name   string `json:"name"`
}

// ZoneOf returns the zone of a node with these labels: topology.kubernetes.io/region and
// /zone. As in Kubernetes, failure-domain.beta.kubernetes.io/region and /zone take
// precedence, even if empty.
func ZoneOf(labels map[string]string) Zone {
	return Zone{Region: either(labels, labelRegionBeta, labelRegion), Name: either(labels, labelZoneBeta, labelZone)}
}

func either(labels map[string]string, first, second string) string {
	if s, ok := labels[first]; ok {
		return s
	}
	return labels[second]
}

// String returns region/name, or one of them.
func (z Zone) String() string {
	if z.Region == "" || z.Name == "" {
		return z.Region + z.Name
	}
	return z.Region + "/" + z.Name
}

// compare compares by region, then by name.
func (z Zone) compare(y Zone) int {
	return cmp.Or(cmp.Compare(z.Region, y.Region), cmp.Compare(z.Name, y.Name))
}

// A Count counts the nodes of a zone whose first Ready condition is True, and the others. A
// node with the label node.kubernetes.io/exclude-disruption does not count.
type Count struct {
	Ready    int `json:"ready"`
	NotReady int `json:"notReady"`
}

// nodes returns the number of nodes, which can be more than an int holds.
func (c Count) nodes() uint64 { return uint64(max(c.Ready, 0)) + uint64(max(c.NotReady, 0)) }

// A ZoneState is how much of a zone has failed.
type ZoneState uint8

const (
	Normal ZoneState = iota
	PartialDisruption
	FullDisruption
)

var stateNames = []string{"Normal", "PartialDisruption", "FullDisruption"}

func (s ZoneState) String() string { return enum.String(s, "disruption.ZoneState", stateNames) }

func (s ZoneState) MarshalText() ([]byte, error) {
	return enum.AppendText(nil, s, "disruption.ZoneState", stateNames)
}

// Rates are settings of kube-controller-manager. The zero Rates taint no node.
type Rates struct {
	// Usual is the usual rate, in nodes per second (--node-eviction-rate).
	Usual float64
	// Reduced is that of a large zone in partial disruption
	// (--secondary-node-eviction-rate).
	Reduced float64
	// LargeZone is the size that a large zone exceeds (--large-cluster-size-threshold).
	LargeZone int
	// Unhealthy is the share, from 0 to 1, of partial disruption
	// (--unhealthy-zone-threshold).
	Unhealthy float64
}

// DefaultRates returns Kubernetes' defaults: 0.1 and 0.01 nodes per second, 50 and 0.55.
func DefaultRates() Rates {
	return Rates{Usual: 0.1, Reduced: 0.01, LargeZone: 50, Unhealthy: 0.55}
}

// State returns the state of a zone with these nodes, and its rate in nodes per second.
func (r Rates) State(c Count) (state ZoneState, rate float64) {
	ready, notReady := max(c.Ready, 0), max(c.NotReady, 0)
	share := float32(notReady) / float32(c.nodes()) // as in Kubernetes
	switch {
	case ready == 0 && notReady > 0:
		return FullDisruption, positive(r.Usual)
	case notReady > 2 && share >= float32(r.Unhealthy):
		if r.LargeZone < 0 || c.nodes() > uint64(r.LargeZone) {
			return PartialDisruption, positive(r.Reduced)
		}
		return PartialDisruption, 0
	}
	return Normal, positive(r.Usual)
}

// positive returns the rate, or 0 if it is negative or a NaN.
func positive(rate float64) float64 {
	if rate > 0 {
		return rate
	}
	return 0
}
