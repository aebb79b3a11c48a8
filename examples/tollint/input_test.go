package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Input without a manifest is a failure: the program that should have written one
// may have failed.
func TestNoManifest(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"pod.yaml":          head + "  containers: []\n",
		"list.yaml":         "kind: List\napiVersion: v1\nitems: []\n",
		"values.yaml":       "tolerations: [{key: a, operator: Exists}]\n",
		"array.json":        `[{"kind": "Pod"}]`,
		"template.yaml":     "{{ if x }}\nkind: Pod\n",
		"empty.yaml":        "",
		"comment.yaml":      "# Source: chart\n---\n\n",
		"scalar.yaml":       "some text\n",
		"error.yaml":        "Error: no chart\n",
		"unkind.json":       `{"kind": null, "spec": {"tolerations": []}}`,
		"more/x.txt":        head,
		"other/x.yaml":      "a: b\n",
		"mixed/x.yaml":      "a: b\n",
		"mixed/empty.yaml":  "",
		"mixed/sub/pod.yml": head + "  containers: []\n",
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		args string
		want string // the failure, if any
	}{
		{"pod.yaml list.yaml values.yaml array.json template.yaml mixed", ""},
		{"empty.yaml", "empty.yaml: empty"},
		{"comment.yaml", "comment.yaml: no manifest: "},
		{"pod.yaml scalar.yaml", "scalar.yaml: no manifest: "},
		{"error.yaml", "error.yaml: no manifest: "},
		{"unkind.json", "unkind.json: no manifest: "},
		{"more", "more: no manifest in any "},
		{"mixed other", "other: no manifest in any "},
		{"other mixed", "other: no manifest in any "},
		{"", "<stdin>: empty"},
		{"-", "<stdin>: empty"},
		{"-o json", "<stdin>: empty"},
		{"-fix", "<stdin>: empty"},
	} {
		var stdout, stderr bytes.Buffer
		status := run(strings.Fields(tt.args), strings.NewReader("\n"), &stdout, &stderr)
		switch text := stderr.String(); {
		case tt.want == "" && status != statusClean:
			t.Errorf("%s: status %d: %s", tt.args, status, text)
		case tt.want != "" && (status != statusBad || !strings.Contains(text, "tollint: "+tt.want)):
			t.Errorf("%s: status %d, want %d and %q: %s", tt.args, status, statusBad, tt.want, text)
		}
	}
}

// In a directory, hidden files are read, as by kubectl -R.
func TestPolicy_hidden(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("policy.yaml", []byte(policyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{".pod.yaml", ".yaml", ".yml", ".json", "..json", ".d/pod.yml", "d/.e/.pod.json", ".git/x.yaml"} {
		dir := fmt.Sprint("dir", i)
		for name, text := range map[string]string{"good.yaml": head + "  containers: []\n", name: `{"kind": "Pod", "spec": {"tolerations": [{"operator": "Exists"}]}}`} {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"-policy", "policy.yaml", dir}, {"-enable", "tolerates-everything", dir}} {
			var stdout, stderr bytes.Buffer
			if status := run(args, nil, &stdout, &stderr); status != statusFound || !strings.Contains(stdout.String(), filepath.Join(dir, name)+":1:") {
				t.Errorf("%s: %q: status %d, want %d\n%s%s", name, args, status, statusFound, &stdout, &stderr)
			}
		}
	}
}

// The sample is not checked with a policy.
func TestPolicy_terminal(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("policy.yaml", []byte(policyFile), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	if status := run([]string{"-policy", "policy.yaml"}, nil, &stdout, &stderr); status != statusBad || !strings.Contains(stderr.String(), "no standard input") {
		t.Errorf("status %d: %s%s", status, &stdout, &stderr)
	}
}
