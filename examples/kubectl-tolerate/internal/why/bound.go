package why

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
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

// maxDaemonSets is how many the text lists, unless it is wide. Those with the same lines count once.
const maxDaemonSets = 3

// A DaemonSet is a DaemonSet that lacks pods because of taints, or that was named. Its
// controller creates no pod on a node with an untolerated NoSchedule or NoExecute taint.
type DaemonSet struct {
	Name     string       `json:"name"`
	Pods     int          `json:"pods"`
	Unknown  string       `json:"unknown,omitempty"` // why the nodes without a pod are unknown; then all below is empty
	Nodes    *Counts      `json:"nodes,omitempty"`
	Without  []*NodeGroup `json:"without,omitempty"`         // nodes that have no pod because of taints
	NotAgain []*NodeGroup `json:"notCreatedAgain,omitempty"` // nodes with a pod that would not be created again
	Admitted int          `json:"admittedWithout"`           // nodes that have no pod for another reason

	placement *cluster.Placement
	program   *remover.Program
}

// daemonSets adds the DaemonSets. They have judges of their own, one for each set of labels,
// so that one that selects a host does not divide the nodes for all, and their work does not
// count for the pods.
func (r *Report) daemonSets(c *cluster.Cluster, temporary taint.Selector, named bool) {
	if len(c.DaemonSets) == 0 {
		return
	}
	judges, work := make(map[string]*judge), 0
	for _, d := range c.DaemonSets {
		key := fmt.Sprintf("%q", slices.Sorted(slices.Values(d.Placement.Keys)))
		if judges[key] == nil && work <= maxWork {
			judges[key] = newJudge(c, []*cluster.Pod{&d.Pod})
			judges[key].temporary = temporary
			work += labelWork * len(c.Nodes)
		}
		x, err := &DaemonSet{Name: d.FullName()}, errWork
		if j := judges[key]; j != nil {
			j.work = work
			x, err = j.daemonSet(d)
			work = j.work
		}
		switch {
		case d.Err != nil:
			r.Unknown = append(r.Unknown, Unknown{"DaemonSet " + d.FullName(), d.Err.Error()})
			r.Summary.Unknown++
		case err != nil:
			r.Daemons = append(r.Daemons, &DaemonSet{Name: x.Name, Unknown: "the DaemonSets and nodes differ too much to compare all of them"})
		case d.Unread:
			r.Daemons = append(r.Daemons, &DaemonSet{Name: x.Name, Unknown: "the input does not have its pods"})
		case named || len(x.Without)+len(x.NotAgain) > 0:
			r.Daemons = append(r.Daemons, x)
		}
	}
	first := map[bool]int{true: -1}
	slices.SortStableFunc(r.Daemons, func(a, b *DaemonSet) int {
		return cmp.Or(first[a.Unknown == ""]-first[b.Unknown == ""], first[a.Pods == 0]-first[b.Pods == 0], b.without()-a.without())
	})
}

func (x *DaemonSet) without() (nodes int) {
	for _, n := range x.Without {
		nodes += n.Count
	}
	return nodes
}

// daemonSet compares the nodes that the DaemonSet selects with its pods.
func (j *judge) daemonSet(d *cluster.DaemonSet) (*DaemonSet, error) {
	x := &DaemonSet{Name: d.FullName(), Pods: len(d.Pods), Nodes: &Counts{Unknown: j.unread}, placement: d.Placement}
	has := make(map[string]string) // a pod by its node
	for _, p := range d.Pods {
		has[p.Node] = p.Name
	}
	x.program = remover.Running("DaemonSet", d.Name)
	m := match.Compile(d.Tolerations)
	groups := [2]map[string]*NodeGroup{make(map[string]*NodeGroup), make(map[string]*NodeGroup)} // without a pod, with one
	admitted := make(map[*class]bool)
	for _, c := range j.classes {
		if err := j.spend(labelWork*(d.Placement.Cost()+len(c.Taints)) + len(d.Tolerations)/16); err != nil {
			return x, err
		}
		nodes := c.nodes
		if d.Placement.Node != "" { // classes do not have this name
			n := j.byName[d.Placement.Node]
			if nodes = nil; n != nil && j.classOf[n] == c && d.Placement.Admits(n) {
				nodes = []*cluster.Node{n}
			}
		} else if !d.Placement.Admits(nodes[0]) {
			nodes = nil
		}
		x.Nodes.NotSelected += len(c.nodes) - len(nodes)
		can, list := admits(m, c.Node)
		if can {
			admitted[c] = len(nodes) > 0
			x.Nodes.Admitted += len(nodes)
			continue
		}
		x.Nodes.Tainted += len(nodes)
		if err := j.spend(len(nodes) + len(list)*listWork); err != nil {
			return x, err
		}
		key := list.Canonical().String()
		for _, n := range nodes {
			to := groups[0]
			pod, ok := has[n.Name]
			if ok {
				to = groups[1]
			}
			g := to[key]
			if g == nil {
				g = &NodeGroup{waits: slices.ContainsFunc(list, x.program.Removes)}
				j.explain(g, &PodGroup{Tolerations: d.Tolerations, wants: wants{daemon: true, program: x.program}}, list)
				to[key] = g
			}
			if g.Count++; len(g.Names) < cli.MaxNames {
				g.Names = append(g.Names, n.Name)
				if ok {
					g.Pods = append(g.Pods, pod)
				}
			}
		}
	}
	x.Admitted = x.Nodes.Admitted
	for name := range has {
		if n := j.byName[name]; n != nil && admitted[j.classOf[n]] && d.Placement.Admits(n) {
			x.Admitted--
		}
	}
	sorted := func(of map[string]*NodeGroup) []*NodeGroup {
		return slices.SortedFunc(maps.Values(of), func(a, b *NodeGroup) int {
			return cmp.Or(slices.Compare(a.cost, b.cost), b.Count-a.Count, cmp.Compare(a.Names[0], b.Names[0]))
		})
	}
	x.Without, x.NotAgain = sorted(groups[0]), sorted(groups[1])
	return x, nil
}

// roles are the taints of nodes that most DaemonSets are not for: those of a cluster's own
// programs, those on which no pod of a DaemonSet runs (AWS Fargate, Virtual Kubelet), and
// those with Windows (GKE, OpenShift).
var roles = taint.MustParseSelector("node-role.kubernetes.io/*,CriticalAddonsOnly,eks.amazonaws.com/compute-type,virtual-kubelet.io/*,node.kubernetes.io/os,os=Windows")

// expected reports whether most DaemonSets have no pods on such nodes: only taints of roles,
// or of nodes that are being removed, keep the pods from them.
func expected(n *NodeGroup) bool {
	return n.More == 0 && !slices.ContainsFunc(n.Taints, func(t Taint) bool { return !roles.Has(t.Taint) && !remover.Of(t.Taint).Vanishes })
}

// daemonSets returns the text of the DaemonSets, and how many lack pods by it. Those of
// which the same is said are described together. Unless the text is wide or they are named,
// nodes with taints of roles are omitted if there are pods elsewhere.
func (t *text) daemonSets() (all string, lack int) {
	var entries []string
	names := make(map[string][]string)
	for _, x := range t.Daemons {
		lines, lacks := t.daemonSet(x)
		if lacks {
			lack++
		}
		if lines != "" && names[lines] == nil {
			entries = append(entries, lines)
		}
		names[lines] = append(names[lines], x.Name)
	}
	rest := 0
	for i, lines := range entries {
		of := names[lines]
		if i >= maxDaemonSets && !t.wide {
			rest += len(of)
			continue
		}
		noun := "DaemonSet"
		if len(of) > 1 {
			noun += "s"
		}
		all += fmt.Sprintf("\n%s %s\n%s", noun, cli.Names(of, len(of)), lines)
	}
	if rest > 0 {
		all += fmt.Sprintf("\nand %s; -o wide lists all\n", cli.Count(rest, "more DaemonSet"))
	}
	return all, lack
}

// daemonSet returns the lines of a DaemonSet, none if it is not to be listed, and whether
// they have nodes without a pod.
func (t *text) daemonSet(x *DaemonSet) (lines string, lacks bool) {
	var b strings.Builder
	w := text{Writer: bufio.NewWriter(&b), wide: t.wide}
	detail := t.wide || t.named > 0
	without := x.Without
	if !detail && x.Pods > 0 {
		without = slices.DeleteFunc(slices.Clone(without), expected)
	}
	switch {
	case x.Unknown != "":
		w.line("  which nodes lack a pod is unknown: %s", x.Unknown)
	case detail || len(without) > 0:
		w.when(x.Pods == 0, "  has no pods")
		w.admitted(x.Nodes, x.placement, 1)
		if len(without) > 0 {
			w.line("  no pod on nodes whose taints its template does not tolerate:")
			w.nodeGroups(without)
		}
		if detail && len(x.NotAgain) > 0 {
			w.line("  pods that would not be created again, for the same reason:")
			w.nodeGroups(x.NotAgain)
		}
		w.when(detail && x.Admitted > 0, "  no pod on %s that taints and labels admit", cli.Count(x.Admitted, "node"))
	}
	_ = w.Flush()
	return b.String(), len(without) > 0
}
