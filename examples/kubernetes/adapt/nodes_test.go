package adapt_test

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/examples/kubernetes/adapt"
	"github.com/go-tolerate/tolerate/match/fleet"
)

func aNode(name string, taints []corev1.Taint) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
}

// Whatever the informer tells, the index holds what a fresh look at the nodes
// would give.
func TestNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reported := 0
		nodes := adapt.NewNodes(func(*corev1.Node, error) { reported++ })
		now := map[string]*corev1.Node{}
		draw := func(name string) *corev1.Node {
			n := aNode(name, adapt.CoreTaints(gen.NodeTaints().Draw(t, "taints")))
			n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordon")
			return n
		}
		names := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		t.Repeat(map[string]func(*rapid.T){
			"put": func(t *rapid.T) {
				name := names.Draw(t, "name")
				n, old := draw(name), now[name]
				if old == nil {
					nodes.OnAdd(n, rapid.Bool().Draw(t, "initial"))
				} else {
					nodes.OnUpdate(old, n)
				}
				now[name] = n
			},
			"heartbeat": func(t *rapid.T) {
				name := names.Draw(t, "name")
				if old := now[name]; old != nil {
					before := nodes.Snapshot()
					n := old.DeepCopy()
					n.ResourceVersion += "x"
					nodes.OnUpdate(old, n)
					now[name] = n
					if nodes.Snapshot() != before {
						t.Error("a heartbeat changed the index")
					}
				}
			},
			"broken": func(t *rapid.T) {
				name := names.Draw(t, "name")
				if old := now[name]; old != nil {
					n, was := aNode(name, []corev1.Taint{{Key: "k", Effect: "Nope"}}), reported
					nodes.OnUpdate(old, n)
					if reported != was+1 {
						t.Error("not reported")
					}
					nodes.OnUpdate(n, old)
				}
			},
			"delete": func(t *rapid.T) {
				name := names.Draw(t, "name")
				if old := now[name]; old != nil {
					delete(now, name)
					if rapid.Bool().Draw(t, "tombstone") {
						nodes.OnDelete(cache.DeletedFinalStateUnknown{Key: name, Obj: old})
					} else {
						nodes.OnDelete(old)
					}
				}
			},
			"stray": func(*rapid.T) {
				nodes.OnAdd("x", false)
				nodes.OnUpdate(1, 2)
				nodes.OnDelete(nil)
			},
			"": func(t *rapid.T) {
				pod := gen.Tolerations().Draw(t, "pod")
				var answer fleet.Answer[string]
				nodes.Snapshot().Query(&answer, pod)
				var want []string
				for name, n := range now {
					converted, err := adapt.Node(n)
					if err != nil {
						t.Fatal(err)
					}
					if converted.Filter(pod).Schedulable() {
						want = append(want, name)
					}
				}
				got := slices.Collect(answer.Nodes())
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) || answer.Total() != len(now) {
					t.Errorf("%v of %d, want %v of %d", got, answer.Total(), want, len(now))
				}
			},
		})
	})
}

func ExampleNodes() {
	nodes := adapt.NewNodes(func(n *corev1.Node, err error) { fmt.Println(n.Name, err) })
	nodes.OnAdd(aNode("a", nil), true) // an informer calls it
	nodes.OnAdd(aNode("b", []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectNoSchedule}}), true)

	var answer fleet.Answer[string]
	nodes.Snapshot().Query(&answer)
	fmt.Println(slices.Collect(answer.Nodes()))
	// Output: [a]
}

// Another value alone is another taint.
func TestNodesValue(t *testing.T) {
	nodes := adapt.NewNodes(func(n *corev1.Node, err error) { t.Error(n.Name, err) })
	gpu := func(value string) *corev1.Node {
		return aNode("a", []corev1.Taint{{Key: "gpu", Value: value, Effect: corev1.TaintEffectNoSchedule}})
	}
	nodes.OnAdd(gpu("a100"), false)
	nodes.OnUpdate(gpu("a100"), gpu("h100"))
	pod, err := adapt.Tolerations([]corev1.Toleration{{Key: "gpu", Value: "h100"}})
	if err != nil {
		t.Fatal(err)
	}
	var answer fleet.Answer[string]
	nodes.Snapshot().Query(&answer, pod)
	if answer.Schedulable() != 1 {
		t.Errorf("%d nodes take the pod", answer.Schedulable())
	}
}
