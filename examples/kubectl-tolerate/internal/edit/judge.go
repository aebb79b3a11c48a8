package edit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/eviction"
	"github.com/go-tolerate/tolerate/match/impact"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
)

// A node is a node without and with the change.
type node struct {
	impact.NodeChange
	before, after *cluster.Node // for their labels
	index         int
}

// A judge evaluates changes of nodes and of the templates of workloads.
type judge struct {
	*Report
	c         *cluster.Cluster
	nodes     []*node
	byName    map[string]*node
	index     *cluster.Index      // of nodes without and with the change, by turns
	now       []impact.NodeChange // of nodes, without those of their MachineSets
	evictions *impact.Analysis    // of now
	workloads []*workload
	fits      [2]fit // of the last pod, and of the last that replaces one
	leaving   map[*cluster.Pod]bool
	groups    map[group][]*cluster.Pod // that leave, by what replaces them
	order     []group
	skipped   map[string]int // pods, by what is not judged of them
	work      int            // nodes and taints that are compared
}

// A fit is where pods with a placement can be scheduled.
type fit struct {
	placement *cluster.Placement
	*impact.Analysis
}

// A group is what the nodes of pods depend on.
type group struct {
	placement   *cluster.Placement
	tolerations string
}

// mostWork limits the work for pods with different labels that they require: some ten
// seconds.
const mostWork = 1 << 25

func (j *judge) spend(work int) bool {
	j.work += work
	return j.work <= mostWork
}

// judge adds to the report what the changes of the objects do to the pods.
func (r *Report) judge(ctx context.Context, c *cluster.Cluster, opts *options) error {
	j := judge{Report: r, c: c, byName: make(map[string]*node),
		leaving: make(map[*cluster.Pod]bool), groups: make(map[group][]*cluster.Pod), skipped: make(map[string]int)}
	byName := func(a, b *cluster.Node) int { return strings.Compare(a.Name, b.Name) }
	for _, n := range slices.SortedFunc(slices.Values(c.Nodes), byName) {
		if n.Err != nil {
			continue
		}
		x := &node{NodeChange: impact.NodeChange{Before: n.Node, After: n.Node}, before: n, after: n, index: len(j.nodes)}
		j.byName[n.Name], j.nodes, j.now = x, append(j.nodes, x), append(j.now, x.NodeChange)
		j.now[x.index].Observed = cluster.Observed(n.Taints, r.Time)
	}
	r.Nodes = len(j.nodes)
	for _, o := range opts.list { // nodes are first
		before, after := o.taints[0], o.taints[1]
		for _, name := range o.Nodes { // as if the machines of the MachineSet were replaced
			if n := j.byName[name]; n != nil {
				n.After.Taints = taint.Propagate(n.After.Taints, before, after)
			}
		}
		n := j.byName[o.Name]
		if !o.isNode() || n == nil { // one that cannot be read is a problem of the cluster
			continue
		}
		n.After.Taints, j.now[n.index].After.Taints = after, after
		n.after = &cluster.Node{Name: o.Name, Labels: o.last.GetLabels()}
		r.controlPlane(o)
	}
	var both []*cluster.Node
	for _, n := range j.nodes {
		both = append(both, n.before, n.after)
	}
	j.index = cluster.NewIndex(both)
	r.undone(opts.list)
	j.evictions = impact.New(j.Time, j.now...)
	for _, o := range opts.list {
		if o.template != nil {
			if err := j.addWorkload(o); err != nil {
				return fmt.Errorf("%s: %w", o, err)
			}
		}
	}
	pods := slices.Clone(c.Pods)
	slices.SortFunc(pods, func(a, b *cluster.Pod) int {
		return cmp.Or(strings.Compare(a.Placement.Text, b.Placement.Text), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for _, p := range pods {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !j.spend(1) || !j.pod(p, opts) {
			r.Unjudged++
		}
	}
	slices.SortFunc(r.Pods, func(a, b Pod) int {
		order := cmp.Compare(slices.Index(effects, a.Effect), slices.Index(effects, b.Effect))
		return cmp.Or(order, a.At.Compare(b.At), cmp.Compare(min(a.Fits, 1), min(b.Fits, 1)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, text := range slices.Sorted(maps.Keys(j.skipped)) {
		r.NotJudged = append(r.NotJudged, fmt.Sprintf("%s of %s", text, cli.Count(j.skipped[text], "pod")))
	}
	r.podsUnknown, r.noPods = c.PodsErr != nil, len(pods) == 0 && !opts.source.Live()
	r.partial = r.partial || len(c.Problems)+r.Unjudged > 0 || r.podsUnknown
	var first warnings
	first.add(r.podsUnknown, "what happens to pods is unknown: %v", c.PodsErr)
	first.add(r.Unjudged > 0, "not judged, as nodes and labels differ too much: %s", cli.Count(r.Unjudged, "pod"))
	r.Warnings = slices.Concat(first, r.nowhere(), j.lacks(), r.destroyed(), r.Warnings)
	j.stranded()
	r.Warnings.add(r.Ended == 1, "1 ended pod is deleted too, with its logs")
	r.Warnings.add(r.Ended > 1, "%s are deleted too, with their logs", cli.Count(r.Ended, "ended pod"))
	r.Warnings.add(opts.gone != nil, "no longer there: %s", cli.Names(opts.gone, len(opts.gone)))
	r.absent(opts)
	return nil
}

// A workload is a workload whose template is perhaps changed.
type workload struct {
	*item
	*Workload
	before, after *cluster.Pod // that its template makes
	next          cluster.Pod  // with the template's volumes
	from          int64        // the first pod of a StatefulSet that is replaced
}

// replacing are the kinds whose controllers replace pods, and the fields that stop them.
var replacing = map[string][]string{
	"Deployment.apps": {"spec", "paused"}, "StatefulSet.apps": {"spec", "updateStrategy", "type"}, "DaemonSet.apps": {"spec", "updateStrategy", "type"},
	"DeploymentConfig.apps.openshift.io": {"spec", "paused"}, "Rollout.argoproj.io": {"spec", "paused"},
}

// makes are the kinds that workloads make, which control the pods. Their names have a hash or a
// number at the end.
var makes = map[string]string{"Deployment": "ReplicaSet", "Rollout": "ReplicaSet", "DeploymentConfig": "ReplicationController"}

// addWorkload adds a workload, and where the pods of its template can be scheduled.
func (j *judge) addWorkload(o *item) (err error) {
	w := &workload{item: o, Workload: &Workload{Name: o.String()}}
	pods := [2]*cluster.Pod{}
	for i, u := range []*unstructured.Unstructured{o.Unstructured, o.last} {
		spec, _, _ := unstructured.NestedMap(u.Object, o.template...)
		if pods[i], err = j.c.Template(o.Kind, o.Namespace, spec); err != nil {
			return err
		}
	}
	w.before, w.after = pods[0], pods[1]
	stop, ok := replacing[o.GroupVersionKind().GroupKind().String()]
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, stop...)
	switch {
	case o.steps == nil:
		w.Later = "the template is as requested"
	case !ok:
		w.Later = "its controller does not replace them"
	case value == true:
		w.Later = "it is paused"
	case value == "OnDelete":
		w.Later = "its update strategy is OnDelete"
	}
	w.from, _, _ = unstructured.NestedInt64(o.Object, "spec", "updateStrategy", "rollingUpdate", "partition")
	for i, p := range pods { // with the template's own volumes
		next := j.c.Replacement(p, nil)
		moved, ok := j.fit(i, &next)
		if !ok {
			j.partial = true
			j.Warnings.add(true, "where new pods of %s can be scheduled is unknown: the nodes and labels differ too much", w.Name)
			return nil
		}
		if w.Fits = moved.After; i == 0 {
			w.FitsWithout = moved.Before
		}
		w.next = next
	}
	j.workloads, j.Workloads = append(j.workloads, w), append(j.Workloads, w.Workload)
	return nil
}

// replacer returns the workload that replaces the pod, and nil if none does.
func (j *judge) replacer(p *cluster.Pod, opts *options) *workload {
	kind, name, _ := strings.Cut(p.Owner, " ")
	i := slices.IndexFunc(j.workloads, func(w *workload) bool {
		if w.Later != "" && !(w.is("DaemonSet.apps") && p.Node != "") || p.Namespace != w.Namespace || kind == "" {
			return false
		}
		if kind == w.Kind {
			n, err := strconv.Atoi(p.Name[strings.LastIndex(p.Name, "-")+1:])
			return name == w.item.Name && (w.from == 0 || err != nil || int64(n) >= w.from)
		}
		if owner, ok := opts.owners[p.Namespace+"/"+p.Owner]; ok {
			return owner == w.Kind+" "+w.item.Name
		}
		return kind == makes[w.Kind] && name[:max(0, strings.LastIndex(name, "-"))] == w.item.Name
	})
	if i < 0 {
		return nil
	}
	return j.workloads[i]
}

// pod adds the pod to the report if it is affected, and reports whether that was found out.
func (j *judge) pod(p *cluster.Pod, opts *options) bool {
	n := j.byName[p.Node]
	if n != nil && !j.spend((len(j.now[n.index].Before.Taints)+len(j.now[n.index].After.Taints))*(1+len(p.Tolerations))) {
		return false
	}
	x := Pod{Namespace: p.Namespace, Name: p.Name, Owner: p.Owner, Node: p.Node}
	if p.Placement.Node == "" {
		x.Requires = p.Placement.Text
	}
	ok := true
	switch w := j.replacer(p, opts); {
	case p.Err == nil && p.Finished() && !p.Terminating && !p.Static && n != nil: // Kubernetes does not check the phase
		if k := j.evictions.Eviction(n.index, eviction.Options{Arrived: p.Started}, p.Tolerations).Kind; k != eviction.Unchanged && k != eviction.Cancelled {
			j.Ended++
		}
		return true
	case p.Err != nil || p.Finished() || p.Terminating || p.Static || p.Node != "" && n == nil:
		return true // a kubelet runs static pods whatever the taints
	case p.Waits() && w == nil:
		var moved impact.Placement
		moved, ok = j.place(p, nil, &x)
		if moved.Gained == 0 && moved.Lost == 0 && moved.Repelled == 0 {
			return ok
		}
		x.Effect = Waits
	default:
		var affected bool
		if affected, ok = j.running(p, n, w, &x); !affected {
			return ok
		}
	}
	if !ok {
		return false
	}
	j.Pods = append(j.Pods, x)
	for _, name := range p.NotJudged.Names() {
		j.skipped[name]++
	}
	return true
}

// running evaluates a pod with a node, or one that its workload replaces, and reports whether
// it is affected, and whether that was found out.
func (j *judge) running(p *cluster.Pod, n *node, w *workload, x *Pod) (affected, ok bool) {
	var e impact.Eviction // of a pod that waits, none
	var decision eviction.Decision
	var taints taint.List
	if n != nil {
		e = j.evictions.Eviction(n.index, eviction.Options{Arrived: p.Started}, p.Tolerations)
		decision, taints = e.After, j.now[n.index].After.Taints
	}
	if w != nil && w.is("DaemonSet.apps") && n != nil {
		stops := !w.after.Placement.Admits(n.after)
		creates := !stops && n.After.Schedulable(w.after.Tolerations)
		switch {
		case e.Kind != eviction.Cancelled && e.Kind != eviction.Unchanged:
		case stops || w.Later == "" && !creates:
			x.Effect, x.FitsWithout = Deleted, 1
			return true, true
		case w.Later == "":
			w.Replaced++
			x.Effect, x.Fits, x.FitsWithout = Replaced, 1, 1
			return true, true
		}
		w = nil
	}
	switch {
	case n == nil || w != nil && (e.Kind == eviction.Cancelled || e.Kind == eviction.Unchanged):
		x.Effect = Replaced
	case e.Kind == eviction.Cancelled:
		x.Effect, decision, taints = NotEvicted, e.Before, j.now[n.index].Before.Taints
	case e.Kind == eviction.Unchanged:
		if decision.Kind() != eviction.Never {
			return false, true
		}
		return j.stays(p, n, x)
	case decision.Kind() == eviction.Due:
		x.Effect = EvictedNow
	default:
		x.Effect = EvictedLater
	}
	if i, ok := decision.Taint(); ok && x.Effect != Replaced {
		x.Taint = taints[i].String()
	}
	if at, ok := e.After.Deadline(); ok && x.Effect == EvictedLater {
		if x.At = at; at.After(latest) {
			x.At = latest
		}
	}
	_, ok = j.place(p, w, x)
	if w != nil {
		if w.Replaced++; w.Replaced == 1 {
			w.Fits, w.FitsWithout = x.Fits, x.FitsWithout
		}
		w.Fits, w.FitsWithout = min(w.Fits, x.Fits), min(w.FitsWithout, x.FitsWithout)
		if x.Fits == 0 {
			w.Stuck++
		}
	}
	return true, ok
}

// stays evaluates a pod that stays.
func (j *judge) stays(p *cluster.Pod, n *node, x *Pod) (affected, ok bool) {
	t, repelled := match.Node{Taints: n.After.Taints}.Blocking(p.Tolerations) // without its cordon
	if repelled {
		x.Taint = t.String()
	} else if !n.After.Unschedulable && p.Placement.Admits(n.after) {
		return false, true
	}
	x.Effect = Stays
	w, ok := j.place(p, nil, x)
	return w.Before > 0 && w.After == 0 || repelled && n.Before.Filter(p.Tolerations).Schedulable(), ok
}

var latest = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC) // in JSON

// place sets to how many nodes the pod can be scheduled without the change, and with it, or
// the pod that replaces it with its volumes if there is a workload. One that leaves its node
// counts for what nodes must have free.
func (j *judge) place(p *cluster.Pod, w *workload, x *Pod) (moved impact.Placement, ok bool) {
	moved, ok = j.fit(0, p)
	x.Fits, x.FitsWithout = moved.After, moved.Before
	next := *p
	if w != nil && ok {
		next = j.c.Replacement(w.after, p)
		next.Tolerations = slices.Clone(next.Tolerations)
		for _, t := range p.Tolerations { // that admission adds, of a runtime class, say
			if !slices.Contains(w.before.Tolerations, t) {
				next.Tolerations = append(next.Tolerations, t)
			}
		}
		var after impact.Placement
		after, ok = j.fit(1, &next)
		x.Fits = after.After
	}
	if evicted := x.Effect == EvictedNow || x.Effect == EvictedLater; evicted || x.Effect == Replaced {
		j.leaving[p] = true
		if p.Owner != "" && !strings.HasPrefix(p.Owner, "DaemonSet ") && next.Placement.Node == "" && x.Fits > 0 {
			g := group{next.Placement, next.Tolerations.String()}
			if j.groups[g] == nil {
				j.order = append(j.order, g)
			}
			next.Requests, next.Owner, next.Namespace, next.Name = p.Requests, p.Owner, p.Namespace, p.Name
			j.groups[g] = append(j.groups[g], &next)
		}
	}
	return moved, ok
}

// fit returns to how many nodes the pod can be scheduled with and without the change. Only
// nodes whose labels admit the pod count.
func (j *judge) fit(slot int, p *cluster.Pod) (impact.Placement, bool) {
	if f := &j.fits[slot]; f.placement != p.Placement {
		candidates := j.candidates(p.Placement)
		if !j.spend(len(candidates) * p.Placement.Cost()) {
			return impact.Placement{}, false
		}
		closed := match.Node{Taints: taint.List{{}}} // repels every pod
		var nodes []impact.NodeChange
		for _, n := range candidates {
			change, before, after := n.NodeChange, p.Placement.Admits(n.before), p.Placement.Admits(n.after)
			if !before {
				change.Before = closed
			}
			if !after {
				change.After = closed
			}
			if before || after {
				nodes = append(nodes, change)
			}
		}
		*f = fit{p.Placement, impact.New(j.Time, nodes...)}
	}
	return j.fits[slot].Placement(p.Tolerations), true
}

// candidates returns nodes among which are all that the placement admits without or with the
// change.
func (j *judge) candidates(p *cluster.Placement) (list []*node) {
	for _, i := range j.index.Candidates(p, j.spend) {
		if n := j.nodes[i/2]; len(list) == 0 || list[len(list)-1] != n {
			list = append(list, n)
		}
	}
	return list
}

// lacks returns the warnings about pods that leave and request more than their nodes have free.
func (j *judge) lacks() (list warnings) {
	defer func() {
		more := len(list) - maxLacks
		list = list[:min(len(list), maxLacks)]
		list.add(more > 0, "and %d more groups of pods request too much", more)
	}()
	if len(j.order) == 0 {
		return nil
	}
	room := j.c.Room(func(p *cluster.Pod) bool { return j.leaving[p] })
	var all []*cluster.Pod
	union := make(map[*cluster.Node]bool)
	warn := func(pods []*cluster.Pod, nodes []*cluster.Node) {
		x := Pod{Namespace: pods[0].Namespace, Name: pods[0].Name, Owner: pods[0].Owner}
		who := x.label(len(pods))
		if slices.ContainsFunc(pods, func(p *cluster.Pod) bool { return p.Owner != x.Owner || p.Namespace != x.Namespace }) {
			who = cli.Count(len(pods), "pod")
		}
		verb := map[bool]string{true: "requests", false: "request"}[len(pods) == 1]
		text := room.Lacks(pods, nodes)
		list.add(text != "", "%s %s more than the nodes that admit them have free: %s", who, verb, text)
	}
	for _, g := range j.order {
		pods, nodes := j.groups[g], []*cluster.Node(nil)
		candidates := j.candidates(g.placement)
		if !j.spend(len(candidates) * (g.placement.Cost() + len(pods[0].Tolerations) + len(pods[0].Requests))) {
			return append(list, "what the pods request is not compared with what nodes have free: they differ too much")
		}
		for _, n := range candidates {
			if g.placement.Admits(n.after) && n.After.Schedulable(pods[0].Tolerations) {
				nodes, union[n.before] = append(nodes, n.before), true
			}
		}
		all = append(all, pods...)
		warn(pods, nodes)
	}
	if list == nil && len(j.order) > 1 {
		warn(all, slices.Collect(maps.Keys(union)))
	}
	return list
}

// maxLacks is how many groups of pods that request too much are named.
const maxLacks = 3

// ofVolumes is the reason of a node that the volumes of some pods are not on.
const ofVolumes = "not for the volumes of some"

// stranded sets why the new pods of a workload can be scheduled to no node.
func (j *judge) stranded() {
	for _, w := range j.workloads {
		if w.Fits > 0 {
			continue
		}
		reasons, order := make(map[string][]string), []string(nil)
		for _, n := range j.candidates(w.next.Placement) {
			if !w.next.Placement.Admits(n.after) {
				continue
			}
			text := ofVolumes
			if t, blocked := n.After.Blocking(w.after.Tolerations); blocked && t.Key() == condition.Unschedulable {
				text = "cordoned"
			} else if blocked {
				text = t.String()
			}
			if reasons[text] == nil {
				order = append(order, text)
			}
			reasons[text] = append(reasons[text], n.before.Name)
		}
		var list []string
		for _, text := range order {
			list = append(list, cli.Names(reasons[text], len(reasons[text]))+": "+text)
		}
		w.Nowhere = "add a node, uncordon one, or tolerate its taints in the template: " + strings.Join(list, "; ")
		if _, ok := reasons[ofVolumes]; ok && len(reasons) == 1 {
			w.Nowhere = "dedicate a node that their volumes can be on, not only " + cli.Names(reasons[ofVolumes], len(reasons[ofVolumes]))
		}
		if list == nil {
			w.Nowhere = "give nodes the labels that they require, or change the template: " + objects.Printable(w.next.Placement.Text)
		}
	}
}
