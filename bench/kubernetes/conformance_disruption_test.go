package kubernetes_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// A zones is a disruption.Limiter. The mutation check replaces it.
type zones interface {
	Update(now time.Time, counts map[disruption.Zone]disruption.Count) (entered, left bool)
	State(zone disruption.Zone) (state disruption.ZoneState, rate float64, ok bool)
}

func newZones(r disruption.Rates) zones { return disruption.NewLimiter[string](r) }

// settings makes settings that allow small zones to reach every state.
func (g *gen) settings() (upstream.Rates, disruption.Rates) {
	theirs := upstream.Rates{Normal: g.Float32(), Partial: g.Float32(), Large: g.Int32N(8), Threshold: []float32{0.25, 0.5, 0.55, 0.6, 0.75, 1}[g.IntN(6)]}
	return theirs, disruption.Rates{Usual: float64(theirs.Normal), Reduced: float64(theirs.Partial), LargeZone: int(theirs.Large), Unhealthy: float64(theirs.Threshold)}
}

// excludeDisruption is a label for which Kubernetes exports no name.
const excludeDisruption = "node.kubernetes.io/exclude-disruption"

func zoneOf(i int) map[string]string {
	return map[string]string{corev1.LabelTopologyRegion: "r", corev1.LabelTopologyZone: fmt.Sprint(i)}
}

// fleet makes nodes in a few zones. Whole zones are added and removed, which makes a
// difference if all others are in full disruption (T6-zones). The size of a zone does
// not change (T6-size), and at least one of its nodes counts (T6-excluded).
func (g *gen) fleet() (nodes [][]*corev1.Node) {
	nodes = make([][]*corev1.Node, 1+g.IntN(3))
	for z := range nodes {
		for i := range []int{1, 2, 3, 4, 5, 8}[g.IntN(6)] {
			labels := zoneOf(z)
			if i > 0 && g.in(6) {
				labels[excludeDisruption] = ""
			}
			nodes[z] = append(nodes[z], named(fmt.Sprintf("%d-%d", z, i), labels))
		}
	}
	return nodes
}

// counts returns the counts of the zones.
func counts(nodes []*corev1.Node) map[disruption.Zone]disruption.Count {
	out := map[disruption.Zone]disruption.Count{}
	for _, node := range nodes {
		zone := disruption.ZoneOf(node.Labels)
		if _, excluded := node.Labels["node.kubernetes.io/exclude-disruption"]; !excluded {
			out[zone] = with(out[zone], ourConditions(node.Status.Conditions))
		}
	}
	return out
}

func sameZones(a, b map[disruption.Zone]disruption.Count) bool {
	return maps.EqualFunc(a, b, func(disruption.Count, disruption.Count) bool { return true })
}

// disrupts compares a history of a cluster's zones with the controller: the state and
// the rate of each zone after every pass, and which NoExecute taints are removed.
func disrupts(ours func(disruption.Rates) zones, entered, stopped *share) func(g *gen) (diff string) {
	return func(g *gen) (diff string) {
		ctx, cancel := context.WithCancel(context.Background())
		defer synctest.Wait()
		defer cancel()
		theirs, r := g.settings()
		n, c := upstream.NewNodes(ctx, theirs), ours(r)
		fleet := g.fleet()
		there := make([]bool, len(fleet))
		var before map[disruption.Zone]disruption.Count
		disrupted := false
		odds := 2 // sometimes all nodes of a zone fail
		for pass := range 2 + g.IntN(8) {
			time.Sleep(time.Second)
			if g.in(3) {
				odds = 1 + g.IntN(5)
			}
			var nodes, tainted []*corev1.Node
			for z, zone := range fleet {
				known := there[z]
				if !known || g.in(8) {
					there[z] = g.in(2) || pass == 0 && z == 0
				}
				if !there[z] {
					continue
				}
				all := g.in(3)
				for _, node := range zone {
					node = node.DeepCopy()
					node.Spec.Taints = nil
					node.Status.Conditions = ready("True")
					if all || g.in(odds) {
						node.Status.Conditions = ready(corev1.ConditionStatus(g.one("False", "False", "Unknown")))
						_, c := condition.Reconcile(condition.NodeStatus{Conditions: ourConditions(node.Status.Conditions)}, condition.Options{})
						if t, ok := c.Waiting(); ok && known && g.in(2) {
							node.Spec.Taints = []corev1.Taint{{Key: t.Key(), Effect: corev1.TaintEffectNoExecute}}
							tainted = append(tainted, node)
						}
						if g.in(8) && len(node.Spec.Taints) == 0 {
							node.Status.Conditions = nil // an unknown status is not ready either
						}
					}
					nodes = append(nodes, node)
				}
			}
			n.Set(nodes...)
			n.Monitor()
			seen := counts(nodes)
			was := disrupted
			enters, leaves := c.Update(time.Now(), seen)
			disrupted = enters || was && !leaves
			entered.count(enters)
			if pass > 0 && !sameZones(before, seen) && (was || disrupted) {
				return "" // T6-zones
			}
			for zone, count := range seen {
				label := named("", map[string]string{corev1.LabelTopologyRegion: zone.Region, corev1.LabelTopologyZone: zone.Name})
				theirState, theirRate := n.State(upstream.Zone(label)), n.Rate(upstream.Zone(label))
				state, rate, ok := c.State(zone)
				stopped.count(theirRate == 0)
				if !ok || state.String() != theirState || float32(rate) != theirRate {
					return fmt.Sprintf("pass %d of %v: zone %v with %+v: Kubernetes %s %v, ours %v %v", pass, slices.Collect(maps.Values(seen)), zone, count, theirState, theirRate, state, rate)
				}
			}
			for _, node := range tainted {
				if off := len(n.Taints(node.Name)) == 0; off != enters {
					return fmt.Sprintf("pass %d of %v: the taint of %s comes off: Kubernetes %v, ours %v", pass, slices.Collect(maps.Values(seen)), node.Name, off, enters)
				}
			}
			before = seen
		}
		return ""
	}
}

func TestHandleDisruption_T6(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var entered, stopped share
		conform(t, objects/50, disrupts(newZones, &entered, &stopped))
		entered.within(t, "enter full disruption everywhere", 0.02, 0.6)
		stopped.within(t, "stop", 0.1, 0.9)
	})
}
