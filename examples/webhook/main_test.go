package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func webhook(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// The pod of ml gets a toleration and a node selector; a wildcard is rejected; a member
// of the group can use the nodes, another user cannot.
func TestSample(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"-sample"}, strings.NewReader("not the sample"), &out, &errs); status != statusOK {
		t.Errorf("status %d", status)
	}
	const notice = "webhook: this is a sample; -h describes how to read reviews\n"
	if errs.String() != notice {
		t.Errorf("standard error %q, want %q", &errs, notice)
	}
	if status, _, errs := webhook(t, "", "-sample", "-"); status != statusBad || !strings.Contains(errs, "-sample excludes files") {
		t.Errorf("-sample with a file: status %d, %s", status, errs)
	}
	if status, out, _ := webhook(t, ""); status != statusBad || out != "" {
		t.Errorf("an empty pipe: status %d, %s", status, out)
	}
	const want = `CREATE Pod ml/train-0
  /mutate   accepted, with [{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},{"op":"add","path":"/spec/tolerations/-","value":{"key":"dedicated","value":"gpu"}},{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":"NoSchedule"}},{"op":"add","path":"/spec/tolerations/-","value":{"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}},{"op":"add","path":"/spec/nodeSelector","value":{"dedicated":"gpu"}}]
  /validate accepted
CREATE Pod shop/web-1
  /mutate   accepted
  /validate rejected, 403 Forbidden: tolerate: spec.tolerations[0] "op=Exists": is not allowed by the policy: tolerates node-role.kubernetes.io/control-plane:NoSchedule, which clause "control-plane" denies: control-plane nodes are for the platform's own pods
CREATE Pod shop/notebook-1
  /mutate   accepted, with [{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}]
  /validate accepted
CREATE Pod shop/notebook-2
  /mutate   accepted, with [{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}},{"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}]
  /validate rejected, 403 Forbidden: tolerate: spec.tolerations[0] "dedicated=gpu:NoSchedule": is not allowed by the policy: tolerates dedicated=gpu:NoSchedule, which clause "gpu" denies: GPU nodes are for the namespace ml and the group gpu-users
`
	if got := out.String(); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
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
	strict := write("strict.json", `{"rules": [{"policy": {"allow": [{"taints": [{"operator": "Exists"}]}], "deny": [{"taints": [{"operator": "Exists"}]}]}}]}`)
	for _, tt := range []struct {
		name, stdin    string
		args           []string
		status         int
		stdout, stderr string
	}{
		{name: "help", args: []string{"-help"}, stderr: "-client-ca"},
		{name: "a review", stdin: review(`{"spec": {}}`), args: []string{"-"}, stdout: "/mutate   accepted, with ["},
		{name: "a name that could steer the terminal", stdin: strings.Replace(review(`{"spec": {}}`), `"CREATE"`, `"CREATE\u009b2J"`, 1), args: []string{"-"}, status: statusBad, stderr: "without control characters"},
		{name: "a refusal", stdin: review(`{"spec": {"tolerations": [{"key": "k"}]}}`), args: []string{"-config", strict, "-"}, status: statusRejected, stdout: "/validate rejected, 403 Forbidden: tolerate: spec.tolerations[0]"},
		{name: "standard input is read if it is not a terminal", stdin: review(`{"spec": {}}`), stdout: "CREATE Pod /\n  /mutate   accepted, with ["},
		{name: "too much standard input", stdin: strings.Repeat(" ", mostFile+1), status: statusBad, stderr: "standard input: review 1: http: request body too large"},
		{name: "empty standard input", status: statusBad, stderr: "EOF"},
		{name: "/validate judges what /mutate made", stdin: strings.Replace(review(`{"spec": {"nodeSelector": {"a/b": "c"}}}`), `"uid"`, `"namespace": "ml", "uid"`, 1), args: []string{"-config", "deploy/config.json"}, stdout: `"path":"/spec/nodeSelector/dedicated","value":"gpu"}]
  /validate accepted`},
		{name: "a file", args: []string{write("review.json", review(`{"spec": {}}`))}, stdout: "/validate accepted"},
		{name: "no review", stdin: "{}", args: []string{"-"}, status: statusBad, stderr: "review 1: must be admission.k8s.io/v1"},
		{name: "half a review", stdin: review("{}")[:50], args: []string{"-"}, status: statusBad, stderr: "review 1"},
		{name: "nothing", args: []string{"-"}, status: statusBad, stderr: "EOF"},
		{name: "a second that is none", stdin: review(`{"spec": {}}`) + "{}", args: []string{"-"}, status: statusBad, stderr: "review 2"},
		{name: "no such file", args: []string{filepath.Join(dir, "none")}, status: statusBad, stderr: "none"},
		{name: "no such configuration", args: []string{"-config", filepath.Join(dir, "none")}, status: statusBad, stderr: "configuration"},
		{name: "a bad configuration", args: []string{"-config", write("bad.json", `{"x": 1}`)}, status: statusBad, stderr: `unknown field "x"`},
		{name: "a flag", args: []string{"-nope"}, status: statusBad, stderr: "-nope"},
		{name: "both", args: []string{"-listen", ":0", "file"}, status: statusBad, stderr: "use one of them"},
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
