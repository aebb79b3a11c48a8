package cluster

import (
	"context"
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// StartEvictor starts the controller that evicts pods because of the taints of their
// nodes. It runs until stop is called, which waits for its end.
func (c *Cluster) StartEvictor(ctx context.Context) (stop func(), err error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	core := factory.Core().V1()
	if err := controller.AddPodNodeNameIndexer(core.Pods().Informer()); err != nil {
		return nil, err
	}
	evictor, err := tainteviction.New(ctx, c.Client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { evictor.Run(ctx) })
	return func() { cancel(); running.Wait(); factory.Shutdown() }, nil
}
