package program_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/program"
)

// run runs a program that counts pods.
func run(args []string, in io.Reader, out io.Writer) (status int, errOut string) {
	pods, errs := 0, &bytes.Buffer{}
	status = program.Program{
		Flags:  flag.NewFlagSet("test", flag.ContinueOnError),
		Sample: `{"items": [{"kind": "Node", "metadata": {"name": "n"}}]}`,
		Each: func(o *cluster.Object) {
			if o.Kind == "Pod" {
				pods++
			}
		},
		Report: func(w io.Writer, wrong int) error {
			if pods == 3 {
				return errors.New("three\nare bad")
			}
			_, err := fmt.Fprintf(w, "%s, %s\x1b\n", program.Count(pods, "pod"), program.Count(wrong, "error"))
			return err
		},
	}.Run(args, in, out, errs)
	return status, errs.String()
}

func TestRun(t *testing.T) {
	cluster := func(items string) io.Reader {
		return strings.NewReader(`{"items": [{"kind": "Node", "metadata": {"name": "n"}}` + items + `]}`)
	}
	pod := func(name string) string { return `, {"kind": "Pod", "metadata": {"name": "` + name + `"}}` }
	for _, tt := range []struct {
		name        string
		in          io.Reader
		args        []string
		status      int
		out, errOut string
	}{
		{"pipe", cluster(pod("p")), nil, 0, "1 pod, 0 errors\\u001b\n", ""},
		{"terminal", nil, nil, 0, "0 pods, 0 errors\\u001b\n", "test: this is a sample; -h describes how to read a cluster\n"},
		{"flag", cluster(pod("p")), []string{"-sample"}, 0, "0 pods, 0 errors\\u001b\n", "test: this is a sample; -h describes how to read a cluster\n"},
		{"help", nil, []string{"-h"}, 0, "", "Usage: kubectl get nodes,pods -A -o json | test [flags]\n  -sample\n    \tread a sample\n"},
		{"unknown flag", nil, []string{"-x"}, 2, "", "flag provided but not defined: -x\nUsage: kubectl get nodes,pods -A -o json | test [flags]\n  -sample\n    \tread a sample\n"},
		{"argument", nil, []string{"x"}, 2, "", "Usage: kubectl get nodes,pods -A -o json | test [flags]\n  -sample\n    \tread a sample\n"},
		{"wrong pod", cluster(pod("p") + pod("p")), nil, 2, "1 pod, 1 error\\u001b\n", "test: Pod p: the object occurs twice\n"},
		{"report fails", cluster(pod("p") + pod("q") + pod("r")), nil, 2, "", "test: three; are bad\n"},
		{"empty", strings.NewReader(""), nil, 2, "", "test: the input has no nodes\n"},
		{"no nodes", strings.NewReader(`{"items": []}`), nil, 2, "", "test: the input has no nodes\n"},
		{"reading fails", broken{}, nil, 2, "", "test: byte 0: no list of objects; kubectl get nodes,pods -A -o json prints one; broken cable\ntest: the input has no nodes\n"},
	} {
		var out bytes.Buffer
		if status, errOut := run(tt.args, tt.in, &out); status != tt.status || out.String() != tt.out || errOut != tt.errOut {
			t.Errorf("%s: status %d, %s%s", tt.name, status, &out, errOut)
		}
	}
	if status, errOut := run(nil, cluster(""), broken{}); status != 2 || errOut != "test: broken cable\n" {
		t.Errorf("output fails: status %d, %s", status, errOut)
	}
	if _, errOut := run(nil, cluster(strings.Repeat(",0", 100)), io.Discard); strings.Count(errOut, "\n") != 21 || !strings.Contains(errOut, "test: and 80 more errors\n") {
		t.Errorf("100 errors: %s", errOut)
	}
}

// A broken can be neither read nor written.
type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("broken cable") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("broken cable") }
