package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
)

// read reads an input, of the pods that the options select.
func read(t *testing.T, input string, o cluster.Options) *cluster.Cluster {
	t.Helper()
	o.Filenames = []string{"-"}
	c, err := cluster.Read(t.Context(), cli.NewEnv(strings.NewReader(input), io.Discard, io.Discard), &o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlacement(t *testing.T) {
	const affinity = `"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[%s]}}}`
	required := func(terms string) string { return strings.Replace(affinity, "%s", terms, 1) }
	for name, test := range map[string]struct {
		spec, text, node, keys string
		admits                 bool
	}{
		"none":        {`"a":1`, "", "", "", true},
		"empty":       {`"nodeSelector":{},"affinity":{"nodeAffinity":{}}`, "", "", "", true},
		"selector":    {`"nodeSelector":{"pool":"a"}`, "pool=a", "", "pool", true},
		"other value": {`"nodeSelector":{"pool":"b"}`, "pool=b", "", "pool", false},
		"both":        {`"nodeSelector":{"pool":"a"},` + required(`{"matchExpressions":[{"key":"x","operator":"In","values":["1","2"]}]}`), "pool=a; x In (1, 2)", "", "pool,x", false},
		"terms":       {required(`{"matchExpressions":[{"key":"x","operator":"Exists"}]},{"matchExpressions":[{"key":"pool","operator":"NotIn","values":["b"]}]}`), "x Exists or pool NotIn (b)", "", "x,pool", true},
		"name":        {required(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}`), "metadata.name In (n1)", "n1", "metadata.name", true},
		"two names":   {required(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1","n2"]}]}`), "metadata.name In (n1, n2)", "", "metadata.name", false},
		"or name":     {required(`{"matchFields":[{"key":"metadata.name","operator":"In","values":["n2"]}]},{"matchExpressions":[{"key":"pool","operator":"Exists"}]}`), "metadata.name In (n2) or pool Exists", "", "metadata.name,pool", true},
		"no terms":    {required(""), "no node: the node affinity has no terms", "", "", false},
		"empty term":  {required("{}"), "no node: the node affinity has no terms", "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := read(t, `{"kind":"Node","metadata":{"name":"n1","labels":{"pool":"a"}}}{"kind":"Pod","metadata":{"name":"p"},"spec":{`+test.spec+`}}`, cluster.Options{})
			p := c.Pods[0].Placement
			if keys := strings.Join(p.Keys, ","); p.Text != test.text || p.Node != test.node || keys != test.keys || p.Admits(c.Nodes[0]) != test.admits {
				t.Errorf("%q, node %q, keys %q, admits %t", p.Text, p.Node, keys, p.Admits(c.Nodes[0]))
			}
		})
	}
}

// Options select pods in files as they do in a cluster.
func TestRead_selected(t *testing.T) {
	const input = `{"kind":"Node","metadata":{"name":"n1"}}{"kind":"Pod","metadata":{"name":"a","namespace":"x","labels":{"app":"a"}}}{"kind":"Pod","metadata":{"name":"b","namespace":"y","labels":{"app":"a"}}}{"kind":"Pod","metadata":{"name":"c"}}`
	for _, test := range []struct {
		namespace, selector, want string
	}{{"", "", "x/a y/b c"}, {"x", "", "x/a c"}, {"", "app=a", "x/a y/b"}, {"y", "app", "y/b"}, {"", "!app", "c"}} {
		var names []string
		for _, p := range read(t, input, cluster.Options{Namespace: test.namespace, Selector: test.selector}).Pods {
			names = append(names, p.FullName())
		}
		if got := strings.Join(names, " "); got != test.want {
			t.Errorf("%q, %q: %s, want %s", test.namespace, test.selector, got, test.want)
		}
	}
}

// A document in YAML that takes too much memory is refused before it does.
func TestRead_largeYAML(t *testing.T) {
	const begin = "kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata: {name: p}\n"
	long := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct {
		document string
		memory   uint64 // MiB
		want     string
	}{
		"bytes":    {strings.Repeat("# "+strings.Repeat("x", 100)+"\n", 200_000), 60, "3: a YAML document of more than 4 MiB; use JSON"},
		"values":   {"x:\n" + strings.Repeat("-\n", 250_001), 20, "3: a YAML document of more than 250000 values; use JSON"},
		"aliases":  {"a: &a " + long + "\nb:\n" + strings.Repeat("- *a\n", 2_000), 50, "6: the document has more than 1000 levels, or with its aliases resolved more than 64 MiB"},
		"doubling": {"x:\n- &a0 [x, x]\n" + doubling(50), 20, "7: the document has more than 1000 levels, or with"},
		"merged":   {"a: &a {x: " + long + "}\nb:\n" + strings.Repeat("- {<<: *a}\n", 2_000), 50, "6: the document has more than 1000 levels, or with"},
		"itself":   {"a: &a [*a]\n", 1, "6: the document has more than 1000 levels, or with"},
	} {
		t.Run(name, func(t *testing.T) {
			input := begin + test.document
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := read(t, input, cluster.Options{})
			runtime.ReadMemStats(&after)
			if len(c.Nodes) != 1 || len(c.Pods) != 0 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error(), "standard input:"+test.want) {
				t.Errorf("%d nodes, %d pods, %v", len(c.Nodes), len(c.Pods), c.Problems)
			}
			if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > test.memory {
				t.Errorf("%d MiB allocated, want at most %d", used, test.memory)
			}
		})
	}
}

// doubling returns lists, each of the one before it twice.
func doubling(times int) string {
	var b strings.Builder
	for i := range times {
		fmt.Fprintf(&b, "- &a%d [*a%d, *a%d]\n", i+1, i, i)
	}
	return b.String()
}

// What is read of nodes and pods, and the problems, warnings and values.
func TestRead_fields(t *testing.T) {
	for name, test := range map[string]struct{ input, want string }{
		"node":               {`{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":true,"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]}}`, "a [k=v:NoSchedule] true"},
		"K4_case":            {`{"kind":"Node","metadata":{"name":"a"},"Spec":{"unschedulable":true},"spec":{"Taints":5}}`, "a [] false"},
		"elsewhere":          {`{"kind":"Node","metadata":{"name":"a"},"status":{"taints":5},"spec.taints":7}`, "a [] false"},
		"null":               {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":null,"unschedulable":null}}`, "a [] false"},
		"no name":            {`{"kind":"Node"}`, " [] false; error: standard input: Node: metadata.name: missing"},
		"wrong type":         {`{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":"true"}}`, "a [] false; error: standard input: Node a: spec.unschedulable: wrong type, string"},
		"V10_all_at_once":    {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"noschedule"},null]}}`, `a [] false; error: standard input: Node a: spec.taints[0].effect: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute) (and 1 more)`},
		"V8_twice":           {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoExecute"},{"key":"k","value":"v","effect":"NoExecute"}]}}`, `a [] false; error: standard input: Node a: spec.taints[1] "k=v:NoExecute": repeats the key and effect of an earlier taint`},
		"unknown field":      {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule","Value":"v"}]}}`, `a [] false; error: standard input: Node a: spec.taints[0]: unknown field "Value", did you mean value?`},
		"unknown in pod":     {`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"m","operator":"Exists","tolerationSecond":0}]}}`, `p   []; error: standard input: Pod p: spec.tolerations[0]: unknown field "tolerationSecond", did you mean tolerationSeconds?`},
		"status":             {`{"kind":"Status","apiVersion":"v1","status":"Failure"}`, "; error: standard input: Status: the answer of an API server, without objects"},
		"repeated field":     {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","key":"l","effect":"NoSchedule"}]}}`, `; error: standard input:1: not JSON: jsontext: duplicate object member name "key"`},
		"too many fields":    {`{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[` + strings.Repeat(`{},`, 100_000) + `{}]}}`, "p   []; error: standard input: Pod p: more than 100000 fields and elements"},
		"pod":                {`{"kind":"Pod","metadata":{"name":"p","namespace":"n","ownerReferences":[{"kind":"A","name":"a"},{"kind":"Job","name":"j","controller":true}]},"spec":{"nodeName":"a","tolerations":[{"effect":"NoExecute","key":"k","operator":"Exists","tolerationSeconds":300}]},"status":{"phase":"Running"}}`, "n/p a Running Job j [k:NoExecute op=Exists for 300s]"},
		"to be named":        {`{"kind":"Pod","metadata":{"generateName":"p-"}}`, "p-*   []"},
		"terminating":        {`{"kind":"Pod","metadata":{"name":"p","deletionTimestamp":"2026-01-02T03:04:05Z"}}`, "p   [] terminating"},
		"static":             {`{"kind":"Pod","metadata":{"name":"p","annotations":{"a":"b","kubernetes.io/config.mirror":"x"}}}`, "p   [] static"},
		"annotated alike":    {`{"kind":"Pod","metadata":{"name":"p","annotations":{"a":"kubernetes.io/config.mirror"}}}`, "p   []"},
		"of a list":          {`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"p"}}]}`, "p   []"},
		"no kind":            {`{"items":[{"metadata":{"name":"p"}}],"kind":"PodList"}`, "; error: standard input: items[0] p: no kind; that of a list must precede its items"},
		"cut":                {`{"kind":"PodList","items":[{"metadata":{"name":"p"}}],"metadata":{"continue":"x"}}`, "p   []; error: standard input: PodList: the list is incomplete (metadata.continue is set); get all of it"},
		"unknown if invalid": {`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"a","tolerations":[{"key":"k","operator":"exists"}]}}`, `p a  []; error: standard input: Pod p: spec.tolerations[0].operator: unknown operator "exists", did you mean Exists?`},
		"all unknown":        {`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"a"},"status":{"phase":5}}`, `p   []; error: standard input: Pod p: status.phase: wrong type, number`},
		"another version":    {`{"kind":"Pod","apiVersion":"v2","metadata":{"name":"p"}}`, `; error: standard input: Pod p: apiVersion: unknown version "v2", must be v1`},
		"another group":      {`{"kind":"Node","apiVersion":"example.com/v2","metadata":{"name":"a"}}`, "; warning: standard input: Node a: objects of kind Node are ignored"},
		"in two states":      {`{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"a"}}{"kind":"Pod","metadata":{"name":"p"}}`, "p   []; error: standard input: Pod p: the object is in the input more than once, with different contents"},
		"another kind":       {`{"kind":"Service","metadata":{"name":"s"}}`, "; warning: standard input: Service s: objects of kind Service are ignored"},
	} {
		t.Run(name, func(t *testing.T) {
			c, got := read(t, `{"kind":"Node","metadata":{"name":"first"}}`+test.input, cluster.Options{}), ""
			for _, n := range c.Nodes[1:] {
				got += fmt.Sprintf("%s [%v] %t", n.Name, n.Taints, n.Unschedulable)
			}
			for _, p := range c.Pods {
				got += fmt.Sprintf("%s %s %s %s[%v]", p.FullName(), p.Node, p.Phase, strings.TrimLeft(p.Owner+" ", " "), p.Tolerations)
				got += map[bool]string{true: " terminating"}[p.Terminating] + map[bool]string{true: " static"}[p.Static]
			}
			for _, err := range c.Problems {
				got += "; error: " + err.Error()
			}
			for _, err := range c.Warnings {
				got += "; warning: " + err.Error()
			}
			if got != test.want && !(strings.Contains(test.want, ": ") && strings.HasPrefix(got, test.want)) {
				t.Errorf("got  %.300s\nwant %s", got, test.want)
			}
		})
	}
}

// Events that take too long are a warning.
func TestRead_slowEvents(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			<-r.Context().Done()
			return
		}
		fmt.Fprint(w, `{"kind":"NodeList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"n"}}]}`)
	}))
	defer server.Close()
	env := cli.NewEnv(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
	env.Kubeconfig, env.Overrides.ClusterInfo.Server = os.DevNull, server.URL
	c, err := cluster.Read(t.Context(), env, &cluster.Options{Refusals: true, EventsTime: 50 * time.Millisecond})
	if err != nil || len(c.Nodes) != 1 || len(c.Warnings) != 1 || !errors.Is(c.Warnings[0], context.DeadlineExceeded) {
		t.Fatalf("%v, %+v", err, c)
	}
}

// After a second of reading, and then every five, the number of objects is written, also
// while a pipe is silent.
func TestRead_progress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errOut bytes.Buffer
		in, out := io.Pipe()
		go func() {
			time.Sleep(7500 * time.Millisecond)
			io.WriteString(out, strings.Repeat(`{"kind":"Node","metadata":{"name":"n"}}`, 20))
			time.Sleep(4 * time.Second)
			out.Close()
		}()
		_, err := cluster.Read(t.Context(), cli.NewEnv(in, &bytes.Buffer{}, &errOut), &cluster.Options{Filenames: []string{"-"}})
		if want := "0 objects read in 1 s\n0 objects read in 6 s\n20 objects read in 11 s\n"; err != nil || errOut.String() != want {
			t.Errorf("%v, %q, want %q", err, &errOut, want)
		}
	})
}

// A directory is read through a link, and a pipe in it does not block.
func TestRead_directory(t *testing.T) {
	dir := t.TempDir()
	read := func(name string) error {
		env := cli.NewEnv(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
		_, err := cluster.Read(t.Context(), env, &cluster.Options{Filenames: []string{name}})
		return err
	}
	files, link := filepath.Join(dir, "files"), filepath.Join(dir, "link")
	err := errors.Join(os.Mkdir(files, 0o700), os.Symlink(files, link), os.WriteFile(filepath.Join(files, "a.json"), []byte(`{"kind":"Node","metadata":{"name":"n"}}`), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	if err := read(link); err != nil {
		t.Error(err)
	}
	if err := syscall.Mkfifo(filepath.Join(files, "b.yaml"), 0o600); err != nil {
		t.Skip(err)
	}
	if err := read(files); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a pipe: %v", err)
	}
}
