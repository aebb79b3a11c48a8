package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

// Repelled is the pods of a node that do not tolerate some of its NoSchedule taints: these
// were added later, or the pods were bound without a scheduler.
type Repelled struct {
	Node   string     `json:"node"`
	Pods   []string   `json:"pods"`
	Taints taint.List `json:"taints"` // the same for each of the pods
}

// addBound adds what happens to pods that have a node: evictions, and which a scheduler would
// not place there again, or would although the node is cordoned.
func (j *judge) addBound(r *Report, now time.Time) error {
	observed := make(map[*cluster.Node][]eviction.Observed)
	repels := make(map[*cluster.Node]taint.List) // except temporary taints and cordons
	for _, n := range j.c.Nodes {
		evicts := false
		for _, t := range n.Taints {
			evicts = evicts || t.Effect() == taint.NoExecute
			if t.Effect() == taint.NoSchedule && !j.temporary.Has(t) {
				repels[n] = append(repels[n], t)
			}
		}
		if evicts {
			observed[n] = cluster.Observed(n.Taints, now)
		}
	}
	of := make(map[[2]string]*Repelled)
	for _, p := range j.c.Pods {
		if p.Node == "" || p.Finished() || p.Terminating || p.Static {
			continue
		}
		n := j.byName[p.Node]
		compared := len(observed[n]) + len(repels[n])
		if n != nil && n.Unschedulable {
			compared += len(n.Taints) + p.Placement.Cost()
		}
		if err := j.spend(1 + compared*(1+len(p.Tolerations))); err != nil {
			return err
		}
		e := &Eviction{Pod: p.FullName(), Node: p.Node, When: "unknown"}
		switch {
		case n == nil && j.c.FromServer:
			r.Orphaned = append(r.Orphaned, e.Pod)
			continue
		case p.Err != nil:
			e.Because = "the pod could not be read"
		case n == nil:
			e.Because = "its node is not in the input"
		case n.Err != nil:
			e.Because = "its node could not be read"
		default:
			e.decide(observed[n], p, n, j.temporary, now)
			if n.Unschedulable && p.Owner != "" && !strings.HasPrefix(p.Owner, "DaemonSet ") && n.Schedulable(p.Tolerations) && p.Placement.Admits(n) {
				r.Returning = append(r.Returning, e.Pod+" on "+n.Name)
			}
			var taints taint.List
			for _, t := range (match.Node{Taints: repels[n]}).Untolerated(p.Tolerations) {
				taints = append(taints, t)
			}
			if len(taints) == 0 {
				break
			}
			key := [2]string{n.Name, taints.String()}
			x := first(of, &r.Repelled, key, Repelled{Node: n.Name, Taints: taints})
			x.Pods = append(x.Pods, e.Pod)
			r.Summary.Repelled++
		}
		switch e.When {
		case "":
			continue
		case "now":
			r.Summary.EvictedNow++
		case "later":
			r.Summary.EvictedLater++
		}
		r.Evictions = append(r.Evictions, e)
	}
	slices.SortStableFunc(r.Repelled, func(a, b *Repelled) int { return len(b.Pods) - len(a.Pods) })
	order := []string{"now", "later", "unknown"}
	slices.SortStableFunc(r.Evictions, func(a, b *Eviction) int {
		return cmp.Or(slices.Index(order, a.When)-slices.Index(order, b.When), a.due.Compare(b.due), cmp.Compare(a.Node, b.Node))
	})
	return nil
}

// decide sets when the pod is evicted; e.When is empty if it is not.
func (e *Eviction) decide(observed []eviction.Observed, p *cluster.Pod, n *cluster.Node, temporary taint.Selector, now time.Time) {
	d := eviction.Decide(observed, now, eviction.Options{Arrived: p.Started}, p.Tolerations)
	if e.When = ""; d.Kind() == eviction.Never {
		return
	}
	e.When = "now"
	i, _ := d.Taint()
	t := observed[i].Taint
	e.Taint = t.String()
	deadline, _ := d.Deadline()
	if at, ok := d.Toleration(); !ok {
		e.Because = "untolerated " + e.Taint
	} else {
		seconds, _ := p.Tolerations[at].Seconds()
		verb := "was"
		if d.Kind() == eviction.At {
			e.When, verb = "later", "is"
		}
		e.Because = fmt.Sprintf("%s %s tolerated for %d s", e.Taint, verb, max(seconds, 0))
		e.Again = p.Owner != "" && !temporary.Has(t) && n.Schedulable(p.Tolerations) && p.Placement.Admits(n)
	}
	e.due = time.Unix(1<<40, 0) // after all others
	switch year := deadline.Year(); {
	case t.TimeAdded().IsZero() && e.When == "later":
		e.Because += " from when it was added, which is unknown"
	case !t.TimeAdded().IsZero() && year >= 0 && year <= 9999:
		e.At, e.due = &deadline, deadline
	}
	if e.Again {
		e.Because += "; its replacement can be scheduled here and evicted again: omit tolerationSeconds to stay, or the toleration to run elsewhere"
	}
}

// A Lost is unreachable nodes whose pods are not evicted, as the nodes have no NoExecute taint.
type Lost struct {
	Nodes   []string `json:"nodes"`
	Because string   `json:"because"`
}

// lost adds the unreachable nodes without a NoExecute taint, unless a node could not be read.
func (r *Report) lost(nodes []*cluster.Node) {
	zones, of := make(map[disruption.Zone]disruption.Count), make(map[string]*Lost)
	ready := 0
	for _, n := range nodes {
		if n.Err != nil {
			return
		}
		zone := disruption.ZoneOf(n.Labels)
		c := zones[zone]
		if _, excluded := n.Labels["node.kubernetes.io/exclude-disruption"]; excluded {
			continue
		}
		if slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return failed.Has(t) && t.Effect() != taint.PreferNoSchedule }) {
			c.NotReady++
		} else {
			c.Ready++
			ready++
		}
		zones[zone] = c
	}
	for _, n := range nodes {
		is := func(t taint.Taint) bool { return t.Key() == condition.Unreachable && t.Effect() == taint.NoSchedule }
		if !slices.ContainsFunc(n.Taints, is) || slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return t.Effect() == taint.NoExecute }) {
			continue
		}
		zone := disruption.ZoneOf(n.Labels)
		c := zones[zone]
		_, rate := disruption.DefaultRates().State(c)
		because := fmt.Sprintf("%d of %s not ready; the controller taints ", c.NotReady, cli.Count(c.Ready+c.NotReady, "node"))
		if zone != (disruption.Zone{}) {
			because = fmt.Sprintf("of zone %v, %s", zone, because)
		}
		switch {
		case ready == 0:
			because = "no known node is ready; if none is, Kubernetes evicts no pod"
		case rate == 0:
			because += "none until more are ready"
		default:
			because += fmt.Sprintf("one node in %.0f s", 1/rate)
		}
		x := first(of, &r.Lost, because, Lost{Because: because})
		x.Nodes = append(x.Nodes, n.Name)
	}
}

// failed are the taints of nodes that are not ready.
var failed = taint.MustParseSelector(condition.NotReady + "," + condition.Unreachable)

// An Unused is a toleration of taints of nodes that a pod does not run on.
type Unused struct {
	Toleration toleration.Toleration `json:"toleration"`
	Nodes      int                   `json:"nodes"`
	Label      string                `json:"label,omitempty"` // that only these nodes have
}

// unused returns the tolerations of a pod that do not match a taint of its node, but of others.
func (j *judge) unused(p *cluster.Pod) (list []Unused, err error) {
	if p.Placement.JSON != nil || p.Static { // it selects where it runs, or its kubelet does
		return nil, nil
	}
	for _, u := range p.Tolerations {
		matches := func(n *cluster.Node) bool {
			usable := !slices.ContainsFunc(n.Taints, j.temporary.Has)
			return usable && slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return u.Tolerates(t) && !roles.Has(t) })
		}
		if own := j.byName[p.Node]; u.Key() == "" || own == nil || matches(own) {
			continue
		}
		x := Unused{Toleration: u}
		var only map[string]string // labels that all of the nodes have, and no other
		for _, with := range []bool{true, false} {
			for _, n := range j.c.Nodes {
				if err := j.spend(1 + len(n.Taints) + len(only)); err != nil {
					return nil, err
				}
				if matches(n) != with {
					continue
				}
				if with {
					x.Nodes++
				}
				if x.Nodes == 1 && with {
					only = maps.Clone(n.Labels)
				}
				maps.DeleteFunc(only, func(key, value string) bool {
					other, ok := n.Labels[key]
					return (ok && other == value) != with
				})
			}
			if x.Nodes == 0 {
				break
			}
		}
		delete(only, corev1.LabelHostname)
		best := 0
		for key, value := range only {
			// The best has the taint's key or value; keys of Kubernetes, such as for the instance type, are the last.
			text, rank := key+"="+value, 2
			switch {
			case key == u.Key():
				rank = 0
			case value != "" && (value == u.Value() || strings.HasSuffix(u.Key(), value)):
				rank = 1
			case strings.Contains(key, "kubernetes.io/"):
				rank = 3
			}
			if x.Label == "" || cmp.Or(rank-best, strings.Compare(text, x.Label)) < 0 {
				x.Label, best = text, rank
			}
		}
		same := func(y Unused) bool { return y.Nodes == x.Nodes && y.Label == x.Label }
		if x.Nodes > 0 && !slices.ContainsFunc(list, same) {
			list = append(list, x)
		}
	}
	return list, nil
}
