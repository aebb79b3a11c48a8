package edit_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// copied returns the labels and specifications of the server's objects, as JSON by path.
func (s *apiServer) copied() map[string]string {
	all := make(map[string]string)
	for path, o := range s.objects {
		text, err := json.Marshal([]any{o["metadata"].(map[string]any)["labels"], o["spec"]})
		if err != nil {
			s.t.Fatal(err)
		}
		all[path] = strings.Replace(string(text), "[{},", "[null,", 1)
	}
	return all
}

// What undo restores is what was there, with times; what has been changed since stays.
func TestUndo(t *testing.T) {
	s, url := start(t)
	const a, train = "/api/v1/nodes/a", "/apis/apps/v1/namespaces/ml/deployments/train"
	reset := func() {
		s.set(a, "spec.taints", `[{"key":"z","effect":"NoSchedule"},{"key":"k","value":"old","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"}]`)
		s.set(a, "metadata.labels", `{"pool":"x","team":"old"}`)
		s.set(a, "metadata.uid", `"1"`)
		s.set(train, "spec.template", `{"spec":{"tolerations":[{"key":"q","operator":"Exists","effect":"NoExecute","tolerationSeconds":7}],"affinity":{"podAffinity":{}}}}`)
	}
	taint := []string{"taint", "a", "b", "k=new:NoExecute", "more:NoSchedule", "z-", "--overwrite"}
	dedicate := []string{"dedicate", "a", "b", "team=ml", "--workload", "deployment/train", "-n", "ml", "--overwrite", "--force"}
	for name, test := range map[string]struct {
		args   []string
		change func() // before undo
		left   map[string]string
		want   []string // of the preview
	}{
		"taint":    {args: taint, want: []string{"Change of node/a: value changed k=new:NoExecute to k=old:NoExecute, removed more:NoSchedule, added z:NoSchedule\nChange of node/b: removed k=new:NoExecute, removed more:NoSchedule\n"}},
		"dedicate": {args: dedicate, want: []string{"Change of node/a: removed team=ml:NoSchedule, label team=old\nChange of node/b: removed team=ml:NoSchedule, label team removed\nChange of deployment/train: patched\n"}},
		"another's taint": {args: taint, change: func() {
			s.set(a, "spec.taints", `[{"key":"k","value":"third","effect":"NoExecute"},{"key":"more","effect":"NoSchedule"}]`)
		}, left: map[string]string{a: `[{"pool":"x","team":"old"},{"taints":[{"effect":"NoExecute","key":"k","value":"third"},{"effect":"NoSchedule","key":"z"}]}]`}, want: []string{"Warning: a: changed since, so it stays: taint k:NoExecute\n"}},
		"a new time": {args: taint, change: func() {
			s.set(a, "spec.taints", `[{"key":"k","value":"new","effect":"NoExecute","timeAdded":"2026-11-21T00:00:00Z"},{"key":"more","effect":"NoSchedule"}]`)
		}, left: map[string]string{a: `[{"pool":"x","team":"old"},{"taints":[{"effect":"NoExecute","key":"k","timeAdded":"2026-11-21T00:00:00Z","value":"new"},{"effect":"NoSchedule","key":"z"}]}]`}, want: []string{"stays: taint k:NoExecute"}},
		"another's label": {args: dedicate, change: func() { s.set(a, "metadata.labels", `{"pool":"y","team":"third"}`) }, left: map[string]string{a: `[{"pool":"y","team":"third"},{"taints":[{"effect":"NoSchedule","key":"z"},{"effect":"NoExecute","key":"k","timeAdded":"2026-01-02T03:04:05Z","value":"old"}]}]`}, want: []string{"stays: label team"}},
		"another's list":  {args: dedicate, change: func() { s.set(train, "spec.template", `{"spec":{"tolerations":[],"affinity":{"podAffinity":{}}}}`) }, left: map[string]string{train: `[null,{"template":{"spec":{"affinity":{"podAffinity":{}},"tolerations":[]}}}]`}, want: []string{"Warning: train: changed since, so it stays: tolerations\n"}},
		"created again":   {args: taint, change: func() { s.set(a, "metadata.uid", `"2"`) }, left: map[string]string{a: `[{"pool":"x","team":"old"},{"taints":[{"effect":"NoExecute","key":"k","timeAdded":"2026-01-02T03:04:05Z","value":"new"},{"effect":"NoSchedule","key":"more"}]}]`}, want: []string{"Change of node/a: unchanged\n", "stays: it was created again"}},
		"gone":            {args: taint, change: func() { delete(s.objects, "/api/v1/nodes/b") }, want: []string{"Warning: no longer there: node/b\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, url = start(t)
			reset()
			before, dir := s.copied(), t.TempDir()
			file := filepath.Join(dir, "a report.json")
			r := run(t, t.Context(), url, "", append(test.args, "--yes", "--report", file)...)
			if r.err != nil {
				t.Fatal(r.err)
			}
			has(t, r.out, "\nto undo it: kubectl tolerate undo '"+file+"'\n")
			done := s.copied()
			if maps.Equal(before, done) {
				t.Fatal("nothing was changed")
			}
			if again := run(t, t.Context(), url, "", append(test.args, "--yes", "--report", file)...); again.err != nil && !strings.Contains(again.err.Error(), "exists") {
				t.Error(again.err)
			}
			if test.change != nil {
				test.change()
			}
			for path := range before {
				if s.objects[path] == nil {
					delete(before, path)
				}
			}
			maps.Copy(before, test.left)
			s.patches = nil
			preview := run(t, t.Context(), url, "", "undo", file, "--force")
			has(t, preview.out, append(test.want, "add --yes")...)
			if preview.err != nil || s.patches != nil {
				t.Error(preview.err, s.patches)
			}
			if r := run(t, t.Context(), url, "", "undo", file, "--yes", "--force"); r.err != nil {
				t.Fatal(r.err)
			}
			if diff := cmp.Diff(before, s.copied()); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			patches := strings.Join(s.patches, " ")
			if name == "dedicate" && patches != strings.Join([]string{a, "/api/v1/nodes/b", train, a, "/api/v1/nodes/b"}, " ") {
				t.Error(patches)
			}
			r = run(t, t.Context(), url, "", "undo", file, "--yes", "--force")
			has(t, r.out, "nothing to do")
		})
	}
}

// A report is also the output in JSON and YAML, of files too.
func TestUndo_output(t *testing.T) {
	for _, format := range []string{"json", "yaml"} {
		s, url := start(t)
		before := s.copied()
		r := run(t, t.Context(), url, "", "dedicate", "a", "team=ml", "--workload", "deployment/train", "-n", "ml", "--yes", "-o", format)
		if r.err != nil {
			t.Fatal(r.err)
		}
		undo := run(t, t.Context(), url, r.out, "undo", "-", "--yes", "-o", "json")
		if undo.err != nil || !report(t, undo).Applied {
			t.Fatal(undo.err, undo.errOut)
		}
		if diff := cmp.Diff(before, s.copied()); diff != "" {
			t.Errorf("%s mismatch (-want +got):\n%s", format, diff)
		}
		if again := run(t, t.Context(), url, undo.out, "undo", "-", "--yes"); again.err != nil || s.taints("a") == "null" {
			t.Error(again)
		}
	}
	name, in := filepath.Join(t.TempDir(), "r"), filepath.Join(t.TempDir(), "in.yaml")
	r := file(t, nodes, "taint", "a", "old-", "--yes", "--report", name)
	if err := os.WriteFile(in, []byte(r.out), 0o600); r.err != nil || err != nil {
		t.Fatal(r.err, err)
	}
	has(t, r.errOut, "\nto undo it: kubectl tolerate undo "+name+" -f FILE    # FILE: the objects after the change\n")
	if r := run(t, t.Context(), "", "", "undo", name, "-f", in, "--yes"); r.err != nil || !strings.Contains(r.out, "key: old\n      value: v\n") ||
		!strings.Contains(r.errOut, "\nAffected pods: 0, since the input has no pods\n") {
		t.Error(r)
	}
	if r := run(t, t.Context(), "", nodes, "undo", name, "-f", in, "-f", "-"); r.err == nil || !strings.HasSuffix(r.err.Error(), "node/a: there are several that differ") {
		t.Error(r)
	}
}

// What is no report is an error, and changes nothing.
func TestUndo_wrong(t *testing.T) {
	s, url := start(t)
	const node = `{"apiVersion":"v1","kind":"Node","name":"a","before":{},"after":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`
	for in, want := range map[string]string{
		"":                   "no report",
		"{":                  "no report",
		"[]":                 "no report",
		"a: b":               "no report",
		`{"objects":[null]}`: "no report",
		`{"objects":[{"kind":"Node","name":"a"}]}`:                                                                              "it has no objects with before and after",
		`{"objects":[` + strings.Replace(node, "NoSchedule", "Nope", 1) + `]}`:                                                  "Nope",
		`{"objects":[` + strings.Replace(node, `"a"`, `"../x"`, 1) + `]}`:                                                       "",
		`{"objects":[` + strings.Replace(node, `"Node"`, `"Pod"`, 1) + `]}`:                                                     "",
		`{"objects":[` + strings.Replace(node, `"a"`, `"gone"`, 1) + `]}`:                                                       "no longer exist: node/gone",
		`{"objects":[{"kind":"A","namespace":"a","before":{},"after":{}},{"kind":"A","namespace":"b","before":{},"after":{}}]}`: "several namespaces",
	} {
		if r := run(t, t.Context(), url, in, "undo", "-", "--yes"); r.err == nil || !strings.Contains(r.err.Error(), want) || s.patches != nil {
			t.Errorf("%s: %v %v, want %q", in, r.err, s.patches, want)
		}
	}
	if r := run(t, t.Context(), url, "", "undo", "/nope", "--yes"); r.err == nil {
		t.Error("no error")
	}
}

// Without a report, nothing can be undone, and the last line says so.
func TestTaint_report(t *testing.T) {
	s, url := start(t)
	r := run(t, t.Context(), url, "", "taint", "a", "k:NoSchedule", "--yes")
	if !strings.HasSuffix(r.out, "\nno report was kept; with --report FILE, \"kubectl tolerate undo\" can restore what is changed\n") {
		t.Error(r.out)
	}
	name := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(name, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.patches = nil
	r = run(t, t.Context(), url, "", "taint", "b", "k:NoSchedule", "--yes", "--report", name)
	if text, err := os.ReadFile(name); r.err == nil || s.patches != nil || string(text) != "mine" || err != nil {
		t.Error(r.err, s.patches, err)
	}
	if r = run(t, t.Context(), url, "", "taint", "b", "k:NoSchedule", "--report", name+"2"); r.err == nil {
		t.Error("no error")
	}
	if r = run(t, t.Context(), url, "", "taint", "a", "k:NoSchedule", "--yes", "--report", name+"3"); r.err != nil || strings.Contains(r.out, "undo") {
		t.Error("nothing to do, but", r.out)
	}
	// The report is there before the first change.
	s.respond = func(_ http.ResponseWriter, q *http.Request) bool {
		if _, err := os.Stat(name + "4"); q.Method == http.MethodPatch && err != nil {
			t.Error(err)
		}
		return false
	}
	if r = run(t, t.Context(), url, "", "taint", "c", "k:NoSchedule", "--yes", "--report", name+"4"); r.err != nil {
		t.Error(r.err)
	}
}

// The preview asks the API server whether it would accept the change.
func TestTaint_dryRun(t *testing.T) {
	s, url := start(t)
	asked := ""
	s.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPatch {
			return false
		}
		asked += " " + filepath.Base(r.URL.Path)
		if r.URL.Query().Get("dryRun") != "All" || strings.HasSuffix(r.URL.Path, "/b") {
			status(w, 403, "Forbidden", "node b is protected")
			return true
		}
		return false
	}
	for _, flag := range []string{"", "--dry-run", "--dry-run=client", "--dry-run=server"} {
		asked = ""
		r := run(t, t.Context(), url, "", strings.Fields("taint a c k:NoSchedule "+flag)...)
		if r.err != nil || asked != " a" || s.patches != nil {
			t.Error(flag, r.err, asked, s.patches)
		}
	}
	r := run(t, t.Context(), url, "", "taint", "b", "k:NoSchedule")
	has(t, r.out, "Warning: the API server would refuse this: node b is protected\n")
	if r.err == nil || strings.Contains(r.out, "add --yes") {
		t.Error(r)
	}
	asked = ""
	r = run(t, t.Context(), url, "", "dedicate", "a", "c", "k=v", "--workload", "deployment/train", "-n", "ml")
	if r.err != nil || asked != " a train" {
		t.Error(r.err, asked)
	}
	for args, want := range map[string]string{"--dry-run --yes": "none of the others can be", "--dry-run=none": "--yes", "--dry-run=x": "client or server"} {
		if r := run(t, t.Context(), url, "", strings.Fields("taint a k:NoSchedule "+args)...); r.err == nil || !strings.Contains(r.err.Error(), want) || s.patches != nil {
			t.Error(args, r.err)
		}
	}
}

// Two operators taint the same nodes at once: what fails names the command that finishes it.
func TestLive_conflict(t *testing.T) {
	s, url := start(t)
	first := true
	s.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet && r.URL.Path == "/api/v1/nodes/a" && first {
			first = false
			s.set("/api/v1/nodes/a", "spec.taints", `[{"key":"theirs","effect":"NoSchedule"}]`) // by the other operator
			s.set("/api/v1/nodes/b", "spec.taints", `[{"key":"theirs","effect":"NoSchedule"}]`)
		}
		return false
	}
	args := []string{"taint", "a", "b", "c", "mine=1:NoSchedule", "--yes", "--report", filepath.Join(t.TempDir(), "r")}
	r := run(t, t.Context(), url, "", append(args, "--token", "secret", "--token=secret")...)
	const again = "3 objects: 1 changed, 0 unchanged, 2 failed\nfailed: node/a, node/b\nto finish, run: kubectl tolerate taint a b c mine=1:NoSchedule --yes"
	if fmt.Sprint(r.err) != again {
		t.Errorf("%v, want %s", r.err, again)
	}
	if r := run(t, t.Context(), url, "", args[:6]...); r.err != nil || s.taints("a") != `[{"effect":"NoSchedule","key":"theirs"},{"effect":"NoSchedule","key":"mine","value":"1"}]` {
		t.Error(r.err, s.taints("a"))
	}
	// The report of the first run undoes both.
	if r := run(t, t.Context(), url, "", "undo", args[7], "--yes"); r.err != nil || s.taints("a") != `[{"effect":"NoSchedule","key":"theirs"}]` || s.taints("c") != "null" {
		t.Error(r.err, s.taints("a"), s.taints("c"))
	}
}

// A report of another cluster undoes nothing, unless it is forced, and the command to undo
// names the cluster.
func TestUndo_cluster(t *testing.T) {
	s, url := start(t)
	uid := func(uid string) { s.set("/api/v1/nodes/a", "metadata.uid", uid) }
	uid(`"1"`)
	r := run(t, t.Context(), url, "", "taint", "a", "k:NoSchedule", "--yes", "-o", "json", "--request-timeout=9s")
	if r.err != nil {
		t.Fatal(r.err)
	}
	other := strings.ReplaceAll(r.out, url, "https://other.example.com")
	uid(`"2"`)
	if r := run(t, t.Context(), url, other, "undo", "-", "--yes"); r.err == nil || s.taints("a") == "null" || !strings.HasPrefix(r.err.Error(), "the report is of cluster https://other.example.com, not of cluster "+url) {
		t.Error(r.err, s.taints("a"))
	}
	if r := run(t, t.Context(), url, other, "undo", "-", "--yes", "--force"); r.err != nil || s.taints("a") == "null" {
		t.Error(r.err, s.taints("a"))
	} else {
		has(t, r.out, "nothing to do: what has been changed since stays\n")
	}
	uid(`"1"`) // the same cluster by another address
	if r := run(t, t.Context(), url, other, "undo", "-", "--yes"); r.err != nil || s.taints("a") != "null" {
		t.Error(r.err, s.taints("a"))
	}
	name := filepath.Join(t.TempDir(), "r")
	r = run(t, t.Context(), url, "", "taint", "a", "k:NoSchedule", "--yes", "--report", name, "--request-timeout=9s", "--token=secret")
	has(t, r.out, "\nto undo it: kubectl tolerate undo "+name+" --request-timeout=9s\n")
	s.on(http.MethodPatch, "", func(w http.ResponseWriter, _ *http.Request) { status(w, 403, "Forbidden", "no") })
	if r := run(t, t.Context(), url, "", "taint", "b", "k:NoSchedule", "--yes", "--report", name+"2"); r.err == nil || strings.Contains(r.out, "undo") {
		t.Error(r.err, r.out)
	}
}

// The cost of volumes and requests is bounded: the test would not end otherwise.
func TestTaint_work(t *testing.T) {
	term := `{"matchExpressions":[` + repeat(100, `{"key":"k%d","operator":"Exists"}`) + `]}`
	in := `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},
		{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"pv"},"spec":{"nodeAffinity":{"required":{"nodeSelectorTerms":[` + strings.Repeat(term+",", 100) + term + `]}}}},
		{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"c","namespace":"d"},"spec":{"volumeName":"pv"}},
		{"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"local"},"provisioner":"kubernetes.io/no-provisioner","volumeBindingMode":"WaitForFirstConsumer"},` +
		repeat(5000, `{"apiVersion":"v1","kind":"PersistentVolume","metadata":{"name":"l%d"},"spec":{"storageClassName":"local","nodeAffinity":{"required":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"host","operator":"In","values":["h%[1]d"]}]}]}}}},
		{"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"l%[1]d","namespace":"d"},"spec":{"storageClassName":"local"}},
		{"apiVersion":"v1","kind":"Pod","metadata":{"name":"l%[1]d","namespace":"d"},"spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"l%[1]d"}}]}}`) + "," +
		repeat(10_000, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"d"},"spec":{"nodeName":"a","volumes":[{"persistentVolumeClaim":{"claimName":"c"}}]}}`) +
		`,{"apiVersion":"v1","kind":"Pod","metadata":{"name":"wide","namespace":"d"},"spec":{"nodeName":"a","nodeSelector":{` + repeat(25_000, `"l%d":"v"`) +
		`},"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[` + repeat(12_000, `{"matchExpressions":[{"key":"m%d","operator":"Exists"}]}`) + `]}}}}}]}`
	if r := file(t, in, "taint", "a", "x:NoExecute"); r.err != nil || !strings.Contains(r.out, "Affected pods: 10001 ") {
		t.Errorf("%v\n%.500s", r.err, r.out)
	}
}
