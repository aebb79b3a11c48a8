package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/klog/v2"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/nodelifecycle"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/resourceclaim"
	"k8s.io/kubernetes/pkg/controller/statefulset"
	"k8s.io/kubernetes/pkg/controller/tainteviction"
)

// StartScheduler starts a kube-scheduler with this configuration file and these
// plugins. It runs until stop is called, which waits for its end. A process can
// have one, since metrics are global.
func (c *Cluster) StartScheduler(ctx context.Context, config string, plugins ...scheduler.Option) (stop func(), err error) {
	opts := options.NewOptions()
	opts.ConfigFile = filepath.Join(c.dir, "scheduler.yaml")
	opts.SecureServing.BindPort = 0 // nobody reads its metrics
	if err := os.WriteFile(opts.ConfigFile, []byte(config), 0o600); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	completed, sched, err := scheduler.Setup(ctx, opts, plugins...)
	if err != nil {
		cancel()
		return nil, fmt.Errorf("kube-scheduler: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = scheduler.Run(ctx, completed, sched) // it calls its end an error
	}()
	return func() { cancel(); <-ended }, nil
}

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
	return run(ctx, factory, evictor.Run), nil
}

// StartDaemonSets starts the controller of DaemonSets, as the user of the client. It runs
// until stop is called, which waits for its end.
func StartDaemonSets(ctx context.Context, client kubernetes.Interface) (stop func(), err error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	apps, core := factory.Apps().V1(), factory.Core().V1()
	daemons, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), client, flowcontrol.NewBackOff(time.Second, time.Minute))
	if err != nil {
		return nil, err
	}
	return run(ctx, factory, func(ctx context.Context) { daemons.Run(ctx, 1) }), nil
}

// StartWorkloads starts the controllers of Deployments, ReplicaSets and StatefulSets. They run
// until stop is called, which waits for their end.
func (c *Cluster) StartWorkloads(ctx context.Context) (stop func(), err error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	apps, core := factory.Apps().V1(), factory.Core().V1()
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), c.Client)
	if err != nil {
		return nil, err
	}
	sets := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), c.Client, 500)
	stateful := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), c.Client)
	return run(ctx, factory, func(ctx context.Context) {
		var running sync.WaitGroup
		for _, loop := range []func(context.Context, int){deployments.Run, sets.Run, stateful.Run} {
			running.Go(func() { loop(ctx, 1) })
		}
		running.Wait()
	}), nil
}

// StartNodeLifecycle starts the controller that sets the taints of conditions and cordons, and
// finds a node unreachable whose status nobody writes for four seconds. It runs until stop is called,
// which waits for its end.
func (c *Cluster) StartNodeLifecycle(ctx context.Context) (stop func(), err error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	core, often, grace, rate := factory.Core().V1(), 100*time.Millisecond, 4*time.Second, float32(100)
	nodes, err := nodelifecycle.NewNodeLifecycleController(ctx, factory.Coordination().V1().Leases(), core.Pods(), core.Nodes(), factory.Apps().V1().DaemonSets(), c.Client, often, grace, grace, rate, rate, 50, 1)
	if err != nil {
		return nil, err
	}
	return run(ctx, factory, nodes.Run), nil
}

// StartClaims starts the controller that creates ResourceClaims from templates. It runs
// until stop is called, which waits for its end.
func (c *Cluster) StartClaims(ctx context.Context) (stop func(), err error) {
	factory := informers.NewSharedInformerFactory(c.Client, 0)
	resource := factory.Resource().V1()
	claims, err := resourceclaim.NewController(klog.FromContext(ctx), c.Client, factory.Core().V1().Pods(), factory.Scheduling().V1beta1().PodGroups(), resource.ResourceClaims(), resource.ResourceClaimTemplates())
	if err != nil {
		return nil, err
	}
	return run(ctx, factory, func(ctx context.Context) { claims.Run(ctx, 1) }), nil
}

// run runs the loop of a controller, and its informers, until stop is called.
func run(ctx context.Context, factory informers.SharedInformerFactory, loop func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	factory.Start(ctx.Done())
	var running sync.WaitGroup
	running.Go(func() { loop(ctx) })
	return func() { cancel(); running.Wait(); factory.Shutdown() }
}
