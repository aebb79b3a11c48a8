package kubernetes_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/examples/kubernetes/plugin"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// BenchmarkScheduler binds pods by a kube-scheduler in a process of its own, with
// its default plugins and either plugin for taints. One operation is all pods of
// one run, from the first that is bound to the last; they are created before the
// scheduler starts. cpu-s/1000pods is the scheduler's own time in that interval,
// not that of the API server and etcd, which share the processors.
//
// open is the share of the nodes that the pods may be scheduled to.
func BenchmarkScheduler(b *testing.B) {
	nodes, pods := 5000, 1000
	if testing.Short() {
		nodes, pods = 100, 20
	}
	stopScheduler() // that of the tests
	if err := live.Client.CoreV1().Nodes().DeleteCollection(b.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil {
		b.Fatal(err)
	}
	var created []*corev1.Node
	for _, tt := range []struct {
		open        string
		taints      []taint.List
		tolerations toleration.List
	}{
		{"half", workload.Fleet(nodes, 1), workload.Pod()},
		{"1%", dedicated(nodes), workload.Pod()},
	} {
		b.Run(fmt.Sprintf("nodes=%d/open=%s", nodes, tt.open), func(b *testing.B) {
			created = tainted(b, created, tt.taints)
			for impl, profile := range map[string]string{"kubernetes": upstream, "tolerate": ours} {
				b.Run("impl="+impl, func(b *testing.B) {
					var used time.Duration
					for b.Loop() {
						used += bind(b, profile, pods, tt.tolerations)
					}
					done := float64(b.N * (pods - 1))
					b.ReportMetric(done/b.Elapsed().Seconds(), "pods/s")
					b.ReportMetric(used.Seconds()*1000/done, "cpu-s/1000pods")
				})
			}
		})
	}
}

// dedicated returns the taints of n nodes in a hundred pools.
func dedicated(n int) []taint.List {
	fleet := make([]taint.List, n)
	for i := range fleet {
		fleet[i] = taint.List{taint.MustParse(fmt.Sprintf("dedicated=team-%d:NoSchedule", i%100))}
	}
	return fleet
}

func removePods(b *testing.B) {
	now := int64(0)
	if err := live.Client.CoreV1().Pods("default").DeleteCollection(b.Context(), metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}); err != nil {
		b.Fatal(err)
	}
}

// tainted gives the nodes these taints, and creates them first where there are none.
func tainted(b *testing.B, nodes []*corev1.Node, taints []taint.List) []*corev1.Node {
	changed := make([]*corev1.Node, len(taints))
	parallel(len(taints), func(i int) {
		if nodes == nil {
			changed[i] = createNode(b.Context(), b, fmt.Sprintf("node-%04d", i), taints[i])
			return
		}
		n := nodes[i].DeepCopy()
		n.Spec.Taints = kube.CoreTaints(taints[i])
		var err error
		if changed[i], err = live.Client.CoreV1().Nodes().Update(b.Context(), n, metav1.UpdateOptions{}); err != nil {
			b.Error(err)
		}
	})
	if b.Failed() {
		b.FailNow()
	}
	return changed
}

// bind creates pods and has a scheduler bind them. The timer runs between the
// first and the last; bind returns the processor time that the scheduler used then.
func bind(b *testing.B, profile string, pods int, tolerations toleration.List) (used time.Duration) {
	b.StopTimer()
	defer b.StartTimer()
	removePods(b)
	ctx, client := b.Context(), live.Client.CoreV1().Pods("default")
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("128Mi")}
	parallel(pods, func(i int) {
		p := unpinned(fmt.Sprint("pod-", i), profile, tolerations)
		p.Spec.Containers[0].Resources.Requests = requests
		if _, err := client.Create(ctx, p, metav1.CreateOptions{}); err != nil {
			b.Error(err)
		}
	})
	if b.Failed() {
		b.FailNow()
	}
	bound := make(chan struct{}, pods)
	factory := informers.NewSharedInformerFactoryWithOptions(live.Client, 0, informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.FieldSelector = "spec.nodeName!=" }))
	defer factory.Shutdown()
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(any) { bound <- struct{}{} }}); err != nil {
		b.Fatal(err)
	}
	factory.Start(watching.Done())
	factory.WaitForCacheSync(watching.Done())
	s := startProcess(b)
	<-bound
	before := s.used(b)
	b.StartTimer()
	for range pods - 1 {
		<-bound
	}
	b.StopTimer()
	used = s.used(b) - before
	s.stop(b)
	return used
}

// schedulerFile is the environment variable that makes the test's program a
// kube-scheduler; its value is the name of the configuration file.
const schedulerFile = "TOLERATE_SCHEDULER"

// runScheduler is the process of [startProcess]. It answers each line of its input
// with the processor time that it has used, and ends with its input.
func runScheduler(config string) {
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
				panic(err)
			}
			fmt.Println(time.Duration(u.Utime.Nano() + u.Stime.Nano()))
		}
		os.Exit(0)
	}()
	command := app.NewSchedulerCommand(app.WithPlugin(plugin.Name, plugin.New))
	command.SetArgs([]string{"--config=" + config, "--secure-port=0"})
	os.Exit(cli.Run(command))
}

// A process is a kube-scheduler in a process of its own.
type process struct {
	command *exec.Cmd
	stdin   io.WriteCloser
	stdout  *bufio.Scanner
}

func startProcess(b *testing.B) *process {
	dir := b.TempDir()
	config := filepath.Join(dir, "scheduler.yaml")
	if err := os.WriteFile(config, fmt.Appendf(nil, schedulerConfig, live.KubeConfig), 0o600); err != nil {
		b.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	s := &process{command: exec.Command(program)}
	s.command.Env = append(os.Environ(), schedulerFile+"="+config)
	if s.stdin, err = s.command.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	stdout, err := s.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	s.stdout = bufio.NewScanner(stdout)
	if err := s.command.Start(); err != nil {
		b.Fatal(err)
	}
	return s
}

// used returns the processor time that the process has used.
func (s *process) used(b *testing.B) time.Duration {
	if _, err := fmt.Fprintln(s.stdin); err != nil {
		b.Fatal(err)
	}
	if !s.stdout.Scan() {
		b.Fatal("the scheduler has ended")
	}
	used, err := time.ParseDuration(s.stdout.Text())
	if err != nil {
		b.Fatal(err)
	}
	return used
}

func (s *process) stop(b *testing.B) {
	if err := s.stdin.Close(); err != nil {
		b.Error(err)
	}
	if err := s.command.Wait(); err != nil {
		b.Error(err)
	}
}
