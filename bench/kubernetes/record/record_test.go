package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	library "github.com/go-tolerate/tolerate/toleration"
)

// The recordings of this version are up to date: the test makes them again.
// Those of older versions need other modules (versions.sh).
func TestStale(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes v(\S+)$`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod does not require k8s.io/kubernetes")
	}
	dir := t.TempDir()
	name := write(t, dir, string(m[1]))
	old, err := recorded.Lines(filepath.Join("../../recorded", name))
	now, err2 := recorded.Lines(filepath.Join(dir, name))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	for i := range min(len(old), len(now)) {
		if !bytes.Equal(old[i], now[i]) {
			t.Errorf("%s is stale: run go -C bench/kubernetes run ./record\nline %d was %s\nis       %s", name, i+1, old[i], now[i])
			break
		}
	}
	if len(old) != len(now) {
		t.Errorf("%s is stale: %d lines, want %d", name, len(old), len(now))
	}
	for op := library.Equal; op.IsValid(); op++ { // as TestOperators in package match
		if !bytes.Contains(bytes.Join(now, nil), fmt.Appendf(nil, `"operator":"%v"`, op)) {
			t.Errorf("V5: the recordings have no %v", op)
		}
	}
}
