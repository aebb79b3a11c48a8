package why

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
)

var now = time.Date(2026, 11, 20, 8, 33, 0, 0, time.UTC)

func read(t *testing.T, input string) *cluster.Cluster {
	t.Helper()
	env := cli.NewEnv(strings.NewReader(input), &bytes.Buffer{}, &bytes.Buffer{})
	c, err := cluster.Read(t.Context(), env, &cluster.Options{Filenames: []string{"-"}, Daemons: true})
	if err != nil {
		t.Fatal(err, env.ErrOut)
	}
	return c
}

func report(t *testing.T, input string, detail bool) *Report {
	t.Helper()
	return newReport(read(t, input), now, condition.Temporary(), detail, detail)
}

// run runs the command with an input.
func run(t *testing.T, input string, args ...string) (out string, err error) {
	return runCommand(t, NewCommand, input, args...)
}

// runCommand runs one of the commands with an input.
func runCommand(t *testing.T, command func(*cli.Env) *cobra.Command, input string, args ...string) (out string, err error) {
	var b bytes.Buffer
	env := cli.NewEnv(strings.NewReader(input), &b, io.Discard)
	env.Now = func() time.Time { return now }
	c := command(env)
	env.AddFlags(c.Flags())
	c.SetArgs(args)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.ExecuteContext(t.Context())
	return b.String(), err
}

// shows runs the command with an input, and reports the texts that are not in the output, in
// this order, and those after without that are.
func shows(t *testing.T, input, args string, texts ...string) {
	t.Helper()
	out, err := run(t, input, append(strings.Fields(args), "-f", "-")...)
	rest := out
	for _, text := range texts {
		if not, ok := strings.CutPrefix(text, without); ok {
			if strings.Contains(out, not) {
				t.Errorf("%s: %q in\n%.3000s", args, not, out)
			}
			continue
		}
		_, after, ok := strings.Cut(rest, text)
		if rest = after; !ok {
			t.Errorf("%s: no %q in order in\n%.3000s", args, text, out)
			return
		}
	}
	if err != nil {
		t.Errorf("%s: %v", args, err)
	}
}

// without precedes a text that must not be in an output.
const without = "\x00"

// many returns what the format makes of the numbers below n, with commas.
func many(n int, format string) string {
	list := make([]string, n)
	for i := range n {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}

// Why a pod is pending: what the scheduler wrote, and what taints and labels admit.
func TestPending(t *testing.T) {
	const (
		free     = `{"kind":"Node","metadata":{"name":"free"}}`
		team     = `{"kind":"Node","metadata":{"name":"team"},"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]}}`
		cordoned = `{"kind":"Node","metadata":{"name":"cordoned"},"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`
		notReady = `{"kind":"Node","metadata":{"name":"down"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},{"key":"node.kubernetes.io/not-ready","effect":"NoExecute"}]}}`
		defaults = `"tolerations":[{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`
	)
	for name, test := range map[string]struct{ nodes, spec, reason, message, want string }{
		"gates": {free, `"schedulingGates":[{"name":"example.com/quota"},{"name":"example.com/data"}]`, "SchedulingGated", "the gates are not empty", `
  SchedulingGated: the gates are not empty
  scheduling gates: example.com/quota, example.com/data
  taints and labels admit 1 of 1 node
`},
		"another scheduler": {free, `"schedulerName":"batch"`, "", "", `
  waits for the scheduler batch, which has not written a message
  taints and labels admit 1 of 1 node
`},
		"its message": {free, `"schedulerName":"batch"`, "Unschedulable", "no quota", `
  Unschedulable (batch): no quota
  taints and labels admit 1 of 1 node
`},
		"resources": {free + team, `"schedulerName":"default-scheduler"`, "Unschedulable", "1 node has too little cpu, 1 an untolerated taint", `
  Unschedulable: 1 node has too little cpu, 1 an untolerated taint
  taints and labels admit 1 of 2 nodes
`},
		"volume": {free, "", "Unschedulable", `persistentvolumeclaim "data" not found`, `
  Unschedulable: persistentvolumeclaim "data" not found
  taints and labels admit 1 of 1 node
`},
		"selector": {free + team, `"nodeSelector":{"pool":"edge"}`, "Unschedulable", "2 nodes are not selected", `
  Unschedulable: 2 nodes are not selected
  taints and labels admit 0 of 2 nodes; pool=edge selects 0
    pool=edge: no node has the label pool
`},
		"affinity": {free, `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]}]}]}}}`, "Unschedulable", "", `
  Unschedulable
  taints and labels admit 0 of 1 node; zone In (a, b) selects 0
    zone In (a, b): no node has the label zone
`},
		"taint": {team + team, defaults, "Unschedulable", "1 node has an untolerated taint", `
  Unschedulable: 1 node has an untolerated taint
  taints and labels admit 0 of 1 node
    team
      team=x:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"team","operator":"Equal","value":"x","effect":"NoSchedule"}
`},
		"cordoned": {cordoned, "", "", "", `
  the scheduler has not written a message
  taints and labels admit 0 of 1 node
    cordoned
      cordoned: wait, or use kubectl uncordon
`},
		"not ready": {notReady, defaults, "", "", `
  the scheduler has not written a message
  taints and labels admit 0 of 1 node
    down
      node.kubernetes.io/not-ready:NoSchedule is temporary: wait, or repair the node
`},
		"no node": {"", "", "Unschedulable", "there are no nodes", `
  Unschedulable: there are no nodes
`},
		"hostile gates": {free, `"schedulingGates":[{"name":"g\ng"}]`, "\u001b[31m", "a\nEVICTED \u202e", `
  "\x1b[31m": "a\nEVICTED \u202e"
  scheduling gates: "g\ng"
  taints and labels admit 1 of 1 node
`},
		"hostile names": {strings.Replace(cordoned, `"name":"cordoned"`, `"name":"n\u001b[2J"`, 1), `"schedulerName":"s\n","nodeSelector":{"a":"b\nc"}`, "", "", `
  waits for the scheduler "s\n", which has not written a message
  taints and labels admit 0 of 1 node; "a=b\nc" selects 0
    "a=b\nc": no node has the label a
`},
	} {
		t.Run(name, func(t *testing.T) {
			status := ""
			if test.reason != "" {
				text, _ := json.Marshal(map[string]string{"type": "PodScheduled", "status": "False", "reason": test.reason, "message": test.message})
				status = fmt.Sprintf(`,"status":{"conditions":[{"type":"Initialized","reason":"other"},%s]}`, text)
			}
			out, err := run(t, fmt.Sprintf(`%s{"kind":"Pod","metadata":{"name":"p"},"spec":{%s}%s}`, test.nodes, test.spec, status), "-f", "-")
			if (err != nil) != (test.nodes == "") {
				t.Error(err)
			}
			_, got, _ := strings.Cut(out, "\np")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// The owner is that of all pods of a group.
func TestOwner(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"p%d","ownerReferences":[{"kind":"ReplicaSet","name":"%s","controller":true}]}}`
	for _, test := range []struct {
		owners [2]string
		want   int
	}{{[2]string{"a", "a"}, 1}, {[2]string{"a", "b"}, 0}} {
		input := `{"kind":"Node","metadata":{"name":"n"}}` + fmt.Sprintf(pod+pod, 0, test.owners[0], 1, test.owners[1])
		out, err := run(t, input, "-f", "-", "-o", "wide")
		if err != nil || strings.Count(out, "controlled by ReplicaSet a\n") != test.want || !strings.Contains(out, "\np0, p1\n") {
			t.Errorf("%v: %v\n%s", test, err, out)
		}
	}
}

// A pod that was named has the nearest nodes, or the one that it is bound to, and its
// tolerations except the defaults. The other nodes are only in the wide output.
func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"ml/train-1": `
  controlled by Job train
  tolerations: dedicated=gpu:NoExecute
  the scheduler has not written a message
  taints and labels admit 0 of 8 nodes; pool=gpu selects 2
    gpu-0, gpu-1
      dedicated=gpu:NoSchedule is not tolerated: "dedicated=gpu:NoExecute" has another effect; to add: {"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}
`,
		"shop/web-1": `
  controlled by ReplicaSet web
  bound to worker-3
  taints and labels admit 2 of 8 nodes
    worker-3
      node.kubernetes.io/unreachable:NoSchedule is temporary: wait, or repair the node

EVICTED PODS   NODE       WHEN                                           WHY
shop/web-1     worker-3   2026-11-20T08:35:00Z at the earliest (in 2m)   node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s
`,
		"shop/web-2": `
  controlled by ReplicaSet web
  Unschedulable: 0/8 nodes are available: 2 Insufficient memory, 6 node(s) had untolerated taints.
  taints and labels admit 2 of 8 nodes
    worker-0, worker-1: admitted
    worker-3
      node.kubernetes.io/unreachable:NoSchedule is temporary: wait, or repair the node
    worker-2
      cordoned: wait, or use kubectl uncordon
    and 4 more nodes with other taints
`,
		"shop/web-1 -o wide": `
  controlled by ReplicaSet web
  bound to worker-3
  taints and labels admit 2 of 8 nodes
    worker-0, worker-1: admitted
    worker-3
      node.kubernetes.io/unreachable:NoSchedule is temporary: wait, or repair the node
    worker-2
      cordoned: wait, or use kubectl uncordon
    gpu-0, gpu-1
      dedicated=gpu:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"dedicated","operator":"Equal","value":"gpu","effect":"NoSchedule"}
    spot-0
      dedicated=batch:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"dedicated","operator":"Equal","value":"batch","effect":"NoSchedule"}
    control-0
      node-role.kubernetes.io/control-plane:NoSchedule is not tolerated: no toleration has its key (not for usual workloads); to add: {"key":"node-role.kubernetes.io/control-plane","operator":"Exists","effect":"NoSchedule"}

EVICTED PODS   NODE       WHEN                                           WHY
shop/web-1     worker-3   2026-11-20T08:35:00Z at the earliest (in 2m)   node.kubernetes.io/unreachable:NoExecute is tolerated for 300 s
`} {
		t.Run(name, func(t *testing.T) {
			args := strings.Fields(name)
			out, err := run(t, "", append(args, "--sample")...)
			if err != nil {
				t.Fatal(err)
			}
			_, got, _ := strings.Cut(out, "\n"+args[0])
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Of pods that are alike, those with a node have this one, and the others the nearest ones.
func TestNamed_alike(t *testing.T) {
	input := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}{"kind":"Node","metadata":{"name":"b"}}`
	const bound, wait = `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"b"}}`, `{"kind":"Pod","metadata":{"name":"q"}}`
	for _, pods := range []string{bound + wait, wait + bound} {
		out, err := run(t, input+pods, "-f", "-", "p", "q")
		if err != nil || strings.Count(out, "    b: admitted\n") != 2 || strings.Count(out, "\n    a\n") != 1 || !strings.Contains(out, "  the scheduler has not written a message\n  taints and labels admit 1 of 2 nodes\n    b: admitted\n    a\n") {
			t.Errorf("%v:\n%s", err, out)
		}
	}
}

// Pods of three daemon sets that are for one node name it once.
func TestOneNode(t *testing.T) {
	input := `{"kind":"Node","metadata":{"name":"n32"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`
	for i := range 3 {
		input += fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p%d","ownerReferences":[{"kind":"DaemonSet","name":"d%[1]d","controller":true}]},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n32"]}]}]}}}}}`, i)
	}
	out, err := run(t, input, "-f", "-")
	const want = "p0, p1, p2\n  the scheduler has not written a message\n  taints and labels admit 0 of 1 node; each pod selects one\n    n32\n"
	if err != nil || !strings.Contains(out, want) || strings.Count(out, "n32") != 1 {
		t.Errorf("%v, want %q:\n%s", err, want, out)
	}
}

// What can be said of the scheduler's message when the nodes are unknown.
func TestMessage(t *testing.T) {
	for message, want := range map[string]string{
		"0/8 nodes are available: 2 Insufficient cpu, 6 node(s) had untolerated taint(s). preemption: 0/8 nodes are available: 8 Preemption is not helpful for scheduling.": "6 nodes; which",
		"0/9 nodes are available: 1 node(s) had untolerated taint {dedicated: gpu}, 2 node(s) had untolerated taint {spot: }, 6 node(s) were unschedulable.":                "3 nodes; which",
		"0/1 nodes are available: 1 Insufficient memory.": "",
		`persistentvolumeclaim "data" not found`:          "",
	} {
		text, _ := json.Marshal(message)
		out, err := run(t, fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"p"},"status":{"conditions":[{"type":"PodScheduled","reason":"Unschedulable","message":%s}]}}`, text), "-f", "-")
		_, got, _ := strings.Cut(out, "keep the pods from ")
		if err == nil || !strings.Contains(out, "\n  Unschedulable: ") || !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v, want %q:\n%s", err, want, out)
		}
	}
}

const (
	daemon   = `"ownerReferences":[{"kind":"DaemonSet","name":"d","controller":true}]`
	operator = `"ownerReferences":[{"kind":"ReplicaSet","name":"cilium-operator-7c","controller":true}]`
	ready    = "node.cilium.io/agent-not-ready"
)

// Temporary taints are to be tolerated by nobody except their own agents.
func TestTemporary(t *testing.T) {
	for name, test := range map[string]struct {
		key, owner string
		args       []string
		want       string
	}{
		"agent":       {ready, "", nil, ready + ":NoSchedule is temporary: wait until Cilium removes it\n"},
		"its program": {ready, operator, nil, ready + `:NoSchedule stays until these pods run: they must tolerate it; to add: {"key":"` + ready + `","operator":"Exists","effect":"NoSchedule"}` + "\n"},
		"another's":   {"karpenter.sh/unregistered", operator, nil, "is temporary: wait until Karpenter removes it\n"},
		"condition":   {condition.DiskPressure, "", nil, "is temporary: wait, or repair the node\n"},
		"storage":     {"drbd.linbit.com/lost-quorum", "", nil, "is temporary: wait until the high availability controller of DRBD removes it\n"},
		"deleted":     {"ToBeDeletedByClusterAutoscaler", "", nil, "is temporary: the node is being removed, wait for another\n"},
		"disrupted":   {"karpenter.sh/disruption", daemon, nil, "is temporary: the node is being removed, wait for another\n"},
		"daemon set":  {ready, daemon, nil, ready + `:NoSchedule is temporary: wait, unless these pods remove it; to add: {"key":"` + ready + `","operator":"Exists","effect":"NoSchedule"}` + "\n"},
		"shut down":   {"node.cloudprovider.kubernetes.io/shutdown", daemon, nil, "is temporary: wait, or repair the node\n"},
		"outdated":    {"node.kubernetes.io/out-of-disk", daemon, nil, "is temporary: wait, or repair the node\n"},
		"one's own":   {"example.com/starting", "", []string{"--temporary", "example.com/*"}, "is temporary: wait, or repair the node\n"},
		"exception":   {ready, "", []string{"--temporary", "!" + ready}, "no toleration has its key; to add"},
		"not a taint": {ready, "", []string{"--temporary", "*x"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			input := fmt.Sprintf(`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":%q,"effect":"NoSchedule"}]}}{"kind":"Pod","metadata":{"name":"p",%s"x":0}}`, test.key, test.owner+map[bool]string{true: ","}[test.owner != ""])
			if out, err := run(t, input, append(test.args, "-f", "-")...); (err != nil) != (test.want == "") || !strings.Contains(out, test.want) {
				t.Errorf("%v, want %q:\n%s", err, test.want, out)
			}
		})
	}
}

// If every node has a taint that pending pods remove, they are in the first line, with all
// tolerations that they lack for the nearest nodes.
func TestRemovers(t *testing.T) {
	const (
		taints = `{"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true","effect":"NoSchedule"},{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}`
		node   = `{"kind":"Node","metadata":{"name":"cp-0"},"spec":{"taints":[{"key":"node-role.kubernetes.io/control-plane","effect":"NoSchedule"},` + taints + `]}}{"kind":"Node","metadata":{"name":"wk-0"},"spec":{"taints":[` + taints + `]}}`
		pod    = `{"kind":"Pod","metadata":{"namespace":"kube-system","name":"ccm-1","ownerReferences":[{"kind":"%s","name":"%s","controller":true}]},"spec":{"tolerations":[{"key":"node-role.kubernetes.io/control-plane","operator":"Exists","effect":"NoSchedule"}%s]%s}}{"kind":"Pod","metadata":{"name":"web"}}`
		first  = "Every node waits for pods that cannot start: kube-system/ccm-1\n  they remove node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"
		lacks  = "; add these tolerations to them:\n"
		own    = `    {"key":"node.cloudprovider.kubernetes.io/uninitialized","operator":"Equal","value":"true","effect":"NoSchedule"}` + "\n"
		down   = `    {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoSchedule"}` + "\n"
		on     = `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["cp-0"]}]}]}}}`
	)
	for name, test := range map[string]struct{ input, kind, owner, tolerations, spec, want string }{
		"deployment":      {"", "ReplicaSet", "cloud-controller-manager-7c", "", "", first + lacks + own + down + "\n2 pods"},
		"daemon set":      {"", "DaemonSet", "aws-cloud-controller-manager", "", "", first + lacks + own + down + "\n2 pods"},
		"only not ready":  {"", "ReplicaSet", "cloud-controller-manager-7c", `,{"key":"node.cloudprovider.kubernetes.io/uninitialized","operator":"Exists"}`, "", first + lacks + down + "\n2 pods"},
		"tolerates all":   {"", "ReplicaSet", "cloud-controller-manager-7c", `,{"operator":"Exists"}`, "", first + "\n\n2 pods"},
		"not a remover":   {"", "ReplicaSet", "web-7c", "", "", "2 pods"},
		"for one node":    {"", "DaemonSet", "cloud-controller-manager", "", on, "2 pods"},
		"has a node":      {"", "ReplicaSet", "cloud-controller-manager-7c", "", `,"nodeName":"cp-0"`, "2 pods"},
		"another node":    {`{"kind":"Node","metadata":{"name":"free"}}`, "ReplicaSet", "cloud-controller-manager-7c", "", "", "2 pods"},
		"another value":   {`{"kind":"Node","metadata":{"name":"x"},"spec":{"taints":[{"key":"node.cloudprovider.kubernetes.io/uninitialized","effect":"NoSchedule"}]}}`, "ReplicaSet", "cloud-controller-manager-7c", "", "", "2 pods"},
		"a node is wrong": {`{"kind":"Node","metadata":{"name":"x"},"spec":{"taints":5}}`, "ReplicaSet", "cloud-controller-manager-7c", "", "", "2 pods"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := run(t, node+test.input+fmt.Sprintf(pod, test.kind, test.owner, test.tolerations, test.spec), "-f", "-")
			if !strings.HasPrefix(out, test.want) {
				t.Errorf("want %q:\n%s", test.want, out)
			}
		})
	}
	input := node + fmt.Sprintf(pod, "ReplicaSet", "cloud-controller-manager-7c", "", "")
	shows(t, strings.ReplaceAll(input, `"true","effect":"NoSchedule"`, `"true","effect":"PreferNoSchedule"`), "", "2 pods", without+"Every node waits")
	const runs = `{"kind":"Pod","metadata":{"namespace":"kube-system","name":"ccm-2","ownerReferences":[{"kind":"ReplicaSet","name":"cloud-controller-manager-7c","controller":true}]},"spec":{"nodeName":"cp-0"},"status":{"phase":"Running"}}`
	shows(t, input+runs, "", "3 pods", without+"Every node waits") // another replica
	const daemons = `{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"namespace":"kube-system","name":"openstack-cloud-controller-manager"},"spec":{"template":{"spec":{"tolerations":[{"key":"node-role.kubernetes.io/control-plane","operator":"Exists"},{"key":"node.kubernetes.io/not-ready","operator":"Exists"}]}}}}{"kind":"Pod","metadata":{"name":"web"}}`
	shows(t, node+daemons, "", "Every node waits for pods that cannot start: DaemonSet kube-system/openstack-cloud-controller-manager\n  they remove node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule"+lacks+own+"\n1 pod",
		"  has no pods\n", "uninitialized=true:NoSchedule stays until these pods run: they must tolerate it")
	shows(t, input, "--node wk-0", "wk-0 waits for pods that cannot start: kube-system/ccm-1\n")
	r := report(t, input, false)
	text, err := json.Marshal(r.Removers)
	const want = `[{"taint":{"key":"node.cloudprovider.kubernetes.io/uninitialized","value":"true","effect":"NoSchedule"},"pods":["kube-system/ccm-1"],"add":[`
	if err != nil || !strings.HasPrefix(string(text), want) || r.Pods[0].Pods[0] != "kube-system/ccm-1" {
		t.Errorf("%v, %s, want %s", err, text, want)
	}
}

// A node that is being removed is not to be uncordoned.
func TestCordoned_removed(t *testing.T) {
	const input = `{"kind":"Node","metadata":{"name":"n"},"spec":{"unschedulable":true,"taints":[{"key":"ToBeDeletedByClusterAutoscaler","value":"1","effect":"NoSchedule"}]}}{"kind":"Pod","metadata":{"name":"p"}}`
	shows(t, input, "", "      cordoned\n      ToBeDeletedByClusterAutoscaler=1:NoSchedule is temporary: the node is being removed")
}

// What is to be added has no finding but those about usual clusters, except Equal without a value if a node has the key
// with a value, which Exists would tolerate, too.
func TestLint(t *testing.T) {
	keys := []string{"k", "example.com/batch", condition.ControlPlane, condition.Master, condition.NotReady, condition.Unreachable, condition.Unschedulable, condition.OutOfService,
		"node.kubernetes.io/out-of-disk", "node.alpha.kubernetes.io/notReady", "node.alpha.kubernetes.io/unreachable", condition.CloudUninitialized, condition.CloudShutdown, ready, "karpenter.sh/disrupted"}
	suggested := 0
	for i := range len(keys) * 2 * 3 * 4 {
		key, effect, values, owner := keys[i/24], []string{"PreferNoSchedule", "NoSchedule", "NoExecute"}[i%3], i/3%4, []string{"", daemon + ","}[i/12%2]
		value, other := []string{"", "v"}[values%2], []string{"", "w"}[values/2]
		if strings.HasPrefix(key, "node.kubernetes.io/") && value+other != "" {
			continue // nobody sets these
		}
		input := fmt.Sprintf(`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":%q,"value":%q,"effect":%q}]}}{"kind":"Node","metadata":{"name":"m"},"spec":{"taints":[{"key":%q,"value":%q,"effect":"NoSchedule"}]}}`, key, value, effect, key, other)
		for _, n := range report(t, input+fmt.Sprintf(`{"kind":"Pod","metadata":{%s"name":"p"}}`, owner), true).Pods[0].NodeGroups {
			for _, why := range n.Taints {
				if why.Add == nil {
					continue
				}
				suggested++
				if exists := why.Add.Operator() == toleration.Exists; exists != (value+other == "") || !why.Add.Tolerates(why.Taint) {
					t.Errorf("%v for %v, values %q, %q", why.Add, why.Taint, value, other)
				}
				for _, f := range lint.Find(toleration.List{*why.Add}, lint.Options{}) {
					if f.Severity > lint.Info && (f.Check != lint.EqualEmptyValue || value+other == "") {
						t.Error(f)
					}
				}
			}
		}
	}
	if suggested < 100 {
		t.Errorf("%d suggestions", suggested)
	}
}

// The nearest nodes are first: those of the pod's keys, then those to repair, then those of
// another key, and last the control plane.
func TestNodeGroups(t *testing.T) {
	taints := map[string]string{
		"value": `{"key":"team","value":"x","effect":"NoSchedule"}`, "effect": `{"key":"team","value":"y","effect":"NoExecute"}`, "other": `{"key":"k","effect":"NoSchedule"}`,
		"both": `{"key":"k","effect":"NoSchedule"},{"key":"l","effect":"NoExecute"}`, "soft": `{"key":"k","effect":"PreferNoSchedule"}`,
		"pressure": `{"key":"node.kubernetes.io/memory-pressure","effect":"NoSchedule"}`, "off": `{"key":"node.cloudprovider.kubernetes.io/shutdown","effect":"NoSchedule"}`,
		"control": `{"key":"node-role.kubernetes.io/control-plane","effect":"NoSchedule"}`, "master": `{"key":"node-role.kubernetes.io/master","effect":"NoSchedule"}`,
		"none": "",
	}
	for _, test := range []struct{ nodes, want string }{
		{"both other value", "value+ other+ both++"},
		{"other pressure", "pressure other+"},
		{"other off value", "value+ off other+"},
		{"control pressure both", "pressure both++ control+"},
		{"master other", "other+ master+"},
		{"soft none control", "none soft+ control+"},
		{"value effect value other", "effect+ value+ other+"},
	} {
		var input strings.Builder
		for i, name := range strings.Fields(test.nodes) {
			fmt.Fprintf(&input, `{"kind":"Node","metadata":{"name":"%s.%d"},"spec":{"taints":[%s]}}`, name, i, taints[name])
		}
		input.WriteString(`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"team","value":"y","effect":"NoSchedule"}]}}`)
		var got []string
		for _, n := range report(t, input.String(), true).Pods[0].NodeGroups {
			name, _, _ := strings.Cut(n.Names[0], ".")
			for _, why := range n.Taints {
				if why.Add != nil {
					name += "+"
				}
			}
			got = append(got, name)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: %s, want %s", test.nodes, got, test.want)
		}
	}
}

// random writes a small cluster in which much is alike.
func random(r *rand.Rand) string {
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	var b strings.Builder
	for i := range 1 + r.IntN(12) {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":"%s"}},"spec":{"unschedulable":%s,"taints":[%s]}}`, i, one("a", "b", "c"), one("false", "false", "true"),
			one("", `{"key":"k","effect":"NoSchedule"}`, `{"key":"k","effect":"PreferNoSchedule"}`, `{"key":"k","value":"v","effect":"NoExecute"},{"key":"l","effect":"NoSchedule"}`, `{"key":"l","effect":"NoSchedule"},{"key":"k","value":"v","effect":"NoExecute"}`, `{"key":"k","effect":"bad"}`))
	}
	const affinity = `,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[%s]}}}`
	for i := range 1 + r.IntN(30) {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{%s"tolerations":[%s]%s},"status":{"conditions":[{"type":"PodScheduled","message":"%s"}]}}`, i, one("", `"nodeName":"n0",`), one("", `{"key":"k"}`, `{"key":"k","operator":"Exists"}`, `{"operator":"Exists"}`, `{"key":"l","operator":"Exists"},{"key":"m"}`),
			one("", `,"nodeSelector":{"pool":"a"}`, `,"nodeSelector":{"pool":"b"}`, fmt.Sprintf(affinity, fmt.Sprintf(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}`, r.IntN(14))),
				fmt.Sprintf(affinity, `{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]},{"matchExpressions":[{"key":"pool","operator":"Exists"}]}`),
				fmt.Sprintf(affinity, `{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]}`)), one("a", "b"))
	}
	return b.String()
}

// Each pod of a group has the numbers of nodes that comparing it with each node yields, and
// with the suggested tolerations it can be scheduled to the nodes of a node group.
func TestReport_reference(t *testing.T) {
	suggested := 0
	for seed := range uint64(300) {
		c := read(t, random(rand.New(rand.NewPCG(seed, 16))))
		r := newReport(c, now, condition.Temporary(), true, true)
		pods := 0
		for _, g := range r.Pods {
			pods += len(g.pods)
			var want Counts
			of := g.pods[:1]
			if g.pods[0].Placement.Node != "" { // each has its own, which counts once
				of = g.pods
			}
			own := make(map[string]bool)
			for _, p := range of {
				if p.Placement.Node != "" && own[p.Placement.Node] {
					continue
				}
				own[p.Placement.Node] = true
				for _, n := range c.Nodes {
					switch {
					case len(of) > 1 && n.Name != p.Placement.Node:
					case n.Err != nil:
						want.Unknown++
					case !p.Placement.Admits(n):
						want.NotSelected++
					case n.Filter(p.Tolerations).Schedulable():
						want.Admitted++
					default:
						want.Tainted++
					}
				}
			}
			if g.pods[0].Placement.Node != "" { // other nodes do not count
				want.Unknown, want.NotSelected, g.Nodes.Unknown, g.Nodes.NotSelected = 0, 0, 0, 0
			}
			if diff := cmp.Diff(want, *g.Nodes); diff != "" {
				t.Errorf("seed %d, %v: mismatch (-want +got):\n%s", seed, g.Pods, diff)
			}
			for _, group := range g.NodeGroups {
				var add toleration.List
				for _, why := range group.Taints {
					if why.Add != nil {
						add = append(add, *why.Add)
					}
				}
				opened := 0
				for _, n := range c.Nodes {
					if n.Err == nil && g.pods[0].Placement.Admits(n) && n.Filter(append(add, g.Tolerations...)).Schedulable() {
						opened++
					}
				}
				if len(add) == len(group.Taints) && g.pods[0].Placement.Node == "" {
					if suggested++; opened < group.Count {
						t.Errorf("seed %d, %v: %d nodes with %v, want at least %d", seed, g.Pods, opened, add, group.Count)
					}
				}
			}
		}
		if pods += r.Summary.Unknown; pods < len(c.Pods) {
			t.Errorf("seed %d: %d of %d pods are in groups", seed, pods, len(c.Pods))
		}
	}
	if suggested < 1000 {
		t.Errorf("%d groups of nodes have suggestions", suggested)
	}
}

func TestEvictions(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"p"%s},"spec":{"nodeName":"%s","tolerations":[%s]}%s}`
	const node = `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"NoExecute"%s}]}}{"kind":"Node","metadata":{"name":"bad"},"spec":{"taints":5}}`
	const added = `,"timeAdded":"2026-11-20T08:30:00Z"`
	for name, test := range map[string]struct {
		added, meta, node, tolerations, status string
		want                                   string
	}{
		"untolerated":      {added, "", "n", "", "", "now, since 2026-11-20T08:30:00Z (3m) untolerated k:NoExecute"},
		"no time":          {"", "", "n", "", "", "now untolerated k:NoExecute"},
		"later":            {added, "", "n", `{"key":"k","tolerationSeconds":300,"effect":"NoExecute"}`, "", "2026-11-20T08:35:00Z at the earliest (in 2m) k:NoExecute is tolerated for 300 s"},
		"over":             {added, "", "n", `{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, "", "now, since 2026-11-20T08:31:00Z (2m) k:NoExecute was tolerated for 60 s"},
		"started later":    {added, "", "n", `{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, `,"status":{"startTime":"2026-11-20T08:31:30Z"}`, "now, since 2026-11-20T08:32:30Z (30s) k:NoExecute was tolerated for 60 s"},
		"start unknown":    {"", "", "n", `{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, "", "later k:NoExecute is tolerated for 60 s from when it was added, which is unknown"},
		"negative seconds": {"", "", "n", `{"key":"k","tolerationSeconds":-1,"effect":"NoExecute"}`, "", "now k:NoExecute was tolerated for 0 s"},
		"the first counts": {added, "", "n", `{"key":"k"},{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, "", ""},
		"never":            {added, "", "n", `{"operator":"Exists"}`, "", ""},
		"after all time":   {added, "", "n", `{"key":"k","tolerationSeconds":9223372036854775807,"effect":"NoExecute"}`, "", ""},
		"terminating":      {added, `,"deletionTimestamp":"2026-11-20T08:30:00Z"`, "n", "", "", ""},
		"static":           {added, `,"annotations":{"kubernetes.io/config.mirror":"x"}`, "n", "", "", ""},
		"unknown node":     {added, "", "bad", "", "", "unknown its node could not be read"},
		"no node":          {added, "", "other", "", "", "unknown its node is not in the input"},
		"unknown pod":      {added, "", "n", "5", "", "unknown the pod could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := run(t, fmt.Sprintf(node, test.added)+fmt.Sprintf(pod, test.meta, test.node, test.tolerations, test.status), "-f", "-")
			_, table, _ := strings.Cut(out, "WHY\n")
			got := strings.TrimPrefix(strings.Join(strings.Fields(table), " "), "p "+test.node+" ")
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The number of groups does not grow with pods and nodes that are alike, nor does the text.
func TestReport_scale(t *testing.T) {
	lines := func(factor int) int {
		var b strings.Builder
		for i := range 20 * factor {
			fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":"%d"}},"spec":{"taints":[{"key":"team","value":"%d","effect":"NoSchedule"}]}}`, i, i%4, i%5)
		}
		for i := range 200 * factor {
			fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeSelector":{"pool":"%d"},"tolerations":[{"key":"team","value":"%d"}]}}`, i, i%2, 9+i%5)
			fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"d%d"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}]}}}}}`, i, i%(20*factor))
		}
		if groups := len(report(t, b.String(), false).Pods); groups != 15 {
			t.Errorf("%d groups of pods, want 15", groups)
		}
		out, err := run(t, b.String(), "-f", "-", "-o", "wide")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(out, "\n")
	}
	if few, many := lines(1), lines(10); few != many {
		t.Errorf("%d lines, and with ten times as many pods %d", few, many)
	}
}

// The text lists the first 10 groups of pods, 10 of evictions, and 3 groups of nodes of each
// group of pods, unless it is wide.
func TestReport_many(t *testing.T) {
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k%d","effect":"NoExecute"}]}}`, i, i)
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeSelector":{"p":"%d"}}}{"kind":"Pod","metadata":{"name":"q%d"},"spec":{"nodeName":"n%d"}}`, i, i, i, i)
	}
	b.WriteString(`{"kind":"Pod","metadata":{"name":"r1"}}{"kind":"Pod","metadata":{"name":"r2"}}`)
	b.WriteString(`{"kind":"Pod","metadata":{"name":"s"},"spec":{"nodeName":"n0"}}`)
	brief, err := run(t, b.String(), "-f", "-")
	if err != nil || strings.Count(brief, "\n  taints and labels") != 10 || strings.Count(brief, "untolerated k") != 10 {
		t.Errorf("%v:\n%s", err, brief)
	}
	shows(t, b.String(), "", "r1, r2\n", "    and 27 more nodes with other taints\n", "\nand 21 more groups; -o wide lists all\n", "\nq0 and 1 more ", "\nand 20 more pods; -o wide lists all\n")
	if wide, err := run(t, b.String(), "-f", "-", "-o", "wide"); err != nil || strings.Count(wide, "\n  taints and labels") != 31 || strings.Count(wide, "untolerated k") != 31 || strings.Contains(wide, "more") {
		t.Errorf("%v:\n%s", err, wide)
	}
}

// What takes too long is a summary by the scheduler's messages, and one pod of it is evaluated.
func TestReport_summary(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"%d"}},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`, i, i, i)
	}
	for i := range 7000 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"host","operator":"NotIn","values":["%d"]}]}]}}}},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"no node fits"}]}}`, i, i)
	}
	out, err := run(t, b.String(), "-f", "-", "--exit-code")
	if err == nil || !strings.HasPrefix(err.Error(), errWork.Error()) || !strings.Contains(out, "\nToo many different pods and nodes: ") || !strings.Contains(out, "  Unschedulable: no node fits\n") || len(out) > 10_000 {
		t.Errorf("%v:\n%.2000s", err, out)
	}
	r := report(t, b.String(), false)
	listed := 0
	for _, g := range r.Pods {
		listed += len(g.Pods)
	}
	if listed != r.Summary.Pending || !slices.Contains(r.Incomplete, "podGroups") {
		t.Errorf("%d pods of %d are listed, incomplete: %q", listed, r.Summary.Pending, r.Incomplete)
	}
	if out, err := run(t, b.String(), "p0", "-f", "-", "--exit-code"); err == nil || strings.Contains(out, "Too many") || !strings.Contains(out, " admit 0 of ") {
		t.Errorf("one pod: %v\n%.1000s", err, out)
	}
}

// With --node, the report is about that node, and says so.
func TestNode(t *testing.T) {
	out, err := run(t, "", "--sample", "--node", "node/worker-3")
	if err != nil || !strings.HasPrefix(out, "8 pods, 1 node. Pending: 5 (taints or labels keep 5 from worker-3). Evicted now: 1, later: 1.\n") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := run(t, "", "--sample", "--node", "worker-3", "--exit-code"); err == nil || !strings.Contains(err.Error(), "omit one of the two") {
		t.Errorf("error %v, want one about --exit-code with --node", err)
	}
}
