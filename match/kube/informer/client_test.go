package informer_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube/informer"
	"github.com/go-tolerate/tolerate/taint"
)

// patience is how long a test waits for what an informer does in a second or two.
const patience = time.Minute

// A connection carries events from the API server to the informer.
type connection struct {
	silent  atomic.Bool // events are lost
	expired atomic.Bool // the next event is an error, after which the informer lists the nodes again
	watches atomic.Int64
	lost    atomic.Int64
}

// client returns a client of a cluster with these nodes whose watches go through c.
func (c *connection) client(nodes ...*corev1.Node) *fake.Clientset {
	client := fake.NewSimpleClientset()
	for _, n := range nodes {
		if err := client.Tracker().Add(n); err != nil {
			panic(err) // the names differ
		}
	}
	client.PrependWatchReactor("nodes", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		if err != nil {
			return true, nil, err
		}
		c.watches.Add(1)
		return true, watch.Filter(w, c.pass), nil
	})
	return client
}

func (c *connection) pass(e watch.Event) (watch.Event, bool) {
	if c.silent.Load() {
		c.lost.Add(1)
		return e, false
	}
	if c.expired.Swap(false) {
		gone := apierrors.NewResourceExpired("the watch is too old").Status()
		return watch.Event{Type: watch.Error, Object: &gone}, true
	}
	return e, true
}

// A recorder counts the events of its index that are tombstones.
type recorder struct {
	*informer.Nodes
	tombstones atomic.Int64
}

func (r *recorder) OnDelete(object any) {
	if _, ok := object.(cache.DeletedFinalStateUnknown); ok {
		r.tombstones.Add(1)
	}
	r.Nodes.OnDelete(object)
}

// A client-go informer calls the handler for the objects of its first list, for watch
// events, and for the changes and deletions that it finds when it lists again.
func TestNodes_informer(t *testing.T) {
	var c connection
	client := c.client(aNode("a"), aNode("b", noSchedule("k", "")), aNode("gone"))
	index := &recorder{Nodes: informer.New(func(n *corev1.Node, err error) { t.Error(n.Name, err) })}
	factory := informers.NewSharedInformerFactory(client, 0)
	handler, err := factory.Core().V1().Nodes().Informer().AddEventHandler(index)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)
	expect := func(step string, want map[string]string) {
		t.Helper()
		if !eventually(func() bool { return cmp.Equal(want, contents(index.Snapshot())) }) {
			t.Fatalf("after %s: nodes mismatch (-want +got):\n%s", step, cmp.Diff(want, contents(index.Snapshot())))
		}
	}
	api := client.CoreV1().Nodes()
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}

	// The fake API server loses changes between the list and the watch.
	if !eventually(func() bool { return handler.HasSynced() && c.watches.Load() == 1 }) {
		t.Fatal("the handler is not synced")
	}
	expect("the first list", map[string]string{"a": "", "b": "k:NoSchedule", "gone": ""})
	do(api.Create(t.Context(), aNode("c", noSchedule("c", "1")), metav1.CreateOptions{}))
	do(api.Update(t.Context(), aNode("a", noSchedule("a", "1")), metav1.UpdateOptions{}))
	do(nil, api.Delete(t.Context(), "b", metav1.DeleteOptions{}))
	expect("add, update and delete", map[string]string{"a": "a=1:NoSchedule", "c": "c=1:NoSchedule", "gone": ""})

	c.silent.Store(true)
	do(nil, api.Delete(t.Context(), "gone", metav1.DeleteOptions{}))
	do(api.Update(t.Context(), aNode("a"), metav1.UpdateOptions{}))
	do(api.Create(t.Context(), aNode("d"), metav1.CreateOptions{}))
	if !eventually(func() bool { return c.lost.Load() == 3 }) {
		t.Fatalf("%d events are lost, want 3", c.lost.Load())
	}
	expect("lost events", map[string]string{"a": "a=1:NoSchedule", "c": "c=1:NoSchedule", "gone": ""})
	c.expired.Store(true)
	c.silent.Store(false)
	do(api.Update(t.Context(), aNode("c", noSchedule("c", "2")), metav1.UpdateOptions{}))
	expect("another list", map[string]string{"a": "", "c": "c=2:NoSchedule", "d": ""})
	if n := index.tombstones.Load(); n != 1 {
		t.Errorf("%d tombstones, want 1", n)
	}
}

// eventually reports whether the condition becomes true in time.
func eventually(condition func() bool) bool {
	for start := time.Now(); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > patience {
			return false
		}
	}
	return true
}

// contents returns the taints of each node as text.
func contents(s *fleet.Snapshot[string]) map[string]string {
	found := map[string]string{}
	var a fleet.Answer[string]
	s.Query(&a, nil)
	for group := range a.AllGroups() {
		for name := range group.Nodes() {
			found[name] = taint.List(slices.Collect(group.Taints())).String()
		}
	}
	return found
}
