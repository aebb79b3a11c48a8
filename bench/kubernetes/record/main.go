// Command record evaluates the cases of a recording with Kubernetes, and writes them with
// the answers. bench/recorded has the recordings, and describes them. The module file
// selects the version of Kubernetes (versions/).
//
// Run it in bench/kubernetes:
//
//	go run ./record
//	./record/versions.sh    # the earlier versions
//
// A version without a recording gets the cases of the newest one, except those that it
// cannot have; a pre-release gets those that the release before the newest has. For a new
// version, run the command after go.mod requires it.
//
// To add cases, write their kinds and inputs to a file, one in a line:
//
//	{"kind":"parse","case":{"text":"a:NoSchedule"}}
//
// Add them to the newest version, then to earlier ones. Cases that a recording already has
// are not added again.
//
//	go run ./record -add inputs.jsonl
//	./record/versions.sh -add inputs.jsonl
package main

import (
	"flag"
	"fmt"
	"os"
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

// seed is the seed of the random numbers that made the first cases.
const seed = 20261122

var addFile = flag.String("add", "", "add the cases of a `file`")

// The virtual clock of synctest, on which pods are evicted, needs a test.
func main() {
	run := testing.InternalTest{Name: "record", F: func(t *testing.T) {
		info, _ := debug.ReadBuildInfo()
		at := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "k8s.io/kubernetes" })
		var more []byte
		if *addFile != "" {
			var err error
			if more, err = os.ReadFile(*addFile); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := record(t, "../recorded", strings.TrimPrefix(info.Deps[at].Version, "v"), more); err != nil {
			t.Fatal(err)
		}
	}}
	testing.Main(func(_, _ string) (bool, error) { return true, nil }, []testing.InternalTest{run}, nil, nil)
}

// record writes the recording of a version to the folder, and returns its file's name. The
// cases are those of that file, or else of the newest one, and those of the text more.
func record(t *testing.T, dir, version string, more []byte) (name string, err error) {
	klog.SetLogger(logr.Discard()) // isSuperset writes a line for every numeric operator

	files, _ := filepath.Glob(filepath.Join(dir, recorded.Name("1.??"))) // releases; a valid pattern
	name = filepath.Join(dir, recorded.Name(minor(version)))
	last := files[len(files)-1]
	newest, err := read(last)
	if err != nil {
		return name, err
	}
	lines, given, err := add(newest, more)
	if err != nil {
		return name, err
	}
	of := name // the recording whose cases are recorded
	if _, err := os.Stat(name); err != nil {
		if of = last; strings.Contains(version, "-") {
			of = files[len(files)-2]
		}
	}
	if of != last {
		if len(lines) > len(newest) {
			return name, fmt.Errorf("add the cases to %s first", last)
		}
		if lines, err = read(of); err != nil {
			return name, err
		}
		for _, l := range newest {
			if given[l.ID] && !slices.ContainsFunc(lines, func(of line) bool { return of.ID == l.ID }) {
				lines = append(lines, l)
			}
		}
	}
	var answered []line
	synctest.Test(t, func(*testing.T) {
		for _, l := range lines {
			if l.Case = answer(l); l.Case != nil {
				answered = append(answered, l)
			}
		}
	})
	return name, recorded.Write(name, recorded.Header{Kubernetes: version, Numeric: upstream.HasNumeric, Seed: seed}, answered)
}

// minor returns the minor version of a version: "1.37", or "1.38-beta" for 1.38.0-beta.0.
func minor(version string) string {
	release, pre, _ := strings.Cut(version, "-")
	name := release[:strings.LastIndex(release, ".")]
	if kind, _, _ := strings.Cut(pre, "."); kind != "" {
		name += "-" + kind
	}
	return name
}

// answer returns the case with its answers. It panics with the id for a case whose answers
// differ from the library's without a listed difference.
func answer(l line) any {
	defer func() {
		if p := recover(); p != nil {
			panic(fmt.Sprintf("%s: %v", l.ID, p))
		}
	}()
	return kinds[l.Kind].answer(l.Case)
}
