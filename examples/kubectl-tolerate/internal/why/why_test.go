package why

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var now = time.Date(2026, 11, 20, 8, 33, 0, 0, time.UTC)

func read(t *testing.T, input string) *cluster.Cluster {
	t.Helper()
	env := cli.NewEnv(strings.NewReader(input), &bytes.Buffer{}, &bytes.Buffer{})
	c, err := cluster.Read(t.Context(), env, &cluster.Options{Filenames: []string{"-"}})
	if err != nil {
		t.Fatal(err, env.ErrOut)
	}
	return c
}

func report(t *testing.T, input string) *Report {
	t.Helper()
	r, err := newReport(read(t, input), now, 1<<30, true)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// random writes a small cluster in which much is alike.
func random(r *rand.Rand) string {
	one := func(texts ...string) string { return texts[r.IntN(len(texts))] }
	var b strings.Builder
	for i := range 1 + r.IntN(12) {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":"%s"}},"spec":{"unschedulable":%s,"taints":[%s]}}`, i, one("a", "b", "c"), one("false", "false", "true"),
			one("", `{"key":"k","effect":"NoSchedule"}`, `{"key":"k","effect":"PreferNoSchedule"}`, `{"key":"k","value":"v","effect":"NoExecute"},{"key":"l","effect":"NoSchedule"}`, `{"key":"l","effect":"NoSchedule"},{"key":"k","value":"v","effect":"NoExecute"}`, `{"key":"k","effect":"bad"}`))
	}
	for i := range 1 + r.IntN(30) {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{%s"tolerations":[%s]%s}}`, i, one("", `"nodeName":"n0",`), one("", `{"key":"k"}`, `{"key":"k","operator":"Exists"}`, `{"operator":"Exists"}`, `{"key":"l","operator":"Exists"},{"key":"m"}`),
			one("", `,"nodeSelector":{"pool":"a"}`, `,"nodeSelector":{"pool":"b"}`, fmt.Sprintf(`,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}]}}}`, r.IntN(14)),
				`,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]},{"matchExpressions":[{"key":"pool","operator":"Exists"}]}]}}}`,
				`,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]}]}}}`))
	}
	return b.String()
}

// Each pod of a group has the numbers of nodes that comparing it with each node yields, and
// with the suggested tolerations it can be scheduled to the nearest nodes.
func TestReport_reference(t *testing.T) {
	nearest := 0
	for seed := range uint64(300) {
		c := read(t, random(rand.New(rand.NewPCG(seed, 16))))
		r, err := newReport(c, now, 1<<30, true)
		if err != nil {
			t.Fatal(err)
		}
		pods := 0
		for _, g := range r.Pods {
			pods += len(g.Pods)
			for _, p := range g.group.pods {
				var want Counts
				opened := 0
				for _, n := range c.Nodes {
					result := n.Filter(p.Tolerations)
					switch {
					case n.Err != nil:
						want.Unknown++
					case !p.Placement.Admits(n):
						want.NotSelected++
					case !result.Schedulable():
						want.Cannot++
					case !result.Preferred():
						want.PreferNot++
					default:
						want.Can++
					}
					if g.Nearest != nil && n.Err == nil && p.Placement.Admits(n) && n.Filter(p.Tolerations, g.Nearest.Add).Schedulable() {
						opened++
					}
				}
				if diff := cmp.Diff(want, g.Nodes); diff != "" {
					t.Errorf("seed %d, %s: mismatch (-want +got):\n%s", seed, p.Name, diff)
				}
				if g.CannotBeScheduled != (p.Waits() && want.Can+want.PreferNot+want.Unknown == 0) {
					t.Errorf("seed %d, %s: CannotBeScheduled is %t", seed, p.Name, g.CannotBeScheduled)
				}
				if g.Nearest != nil {
					if nearest++; opened < g.Nearest.Nodes || g.Nearest.Nodes == 0 {
						t.Errorf("seed %d, %s: %d nodes with %v, want at least %d", seed, p.Name, opened, g.Nearest.Add, g.Nearest.Nodes)
					}
				}
			}
		}
		for _, p := range c.Pods {
			if p.Err != nil {
				pods++
			}
		}
		if pods != len(c.Pods) {
			t.Errorf("seed %d: %d of %d pods are in groups", seed, pods, len(c.Pods))
		}
	}
	if nearest < 100 {
		t.Errorf("nearest nodes of %d pods", nearest)
	}
}

func TestNearest(t *testing.T) {
	const node = `{"kind":"Node","metadata":{"name":"%s"},"spec":{"taints":[%s]}}`
	notReady := `{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}`
	for name, test := range map[string]struct {
		nodes       []string
		tolerations string
		want        string
		misspelt    string
	}{
		"fewest":            {[]string{`{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule"}`, `{"key":"c","effect":"NoSchedule"}`}, "", "{key: c, operator: Equal, effect: NoSchedule}", ""},
		"not temporary":     {[]string{notReady, `{"key":"c","effect":"NoSchedule"}`}, "", "{key: c, operator: Equal, effect: NoSchedule}", ""},
		"most nodes":        {[]string{`{"key":"a","effect":"NoSchedule"}`, `{"key":"b","effect":"NoSchedule"}`, `{"key":"b","effect":"NoSchedule"}`}, "", "{key: b, operator: Equal, effect: NoSchedule}", ""},
		"a key of the pod":  {[]string{`{"key":"a","effect":"NoSchedule"}`, `{"key":"b","effect":"NoSchedule"}`}, `{"key":"b","value":"x"}`, "{key: b, operator: Equal, effect: NoSchedule}", ""},
		"a misspelt key":    {[]string{`{"key":"alpha","effect":"NoSchedule"}`, `{"key":"dedicated","effect":"NoSchedule"}`}, `{"key":"dedicatd","operator":"Exists"}`, "{key: dedicated, operator: Equal, effect: NoSchedule}", "{key: dedicatd, operator: Exists}"},
		"another prefix":    {[]string{`{"key":"alpha","effect":"NoSchedule"}`, `{"key":"x.io/gpu","effect":"NoSchedule"}`}, `{"key":"y.io/gpu","operator":"Exists"}`, "{key: x.io/gpu, operator: Equal, effect: NoSchedule}", "{key: y.io/gpu, operator: Exists}"},
		"a number differs":  {[]string{`{"key":"team1","effect":"NoSchedule"}`}, `{"key":"team2","operator":"Exists"}`, "{key: team1, operator: Equal, effect: NoSchedule}", ""},
		"a letter of three": {[]string{`{"key":"gpu","effect":"NoSchedule"}`}, `{"key":"cpu","operator":"Exists"}`, "{key: gpu, operator: Equal, effect: NoSchedule}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for i, taints := range test.nodes {
				fmt.Fprintf(&b, node, fmt.Sprint("n", i), taints)
			}
			r := report(t, b.String()+`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[`+test.tolerations+`]}}`)
			near := r.Pods[0].Nearest
			if got := flow(near.Add[0]); got != test.want || near.Taints[0].Misspelt != test.misspelt {
				t.Errorf("add %s (%s), want %s (%s)", got, near.Taints[0].Misspelt, test.want, test.misspelt)
			}
		})
	}
}

// A cordon is cheaper than a taint of the control plane, and the text says what else to do.
func TestNearest_hint(t *testing.T) {
	const cordoned = `{"kind":"Node","metadata":{"name":"n1"},"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`
	const controlPlane = `{"kind":"Node","metadata":{"name":"n2"},"spec":{"taints":[{"key":"node-role.kubernetes.io/control-plane","effect":"NoSchedule"}]}}`
	const master = `{"kind":"Node","metadata":{"name":"n2"},"spec":{"taints":[{"key":"node-role.kubernetes.io/master","effect":"NoSchedule"}]}}`
	const notReady = `{"kind":"Node","metadata":{"name":"n3"},"spec":{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}}`
	const uncordon, unusual, wait = " (or uncordon the node: kubectl uncordon n1)", " (not for usual workloads)", " (or wait: the taint is temporary)"
	for name, test := range map[string]struct{ nodes, nearest, hint, others string }{
		"cordon":        {controlPlane + cordoned, "n1", uncordon, unusual},
		"strange name":  {strings.Replace(cordoned, "n1", "n1;x", 1), "n1;x", " (or uncordon the node);", ""},
		"temporary":     {master + notReady, "n3", wait, unusual},
		"control plane": {controlPlane, "n2", unusual, ""},
		"master":        {master, "n2", unusual, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var brief, detail strings.Builder
			r := report(t, test.nodes+`{"kind":"Pod","metadata":{"name":"p"}}`)
			if err := r.text(&brief, false, false); err != nil {
				t.Fatal(err)
			}
			if err := r.text(&detail, false, true); err != nil {
				t.Fatal(err)
			}
			if _, near, _ := strings.Cut(brief.String(), "nearest: "); !strings.HasPrefix(near, test.nearest+"\n") || !strings.Contains(near, test.hint) {
				t.Errorf("no %s with %q in:\n%s", test.nearest, test.hint, &brief)
			}
			if strings.Count(detail.String(), strings.TrimSuffix(test.hint, ";")) != 2 || !strings.Contains(detail.String(), test.others) {
				t.Errorf("not %q twice and %q in:\n%s", test.hint, test.others, &detail)
			}
		})
	}
}

func TestEvictions(t *testing.T) {
	const pod = `{"kind":"Pod","metadata":{"name":"p"%s},"spec":{"nodeName":"%s","tolerations":[%s]}}`
	const node = `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"NoExecute"%s}]}}{"kind":"Node","metadata":{"name":"bad"},"spec":{"taints":5}}`
	const added = `,"timeAdded":"2026-11-20T08:30:00Z"`
	for name, test := range map[string]struct {
		added, meta, node, tolerations string
		want                           string
	}{
		"untolerated":      {added, "", "n", "", "now, since 2026-11-20T08:30:00Z untolerated k:NoExecute"},
		"no time":          {"", "", "n", "", "now untolerated k:NoExecute"},
		"later":            {added, "", "n", `{"key":"k","tolerationSeconds":300,"effect":"NoExecute"}`, "2026-11-20T08:35:00Z k:NoExecute is tolerated for 300 s"},
		"over":             {added, "", "n", `{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, "now, since 2026-11-20T08:31:00Z k:NoExecute was tolerated for 60 s"},
		"start unknown":    {"", "", "n", `{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, "later k:NoExecute is tolerated for 60 s from when it was added, which is unknown"},
		"negative seconds": {"", "", "n", `{"key":"k","tolerationSeconds":-1,"effect":"NoExecute"}`, "now k:NoExecute was tolerated for 0 s"},
		"the first counts": {added, "", "n", `{"key":"k"},{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}`, ""},
		"never":            {added, "", "n", `{"operator":"Exists"}`, ""},
		"after all time":   {added, "", "n", `{"key":"k","tolerationSeconds":9223372036854775807,"effect":"NoExecute"}`, ""},
		"terminating":      {added, `,"deletionTimestamp":"2026-11-20T08:30:00Z"`, "n", "", ""},
		"static":           {added, `,"annotations":{"kubernetes.io/config.mirror":"x"}`, "n", "", ""},
		"unknown node":     {added, "", "bad", "", "unknown the taints of its node could not be read"},
		"no node":          {added, "", "other", "", "unknown its node is not in the input"},
		"unknown pod":      {added, "", "n", "5", "unknown it could not be read as a whole"},
	} {
		t.Run(name, func(t *testing.T) {
			r := report(t, fmt.Sprintf(node, test.added)+fmt.Sprintf(pod, test.meta, test.node, test.tolerations))
			got := ""
			for _, e := range r.Evictions {
				got += e.when() + " " + e.Because
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The seconds of a pod that started after the taint was added begin when it started.
func TestEvictions_started(t *testing.T) {
	r := report(t, `{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"NoExecute","timeAdded":"2026-11-20T08:30:00Z"}]}}
		{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"n","tolerations":[{"key":"k","tolerationSeconds":60,"effect":"NoExecute"}]},"status":{"startTime":"2026-11-20T08:31:30Z"}}`)
	if len(r.Evictions) != 1 || r.Evictions[0].when() != "2026-11-20T08:32:30Z" && r.Evictions[0].when() != "now, since 2026-11-20T08:32:30Z" {
		t.Errorf("evictions %+v, want one at 2026-11-20T08:32:30Z", r.Evictions)
	}
}

// The number of groups does not grow with pods and nodes that are alike, nor does the text.
func TestReport_scale(t *testing.T) {
	text := func(factor int) (groups, nodes, lines int) {
		var b strings.Builder
		for i := range 20 * factor {
			fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"pool":"%d"}},"spec":{"taints":[{"key":"team","value":"%d","effect":"NoSchedule"}]}}`, i, i%4, i%5)
		}
		for i := range 200 * factor {
			fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeName":"n%d","nodeSelector":{"pool":"%d"},"tolerations":[{"key":"team","value":"%d"}]}}`, i, i%20, i%2, i%5)
			fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"d%d"},"spec":{"nodeName":"n%d","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}]}}}}}`, i, i%(20*factor), i%(20*factor))
		}
		r := report(t, b.String())
		var out strings.Builder
		if err := r.text(&out, true, false); err != nil {
			t.Fatal(err)
		}
		return len(r.Pods), len(r.Nodes), strings.Count(out.String(), "\n")
	}
	groups, nodes, lines := text(1)
	if groups != 15 || nodes != 5 {
		t.Errorf("%d groups of pods, %d of nodes; want 15, 5", groups, nodes)
	}
	if g, n, l := text(10); g != groups || n != nodes || l != lines {
		t.Errorf("ten times as many pods: %d groups, %d node groups, %d lines; want %d, %d, %d", g, n, l, groups, nodes, lines)
	}
}

// What takes too long is refused, and one pod of it is not.
func TestReport_refused(t *testing.T) {
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"host":"%d"}},"spec":{"taints":[{"key":"k%d","effect":"NoSchedule"}]}}`, i, i, i)
	}
	for i := range 7000 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeSelector":{"host":"%d"}}}`, i, i)
	}
	c := read(t, b.String())
	if _, err := newReport(c, now, 0, false); err != errWork {
		t.Errorf("error %v, want %v", err, errWork)
	}
	c.Pods = c.Pods[:1]
	if r, err := newReport(c, now, 0, false); err != nil || r.Summary.CannotBeScheduled != 1 {
		t.Errorf("error %v", err)
	}
}

// To look for the nodes to name is work too.
func TestReport_rareNodes(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d","labels":{"rare":"%t"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`, i, i == 2999)
	}
	for i := range 5000 {
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p%d"},"spec":{"nodeSelector":{"rare":"true"},"tolerations":[{"key":"k%d"}]}}`, i, i)
	}
	if _, err := newReport(read(t, b.String()), now, 0, false); err != errWork {
		t.Errorf("error %v, want %v", err, errWork)
	}
}

// Pods of daemon sets are a group: each is admitted by its own node, and evicted from it.
func TestReport_ownNodes(t *testing.T) {
	var b strings.Builder
	const pods = 3000
	for i := range pods {
		fmt.Fprintf(&b, `{"kind":"Node","metadata":{"name":"n%d"},"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}}`, i)
		fmt.Fprintf(&b, `{"kind":"Pod","metadata":{"name":"p","namespace":"s%d"},"spec":{"nodeName":"n%d","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n%d"]}]}]}}}}}`, i, i, i)
	}
	b.WriteString(`{"kind":"Node","metadata":{"name":"other"},"spec":{"taints":[{"key":"k","effect":"NoExecute"}]}}`)
	var out strings.Builder
	if err := report(t, b.String()).text(&out, false, true); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "is evicted from n"); n != pods || !strings.Contains(out.String(), "n0, n1, n2, n3, n4 and 2995 more: cannot be scheduled") || !strings.Contains(out.String(), "1 node not selected") {
		t.Errorf("%d evictions\n%.2000s", n, &out)
	}
}

// Tolerations in one line are YAML, whatever their values mean to it.
func TestFlow(t *testing.T) {
	var want toleration.List
	for _, value := range []string{"", "x", "true", "null", "y", "7", "1e3", "0x10", "2026-11-20", "1_000", "a.b-c"} {
		want = append(want, toleration.MustNew("example.com/k", toleration.Equal, value, taint.NoSchedule))
	}
	seconds, err := toleration.MustNew("", toleration.Exists, "", taint.NoExecute).WithSeconds(-5)
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, seconds)
	text := flow(want)
	var got toleration.List
	if err := yaml.UnmarshalStrict([]byte(text), &got); err != nil || strings.Contains(text, "\n") || strings.Contains(text, `"x"`) {
		t.Errorf("%v: %s", err, text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// With --node, the report is about that node, and says so.
func TestNode(t *testing.T) {
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		c := NewCommand(cli.NewEnv(strings.NewReader(""), &out, &out))
		c.SetArgs(append(args, "--sample"))
		c.SilenceErrors, c.SilenceUsage = true, true
		err := c.ExecuteContext(t.Context())
		return out.String(), err
	}
	out, err := run("--node", "worker-3")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cannot be scheduled to worker-3: 5. ", "\nCANNOT BE SCHEDULED TO worker-3\n", "\n  node worker-3 does not have the labels\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if _, err := run("--node", "worker-3", "--exit-code"); err == nil || !strings.Contains(err.Error(), "omit one of the two") {
		t.Errorf("error %v, want one about --exit-code with --node", err)
	}
}

// Without a cluster, the error says what else can be read.
func TestNoCluster(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config")
	text := `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],"clusters":[{"name":"c","cluster":{"server":"http://127.0.0.1:1"}}]}`
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", config)
	c := NewCommand(cli.NewEnv(strings.NewReader(""), io.Discard, io.Discard))
	c.SetArgs([]string{})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.ExecuteContext(t.Context()); err == nil || !strings.HasSuffix(err.Error(), "connection refused; for files use -f, without a cluster --sample") {
		t.Errorf("error %v, want one with what else can be read", err)
	}
}
