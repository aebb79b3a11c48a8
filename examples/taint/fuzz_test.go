package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/kubejson"
	"github.com/go-tolerate/tolerate/taint"
)

// nodesIn reads the nodes of a text that is known to be good.
func nodesIn(t *testing.T, text string) (names []string, raw map[string][]byte, taints map[string]taint.List) {
	t.Helper()
	raw, taints = make(map[string][]byte), make(map[string]taint.List)
	for o, err := range kubejson.Objects("input", strings.NewReader(text)) {
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if !o.Is("Node") {
			continue
		}
		n, err := o.Node()
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		names = append(names, n.Name)
		raw[n.Name], taints[n.Name] = slices.Clone(o.Raw), n.Taints
	}
	return names, raw, taints
}

// rest returns all that a node's JSON says, token by token and verbatim,
// except spec.taints of the last spec, and a spec that is only there to
// hold them.
func rest(t *testing.T, object []byte) string {
	t.Helper()
	last := func(members []member, name string) int {
		return strings.LastIndex(string(marks(members, name)), "!")
	}
	node := membersOf(t, object)
	var b strings.Builder
	for i, m := range node {
		if m.name == "kind" || m.name == "apiVersion" {
			continue // added where the list gave it
		}
		if i == last(node, "spec") {
			if string(m.value) == "null" {
				continue
			}
			spec := membersOf(t, m.value)
			skip := last(spec, "taints")
			if len(spec) == 0 || len(spec) == 1 && skip == 0 {
				continue
			}
			b.WriteString("spec{")
			for j, n := range spec {
				if j != skip {
					b.WriteString(n.name + ":" + compact(t, n.value) + ";")
				}
			}
			b.WriteString("};")
			continue
		}
		b.WriteString(m.name + ":" + compact(t, m.value) + ";")
	}
	return b.String()
}

type member struct {
	name  string
	value json.RawMessage
}

func marks(members []member, name string) []byte {
	out := make([]byte, len(members))
	for i, m := range members {
		out[i] = '.'
		if m.name == name {
			out[i] = '!'
		}
	}
	return out
}

func membersOf(t *testing.T, object []byte) (out []member) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		t.Fatalf("%s is no object: %v", object, err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var m member
		m.name = name.(string)
		if err := d.Decode(&m.value); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

func compact(t *testing.T, value []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, value); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// checkRun does an edit to all nodes of the input, and demands that nothing
// else has changed, that doing it again changes nothing, and that a dry run
// says the same.
func checkRun(t *testing.T, input string, edits ...string) {
	t.Helper()
	args := append([]string{"-f", "-", "-all", "-overwrite"}, edits...)
	got := runWith(input, args...)
	dry := runWith(input, append([]string{"-dry-run", "-o", "json"}, args...)...)
	text := runWith(input, append([]string{"-dry-run"}, args...)...)
	if text.Status != dry.Status || text.Stderr != dry.Stderr {
		t.Errorf("%q: as text: %v\nas JSON: %v", input, text, dry)
	}
	if got.Status != statusDone {
		if got.Stdout != "" || got.Stderr == "" {
			t.Errorf("%q: %v", input, got)
		}
		if dry.Status == statusDone {
			t.Errorf("%q: a dry run is well, and then: %v", input, got)
		}
		return
	}
	parsed, err := taint.ParseEdits(edits...)
	if err != nil {
		t.Fatal(err)
	}
	_, rawBefore, before := nodesIn(t, input)
	names, rawAfter, after := nodesIn(t, got.Stdout)
	if len(before) != len(after) || len(names) != len(after) {
		t.Errorf("%q: %d nodes become %d:\n%v", input, len(before), len(names), got)
	}
	for _, name := range names {
		want, outcome, err := taint.Apply(before[name], parsed, taint.EditOptions{Overwrite: true})
		if err != nil || !slices.Equal(after[name], want) || !strings.Contains(got.Stderr, "node/"+name+" "+outcome.String()+"\n") {
			t.Errorf("%q: node %s has %v, want %v, %v", input, name, after[name], want, err)
		}
		if a, b := rest(t, rawBefore[name]), rest(t, rawAfter[name]); a != b {
			t.Errorf("%q: node %s has changed from %s to %s", input, name, a, b)
		}
	}
	if slices.ContainsFunc(parsed, taint.Edit.IsRemoval) {
		return
	}
	if again := runWith(got.Stdout, args...); again.Status != statusDone || again.Stdout != got.Stdout {
		t.Errorf("%q: again:\n%v\nonce:\n%v", input, again, got)
	}
	var out output
	if dry.Status == statusDone {
		if err := json.NewDecoder(strings.NewReader(dry.Stdout)).Decode(&out); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		if len(out.Nodes) != len(names) || out.Summary.Chosen != len(names) || len(out.Problems) != 0 {
			t.Errorf("%q: a dry run knows other nodes: %v", input, dry)
		}
	}
}

func inputFiles(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		tb.Fatal(files, err)
	}
	texts := []string{sample}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

func TestNothingElseChanges(t *testing.T) {
	for _, text := range inputFiles(t) {
		checkRun(t, text, "k=v:NoExecute")
		checkRun(t, text, "stays=v:NoSchedule", "new:PreferNoSchedule", "dedicated:NoSchedule")
		checkRun(t, text, "k-")
	}
	if a, b := rest(t, []byte(`{"a":1,"spec":{"taints":[1],"x":2}}`)), rest(t, []byte(`{"a":1,"spec":{"x":2,"taints":[3]}}`)); a != b || a == rest(t, []byte(`{"a":1,"spec":{"x":3}}`)) {
		t.Errorf("the comparison itself is wrong: %s, %s", a, b)
	}
}

// FuzzRun does so for any input.
func FuzzRun(f *testing.F) {
	for _, text := range inputFiles(f)[1:] { // the sample is long, and has nothing that they have not
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, input string) {
		checkRun(t, input, "k=v:NoExecute", "stays=v:NoSchedule")
	})
}

// FuzzArguments proves that any arguments are either rejected or say what is
// chosen and done.
func FuzzArguments(f *testing.F) {
	for _, args := range []string{"gpu-1 dedicated-", "-all k:NoSchedule -stamp", "-l example.com/pool=gpu,!x dedicated-", "-l a!=b -dry-run k:NoExecute", "nodes", "-- -", "-o json -dry-run no gpu-1 x=:NoExecute-"} {
		f.Add(args)
	}
	f.Fuzz(func(t *testing.T, args string) {
		words := strings.Fields(args)
		if slices.ContainsFunc(words, func(s string) bool {
			name := strings.TrimLeft(s, "-")
			return strings.HasPrefix(s, "-") && (strings.HasPrefix(name, "f") || strings.HasPrefix(name, "h"))
		}) {
			return // no files of strangers, and help is another matter
		}
		got := runWith(sample, words...)
		switch got.Status {
		case statusDone:
			if got.Stdout == "" {
				t.Errorf("taint %q prints nothing", words)
			}
		case statusRefused, statusBad:
			if got.Stdout != "" || got.Stderr == "" {
				t.Errorf("taint %q: %v", words, got)
			}
		default:
			t.Errorf("taint %q: status %d", words, got.Status)
		}
	})
}
