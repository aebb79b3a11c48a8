package kube_test

import (
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

// A waiting has the pending pods with the same tolerations: one answer is that of all.
type waiting struct {
	tolerations toleration.List
	pods        []string
}

// A batch schedules the pods of queues. It converts each object once, when it changes.
type batch struct {
	nodes   map[string]match.Node
	free    map[string]int      // how many pods the node has room for
	pending map[string]*waiting // by the text of their canonical tolerations
}

// submit adds a pod, with the tolerations of its queue. It rejects what the API server
// rejects.
func (b *batch) submit(pod *corev1.Pod, queue []corev1.Toleration) (*waiting, error) {
	all, err := kube.Tolerations(slices.Concat(pod.Spec.Tolerations, queue))
	if err != nil {
		return nil, err
	}
	key := all.Canonical().String()
	if b.pending[key] == nil {
		b.pending[key] = &waiting{tolerations: all}
	}
	w := b.pending[key]
	w.pods = append(w.pods, pod.Name)
	return w, nil
}

// place returns the best node for a pod, "" with the text of an event if there is none.
func (b *batch) place(w *waiting) (best, event string) {
	refused, named := map[string]int{}, map[taint.Taint]int{} // each node counts once in both
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
			named[t.Canonical()]++
			if n.Taints = condition.Temporary().Drop(n.Taints); !n.Unschedulable && n.Schedulable(w.tolerations) {
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
func counts[K comparable](of map[K]int) (lines []string) {
	for what, n := range of {
		lines = append(lines, fmt.Sprint(n, " ", what))
	}
	slices.Sort(lines)
	return lines
}

// update stores a new or changed node, and returns the pods that it wakes: those that can
// be scheduled there now, and could not be before.
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

// without returns for how many more nodes the taints of pods would be tolerated if these
// went away.
func (b *batch) without(taints taint.Selector) map[string]int {
	more := map[string]int{}
	for _, w := range b.pending {
		for _, n := range b.nodes {
			before := n.Schedulable(w.tolerations)
			if n.Taints = taints.Drop(n.Taints); !before && n.Schedulable(w.tolerations) {
				more[fmt.Sprint(w.pods)]++
			}
		}
	}
	return more
}

// A batch scheduler: pods with the tolerations of their queue, the reasons in the words of
// kube-scheduler's event, and which pending pods a change of a node wakes.
func Example_scheduler() {
	b := batch{nodes: map[string]match.Node{}, free: map[string]int{"a": 5, "b": 5, "c": 0, "d": 5}, pending: map[string]*waiting{}}
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

	gpu := []corev1.Toleration{{Key: "pool", Value: "gpu"}}
	pod := func(name string) *corev1.Pod { return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	train, _ := b.submit(pod("train-0"), gpu)
	b.submit(pod("train-1"), gpu)
	web, _ := b.submit(pod("web"), nil)
	for _, w := range []*waiting{train, web} {
		_, event := b.place(w)
		fmt.Println(w.pods, event)
	}
	fmt.Println("without pool=db:", b.without(taint.MustParseSelector("pool=db")))

	node("a", false, "pool=gpu:NoSchedule") // it is ready
	fmt.Println(b.place(train))
	// Output:
	// a wakes [] <nil>
	// b wakes [] <nil>
	// c wakes [] <nil>
	// d wakes [] <nil>
	// [train-0 train-1] 0/4 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).
	// untolerated: 1 node.kubernetes.io/not-ready:NoSchedule, 1 node.kubernetes.io/unschedulable:NoSchedule, 1 pool=db:NoSchedule; temporary on 1 of these nodes
	// [web] 0/4 nodes are available: 1 Too many pods, 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).
	// untolerated: 1 node.kubernetes.io/unschedulable:NoSchedule, 1 pool=db:NoSchedule, 1 pool=gpu:NoSchedule; temporary on 0 of these nodes
	// without pool=db: map[[train-0 train-1]:1 [web]:1]
	// a wakes [train-0 train-1] <nil>
	// a
}
