package kubernetes_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"

	adapter "github.com/go-tolerate/tolerate/bench/kubernetes/adapter/objects"
	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
)

var (
	conditionKeys = []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeMemoryPressure, corev1.TaintNodeDiskPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeUnschedulable, corev1.TaintNodeOutOfService, "a",
	}
	conditionTypes    = []string{"Ready", "Ready", "Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "OutOfDisk", "ready", ""}
	conditionStatuses = []string{"True", "False", "Unknown", "True", "False", "Unknown", "", "true"}
)

// conditioned makes a node with conditions and taints. Some conditions are repeated or
// unknown; many taints are those of conditions.
func (g *gen) conditioned(name string) *corev1.Node {
	node := named(name, nil)
	node.Spec.Unschedulable = g.in(4)
	node.Spec.Taints = g.nodeTaints(conditionKeys)
	for range g.IntN(5) {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: corev1.NodeConditionType(g.one(conditionTypes...)), Status: corev1.ConditionStatus(g.one(conditionStatuses...)),
		})
	}
	return node
}

func named(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid", Labels: labels, CreationTimestamp: metav1.Now()}}
}

func ready(status corev1.ConditionStatus) []corev1.NodeCondition {
	return []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
}

// ourConditions converts the API's structs as a program would.
func ourConditions(list []corev1.NodeCondition) []condition.Condition {
	out := make([]condition.Condition, len(list))
	for i, c := range list {
		out[i] = condition.Condition{Type: string(c.Type), Status: string(c.Status)}
	}
	return out
}

// A reconciler is condition.Reconcile. The mutation check replaces it.
type reconciler func(n condition.NodeStatus, opts condition.Options) (taint.List, condition.Reconciled)

// evicts reports whether the taint is one of the controller's two NoExecute taints.
func evicts(t taint.Taint) bool { return condition.NodeEviction().Has(t) }

// sameButRenewed compares two lists. It ignores the value and the time added of the
// taints that the controller renews (T4-renewed).
func sameButRenewed(a, b taint.List) bool {
	return slices.EqualFunc(a, b, func(t, u taint.Taint) bool { return t == u || evicts(t) && t.SameKeyEffect(u) })
}

// reconciles compares the node's taints after each pass of the node lifecycle
// controller with the library's.
func reconciles(n *upstream.Nodes, ours reconciler, changed, waits *share) func(g *gen) string {
	return func(g *gen) string {
		time.Sleep(time.Second)
		node := g.conditioned("node")
		n.Set(node, wellNode())
		taints := valid(ourTaints(node.Spec.Taints))
		in := condition.NodeStatus{Taints: taints, Conditions: ourConditions(node.Status.Conditions), Unschedulable: node.Spec.Unschedulable}
		differ := func(pass string, theirs []corev1.Taint, got taint.List) string {
			return fmt.Sprintf("%+v: %s: Kubernetes %v, ours %v", in, pass, theirs, got)
		}
		want := func() taint.List {
			list, _ := ourTaints(n.Taints("node"))
			return list
		}
		n.NoSchedule("node")
		n.Monitor()
		opts := condition.Options{At: time.Now()}
		got, change := ours(in, opts)
		if !sameButRenewed(got, want()) {
			return differ("before the rate", n.Taints("node"), got)
		}
		_, waiting := change.Waiting()
		changed.count(!slices.Equal(got, taints))
		waits.count(waiting)
		n.NoExecute()
		opts.AtOnce = true
		if got, _ = ours(in, opts); !sameButRenewed(got, want()) {
			return differ("when the rate lets it", n.Taints("node"), got)
		}
		if waiting != slices.ContainsFunc(got, func(t taint.Taint) bool { return evicts(t) && !slices.ContainsFunc(taints, evicts) }) {
			return differ("what waits", n.Taints("node"), got)
		}
		n.NoSchedule("node") // the controller, too, has nothing to do the second time
		n.Monitor()
		if again, _ := ours(condition.NodeStatus{Taints: got, Conditions: in.Conditions, Unschedulable: in.Unschedulable}, opts); !sameButRenewed(again, want()) {
			return differ("the second time", n.Taints("node"), again)
		}
		return ""
	}
}

// wellNode is a ready node, so the cluster is not in full disruption.
func wellNode() *corev1.Node {
	node := named("well", map[string]string{corev1.LabelTopologyZone: "other"})
	node.Status.Conditions = ready(corev1.ConditionTrue)
	return node
}

// atAnyRate makes the controller taint at once.
func atAnyRate() upstream.Rates {
	r := upstream.DefaultRates()
	r.Normal = 1e6
	return r
}

// withNodes runs f in a bubble with a controller that has seen two nodes.
func withNodes(t *testing.T, rates upstream.Rates, f func(t *testing.T, n *upstream.Nodes)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		n := upstream.NewNodes(ctx, rates)
		n.Set(named("node", nil), wellNode())
		n.Monitor()
		f(t, n)
	})
}

func TestNodeLifecycleTaints_T2_T3_T4(t *testing.T) {
	t.Parallel()
	withNodes(t, atAnyRate(), func(t *testing.T, n *upstream.Nodes) {
		var changed, waits share
		conform(t, objects/5, reconciles(n, condition.Reconcile, &changed, &waits))
		changed.within(t, "change", 0.3, 0.98)
		waits.within(t, "wait for the rate", 0.05, 0.6)
	})
}

func TestTaintNodesByCondition_T7(t *testing.T) {
	t.Parallel()
	plugin := upstream.NotReady()
	var added share
	conform(t, objects, func(g *gen) string {
		theirs := &core.Node{Spec: core.NodeSpec{Taints: internalTaints(g.nodeTaints(conditionKeys[:2]))}}
		node := valid(ourTaints(fields.As[corev1.Taint](theirs.Spec.Taints)))
		got := adapter.Created(node)
		added.count(len(got) > len(node))
		for range 2 { // the second time there is nothing to add
			if err := plugin.Admit(admission.Create, theirs); err != nil {
				return err.Error()
			}
			same := func(t taint.Taint, u core.Taint) bool {
				return t.Key() == u.Key && t.Value() == u.Value && t.Effect().String() == string(u.Effect)
			}
			if !slices.EqualFunc(got, theirs.Spec.Taints, same) {
				return fmt.Sprintf("%v: Kubernetes %v, ours %v", node, theirs.Spec.Taints, got)
			}
			got = adapter.Created(got)
		}
		return ""
	})
	added.within(t, "get the taint", 0.2, 0.9)
}

// zoneLabels makes labels of a zone and region, including the old ones.
func (g *gen) zoneLabels() map[string]string {
	if g.in(10) {
		return nil
	}
	labels := map[string]string{}
	for _, key := range []string{corev1.LabelTopologyRegion, corev1.LabelTopologyZone, corev1.LabelFailureDomainBetaRegion, corev1.LabelFailureDomainBetaZone} {
		if g.in(2) {
			labels[key] = g.one("", "a", "b", "a:", ":a")
		}
	}
	return labels
}

func TestGetZoneKey_T6(t *testing.T) {
	t.Parallel()
	var same share
	conform(t, objects, func(g *gen) string {
		a, b := g.zoneLabels(), g.zoneLabels()
		keyA, keyB := upstream.Zone(named("", a)), upstream.Zone(named("", b))
		zoneA, zoneB := disruption.ZoneOf(a), disruption.ZoneOf(b)
		same.count(keyA == keyB)
		if (keyA == keyB) != (zoneA == zoneB) || (keyA == "") != (zoneA == disruption.Zone{}) {
			return fmt.Sprintf("%v and %v: Kubernetes %q and %q, ours %v and %v", a, b, keyA, keyB, zoneA, zoneB)
		}
		return ""
	})
	same.within(t, "are one zone", 0.02, 0.5)
}

// with counts one more node.
func with(c disruption.Count, conditions []condition.Condition) disruption.Count {
	i := slices.IndexFunc(conditions, func(c condition.Condition) bool { return c.Type == "Ready" })
	if i >= 0 && conditions[i].Status == condition.StatusTrue {
		c.Ready++
	} else {
		c.NotReady++
	}
	return c
}

// A paced is a queue with a rate. The mutation check replaces it.
type paced interface {
	Add(id string) bool
	Remove(id string) bool
	SetRate(now time.Time, rate float64)
	Take(now time.Time) (id string, ok bool)
}

// paces compares the order and the times at which nodes are due with those of the
// controller's queue. float32 can represent the times and rates.
func paces(ours func(usual, reduced float64) paced, through *share) func(g *gen) string {
	return func(g *gen) string {
		one := func() float64 { return []float64{0.125, 0.25, 0.5, 2}[g.IntN(4)] }
		first, reduced := one(), one()
		queue := scheduler.NewRateLimitedTimedQueue(flowcontrol.NewTokenBucketRateLimiter(float32(first), scheduler.EvictionRateLimiterBurst))
		p := ours(first, reduced)
		var trace []string
		for range 2 + g.IntN(40) {
			time.Sleep([]time.Duration{time.Second / 8, time.Second / 2, time.Second, 4 * time.Second, 8 * time.Second}[g.IntN(5)])
			id := g.one("a", "b", "c", "d")
			switch g.IntN(8) {
			case 0:
				trace = append(trace, "remove "+id)
				queue.Remove(id)
				p.Remove(id)
			case 1:
				r := []float64{first, reduced, 0}[g.IntN(3)]
				trace = append(trace, fmt.Sprint("rate ", r))
				queue.SwapLimiter(float32(r))
				p.SetRate(time.Now(), r)
			default:
				trace = append(trace, "add "+id)
				if theirs, got := queue.Add(id, ""), p.Add(id); theirs != got {
					return fmt.Sprintf("%v: Kubernetes %v, ours %v", trace, theirs, got)
				}
			}
			if g.in(3) {
				continue
			}
			var theirs, got []string
			queue.Try(quiet, func(v scheduler.TimedValue) (bool, time.Duration) {
				theirs = append(theirs, v.Value)
				return true, 0
			})
			for _, id := range theirs {
				queue.Remove(id) // so that it can be queued again, as the controller does
			}
			for id, ok := p.Take(time.Now()); ok; id, ok = p.Take(time.Now()) {
				got = append(got, id)
			}
			trace = append(trace, fmt.Sprint("take ", theirs))
			through.count(len(theirs) > 0)
			if !slices.Equal(theirs, got) {
				return fmt.Sprintf("%v: Kubernetes %v, ours %v", trace, theirs, got)
			}
		}
		return ""
	}
}

// A pacedZone is one zone of a disruption.Limiter, whose nodes have one of three rates.
type pacedZone struct {
	*disruption.Limiter[string]
	usual, reduced float64
}

func newPacedZone(usual, reduced float64) paced {
	r := disruption.Rates{Usual: usual, Reduced: reduced, LargeZone: 4, Unhealthy: 0.55}
	return pacedZone{disruption.NewLimiter[string](r), usual, reduced}
}

func (z pacedZone) Add(id string) bool { return z.Limiter.Add(disruption.Zone{}, id) }

func (z pacedZone) SetRate(now time.Time, rate float64) {
	count := disruption.Count{Ready: 1, NotReady: 3} // no rate
	switch rate {
	case z.usual:
		count.NotReady = 0
	case z.reduced:
		count.NotReady = 4
	}
	z.Update(now, map[disruption.Zone]disruption.Count{{}: count})
}

func (z pacedZone) Take(now time.Time) (string, bool) {
	for id := range z.Limiter.Take(now) {
		return id, true
	}
	return "", false
}

func TestRateLimitedTimedQueue_T6(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var through share
		conform(t, objects/4, paces(newPacedZone, &through))
		through.within(t, "let a node through", 0.2, 0.9)
	})
}
