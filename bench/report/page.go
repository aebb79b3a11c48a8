package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"golang.org/x/perf/benchmath"
)

// tableOf returns a table's head; all columns except the first are numbers.
func tableOf(columns ...string) *strings.Builder {
	b := new(strings.Builder)
	addRow(b, columns...)
	b.WriteString("|---|" + strings.Repeat("---:|", len(columns)-1) + "\n")
	return b
}

func addRow(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// times writes a ratio with its interval.
func times(s benchmath.Summary) string {
	text := "**" + digits(s.Center) + "**"
	if between := interval(s, digits); between != "" {
		text += " (" + between + ")"
	}
	return text
}

// interval returns "" if there were too few rounds.
func interval(s benchmath.Summary, write func(float64) string) string {
	if math.IsInf(s.Hi, 0) {
		return ""
	}
	return write(s.Lo) + " to " + write(s.Hi)
}

func (r *runs) time(name string) string {
	s, ok := r.sample(name, "sec/op")
	if !ok {
		return ""
	}
	return duration(s.Center)
}

func (r *runs) times(one, other string) string {
	s, ok := r.ratio(one, other)
	if !ok {
		return ""
	}
	return times(s)
}

func (r *runs) allocs(name string) string {
	s, _ := r.sample(name, "allocs/op")
	return count(s.Center)
}

// count writes a number of allocations.
func count(n float64) string {
	if n == math.Trunc(n) && n < 1000 {
		return strconv.Itoa(int(n))
	}
	return digits(n)
}

// kubernetesTable compares jobs with Kubernetes' code, and with the loop that a
// careful user writes.
func (r *runs) kubernetesTable(only func(job) bool) string {
	b := tableOf("job (Kubernetes' function)", "Kubernetes", "hand-written loop", "tolerate", "times faster than Kubernetes", "than the loop", "allocations: Kubernetes, tolerate")
	for _, j := range jobs {
		if theirs, loop, ours := j.of("kubernetes"), j.of("handwritten"), j.ours(); r.measured(theirs, ours) && only(j) {
			addRow(b, j.name, r.time(theirs), r.time(loop), r.time(ours), r.times(theirs, ours), r.times(loop, ours), r.allocs(theirs)+", "+r.allocs(ours))
		}
	}
	return b.String()
}

// plainTable compares jobs for which Kubernetes has no function with a plain
// implementation.
func (r *runs) plainTable() string {
	b := tableOf("job (the plain implementation)", "plain", "tolerate", "times faster", "allocations")
	for _, j := range plainJobs {
		if theirs, ours := j.plain(), j.ours(); r.measured(theirs, ours) {
			addRow(b, j.name, r.time(theirs), r.time(ours), r.times(theirs, ours), r.allocs(theirs)+", "+r.allocs(ours))
		}
	}
	return b.String()
}

func (r *runs) figureTable() string {
	b := tableOf("the library alone", "median", "interval")
	for _, x := range figures {
		s, ok := r.sample(x.bench, x.unit)
		write := func(v float64) string { return digits(v) + " " + x.unit[strings.LastIndex(x.unit, "-")+1:] }
		switch {
		case x.than != "":
			s, ok = r.ratio(x.bench, x.than)
			write = func(v float64) string { return digits(v) + " times" }
		case strings.Contains(x.unit, "sec"):
			write = duration
		case x.unit == "B/s":
			write = func(v float64) string { return digits(v/1e6) + " MB/s" }
		}
		if ok {
			addRow(b, x.name, write(s.Center), interval(s, write))
		}
	}
	return b.String()
}

func results(r *runs, notes string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Speed: Kubernetes' own code beside the library

Made by %[1]s; not edited by hand. The same inputs, in one binary, after a check that all
give the same answers (bench/kubernetes/speed; the plugin's cycles are those of examples/kubernetes/plugin). Medians of %[2]s rounds, in which every benchmark ran once, for %[3]s
beside Kubernetes' code and for a time like it elsewhere (bench/report/main.go);
ratios are those within a round, with the interval that holds their median in at least 95 of 100 cases.
The hand-written loop is what a careful user writes over Kubernetes' structs. Allocations are Kubernetes' and the library's.

| | |
|---|---|
| commit | %[4]s |
| toolchain | %[5]s |
| processor | %[6]s |

`, "`"+command+"`", r.config["rounds"], r.config["benchtime"], r.config["commit"], r.config["toolchain"], r.config["cpu"])
	for _, part := range []string{
		r.kubernetesTable(func(job) bool { return true }),
		"![How many times faster each job is](ratios.svg)",
		"![Time for one pod against the number of nodes](nodes.svg)",
		"![Time for one pod against the number of its tolerations](tolerations.svg)",
		"## Where Kubernetes has no such function\n\nThe library beside a plain implementation (bench/*_bench_test.go), and alone.",
		r.plainTable(),
		r.figureTable(),
		"## Other projects\n\nTheir own functions, measured with and without match/kube ([PEERS.md](peers/PEERS.md)).",
		"![How many times faster other projects' hot calls are with match/kube](peers.svg)",
		notes,
	} {
		b.WriteString(strings.TrimSpace(part) + "\n\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

const (
	beginMark = "<!-- results:begin -->"
	endMark   = "<!-- results:end -->"
)

// head is what the README shows.
func head(r *runs) string {
	table := r.kubernetesTable(func(j job) bool { return j.inHead })
	return fmt.Sprintf("\n%s\n![Time for one pod against the number of nodes](bench/nodes.svg)\n\nMedians of %s rounds on %s, and the intervals of the ratios, at commit %s: [bench/RESULTS.md](bench/RESULTS.md).\n",
		table, r.config["rounds"], r.config["cpu"], r.config["commit"])
}

// intoReadme puts the text between the README's markers.
func intoReadme(name, text string) error {
	old, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !ok || !ended {
		return fmt.Errorf("%s has no %s ... %s", name, beginMark, endMark)
	}
	return os.WriteFile(name, []byte(before+beginMark+text+endMark+after), 0o666)
}
