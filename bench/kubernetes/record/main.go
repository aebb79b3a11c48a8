// Command record makes cases, evaluates them with Kubernetes, and writes both to a file
// of bench/recorded, which describes and reads it. The module file selects the version
// of Kubernetes (versions/).
//
// Run it in bench/kubernetes:
//
//	go run ./record
//	./record/versions.sh    # also those of earlier versions
package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

// seed is the seed of the recordings in the repository.
const seed = 20261122

var part = flag.Int("part", 1, "record one in `n` cases")

// The virtual clock of synctest, on which pods are evicted, needs a test.
func main() {
	run := testing.InternalTest{Name: "record", F: func(t *testing.T) {
		info, _ := debug.ReadBuildInfo()
		at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "k8s.io/kubernetes" })
		write(t, "../recorded", strings.TrimPrefix(info.Deps[at].Version, "v"))
	}}
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{run}, nil, nil)
}

// write writes the recording to the folder, and returns its file's name.
func write(t *testing.T, dir, version string) (name string) {
	name = recorded.Name(version[:strings.LastIndex(version, ".")])
	header := recorded.Header{Kubernetes: version, Numeric: upstream.HasNumeric, Seed: seed}
	synctest.Test(t, func(t *testing.T) {
		if err := recorded.Write(filepath.Join(dir, name), header, record()); err != nil {
			t.Fatal(err)
		}
	})
	return name
}

type recording []recorded.Line[any]

// record returns the lines of all kinds.
func record() (r recording) {
	klog.SetLogger(logr.Discard()) // isSuperset writes a line for every numeric operator
	add(&r, "match", 400, match, matched, matchEdges()...)
	add(&r, "filter", 2400, filter, filtered)
	add(&r, "filter-invalid", 600, filterInvalid, filteredInvalid)
	add(&r, "evict", 2400, evict, evictedAtOnce, evictEdges()...)
	add(&r, "history", 800, history, lived, historyEdges()...)
	add(&r, "validate", 2400, validate, validated, validateEdges()...)
	add(&r, "update", 1600, update, updated)
	add(&r, "validate-taints", 1600, validateTaints, validatedTaints, taintEdges()...)
	add(&r, "decode", 1200, decodeTolerations, decodedTolerations, decodeEdges()...)
	add(&r, "decode-taints", 1000, decodeTaints, decodedTaints, decodeTaintEdges()...)
	add(&r, "parse", 1600, parse, parsed, parseEdges()...)
	add(&r, "edit", 2000, edit, edited, editEdges()...)
	add(&r, "cover", 300, covers, covered, coverEdges()...)
	add(&r, "merge", 2000, merge, merged, mergeEdges()...)
	add(&r, "default-seconds", 1200, defaultSeconds, withDefaults, defaultSecondsEdges()...)
	add(&r, "daemon", 800, daemon, inDaemonSet)
	add(&r, "resources", 800, resources, withResources, resourceEdges()...)
	add(&r, "pod", 1600, pod, admitted)
	addDevices(&r)
	return r
}

// add adds n cases that draw makes, fewer for an old version, and all edges. The function
// answer completes a case; it returns nil if the version cannot have it. A case depends only
// on the seed and its id.
func add[C any](r *recording, kind string, n int, draw func(g *gen) C, answer func(c C) any, edges ...C) {
	line := func(id string, c C) {
		if answered := answer(c); answered != nil {
			*r = append(*r, recorded.Line[any]{Kind: kind, ID: id, Case: answered})
		}
	}
	for i := range n / *part {
		id := fmt.Sprint(kind, "-", i)
		line(id, draw(newGen(id)))
	}
	for i, c := range edges {
		line(fmt.Sprint(kind, "-edge-", i), c)
	}
}
