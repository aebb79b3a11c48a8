package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var why = program.Func(run)

func TestMain(m *testing.M) {
	now = func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }
	os.Exit(m.Run())
}

func TestInput(t *testing.T) {
	why.Input(t, `{"kind": "NodeList", "items": [{"metadata": {"name": "n1"}}]} {"kind": "Pod", "metadata": {"name": "p1", "namespace": "ns"}}`, "ns/p1")
}

func TestHostile_input(t *testing.T) { why.Hostile(t) }

// More pairs than can be compared are refused.
func TestHostile_pairs(t *testing.T) {
	var b strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&b, `{"kind": "Node", "metadata": {"name": "n%d"}, "spec": {"taints": [{"key": "k%[1]d", "effect": "NoSchedule"}, {"key": "l%[1]d", "effect": "NoExecute"}]}}`, i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"kind": "Pod", "metadata": {"name": "p%d"}, "spec": {"tolerations": [{"key": "k%[1]d"}]}}`, i)
	}
	if r := why.Run(strings.NewReader(b.String())); r.Status != 2 || !strings.Contains(r.ErrOut, "too many tolerations") || r.Out != "" {
		t.Errorf("status %d, %.300s%.300s", r.Status, r.ErrOut, r.Out)
	}
}

// The groups and the order in which they are listed.
func TestSample(t *testing.T) {
	const reasons = `      3 of 11 nodes: untolerated example.com/team=shop:NoSchedule
      2 of 11 nodes: untolerated dedicated=batch:NoSchedule
      2 of 11 nodes: untolerated nvidia.com/gpu=present:NoSchedule
      and 5 more
`
	const want = `Pending: 6 pods, of which 4 can be scheduled to no node. Input: 11 nodes, 15 pods, 0 errors.

Pending pods that can be scheduled to no node:
  2: ops/report-m9x4s, ops/report-x2c7d
` + reasons + `      nearest, 2 of 11 nodes: example.com/team=shop:NoSchedule is not tolerated: no toleration has its key; to add: "example.com/team=shop:NoSchedule op=Equal"
  1: data/etl-28931100-7mw4h
` + reasons + `      nearest, 1 of 11 nodes: dedicated=batch:NoSchedule is not tolerated: "dedicated=Batch op=Equal" has another value; to add: "dedicated=batch:NoSchedule op=Equal"
  1: ml/notebook-ana-0
` + reasons + `      nearest, 2 of 11 nodes: nvidia.com/gpu=present:NoSchedule is not tolerated: no toleration has its key; to add: "nvidia.com/gpu=present:NoSchedule op=Equal"

Pods that are evicted, or are on an unknown node:
  1: shop/cart-0
      in 5m0s: node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s by "node.kubernetes.io/unreachable:NoExecute op=Exists for 300s"
  1: shop/web-hv4pm
      now: dedicated=batch:NoExecute is not tolerated: no toleration has its key; to add: "dedicated=batch:NoExecute op=Equal"

Pending pods that taints do not prevent, by their nodes:
  1: ml/train-7-1
      2 of 11 nodes (2 nodes: nvidia.com/gpu=present:NoSchedule)
  1: shop/web-xw8cd
      3 of 11 nodes (2 nodes: example.com/team=shop:NoSchedule; 1 node: example.com/spot=true:PreferNoSchedule,example.com/team=shop:NoSchedule)

Other pods, by the nodes that they could be scheduled to again:
  4: shop/cart-0, shop/web-2lq7x, shop/web-9tkzr, and 1 more
      3 of 11 nodes (2 nodes: example.com/team=shop:NoSchedule; 1 node: example.com/spot=true:PreferNoSchedule,example.com/team=shop:NoSchedule)
  2: kube-system/kube-apiserver-control-plane-1, shop/mail-qk2vt
      no node
  1: kube-system/net-proxy-t4rjw
      11 of 11 nodes (2 nodes: example.com/team=shop:NoSchedule; 2 nodes: nvidia.com/gpu=present:NoSchedule; 1 node: node-role.kubernetes.io/control-plane:NoSchedule; and 6 more)
  1: data/etl-28931040-kd2xp
      2 of 11 nodes (1 node: dedicated=batch:NoSchedule,dedicated=batch:NoExecute; 1 node: dedicated=batch:NoSchedule)
  1: ml/train-7-0
      2 of 11 nodes (2 nodes: nvidia.com/gpu=present:NoSchedule)
`
	r := why.Run(nil)
	if r.Status != 0 || r.Out != want {
		t.Errorf("status %d, mismatch (-want +got):\n%s", r.Status, cmp.Diff(want, r.Out))
	}
	if r := why.Run(nil, "-fail"); r.Status != 1 || r.Out != want {
		t.Errorf("with -fail the status is %d", r.Status)
	}
}

func object(kind, name, spec string) string {
	return fmt.Sprintf(`{"kind": %q, "metadata": {"name": %q}, "spec": {%s}}`+"\n", kind, name, spec)
}

func TestRun(t *testing.T) {
	const (
		unreachable = `"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute", "timeAdded": "2026-01-02T03:00:05Z"}]`
		team        = `"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]`
		old         = `"taints": [{"key": "team", "value": "b", "effect": "NoSchedule"}, {"key": "old", "effect": "NoSchedule"}]`
		seconds     = `"nodeName": "n", "tolerations": [{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": %d}]`
	)
	for _, tt := range []struct {
		name, input string
		status      int // with -fail
		want        string
	}{
		{"E1_untolerated", object("Node", "n", unreachable) + object("Pod", "p", `"nodeName": "n"`), 0,
			"Pods that are evicted, or are on an unknown node:\n  1: p\n      now: node.kubernetes.io/unreachable:NoExecute is not tolerated"},
		{"E5_from_added", object("Node", "n", unreachable) + object("Pod", "p", fmt.Sprintf(seconds, 300)), 0, "1: p\n      in 1m0s: node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s"},
		{"E5_in_the_past", object("Node", "n", unreachable) + object("Pod", "p", fmt.Sprintf(seconds, 200)), 0, "1: p\n      now: node.kubernetes.io/unreachable:NoExecute is tolerated for 200 s"},
		{"M8_node_unreadable", object("Node", "n", `"taints": [{}]`) + object("Pod", "p", `"nodeName": "n"`) + object("Pod", "q", ""), 2,
			"q\n      1 of 1 node: untolerated (invalid taint)\n"},
		{"M8_evicted_unknown", object("Node", "n", `"taints": [{}]`) + object("Pod", "p", `"nodeName": "n"`), 2, `unknown: node "n" is not in the input, or wrong`},
		{"M8_pod_unreadable", object("Node", "n", "") + object("Pod", "p", `"tolerations": [{"key": "k", "operator": "exists"}]`), 2, "Pending: 0 pods, of which 0 can be scheduled to no node. Input: 1 node, 0 pods, 1 error.\n"},
		{"node_missing", object("Node", "n", "") + object("Pod", "p", `"nodeName": "m"`), 0, `1: p` + "\n      unknown: node \"m\" is not in the input"},
		{"F10_cordoned", object("Node", "n", `"unschedulable": true`) + object("Pod", "p", ""), 1, "1: p\n      1 of 1 node: untolerated node.kubernetes.io/unschedulable:NoSchedule\n"},
		{"finished", object("Node", "n", "") + strings.Replace(object("Pod", "p", ""), `"spec"`, `"status": {"phase": "Failed"}, "spec"`, 1), 0, "Input: 1 node, 0 pods, 0 errors.\n"},
		{"nearest_not_temporary", object("Node", "n", unreachable) + object("Node", "m", old) + object("Pod", "p", ""), 1,
			`nearest, 1 of 2 nodes: old:NoSchedule is not tolerated: no toleration has its key; to add: "old:NoSchedule op=Equal"; team=b:NoSchedule`},
		{"nearest_cordoned", object("Node", "m", `"taints": [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]`) + object("Node", "n", `"unschedulable": true`) + object("Pod", "p", ""), 1,
			`op=Equal" (or uncordon the node)`},
		{"nearest_control_plane", object("Node", "m", `"taints": [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]`) + object("Pod", "p", ""), 1,
			`op=Equal" (not for usual workloads)`},
		{"nearest_fewest", object("Node", "m", old) + object("Node", "n", team) + object("Pod", "p", ""), 1, "nearest, 1 of 2 nodes: team=a:NoSchedule is not"},
		{"nearest_most_nodes", object("Node", "l", `"taints": [{"key": "k", "effect": "NoSchedule"}]`) + object("Node", "m", team) + object("Node", "n", team) + object("Pod", "p", ""), 1,
			"nearest, 2 of 3 nodes: team=a:NoSchedule is not"},
		{"nearest_alike", object("Node", "l", team) + object("Node", "m", `"taints": [{"key": "k", "effect": "NoSchedule"}]`) + object("Node", "n", team) +
			object("Pod", "p", `"tolerations": [{"key": "ks", "operator": "Exists"}]`), 1, "nearest, 1 of 3 nodes: k:NoSchedule is not"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if r := why.Run(strings.NewReader(tt.input), "-fail"); r.Status != tt.status || !strings.Contains(r.Out, tt.want) {
				t.Errorf("status %d, want %d with %q:\n%s%s", r.Status, tt.status, tt.want, r.Out, r.ErrOut)
			}
		})
	}
}

// Each pod is listed with as many nodes as match.Filter finds, one by one.
func TestRun_filter(t *testing.T) {
	seed, _ := strconv.ParseUint(os.Getenv("TOLERATE_SEED"), 10, 64)
	rng := rand.New(rand.NewPCG(seed, 16))
	taints := taint.MustParseList("a=1:NoSchedule,a=2:NoExecute,b:NoSchedule,c:PreferNoSchedule,b=1:NoExecute")
	tolerations := toleration.MustParseList("a=1,a op=Exists,b op=Exists,b:NoSchedule,:NoExecute op=Exists,op=Exists")
	for range 200 {
		var input strings.Builder
		nodes, pod := make([]match.Node, 1+rng.IntN(6)), toleration.List{}
		for i := range nodes {
			n := &nodes[i]
			for _, t := range taints {
				if rng.IntN(3) == 0 {
					n.Taints = append(n.Taints, t)
				}
			}
			n.Unschedulable = rng.IntN(5) == 0
			list, _ := n.Taints.MarshalJSON()
			input.WriteString(object("Node", fmt.Sprintf("n%d", i), fmt.Sprintf(`"taints": %s, "unschedulable": %v`, list, n.Unschedulable)))
		}
		for range rng.IntN(4) {
			pod = append(pod, tolerations[rng.IntN(len(tolerations))])
		}
		list, _ := pod.MarshalJSON()
		input.WriteString(object("Pod", "p", fmt.Sprintf(`"tolerations": %s`, list)))
		fit := 0
		for _, n := range nodes {
			if n.Filter(pod).Schedulable() {
				fit++
			}
		}
		want, status := fmt.Sprintf("taints do not prevent, by their nodes:\n  1: p\n      %d of %s (", fit, cluster.Count(len(nodes), "node")), 0
		if fit == 0 {
			want, status = "scheduled to no node:\n  1: p\n", 1
		}
		if r := why.Run(strings.NewReader(input.String()), "-fail"); r.Status != status || !strings.Contains(r.Out, want) {
			t.Fatalf("seed %d: status %d, want %d with %q:\n%s", seed, r.Status, status, want, input.String()+r.Out+r.ErrOut)
		}
	}
}
