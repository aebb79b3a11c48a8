package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func webhook(t *testing.T, args ...string) (status int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	status = run(t.Context(), args, &errs)
	return status, errs.String()
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	none, bad, empty := filepath.Join(dir, "none"), filepath.Join(dir, "bad.json"), filepath.Join(dir, "empty.json")
	if err := errors.Join(os.WriteFile(bad, []byte(`{"x": 1, "rules": [{"policy": null}]}`), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"help", []string{"-help"}, 0, "-listen"},
		{"no such configuration", []string{"-config", none}, 2, "none: no such file"},
		{"a bad configuration", []string{"-config", bad}, 2, `bad.json: unknown field "x" (allowed: description, rules)`},
		{"all of its mistakes", []string{"-config", bad}, 2, "rules[0].policy: must not be null"},
		{"an empty configuration", []string{"-config", empty}, 2, "end of JSON"},
		{"a flag", []string{"-nope"}, 2, "-nope"},
		{"an argument", []string{"file"}, 2, `unexpected argument "file"`},
		{"no certificate", []string{"-listen", "127.0.0.1:0", "-cert", none}, 2, "none"},
	} {
		if status, errs := webhook(t, tt.args...); status != tt.status || !strings.Contains(errs, tt.stderr) {
			t.Errorf("%s: status %d, want %d\n%s", tt.name, status, tt.status, errs)
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
	if status := run(ctx, args, log); status != 0 {
		t.Errorf("status %d", status)
	}
	if err := log.Close(); err != nil {
		t.Error(err)
	}
}
