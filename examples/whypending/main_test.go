package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/examples/internal/program"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// why runs the program with these objects, one a line.
func why(objects string) (status int, out, errOut string) {
	items := strings.Join(strings.Split(strings.TrimSpace(objects), "\n"), ",")
	return start(strings.NewReader(`{"kind": "List", "items": [` + items + `]}`))
}

func start(in io.Reader) (status int, out, errOut string) {
	var o, e bytes.Buffer
	status = run(nil, in, &o, &e)
	return status, o.String(), e.String()
}

func object(kind, name, spec string) string {
	return fmt.Sprintf(`{"kind": %q, "metadata": {"name": %q, "labels": {"disk": %[2]q}}, "spec": {%s}}`+"\n", kind, name, spec)
}

func TestHostile_input(t *testing.T) {
	for _, input := range append(hostile.Variants(t, sample), "\x1b[2J") {
		_, out, errOut := start(strings.NewReader(input))
		hostile.Check(t, "standard output", out)
		hostile.Check(t, "standard error", errOut)
	}
}

// More pairs than can be compared are refused.
func TestHostile_pairs(t *testing.T) {
	if testing.Short() {
		t.Skip("a large input")
	}
	var b strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&b, `{"kind": "Node", "metadata": {"name": "n%d"}, "spec": {"taints": [{"key": "k%[1]d", "effect": "NoSchedule"}, {"key": "l%[1]d", "effect": "NoExecute"}]}}`+"\n", i)
	}
	for i := range 20_000 {
		fmt.Fprintf(&b, `{"kind": "Pod", "metadata": {"name": "p%d"}, "spec": {"tolerations": [{"key": "k%[1]d"}]}}`+"\n", i)
	}
	if status, out, errOut := why(b.String()); status != 2 || !strings.Contains(errOut, "too many to compare") || out != "" {
		t.Errorf("status %d, %.300s%.300s", status, errOut, out)
	}
}

// The groups and the order in which they are listed.
func TestSample(t *testing.T) {
	const want = `Pending pods: 4 cannot be scheduled because of taints

ops/report-m9x4s, ops/report-x2c7d
  nodes:  none of 11 nodes; nearest: shop-1, shop-2
  reason: example.com/team=shop:NoSchedule is not tolerated: no toleration has its key
  to add: {"key":"example.com/team","operator":"Equal","value":"shop","effect":"NoSchedule"}

data/etl-28931100-7mw4h
  nodes:  none of 11 nodes; nearest: batch-1
  reason: dedicated=batch:NoSchedule is not tolerated: "dedicated=Batch op=Equal" has another value
  to add: {"key":"dedicated","operator":"Equal","value":"batch","effect":"NoSchedule"}

ml/notebook-ana-0
  nodes:  none of the 2 nodes that the pod selects; nearest: gpu-1, gpu-2
  reason: nvidia.com/gpu=present:NoSchedule is not tolerated: no toleration has its key
  to add: {"key":"nvidia.com/gpu","operator":"Equal","value":"present","effect":"NoSchedule"}

Pending pods: 1 cannot be scheduled because of a node selector or node affinity

edge/camera-0
  nodes:  selects none of 11 nodes

Pending pods: 2 can be scheduled, as far as taints, node selectors and node affinity decide

ml/train-7-1
  nodes:  2 of 11 nodes: gpu-1, gpu-2

shop/web-xw8cd
  nodes:  3 of 11 nodes: shop-1, shop-2, shop-spot-1

Input: 11 nodes, 7 pending pods, 0 errors
`
	if status, out, _ := start(nil); status != 0 || out != want {
		t.Errorf("status %d, mismatch (-want +got):\n%s", status, cmp.Diff(want, out))
	}
}

func TestRun(t *testing.T) {
	const (
		team          = `"taints": [{"key": "team", "value": "a", "effect": "NoSchedule"}]`
		old           = `"taints": [{"key": "old", "effect": "NoSchedule"}, {"key": "team", "value": "b", "effect": "NoSchedule"}]`
		unreachable   = `"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoSchedule"}]`
		uninitialized = `"taints": [{"key": "node.cloudprovider.kubernetes.io/uninitialized", "value": "true", "effect": "NoSchedule"}]`
		master        = `"taints": [{"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}]`
		selector      = `"nodeSelector": {"disk": "m"}`
		affinity      = `"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "NotIn", "values": ["n"]}]}]}}}`
		none          = "Pending pods: 0 cannot be scheduled because of taints\n\n"
		unselected    = "Pending pods: 0 cannot be scheduled because of a node selector or node affinity\n\n"
		can           = " can be scheduled, as far as taints, node selectors and node affinity decide\n\n"
		some          = "Pending pods: 1 cannot be scheduled because of taints\n\np\n  nodes:  "
		addTeam       = "\n  reason: team=a:NoSchedule is not tolerated: no toleration has its key\n" + `  to add: {"key":"team","operator":"Equal","value":"a","effect":"NoSchedule"}` + "\n\n"
	)
	for _, tt := range []struct{ name, input, want string }{
		{"selector", object("Node", "n", "") + object("Node", "m", team) + object("Pod", "p", selector), some + "none of the 1 node that the pod selects; nearest: m" + addTeam},
		{"affinity", object("Node", "n", "") + object("Node", "m", team) + object("Pod", "p", affinity), some + "none of the 1 node that the pod selects; nearest: m" + addTeam},
		{"no selector", object("Node", "n", team) + object("Node", "m", team) + object("Pod", "p", ""), some + "none of 2 nodes; nearest: m, n" + addTeam},
		{"selects none", object("Node", "n", team) + object("Pod", "p", selector),
			none + "Pending pods: 1 cannot be scheduled because of a node selector or node affinity\n\np\n  nodes:  selects none of 1 node\n\n"},
		{"can", object("Node", "n", "") + object("Node", "m", "") + object("Pod", "p", selector),
			none + unselected + "Pending pods: 1" + can + "p\n  nodes:  1 of the 1 node that the pod selects: m\n\n"},
		{"PreferNoSchedule", object("Node", "n", `"taints": [{"key": "k", "effect": "PreferNoSchedule"}]`) + object("Pod", "p", ""), none + unselected + "Pending pods: 1" + can},
		{"not pending", object("Node", "n", team) + object("Pod", "p", `"nodeName": "n"`), none + unselected + "Pending pods: 0" + can + "Input: 1 node, 0 pending pods, 0 errors\n"},
		{"finished", object("Node", "n", team) + strings.Replace(object("Pod", "p", ""), `"spec"`, `"status": {"phase": "Failed"}, "spec"`, 1), none + unselected + "Pending pods: 0" + can + "Input: 1 node, 0 pending pods, 0 errors\n"},
		{"M8_wrong_node", object("Node", "n", `"taints": {}`) + object("Pod", "p", ""), some + "none of 1 node; nearest: n\n  reason: (invalid taint) is not tolerated: no toleration matches it\n  to add: nothing; the node has an error\n\n"},
		{"F10_cordoned", object("Node", "n", `"unschedulable": true`) + object("Pod", "p", ""),
			some + "none of 1 node; nearest: n\n  reason: node.kubernetes.io/unschedulable:NoSchedule is not tolerated: no toleration has its key\n  to add: nothing; uncordon the node\n\n"},
		{"temporary", object("Node", "n", unreachable) + object("Pod", "p", ""), "  to add: nothing; the taint is temporary: wait, or repair the node\n\n"},
		{"deleted", object("Node", "n", `"taints": [{"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule"}]`) + object("Pod", "p", ""), "  to add: nothing; the taint is temporary: the node is being removed, wait for another\n\n"},
		{"remover", object("Node", "n", uninitialized) + strings.Replace(object("Pod", "p", ""), `"labels"`, `"ownerReferences": [{"kind": "ReplicaSet", "name": "cloud-controller-manager-7c", "controller": true}], "labels"`, 1) + object("Pod", "q", "") + object("Pod", "r", ""),
			"because of taints\n\np\n  nodes:  none of 1 node; nearest: n\n  reason: node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule is not tolerated: no toleration has its key\n" +
				`  to add: {"key":"node.cloudprovider.kubernetes.io/uninitialized","operator":"Equal","value":"true","effect":"NoSchedule"}` + "\n\nq, r\n"},
		{"its other owner", object("Node", "n", uninitialized) + strings.Replace(object("Pod", "p", ""), `"labels"`, `"ownerReferences": [{"kind": "ReplicaSet", "name": "cloud-controller-manager-7c"}], "labels"`, 1),
			"  to add: nothing; the taint is temporary: wait until the cloud controller manager removes it\n\n"},
		{"control plane", object("Node", "n", master) + object("Pod", "p", ""), "  to add: nothing; the node is not for usual pods\n\n"},
		{"nearest, not temporary", object("Node", "n", unreachable) + object("Node", "m", old) + object("Pod", "p", ""), "nearest: m\n  reason: old"},
		{"nearest, fewest taints", object("Node", "m", old) + object("Node", "n", team) + object("Pod", "p", ""), "nearest: n" + addTeam},
		{"nearest, most nodes", object("Node", "l", `"taints": [{"key": "k", "effect": "NoSchedule"}]`) + object("Node", "m", team) + object("Node", "n", team) + object("Pod", "p", ""), "nearest: m, n" + addTeam},
		{"nearest, same key", object("Node", "l", team) + object("Node", "m", `"taints": [{"key": "k", "effect": "NoSchedule"}]`) + object("Node", "n", team) +
			object("Pod", "p", `"tolerations": [{"key": "k", "value": "v"}]`), "nearest: m\n  reason: k:NoSchedule is not tolerated: \"k=v\" has another value\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, out, errOut := why(tt.input); !strings.Contains(out, tt.want) {
				t.Errorf("want %q:\n%s%s", tt.want, out, errOut)
			}
		})
	}
}

// What is to be added to tolerate a taint has no finding, except Equal without a value if a
// node has the key with a value.
func TestRun_lint(t *testing.T) {
	suggested := 0
	for _, text := range strings.Fields("k k=v node-role.kubernetes.io/master node.kubernetes.io/out-of-disk node.kubernetes.io/not-ready") {
		for i, other := range []string{"l", "k", "k=w", "k:NoExecute,l=v"} {
			node, _ := taint.MustParseList(text + ":NoSchedule").MarshalJSON()
			more, _ := taint.MustParseList(other + ":NoSchedule,j:NoSchedule,h:NoSchedule").MarshalJSON()
			_, out, _ := why(object("Node", "n", fmt.Sprintf(`"taints": %s`, node)) + object("Node", "m", fmt.Sprintf(`"taints": %s`, more)) + object("Pod", "p", ""))
			for _, add := range strings.Split(out, "to add: ")[1:] {
				var u toleration.Toleration
				if err := u.UnmarshalJSON([]byte(strings.SplitN(add, "\n", 2)[0])); err != nil {
					continue // nothing
				}
				suggested++
				want := text == "k" && i == 2
				if found := lint.Find(toleration.List{u}, lint.Options{}); (len(found) > 0) != want || (u.Operator() == toleration.Equal) != (want || u.Value() != "") {
					t.Errorf("%s, another node has %s: %v has %v", text, other, u, found)
				}
			}
		}
	}
	if suggested < 10 {
		t.Errorf("%d suggestions", suggested)
	}
}

// Each pod is listed with as many nodes as match.Node.Filter finds, one by one.
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
		want := fmt.Sprintf("%d of %s", fit, program.Count(len(nodes), "node"))
		if fit == 0 {
			want = "none of " + program.Count(len(nodes), "node")
		}
		if status, out, errOut := why(input.String()); status != 0 || !strings.Contains(out, "  nodes:  "+want) {
			t.Fatalf("seed %d: status %d, want %q:\n%s", seed, status, want, input.String()+out+errOut)
		}
	}
}
