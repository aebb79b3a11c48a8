package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/taint/disruption"
	"github.com/go-tolerate/tolerate/toleration"
)

// Running is the pods of a node that do not tolerate some of its NoSchedule taints: these
// were added later, or the pods were bound without a scheduler.
type Running struct {
	Node   string        `json:"node"`
	Pods   []string      `json:"pods"`
	Taints []taint.Taint `json:"taints"`
}

// running adds the pods that a scheduler would not place again where they run, except for
// temporary taints, and those that it places on a cordoned node again.
func (j *judge) running(r *Report) error {
	of := make(map[*cluster.Node]*Running)
	repels := make(map[*cluster.Node]taint.List)
	for _, n := range j.c.Nodes {
		for _, t := range n.Taints {
			if n.Err == nil && t.Effect() == taint.NoSchedule && !j.temporary.Has(t) {
				repels[n] = append(repels[n], t)
			}
		}
	}
	for _, p := range j.c.Pods {
		n := j.byName[p.Node]
		if n == nil || n.Err != nil || len(repels[n]) == 0 && !n.Unschedulable || p.Finished() || p.Terminating || p.Static || p.Err != nil {
			continue
		}
		if err := j.spend((1 + len(repels[n])) * (1 + len(p.Tolerations))); err != nil {
			return err
		}
		if n.Unschedulable && !strings.HasPrefix(p.Owner, "DaemonSet ") && n.Schedulable(p.Tolerations) {
			r.Returning = append(r.Returning, p.FullName()+" on "+n.Name)
		}
		for _, t := range (match.Node{Taints: repels[n]}).Untolerated(p.Tolerations) {
			x := of[n]
			if x == nil {
				x = &Running{Node: n.Name}
				of[n], r.Running = x, append(r.Running, x)
			}
			if name := p.FullName(); len(x.Pods) == 0 || x.Pods[len(x.Pods)-1] != name {
				x.Pods = append(x.Pods, name)
				r.Summary.Untolerated++
			}
			if !slices.Contains(x.Taints, t) {
				x.Taints = append(x.Taints, t)
			}
		}
	}
	slices.SortStableFunc(r.Running, func(a, b *Running) int { return len(b.Pods) - len(a.Pods) })
	return nil
}

// A Lost is unreachable nodes whose pods are not evicted, as the nodes have no NoExecute taint.
type Lost struct {
	Nodes   []string `json:"nodes"`
	Because string   `json:"because"`
}

// lost adds the unreachable nodes without a NoExecute taint.
func (r *Report) lost(nodes []*cluster.Node) {
	has := func(n *cluster.Node, effect taint.Effect) bool {
		return slices.ContainsFunc(n.Taints, func(t taint.Taint) bool {
			return t.Effect() == effect && (t.Key() == condition.NotReady || t.Key() == condition.Unreachable)
		})
	}
	zones := make(map[disruption.Zone]disruption.Count)
	ready := 0
	for _, n := range nodes {
		if _, excluded := n.Labels["node.kubernetes.io/exclude-disruption"]; excluded || n.Err != nil {
			continue
		}
		zone := zones[disruption.ZoneOf(n.Labels)]
		if has(n, taint.NoSchedule) || has(n, taint.NoExecute) {
			zone.NotReady++
		} else {
			zone.Ready++
			ready++
		}
		zones[disruption.ZoneOf(n.Labels)] = zone
	}
	of := make(map[string]*Lost)
	for _, n := range nodes {
		if !slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return t.Key() == condition.Unreachable }) || has(n, taint.NoExecute) {
			continue
		}
		c := zones[disruption.ZoneOf(n.Labels)]
		_, rate := disruption.DefaultRates().State(c)
		because := fmt.Sprintf("%d of %s of the zone not ready: ", c.NotReady, cli.Count(c.Ready+c.NotReady, "node"))
		switch {
		case ready == 0:
			because = "no node is ready, and then Kubernetes evicts nothing"
		case rate == 0:
			because += "evictions stop until more are"
		default:
			because += fmt.Sprintf("the controller taints one in %.0f s", 1/rate)
		}
		if of[because] == nil {
			of[because] = &Lost{Because: because}
			r.Lost = append(r.Lost, of[because])
		}
		of[because].Nodes = append(of[because].Nodes, n.Name)
	}
}

// An Unused is a toleration of taints of nodes that a pod does not run on.
type Unused struct {
	Toleration toleration.Toleration `json:"toleration"`
	Nodes      int                   `json:"nodes"`
	Label      string                `json:"label,omitempty"` // that only these nodes have
}

// unused returns the tolerations of a pod that do not match a taint of its node, but of others.
func (j *judge) unused(p *cluster.Pod) (list []Unused, err error) {
	for _, u := range p.Tolerations {
		matches := func(n *cluster.Node) bool {
			return slices.ContainsFunc(n.Taints, func(t taint.Taint) bool { return u.Tolerates(t) && !j.temporary.Has(t) })
		}
		if err := j.spend((1 + len(j.c.Nodes)) * labelWork); err != nil {
			return nil, err
		}
		if own := j.byName[p.Node]; u.Key() == "" || own == nil || matches(own) {
			continue
		}
		var only map[string]string // the labels of the nodes
		x := Unused{Toleration: u}
		for _, n := range j.c.Nodes {
			if !matches(n) {
				continue
			}
			if x.Nodes++; only == nil {
				only = maps.Clone(n.Labels)
			}
			maps.DeleteFunc(only, func(key, value string) bool { other, ok := n.Labels[key]; return !ok || other != value })
		}
		if x.Nodes == 0 {
			continue
		}
		for _, n := range j.c.Nodes {
			if !matches(n) {
				maps.DeleteFunc(only, func(key, value string) bool { other, ok := n.Labels[key]; return ok && other == value })
			}
		}
		delete(only, corev1.LabelHostname)
		first := map[bool]int{true: -1}
		for _, key := range slices.SortedFunc(maps.Keys(only), func(a, b string) int { return cmp.Or(first[a == u.Key()]-first[b == u.Key()], strings.Compare(a, b)) }) {
			x.Label = key + "=" + only[key]
			break
		}
		list = append(list, x)
	}
	return list, nil
}
