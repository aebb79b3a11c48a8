// Command report measures the library beside Kubernetes' code and code by hand, and writes
// ../RESULTS.md and the charts beside it.
//
//	go -C bench/report run .          # ten rounds, less than 15 minutes
//	go -C bench/report run . -quick   # two short rounds, to try it; nothing is written
//
// It is a module of its own, for the dependencies of its charts.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const root = "../.."

// A part is the benchmarks of a package that are measured in the same way.
type part struct {
	dir, bench string // bench is a regular expression
	benchtime  string
	rounds     int // the number of first rounds to run in; all if omitted
}

var parts = []part{
	{dir: "bench/kubernetes/speed", bench: "^BenchmarkSchedulable$", benchtime: "20ms"}, // 336 of them
	{dir: "bench/kubernetes/speed", bench: "^Benchmark(Admit|Device|Reconcile|Edit|Seconds|EvictionDecide|Key|Value|Parse|Text|Validate|JSON|Merge)$", benchtime: "60ms"},
	{dir: "bench", bench: "^Benchmark(Filter|Compile|FleetList|FleetCount|FleetReasons|FleetChange)$", benchtime: "60ms"},
	{dir: "match/kube", bench: "^BenchmarkSelector$", benchtime: "60ms"},
	{dir: "examples/kubernetes/plugin", bench: "^BenchmarkCycle$", benchtime: "200ms"}, // a cycle takes milliseconds
	// These take long, or need much time to prepare.
	{dir: "bench", bench: "^Benchmark(FleetLoad|EvictionUpdate)$", benchtime: "60ms", rounds: 6},
	{dir: "examples/kubectl-tolerate", bench: "^BenchmarkWhy$/pods=50000/", benchtime: "1x", rounds: 6},
	{dir: "bench/growth", bench: "^BenchmarkGrowth$/^func=(" + strings.Join(strangers, "|") + ")$/./^n=1?0?000$", benchtime: "1ms", rounds: 3},
}

func main() {
	quick := flag.Bool("quick", false, "two short rounds; print the page and write nothing")
	file := flag.String("raw", "", "read the output of the benchmarks from this `file`; if there is none, measure and make it")
	flag.Parse()
	if err := report(*quick, *file); err != nil {
		log.Fatal(err)
	}
}

func report(quick bool, file string) error {
	out, err := os.ReadFile(file)
	if err != nil {
		if out, err = measure(quick); err != nil {
			return err
		}
		if err := os.WriteFile(cmp.Or(file, os.DevNull), out, 0o666); err != nil {
			return err
		}
	}
	r, err := read(bytes.NewReader(out))
	if err != nil {
		return err
	}
	page := results(r)
	if r.missing != nil {
		return fmt.Errorf("not measured:\n\t%s", strings.Join(r.missing, "\n\t"))
	}
	if quick {
		_, err := os.Stdout.WriteString(page)
		return err
	}
	if err := os.WriteFile("../RESULTS.md", []byte(page), 0o666); err != nil {
		return err
	}
	return charts(r, "..")
}

// measure builds the benchmarks into binaries and runs them round by round, so that
// compared results were measured within the same minute.
func measure(quick bool) ([]byte, error) {
	rounds := 10
	if quick {
		rounds = 2
	}
	dir, err := os.MkdirTemp("", "tolerate-report")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := func(p part) string { return filepath.Join(dir, strings.ReplaceAll(p.dir, "/", "-")+".test") }
	for _, p := range parts {
		if _, err := output(filepath.Join(root, p.dir), "go", "test", "-c", "-o", binary(p)); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	commit, err := output(".", "git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12")
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&all, "commit: %stoolchain: %s %s/%s\nrounds: %d\n", commit, runtime.Version(), runtime.GOOS, runtime.GOARCH, rounds)
	for i := range rounds {
		for _, p := range parts {
			if i >= cmp.Or(p.rounds, rounds) {
				continue
			}
			if quick {
				p.benchtime = "1x"
			}
			begin := time.Now()
			// The tests are that all implementations give the same results.
			out, err := output(filepath.Join(root, p.dir), binary(p), "-test.run=^TestSame", "-test.bench="+p.bench, "-test.benchtime="+p.benchtime)
			if err != nil {
				return nil, err
			}
			all.Write(out)
			log.Printf("round %d of %d: %s: %v", i+1, rounds, p.dir, time.Since(begin).Round(time.Second))
		}
	}
	return all.Bytes(), nil
}

func output(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
	}
	return out, nil
}
