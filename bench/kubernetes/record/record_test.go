package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	library "github.com/go-tolerate/tolerate/toleration"
)

const folder = "../../recorded"

// newest returns the version of Kubernetes that the module requires, and its recording.
func newest(t *testing.T) (version, name string) {
	t.Helper()
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes v((\S+)\.\d+)$`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod does not require k8s.io/kubernetes")
	}
	return string(m[1]), recorded.Name(string(m[2]))
}

// The recording of this version is up to date: the test makes it again from the inputs, which
// the page lists, with wrong answers. Those of older versions need other modules (versions.sh).
func TestStale(t *testing.T) {
	version, name := newest(t)
	old, err := recorded.Lines(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\|.*\\| (.*) \\| .* \\| [^|]+ \\|$").FindAllSubmatch(page, -1) {
		listed[string(m[1])] = string(m[2])
	}
	var spoiled []line
	for _, text := range old[1:] {
		var l recorded.Line[map[string]any]
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		for field := range l.Case {
			if !strings.Contains(listed[l.Kind], "`"+field+"`") {
				l.Case[field] = "wrong"
			}
		}
		spoiled = append(spoiled, line{Kind: l.Kind, ID: l.ID, Case: l.Case})
	}
	dir := t.TempDir()
	err = recorded.Write(filepath.Join(dir, name), recorded.Header{}, spoiled)
	_, err2 := record(t, dir, version, nil)
	now, err3 := recorded.Lines(filepath.Join(dir, name))
	if err := errors.Join(err, err2, err3); err != nil {
		t.Fatal(err)
	}
	for i := range min(len(old), len(now)) {
		if !bytes.Equal(old[i], now[i]) {
			t.Errorf("%s is stale: run go -C bench/kubernetes run ./record\nline %d was %s\nis       %s", name, i+1, old[i], now[i])
			break
		}
	}
	if len(old) != len(now) {
		t.Errorf("%s is stale: %d lines, want %d", name, len(old), len(now))
	}
	for op := library.Equal; op.IsValid(); op++ { // as TestOperators in package match
		if !bytes.Contains(bytes.Join(now, nil), fmt.Appendf(nil, `"operator":"%v"`, op)) {
			t.Errorf("V5: the recordings have no %v: add cases", op)
		}
	}
}

// New cases have the next ids of their kinds. Those that are recorded are not added again.
// An earlier version has the ids of the newest one.
func TestAdd(t *testing.T) {
	version, name := newest(t)
	const earlier = "1.34.9"
	dir := t.TempDir()
	for _, name := range []string{name, recorded.Name("1.34")} {
		err := recorded.Write(filepath.Join(dir, name), recorded.Header{}, []line{
			{Kind: "parse", ID: "parse-7", Case: recorded.Parse{Text: "a:NoSchedule"}},
			{Kind: "parse", ID: "parse-edge-9", Case: recorded.Parse{Text: "a"}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	const b = `{"kind":"parse","case":{"text":"b:NoSchedule"}}`
	const filter = `{"kind":"filter","case":{"taints":[{"key":"a","effect":"NoSchedule"}],"tolerations":[],"gate":false}}`
	for _, tt := range []struct{ version, more, want string }{
		{version, "", "parse-7 parse-edge-9"},
		{version, b + `{"kind":"parse","case":{"text":"a"}}` + "\n" + b + filter, "parse-7 parse-edge-9 parse-8 filter-0"},
		{version, filter + "\n" + b, "parse-7 parse-edge-9 parse-8 filter-0"},
		{version, "", "parse-7 parse-edge-9 parse-8 filter-0"},
		{earlier, "", "parse-7 parse-edge-9"},
		{earlier, filter, "parse-7 parse-edge-9 filter-0"},
		{earlier, filter, "parse-7 parse-edge-9 filter-0"},
		{"1.99.0", `{"kind":"parse","case":{"text":"c:NoSchedule"}}`, "parse-7 parse-edge-9 parse-8 filter-0 parse-9"},
		{version, `{"kind":"parse","case":{"text":"d:NoSchedule"}}`, "error: add the cases to"},
		{"1.99.0", `{"kind":"other","case":{}}`, `error: other {}: unknown kind "other"`},
		{"1.99.0", `{"kind":"parse","id":"parse-9","case":{"text":"d"}}`, `error: json: unknown field "id"`},
		{"1.99.0", `{"kind":"parse","case":{"text":"d","key":"d"}}`, `error: parse {"text":"d","key":"d"}: no inputs: ["key"]`},
		{"1.99.0", `{"kind":"parse","case":{"text":"d","taint":null}}`, `error: parse {"text":"d","taint":null}: no inputs: ["taint"]`},
		{"1.99.0", `{"kind":"daemon","case":{"tolerations":[{"seconds":5}]}}`, `error: daemon {"tolerations":[{"seconds":5}]}: json: unknown field "seconds"`},
		{"1.99.0", `{"kind":"parse","case":{}}`, `error: parse {}: no text`},
		{"1.99.0", b + `}`, "error: invalid character '}'"},
	} {
		name, err := record(t, dir, tt.version, []byte(tt.more))
		if err != nil {
			if !strings.HasPrefix(fmt.Sprint("error: ", err), tt.want) {
				t.Errorf("%s with %s: %v, want %s", tt.version, tt.more, err, tt.want)
			}
			continue
		}
		lines, err := read(name)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, l := range lines {
			ids = append(ids, l.ID)
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("%s with %s: %s, want %s", tt.version, tt.more, got, tt.want)
		}
	}
	lines, err := recorded.Lines(filepath.Join(dir, name))
	const want = `{"kind":"filter","id":"filter-0","rules":["F1","F2","F3","F6"],"case":{"taints":[{"key":"a","effect":"NoSchedule"}],"tolerations":[],"first":{"schedule":0,"any":0,"evict":-1,"prefer":-1}}}`
	if err != nil || string(lines[len(lines)-1]) != want {
		t.Errorf("%s, %v; want %s", lines[len(lines)-1], err, want)
	}
}
