package kubernetes_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/informer"
)

// watch returns an index of the cluster's nodes that an informer keeps up to date
// until the test ends.
func watch(t *testing.T) *informer.Nodes {
	index := informer.New(func(n *corev1.Node, err error) { t.Errorf("node %s: %v", n.Name, err) })
	factory := informers.NewSharedInformerFactory(live.Client, 0)
	handler, err := factory.Core().V1().Nodes().Informer().AddEventHandler(index)
	if err != nil {
		t.Fatal(err)
	}
	ctx := patient(t)
	t.Cleanup(factory.Shutdown) // the test's context has ended
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		t.Fatal("the informer is not synced")
	}
	return index
}

// indexed queries the index about the scheduler's pods, each of which has a node of
// its own: the answers are those of the plain filter.
func indexed(ctx context.Context, t *testing.T, index *informer.Nodes, expected map[string]bool) {
	pods, err := live.Client.CoreV1().Pods("default").List(ctx, metav1.ListOptions{LabelSelector: "scheduler=" + ours})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := index.Snapshot()
	if snapshot.Len() != nodeCount || len(pods.Items) != podCount {
		t.Fatalf("%d nodes in the index, %d pods", snapshot.Len(), len(pods.Items))
	}
	var a fleet.Answer[string]
	for i := range pods.Items {
		tolerations, err := kube.Pod(&pods.Items[i])
		if err != nil {
			t.Fatal(err)
		}
		snapshot.Query(&a, tolerations)
		name := strings.TrimPrefix(pods.Items[i].Name, ours+"-")
		node := pods.Items[i].Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
		if _, c, ok := a.Node(node); !ok || c.Schedulable() != expected[name] {
			t.Errorf("%s on node %s: %v, known %v; by the plain filter: %v", name, node, c, ok, expected[name])
		}
	}
}
