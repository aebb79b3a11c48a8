package kube_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

// A waiting has the pending pods with the same tolerations, at least one: they have the
// same answer.
type waiting struct {
	tolerations toleration.List
	pods        []string
}

// A batch schedules the pods of queues. It converts each object once, when it changes, and
// visits all nodes for each pod: for more than some thousand nodes, use package fleet.
type batch struct {
	nodes   map[string]match.Node
	free    map[string]int      // how many pods the node has room for
	pending map[string]*waiting // by the text of their canonical tolerations
}

// submit adds a pod, with the tolerations of its queue. Before the pod is bound, they must
// be added to it, too: otherwise an untolerated NoExecute taint evicts it.
func (b *batch) submit(pod *corev1.Pod, queue toleration.List) (*waiting, error) {
	own, err := kube.Tolerations(kube.WithoutNumeric(pod.Spec.Tolerations)) // the cluster has no Lt and Gt
	if err != nil {
		return nil, err
	}
	all := slices.Concat(own, queue)
	key := all.Canonical().String()
	if b.pending[key] == nil {
		b.pending[key] = &waiting{tolerations: all}
	}
	w := b.pending[key]
	w.pods = append(w.pods, pod.Name)
	return w, nil
}

// bind removes a pod from the pending ones, and takes its room on the node.
func (b *batch) bind(w *waiting, node string) (pod string) {
	pod, w.pods = w.pods[0], w.pods[1:]
	if b.free[node]--; len(w.pods) == 0 {
		delete(b.pending, w.tolerations.Canonical().String())
	}
	return pod
}

// place returns the best node for a pod, or "" and the text of an event, which is that of
// kube-scheduler without its last part, about preemption.
func (b *batch) place(w *waiting) (best, event string) {
	if len(b.nodes) == 0 {
		return "", "no nodes available to schedule pods"
	}
	refused, named := map[string]int{}, map[string]int{} // a node counts at most once in each
	temporary := 0
	var fitting []string
	var avoided []int64
	for _, name := range slices.Sorted(maps.Keys(b.nodes)) {
		n := b.nodes[name]
		t, blocked := n.Blocking(w.tolerations)
		switch {
		case blocked && n.Unschedulable && t == match.CordonTaint(): // its own plugin, the first
			refused["node(s) were unschedulable"]++
		case blocked:
			refused["node(s) had untolerated taint(s)"]++
		case b.free[name] == 0: // the other filters, in the scheduler's order
			refused["Too many pods"]++
		default:
			fitting = append(fitting, name)
			avoided = append(avoided, int64(n.Filter(w.tolerations).Count(taint.PreferNoSchedule)))
		}
		if blocked {
			named[cmp.Or(t.Canonical().String(), "(invalid taint)")]++
			if n.Taints = condition.Temporary().Drop(n.Taints); n.Schedulable(w.tolerations) { // still cordoned
				temporary++
			}
		}
	}
	if scores := match.Scores(avoided); len(scores) > 0 {
		return fitting[slices.Index(scores, slices.Max(scores))], ""
	}
	event = fmt.Sprintf("0/%d nodes are available: %s.", len(b.nodes), strings.Join(counts(refused), ", "))
	if len(named) > 0 {
		event += fmt.Sprintf("\nuntolerated: %s; temporary on %d of these nodes", strings.Join(counts(named), ", "), temporary)
	}
	return "", event
}

// counts returns texts as in the scheduler's event: "2 node(s) were unschedulable".
func counts(of map[string]int) (lines []string) {
	for what, n := range of {
		lines = append(lines, fmt.Sprint(n, " ", what))
	}
	slices.Sort(lines)
	return lines
}

// update stores a new or changed node, and returns the pods that it wakes: those that its
// taints and its cordon repelled before, and do not now. More room wakes others, and a
// node that is gone none: delete it from nodes.
func (b *batch) update(n *corev1.Node) (woken []string, err error) {
	after, err := kube.Node(n) // an invalid taint repels all pods
	before, known := b.nodes[n.Name]
	b.nodes[n.Name] = after
	for _, w := range b.pending {
		if after.Schedulable(w.tolerations) && !(known && before.Schedulable(w.tolerations)) {
			woken = append(woken, w.pods...)
		}
	}
	slices.Sort(woken)
	return woken, err
}

// without returns on how many more nodes the pods, by the first of each group, would
// tolerate all taints that prevent scheduling if no node had these taints. Cordons stay.
func (b *batch) without(taints taint.Selector) map[string]int {
	more := map[string]int{}
	for _, w := range b.pending {
		for _, n := range b.nodes {
			before := n.Schedulable(w.tolerations)
			if n.Taints = taints.Drop(n.Taints); !before && n.Schedulable(w.tolerations) {
				more[w.pods[0]]++
			}
		}
	}
	return more
}

// A batch scheduler: pods with the tolerations of their queue, the reasons in the words of
// kube-scheduler's event, and which pending pods a change of a node wakes.
func Example_scheduler() {
	b := batch{nodes: map[string]match.Node{}, free: map[string]int{"a": 5, "b": 5, "c": 0, "d": 5, "e": 0}, pending: map[string]*waiting{}}
	node := func(name string, cordoned bool, taints ...string) {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: cordoned}}
		for _, text := range taints {
			t, err := kube.ParseTaint(text)
			if err != nil {
				panic(err)
			}
			n.Spec.Taints = append(n.Spec.Taints, t)
		}
		woken, err := b.update(n)
		fmt.Println(name, "wakes", woken, err)
	}
	node("a", false, "pool=gpu:NoSchedule", "node.kubernetes.io/not-ready:NoSchedule")
	node("b", true)
	node("c", false)
	node("d", false, "pool=db:NoSchedule", "spot:PreferNoSchedule")
	node("e", false, "pool=gpu:NoSchedule")

	var groups []*waiting
	pod := func(name string, queue toleration.List, own ...corev1.Toleration) {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.PodSpec{Tolerations: own}}
		w, err := b.submit(p, queue)
		if err != nil {
			fmt.Println(name, err)
		} else if !slices.Contains(groups, w) {
			groups = append(groups, w)
		}
	}
	gpu, slow := corev1.Toleration{Key: "pool", Value: "gpu"}, corev1.Toleration{Key: "slow", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}
	queue := toleration.MustParseList("pool=gpu")
	pod("train-0", queue, slow)
	pod("train-1", queue, gpu, slow) // the same tolerations
	pod("web", nil)
	pod("typo", nil, corev1.Toleration{Key: "pool", Operator: "exists"})
	for _, w := range groups {
		_, event := b.place(w)
		fmt.Println(w.pods, event)
	}
	fmt.Println("without pool=db:", b.without(taint.MustParseSelector("pool=db")))

	node("a", false, "pool=gpu:NoSchedule", "slow:PreferNoSchedule") // it is ready
	node("a", false, "pool=gpu:NoSchedule", "slow:PreferNoSchedule") // nothing changes
	b.free["e"] = 5
	best, _ := b.place(groups[0])
	fmt.Println(b.bind(groups[0], best), "on", best)
	// Output:
	// a wakes [] <nil>
	// b wakes [] <nil>
	// c wakes [] <nil>
	// d wakes [] <nil>
	// e wakes [] <nil>
	// typo spec.tolerations[0].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
	// [train-0 train-1] 0/5 nodes are available: 1 node(s) were unschedulable, 2 Too many pods, 2 node(s) had untolerated taint(s).
	// untolerated: 1 node.kubernetes.io/not-ready:NoSchedule, 1 node.kubernetes.io/unschedulable:NoSchedule, 1 pool=db:NoSchedule; temporary on 1 of these nodes
	// [web] 0/5 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 3 node(s) had untolerated taint(s).
	// untolerated: 1 node.kubernetes.io/unschedulable:NoSchedule, 1 pool=db:NoSchedule, 2 pool=gpu:NoSchedule; temporary on 0 of these nodes
	// without pool=db: map[train-0:1 web:1]
	// a wakes [train-0 train-1] <nil>
	// a wakes [] <nil>
	// train-0 on e
}
