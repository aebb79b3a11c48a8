package informer_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube/informer"
	"github.com/go-tolerate/tolerate/taint"
)

// A client-go informer calls the handler for the objects of its first list and for watch
// events.
func TestNodes_informer(t *testing.T) {
	client := fake.NewSimpleClientset(aNode("a"), aNode("b", noSchedule("k", "")), aNode("other"))
	var watches atomic.Int64
	client.PrependWatchReactor("nodes", func(action clienttesting.Action) (bool, watch.Interface, error) {
		w, err := client.Tracker().Watch(action.GetResource(), action.GetNamespace())
		watches.Add(1)
		return true, w, err
	})
	nodes := informer.New(func(n *corev1.Node, err error) { t.Error(n.Name, err) })
	factory := informers.NewSharedInformerFactory(client, 0)
	handler, err := factory.Core().V1().Nodes().Informer().AddEventHandler(nodes)
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	factory.Start(stop)
	defer factory.Shutdown()
	defer close(stop)
	expect := func(step string, want map[string]string) {
		t.Helper()
		if !eventually(func() bool { return cmp.Equal(want, contents(nodes.Snapshot())) }) {
			t.Fatalf("after %s: nodes mismatch (-want +got):\n%s", step, cmp.Diff(want, contents(nodes.Snapshot())))
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
	if !eventually(func() bool { return handler.HasSynced() && watches.Load() == 1 }) {
		t.Fatal("the handler is not synced")
	}
	expect("the first list", map[string]string{"a": "", "b": "k:NoSchedule", "other": ""})
	do(api.Create(t.Context(), aNode("c", noSchedule("c", "1")), metav1.CreateOptions{}))
	do(api.Update(t.Context(), aNode("a", noSchedule("a", "1")), metav1.UpdateOptions{}))
	do(nil, api.Delete(t.Context(), "b", metav1.DeleteOptions{}))
	expect("add, update and delete", map[string]string{"a": "a=1:NoSchedule", "c": "c=1:NoSchedule", "other": ""})
}

// eventually reports whether the condition becomes true in time.
func eventually(condition func() bool) bool {
	for start := time.Now(); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > time.Minute {
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
