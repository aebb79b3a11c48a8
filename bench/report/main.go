// Command report measures the library beside Kubernetes' own code and writes
// what it finds: ../RESULTS.md, two charts beside it, and the part of the
// README between its markers. Every number that the project states about its speed
// is from here.
//
//	go -C bench/report run .          # ten rounds, about twenty minutes
//	go -C bench/report run . -quick   # two short ones, to try; nothing is written
//
// It is a module of its own, so that Kubernetes' code is measured with the
// dependencies that Kubernetes requires.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const command = "go -C bench/report run ."

// What the index costs where Kubernetes has nothing comparable: its
// adversaries and changes. Their fleets of a million nodes take long to make,
// so they are measured in the first rounds only.
const (
	aloneBench  = "^BenchmarkFleet(Adversary|AdversaryMemory|ThousandTaints|Change|Flap|New|Load|Node|Answer|Memory)$"
	aloneRounds = 3
)

// How cost grows takes three sizes of twelve shapes for each function, so it is
// measured in the first round only, and briefly.
const growthTime = "10ms"

// What has a plain implementation: in every round. A million deadlines take
// seconds to fill in, so of these one kind.
var besideBench = []string{
	"^BenchmarkEvictionQueue(Fill|Drain|Move|Steady)$/./deadlines=day",
	"^BenchmarkEvictionQueueMemory$/./impl=tolerate",
	"^Benchmark(Reconcile|Explain|Reasons|Lint|LintCluster|ImpactEvictions|ImpactPlacements)$",
}

const besideTime = "50ms"

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	quick := flag.Bool("quick", false, "two short rounds; print the tables and write nothing")
	rounds := flag.Int("rounds", 10, "how often all benchmarks are run")
	benchtime := flag.Duration("benchtime", 200*time.Millisecond, "for how long each is run in a round")
	bench := flag.String("bench", ".", "which benchmarks are run, by a regular expression; unless all, nothing is written")
	from := flag.String("from", "", "read the `file` that an earlier run kept instead of measuring")
	keep := flag.String("keep", "", "keep what the benchmarks print in this `file`")
	flag.Parse()
	if *quick {
		*rounds, *benchtime = 2, 20*time.Millisecond
	}
	if err := report(*quick, *rounds, *benchtime, *bench, *from, *keep); err != nil {
		log.Fatal(err)
	}
}

func report(quick bool, rounds int, benchtime time.Duration, bench, from, keep string) error {
	var out []byte
	var err error
	if from != "" {
		out, err = os.ReadFile(from)
	} else {
		out, err = measure(rounds, benchtime, bench)
	}
	if err != nil {
		return err
	}
	if keep != "" {
		if err := os.WriteFile(keep, out, 0o666); err != nil {
			return err
		}
	}
	runs, err := read(bytes.NewReader(out))
	if err != nil {
		return err
	}
	if missing := runs.missing(); bench == "." && missing != nil {
		return fmt.Errorf("no such benchmarks: %s", strings.Join(missing, ", "))
	}
	notes, err := os.ReadFile("notes.md")
	if err != nil {
		return err
	}
	fleet, err := os.ReadFile("fleet.md")
	if err != nil {
		return err
	}
	page := results(runs, string(notes)+"\n"+string(fleet))
	if quick || bench != "." {
		_, err := io.WriteString(os.Stdout, page)
		return err
	}
	if err := os.WriteFile(filepath.Join("..", "RESULTS.md"), []byte(page), 0o666); err != nil {
		return err
	}
	if err := charts(runs, ".."); err != nil {
		return err
	}
	return intoReadme(filepath.Join("..", "..", "README.md"), head(runs))
}

// measure builds the benchmarks into one binary and runs it round by round, so
// that what is compared was measured within the same minute.
func measure(rounds int, benchtime time.Duration, bench string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tolerate-report")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "speed.test")
	where, err := filepath.Abs(filepath.Join("..", "kubernetes"))
	if err != nil {
		return nil, err
	}
	if _, err := output(where, "go", "test", "-c", "-o", binary, "./speed"); err != nil {
		return nil, err
	}
	alone := filepath.Join(dir, "bench.test")
	if _, err := output("../..", "go", "test", "-c", "-o", alone, "./bench"); err != nil {
		return nil, err
	}
	growing := filepath.Join(dir, "growth.test")
	if _, err := output("../..", "go", "test", "-c", "-o", growing, "./bench/growth"); err != nil {
		return nil, err
	}
	plugin, plugins := filepath.Join(dir, "plugin.test"), filepath.Join("..", "..", "examples", "kubernetes")
	if _, err := output(plugins, "go", "test", "-c", "-o", plugin, "./plugin"); err != nil {
		return nil, err
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, "commit: %s\ntoolchain: %s\n", commit(), toolchain())
	fmt.Fprintf(&all, "rounds: %d\nbenchtime: %v\n", rounds, benchtime)
	for i := range rounds {
		begin := time.Now()
		// The tests of the same answers come first, in every round.
		out, err := output(where, binary, "-test.run=.", "-test.bench="+bench, "-test.benchtime="+benchtime.String(), "-test.timeout=1h")
		if err != nil {
			return nil, err
		}
		all.Write(out)
		for _, bench := range restOf(bench) {
			out, err := output("..", alone, "-test.run=^$", "-test.bench="+bench, "-test.benchtime="+besideTime, "-test.timeout=1h")
			if err != nil {
				return nil, err
			}
			all.Write(out)
		}
		if out, err = output(plugins, plugin, "-test.run=.", "-test.bench="+bench, "-test.benchtime="+benchtime.String(), "-test.timeout=1h"); err != nil {
			return nil, err
		}
		all.Write(out)
		if bench == "." && i < aloneRounds {
			out, err := output("..", alone, "-test.run=^$", "-test.bench="+aloneBench, "-test.benchtime=20ms", "-test.timeout=1h")
			if err != nil {
				return nil, err
			}
			all.Write(out)
		}
		if bench == "." && i == 0 {
			out, err := output("../growth", growing, "-test.run=^$", "-test.bench=.", "-test.benchtime="+growthTime, "-test.timeout=1h")
			if err != nil {
				return nil, err
			}
			all.Write(out)
		}
		log.Printf("round %d of %d: %v", i+1, rounds, time.Since(begin).Round(time.Second))
	}
	return all.Bytes(), nil
}

// restOf is what is measured of the library alone, when all is.
func restOf(bench string) []string {
	if bench != "." {
		return nil
	}
	return besideBench
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

// commit names what was measured; it mentions uncommitted changes.
func commit() string {
	head, err := output(".", "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		return "unknown"
	}
	name := strings.TrimSpace(string(head))
	changed, err := output(filepath.Join("..", ".."), "git", "status", "--porcelain", "--", "*.go", "*go.mod")
	if err != nil || len(changed) > 0 {
		name += " with changes"
	}
	return name
}

func toolchain() string {
	version, err := output(".", "go", "version")
	if err != nil {
		return "unknown"
	}
	return strings.TrimPrefix(strings.TrimSpace(string(version)), "go version ")
}
