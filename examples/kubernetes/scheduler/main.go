// Scheduler is a kube-scheduler that also has the plugin Tolerate (package
// plugin). It is configured and run as kube-scheduler is; scheduler.yaml beside
// it lets the plugin take the place of Kubernetes' own.
//
//	go run ./scheduler --config scheduler/scheduler.yaml
package main

import (
	"os"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // its metrics
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New))))
}
