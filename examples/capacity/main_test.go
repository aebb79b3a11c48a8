package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/program"
)

// capacity runs the program and returns what it wrote.
func capacity(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	r := program.Run(strings.NewReader(stdin), args, run)
	return r.Status, r.Stdout, r.Stderr
}

const cluster = `{"apiVersion": "v1", "kind": "List", "items": [
 {"kind": "Node", "metadata": {"name": "a"}, "spec": {}},
 {"kind": "Node", "metadata": {"name": "b"}, "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}},
 {"kind": "Node", "metadata": {"name": "c"}, "spec": {"unschedulable": true}},
 {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}},
 {"kind": "Pod", "metadata": {"name": "q"}, "spec": {"tolerations": [{"key": "gpu", "operator": "Exists"}]}},
 {"kind": "Pod", "metadata": {"name": "r"}, "spec": {}}
]}`

func TestGenerated(t *testing.T) {
	args := []string{"-nodes", "3000", "-pods", "2000", "-readers", "3", "-flap", "100000"}
	status, out, errs := capacity(t, "", args...)
	if status != statusOK || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	for _, want := range []string{"fleet: 3,000 nodes", "nodes are available: ", "while nothing changes, readers: 3\n  2,000 pods in ", "while nodes flap", "snapshots meanwhile", "the plain filter on every node says the same for 20 workloads"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "WRONG") {
		t.Error(out)
	}
	// All but the times is the same again.
	_, again, _ := capacity(t, "", args...)
	table := regexp.MustCompile(`(?s)may run.*?the first: .*?\n`)
	if table.FindString(out) == "" || table.FindString(out) != table.FindString(again) {
		t.Errorf("two runs differ:\n%s\n%s", out, again)
	}
	if _, other, _ := capacity(t, "", append(args, "-seed", "2")...); table.FindString(out) == table.FindString(other) {
		t.Error("another seed makes the same fleet")
	}
}

func TestMemoAndTime(t *testing.T) {
	status, out, errs := capacity(t, "", "-nodes", "500", "-memo", "-time", "30ms", "-flap", "0", "-tainted", "1")
	if status != statusOK || errs != "" || strings.Contains(out, "flap") || strings.Contains(out, "WRONG") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(file, []byte(cluster), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		stdin string
		arg   string
	}{{cluster, "-"}, {"", file}} {
		status, out, errs := capacity(t, c.stdin, "-pods", "100", c.arg)
		if status != statusOK || errs != "" {
			t.Fatalf("status %d, %s", status, errs)
		}
		for _, want := range []string{"fleet: 3 nodes, 3 distinct taint lists", "2          2            0  gpu op=Exists\n", "1          1            0  none\n",
			"the first: 2/3 nodes are available: 1 untolerated node.kubernetes.io/unschedulable:NoSchedule\n", "the same for 2 workloads"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in:\n%s", want, out)
			}
		}
	}
}

func TestBad(t *testing.T) {
	for _, c := range []struct {
		stdin, args string
		stderr      string
		stdout      string
	}{
		{"", "-nodes 0", "-nodes must be", ""},
		{"", "-nodes x", "invalid value", ""},
		{"", "-tainted NaN", "-tainted must be", ""},
		{"", "-tainted 1.1", "-tainted must be", ""},
		{"", "-readers 0", "at least 1", ""},
		{"", "-flap -1", "negative", ""},
		{"", "-flap 10000001", "at most", ""},
		{"", "-pools 1000001", "at most", ""},
		{"", "-workloads 2147483647", "at most", ""},
		{"", "-readers 1001", "at most", ""},
		{"", "-time 0s", "-time must be", ""},
		{"", "-no-such-flag", "no-such-flag", ""},
		{"", "a b", "one file at most", ""},
		{"", "no-such-file.json", "no-such-file.json", ""},
		{"", "-", "is empty", ""},
		{`{"kind": "List", "items": []}`, "-", "there are no nodes", ""},
		{"not JSON", "-", "not JSON", ""},
		{strings.Replace(cluster, `"gpu", "effect": "NoSchedule"`, `"gpu", "effect": "noSchedule"`, 1), "-pods 10 -", "spec.taints[0].effect", "fleet: 2 nodes"},
		{strings.Replace(cluster, `"key": "gpu", "operator"`, `"key": "-gpu", "operator"`, 1), "-pods 10 -", "spec.tolerations[0].key", "fleet: 3 nodes"},
		{strings.Replace(cluster, `"name": "b"`, `"name": "a"`, 1), "-pods 10 -", "read already", "fleet: 2 nodes"},
	} {
		status, out, errs := capacity(t, c.stdin, strings.Fields(c.args)...)
		if status != statusBad || !strings.Contains(errs, c.stderr) || !strings.Contains(out, c.stdout) || c.stdout == "" && out != "" {
			t.Errorf("%s: status %d\n%s\n%s", c.args, status, out, errs)
		}
	}
	if status, out, errs := capacity(t, "", "-help"); status != statusOK || !strings.Contains(out, "-pools") || errs != "" {
		t.Errorf("-help: status %d\n%s%s", status, out, errs)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestBrokenOutput(t *testing.T) {
	var errs bytes.Buffer
	if status := run([]string{"-nodes", "10", "-pods", "10"}, nil, broken{}, &errs); status != statusBad || !strings.Contains(errs.String(), "broken pipe") {
		t.Errorf("status %d, %s", status, errs.String())
	}
}

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{w: &b}
	p.show("%d nodes", 1)
	p.show("%d nodes", 2) // too soon
	p.clear()
	p.clear()
	if want := "\r\x1b[Kcapacity: 1 nodes\r\x1b[K"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if newProgress(&b) != nil {
		t.Error("progress without a terminal")
	}
}
