package informer_test

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/informer"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func aNode(name string, taints ...corev1.Taint) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Taints: taints}}
}

func noSchedule(key, value string) corev1.Taint {
	return corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffectNoSchedule}
}

// drawNode draws a node, usually with valid taints.
func drawNode(t *rapid.T, name string) *corev1.Node {
	n := aNode(name)
	n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordon")
	if rapid.IntRange(0, 4).Draw(t, "valid") > 0 {
		for _, v := range gen.NodeTaints().Draw(t, "taints") {
			n.Spec.Taints = append(n.Spec.Taints, kube.CoreTaints(taint.List{v})[0])
		}
		return n
	}
	for _, f := range rapid.SliceOfN(gen.AnyTaintFields(), 0, 3).Draw(t, "fields") {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: f.Key, Value: f.Value, Effect: corev1.TaintEffect(f.Effect)})
	}
	return n
}

// A machine compares an index with the nodes of its last events.
type machine struct {
	nodes *informer.Nodes
	now   map[string]*corev1.Node
	want  []string // the nodes that must be reported
	got   []string
}

func newMachine(t *rapid.T) *machine {
	m := &machine{now: map[string]*corev1.Node{}}
	m.nodes = informer.New(func(n *corev1.Node, err error) {
		m.got = append(m.got, n.Name)
		var a fleet.Answer[string]
		m.nodes.Snapshot().Query(&a, toleration.MustParseList("op=Exists"))
		if _, c, ok := a.Node(n.Name); err == nil || !ok || c.Schedulable() {
			t.Errorf("%s is reported with %v, known %v, %v", n.Name, err, ok, c)
		}
	})
	return m
}

// set records that an event sets a node, which is reported if it cannot be converted.
func (m *machine) set(n *corev1.Node) {
	m.now[n.Name] = n
	if _, err := kube.Node(n); err != nil {
		m.want = append(m.want, n.Name)
	}
}

func (m *machine) check(t *rapid.T) {
	if diff := cmp.Diff(m.want, m.got); diff != "" {
		t.Errorf("reported nodes mismatch (-want +got):\n%s", diff)
	}
	pod := gen.Tolerations().Draw(t, "pod")
	var a fleet.Answer[string]
	s := m.nodes.Snapshot()
	s.Query(&a, pod)
	want := map[string]string{}
	for name, n := range m.now {
		v, _ := kube.Node(n)
		want[name] = effects(v.Filter(pod))
	}
	got := map[string]string{}
	for group, c := range a.AllGroups() {
		for name := range group.Nodes() {
			got[name] = effects(c)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || s.Len() != len(want) {
		t.Errorf("total %d, answers mismatch (-want +got):\n%s", s.Len(), diff)
	}
}

func effects(r interface {
	Schedulable() bool
	Preferred() bool
	Evicted() bool
}) string {
	return fmt.Sprintf("schedulable %v, preferred %v, evicted %v", r.Schedulable(), r.Preferred(), r.Evicted())
}

// unchanged checks that the events do not change the index.
func (m *machine) unchanged(t *rapid.T, events func()) {
	before := m.nodes.Snapshot()
	events()
	if m.nodes.Snapshot() != before {
		t.Error("the index changed")
	}
}

func (m *machine) actions() map[string]func(*rapid.T) {
	name := rapid.SampledFrom([]string{"a", "b", "c", "d"})
	known := func(t *rapid.T) *corev1.Node {
		if len(m.now) == 0 {
			t.Skip("no nodes")
		}
		return m.now[rapid.SampledFrom(slices.Sorted(maps.Keys(m.now))).Draw(t, "known")]
	}
	return map[string]func(*rapid.T){
		"OnAdd": func(t *rapid.T) {
			n := drawNode(t, name.Draw(t, "name"))
			m.nodes.OnAdd(n, rapid.Bool().Draw(t, "initial"))
			m.set(n)
		},
		"OnUpdate": func(t *rapid.T) {
			old := known(t)
			n := drawNode(t, old.Name)
			m.nodes.OnUpdate(old, n)
			if !cmp.Equal(old.Spec, n.Spec) {
				m.set(n)
			}
		},
		"OnDelete": func(t *rapid.T) {
			n := known(t)
			key, _ := cache.MetaNamespaceKeyFunc(n) // as an informer makes it
			object := rapid.SampledFrom([]any{
				n, aNode(n.Name),
				cache.DeletedFinalStateUnknown{Key: key, Obj: n},
				cache.DeletedFinalStateUnknown{Key: key},
				cache.DeletedFinalStateUnknown{Key: key, Obj: "other"},
				cache.DeletedFinalStateUnknown{Key: key, Obj: (*corev1.Node)(nil)},
			}).Draw(t, "object")
			delete(m.now, n.Name)
			m.nodes.OnDelete(object)
			m.unchanged(t, func() { m.nodes.OnDelete(object) })
		},
		"Snapshot": func(t *rapid.T) { m.unchanged(t, func() {}) },
		"unknown": func(t *rapid.T) { // an update without the old object
			n := drawNode(t, name.Draw(t, "name"))
			m.nodes.OnUpdate(rapid.SampledFrom([]any{nil, "other", (*corev1.Node)(nil), aNode("other")}).Draw(t, "before"), n)
			m.set(n)
		},
		"heartbeat": func(t *rapid.T) {
			old := known(t)
			n := old.DeepCopy()
			n.ResourceVersion += "x"
			m.unchanged(t, func() { m.nodes.OnUpdate(old, n) })
			m.now[n.Name] = n
		},
		"repeated": func(t *rapid.T) {
			n := known(t)
			m.unchanged(t, func() {
				m.nodes.OnUpdate(n, n)
				m.nodes.OnAdd(n, false)
				m.set(n)
			})
		},
		"stray": func(t *rapid.T) {
			m.unchanged(t, func() {
				for _, object := range []any{nil, "x", (*corev1.Node)(nil), &corev1.Pod{}, cache.DeletedFinalStateUnknown{Key: "ns/a"}} {
					m.nodes.OnAdd(object, false)
					m.nodes.OnUpdate(object, object)
					m.nodes.OnUpdate(aNode("a"), object)
					m.nodes.OnDelete(object)
				}
			})
		},
		"": m.check,
	}
}

// After any events, the index equals a new one of the same nodes.
func TestNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(t)
		t.Repeat(gen.Actions[informer.Nodes](t, m.actions()))
	})
}

// A change of any field of a taint, and of the cordon, is detected.
func TestNodes_OnUpdate(t *testing.T) {
	before := aNode("a", noSchedule("gpu", "a100"))
	before.Spec.Taints[0].TimeAdded = &metav1.Time{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	for _, tt := range []struct {
		name   string
		change func(*corev1.NodeSpec)
		want   bool // an update of the index, which reports it
	}{
		{"nothing", func(*corev1.NodeSpec) {}, false},
		{"another_field", func(s *corev1.NodeSpec) { s.PodCIDR = "10.0.0.0/24" }, false},
		{"key", func(s *corev1.NodeSpec) { s.Taints[0].Key = "-" }, true},
		{"value", func(s *corev1.NodeSpec) { s.Taints[0].Value = "-" }, true},
		{"effect", func(s *corev1.NodeSpec) { s.Taints[0].Effect = "NoRun" }, true},
		{"time_added", func(s *corev1.NodeSpec) { s.Taints[0].TimeAdded.Time = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) }, true},
		{"one_more", func(s *corev1.NodeSpec) { s.Taints = append(s.Taints, corev1.Taint{}) }, true},
	} {
		t.Run("M8_"+tt.name, func(t *testing.T) {
			reported := 0
			nodes := informer.New(func(*corev1.Node, error) { reported++ })
			nodes.OnAdd(before, true)
			after := before.DeepCopy()
			tt.change(&after.Spec)
			nodes.OnUpdate(before, after)
			var a fleet.Answer[string]
			s := nodes.Snapshot()
			s.Query(&a, toleration.MustParseList("op=Exists"))
			if (reported == 1) != tt.want || s.Len() != 1 || (a.Counts().Schedulable == 0) != tt.want {
				t.Errorf("reported %d times; %v", reported, &a)
			}
		})
	}
}

// Without a report, a node that cannot be converted also repels pods.
func TestNodes_zero(t *testing.T) {
	var zero informer.Nodes
	for _, nodes := range []*informer.Nodes{&zero, informer.New(nil)} {
		nodes.OnAdd(aNode("a", corev1.Taint{Key: "k", Effect: "NoRun"}), true)
		var a fleet.Answer[string]
		nodes.Snapshot().Query(&a, toleration.MustParseList("op=Exists"))
		want := []match.Reason{{Nodes: 1, Of: 1}}
		if diff := cmp.Diff(want, a.TopReasons(1)); diff != "" || a.Counts().Schedulable != 0 || a.Counts().Evicted != 0 {
			t.Errorf("%v, reasons mismatch (-want +got):\n%s", &a, diff)
		}
	}
}

// One goroutine handles events, as in an informer; others query. The race detector must
// find no race.
func TestNodes_concurrent(t *testing.T) {
	const count, rounds, readers = 50, 20, 3
	versions := [][]corev1.Taint{nil, {noSchedule("k", "a")}, {noSchedule("k", "b")}, {{Key: "k", Effect: "NoRun"}}}
	var reports atomic.Int64
	nodes := informer.New(func(*corev1.Node, error) { reports.Add(1) })
	var objects []*corev1.Node
	for i := range count {
		objects = append(objects, aNode(fmt.Sprint(i)))
		nodes.OnAdd(objects[i], true)
	}
	var wg sync.WaitGroup
	var done atomic.Bool
	for range readers {
		wg.Go(func() {
			var a fleet.Answer[string]
			for !done.Load() {
				s := nodes.Snapshot()
				s.Query(&a, nil)
				if s.Len() != count || a.Counts().Schedulable > count {
					t.Errorf("%v, want %d nodes", &a, count)
					return
				}
			}
		})
	}
	for i := range rounds * count {
		old := objects[i%count]
		objects[i%count] = aNode(old.Name, versions[(i/count+1)%len(versions)]...)
		nodes.OnUpdate(old, objects[i%count])
	}
	done.Store(true)
	wg.Wait()
	if want := int64(rounds / len(versions) * count); reports.Load() != want {
		t.Errorf("%d reports, want %d", reports.Load(), want)
	}
}
