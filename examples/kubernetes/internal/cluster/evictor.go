package cluster

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// run runs a controller, and starts its informers, until stop is called.
func run(ctx context.Context, factory informers.SharedInformerFactory, controller func(context.Context) error) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	factory.Start(ctx.Done())
	go func() { ended <- controller(ctx) }()
	return func() error {
		cancel()
		err := <-ended
		factory.Shutdown()
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
}

// StartEvictor starts the controller that evicts pods because of the taints of their
// nodes. It runs until stop is called, which waits for its end.
func (c *Cluster) StartEvictor(ctx context.Context) (stop func() error, err error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	core := factory.Core().V1()
	if err := core.Pods().Informer().AddIndexers(cache.Indexers{"spec.nodeName": func(pod any) ([]string, error) {
		return []string{pod.(*corev1.Pod).Spec.NodeName}, nil
	}}); err != nil {
		return nil, err
	}
	evictor, err := tainteviction.New(ctx, c.Client, core.Pods(), core.Nodes(), "taint-eviction-controller")
	if err != nil {
		return nil, err
	}
	return run(ctx, factory, func(ctx context.Context) error { evictor.Run(ctx); return nil }), nil
}
