package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/program"
)

// lifecycle runs the program with that on its standard input.
func lifecycle(stdin string, args ...string) (status int, stdout, stderr string) {
	r := program.Run(strings.NewReader(stdin), args, run)
	return r.Status, r.Stdout, r.Stderr
}

// simulate runs a script, in which every silent node is noticed after 40 s and
// every pod starts in 20 s, and returns the lines of the timeline about pods or
// nodes whose names are given, or all.
func simulate(t *testing.T, text string, args ...string) *simulation {
	t.Helper()
	opts, err := parseArgs(append([]string{"-spread", "0s"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	s := &script{}
	s.parse("test", text)
	sim := s.build(opts.settings)
	if len(s.problems) > 0 {
		t.Fatal(errors.Join(s.problems...))
	}
	if err := sim.run(); err != nil {
		t.Fatal(err)
	}
	return sim
}

// lines returns the entries that have the word.
func (sim *simulation) lines(word string) (lines []string) {
	for i := range sim.timeline {
		if line := fmt.Sprintf("%v  %s", sim.timeline[i].At, sim.timeline[i].text()); strings.Contains(line, word) {
			lines = append(lines, line)
		}
	}
	return lines
}

func (sim *simulation) pod(t *testing.T, name string) *pod {
	t.Helper()
	i := slices.IndexFunc(sim.pods, func(p *pod) bool { return p.name == name })
	if i < 0 {
		t.Fatalf("no pod %s", name)
	}
	return sim.pods[i]
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines mismatch (-want +got):\n%s", diff)
	}
}

// evictions are the times of a pod's evictions.
func (sim *simulation) evictions(name string) (at []string) {
	for _, e := range sim.timeline {
		if e.What == evicted && e.Pods[0] == name {
			at = append(at, e.At.String())
		}
	}
	return at
}

func wantEvictions(t *testing.T, sim *simulation, name string, want ...string) {
	t.Helper()
	if got := sim.evictions(name); !slices.Equal(got, want) {
		t.Errorf("%s is evicted at %v, want %v", name, got, want)
	}
}

func TestGolden(t *testing.T) {
	for _, test := range []struct {
		name   string
		args   string
		status int
	}{
		{"sample", "", 0},
		{"sample-sticky", "-sticky -summary", 0},
		{"sample-json", "-o json", 0},
		{"sample-off", "-default-unreachable-toleration-seconds off -spread 0s", 0},
		{"seed", "-seed 3 -nodes 6 -pods 12 -zones 2", 0},
		{"seed-script", "-seed 3 -nodes 6 -pods 12 -zones 2 -o script", 0},
		{"cluster", "-summary -most 0 -cluster testdata/cluster.json testdata/outage.txt", 1},
		{"bad", "-cluster testdata/bad.json testdata/bad.txt", 2},
		{"help", "-help", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			args := strings.Fields(test.args)
			got := program.Run(strings.NewReader(""), args, run)
			if got.Status != test.status {
				t.Errorf("exit status %d, want %d", got.Status, test.status)
			}
			got.Golden(t, test.name, "lifecycle", test.args)
		})
	}
}

// The sample as a script is the sample, and so is a random day as a script.
func TestScriptIsTheDay(t *testing.T) {
	for _, args := range [][]string{nil, {"-seed", "9"}, {"-nodes", "3", "-zones", "5", "-pods", "4"}} {
		_, script, _ := lifecycle("", append(args, "-o", "script")...)
		file := filepath.Join(t.TempDir(), "day.txt")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		_, want, _ := lifecycle("", args...)
		if _, got, errs := lifecycle("", append(args, file)...); got != want || errs != "" {
			t.Errorf("%v: another day:\n%s\n%s", args, cmp.Diff(want, got), errs)
		}
		if _, got, errs := lifecycle(script, append(args, "-")...); got != want || errs != "" {
			t.Errorf("%v: another day from standard input: %s", args, errs)
		}
	}
}

// The same seed gives the same bytes, another one another day.
func TestDeterminism(t *testing.T) {
	seen := map[string]string{}
	for seed := range 8 {
		for _, form := range []string{"text", "json"} {
			args := []string{"-seed", fmt.Sprint(seed), "-nodes", "20", "-pods", "100", "-o", form}
			status, first, errs := lifecycle("", args...)
			if status == statusBad {
				t.Fatal(errs)
			}
			for range 3 {
				if _, again, _ := lifecycle("", args...); again != first {
					t.Fatalf("%v: not the same bytes", args)
				}
			}
			if before := seen[first]; before != "" {
				t.Errorf("%v: as %s", args, before)
			}
			seen[first] = fmt.Sprint(args)
		}
	}
	script := "node a-{1..9}\nworkload w replicas=9\n1:00 all unreachable\n2:00 all ready\n3:00 taint node a-1,a-2,a-3 k:NoExecute"
	_, a, _ := lifecycle(script, "-seed", "1", "-")
	_, b, _ := lifecycle(script, "-seed", "2", "-")
	if a == b {
		t.Error("a seed decides nothing in a script")
	}
}

func TestExitStatus(t *testing.T) {
	for _, test := range []struct {
		script string
		args   string
		status int
		errs   string
	}{
		{"node a", "", statusPlaced, ""},
		{"node a\npod p", "", statusPlaced, ""},
		{"node a taint=k:NoSchedule\npod p", "", statusWaiting, ""},
		{"node a\nworkload w replicas=2", "-max-pods 1", statusWaiting, ""},
		{"node a taint=k:NoSchedule\ndaemon d", "", statusPlaced, ""},
		{"node a\npod p\n1:00 taint all k:NoExecute", "", statusPlaced, ""}, // gone is what was to be expected
		{"node a\n1:00 taint all k-", "", statusWaiting, ""},
		{"", "", statusBad, "there are no nodes in the input"},
		{"node", "", statusBad, "standard input:1: say the name of the node"},
		{"node a", "-for -1s", statusBad, "-for -1s: a duration from 0s to"},
		{"node a", "-for 9000h", statusBad, "-for 9000h0m0s: a duration from 0s to"},
		{"node a", "-grace -1ns -startup -1ns -spread -1ns", statusBad, "-startup -1ns"},
		{"node a", "-node-eviction-rate -1", statusBad, "-node-eviction-rate -1: a number from 0 to"},
		{"node a", "-node-eviction-rate NaN", statusBad, "-node-eviction-rate NaN: a number from 0 to"},
		{"node a", "-unhealthy-zone-threshold 1.1", statusBad, "-unhealthy-zone-threshold 1.1: a number from 0 to 1"},
		{"node a", "-max-pods 0", statusBad, "-max-pods 0: a number from 1 to"},
		{"node a", "-nodes 0", statusBad, "-nodes 0: a number from 1 to"},
		{"node a", "-o yaml", statusBad, `-o "yaml": text, json or script`},
		{"node a", "-o script", statusBad, "-o script: for what is made here"},
		{"node a", "-start sticky", statusBad, `-start "sticky": observed or added`},
		{"node a", "-start added -sticky", statusBad, "-start and -sticky: one or the other"},
		{"node a", "-choice last", statusBad, `-choice "last": first, shortest, longest or forever-else-shortest`},
		{"node a", "-default-not-ready-toleration-seconds never", statusBad, "-default-not-ready-toleration-seconds"},
		{"node a", "-cluster no/such/file", statusBad, "no/such/file"},
		{"node a", "no/such/script", statusBad, "no/such/script"},
		{"node a", "-nonsense", statusBad, "-help tells more"},
	} {
		status, _, errs := lifecycle(test.script, append(strings.Fields(test.args), "-")...)
		if status != test.status || !strings.Contains(errs, test.errs) || (errs == "") != (test.errs == "") {
			t.Errorf("%q %s: exit status %d, want %d; %s", test.script, test.args, status, test.status, errs)
		}
	}
	var errs bytes.Buffer
	for _, args := range [][]string{nil, {"-o", "json"}, {"-o", "script"}, {"-help"}} {
		if status := run(args, strings.NewReader(""), brokenWriter{}, &errs); status != statusBad || !strings.Contains(errs.String(), "broken") {
			t.Errorf("%v: a broken output: exit status %d, %s", args, status, &errs)
		}
		errs.Reset()
	}
	if status := run([]string{"-"}, io.MultiReader(strings.NewReader("node a\n"), brokenReader{}), io.Discard, &errs); status != statusBad || !strings.Contains(errs.String(), "broken") {
		t.Errorf("a broken input: exit status %d, %s", status, &errs)
	}
}

// The summary lists pods without a node first, and no more than requested.
func TestSummary(t *testing.T) {
	const script = `
		node a
		node b
		workload tied on=a tolerates=op=Exists
		workload web on=b
		pod solo on=b
		1:00 node a unreachable
		9:00 node a ready
		23:00 taint all k:NoExecute`
	table := func(most string) (names []string) {
		_, out, _ := lifecycle(script, "-summary", "-most", most, "-")
		_, out, _ = strings.Cut(out, "WHY\n")
		for line := range strings.Lines(out) {
			names = append(names, strings.Fields(line)[0])
		}
		return names
	}
	wantLines(t, table("0"), "web-1", "solo", "tied-1")
	wantLines(t, table("3"), "web-1", "solo", "tied-1")
	wantLines(t, table("2"), "web-1", "solo", "and")
}

// Pods that come and go every second do not take all memory with them.
func TestEndlessEvictions(t *testing.T) {
	opts, err := parseArgs([]string{"-spread", "0s"})
	if err != nil {
		t.Fatal(err)
	}
	s := &script{}
	s.parse("test", "node a-{1..9}\nworkload w replicas=300 tolerates=\"k:NoExecute for 1s\"\n0:00 taint all k:NoExecute")
	sim := s.build(opts.settings)
	sim.most = 1000
	if err := sim.run(); err == nil || err.Error() != "at 00:00:04 there were more than 1000 evictions; some pods come and go without end" {
		t.Error(err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
