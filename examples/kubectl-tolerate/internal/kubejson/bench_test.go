package kubejson

import (
	"bufio"
	_ "embed"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var (
	//go:embed testdata/node.txt
	nodeText string
	//go:embed testdata/pod.txt
	podText string
)

// The taints of nodes and the tolerations of pods, beside the two that every pod
// gets from admission.
var (
	moreTaints = []string{"", `
                "taints": [
                    {
                        "effect": "NoSchedule",
                        "key": "pool",
                        "value": "TEAM"
                    }
                ],`}
	moreTolerations = []string{"", "", "", "", `
                    {
                        "effect": "NoSchedule",
                        "key": "nvidia.com/gpu",
                        "operator": "Exists"
                    },`, `
                    {
                        "key": "pool",
                        "operator": "Equal",
                        "value": "TEAM"
                    },`}
)

// One list of tolerations for each pod.
var distinctTolerations = []string{strings.ReplaceAll(moreTolerations[len(moreTolerations)-1], "TEAM", "NUMBER")}

// writeCluster writes what kubectl get nodes,pods -A -o json --show-managed-fields
// prints for so many nodes and pods, which have those more tolerations in turn.
func writeCluster(w io.Writer, nodes, pods int, tolerations []string) error {
	b := bufio.NewWriter(w)
	b.WriteString("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	for i := range nodes + pods {
		n, text, more := i, nodeText, moreTaints
		if i >= nodes {
			n, text, more = i-nodes, podText, tolerations
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		text = strings.Replace(strings.TrimSuffix(text, "\n"), "MORE", more[n%len(more)], 1)
		_, _ = strings.NewReplacer("NUMBER", fmt.Sprintf("%05d", n), "NODE", fmt.Sprintf("node-%05d", n%nodes),
			"TEAM", fmt.Sprintf("team-%d", n%40), "APP", fmt.Sprintf("app-%d", n%700)).WriteString(b, text)
	}
	b.WriteString("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
	return b.Flush()
}

// A watched reader watches how much memory the program has while it reads.
type watched struct {
	io.Reader
	peak uint64
}

func (w *watched) Read(b []byte) (int, error) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	w.peak = max(w.peak, s[0].Value.Uint64()-s[1].Value.Uint64())
	return w.Reader.Read(b)
}

// counts are what was read: objects, taints, tolerations.
type counts [3]int

func (c *counts) add(taints taint.List, tolerations toleration.List) {
	*c = counts{c[0] + 1, c[1] + len(taints), c[2] + len(tolerations)}
}

func countTolerate(r io.Reader) (c counts, _ error) {
	for o, err := range Objects("f", r) {
		if err != nil {
			return c, err
		}
		n, nodeErr := Node{}, error(nil)
		p, podErr := Pod{}, error(nil)
		if o.Is("Node") {
			n, nodeErr = o.Node()
		} else {
			p, podErr = o.Pod()
		}
		if err := errors.Join(nodeErr, podErr); err != nil {
			return c, err
		}
		c.add(n.Taints, p.Tolerations)
	}
	return c, nil
}

// countStandard is what one writes with encoding/json for exactly this input.
func countStandard(r io.Reader) (c counts, _ error) {
	d := stdjson.NewDecoder(r)
	for range 5 { // {"apiVersion":"v1","items":[
		if _, err := d.Token(); err != nil {
			return c, err
		}
	}
	for d.More() {
		var o struct {
			Kind     string
			Metadata struct{ Namespace, Name string }
			Spec     struct {
				Taints        taint.List
				Unschedulable bool
				NodeName      string
				Tolerations   toleration.List
			}
			Status struct{ Phase string }
		}
		if err := d.Decode(&o); err != nil {
			return c, err
		}
		c.add(o.Spec.Taints, o.Spec.Tolerations)
	}
	return c, nil
}

var readers = []struct {
	impl string
	read func(io.Reader) (counts, error)
}{
	{"tolerate", countTolerate},
	{"encoding-json", countStandard},
}

// All that are measured read the same.
func TestCluster(t *testing.T) {
	var text strings.Builder
	if err := writeCluster(&text, 10, 100, moreTolerations); err != nil {
		t.Fatal(err)
	}
	for _, reader := range readers {
		if got, err := reader.read(strings.NewReader(text.String())); err != nil || got != (counts{110, 5, 232}) {
			t.Errorf("%s: %v, %v", reader.impl, got, err)
		}
	}
}

// BenchmarkRead reads the objects of a whole cluster from a file. In distinct, a tenth
// of its size, no two pods have the same tolerations.
func BenchmarkRead(b *testing.B) {
	for _, input := range []struct {
		name        string
		nodes, pods int
		tolerations []string
	}{
		{"cluster", 5_000, 50_000, moreTolerations},
		{"distinct", 500, 5_000, distinctTolerations},
	} {
		file, err := os.Create(filepath.Join(b.TempDir(), input.name))
		if err != nil {
			b.Fatal(err)
		}
		defer file.Close()
		if err := writeCluster(file, input.nodes, input.pods, input.tolerations); err != nil {
			b.Fatal(err)
		}
		size, _ := file.Seek(0, io.SeekCurrent)
		for _, reader := range readers {
			b.Run("objects="+input.name+"/impl="+reader.impl, func(b *testing.B) {
				b.SetBytes(size)
				b.ReportAllocs()
				var peak uint64
				for b.Loop() {
					_, _ = file.Seek(0, io.SeekStart)
					w := &watched{Reader: file}
					c, err := reader.read(w)
					if err != nil || c[0] != input.nodes+input.pods {
						b.Fatal(c, err)
					}
					peak = max(peak, w.peak)
				}
				b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
			})
		}
	}
}
