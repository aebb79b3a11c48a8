// Command record writes cases with Kubernetes' answers to a file of bench/recorded.
//
// Run it in bench/kubernetes:
//
//	go run ./record
//	./record/versions.sh    # also those of earlier versions
package main

import (
	"flag"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-tolerate/tolerate/bench/kubernetes/recording"
)

var (
	root = flag.String("root", "../..", "the library's folder")
	part = flag.Int("part", 1, "record one in `n` cases")
)

// The virtual clock of synctest, on which pods are evicted, needs a test.
func main() {
	run := testing.InternalTest{Name: "record", F: func(t *testing.T) { synctest.Test(t, record) }}
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{run}, nil, nil)
}

func record(t *testing.T) {
	info, _ := debug.ReadBuildInfo()
	at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "k8s.io/kubernetes" })
	version := strings.TrimPrefix(info.Deps[at].Version, "v")
	if err := recording.Write(*root, version, recording.Make(version, recording.Seed, *part)); err != nil {
		t.Fatal(err)
	}
}
