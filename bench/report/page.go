package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

func (r *runs) allocs(name string) float64 {
	s, _ := r.sample(name, "allocs/op")
	return s.Center
}

func (r *runs) table(only func(job) bool) string {
	var b strings.Builder
	b.WriteString("| job (Kubernetes' function) | Kubernetes | by hand | tolerate | times faster | interval | allocations |\n")
	b.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	for _, j := range jobs {
		theirs, _ := r.sample(j.theirs(), "sec/op")
		ours, _ := r.sample(j.ours(), "sec/op")
		ratio, ok := r.ratio(j.theirs(), j.ours())
		if !ok || !only(j) {
			continue
		}
		byHand := ""
		if s, ok := r.sample(j.byHand(), "sec/op"); ok {
			byHand = duration(s.Center)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | **%s** | %s to %s | %s, %s |\n", j.name, duration(theirs.Center), byHand, duration(ours.Center),
			digits(ratio.Center), digits(ratio.Lo), digits(ratio.Hi), count(r.allocs(j.theirs())), count(r.allocs(j.ours())))
	}
	return b.String()
}

// besideTable compares the jobs that Kubernetes has no function for with their
// plain implementations.
func (r *runs) besideTable() string {
	var b strings.Builder
	b.WriteString("| job (the plain implementation) | plain | tolerate | times faster | interval | allocations |\n|---|---:|---:|---:|---:|---:|\n")
	for _, x := range besides {
		plain, _ := r.sample(x.plain(), "sec/op")
		ours, _ := r.sample(x.ours(), "sec/op")
		ratio, ok := r.ratio(x.plain(), x.ours())
		if ok {
			fmt.Fprintf(&b, "| %s | %s | %s | **%s** | %s to %s | %s, %s |\n", x.name, duration(plain.Center), duration(ours.Center),
				digits(ratio.Center), digits(ratio.Lo), digits(ratio.Hi), count(r.allocs(x.plain())), count(r.allocs(x.ours())))
		}
	}
	return b.String()
}

// count writes a number of allocations.
func count(n float64) string {
	if n == math.Trunc(n) && n < 1000 {
		return strconv.Itoa(int(n))
	}
	return digits(n)
}

func (r *runs) figureTable() string {
	var b strings.Builder
	b.WriteString("| of the library alone | median | interval |\n|---|---:|---:|\n")
	for _, x := range figures {
		s, ok := r.sample(x.bench, x.unit)
		write := func(v float64) string { return digits(v) + " " + strings.TrimPrefix(x.unit, "heap-") }
		switch {
		case x.than != "":
			s, ok = r.ratio(x.bench, x.than)
			write = func(v float64) string { return digits(v) + " times" }
		case strings.HasPrefix(x.unit, "sec/"):
			write = duration
		}
		if ok {
			fmt.Fprintf(&b, "| %s | %s | %s to %s |\n", x.name, write(s.Center), write(s.Lo), write(s.Hi))
		}
	}
	return b.String()
}

// everything lists each benchmark's median.
func (r *runs) everything() string {
	var b strings.Builder
	b.WriteString("| benchmark | time | ± | a node | B/op | allocs/op |\n|---|---:|---:|---:|---:|---:|\n")
	for _, name := range r.names {
		s, ok := r.sample(name, "sec/op")
		if !ok || strings.HasPrefix(name, "Growth/") {
			continue
		}
		node := ""
		if perNode, ok := r.sample(name, "ns/node"); ok {
			node = digits(perNode.Center) + " ns"
		} else if perNode, ok := r.sample(name, "sec/node"); ok {
			node = duration(perNode.Center)
		}
		bytes, _ := r.sample(name, "B/op")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, duration(s.Center), strings.TrimSpace(s.PctRangeString()), node, count(bytes.Center), count(r.allocs(name)))
	}
	return b.String()
}

func results(r *runs, notes string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Speed: Kubernetes' own code beside the library

Made by %[1]s; not edited by hand. The same inputs, in one binary, after a check that all
give the same answers (bench/kubernetes/speed; the plugin's cycles are those of examples/kubernetes/plugin). Medians of %[2]s rounds, in which every benchmark ran once for %[3]s;
ratios are those within a round, with the interval that holds their median in at least 95 of 100 cases.
By hand is the loop that a careful user writes over Kubernetes' structs. Allocations are Kubernetes' and the library's.

| | |
|---|---|
| commit | %[4]s |
| toolchain | %[5]s |
| processor | %[6]s |

`, "`"+command+"`", r.config["rounds"], r.config["benchtime"], r.config["commit"], r.config["toolchain"], r.config["cpu"])
	b.WriteString(r.table(func(job) bool { return true }))
	b.WriteString("\n![How many times faster each job is](ratios.svg)\n\n")
	b.WriteString(r.figureTable())
	b.WriteString("\nWhere Kubernetes has no such function, the library is compared with a plain implementation (bench/*_bench_test.go):\n\n")
	b.WriteString(r.besideTable())
	b.WriteString("\n![Time for one pod against the number of nodes](nodes.svg)\n\n")
	b.WriteString(strings.TrimSpace(notes))
	b.WriteString(growthIntro + r.growthTable())
	b.WriteString("\n## All benchmarks\n\n")
	b.WriteString(r.everything())
	return b.String()
}

const (
	beginMark = "<!-- results:begin -->"
	endMark   = "<!-- results:end -->"
)

// head is what the README shows.
func head(r *runs) string {
	table := r.table(func(j job) bool { return j.inHead })
	return fmt.Sprintf("\n%s\n![Time for one pod against the number of nodes](bench/nodes.svg)\n\nMedians of %s rounds on %s, at commit %s: [bench/RESULTS.md](bench/RESULTS.md).\n",
		table, r.config["rounds"], r.config["cpu"], r.config["commit"])
}

// intoReadme puts the text between the README's markers, if it has them.
func intoReadme(name, text string) error {
	old, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), beginMark)
	_, after, ended := strings.Cut(rest, endMark)
	if !ok || !ended {
		fmt.Fprintf(os.Stderr, "report: %s has no %s ... %s\n", name, beginMark, endMark)
		return nil
	}
	return os.WriteFile(name, slices.Concat([]byte(before+beginMark), []byte(text), []byte(endMark+after)), 0o666)
}
