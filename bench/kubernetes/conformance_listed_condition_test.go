package kubernetes_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

// A NoExecute taint that remains is not changed. Kubernetes' controller writes it
// again, without a value and with another time added, when it first queues the node or
// removes the other taint. This difference affects only these two taints of nodes that
// are not ready; key, effect and position are the same.
func TestListed_T4_renewed(t *testing.T) {
	t.Parallel()
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		var differ share
		conform(t, objects/50, func(g *gen) string {
			time.Sleep(time.Second)
			node := g.conditioned("node")
			before, _ := ourTaints(node.Spec.Taints)
			n.Set(node, wellNode())
			n.Monitor()
			n.NoExecute()
			got, _ := condition.Reconcile(condition.NodeStatus{Taints: before, Conditions: ourConditions(node.Status.Conditions)}, condition.Options{At: time.Now(), AtOnce: true})
			theirs, _ := ourTaints(n.Taints("node"))
			for _, was := range before {
				at := slices.IndexFunc(theirs, was.SameKeyEffect)
				if at < 0 || !theirs[at].TimeAdded().Equal(time.Now()) {
					continue
				}
				differ.count(true)
				if !evicts(was) || theirs[at].Value() != "" || !slices.Contains(got, was) {
					return fmt.Sprintf("%v of %v: Kubernetes renews it, ours %v", was, before, got)
				}
			}
			differ.count(false)
			return ""
		})
		differ.within(t, "renew a taint", 0.001, 0.5)
	})
}

// A node's NoExecute taints depend on its conditions alone. Kubernetes' controller
// removes them from every node that it has not seen before, for example after it
// restarts, and the node waits for the rate again. This difference affects only the two
// NoExecute taints of these nodes, which the controller adds again.
func TestListed_T4_first_sight(t *testing.T) {
	t.Parallel()
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		node := named("new", nil)
		node.Status.Conditions = ready("False")
		node.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: "NoExecute"}, {Key: corev1.TaintNodeNotReady, Effect: "NoSchedule"}, {Key: "k", Effect: "NoExecute"}}
		taints, _ := ourTaints(node.Spec.Taints)
		in := condition.NodeStatus{Taints: taints, Conditions: ourConditions(node.Status.Conditions)}
		if got, _ := condition.Reconcile(in, condition.Options{}); !slices.Equal(got, taints) {
			t.Errorf("ours makes it %v", got)
		}
		in.Taints = condition.NodeEviction().Drop(taints) // Kubernetes' answer
		alike, change := condition.Reconcile(in, condition.Options{})
		if _, waits := change.Waiting(); !waits {
			t.Error("without these taints, the node does not wait")
		}
		time.Sleep(time.Second)
		n.Set(node, wellNode())
		n.Monitor()
		if got, _ := ourTaints(n.Taints("new")); !slices.Equal(got, taints[1:]) || !slices.Equal(got, alike) {
			t.Errorf("Kubernetes makes it %v, ours %v without these taints", got, alike)
		}
		n.NoExecute()
		if got, _ := ourTaints(n.Taints("new")); len(got) != 3 || !got[2].SameKeyEffect(taints[0]) {
			t.Errorf("and then %v", got)
		}
		time.Sleep(time.Second)
		n.Set(node, wellNode()) // the controller has now seen it
		n.Monitor()
		if got, _ := ourTaints(n.Taints("new")); !slices.Equal(got, taints) {
			t.Errorf("when it knows the node Kubernetes makes it %v", got)
		}
	})
}

// The rate of a zone in partial disruption depends on its current size. Kubernetes'
// controller sets the rate when the state begins. This difference affects only zones
// that become large or small while in partial disruption.
func TestListed_T6_size(t *testing.T) {
	t.Parallel()
	theirs, r := upstream.DefaultRates(), disruption.DefaultRates()
	theirs.Large, r.LargeZone = 4, 4
	withNodes(t, theirs, func(t *testing.T, n *upstream.Nodes) {
		c := disruption.NewLimiter[string](r)
		for i, pass := range []struct {
			ready, notReady int
			theirs          float32
			ours            float64
		}{
			{1, 3, 0, 0}, {1, 4, 0, 0.01}, // a small zone that grows
			{5, 0, 0.1, 0.1},
			{1, 4, 0.01, 0.01}, {1, 3, 0.01, 0}, // a large zone that shrinks
		} {
			nodes := []*corev1.Node{wellNode()}
			for range pass.ready {
				nodes = append(nodes, inZone(fmt.Sprint("n", len(nodes)), "True"))
			}
			for range pass.notReady {
				nodes = append(nodes, inZone(fmt.Sprint("n", len(nodes)), "False"))
			}
			n.Set(nodes...)
			n.Monitor()
			c.Update(time.Now(), counts(nodes))
			rate := n.Rate(upstream.Zone(nodes[1]))
			if _, got, _ := c.State(disruption.ZoneOf(nodes[1].Labels)); rate != pass.theirs || got != pass.ours {
				t.Errorf("pass %d: Kubernetes %v, ours %v, want %v and %v", i, rate, got, pass.theirs, pass.ours)
			}
		}
	})
}

// Whether all zones are in full disruption, and so the rates, depends only on the nodes
// of the zones. Kubernetes' controller also uses the earlier state of the current
// zones. If a new zone ends the full disruption of all zones, it leaves the other zones
// without a rate. If a new zone does not end it, it removes the NoExecute taints again.
// If the full disruption of all begins because a zone is removed, it does not notice.
// This difference affects only zones that are added or removed while all others are in
// full disruption (TestHandleDisruption_T6 omits these).
func TestListed_T6_zones(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name             string
		before, after    string // the Ready condition of a node in a second zone, or "" if there is no such zone
		theirRate, rate  float64
		theirsOff, enter bool
	}{
		{"a well zone comes", "", "True", 0, 0.1, false, false},
		{"a zone comes, not well either", "", "False", 0, 0, true, false},
		{"a well zone goes", "True", "", 0.1, 0, false, true},
		{"the zones stay", "True", "False", 0, 0, true, true},
	} {
		withNodes(t, upstream.DefaultRates(), func(t *testing.T, n *upstream.Nodes) {
			c := disruption.NewLimiter[string](disruption.DefaultRates())
			a := inZone("a", "False")
			pass := func(second string) (entered, left bool) {
				nodes := []*corev1.Node{a}
				if second != "" {
					b := named("b", zoneOf(1))
					b.Status.Conditions = ready(corev1.ConditionStatus(second))
					nodes = append(nodes, b)
				}
				n.Set(nodes...)
				n.Monitor()
				return c.Update(time.Now(), counts(nodes))
			}
			pass(tt.before)
			a = a.DeepCopy()
			a.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeNotReady, Effect: "NoExecute"}}
			entered, _ := pass(tt.after)
			_, got, _ := c.State(disruption.ZoneOf(a.Labels))
			off, rate := len(n.Taints("a")) == 0, n.Rate(upstream.Zone(a))
			if rate != float32(tt.theirRate) || got != tt.rate || off != tt.theirsOff || entered != tt.enter {
				t.Errorf("%s: Kubernetes' rate is %v, taints come off: %v; ours %v, %v", tt.name, rate, off, got, entered)
			}
		})
	}
}

// The interval of a rate is exact to the nanosecond. Kubernetes' rates are float32: at
// one node in 10 seconds, the next node is due 149 ns early. This difference affects
// only rates that float32 cannot represent (TestRateLimitedTimedQueue_T6 has others), by
// one ten-millionth of the interval.
func TestListed_T6_float(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		// second reports whether each side releases a second node this long after the
		// first.
		second := func(rate, ourRate float64, after time.Duration) (theirs, ours bool) {
			queue := scheduler.NewRateLimitedTimedQueue(flowcontrol.NewTokenBucketRateLimiter(float32(rate), scheduler.EvictionRateLimiterBurst))
			p := newPacedZone(ourRate, ourRate)
			try := func() (theirs, ours bool) {
				queue.Try(quiet, func(scheduler.TimedValue) (bool, time.Duration) {
					theirs = true
					return true, 0
				})
				_, ours = p.Take(time.Now())
				return theirs, ours
			}
			for _, id := range []string{"a", "b"} {
				queue.Add(id, "")
				p.Add(id)
			}
			if theirs, ours := try(); !theirs || !ours {
				t.Fatalf("the first: Kubernetes %v, ours %v", theirs, ours)
			}
			time.Sleep(after)
			return try()
		}
		if theirs, ours := second(0.1, 0.1, 10*time.Second-149); !theirs || ours {
			t.Errorf("149 ns early: Kubernetes %v, ours %v", theirs, ours)
		}
		float := float64(float32(0.1)) // Kubernetes' answer
		if theirs, ours := second(0.1, float, 10*time.Second-149); !theirs || !ours {
			t.Errorf("with the rate of a float32, 149 ns early: Kubernetes %v, ours %v", theirs, ours)
		}
		if theirs, ours := second(0.1, float, 10*time.Second-151); theirs || ours {
			t.Errorf("with the rate of a float32, 151 ns early: Kubernetes %v, ours %v", theirs, ours)
		}
	})
}

// inZone makes a node in a zone of its own.
func inZone(name string, status corev1.ConditionStatus) *corev1.Node {
	node := named(name, zoneOf(0))
	node.Status.Conditions = ready(status)
	return node
}

// waitingNodes makes nodes with these names that are not ready, and enough ready nodes
// for the state of the zone to be normal.
func waitingNodes(names ...string) []*corev1.Node {
	nodes := []*corev1.Node{wellNode()}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		node := inZone(name, "True")
		if slices.Contains(names, name) {
			node.Status.Conditions = ready("False")
		}
		nodes = append(nodes, node)
	}
	return nodes
}

// tainted returns which of the nodes have a NoExecute taint.
func tainted(n *upstream.Nodes, nodes []*corev1.Node) (names []string) {
	for _, node := range nodes {
		if len(n.Taints(node.Name)) > 0 {
			names = append(names, node.Name)
		}
	}
	return names
}

// A zone keeps its rate, whichever nodes it has. For Kubernetes' controller, a zone
// whose nodes are all excluded from disruption checks is new in each pass, and a node
// is due at once. This difference affects only these zones.
func TestListed_T6_excluded(t *testing.T) {
	t.Parallel()
	for _, excluded := range []bool{false, true} {
		withNodes(t, upstream.DefaultRates(), func(t *testing.T, n *upstream.Nodes) {
			c := disruption.NewLimiter[string](disruption.DefaultRates())
			pass := func(names ...string) (theirs, ours bool) {
				nodes := waitingNodes(names...)[1:]
				for _, node := range nodes {
					if excluded {
						node.Labels[excludeDisruption] = ""
					}
				}
				n.Set(nodes...)
				n.Monitor()
				n.NoExecute()
				c.Update(time.Now(), counts(nodes))
				for _, name := range names {
					c.Add(disruption.ZoneOf(nodes[0].Labels), name)
				}
				for range c.Take(time.Now()) {
					ours = true
					break
				}
				return len(tainted(n, nodes)) > 0, ours
			}
			pass()
			for i, step := range []struct {
				waits        []string
				theirs, ours bool
			}{{[]string{"a"}, true, true}, {[]string{"b"}, excluded, false}} {
				time.Sleep(5 * time.Second)
				if theirs, ours := pass(step.waits...); theirs != step.theirs || ours != step.ours {
					t.Errorf("excluded %v, after %d s: Kubernetes taints one of %s: %v, ours %v", excluded, 5*i, step.waits, theirs, ours)
				}
			}
		})
	}
}

// The node that waits longest is tainted first. Kubernetes' controller queues all
// waiting nodes again in each pass, in no fixed order. This difference affects only the
// order of a zone's waiting nodes; the controller's queue keeps the order
// (TestRateLimitedTimedQueue_T6).
func TestListed_T6_order(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first := map[string]int{}
		for range 1000 {
			func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				n := upstream.NewNodes(ctx, upstream.DefaultRates())
				for _, names := range [][]string{nil, {"c"}, {"c", "a"}, {"c", "a", "b"}} { // c uses what the rate allows at first
					nodes := waitingNodes(names...)
					for _, node := range nodes {
						if len(names) > 1 && node.Name == "c" {
							node.Spec.Taints = n.Taints("c")
						}
					}
					n.Set(nodes...)
					n.Monitor()
					n.NoExecute()
					time.Sleep(time.Second)
				}
				time.Sleep(10 * time.Second)
				n.NoExecute()
				got := tainted(n, waitingNodes())
				if len(got) != 2 || got[1] != "c" {
					t.Fatalf("Kubernetes taints %v", got)
				}
				first[got[0]]++
			}()
			if first["a"] > 0 && first["b"] > 0 {
				break
			}
		}
		if first["b"] == 0 {
			t.Errorf("Kubernetes taints in order: %v", first)
		}
		p := newPacedZone(0.1, 0.1)
		p.Add("a")
		p.Add("b")
		if id, ok := p.Take(time.Now()); !ok || id != "a" {
			t.Errorf("ours: %v, %v", id, ok)
		}
	})
}
