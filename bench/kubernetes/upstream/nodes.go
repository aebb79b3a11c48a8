//go:build !k134 && !k135 && !k136

package upstream

import (
	"context"
	"reflect"
	"time"
	_ "unsafe" // for go:linkname

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/flowcontrol"
	nodetopology "k8s.io/component-helpers/node/topology"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle/scheduler"
)

//go:linkname doNoScheduleTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoScheduleTaintingPass
func doNoScheduleTaintingPass(c *nodelifecycle.Controller, ctx context.Context, nodeName string) error

//go:linkname doNoExecuteTaintingPass k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).doNoExecuteTaintingPass
func doNoExecuteTaintingPass(c *nodelifecycle.Controller, ctx context.Context)

//go:linkname monitorNodeHealth k8s.io/kubernetes/pkg/controller/nodelifecycle.(*Controller).monitorNodeHealth
func monitorNodeHealth(c *nodelifecycle.Controller, ctx context.Context) error

// Rates are the settings of the node lifecycle controller.
type Rates struct {
	Normal, Partial float32 // nodes a second
	Large           int32   // a zone with more nodes continues at Partial; a smaller one stops
	Threshold       float32 // the share of nodes that are not ready from which a zone is partial
}

// DefaultRates are the settings of the controller manager.
func DefaultRates() Rates { return Rates{Normal: 0.1, Partial: 0.01, Large: 50, Threshold: 0.55} }

var nodesResource = corev1.SchemeGroupVersion.WithResource("nodes")

// Nodes is the node lifecycle controller with an API server that has only
// nodes. It uses the clock of package time; tests run it in a bubble of
// testing/synctest.
type Nodes struct {
	controller *nodelifecycle.Controller
	lister     cache.Indexer
	server     clienttesting.ObjectTracker
}

// NewNodes returns a controller without nodes. It stops when the context is
// cancelled.
func NewNodes(ctx context.Context, rates Rates) *Nodes {
	server := clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())
	client := &fake.Clientset{}
	client.AddReactor("*", "nodes", clienttesting.ObjectReaction(server))
	factory := informers.NewSharedInformerFactory(client, 0)
	const grace = 1000 * time.Hour // no node becomes unreachable by itself; tests set the conditions of nodes
	c, err := nodelifecycle.NewNodeLifecycleController(klog.NewContext(ctx, discard),
		factory.Coordination().V1().Leases(), factory.Core().V1().Pods(), factory.Core().V1().Nodes(), factory.Apps().V1().DaemonSets(),
		client, time.Second, grace, grace, rates.Normal, rates.Partial, rates.Large, rates.Threshold)
	must(err)
	*field[record.EventRecorder](c, "recorder") = &record.FakeRecorder{} // this recorder writes nowhere
	context.AfterFunc(ctx, func() {
		shutDown(c, "nodeUpdateQueue")
		shutDown(c, "podUpdateQueue")
	})
	return &Nodes{c, factory.Core().V1().Nodes().Informer().GetIndexer(), server}
}

// Set makes these the cluster's nodes.
func (n *Nodes) Set(nodes ...*corev1.Node) {
	for _, node := range n.list() {
		must(n.server.Delete(nodesResource, "", node.Name))
	}
	for _, node := range nodes {
		must(n.server.Add(node))
	}
}

func (n *Nodes) list() []corev1.Node {
	list, err := n.server.List(nodesResource, corev1.SchemeGroupVersion.WithKind("Node"), "")
	must(err)
	return list.(*corev1.NodeList).Items
}

// sync passes the state of the API server to the controller.
func (n *Nodes) sync() {
	var list []any
	for _, node := range n.list() {
		list = append(list, &node)
	}
	must(n.lister.Replace(list, ""))
}

// NoSchedule makes the controller reconcile the NoSchedule taints of a node.
func (n *Nodes) NoSchedule(name string) {
	n.sync()
	must(n.Look(name))
	n.sync()
}

// Look is NoSchedule with the last state that the controller received.
func (n *Nodes) Look(name string) error { return doNoScheduleTaintingPass(n.controller, quiet, name) }

// Monitor makes the controller evaluate all nodes: the states and rates of
// their zones, which NoExecute taints are removed or replaced, and which
// nodes wait for one.
func (n *Nodes) Monitor() {
	n.sync()
	must(monitorNodeHealth(n.controller, quiet))
	n.sync()
}

// NoExecute makes the controller taint the waiting nodes, as far as the rates
// allow.
func (n *Nodes) NoExecute() {
	n.sync()
	doNoExecuteTaintingPass(n.controller, quiet)
	n.sync()
}

// Taints returns the taints of a node.
func (n *Nodes) Taints(name string) []corev1.Taint {
	node, err := n.server.Get(nodesResource, "", name)
	must(err)
	return node.(*corev1.Node).Spec.Taints
}

// Zone returns the controller's zone for a node's labels.
func Zone(node *corev1.Node) string { return nodetopology.GetZoneKey(node) }

// State returns the controller's name for the state of a zone, "" for an unknown
// zone.
func (n *Nodes) State(zone string) string {
	return string((*field[map[string]nodelifecycle.ZoneState](n.controller, "zoneStates"))[zone])
}

// Rate returns how many nodes a second of a zone the controller taints.
func (n *Nodes) Rate(zone string) float32 {
	queue := (*field[map[string]*scheduler.RateLimitedTimedQueue](n.controller, "zoneNoExecuteTainter"))[zone]
	limiter := *field[flowcontrol.RateLimiter](queue, "limiter")
	if reflect.TypeOf(limiter) == reflect.TypeOf(flowcontrol.NewFakeNeverRateLimiter()) {
		return 0 // which would report a rate of 1
	}
	return limiter.QPS()
}
