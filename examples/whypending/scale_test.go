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
		"", "", "", "", // 40 % of a fleet have no taint
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

func nodeTaints(i int) taint.List {
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

func podTolerations(i int) (us toleration.List) {
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
	taints      func(i int) taint.List
	tolerations func(i int) toleration.List
}

func newBigCluster(nodes, pods, padding int) *bigCluster {
	c := &bigCluster{nodes: nodes, pods: pods, padding: padding, taints: nodeTaints, tolerations: podTolerations}
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
	kind, name, text, spec := "Node", fmt.Sprintf("node-%05d", i), c.node, fmt.Sprintf(`"taints": %s`, jsonOf(c.taints(i)))
	if p := i - c.nodes; p >= 0 {
		kind, name, text, spec = "Pod", fmt.Sprintf("pod-%05d", p), c.pod, fmt.Sprintf(`"tolerations": %s`, jsonOf(c.tolerations(p)))
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
func wanted(nodes []taint.List, tolerations toleration.List) (n [4]int) {
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
	if testing.Short() {
		t.Skip("takes seconds, and minutes with the race detector")
	}
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
	fleet := make([]taint.List, nodes)
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

// manyTaints and manyTolerations are those of clusters where no two lists are
// alike, as far as i goes: n of them differ.
func manyTaints(i, n int) (ts taint.List) {
	i %= n
	text := []string{
		fmt.Sprintf("pool=p%d:NoSchedule,zone=z%d:NoExecute", i, i%7),
		fmt.Sprintf("tenant%d=x:NoSchedule,spot=true:PreferNoSchedule", i),
		fmt.Sprintf("avoid=a%d:PreferNoSchedule", i),
		fmt.Sprintf("avoid=a%d:PreferNoSchedule,soft%d:PreferNoSchedule", i%50, i),
		fmt.Sprintf("zone=z%d:NoExecute,cores=%d:NoSchedule", i%5, i),
	}[i%5]
	ts, err := taint.ParseList(text)
	if err != nil {
		panic(err)
	}
	return ts
}

func manyTolerations(i, n int) (us toleration.List) {
	i %= n
	zone := fmt.Sprintf("zone=z%d:NoExecute", i%7)
	for _, text := range [][]string{
		{fmt.Sprintf("pool=p%d", i), zone},
		{fmt.Sprintf("tenant%d op=Exists", i), "spot op=Exists"},
		{fmt.Sprintf("avoid=a%d", i%50), zone, fmt.Sprintf("soft%d:PreferNoSchedule", i)},
		{fmt.Sprintf("nothing%d op=Exists", i), "op=Exists", "avoid=a1"},
		{fmt.Sprintf("cores=%d op=Lt", i), "zone op=Exists"},
		{fmt.Sprintf("nothing%d op=Exists", i), ":NoExecute op=Exists", ":NoSchedule op=Exists"},
	}[i%6] {
		us = append(us, toleration.MustParse(text))
	}
	return us
}

// Where hardly two lists are alike, nothing can be decided once for many, and
// the reasons alone would fill the memory if all were kept.
func TestManyLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, and minutes with the race detector")
	}
	const n, nodes, pods = 300, 400, 600
	list := newBigCluster(nodes, pods, 0)
	list.taints = func(i int) taint.List { return manyTaints(i, n) }
	list.tolerations = func(i int) toleration.List { return manyTolerations(i, n) }
	c := load(inputs(options{files: []string{"-"}}, list, io.Discard), options{}, nil)
	if len(c.classes) != n || len(c.pods) != pods || len(c.problems) > 0 {
		t.Fatal(len(c.classes), len(c.pods), c.problems)
	}
	want := make([]*decision, n)
	for i := range want {
		want[i] = decidePlainly(c.nodes, manyTolerations(i, n))
	}
	for _, room := range []int{0, 1_000, mostReasons} {
		for _, most := range []int{0, 10} {
			for _, p := range c.pods {
				p.class.decision = nil
			}
			j := newJudge(c.classes, most)
			j.room = room
			for i, p := range c.pods {
				w := *want[i%n]
				if most > 0 {
					w.reasons = w.reasons[:min(most, len(w.reasons))]
				}
				got := *j.decision(p)
				got.reasons = j.reasons(p)
				checkDecision(t, &got, &w, p.Tolerations)
			}
			kept := 0
			for _, p := range c.pods[:n] {
				kept += len(p.class.decision.reasons)
			}
			if kept > room {
				t.Errorf("room %d, most %d: %d reasons are kept", room, most, kept)
			}
		}
	}
}

// nowhereTaints and nowhereTolerations are those of clusters where no two lists
// are alike and nothing is tolerated: every node is as near as any other.
func nowhereTaints(i int) taint.List {
	ts, err := taint.ParseList(fmt.Sprintf("pool=p%d:NoSchedule,tenant%d:NoExecute", i, i))
	if err != nil {
		panic(err)
	}
	return ts
}

func nowhereTolerations(i int) toleration.List {
	return toleration.List{toleration.MustParse(fmt.Sprintf("pool=q%d", i)), toleration.MustParse("tenant op=Exists")}
}

// For every pod that waits the output has a node: the first of all that are as
// near.
func TestNowhere(t *testing.T) {
	list := newBigCluster(300, 400, 0)
	list.taints, list.tolerations = nowhereTaints, nowhereTolerations
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-o", "json"}, list, &stdout, &stderr, noEnv); status != statusPending {
		t.Fatalf("status %d, %s", status, &stderr)
	}
	var out struct{ Pods []podOutput }
	if err := json.Unmarshal(stdout.Bytes(), &out); err != nil {
		t.Fatal(err)
	}
	for i, p := range out.Pods {
		if p.FitsNowhere != (i%4 == 0) || p.FitsNowhere && (p.Fix.Nodes != 1 || p.Fix.Taints[0].Add != "pool=p0:NoSchedule op=Equal") {
			t.Fatalf("pod %d: %+v", i, p)
		}
	}
}

// BenchmarkBigCluster reads objects of the size that they have in real
// clusters, about 8 kB. With lists=different no two nodes and no two pods are
// alike, and with lists=nowhere neither, and no pod may run on any node. MB-sys is all memory that the process ever had from the system.
func BenchmarkBigCluster(b *testing.B) {
	const nodes, pods = 5_000, 20_000
	for _, bench := range []struct{ lists, form string }{{"few", "text"}, {"few", "json"}, {"different", "text"}, {"nowhere", "text"}} {
		b.Run(fmt.Sprintf("nodes=%d/pods=%d/lists=%s/form=%s/impl=tolerate", nodes, pods, bench.lists, bench.form), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				in := newBigCluster(nodes, pods, 6_000)
				switch bench.lists {
				case "different":
					in.taints = func(i int) taint.List { return manyTaints(i, nodes) }
					in.tolerations = func(i int) toleration.List { return manyTolerations(i, pods) }
				case "nowhere":
					in.taints, in.tolerations = nowhereTaints, nowhereTolerations
				}
				if status := run([]string{"-o", bench.form}, in, io.Discard, io.Discard, noEnv); status == statusBad {
					b.Fatal(status)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB-sys")
		})
	}
}
