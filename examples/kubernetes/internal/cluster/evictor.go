package cluster

import (
	"context"
	"errors"

	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

// StartDeviceEvictor starts the controller that evicts pods because of the taints of
// their devices, as kube-controller-manager does, but with one worker, so that
// it evicts in order. It runs until stop is called, which waits for its end and
// returns the error of its start, if any.
func (c *Cluster) StartDeviceEvictor(ctx context.Context) (stop func() error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	v1 := factory.Resource().V1()
	evictor := devicetainteviction.New(c.Client, factory.Core().V1().Pods(),
		v1.ResourceClaims(), v1.ResourceSlices(), v1.DeviceTaintRules(), v1.DeviceClasses(), "device-taint-eviction-controller")
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	factory.Start(ctx.Done())
	go func() { ended <- evictor.Run(ctx, 1) }()
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
