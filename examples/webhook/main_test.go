package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/golden"
)

func webhook(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

func TestSample(t *testing.T) {
	status, out, errs := webhook(t, "")
	if status != statusOK || errs != "" {
		t.Errorf("status %d, %s", status, errs)
	}
	golden.Check(t, filepath.Join("testdata", "sample.txt"), out)
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	strict := write("strict.json", `{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}`)
	for _, tt := range []struct {
		name, stdin    string
		args           []string
		status         int
		stdout, stderr string
	}{
		{name: "help", args: []string{"-help"}, stdout: "-max-bytes"},
		{name: "a review", stdin: review(`{"spec": {}}`), args: []string{"-"}, stdout: "/mutate   allowed, with ["},
		{name: "a name that would steer the terminal", stdin: strings.Replace(review(`{"spec": {}}`), `"CREATE"`, `"CREATE\u009b2J"`, 1), args: []string{"-"}, stdout: "CREATE\ufffd2J Pod"},
		{name: "a refusal", stdin: review(`{"spec": {"tolerations": [{"key": "k"}]}}`), args: []string{"-config", strict, "-"}, status: statusRefused, stdout: "/validate refused, 403 Forbidden: tolerate: spec.tolerations[0]"},
		{name: "a file", args: []string{write("review.json", review(`{"spec": {}}`))}, stdout: "/validate allowed"},
		{name: "no review", stdin: "{}", args: []string{"-"}, status: statusBad, stderr: "review 1: must be admission.k8s.io/v1"},
		{name: "half a review", stdin: review("{}")[:50], args: []string{"-"}, status: statusBad, stderr: "review 1"},
		{name: "nothing", args: []string{"-"}, status: statusBad, stderr: "EOF"},
		{name: "a second that is none", stdin: review("{}") + "{}", args: []string{"-"}, status: statusBad, stderr: "review 2"},
		{name: "no such file", args: []string{filepath.Join(dir, "none")}, status: statusBad, stderr: "none"},
		{name: "no such configuration", args: []string{"-config", filepath.Join(dir, "none")}, status: statusBad, stderr: "configuration"},
		{name: "a bad configuration", args: []string{"-config", write("bad.json", `{"x": 1}`)}, status: statusBad, stderr: `unknown field "x"`},
		{name: "a flag", args: []string{"-nope"}, status: statusBad, stderr: "-nope"},
		{name: "both", args: []string{"-listen", ":0", "file"}, status: statusBad, stderr: "one or the other"},
		{name: "a limit", args: []string{"-max-bytes", "0"}, status: statusBad, stderr: "more than 0"},
		{name: "no certificate", args: []string{"-listen", "127.0.0.1:0", "-cert", filepath.Join(dir, "none")}, status: statusBad, stderr: "none"},
	} {
		status, out, errs := webhook(t, tt.stdin, tt.args...)
		if status != tt.status || !strings.Contains(out, tt.stdout) || !strings.Contains(errs, tt.stderr) || (tt.stderr == "") != (errs == "") {
			t.Errorf("%s: status %d, want %d\n%s%s", tt.name, status, tt.status, out, errs)
		}
	}
}

// The server runs until it is stopped, which is no mistake.
func TestListen(t *testing.T) {
	dir := t.TempDir()
	writeCertificate(t, dir, "tls")
	ctx, cancel := context.WithCancel(t.Context())
	r, log := io.Pipe()
	go func() {
		line := make([]byte, 4096)
		n, err := r.Read(line)
		if err != nil || !strings.Contains(string(line[:n]), "listening") {
			t.Errorf("first said: %s, %v", line[:n], err)
		}
		cancel()
		_, _ = io.Copy(io.Discard, r)
	}()
	args := []string{"-listen", "127.0.0.1:0", "-cert", filepath.Join(dir, "tls.crt"), "-key", filepath.Join(dir, "tls.key"), "-config", "deploy/config.json"}
	if status := run(ctx, args, nil, io.Discard, log); status != statusOK {
		t.Errorf("status %d", status)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}
