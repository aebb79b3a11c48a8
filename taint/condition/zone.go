package condition

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/validate"
)

// The labels of a node that say where it is, and whether it counts.
const (
	LabelRegion = "topology.kubernetes.io/region"
	LabelZone   = "topology.kubernetes.io/zone"
	// LabelRegionBeta and LabelZoneBeta are what the two were called up to
	// 1.16. Where a node still has one, Kubernetes goes by it.
	LabelRegionBeta = "failure-domain.beta.kubernetes.io/region"
	LabelZoneBeta   = "failure-domain.beta.kubernetes.io/zone"
	// LabelExcludeDisruption, whatever its value, says that a node does not
	// count for its zone's state (since 1.16, on by default since 1.19).
	LabelExcludeDisruption = "node.kubernetes.io/exclude-disruption"
)

// A Zone is where nodes fail together. The zero Zone is a zone too: that of the
// nodes whose labels say nothing. It may be compared with == and used as a map
// key.
type Zone struct {
	Region, Name string
}

// ZoneOf returns the zone that a node's labels tell. As for Kubernetes, an old
// label that is there, even an empty one, comes before the new one. It does not
// allocate.
func ZoneOf(labels map[string]string) Zone {
	return Zone{Region: either(labels, LabelRegionBeta, LabelRegion), Name: either(labels, LabelZoneBeta, LabelZone)}
}

func either(labels map[string]string, first, second string) string {
	if s, ok := labels[first]; ok {
		return s
	}
	return labels[second]
}

// Excluded reports whether a node with these labels does not count for its
// zone's state. It still bears the zone's taints, at the zone's rate. It does
// not allocate.
func Excluded(labels map[string]string) bool {
	_, ok := labels[LabelExcludeDisruption]
	return ok
}

// Compare returns -1, 0 or +1 by the order of regions, then names.
func (z Zone) Compare(y Zone) int {
	return cmp.Or(cmp.Compare(z.Region, y.Region), cmp.Compare(z.Name, y.Name))
}

// String returns the zone as region/name, only the one that is there if there
// is one, and "" for the zero Zone. The text may change.
func (z Zone) String() string {
	if z.Region == "" || z.Name == "" {
		return z.Region + z.Name
	}
	return z.Region + "/" + z.Name
}

// A Count says how many of a zone's nodes are ready and how many are not. A
// negative number counts as 0.
type Count struct {
	Ready, NotReady int
}

// With returns the count with one node more, which has these conditions: it is
// ready when [IsReady] says so. It does not allocate.
//
//	if !condition.Excluded(labels) {
//		counts[zone] = counts[zone].With(conditions)
//	}
func (c Count) With(conditions []Condition) Count {
	if IsReady(conditions) {
		c.Ready++
	} else {
		c.NotReady++
	}
	return c
}

// Nodes returns how many nodes there are, or the greatest int if they are more.
func (c Count) Nodes() int {
	ready, notReady := max(c.Ready, 0), max(c.NotReady, 0)
	if ready > math.MaxInt-notReady {
		return math.MaxInt
	}
	return ready + notReady
}

// A ZoneState says how much of a zone is lost. As text it is its name.
type ZoneState uint8

const (
	// Normal is a zone in which enough nodes are ready, or that has none.
	Normal ZoneState = iota
	// PartialDisruption is a zone in which too many are not.
	PartialDisruption
	// FullDisruption is a zone in which none is.
	FullDisruption
)

var stateNames = []string{"Normal", "PartialDisruption", "FullDisruption"}

// String returns the state's name.
func (s ZoneState) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "ZoneState(" + strconv.Itoa(int(s)) + ")"
}

// AppendText appends the state's name to b. It fails on a number that is no
// state, and returns b unchanged.
func (s ZoneState) AppendText(b []byte) ([]byte, error) {
	if int(s) < len(stateNames) {
		return append(b, stateNames[s]...), nil
	}
	const caller = "condition.ZoneState.AppendText"
	return b, validate.Problems{{Func: caller, Value: s.String(), Rule: validate.Syntax, Allowed: stateNames}}
}

// MarshalText returns the state's name, and fails as AppendText does.
func (s ZoneState) MarshalText() ([]byte, error) { return s.AppendText(nil) }

// UnmarshalText sets s to the state of that name. On an error s is unchanged.
func (s *ZoneState) UnmarshalText(text []byte) error {
	i := slices.Index(stateNames, string(text))
	if i < 0 {
		const caller = "condition.ZoneState.UnmarshalText"
		return validate.Problems{{Func: caller, Input: string(text), Value: string(text), Rule: validate.Syntax, Allowed: stateNames}}
	}
	*s = ZoneState(i)
	return nil
}

// Rates are the four numbers by which zones are judged and nodes are given
// their first NoExecute taint. [DefaultRates] has the usual ones. The zero
// Rates let no node have one.
//
// Shares are compared as float32, as Kubernetes does: with a threshold of 0.55,
// 11 of 20 nodes are enough, as they should be, and so for every number of nodes
// below a million. Far above it a node less may be enough, there as here.
type Rates struct {
	// Usual is how many nodes of a zone are tainted in a second, when it is
	// normal or in full disruption; kube-controller-manager's
	// --node-eviction-rate.
	Usual float64
	// Reduced is how many in a large zone in partial disruption;
	// --secondary-node-eviction-rate.
	Reduced float64
	// LargeZone is the number of nodes that a large zone has more of. In any
	// other, a partial disruption stops tainting;
	// --large-cluster-size-threshold.
	LargeZone int
	// Unhealthy is the share of nodes that are not ready from which on a zone
	// is in partial disruption; --unhealthy-zone-threshold.
	Unhealthy float64
}

// DefaultRates returns Kubernetes' defaults: 0.1 and 0.01 nodes a second, 50
// nodes and a share of 0.55.
func DefaultRates() Rates {
	return Rates{Usual: 0.1, Reduced: 0.01, LargeZone: 50, Unhealthy: 0.55}
}

// State returns the state of a zone with these nodes: in full disruption when
// none is ready and at least one is not, in partial disruption when more than
// two are not and their share is at least r.Unhealthy, else normal. It does not
// allocate.
func (r Rates) State(c Count) ZoneState {
	ready, notReady := max(c.Ready, 0), max(c.NotReady, 0)
	all := uint64(ready) + uint64(notReady)
	switch {
	case ready == 0 && notReady > 0:
		return FullDisruption
	case notReady > 2 && float32(notReady)/float32(all) >= float32(r.Unhealthy):
		return PartialDisruption
	}
	return Normal
}

// Rate returns how many nodes in a second get a NoExecute taint in a zone in
// that state with that many nodes; unless every zone is in full disruption,
// which one zone cannot know and a [Cluster] does. It is never negative. It does
// not allocate.
func (r Rates) Rate(s ZoneState, nodes int) float64 {
	switch {
	case s != PartialDisruption:
		return normal(r.Usual)
	case nodes > r.LargeZone:
		return normal(r.Reduced)
	}
	return 0
}
