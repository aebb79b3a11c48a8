package why

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/examples/internal/remover"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
)

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
		if x.Pods == 0 {
			w.line("  has no pods")
		}
		w.admitted(x.Nodes, x.placement, 1)
		if len(without) > 0 {
			w.line("  no pod on nodes whose taints its template does not tolerate:")
			w.nodeGroups(without)
		}
		if detail && len(x.NotAgain) > 0 {
			w.line("  pods that would not be created again, for the same reason:")
			w.nodeGroups(x.NotAgain)
		}
		if detail && x.Admitted > 0 {
			w.line("  no pod on %s that taints and labels admit", cli.Count(x.Admitted, "node"))
		}
	}
	_ = w.Flush()
	return b.String(), len(without) > 0
}
