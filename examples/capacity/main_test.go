package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/fleet"
	"github.com/go-tolerate/tolerate/taint"
)

// capacity runs the program with these objects, one a line.
func capacity(objects string) (status int, out, errOut string) {
	var o, e bytes.Buffer
	items := strings.Join(strings.Split(strings.TrimSpace(objects), "\n"), ",")
	status = run(nil, strings.NewReader(`{"kind": "List", "items": [`+items+`]}`), &o, &e)
	return status, o.String(), e.String()
}

func TestNowhere(t *testing.T) {
	status, out, errOut := capacity(`{"kind": "Node", "metadata": {"name": "n1"}, "spec": {"unschedulable": true}}
		{"kind": "Pod", "metadata": {"name": "p1"}}`)
	if want := "p1 can be scheduled to no node, among the reasons:\n    1 of 1 node: untolerated node.kubernetes.io/unschedulable:NoSchedule\n"; status != 0 || errOut != "" || !strings.Contains(out, want) {
		t.Errorf("status %d, %s%s", status, out, errOut)
	}
}

func TestHostile_input(t *testing.T) {
	const cluster = `{"items": [{"kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}}, {"kind": "Pod", "metadata": {"name": "p"}}]}`
	for _, input := range append(hostile.Variants(t, cluster), "\x1b[2J") {
		var out, errOut bytes.Buffer
		run(nil, strings.NewReader(input), &out, &errOut)
		hostile.Check(t, "standard output", out.String())
		hostile.Check(t, "standard error", errOut.String())
	}
}

// More pairs than can be compared are refused.
func TestHostile_pairs(t *testing.T) {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, `{"kind": "Node", "metadata": {"name": "n%d"}, "spec": {"taints": [{"key": "k%[1]d", "effect": "NoSchedule"}]}}`+"\n"+`{"kind": "Pod", "metadata": {"name": "p%[1]d"}}`+"\n", i)
	}
	if status, out, errOut := capacity(b.String()); status != 2 || !strings.Contains(errOut, "too many tolerations") || out != "" {
		t.Errorf("status %d, %s%s", status, errOut, out)
	}
}

// All but the last line is the same in each run.
func TestRun(t *testing.T) {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, `{"kind": "Node", "metadata": {"name": "n%d"}, "spec": {"taints": [{"key": "k", "value": "v%d", "effect": "NoSchedule"}]}}`+"\n", i, i%2)
	}
	b.WriteString(`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": [{"key": "k", "value": "v0"}]}}
		{"kind": "Pod", "metadata": {"name": "q"}, "spec": {"tolerations": [{"operator": "Exists"}]}}
		{"kind": "Pod", "metadata": {"name": "r"}, "spec": {"tolerations": [{"key": "k", "operator": "Exists"}]}}`)
	want := "20 nodes with 2 different sets of taints, 3 pods, 0 errors in the input\n"
	beforeP, beforeR := 10, 20
	for _, down := range []int{1, 2, 3, 4, 5, 4, 3, 2, 1, 0} { // of ten nodes
		p, q, r, more := 10-2*((down+1)/2), 20, 20-2*down, 0
		for _, won := range []bool{p > beforeP, true, r > beforeR} { // q tolerates not-ready, so each change brings it nodes of another group
			if won {
				more++
			}
		}
		want += fmt.Sprintf("nodes for a pod, on average: %d, pods without a node: 0, pods with new nodes: %d\n", (p+q+r)/3, more)
		beforeP, beforeR = p, r
	}
	status, out, errOut := capacity(b.String())
	lines := strings.SplitAfter(out, "\n")
	if got := strings.Join(lines[:len(lines)-2], ""); status != 0 || errOut != "" || got != want || !strings.HasPrefix(lines[len(lines)-2], "match.Filter agrees; 30 queries took ") {
		t.Errorf("status %d, mismatch (-want +got):\n%s%s", status, cmp.Diff(want, got), lines[len(lines)-2])
	}
}

// An index with other nodes is found.
func TestCompare(t *testing.T) {
	for name, spoil := range map[string]func(*fleet.Index[int]){
		"":             func(*fleet.Index[int]) {},
		"other taints": func(x *fleet.Index[int]) { x.Put(7, match.Node{Taints: taint.MustParseList("k:NoExecute")}) },
		"preferred":    func(x *fleet.Index[int]) { x.Put(7, match.Node{Taints: taint.MustParseList("k:PreferNoSchedule")}) },
		"a node less":  func(x *fleet.Index[int]) { x.Remove(8) },
	} {
		s := stream{make([]match.Node, 20), make([]pod, 1)}
		var x fleet.Index[int]
		for i := range s.nodes {
			x.Put(i, s.node(i, rounds-1))
		}
		spoil(&x)
		if err := s.compare(x.Snapshot()); (err == nil) != (name == "") {
			t.Errorf("%q: %v", name, err)
		}
	}
}
