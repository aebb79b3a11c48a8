package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The kinds of nodes and pods that big clusters are made of: node i is of kind
// i modulo their number, and so are pods.
var (
	nodeKinds = []string{
		"", "", "", "", // 40 % of a fleet bear no taint
		"node-role.kubernetes.io/control-plane:NoSchedule",
		"nvidia.com/gpu=present:NoSchedule",
		"dedicated=batch:NoSchedule,dedicated=batch:NoExecute",
		"spot=true:PreferNoSchedule",
		"node.kubernetes.io/not-ready:NoSchedule,node.kubernetes.io/not-ready:NoExecute",
		"pool=%d:NoSchedule", // many pools
	}
	podKinds = [][]string{
		{"node.kubernetes.io/not-ready:NoExecute op=Exists for 300s", "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"},
		{"op=Exists"},
		{"nvidia.com/gpu:NoSchedule op=Exists"},
		{"dedicated=batch op=Equal"},
		{"spot op=Exists", "pool=7:NoSchedule"},
		{"pool=%d:NoSchedule"}, // many teams
		{},
	}
)

const pools = 20

func nodeTaints(i int) []taint.Taint {
	text := nodeKinds[i%len(nodeKinds)]
	if strings.Contains(text, "%d") {
		text = fmt.Sprintf(text, i/len(nodeKinds)%pools)
	}
	ts, err := taint.ParseList(text)
	if err != nil {
		panic(err)
	}
	return ts
}

func podTolerations(i int) (us []toleration.Toleration) {
	for _, text := range podKinds[i%len(podKinds)] {
		if strings.Contains(text, "%d") {
			text = fmt.Sprintf(text, i/len(podKinds)%pools)
		}
		us = append(us, toleration.MustParse(text))
	}
	return us
}

// A bigCluster is the JSON of a List of so many nodes and pods, made as it is
// read. What else an object holds is that of the sample's, and padding.
type bigCluster struct {
	nodes, pods int
	padding     int // bytes for each object
	next        int
	buf         bytes.Buffer
	node, pod   string // the rest of each object
}

func newBigCluster(nodes, pods, padding int) *bigCluster {
	c := &bigCluster{nodes: nodes, pods: pods, padding: padding}
	var list struct{ Items []map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(sample), &list); err != nil {
		panic(err)
	}
	c.node, c.pod = rest(list.Items[0]), rest(list.Items[len(list.Items)-1])
	return c
}

func rest(object map[string]json.RawMessage) string {
	for _, name := range []string{"kind", "apiVersion", "metadata", "spec"} {
		delete(object, name)
	}
	text, err := json.MarshalIndent(object, "        ", "    ")
	if err != nil {
		panic(err)
	}
	return strings.TrimPrefix(string(text), "{")
}

func (c *bigCluster) Read(b []byte) (int, error) {
	for c.buf.Len() == 0 {
		if c.next > c.nodes+c.pods {
			return 0, io.EOF
		}
		c.object(c.next)
		c.next++
	}
	return c.buf.Read(b)
}

func (c *bigCluster) object(i int) {
	if i == 0 {
		c.buf.WriteString("{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n")
	}
	if i == c.nodes+c.pods {
		c.buf.WriteString("\n    ],\n    \"kind\": \"List\"\n}\n")
		return
	}
	if i > 0 {
		c.buf.WriteString(",\n")
	}
	kind, name, text, spec := "Node", fmt.Sprintf("node-%05d", i), c.node, fmt.Sprintf(`"taints": %s`, jsonOf(nodeTaints(i)))
	if p := i - c.nodes; p >= 0 {
		kind, name, text, spec = "Pod", fmt.Sprintf("pod-%05d", p), c.pod, fmt.Sprintf(`"tolerations": %s`, jsonOf(podTolerations(p)))
		if p%4 != 0 {
			spec += fmt.Sprintf(`, "nodeName": "node-%05d"`, p%c.nodes)
		}
	}
	fmt.Fprintf(&c.buf, "        {\n            \"apiVersion\": \"v1\", \"kind\": %q,\n            \"metadata\": {\"name\": %q, \"annotations\": {\"padding\": %q}},\n            \"spec\": {%s},%s",
		kind, name, strings.Repeat("abcdefg ", c.padding/8), spec, text)
}

func jsonOf(v any) string {
	text, err := json.MarshalIndent(v, "            ", "    ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// wanted judges every pod against every node, one toleration and one taint at
// a time.
func wanted(nodes [][]taint.Taint, tolerations []toleration.Toleration) (n [4]int) {
	for _, taints := range nodes {
		v := mayRun
		for _, t := range taints {
			tolerated := false
			for _, u := range tolerations {
				tolerated = tolerated || u.Tolerates(t)
			}
			switch {
			case tolerated:
			case t.Effect() != taint.PreferNoSchedule:
				v = mayNot
			case v == mayRun:
				v = ratherNot
			}
		}
		n[v]++
	}
	return n
}

func TestBigCluster(t *testing.T) {
	const nodes, pods, kinds = 5_000, 20_000, 7 * pools // pods repeat after so many
	var stdout, stderr bytes.Buffer
	status := run([]string{"-o", "json"}, newBigCluster(nodes, pods, 0), &stdout, &stderr, noEnv)
	if status != statusFits || stderr.Len() > 0 {
		t.Fatalf("status %d, %s", status, &stderr)
	}
	var out struct {
		Pods []struct {
			Name                               string
			MayRun, RatherNot, MayNot, Unknown int
			Reasons                            []struct{ Nodes int }
			Eviction                           struct {
				When    string
				Seconds int
			}
		}
		Summary map[string]any
	}
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Pods) != pods {
		t.Fatalf("%d pods", len(out.Pods))
	}
	fleet := make([][]taint.Taint, nodes)
	for i := range fleet {
		fleet[i] = nodeTaints(i)
	}
	var want [kinds][4]int
	for i := range want {
		want[i] = wanted(fleet, podTolerations(i))
	}
	later := 0
	for i, p := range out.Pods {
		got := [4]int{p.Unknown, p.MayRun, p.RatherNot, p.MayNot}
		if p.Name != fmt.Sprintf("pod-%05d", i) || got != want[i%kinds] {
			t.Fatalf("pod %d: %+v, want %v", i, p, want[i%kinds])
		}
		for j := 1; j < len(p.Reasons); j++ {
			if p.RatherNot == 0 && p.Reasons[j].Nodes > p.Reasons[j-1].Nodes {
				t.Fatalf("pod %d: the most frequent reason does not come first: %v", i, p.Reasons)
			}
		}
		if p.Eviction.When == "later" {
			later++
			if p.Eviction.Seconds != 300 {
				t.Fatalf("pod %d: %+v", i, p.Eviction)
			}
		}
	}
	if later == 0 || out.Summary["goLater"] != float64(later) || out.Summary["nodes"] != float64(nodes) {
		t.Errorf("%d pods go later; summary %v", later, out.Summary)
	}
}

// Every node and every pod is one of its kind: nothing can be decided once for
// many, and the reasons alone would fill the memory if all were kept.
func TestAllDifferent(t *testing.T) {
	const n = 150
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`, i, i)
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"tolerations":[{"key":"k%d","operator":"Exists"}]}}`, i, i)
	}
	c := load(inputs(options{files: []string{"-"}}, strings.NewReader(b.String()), io.Discard), nil)
	if len(c.pods) != n || len(c.problems) > 0 {
		t.Fatal(len(c.pods), c.problems)
	}
	r := report{cluster: c, judge: judge{cluster: c, room: 10 * n}}
	for range 2 { // what was dropped is decided again
		for i, p := range c.pods {
			d := r.judge.decision(p)
			if got, want := r.nodesOf(p), [4]int{mayRun: 1, mayNot: n - 1}; got != want || len(d.reasons) != n-1 {
				t.Fatalf("pod %d: %v, %d reasons", i, got, len(d.reasons))
			}
			if r.judge.reasons > 12*n || len(r.judge.held) > 12 {
				t.Fatalf("pod %d: %d reasons of %d decisions are kept", i, r.judge.reasons, len(r.judge.held))
			}
		}
	}
}

// BenchmarkBigCluster reads objects of the size that they have in real
// clusters, about 8 kB. MB-sys is all memory that the process ever had from the
// system.
func BenchmarkBigCluster(b *testing.B) {
	for _, form := range []string{"text", "json"} {
		b.Run("nodes=5000/pods=20000/o="+form, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := newBigCluster(5_000, 20_000, 6_000)
				if status := run([]string{"-o", form}, in, io.Discard, io.Discard, noEnv); status != statusFits {
					b.Fatal(status)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
		})
	}
}
