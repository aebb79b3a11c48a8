package recording_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/synctest"

	"github.com/go-tolerate/tolerate/bench/kubernetes/recording"
	"github.com/go-tolerate/tolerate/toleration"
)

func read(name string) ([]byte, error) {
	r, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// The recordings of this version are up to date: the test makes them again in
// memory. Those of older versions need other modules (record/versions.sh).
func TestStale(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes v(\S+)$`).FindSubmatch(mod)
	if m == nil {
		t.Fatal("go.mod does not require k8s.io/kubernetes")
	}
	name := recording.Name(string(m[1]))
	was, err := read(filepath.Join("../../..", name))
	if err != nil {
		t.Fatal(err)
	}
	var is []byte
	synctest.Test(t, func(*testing.T) { is = recording.Make(string(m[1]), recording.Seed, 1) })
	old, now := bytes.Split(was, []byte("\n")), bytes.Split(is, []byte("\n"))
	for i := range min(len(old), len(now)) {
		if !bytes.Equal(old[i], now[i]) {
			t.Errorf("%s is stale: run go -C bench/kubernetes run ./record\nline %d was %s\nis       %s", name, i+1, old[i], now[i])
			break
		}
	}
	if len(old) != len(now) {
		t.Errorf("%s is stale: %d lines, want %d", name, len(old), len(now))
	}
	for op := toleration.Equal; op.IsValid(); op++ { // as TestOperators in package match
		if !bytes.Contains(is, fmt.Appendf(nil, `"operator":"%v"`, op)) {
			t.Errorf("V5: the recordings have no %v", op)
		}
	}
}
