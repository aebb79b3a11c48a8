// Package program tests what the programs of examples that read a cluster have in
// common: their input, and what they do with a bad one.
package program

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
)

// A Func is the whole of a program; standard input may be nil, for a terminal.
type Func func(args []string, in io.Reader, out, errOut io.Writer) int

// A Result is everything that one run shows.
type Result struct {
	Status      int
	Out, ErrOut string
}

// Run runs the program.
func (run Func) Run(in io.Reader, args ...string) Result {
	var out, errOut bytes.Buffer
	status := run(args, in, &out, &errOut)
	return Result{status, out.String(), errOut.String()}
}

// Input tests where input comes from. The cluster is valid, and the program's output
// has that text.
func (run Func) Input(t *testing.T, cluster, text string) {
	dir := t.TempDir()
	file, empty := filepath.Join(dir, "cluster.json"), filepath.Join(dir, "empty")
	for name, content := range map[string]string{file: cluster, empty: ""} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		in     io.Reader
		args   []string
		status int
		errOut string // a part of it, or all if it is empty
	}{
		{"pipe", strings.NewReader(cluster), nil, 0, ""},
		{"dash", strings.NewReader(cluster), []string{"-"}, 0, ""},
		{"file", strings.NewReader("not read"), []string{file}, 0, ""},
		{"file on a terminal", nil, []string{file}, 0, ""},
		{"two files", strings.NewReader(`{"kind": "List", "items": []}`), []string{file, "-"}, 0, ""},
		{"terminal", nil, nil, 0, "this is a sample"},
		{"flag", strings.NewReader(cluster), []string{"-sample"}, 0, "this is a sample"},
		{"help", nil, []string{"-h"}, 0, "-sample"},
		{"empty pipe", strings.NewReader(""), nil, 2, "standard input: byte 0: no JSON object"},
		{"empty file", nil, []string{empty}, 2, "empty: byte 0: no JSON object"},
		{"no such file", nil, []string{file + "x", file}, 2, "no such file"},
		{"folder", nil, []string{dir}, 2, "is a directory"},
		{"twice", nil, []string{file, file}, 2, "the object occurs twice"},
		{"flag and file", nil, []string{"-sample", file}, 2, "exclude each other"},
		{"unknown flag", nil, []string{"-nosuch"}, 2, "not defined"},
		{"reading fails", broken{}, nil, 2, "broken cable"},
	} {
		r := run.Run(tt.in, tt.args...)
		sample := strings.Contains(tt.errOut, "sample")
		if r.Status != tt.status || !strings.Contains(r.ErrOut, tt.errOut) || tt.errOut == "" && r.ErrOut != "" ||
			tt.status == 0 && strings.Contains(r.Out, text) == sample || !sample && strings.Contains(r.ErrOut, "this is a sample") {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
	var errOut bytes.Buffer
	if status := run(nil, strings.NewReader(cluster), broken{}, &errOut); status != 2 || !strings.Contains(errOut.String(), "broken cable") {
		t.Errorf("output fails: status %d, %s", status, &errOut)
	}
}

// Hostile tests input that was made to control the terminal, or to take long.
func (run Func) Hostile(t *testing.T) {
	const node = `{"kind": "Node", "metadata": {"name": "n"}}`
	inputs := hostile.Inputs(t) // of each, some object is wrong
	large := []string{
		node + strings.Repeat(`{"kind":`, 100_000),
		`{"kind": "Node", "spec": ` + strings.Repeat("[", 1_000_000),
		`{"kind": "List", "items": [` + node + strings.Repeat(",0", 1_000_000) + `]}`,
		`{"kind": "List", "items": [` + node + strings.Repeat(",{}", 1_000_001) + `]}`,
		`{"kind": "Node", "metadata": {"name": "` + strings.Repeat("n", 5_000_000) + `"}}`,
		`{"kind": "Node", "metadata": {"name": "` + strings.Repeat("n", 1_000_000) + `"}}`,
		node + strings.Repeat(" ", 5_000_000) + node,
		`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": [{"key": "` + strings.Repeat("n", 1_000_000) + `"}]}}` + node,
		node + `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": [{}` + strings.Repeat(",{}", 600_000) + `]}}`,
		`{"kind": "Node", "metadata": {"name": "n"}, "spec": {"taints": [0` + strings.Repeat(",0", 900_000) + `]}}`,
	}
	if !testing.Short() {
		inputs = append(inputs, large...)
	}
	for _, input := range inputs {
		r := run.Run(strings.NewReader(input))
		shown := input[:min(len(input), 300)]
		if r.Status != 2 || r.ErrOut == "" || len(r.ErrOut) > 50_000 {
			t.Errorf("%s: status %d, %d bytes of errors", shown, r.Status, len(r.ErrOut))
		}
		hostile.Check(t, "standard output for "+shown, r.Out)
		hostile.Check(t, "standard error for "+shown, r.ErrOut)
	}
}

// A broken can be neither read nor written.
type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("broken cable") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("broken cable") }
