package simulate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/toleration"
)

// run runs the command, and returns what it writes.
func run(t testing.TB, in string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	env := cli.NewEnv(strings.NewReader(in), &o, &e)
	c := NewCommand(env)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(env.Out)
	c.SetErr(env.ErrOut)
	status = env.Status(c.ExecuteContext(t.Context()))
	return status, o.String(), e.String()
}

func write(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestCommand_sample(t *testing.T) {
	status, text, errOut := run(t, "", "--sample")
	if status != 0 || errOut != "" {
		t.Fatalf("status %d, %s", status, errOut)
	}
	for _, want := range []string{
		"TIME    EVENT             NODES",
		"1m50s   Tainted           worker-0",
		"4m0s    Initialized       worker-4",
		"6m50s   Evicted           worker-0",
		"31m0s   Scheduled         worker-0                                shop/burstable",
		"40m0s   Scheduled         worker-0                                shop/best-effort",
		"\nPOD ",
		"\nshop/web-0            Running",
		"\nedge/camera-0         Pending", // no node has the label that it selects
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if _, again, _ := run(t, "", "--sample"); again != text {
		t.Error("the second run writes something else")
	}
	status, svg, errOut := run(t, "", "--sample", "-o", "svg")
	if status != 0 || errOut != "" || !strings.HasPrefix(svg, "<svg") {
		t.Errorf("-o svg: status %d, %s", status, errOut)
	}
	for _, want := range []string{"worker-4", "shop/web-0,shop/web-2", "1m50s to 21m0s: NotReady"} {
		if !strings.Contains(svg, want) {
			t.Errorf("%q is missing in\n%s", want, svg)
		}
	}
	if _, out, _ := run(t, `{"kind":"Node","metadata":{"name":"a"}}`, "-f", "-", "-o", "json", "--scenario", write(t, "events: []")); !strings.Contains(out, `"timeline": [],`) {
		t.Errorf("no list: %s", out)
	}
	_, asJSON, _ := run(t, "", "--sample", "-o", "json")
	_, asYAML, _ := run(t, "", "--sample", "-o", "yaml")
	var r struct {
		EndSeconds float64 `json:"endSeconds"`
		Timeline   []struct {
			AtSeconds       float64 `json:"atSeconds"`
			DeadlineSeconds float64 `json:"deadlineSeconds"`
			Event           string  `json:"event"`
			Pods            []string
		} `json:"timeline"`
		Pods []struct {
			Name        string  `json:"name"`
			DownSeconds float64 `json:"downSeconds"`
		} `json:"pods"`
	}
	if err := json.Unmarshal([]byte(asJSON), &r); err != nil {
		t.Fatal(err)
	}
	first := r.Timeline[0]
	if r.EndSeconds != 3600 || first.Event != "EvictionPlanned" || first.DeadlineSeconds != 300 || len(first.Pods) != 1 || len(r.Pods) != 10 {
		t.Errorf("%+v", r)
	}
	for _, p := range r.Pods {
		if p.Name == "shop/web-0" && p.DownSeconds != 350 {
			t.Errorf("%s is down for %v s", p.Name, p.DownSeconds)
		}
	}
	if converted, err := yaml.YAMLToJSON([]byte(asYAML)); err != nil || !equalJSON(t, converted, []byte(asJSON)) {
		t.Errorf("YAML differs from JSON: %v", err)
	}
}

func equalJSON(t *testing.T, a, b []byte) bool {
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}

// Input that is invalid is rejected, with its place, and has no result.
func TestCommand_invalid(t *testing.T) {
	node := `{"kind":"Node","metadata":{"name":"a"}}`
	pod := `{kind: Pod, metadata: {name: p}, spec: `
	for _, test := range []struct{ scenario, want string }{
		{"", "the list events is missing"},
		{"[]", "line 1: must be an object with the list events"},
		{"null", "the list events is missing"},
		{"end: 1h", "the list events is missing"},
		{"events: []\n---\nevents: []", "more than one document"},
		{"events: []\nevents: []", "already defined"},
		{"events: []\nfoo: 1", `line 2: unknown field "foo"`},
		{"events:\n- {at: 1m, event: Ready, nodes: [a], node: b}", `line 2: unknown field "node", did you mean nodes?`},
		{"events: [{event: Ready, nodes: [a]}]", "events[0]: an event Ready needs at"},
		{"events: [null]", "events[0]: event: unknown kind"},
		{"events: [{at: 1, event: Ready, nodes: [a]}]", "line 1: `1` must be a duration, such as 90s"},
		{"events: [{at: -1s, event: Ready, nodes: [a]}]", "events[0]: at: must not be negative"},
		{"events: [{at: 9000h, event: Ready, nodes: [a]}]", "events[0]: at: 9000h0m0s is after the end"},
		{"{end: 1m, events: [{at: 1h, event: Ready, nodes: [a]}]}", "events[0]: at: 1h0m0s is after the end"},
		{"{end: -1m, events: []}", "end: must be from 0s"},
		{"{nodeEvictionRate: .nan, events: []}", "must not be negative"},
		{"{largeClusterSizeThreshold: -1, events: []}", "must not be negative"},
		{"{unhealthyZoneThreshold: 55, events: []}", "must be a share from 0 to 1"},
		{"{end: 0s, events: [{at: 1m, event: Ready, nodes: [a]}]}", "events[0]: at: 1m0s is after the end"},
		{"{start: Sometimes, events: []}", `: start: unknown name "Sometimes" (allowed: FromObserved, `},
		{"{choice: first2, events: []}", `: choice: unknown name "first2", did you mean First?`},
		{"events: [{at: 1m, event: Fail, nodes: [a]}]", `unknown kind "Fail" (allowed: Unreachable, NotReady,`},
		{"events: [{at: 1m, event: Ready}]", "an event Ready needs nodes or a selector"},
		{"events: [{at: 1m, event: Ready, nodes: [a], edits: [k-]}]", "an event Ready must not have edits"},
		{"events: [{at: 1m, event: Ready, nodes: [a, a]}]", "nodes: must be different names"},
		{"events: [{at: 1m, event: Ready, nodes: [a], percent: 5}]", "percent: must be from 1 to 100"},
		{"events: [{at: 1m, event: Ready, selector: '', percent: 0}]", "percent: must be from 1 to 100"},
		{"events: [{at: 1m, event: Ready, selector: '!!'}]", "events[0]: selector:"},
		{"events: [{at: 1m, event: Ready, selector: x=y}]", "events[0]: at 1m0s: no node has the labels x=y"},
		{"events: [{at: 1m, event: Ready, nodes: [b]}]", "events[0]: at 1m0s: node b does not exist"},
		{"events: [{at: 1m, event: Taint, nodes: [a], edits: ['k:Never']}]", `unknown effect "Never"`},
		{"events: [{at: 1m, event: Taint, nodes: [a], edits: [k-]}]", "events[0]: at 1m0s: node a: "},
		{"events: [{at: 1m, event: Conditions, nodes: [a], conditions: [{type: Ready, status: 'True'}]}]", "conditions: the type must be MemoryPressure"},
		{"events: [{at: 1m, event: Create, objects: [{kind: Deployment, metadata: {name: d}}]}]", "kind: must be Node or Pod"},
		{"events: [{at: 1m, event: Conditions, nodes: [a], conditions: [{type: DiskPressure, status: 'True'}, {type: DiskPressure, status: 'False'}]}]", "DiskPressure is there more than once"},
		{"events: [{at: 1m, event: Create, objects: [{metadata: {name: d}}]}]", "kind"},
		{"events: [{at: 1m, event: Create, objects: [{kind: List, items: [" + pod + "{}}]}]}]", "kind: must be Node or Pod"},
		{"events: [{at: 1m, event: Create, objects: [1]}]", "events[0]: line 1: `1` must be an object"},
		{"events: [{at: 1m, event: Create, objects: [{kind: Node, metadata: {name: a}}]}]", "events[0]: at 1m0s: node a is already present"},
		{"events: [{at: 1m, event: Create, objects: [" + pod + "{}}, " + pod + "{}}]}]", "events[0]: at 1m0s: pod p exists or existed before"},
		{"events: [{at: 1m, event: Create, objects: [" + pod + "{nodeName: z}}]}]", "pod p: its node z does not exist"},
		{"events:\n- at: 1m\n  event: Create\n  objects:\n  - " + pod + "{tolerations: [{operator: Sometimes}]}}", "s.yaml:5: Pod p: spec.tolerations[0].operator"},
		{"events: [{at: 1m, event: Create, objects: [&p " + pod + "{}}, *p]}]", "line 1: aliases are not allowed"},
		{"events: [&e {at: 1m, event: Create, objects: [" + pod + "{}}]}" + strings.Repeat(", *e", 9000) + "]", "line 1: aliases are not allowed"},
		{"events: [{at: 1m, event: Create, objects: [{kind: Pod, kind: Pod}]}]", "already defined"},
		{"#" + strings.Repeat("x", maxSize), "larger than 2 MiB"},
		{"events: [" + strings.Repeat("{},", maxEvents+1) + "]", "more than 10000 events"},
		{"events: " + strings.Repeat("[", 20_000), "exceeded max depth"},
	} {
		status, out, errOut := run(t, node, "-f", "-", "--scenario", write(t, test.scenario))
		if status != 1 || out != "" || !strings.Contains(errOut, test.want) || !strings.Contains(errOut, "s.yaml") {
			t.Errorf("%.80s: status %d, %d bytes, %.300s; want %q", test.scenario, status, len(out), errOut, test.want)
		}
	}
	ok := write(t, "events: []")
	for _, test := range []struct {
		cluster, want string
		args          []string
	}{
		{node, "use --scenario FILE, or --sample", []string{"-f", "-"}},
		{node, "cannot be both", []string{"-f", "-", "--scenario", "-"}},
		{node, "no such file", []string{"-f", "-", "--scenario", "none"}},
		{node, "unknown output format", []string{"-f", "-", "--scenario", ok, "-o", "wide"}},
		{node + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"operator":"Sometimes"}]}}`, "spec.tolerations[0].operator", []string{"-f", "-", "--scenario", ok}},
		{node + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"b"}}`, "pod p: its node b does not exist", []string{"-f", "-", "--scenario", ok}},
		{node[:20], "", []string{"-f", "-", "--scenario", ok}},
	} {
		if status, out, errOut := run(t, test.cluster, test.args...); status != 1 || out != "" || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: status %d, %q, %s; want %q", test.args, status, out, errOut, test.want)
		}
	}
}

// In a cluster the seconds since a taint was added have passed.
func TestCommand_live(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/api/v1/nodes":
			fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}]}}]}`)
		case "/api/v1/pods":
			fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p"},"spec":{"nodeName":"a","tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":300,"effect":"NoExecute"}]}}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	var out, errOut bytes.Buffer
	env := cli.NewEnv(strings.NewReader("events: []"), &out, &errOut)
	env.Now = func() time.Time { return time.Date(2026, 1, 1, 0, 1, 40, 0, time.UTC) }
	env.Flags.APIServer = &server.URL
	c := NewCommand(env)
	c.SetArgs([]string{"--scenario", "-"})
	if status := env.Status(c.ExecuteContext(t.Context())); status != 0 || errOut.Len() > 0 {
		t.Fatalf("status %d, %s", status, &errOut)
	}
	for _, want := range []string{"\n0s      EvictionPlanned", "\n3m20s   Evicted", "\n3m20s   Deleted"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &out)
		}
	}
}

// Nothing in the input steers the terminal.
func TestCommand_hostile(t *testing.T) {
	check := func(in string, args ...string) {
		t.Helper()
		_, out, errOut := run(t, in, args...)
		hostile.Check(t, strings.Join(args, " "), out)
		hostile.Check(t, strings.Join(args, " "), errOut)
	}
	name := write(t, "events: [{at: 1m, event: NotReady, selector: ''}, {at: 1m, event: Taint, selector: '', edits: ['x=y:NoExecute']}]")
	for _, input := range hostile.Inputs(t) {
		check(input, "-f", "-", "--scenario", name)
		check(input, "-f", "-", "--scenario", name, "-o", "json")
		check(input, "-f", "-", "--scenario", name, "-o", "svg")
	}
	text, err := yaml.YAMLToJSON([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range hostile.Variants(t, string(text)) {
		check(variant, "--sample", "--scenario", "-")
	}
}

// A pod that is evicted every second does not take all memory.
func TestCommand_endless(t *testing.T) {
	var pods strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&pods, `{"kind":"Pod","metadata":{"name":"p%d","ownerReferences":[{"kind":"Job","name":"j","controller":true}]},"spec":{"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":%d}]}}`, i, 1+i%7)
	}
	name := write(t, "{end: 8000h, events: [{at: 1s, event: Taint, nodes: [a], edits: ['k:NoExecute']}]}")
	status, out, errOut := run(t, `{"kind":"Node","metadata":{"name":"a"}}`+pods.String(), "-f", "-", "--scenario", name)
	if status != 1 || out != "" || !strings.Contains(errOut, "use an earlier end") {
		t.Errorf("status %d, %d bytes, %s", status, len(out), errOut)
	}
}

// Edits of many nodes do not take all memory.
func TestCommand_edits(t *testing.T) {
	var nodes, edits strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&nodes, `{"kind":"Node","metadata":{"name":"n%d"}}`, i)
		fmt.Fprintf(&edits, "k%d:NoSchedule,", i)
	}
	name := write(t, "events: [{at: 1s, event: Taint, selector: '', edits: ["+strings.ReplaceAll(edits.String(), ":", "=v:")+"]}]")
	status, out, errOut := run(t, nodes.String(), "-f", "-", "--scenario", name)
	if status != 1 || out != "" || !strings.Contains(errOut, "fewer events") {
		t.Errorf("status %d, %d bytes, %s", status, len(out), errOut)
	}
}

// A zone of a large cluster fails.
func TestLarge(t *testing.T) {
	var nodes []*cluster.Node
	var pods []*cluster.Pod
	for i := range 5000 {
		nodes = append(nodes, newNode(fmt.Sprintf("n%04d", i), string(rune('a'+i%3)), ""))
	}
	lists := []string{defaults, longer, "", "op=Exists"}
	for i := range 50_000 {
		p := newPod(fmt.Sprint("p", i), nodes[i%5000].Name, "ReplicaSet r", "")
		p.Tolerations = slices.Concat(toleration.MustParseList(lists[i%4]), toleration.MustParseList(fmt.Sprintf("own=%d", i%100)))
		pods = append(pods, p)
	}
	began := time.Now()
	r := simulate(t, nodes, pods, "{end: 8h, events: ["+inA+"at: 1m, event: Unreachable}, "+inA+"at: 7h, event: Ready}]}")
	t.Logf("%d entries in %v", len(r.Timeline), time.Since(began))
	evicted := 0
	for _, h := range r.Pods {
		evicted += h.Evictions
	}
	if want := 1667 * 10 * 3 / 4; evicted < want-10 || evicted > want+10 {
		t.Errorf("%d pods were evicted, want about %d", evicted, want)
	}
}
