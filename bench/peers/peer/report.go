package peer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// reportFile is where a peer's report is stored, in its folder; git ignores it.
const reportFile = "up/report.json"

// A Report is what a run of one peer found.
type Report struct {
	Peer
	Version        string
	Before, After  Tests    // of the packages that call swapped functions
	All            [2]Tests // of all packages that were run, before and after
	Flaky          []Flaky
	Deleted, Added int // lines of code
	Compared       Compared
}

// Tests are numbers of tests, with subtests and specs.
type Tests struct{ Run, Passed int }

func (t Tests) String() string { return fmt.Sprintf("%d of %d", t.Passed, t.Run) }

func (t *Tests) add(r *overlay.Result) {
	passed := len(r.Passed) + r.Specs
	t.Run += passed + len(r.Failed)
	t.Passed += passed
}

// add counts the tests of a package.
func (r *Report) add(before, after *overlay.Result) {
	r.All[0].add(before)
	r.All[1].add(after)
	if len(after.Called) > 0 {
		r.Before.add(before)
		r.After.add(after)
	}
}

// A Flaky is a test that failed, and how often it failed again with each body.
type Flaky struct {
	Package, Test string
	Before, After int
}

// store writes the report for WritePage.
func (r *Report) store(folder string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	name := filepath.Join(folder, reportFile)
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, text, 0o666))
}

func load(folder string) (*Report, error) {
	text, err := os.ReadFile(filepath.Join(folder, reportFile))
	if err != nil {
		return nil, fmt.Errorf("run all peers first: %w", err)
	}
	r := new(Report)
	return r, json.Unmarshal(text, r)
}

// WritePage writes the page of these peers, whose folders are in dir, from their stored reports.
func WritePage(w io.Writer, dir string, names ...string) error {
	var reports []*Report
	for _, name := range names {
		r, err := load(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	slices.SortFunc(reports, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	fmt.Fprint(w, `# What other projects would gain

`+"`go run ./bench/peers`"+` writes this page. It swaps a project's functions that match or edit taints, and such lines inside longer
functions, for calls of match/kube. It runs the project's own, unchanged tests before and after: those of the packages that call a
swapped function, except tests that need a cluster or a database. Lines are of code, without imports and comments: those that were
swapped or that nothing calls after the swap, and the new ones. Each call is measured in 201 rounds, both bodies in turn; the ratio is the
median of the rounds' ratios.

The price is the same for each project: a dependency, and that some structs that an API server rejects match less
([SEMANTICS.md](../../SEMANTICS.md#m-one-toleration-one-taint) has the rules). Both bodies get 9,000 random inputs of each of 12 kinds; the
kinds with other results are listed.

| project | passed before | passed after | lines deleted | added | faster by at least | at most |
|---|---:|---:|---:|---:|---:|---:|
`)
	for _, r := range reports {
		byRatio := func(a, b Case) int { return cmp.Compare(a.Ratio, b.Ratio) }
		least, most := slices.MinFunc(r.Compared.Cases, byRatio), slices.MaxFunc(r.Compared.Cases, byRatio)
		fmt.Fprintf(w, "| %s %s | %v | %v | %d | %d | %.2f | %.2f |\n", r.Name, r.Version, r.Before, r.After, r.Deleted, r.Added, least.Ratio, most.Ratio)
	}
	for _, r := range reports {
		fmt.Fprintln(w)
		writeSection(w, r)
	}
	return nil
}

// writeSection writes what one peer's run found.
func writeSection(w io.Writer, r *Report) {
	fmt.Fprintf(w, "## %s %s\n\n`%s`: %d lines become %d. %s\n\n", r.Name, r.Version, r.Module, r.Deleted, r.Added, r.Verdict)
	if r.All[0].Run > r.Before.Run {
		fmt.Fprintf(w, "Of all packages that were run, %v tests pass before, and %v after.\n\n", r.All[0], r.All[1])
	}
	for _, call := range sorted(r.Bugs) {
		fmt.Fprintf(w, "Other results of `%s`: %s\n\n", call, r.Bugs[call])
	}
	if names := r.rejected(); names != nil {
		fmt.Fprintf(w, "Other results for what an API server rejects: %s.\n\n", strings.Join(names, "; "))
	}
	var head []string
	rows := map[string][]string{}
	for _, f := range fleets() {
		head = append(head, f.name)
		for _, c := range r.Compared.Cases {
			if rows[c.Call] == nil {
				rows[c.Call] = make([]string, len(fleets()))
			}
			if c.Nodes == f.name {
				rows[c.Call][len(head)-1] = nanoseconds(c.Before) + " → " + nanoseconds(c.After)
			}
		}
	}
	fmt.Fprintf(w, "| ns a node | %s |\n|---|%s\n", strings.Join(head, " | "), strings.Repeat("---:|", len(head)))
	for _, call := range sorted(rows) {
		fmt.Fprintf(w, "| `%s` | %s |\n", call, strings.Join(rows[call], " | "))
	}
	for i, f := range r.Flaky {
		if i == 0 {
			fmt.Fprintf(w, "\n| package | test that failed once | of %d repeats before, fail | after |\n|---|---|---:|---:|\n", repeats)
		}
		fmt.Fprintf(w, "| `%s` | `%s` | %d | %d |\n", strings.TrimPrefix(f.Package, r.Module+"/"), f.Test, f.Before, f.After)
	}
}

// rejected returns the kinds of invalid input with other results, except those of calls
// that differ for all input.
func (r *Report) rejected() (names []string) {
	always := map[string]bool{}
	for _, d := range r.Compared.Differences {
		if d.Kind == kinds[0].name {
			always[d.Call] = true
		}
	}
	for _, k := range kinds[validKinds:] {
		if slices.ContainsFunc(r.Compared.Differences, func(d Difference) bool { return d.Kind == k.name && !always[d.Call] }) {
			names = append(names, k.name)
		}
	}
	return names
}

func nanoseconds(ns float64) string {
	if ns < 10 {
		return fmt.Sprintf("%.1f", ns)
	}
	return fmt.Sprintf("%.0f", ns)
}
