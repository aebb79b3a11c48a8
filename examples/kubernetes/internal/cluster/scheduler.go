package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
)

// StartScheduler starts a kube-scheduler with this configuration file and these
// plugins. It runs until stop is called, which waits for its end. A process can
// have one, since metrics are global.
func (c *Cluster) StartScheduler(ctx context.Context, config string, plugins ...scheduler.Option) (stop func(), err error) {
	file := filepath.Join(c.dir, "scheduler.yaml")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	opts := options.NewOptions()
	opts.SecureServing.Listener = listener
	opts.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	set := pflag.NewFlagSet("kube-scheduler", pflag.ContinueOnError)
	for _, part := range opts.Flags.FlagSets {
		set.AddFlagSet(part)
	}
	if err := set.Parse([]string{
		"--config=" + file,
		"--cert-dir=" + filepath.Join(c.dir, "scheduler"),
		"--bind-address=127.0.0.1",
		"--authentication-kubeconfig=" + c.KubeConfig,
		"--authorization-kubeconfig=" + c.KubeConfig,
		"--authentication-tolerate-lookup-failure",
	}); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	ctx, cancel := context.WithCancel(ctx)
	completed, sched, err := scheduler.Setup(ctx, opts, plugins...)
	if err != nil {
		cancel()
		return nil, errors.Join(fmt.Errorf("kube-scheduler: %w", err), listener.Close())
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = scheduler.Run(ctx, completed, sched) // it calls its end an error
	}()
	return func() { cancel(); <-ended }, nil
}
