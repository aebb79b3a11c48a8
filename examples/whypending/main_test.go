package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the program says to testdata/golden")

func noEnv(string) string { return "" }

// A result is all that can be seen of one run.
type result struct {
	status         int
	stdout, stderr string
}

func runWith(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	status := run(args, strings.NewReader(stdin), &stdout, &stderr, noEnv)
	return result{status, stdout.String(), stderr.String()}
}

// String is the result as a golden file has it.
func (r result) String() string {
	text := r.stdout
	if r.stderr != "" {
		text += "---- standard error ----\n" + r.stderr
	}
	return text + fmt.Sprintf("---- exit status %d ----\n", r.status)
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
		{"sample", "-sample", 1},
		{"sample-json", "-sample -o json", 1},
		{"sample-few-reasons", "-sample -reasons 2", 1},
		{"sample-pod", "-sample -pod cart-0", 0},
		{"sample-pod-pending", "-sample -pod ml/notebook-ana-0", 1},
		{"sample-pod-json", "-sample -pod shop/cart-1 -o json", 0},
		{"sample-node", "-sample -node general-3", 1},
		{"sample-node-json", "-sample -node general-2 -o json", 1},
		{"sample-pair", "-sample -node batch-2 -pod web-6d5f7c9b48-hv4pm", 0},
		{"lists", "testdata/nodes.json testdata/pods.json", 0},
		{"lists-pod-of-any-namespace", "testdata/pods.json -pod plain testdata/nodes.json", 0},
		{"lists-node", "-node cordoned testdata/pods.json testdata/nodes.json", 0},
		{"nowhere", "testdata/nowhere.json", 1},
		{"fix", "testdata/fix.json", 1},
		{"fix-json", "-pod one-more-is-enough -o json testdata/fix.json", 1},
		{"fix-cordon-json", "-pod no-better-than-a-cordon -o json testdata/fix.json", 1},
		{"fix-redact", "-redact testdata/fix.json", 1},
		{"fix-redact-json", "-redact -node a1 -pod one-more-is-enough -o json testdata/fix.json", 1},
		{"eviction", "testdata/eviction.json", 2},
		{"eviction-json", "testdata/eviction.json -o json", 2},
		{"eviction-pairs", "testdata/eviction.json -node two", 2},
		{"bad", "testdata/bad.json", 2},
		{"bad-json", "-o json testdata/bad.json", 2},
		{"bad-node", "-node taints testdata/bad.json", 2},
		{"bad-pod", "-pod tolerations testdata/bad.json", 2},
		{"bad-redact", "-redact testdata/bad.json", 2},
		{"typos-redact", "-redact testdata/typos.json", 0},
		{"typos", "testdata/typos.json", 0},
		{"typos-json", "-o json testdata/typos.json", 0},
		{"bad-files", "testdata/none.json testdata testdata/nodes.json - - testdata/pods.json", 2},
		{"help", "-help", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := runWith("", strings.Fields(test.args)...)
			if got.status != test.status {
				t.Errorf("status %d, want %d", got.status, test.status)
			}
			golden(t, test.name, "$ whypending "+test.args+"\n"+got.String())
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(readFile(t, file), got); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", file, diff)
	}
}

// However the same nodes and pods are given, the answer is the same.
func TestShapes(t *testing.T) {
	nodes, pods := readFile(t, "testdata/nodes.json"), readFile(t, "testdata/pods.json")
	want := runWith("", "testdata/nodes.json", "testdata/pods.json")
	if want.status != 0 || want.stderr != "" {
		t.Fatal(want)
	}
	dir := t.TempDir()
	both := filepath.Join(dir, "both.json")
	if err := os.WriteFile(both, []byte(nodes+pods), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]result{
		"put together on stdin":        runWith(nodes + pods),
		"the other way round":          runWith(pods + nodes),
		"with byte order marks":        runWith("\ufeff" + nodes + "\n\ufeff" + pods),
		"named -":                      runWith(nodes+pods, "-"),
		"one in a file, one on stdin":  runWith(pods, "testdata/nodes.json", "-"),
		"one file":                     runWith("", both),
		"jq -s":                        runWith("[" + nodes + "," + pods + "]"),
		"with Windows' line ends":      runWith(strings.ReplaceAll(nodes+pods, "\n", "\r\n")),
		"the nodes twice":              runWith(nodes + nodes + pods + pods),
		"kind behind items":            runWith(kindLast(nodes) + kindLast(pods)),
		"files after the end of flags": runWith("", "--", both),
	} {
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(result{})); diff != "" {
			t.Errorf("%s: mismatch (-want +got):\n%s", name, diff)
		}
	}
}

// kindLast moves a list's kind behind its items.
func kindLast(list string) string {
	kind, items, _ := strings.Cut(strings.TrimPrefix(list, "{"), `"items"`)
	return `{"items"` + strings.TrimSuffix(strings.TrimSpace(items), "}") + "," + strings.TrimSuffix(strings.TrimSpace(kind), ",") + "}\n"
}

func TestSingleObjects(t *testing.T) {
	node := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}}`
	pod := `{"kind":"Pod","metadata":{"name":"p"}}`
	for name, test := range map[string]struct {
		input  string
		status int
		says   string // on either output
	}{
		"a node and a pod":   {node + pod, statusPending, "1 pod not yet bound may run nowhere: p."},
		"a node":             {node, statusFits, "1 node, 0 pods (0 not yet bound).\n"},
		"a pod":              {pod, statusBad, "no nodes, so there is nothing to compare the pods with"},
		"nothing":            {"", statusBad, "stdin: is empty"},
		"white space":        {"\n \n", statusBad, "stdin: is empty"},
		"an empty list":      {`{"kind":"List","items":[]}`, statusFits, "0 nodes, 0 pods (0 not yet bound).\n"},
		"items: null":        {`{"kind":"List","items":null}`, statusFits, "There is no pod to judge."},
		"cut off":            {node + pod[:20], statusBad, "the input ends before this is closed"},
		"YAML":               {"apiVersion: v1\n", statusBad, "ask kubectl for -o json"},
		"a table":            {"NAME   STATUS\na      Ready\n", statusBad, "stdin:1: not JSON but a table, it seems; ask kubectl for -o json"},
		"a typo":             {node + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"k","operation":"Exists"}]}}`, statusFits, `whypending: warning: stdin:1: Pod p: spec.tolerations[0]: unknown field "operation", did you mean operator?`},
		"no name":            {node + `{"kind":"Pod"}`, statusBad, "(stdin:1)"},
		"a name of two":      {node + `{"kind":"Pod","metadata":{"generateName":"p-"}}{"kind":"Pod","metadata":{"generateName":"p-"}}`, statusPending, "2 pods not yet bound may run nowhere: p-*, p-*."},
		"unknown is not fit": {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":5}}` + pod, statusBad, "No pod is known to fit nowhere."},
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(test.input)
			if got.status != test.status || !strings.Contains(got.stdout+got.stderr, test.says) {
				t.Errorf("want status %d and %q, got\n%s", test.status, test.says, got)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-o yaml":                         `-o "yaml": text or json`,
		"-reasons -1":                     "-reasons -1: a number from 0 on",
		"-reasons x":                      `invalid value "x"`,
		"-pods x":                         "flag provided but not defined: -pods",
		"-sample x.json":                  "-sample and files: one or the other",
		"-sample -pod nobody":             `-pod "nobody": no such pod in the input`,
		"-sample -pod data/web":           `-pod "data/web": no such pod in the input`,
		"-sample -node x":                 `-node "x": no such node in the input`,
		"-sample -pod etl-28930980-zz9f2": `-pod "etl-28930980-zz9f2": it is finished (Succeeded), so it is left out`,
	} {
		got := runWith("", strings.Fields(args)...)
		if got.status != statusBad || got.stdout != "" || !strings.HasPrefix(got.stderr, "whypending: "+want) {
			t.Errorf("%s: want %q, got\n%s", args, want, got)
		}
	}
}

// Each problem is told once on standard error, as far as anyone would read on.
func TestManyProblems(t *testing.T) {
	got := runWith(strings.Repeat("{}\n", mostProblems+7))
	if lines := strings.Split(got.stderr, "\n"); len(lines) != mostProblems+2 || lines[mostProblems] != "whypending: and 7 problems more (-o json has all)" {
		t.Errorf("got\n%s", got.stderr)
	}
	typo := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule"` + strings.Repeat(`,"Key":""`, mostProblems+2) + `}]}}`
	got = runWith(typo)
	if !strings.HasSuffix(got.stderr, "whypending: and 2 warnings more (-o json has all)\n") || got.status != statusFits {
		t.Errorf("got\n%s", got)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// An answer that nobody gets is no success.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{"-sample"}, {"-sample", "-o", "json"}, {"-help"}} {
		var stderr bytes.Buffer
		status := run(args, nil, fullDisk{}, &stderr, noEnv)
		if status != statusBad || !strings.Contains(stderr.String(), "the disk is full") {
			t.Errorf("%v: status %d, %q", args, status, &stderr)
		}
	}
}

// Without input the sample speaks.
func TestNoInput(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if status := run(nil, nil, &stdout, &stderr, noEnv); status != statusPending || stderr.Len() > 0 {
		t.Errorf("status %d, %s", status, &stderr)
	}
	if want := runWith("", "-sample").stdout; stdout.String() != want {
		t.Error("not the sample")
	}
	if got := run([]string{"-"}, nil, &stdout, &stderr, noEnv); got != statusBad {
		t.Errorf("no standard input: status %d", got)
	}
}
