package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/program"
)

func noEnv(string) string { return "" }

func runWith(stdin string, args ...string) program.Result {
	return program.Run(strings.NewReader(stdin), args, func(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
		return run(args, stdin, stdout, stderr, noEnv)
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
		{"sample", "-sample", 1},
		{"sample-json", "-sample -o json", 1},
		{"sample-few-reasons", "-sample -reasons 2", 1},
		{"sample-pod", "-sample -pod cart-0", 0},
		{"sample-pod-pending", "-sample -pod ml/notebook-ana-0", 1},
		{"sample-pod-json", "-sample -pod shop/cart-1 -o json", 0},
		{"sample-node", "-sample -node general-3", 1},
		{"sample-node-json", "-sample -node general-2 -o json", 1},
		{"sample-pair", "-sample -node batch-2 -pod web-6d5f7c9b48-hv4pm", 0},
		{"devices", "-sample-devices", 0},
		{"devices-json", "-sample-devices -pod ml/notebook-0 -o json", 0},
		{"devices-redact", "-sample-devices -redact", 0},
		{"devices-few-reasons", "-sample-devices -reasons 2", 0},
		{"devices-bad", "testdata/devices.json", 2},
		{"devices-bad-json", "testdata/devices.json -o json -redact", 2},
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
			if got.Status != test.status {
				t.Errorf("status %d, want %d", got.Status, test.status)
			}
			got.Golden(t, test.name, "whypending", test.args)
		})
	}
}

// However the same nodes and pods are given, the answer is the same.
func TestShapes(t *testing.T) {
	nodes, pods := readFile(t, "testdata/nodes.json"), readFile(t, "testdata/pods.json")
	want := runWith("", "testdata/nodes.json", "testdata/pods.json")
	if want.Status != 0 || want.Stderr != "" {
		t.Fatal(want)
	}
	dir := t.TempDir()
	both := filepath.Join(dir, "both.json")
	if err := os.WriteFile(both, []byte(nodes+pods), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]program.Result{
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
		if diff := cmp.Diff(want, got); diff != "" {
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
		"YAML":               {"apiVersion: v1\n", statusBad, "run kubectl with -o json"},
		"a table":            {"NAME   STATUS\na      Ready\n", statusBad, "stdin:1: not JSON but a table, it seems; run kubectl with -o json"},
		"a typo":             {node + `{"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"k","operation":"Exists"}]}}`, statusFits, `whypending: warning: stdin:1: Pod p: spec.tolerations[0]: unknown field "operation", did you mean operator?`},
		"no name":            {node + `{"kind":"Pod"}`, statusBad, "(stdin:1)"},
		"a name of two":      {node + `{"kind":"Pod","metadata":{"generateName":"p-"}}{"kind":"Pod","metadata":{"generateName":"p-"}}`, statusPending, "2 pods not yet bound may run nowhere: p-*, p-*."},
		"unknown is not fit": {`{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":5}}` + pod, statusBad, "No pod is known to fit nowhere."},
	} {
		t.Run(name, func(t *testing.T) {
			got := runWith(test.input)
			if got.Status != test.status || !strings.Contains(got.Stdout+got.Stderr, test.says) {
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
		"-sample -sample-devices":         "-sample and -sample-devices: one or the other",
		"-sample-devices x.json":          "-sample-devices and files: one or the other",
		"-sample -pod nobody":             `-pod "nobody": no such pod in the input`,
		"-sample -pod data/web":           `-pod "data/web": no such pod in the input`,
		"-sample -node x":                 `-node "x": no such node in the input`,
		"-sample -pod etl-28930980-zz9f2": `-pod "etl-28930980-zz9f2": it is finished (Succeeded), so it is left out`,
	} {
		got := runWith("", strings.Fields(args)...)
		if got.Status != statusBad || got.Stdout != "" || !strings.HasPrefix(got.Stderr, "whypending: "+want) {
			t.Errorf("%s: want %q, got\n%s", args, want, got)
		}
	}
}

// Each problem is reported once on standard error, up to a limit.
func TestManyProblems(t *testing.T) {
	got := runWith(strings.Repeat("{}\n", mostProblems+7))
	if lines := strings.Split(got.Stderr, "\n"); len(lines) != mostProblems+2 || lines[mostProblems] != "whypending: and 7 problems more (-o json has all)" {
		t.Errorf("got\n%s", got.Stderr)
	}
	typo := `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"key":"k","effect":"NoSchedule","Key":""}]}}`
	got = runWith(strings.Repeat(typo, mostProblems+2))
	if !strings.HasSuffix(got.Stderr, "whypending: and 2 warnings more (-o json has all)\n") || got.Status != statusFits {
		t.Errorf("got\n%s", got)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

// An answer that cannot be written is no success.
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
	if want := runWith("", "-sample").Stdout; stdout.String() != want {
		t.Error("not the sample")
	}
	if got := run([]string{"-"}, nil, &stdout, &stderr, noEnv); got != statusBad {
		t.Errorf("no standard input: status %d", got)
	}
}
