package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed notes.md
var notes string

// table writes a table of Markdown; all columns except the first are numbers. It omits
// those without any.
func table(heading []string, rows [][]string) string {
	var b strings.Builder
	rule := append([]string{"---"}, slices.Repeat([]string{"---:"}, len(heading)-1)...)
	for _, row := range slices.Concat([][]string{heading, rule}, rows) {
		b.WriteString("|")
		for c, cell := range row {
			if c == 0 || slices.ContainsFunc(rows, func(r []string) bool { return r[c] != "" }) {
				b.WriteString(" " + cell + " |")
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

var columns = []string{"", "Kubernetes", "by hand", "tolerate", "times faster than Kubernetes", "times faster than by hand", "allocations"}

// row returns the cells of a job.
func (r *runs) row(j job) []string {
	unit := cmp.Or(j.unit, "sec/op")
	cells := []string{j.name, "", "", measured(r.median(j.ours(), unit), unit), "", "", ""}
	for _, impl := range strings.Fields(j.than) {
		column := 2
		if impl == kube {
			column = 1
		}
		cells[column] = measured(r.median(j.of(impl), unit), unit)
		if j.unit == "" {
			cells[column+3] = r.times(j.of(impl), j.ours())
		}
	}
	if allocs := r.values[series{j.ours(), "allocs/op"}]; allocs != nil && j.unit == "" {
		cells[6] = strings.TrimSuffix(digits(summary(allocs).Center), ".00")
	}
	return cells
}

// casesTable compares with the loop by hand, for each fleet, pod and variant. The last rows
// are the median and the lowest of the others.
func (r *runs) casesTable() string {
	heading := []string{"nodes", "tolerations", "loop by hand, ns a node", "Kubernetes, ns"}
	var rows [][]string
	ratios := make([][]float64, len(variants))
	for _, v := range variants {
		heading = append(heading, v.name)
	}
	cell := func(ratio float64) string {
		if slower(ratio) {
			return "**" + digits(ratio) + "**"
		}
		return digits(ratio)
	}
	for _, f := range fleets {
		for _, p := range pods {
			bench := "Schedulable/nodes=" + f.bench + "/pod=" + p.bench + "/impl="
			row := []string{f.name, p.name}
			for _, impl := range []string{hand, kube} {
				row = append(row, digits(r.median(bench+impl, "sec/node")*1e9))
			}
			for i, v := range variants {
				ratio := r.ratio(bench+v.rival, bench+v.impl).Center
				ratios[i] = append(ratios[i], ratio)
				if r.compared++; slower(ratio) {
					r.lost++
				}
				row = append(row, cell(ratio))
			}
			rows = append(rows, row)
		}
	}
	median, lowest := []string{"median", "", "", ""}, []string{"lowest", "", "", ""}
	for i, column := range ratios {
		slices.Sort(column)
		r.medians[i], r.lowest[i] = column[len(column)/2], column[0]
		median, lowest = append(median, cell(r.medians[i])), append(lowest, cell(r.lowest[i]))
	}
	return table(heading, append(rows, median, lowest))
}

// enough says when code by hand is enough, with numbers of the tables: casesTable comes first.
func (r *runs) enough() string {
	var loops, indexes [][]string
	for i, v := range variants {
		loops = append(loops, []string{v.name, digits(r.medians[i]), digits(r.lowest[i])})
	}
	for _, job := range []struct{ name, bench, impl string }{
		{"list the nodes that a pod can use, in slices (`NodeSlices`)", "FleetList/nodes=%s", "tolerate-slices"},
		{"list them one by one (`Nodes`)", "FleetList/nodes=%s", "tolerate-index"},
		{"change a node", "FleetChange/nodes=%s/snapshot=none", "tolerate-index"},
	} {
		row := []string{job.name}
		for _, nodes := range []string{"5000", "1000000"} {
			bench := fmt.Sprintf(job.bench, nodes) + "/impl="
			row = append(row, r.speed(bench+lists, bench+job.impl))
		}
		indexes = append(indexes, row)
	}
	return fmt.Sprintf(`## When your own loop is enough

A loop of 40 lines over nodes and taints is enough to filter a few thousand nodes by NoSchedule and NoExecute, if you do not need Gt, Lt, seconds or
reasons. This table says how many times faster the library is than a loop that stops at the first taint that decides, and knows cordons:

%s
Pods of many tolerations gain most. For errors in such loops, see [mistakes in hand-written loops](../SEMANTICS.md#mistakes-in-hand-written-loops).

An index of 40 lines, the ids of the nodes of each distinct list, is enough if readers can wait for a lock. Compared with it, package fleet is:

%s
Use it for its counts, reasons and groups, and for snapshots that readers share without a lock.

`, table([]string{fmt.Sprintf("%d cases", len(fleets)*len(pods)), "median", "lowest"}, loops), table([]string{"to", "5,000 nodes", "1,000,000 nodes"}, indexes))
}

// strangersTable has the shape that takes longest for each function.
func (r *runs) strangersTable() string {
	var rows [][]string
	for _, f := range strangers {
		prefix, suffix := "Growth/func="+f+"/shape=", "/n=10000/impl=tolerate"
		many, longest := prefix+suffix, 0.0 // missing, if no list was measured
		for s, values := range r.values {
			if s.unit == "sec/op" && strings.HasPrefix(s.bench, prefix) && strings.HasSuffix(s.bench, suffix) {
				if time := summary(values).Center; time > longest {
					many, longest = s.bench, time
				}
			}
		}
		few := strings.TrimSuffix(many, suffix) + "/n=1000/impl=tolerate"
		rows = append(rows, []string{"`" + f + "`", measured(longest, "sec"), digits(r.ratio(many, few).Center)})
	}
	return table([]string{"function", "10,000 elements", "times the time of 1,000"}, rows)
}

// results returns the page.
func results(r *runs) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## One pod against 5,000 nodes\n\nTimes faster than a loop by hand over structs of k8s.io/api, which stops at the first taint that decides, knows cordons, and has an inlined exit for nodes without taints; for `kube.Blocking`, one that returns the taint. A tenth of the nodes is cordoned. Below 1 (bold), the loop is faster. Values are this library's; a pod is compiled once.\n\n%s\n", r.casesTable())
	for _, t := range tables {
		var rows [][]string
		for _, j := range t.jobs {
			rows = append(rows, r.row(j))
		}
		fmt.Fprintf(&b, "## %s\n\n%s%s\n", t.title, t.text, table(columns, rows))
	}
	return fmt.Sprintf(`# Speed

Made by %s. The implementations get the same input, in one binary, after a check that their results are the same. Times are
medians of %s rounds, of fewer where a benchmark takes long. "Times faster" is the rival's time divided by the library's in the same round: the
median, and in brackets the interval that holds it in at least 95 of 100 cases. Allocations are the library's. **Slower in %d of %d comparisons: in bold.**

| | |
|---|---|
| commit | %s |
| toolchain | %s |
| processor | %s |

%s%s## Lists that strangers make

For each function the slowest list of bench/growth. From 1,000 to 10,000 elements, a linear cost grows ten times, a quadratic one a hundred times.

%s
![How many times faster each job is than the fastest rival](ratios.svg)

%s`, "`go -C bench/report run .`", r.config["rounds"], r.lost, r.compared, r.config["commit"], r.config["toolchain"], r.config["cpu"], r.enough(), &b, r.strangersTable(), notes)
}
