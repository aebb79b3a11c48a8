// Command report measures the library beside Kubernetes' own code and writes the
// results: ../RESULTS.md, the charts beside it, and the part of the README between its
// markers. It makes every number about speed that the project publishes.
//
//	go -C bench/report run .          # ten rounds, about twenty minutes
//	go -C bench/report run . -quick   # two short rounds, to try it; nothing is written
//
// It is a module of its own, so that Kubernetes' code is measured with the dependencies
// that Kubernetes requires.
package main

import (
	"bytes"
	"cmp"
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

const root = "../.."

// A part is the benchmarks of a package that are measured in the same way.
type part struct {
	module, pkg string
	bench       string // a regular expression; all benchmarks if omitted
	benchtime   string // the flag's if omitted
	rounds      int    // the number of first rounds to run in; all if omitted
	cpu         string // the number of processors; all if omitted
}

var parts = []part{
	{module: "bench/kubernetes", pkg: "speed"},
	{module: "examples/kubernetes", pkg: "plugin", benchtime: "300ms"}, // a cycle takes milliseconds
	// These have a plain implementation.
	{module: ".", pkg: "bench", benchtime: "50ms", bench: "^Benchmark(Filter|FilterNumeric|Reconcile|Explain|Reasons|ImpactEvictions)$"},
	{module: "examples/kubectl-tolerate", pkg: ".", bench: "^BenchmarkWhy$", benchtime: "1x", rounds: 6, cpu: "1"},
	// Fleets of a million nodes take long to make.
	{module: ".", pkg: "bench", benchtime: "20ms", rounds: 1, bench: "^BenchmarkFleetChange$|^BenchmarkFleetGrowth$/op=(load|put)$"},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("report: ")
	quick := flag.Bool("quick", false, "two short rounds; print the tables and write nothing")
	rounds := flag.Int("rounds", 10, "how often all benchmarks are run")
	benchtime := flag.Duration("benchtime", 60*time.Millisecond, "for how long each is run in a round")
	bench := flag.String("bench", "", "run only the benchmarks beside Kubernetes that this regular expression matches, and write nothing")
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
	runs, err := complete(out, bench)
	if err != nil {
		return err
	}
	notes, err := os.ReadFile("notes.md")
	if err != nil {
		return err
	}
	peers, err := os.ReadFile("../peers/PEERS.md")
	if err != nil {
		return err
	}
	page := results(runs, string(notes))
	if quick || bench != "" {
		_, err := io.WriteString(os.Stdout, page)
		return err
	}
	if err := os.WriteFile("../RESULTS.md", []byte(page), 0o666); err != nil {
		return err
	}
	if err := charts(runs, string(peers), ".."); err != nil {
		return err
	}
	return intoReadme(filepath.Join(root, "README.md"), head(runs))
}

// measure builds the benchmarks into binaries and runs them round by round, so that
// compared results were measured within the same minute.
func measure(rounds int, benchtime time.Duration, bench string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "tolerate-report")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, p := range parts {
		if _, err := output(filepath.Join(root, p.module), "go", "test", "-c", "-o", filepath.Join(dir, p.binary()), "./"+p.pkg); err != nil {
			return nil, err
		}
	}
	var all bytes.Buffer
	fmt.Fprintf(&all, "commit: %s\ntoolchain: %s\n", commit(), toolchain())
	fmt.Fprintf(&all, "rounds: %d\nbenchtime: %v\n", rounds, benchtime)
	for i := range rounds {
		for _, p := range parts {
			if p.rounds > 0 && i >= p.rounds || bench != "" && p.bench != "" {
				continue
			}
			tests := "^$"
			if i == 0 && p.bench == "" {
				tests = "." // the tests that all implementations give the same results
			}
			begin := time.Now()
			out, err := output(filepath.Join(root, p.module, p.pkg), filepath.Join(dir, p.binary()), "-test.run="+tests,
				"-test.bench="+cmp.Or(p.bench, bench, "."), "-test.benchtime="+cmp.Or(p.benchtime, benchtime.String()), "-test.cpu="+p.cpu, "-test.timeout=1h")
			if err != nil {
				return nil, err
			}
			all.Write(out)
			log.Printf("round %d of %d: %s: %v", i+1, rounds, filepath.Join(p.module, p.pkg), time.Since(begin).Round(time.Second))
		}
		if _, err := complete(all.Bytes(), bench); err != nil {
			return nil, err // fail before the other rounds
		}
	}
	return all.Bytes(), nil
}

// complete reads the results, which must contain everything that the tables name,
// unless only some benchmarks were run.
func complete(out []byte, bench string) (*runs, error) {
	runs, err := read(bytes.NewReader(out))
	if err != nil {
		return nil, err
	}
	if missing := runs.missing(); bench == "" && missing != nil {
		return nil, fmt.Errorf("not measured:\n\t%s", strings.Join(missing, "\n\t"))
	}
	return runs, nil
}

func (p part) binary() string {
	return strings.ReplaceAll(filepath.Join(p.module, p.pkg), string(filepath.Separator), "-") + ".test"
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
	changed, err := output(root, "git", "status", "--porcelain", "--", "*.go", "*go.mod")
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
