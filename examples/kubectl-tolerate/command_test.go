package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
)

// A program is a run of the program.
type program struct {
	out, errOut bytes.Buffer
	status      int
}

// start runs the program with the server, if any, and without a kubeconfig.
func (p *program) start(ctx context.Context, server, in string, args ...string) {
	env := cli.NewEnv(strings.NewReader(in), &p.out, &p.errOut)
	env.Now = func() time.Time { return time.Date(2026, 11, 20, 8, 33, 0, 0, time.UTC) }
	env.Kubeconfig = os.DevNull
	if server != "" {
		args = append(args, "--server", server)
	}
	p.status = run(ctx, env, args)
}

func runWhy(t *testing.T, server, in string, args ...string) (status int, out, errOut string) {
	t.Helper()
	var p program
	p.start(t.Context(), server, in, append([]string{"why"}, args...)...)
	return p.status, p.out.String(), p.errOut.String()
}

// contains reports the texts that are not in what was written, in this order.
func contains(t *testing.T, name, written string, texts ...string) {
	t.Helper()
	rest := written
	for _, text := range texts {
		_, after, ok := strings.Cut(rest, text)
		if !ok {
			t.Errorf("%s has no %q in order:\n%s", name, text, written)
			return
		}
		rest = after
	}
}

const (
	freeNode    = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"free","labels":{"pool":"a"}}}`
	taintedNode = `{"kind":"Node","apiVersion":"v1","metadata":{"name":"tainted","labels":{"pool":"b"}},"spec":{"taints":[{"key":"team","value":"x","effect":"NoSchedule"}]}}`
	podA        = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default"}}`
	podB        = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","namespace":"default","labels":{"app":"b"}},"spec":{"nodeSelector":{"pool":"b"}}}`
)

func TestWhy_arguments(t *testing.T) {
	for name, test := range map[string]struct {
		args   []string
		status int
		out    []string
		errOut string
	}{
		"exit code":  {[]string{"--sample", "--exit-code"}, 1, []string{"camera-0"}, ""},
		"nothing":    {[]string{"--sample", "--exit-code", "-n", "shop"}, 0, []string{"web-2"}, ""},
		"selector":   {[]string{"--sample", "-l", "a=b"}, 0, []string{"0 pods"}, ""},
		"wrong -l":   {[]string{"--sample", "-l", "a=="}, 0, []string{"0 pods"}, ""},
		"invalid -l": {[]string{"--sample", "-l", "a in"}, 2, nil, "error: unable to parse requirement"},
		"no pod":     {[]string{"--sample", "nobody"}, 2, nil, `error: pod "nobody" not found` + "\n"},
		"node":       {[]string{"--sample", "--node", "worker-3"}, 0, []string{"1 node", "shop/cache-0"}, ""},
		"no node":    {[]string{"--sample", "--node", "nobody"}, 2, nil, `error: node "nobody" not found` + "\n"},
		"format":     {[]string{"--sample", "-o", "table"}, 2, nil, `error: unknown output format "table"`},
		"both":       {[]string{"--sample", "-f", "x"}, 2, nil, "error: if any flags in the group"},
		"empty name": {[]string{"-f", ""}, 2, nil, "error: --filename: must not be empty"},
		"no file":    {[]string{"-f", "nobody.json"}, 2, nil, "error: stat nobody.json: no such file"},
		"address":    {[]string{"-f", "https://x"}, 2, nil, "error: https://x: addresses are not read"},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errOut := runWhy(t, "", "", test.args...)
			if status != test.status || !strings.HasPrefix(errOut, test.errOut) || test.errOut == "" && errOut != "" {
				t.Errorf("status %d, %q; want %d, %q", status, errOut, test.status, test.errOut)
			}
			contains(t, "output", out, test.out...)
			if test.out == nil && out != "" {
				t.Errorf("output %s", out)
			}
		})
	}
}

// Of bad input the rest is judged, and what cannot be read is never schedulable.
func TestWhy_badInput(t *testing.T) {
	const waits = `{"kind":"Pod","metadata":{"name":"p"}}`
	for name, test := range map[string]struct {
		in          string
		out, errOut []string
	}{
		"taint": {`{"kind":"Node","metadata":{"name":"n"},"spec":{"taints":[{"key":"k","effect":"noschedule"}]}}` + waits,
			[]string{"Pending: 1. ", "\n1 object could not be read.\n", "\np\n  the scheduler has not written a message\n  taints and labels admit 0 of 1 node; 1 could not be read\n"}, []string{"error: standard input: Node n: spec.taints[0].effect: unknown effect", "did you mean NoSchedule?"}},
		"affinity": {freeNode + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Inn","values":["b"]}]}]}}}}}`,
			[]string{"1 object could not be read."}, []string{`nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Inn"`}},
		"twice":      {freeNode + strings.Replace(freeNode, `"a"`, `"z"`, 1) + waits, []string{"1 could not be read"}, []string{"more than once, with different contents"}},
		"empty":      {"", nil, []string{"is empty"}},
		"no nodes":   {waits, []string{"1 pod, nodes unknown. Pending: 1.\n\np\n"}, []string{"error: the input has no nodes"}},
		"hostile":    {`{"kind":"Node","metadata":{"name":"n\u001b[2J"},"spec":{"unschedulable":true}}` + waits, []string{`"n\x1b[2J"`}, nil},
		"line break": {freeNode + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeSelector":{"a":"b\nEVICTIONS"}}}`, []string{`b\nEVICTIONS"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			status, out, errOut := runWhy(t, "", test.in, "-f", "-")
			if want := 2 * min(len(test.errOut), 1); status != want {
				t.Errorf("status %d, want %d", status, want)
			}
			contains(t, "output", out, test.out...)
			contains(t, "standard error", errOut, test.errOut...)
			if strings.Contains(out+errOut, "\x1b") {
				t.Error("an escape sequence is written")
			}
		})
	}
}

// The JSON and the YAML have the same values, and all groups.
func TestWhy_json(t *testing.T) {
	var r struct {
		Summary   map[string]int
		PodGroups []struct {
			Nodes      map[string]int
			NodeGroups []struct {
				Count  int
				Taints []struct{ Add map[string]string }
			}
			Condition map[string]string
		}
	}
	status, out, errOut := runWhy(t, "", "", "--sample", "-o", "json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != 0 {
		t.Fatal(err, status, errOut)
	}
	want := map[string]int{"nodes": 8, "pods": 10, "finished": 0, "pending": 5, "notAdmitted": 4, "evictedNow": 1, "evictedLater": 1, "unknown": 0, "starting": 0, "repelled": 0}
	if diff := cmp.Diff(want, r.Summary); diff != "" {
		t.Errorf("summary mismatch (-want +got):\n%s", diff)
	}
	first := r.PodGroups[0].NodeGroups[0]
	if diff := cmp.Diff(map[string]string{"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}, first.Taints[0].Add); diff != "" || first.Count != 2 {
		t.Errorf("addition mismatch (-want +got):\n%s", diff)
	}
	for _, g := range r.PodGroups {
		sum := 0
		for _, n := range g.Nodes {
			sum += n
		}
		for _, n := range g.NodeGroups {
			sum += n.Count
		}
		if sum != 8+g.Nodes["admitted"]+g.Nodes["tainted"] {
			t.Errorf("%v: %v", g.Nodes, g.NodeGroups)
		}
	}
	if got := r.PodGroups[len(r.PodGroups)-1].Condition["reason"]; got != "Unschedulable" {
		t.Errorf("the condition's reason is %q", got)
	}
	if _, yaml, _ := runWhy(t, "", "", "--sample", "-o", "yaml"); !strings.HasPrefix(yaml, "daemonSets: []\nevictions:\n- at: ") {
		t.Errorf("YAML %.100s", yaml)
	}
}

// A server is an API server with nodes and pods.
type server struct {
	*httptest.Server
	requests chan string
}

// newServer returns a server with these lists by path, each followed by their parts.
func newServer(t *testing.T, handle func(w http.ResponseWriter, r *http.Request) bool) *server {
	s := &server{requests: make(chan string, 1000)}
	lists := map[string][]string{"nodes": {"Node", freeNode, taintedNode}, "pods": {"Pod", podA, podB}, "events": {"Event"}, "daemonsets": {"DaemonSet"}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests <- r.URL.String()
		w.Header().Set("Content-Type", "application/json")
		name := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		switch of := lists[name]; {
		case handle != nil && handle(w, r):
		case of == nil:
			failure(w, 404, "NotFound", "the server could not find the requested resource")
		default:
			list(w, "v1", of[0], "", of[1:]...)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// list answers with a part of a list, and where the next one is.
func list(w http.ResponseWriter, version, kind, next string, items ...string) {
	fmt.Fprintf(w, `{"kind":"%sList","apiVersion":%q,"metadata":{"continue":%q,"resourceVersion":"7"},"items":[%s]}`, kind, version, next, strings.Join(items, ","))
}

func failure(w http.ResponseWriter, code int, reason, message string) {
	w.WriteHeader(code)
	fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)
}

// Answers of the API server that are no whole list are errors, and nothing is reported.
func TestWhy_server(t *testing.T) {
	resource := func(name string, handle func(w http.ResponseWriter, r *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			is := strings.HasSuffix(r.URL.Path, "/"+name)
			if is {
				handle(w, r)
			}
			return is
		}
	}
	// pods answers with one of these parts of the list.
	pods := func(parts map[string]func(w http.ResponseWriter)) func(http.ResponseWriter, *http.Request) bool {
		return resource("pods", func(w http.ResponseWriter, r *http.Request) { parts[r.URL.Query().Get("continue")](w) })
	}
	part := func(next string, items ...string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { list(w, "v1", "Pod", next, items...) }
	}
	old := func(w http.ResponseWriter) {
		failure(w, 410, "Expired", "The provided continue parameter is too old")
	}
	const pending = `{"kind":"Pod","metadata":{"name":"a","namespace":"default"},"status":{"conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"why"}]}}`
	expired := false
	for name, test := range map[string]struct {
		args        []string
		handle      func(http.ResponseWriter, *http.Request) bool
		out, errOut string
	}{
		"plain":     {nil, nil, "2 pods, 2 nodes", ""},
		"forbidden": {[]string{"-A"}, resource("pods", func(w http.ResponseWriter, _ *http.Request) { failure(w, 403, "Forbidden", "pods is forbidden") }), "", "Error from server (Forbidden): pods is forbidden"},
		// Without the nodes, there are the scheduler's messages.
		"no nodes": {nil, func(w http.ResponseWriter, r *http.Request) bool {
			if strings.HasSuffix(r.URL.Path, "/nodes") {
				failure(w, 403, "Forbidden", "nodes is forbidden")
			} else {
				list(w, "v1", "Pod", "", pending, podB, `{"metadata":{"name":"bound"},"spec":{"nodeName":"n"}}`)
			}
			return true
		}, "3 pods, nodes unknown. Pending: 2.\n\ndefault/a\n  Unschedulable: why\n\ndefault/b\n  the scheduler has not written a message\n", "Error from server (Forbidden): nodes is forbidden"},
		// A cluster without nodes has none, which is known.
		"empty": {nil, resource("nodes", func(w http.ResponseWriter, _ *http.Request) { list(w, "v1", "Node", "") }), "2 pods, 0 nodes. Pending: 2 (taints or labels keep 2 from every node). ", ""},
		"events": {nil, resource("events", func(w http.ResponseWriter, _ *http.Request) {
			failure(w, 500, "InternalError", "etcdserver: request timed out")
		}), "2 pods, 2 nodes. Pending: 2", "warning: workloads whose pods are refused are not listed: etcdserver: request timed out\n"},
		"expired": {nil, pods(map[string]func(http.ResponseWriter){"": part("c", podA), "c": old}), "", "Error from server (Expired): The provided continue parameter is too old"},
		"expired once": {nil, pods(map[string]func(http.ResponseWriter){"": func(w http.ResponseWriter) {
			if expired {
				list(w, "v1", "Pod", "", podB)
			} else {
				list(w, "v1", "Pod", "c", podA)
			}
			expired = true
		}, "c": old}), "1 pod, 2 nodes", ""},
		"parts": {nil, pods(map[string]func(http.ResponseWriter){"": part("c", podA), "c": part("", podB)}), "2 pods, 2 nodes", ""},
		"cut": {nil, resource("pods", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[%s,`, podA)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}), "", "error: reading /api/v1/namespaces/default/pods: jsontext: read error: unexpected EOF"},
		"endless": {nil, pods(map[string]func(http.ResponseWriter){"": part("a"), "a": part("b"), "b": part("a")}), "", "error: reading /api/v1/namespaces/default/pods: the API server repeats a part of the list"},
		"no JSON": {nil, resource("pods", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }), "", "error: reading /api/v1/namespaces/default/pods: not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, test.handle)
			status, out, errOut := runWhy(t, s.URL, "", test.args...)
			if fails := test.errOut != "" && !strings.HasPrefix(test.errOut, "warning: "); (status == 2) != fails || !fails && (status != 0 || errOut != test.errOut) || !strings.HasPrefix(errOut, test.errOut) || !strings.HasPrefix(out, test.out) || test.out == "" && out != "" {
				t.Errorf("status %d\n%s%s", status, out, errOut)
			}
		})
	}
	t.Run("gone", func(t *testing.T) {
		s := newServer(t, nil)
		s.Close()
		if status, out, errOut := runWhy(t, s.URL, ""); status != 2 || out != "" || !strings.HasSuffix(errOut, "connection refused; for files use -f, without a cluster --sample\n") {
			t.Errorf("status %d\n%s%s", status, out, errOut)
		}
	})
	t.Run("requests", func(t *testing.T) {
		s := newServer(t, nil)
		runWhy(t, s.URL, "", "-n", "shop", "-l", "app=b")
		const options = "&limit=500&timeout=1m0s"
		want := []string{"/apis/apps/v1/namespaces/shop/daemonsets?continue=&fieldSelector=&labelSelector=" + options, "/api/v1/namespaces/shop/pods?continue=&fieldSelector=&labelSelector=app%3Db" + options, "/api/v1/nodes?continue=&fieldSelector=&labelSelector=" + options,
			"/api/v1/namespaces/shop/events?continue=&fieldSelector=reason%3DFailedCreate&labelSelector=" + options}
		if got := []string{<-s.requests, <-s.requests, <-s.requests, <-s.requests}; !cmp.Equal(got, want) || len(s.requests) > 0 {
			t.Errorf("requests %q", got)
		}
	})
}

// Workloads whose pods are refused are listed, not those that have what they lacked.
func TestWhy_refused(t *testing.T) {
	const template = `"template":{"metadata":{"labels":{"app":"a"}}}`
	objects := map[string]string{ // by their names in the path
		"replicasets/refused":    `{"spec":{` + template + `},"status":{"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedCreate"}]}}`,
		"replicasets/created":    `{"spec":{` + template + `},"status":{"conditions":[{"type":"ReplicaFailure","status":"True","reason":"FailedDelete"}]}}`,
		"statefulsets/refused":   `{"spec":{"replicas":2,` + template + `}}`,
		"statefulsets/created":   `{"spec":{"replicas":2,` + template + `}}`,
		"statefulsets/none":      `{"spec":{"replicas":0,` + template + `}}`,
		"daemonsets/other-label": `{"spec":{"template":{"metadata":{"labels":{"app":"b"}}}}}`,
		"jobs/forbidden":         "",
	}
	event := func(kind, name string, second int, message string) string {
		return fmt.Sprintf(`{"metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":%q,"namespace":"default","name":%q},"reason":"FailedCreate","message":"%s","lastTimestamp":"2026-11-20T08:00:%02dZ"}`, kind, name, message, second)
	}
	events := []string{
		event("ReplicaSet", "refused", 10, "old"), event("ReplicaSet", "refused", 11, "(combined from similar events): quota"), event("ReplicaSet", "refused", 9, "older"),
		event("ReplicaSet", "created", 10, ""), event("StatefulSet", "refused", 12, `no\u001b`), event("StatefulSet", "created", 10, ""), event("StatefulSet", "none", 10, ""),
		event("DaemonSet", "other-label", 8, "b"), event("Job", "gone", 10, ""), event("Job", "forbidden", 1, "j"), event("Secret", "refused", 10, ""), event("Job", "../x", 1, "not requested"),
	}
	for i := range 150 {
		events = append(events, event("Job", fmt.Sprint("gone-", i), 0, ""))
	}
	forbidden := ""
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		parts := strings.Split(r.URL.Path, "/")
		name := strings.Join(parts[len(parts)-2:], "/")
		text, ok := objects[name]
		switch {
		case strings.HasSuffix(name, "/"+forbidden) || ok && text == "":
			failure(w, 403, "Forbidden", "it is forbidden")
		case ok:
			fmt.Fprint(w, text)
		case strings.HasSuffix(name, "/events"):
			list(w, "v1", "Event", "", events...)
		case strings.HasSuffix(name, "/pods"):
			fmt.Fprint(w, `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p","namespace":"default","labels":{"app":"a"},"creationTimestamp":"2026-11-20T08:00:11Z","ownerReferences":[{"kind":"StatefulSet","name":"created","controller":true}]},"spec":{"nodeName":"free"}},
				{"metadata":{"name":"q","namespace":"default","labels":{"app":"a"},"creationTimestamp":"2026-11-20T08:00:12Z","ownerReferences":[{"kind":"StatefulSet","name":"refused","controller":true}]},"spec":{"nodeName":"free"}}]}`)
		default:
			return false
		}
		return true
	})
	refusal := func(workload string, second int, message string) string {
		return fmt.Sprintf("\n%s\n  its pods are refused, the last one at 2026-11-20T08:00:%02dZ (32m ago): %s\n", workload, second, message)
	}
	refused := refusal("StatefulSet default/refused", 12, `"no\x1b"`) + refusal("ReplicaSet default/refused", 11, "quota")
	job, b := refusal("Job default/../x", 1, "not requested")+refusal("Job default/forbidden", 1, "j"), refusal("DaemonSet default/other-label", 8, "b")
	const head, many = "2 pods, 2 nodes. Pending: 0. Evicted now: 0, later: 0.\n", "warning: more than 100 workloads have events with FailedCreate; the others are not listed\nwarning: some of the refusals of pods can be over, as their workloads are not read: unknown (get jobs.meta.k8s.io forbidden)\n"
	for args, want := range map[string]string{
		"":                 head + "The pods of 5 workloads are refused.\n" + refused + b + job + many,
		"-l app=a":         head + "The pods of 4 workloads are refused.\n" + refused + job + many,
		"p":                "1 pod, 2 nodes. Pending: 0. Evicted now: 0, later: 0.\n\ndefault/p\n  controlled by StatefulSet created\n  bound to free\n  taints and labels admit 1 of 2 nodes\n    free: admitted\n",
		"--node free":      "2 pods, 1 node. Pending: 0. Evicted now: 0, later: 0.\n",
		"# without events": head + "warning: workloads whose pods are refused are not listed: it is forbidden\n",
	} {
		if forbidden = ""; strings.HasPrefix(args, "#") {
			args, forbidden = "", "events"
		}
		if status, out, errOut := runWhy(t, s.URL, "", strings.Fields(args)...); status != 0 || out+errOut != want {
			t.Errorf("%s: status %d, mismatch (-want +got):\n%s", args, status, cmp.Diff(want, out+errOut))
		}
	}
	if n := len(s.requests); n != 2*(4+99)+2+3+4 {
		t.Errorf("%d requests", n)
	}
}

// DaemonSets are read in parts, their pods also if -l does not select them, and if they are
// forbidden or fail, the rest is reported.
func TestWhy_daemonSets(t *testing.T) {
	const set = `{"metadata":{"name":"%s","namespace":"default","uid":"u"},"spec":{"template":{"metadata":{"labels":{"app":"%[1]s"}}}}}`
	const pod = `{"metadata":{"name":"d-1","namespace":"default","ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"u","controller":true}]},"spec":{"nodeName":"free"}}`
	failing := ""
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch next := r.URL.Query().Get("continue"); {
		case failing == "first" && strings.HasSuffix(r.URL.Path, "/daemonsets"), failing == "second" && next != "":
			failure(w, 403, "Forbidden", "it is forbidden")
		case r.URL.Path == "/apis/apps/v1/namespaces/default/daemonsets" && next == "":
			list(w, "apps/v1", "DaemonSet", "c", fmt.Sprintf(set, "d"))
		case next == "c":
			list(w, "apps/v1", "DaemonSet", "", fmt.Sprintf(set, "e"))
		case strings.HasSuffix(r.URL.Path, "/pods") && r.URL.Query().Get("labelSelector") == "":
			list(w, "v1", "Pod", "", pod)
		default:
			return false
		}
		return true
	})
	const lines = "  taints and labels admit 1 of 2 nodes\n  no pod on nodes whose taints its template does not tolerate:\n    tainted\n" +
		`      team=x:NoSchedule is not tolerated: no toleration has its key; to add: {"key":"team","operator":"Equal","value":"x","effect":"NoSchedule"}` + "\n"
	const d, e = "\nDaemonSet default/d\n" + lines, "\nDaemonSet default/e\n  has no pods\n" + lines
	head := func(pods string, sets string) string {
		return pods + ", 2 nodes. Pending: 0. Evicted now: 0, later: 0.\nTaints keep the pods of " + sets + " from nodes.\n"
	}
	for args, want := range map[string]string{
		"":            head("1 pod", "2 DaemonSets") + e + d,
		"-l app=d":    head("0 pods", "1 DaemonSet") + d,
		"daemonset/e": head("0 pods", "1 DaemonSet") + e + "  no pod on 1 node that taints and labels admit\n",
		"d-1":         "1 pod, 2 nodes. Pending: 0. Evicted now: 0, later: 0.\n\ndefault/d-1\n  controlled by DaemonSet d\n  bound to free\n  taints and labels admit 1 of 2 nodes\n    free: admitted\n",
		"# first":     "1 pod, 2 nodes. Pending: 0. Evicted now: 0, later: 0.\nwarning: not all DaemonSets are read: it is forbidden\n",
		"# second":    head("1 pod", "1 DaemonSet") + d + "warning: not all DaemonSets are read: it is forbidden\n",
	} {
		var fields []string
		if _, failing, _ = strings.Cut(args, "# "); failing == "" {
			fields = strings.Fields(args)
		}
		if status, out, errOut := runWhy(t, s.URL, "", fields...); status != 0 || out+errOut != want {
			t.Errorf("%s: status %d, mismatch (-want +got):\n%s", args, status, cmp.Diff(want, out+errOut))
		}
	}
}

// A stateful set is listed while the pod of one refusal is missing, however new its other
// pods are, and an event without lastTimestamp has the time of its series, or its own.
func TestWhy_refusedReplica(t *testing.T) {
	event := func(name, message, times string) string {
		return fmt.Sprintf(`{"metadata":{"name":"e","namespace":"default"},"involvedObject":{"kind":"StatefulSet","namespace":"default","name":%q},"reason":"FailedCreate","message":%q%s}`, name, message, times)
	}
	refused := func(pod string) string {
		return "create Pod " + pod + " in StatefulSet " + pod[:2] + " failed error: quota"
	}
	events := strings.Join([]string{
		event("db", refused("db-0"), `,"lastTimestamp":"2026-11-20T08:00:12Z"`), event("db", refused("db-1"), `,"lastTimestamp":"2026-11-20T08:00:10Z"`), event("db", refused("db-2"), `,"lastTimestamp":"2026-11-20T08:00:09Z"`),
		event("ok", refused("ok-0"), `,"lastTimestamp":"2026-11-20T08:00:20Z"`),
		event("et", "e", `,"eventTime":"2026-11-20T08:00:05.000000Z"`), event("se", "s", `,"eventTime":"2026-11-20T08:00:01.000000Z","series":{"count":2,"lastObservedTime":"2026-11-20T08:00:04.000000Z"}`), event("no", "n", ""),
	}, ",")
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.Contains(r.URL.Path, "/statefulsets/"):
			fmt.Fprint(w, `{"spec":{"replicas":3}}`)
		case strings.HasSuffix(r.URL.Path, "/events"):
			list(w, "v1", "Event", "", events)
		case strings.HasSuffix(r.URL.Path, "/pods"):
			const pod = `{"metadata":{"name":"db-0","namespace":"default","creationTimestamp":"2026-11-20T08:00:30Z","ownerReferences":[{"kind":"StatefulSet","name":"db","controller":true}]},"spec":{"nodeName":"free"}}`
			list(w, "v1", "Pod", "", pod, strings.ReplaceAll(pod, "db", "ok"))
		default:
			return false
		}
		return true
	})
	const want = `2 pods, 2 nodes. Pending: 0. Evicted now: 0, later: 0.
The pods of 4 workloads are refused.

StatefulSet default/db
  its pods are refused, the last one at 2026-11-20T08:00:10Z (32m ago): create Pod db-1 in StatefulSet db failed error: quota

StatefulSet default/et
  its pods are refused, the last one at 2026-11-20T08:00:05Z (32m ago): e

StatefulSet default/se
  its pods are refused, the last one at 2026-11-20T08:00:04Z (32m ago): s

StatefulSet default/no
  its pods are refused: n
`
	if status, out, errOut := runWhy(t, s.URL, ""); status != 0 || out+errOut != want {
		t.Errorf("status %d, mismatch (-want +got):\n%s", status, cmp.Diff(want, out+errOut))
	}
}

func TestComplete(t *testing.T) {
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/api/v1/nodes/tainted" {
			fmt.Fprint(w, `{"kind":"Node","apiVersion":"v1","metadata":{"name":"tainted"},"spec":{"taints":[{"key":"k","value":"v","effect":"NoSchedule"},{"key":"l","effect":"NoExecute"}]}}`)
			return true
		}
		return false
	})
	for args, want := range map[string]string{
		"__complete taint --server " + s.URL + " t":                               "free\ntainted\n:4\n",
		"__complete taint --server " + s.URL + " tainted t":                       "free\ntainted\nk=v:NoSchedule\nk:NoSchedule-\nl:NoExecute\nl:NoExecute-\n:4\n",
		"__complete taint --server " + s.URL + " free tainted k=v:NoSchedule l":   "k=v:NoSchedule\nk:NoSchedule-\nl:NoExecute\nl:NoExecute-\n:4\n",
		"__complete undo --server " + s.URL + " ":                                 ":0\n",
		"__complete why -n default --server " + s.URL + " a":                      "a\nb\n:4\n",
		"__complete why --server " + s.URL + " --node t":                          "free\ntainted\n:4\n",
		"__complete why --output w":                                               "wide\njson\nyaml\n:4\n",
		"__complete nodes --output w":                                             "wide\njson\nyaml\nhtml\n:4\n",
		"__complete nodes w":                                                      ":4\n",
		"__complete why --kubeconfig /nobody --server http://[::1]:1/x% --node x": ":1\n",
	} {
		var p program
		p.start(t.Context(), "", "", strings.Fields(args)...)
		if !strings.HasPrefix(p.out.String(), want) {
			t.Errorf("%s: %s%s", args, &p.out, &p.errOut)
		}
	}
}

// Lint reads no cluster, and has no flags of one.
func TestLint_flags(t *testing.T) {
	for _, tt := range []struct {
		args, want string
		status     int
	}{
		{"lint -f - --context x", "unknown flag: --context", 2},
		{"lint --help", "--filename", 0},
		{"explain --help", "Explain", 0},
		{"lint -f - --namespace=", "--namespace: must not be empty", 2},
		{"lint --filename=", "--filename: must not be empty", 2},
	} {
		var out strings.Builder
		env := cli.NewEnv(strings.NewReader("kind: Pod"), &out, &out)
		status := run(t.Context(), env, strings.Fields(tt.args))
		if status != tt.status || !strings.Contains(out.String(), tt.want) || strings.Contains(out.String(), "kubeconfig") {
			t.Errorf("%s: status %d, want %d: %s", tt.args, status, tt.status, out.String())
		}
	}
}

// A first signal ends a command that reads, though its input is silent or endless.
func TestInterrupt(t *testing.T) {
	silent, w := io.Pipe()
	defer w.Close()
	for name, in := range map[string]io.Reader{"silent": silent, "endless": endless{}} {
		for _, command := range []string{"lint -f -", "why -f -", "nodes -f -", "taint node n a=b:NoSchedule -f -"} {
			t.Run(name+"/"+command, func(t *testing.T) {
				ctx, signal := context.WithCancel(t.Context())
				time.AfterFunc(100*time.Millisecond, signal)
				var out, errOut bytes.Buffer
				if status := run(ctx, cli.NewEnv(in, &out, &errOut), strings.Fields(command)); status != 130 || out.Len() > 0 || errOut.String() != "interrupted\n" {
					t.Errorf("status %d, %q, %q", status, &out, &errOut)
				}
			})
		}
	}
}

// endless is a file of objects without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "{}"), nil }
