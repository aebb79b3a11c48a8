package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// BenchmarkWhy reads the output of kubectl get nodes,pods -A -o json, of 5,000 nodes and
// 50,000 pods, and reports why each pod waits. MiB is the largest heap at any time.
func BenchmarkWhy(b *testing.B) {
	node, err := os.ReadFile("testdata/node.txt")
	if err != nil {
		b.Fatal(err)
	}
	pod, err := os.ReadFile("testdata/pod.txt")
	if err != nil {
		b.Fatal(err)
	}
	for _, nodes := range []int{500, 5000} {
		pods := 10 * nodes
		b.Run(fmt.Sprintf("pods=%d/impl=tolerate", pods), func(b *testing.B) {
			in := &input{nodes: nodes, pods: pods, node: string(node), pod: string(pod)}
			for b.Loop() {
				r, w := io.Pipe()
				go func() { _ = w.CloseWithError(in.write(w)) }()
				watched := &heap{Reader: r}
				var errOut strings.Builder
				if status := run(b.Context(), cli.NewEnv(watched, io.Discard, &errOut), []string{"why", "-f", "-"}); status != 0 {
					b.Fatal(status, errOut.String())
				}
				b.ReportMetric(float64(watched.peak)/(1<<20), "MiB")
			}
		})
	}
}

// An input is a cluster whose nodes and pods have forty teams. Every tenth pod is pending.
type input struct {
	nodes, pods int
	node, pod   string // with placeholders
}

func (in *input) write(to io.Writer) error {
	w := bufio.NewWriter(to)
	w.WriteString(`{"apiVersion":"v1","kind":"List","items":[`)
	for i := range in.nodes + in.pods {
		n, text, more := i, in.node, `"taints": [{"effect": "NoSchedule", "key": "pool", "value": "TEAM"}],`
		if i >= in.nodes {
			n, text, more = i-in.nodes, in.pod, `{"key": "pool", "operator": "Equal", "value": "TEAM"},`
		}
		if n%3 == 0 {
			more = ""
		}
		if i > 0 {
			w.WriteString(",\n")
		}
		text = strings.Replace(text, "MORE", more, 1)
		node := fmt.Sprintf("node-%05d", n%in.nodes)
		if i >= in.nodes && n%10 == 0 { // pending
			node = ""
		}
		_, _ = strings.NewReplacer("NUMBER", fmt.Sprintf("%05d", n), "NODE", node,
			"TEAM", fmt.Sprintf("team-%d", n%40), "APP", fmt.Sprintf("app-%d", n%700)).WriteString(w, text)
	}
	w.WriteString("]}\n")
	return w.Flush()
}

// A heap records the size of the heap while it is read.
type heap struct {
	io.Reader
	peak uint64
}

func (h *heap) Read(p []byte) (int, error) {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	h.peak = max(h.peak, sample[0].Value.Uint64())
	return h.Reader.Read(p)
}
