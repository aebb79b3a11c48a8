package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/examples/internal/program"
)

func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 987, time.FixedZone("", 0)) }

func runWith(stdin string, args ...string) program.Result {
	return program.Run(strings.NewReader(stdin), args, func(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		return run(args, stdin, stdout, stderr, noon)
	})
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestGolden(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   string
		status int
	}{
		{"help", "-help", 0},
		{"sample-write", "-sample -only gpu-1 dedicated- x=1:NoExecute -stamp", 0},
		{"sample-dry-run-json", "-sample -dry-run -o json -now 2026-10-14T12:00:00Z gpu-1 gpu-2 dedicated- maintenance=today:NoExecute", 0},
		{"sample-untainted", "-sample -dry-run -now 2026-10-14T12:00:00Z general-2 node.kubernetes.io/unreachable-", 0},
		{"sample-refused", "-sample nodes gpu-1 node/gpu-2 gpu-9 dedicated:NoSchedule spot- general-:NoSchedule-", 2},
		{"sample-refused-by-all", "-sample -all dedicated=x:NoSchedule spot- spot:NoSchedule", 2},
		{"sample-refused-by-nodes", "-sample gpu-1 node/gpu-2 gpu-9 gpu-9 dedicated=x:NoSchedule spot-", 1},
		{"odd", "-f testdata/odd.json -all -overwrite k=new:NoExecute new:NoSchedule", 0},
		{"odd-one", "-f testdata/odd.json null-spec new:NoSchedule", 0},
		{"odd-emptied", "-f testdata/odd.json -only no-kind k- stays-", 0},
		{"odd-refused", "-f testdata/odd.json -all stays-", 1},
		{"changes", "-f testdata/changes.json -dry-run -l pool=x,spot down- tier=high:PreferNoSchedule -overwrite", 0},
		{"changes-json", "-f testdata/changes.json -dry-run -l pool=x,spot down- tier=high:PreferNoSchedule -overwrite -o json", 0},
		{"changes-to-worse", "-f testdata/changes.json -dry-run a c -overwrite tier:NoExecute down:NoExecute", 0},
		{"changes-closed", "-f testdata/changes.json -dry-run -all stop:NoSchedule", 0},
		{"changes-preferred", "-f testdata/changes.json -dry-run c tier-", 0},
		{"changes-not-spot", "-f testdata/changes.json -dry-run -l !spot new:NoExecute -o text", 0},
		{"bad", "-f testdata/bad.json good x:NoSchedule", 2},
		{"bad-dry-run", "-f testdata/bad.json -dry-run nobody x:NoSchedule", 2},
		{"bad-partly", "-f testdata/partly.json -dry-run a x:NoExecute", 2},
		{"bad-chosen-dry-run", "-f testdata/partly.json -dry-run a b x:NoExecute", 2},
		{"bad-partly-json", "-f testdata/partly.json -dry-run -o json a x:NoExecute", 2},
		{"bad-files", "-f testdata/none.json -f testdata -f - -f - -all x:NoSchedule", 2},
		{"no-nodes", "-all x:NoSchedule", 2},
		{"none-chosen", "-sample -l pool=none x:NoSchedule", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runWith("", strings.Fields(test.args)...)
			if got.Status != test.status {
				t.Errorf("status %d, want %d", got.Status, test.status)
			}
			got.Golden(t, test.name, "taint", test.args)
		})
	}
}

// Without arguments, and nothing on standard input, the sample is shown.
func TestDemo(t *testing.T) {
	var stdout, stderr bytes.Buffer
	status := run(nil, nil, &stdout, &stderr, noon)
	program.Result{Status: status, Stdout: stdout.String(), Stderr: stderr.String()}.Golden(t, "demo", "taint")
	if null, err := os.Open(os.DevNull); err == nil {
		defer null.Close()
		var again bytes.Buffer
		if run(nil, null, &again, &again, noon) != status || again.String() != stdout.String() {
			t.Errorf("with %s: %s", os.DevNull, again.String())
		}
	}
	if got := runWith("{}"); got.Status != statusBad || !strings.Contains(got.Stderr, "no edits") {
		t.Errorf("with input and no edits: %v", got)
	}
}

func TestBadArguments(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-all", "no edits, such as key=value:NoSchedule or key-"},
		{"n1", "no edits"},
		{"k:NoSchedule", "choose nodes by their names, by -l or by -all: one of the three"},
		{"-all -l a=b k-", "one of the three"},
		{"-all n1 k-", "one of the three"},
		{"nodes k-", "one of the three"},
		{"k- n1", `"n1": the names of nodes come before all edits`},
		{"-all k:Nope", `edits[0].effect: unknown effect "Nope"`},
		{"-all k:NoSchedule k-", `edits[1] "k-": must not be both added and removed`},
		{"-all -o yaml -dry-run k-", `-o "yaml": text or json`},
		{"-all -o json k-", "-o is for -dry-run"},
		{"-sample -f x -all k-", "-sample and -f: one or the other"},
		{"-all -now yesterday k-", "-now"},
		{"-all -now -0001-01-01T00:00:00Z k-", "-now"},
		{"-nope", "flag provided but not defined: -nope"},
		{"-l a/b/c=d k-", `-l "a/b/c=d": `},
		{"-l a=b,,c k-", `-l "a=b,,c": `},
		{"-l a=-b k-", `-l "a=-b": `},
		{"-l a\u00a0in\u00a0(b) k-", "-l "},
	} {
		got := runWith("", strings.Fields(strings.ReplaceAll(tt.args, `\u00a0`, "\u00a0"))...)
		if got.Status != statusBad || got.Stdout != "" || !strings.Contains(got.Stderr, tt.want) {
			t.Errorf("taint %s: %v, want %s", tt.args, got, tt.want)
		}
	}
}

// What is named is chosen, however it is named, and nothing else.
func TestChoice(t *testing.T) {
	input := readFile(t, "testdata/changes.json")
	for args, want := range map[string]string{
		"a k:NoSchedule":                           "a",
		"node a k:NoSchedule":                      "a",
		"nodes node/c a k:NoSchedule":              "a c",
		"no b b k:NoSchedule":                      "b",
		"-f - -- c k:NoSchedule":                   "c",
		"k:NoSchedule -all":                        "a b c",
		"-l pool=x k:NoSchedule":                   "a c",
		"-l pool==x k:NoSchedule":                  "a c",
		"-l pool!=x k:NoSchedule":                  "b",
		"-l pool k:NoSchedule":                     "a b c",
		"-l spot k:NoSchedule":                     "a",
		"-l spot= k:NoSchedule":                    "a",
		"-l !spot k:NoSchedule":                    "b c",
		"-l !spot,pool=x k:NoSchedule":             "c",
		"-l spot!=x,pool!=x k:NoSchedule":          "b",
		"-l other!=x,pool=y k:NoSchedule":          "b",
		"-only -l pool=y k:NoSchedule l:NoExecute": "b",
	} {
		got := runWith(input, strings.Fields(args)...)
		var names []string
		for line := range strings.Lines(got.Stderr) {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(line, "node/"), " tainted\n"))
		}
		if got.Status != statusDone || strings.Join(names, " ") != want {
			t.Errorf("taint %s: status %d, %q, want %s", args, got.Status, names, want)
		}
		if nodes := strings.Count(got.Stdout, `"kind": "Node"`); nodes != 3 && (nodes != 1 || !strings.Contains(args, "-only")) {
			t.Errorf("taint %s writes %d nodes", args, nodes)
		}
	}
}

// No name of a node gets hold of the terminal.
func TestPrintable(t *testing.T) {
	const node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n\u001b[31m"}}`
	for _, args := range []string{"-all k:NoSchedule", "-all k-", "-all -dry-run k:NoSchedule", "n\u001b[31n k-"} {
		if got := runWith(node, strings.Fields(args)...); strings.ContainsRune(got.Stdout+got.Stderr, 0x1b) || got.Stdout+got.Stderr == "" {
			t.Errorf("taint %q: %q", args, got)
		}
	}
}

// A taint that no edit touches stays verbatim, wherever it is.
func TestUntouchedStays(t *testing.T) {
	const odd = `{"effect":"NoSchedule","value":"","key":"k%d"}`
	first, second := fmt.Sprintf(odd, 1), fmt.Sprintf(odd, 2)
	node := `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},"spec":{"taints":[` + first + "," + second + `]}}`
	for edit, want := range map[string]string{
		"new:NoSchedule": first + "," + second + `,{"key":"new","effect":"NoSchedule"}`,
		"k1-":            second,
		"k2-":            first,
	} {
		got := runWith(node, "-all", edit)
		if text := strings.Join(strings.Fields(got.Stdout), ""); got.Status != statusDone || !strings.Contains(text, `"taints":[`+want+`]`) {
			t.Errorf("taint %s: %v, want %s", edit, got, want)
		}
	}
}

// A broken pipe, or a full disk, is reported.
func TestOutputFails(t *testing.T) {
	for _, args := range []string{"-sample -all k:NoSchedule", "-sample -all -dry-run k:NoSchedule", "-sample -all -dry-run -o json k:NoSchedule", "-help"} {
		var stderr bytes.Buffer
		if status := run(strings.Fields(args), nil, broken{}, &stderr, noon); status != statusBad || !strings.Contains(stderr.String(), "full") || strings.Contains(stderr.String(), "tainted") {
			t.Errorf("taint %s: status %d, %s", args, status, stderr.String())
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }
