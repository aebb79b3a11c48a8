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
	Name, Module, Version string
	Suites                []Suite
	Flaky                 []Flaky
	Verdict               string
	Deleted, Added        int // lines of code
	Compared              Compared
	Bugs                  map[string]string
}

// A Suite is the result of one package, or of several.
type Suite struct {
	Package       string
	Before, After Tests
	Calls         []string // the swapped functions that it called
}

// Tests are numbers of tests, with subtests and specs.
type Tests struct{ Run, Passed int }

func (t Tests) String() string { return fmt.Sprintf("%d of %d", t.Passed, t.Run) }

// A Flaky is a test that failed, and how often it failed again with each body.
type Flaky struct {
	Package, Test string
	Before, After int
}

func count(r *overlay.Result) Tests {
	return Tests{Run: len(r.Passed) + r.Specs + len(r.Failed), Passed: len(r.Passed) + r.Specs}
}

// total returns the sum of the packages that called swapped functions, or of the others.
func (r *Report) total(called bool) (sum Suite) {
	sum.Package = "others"
	for _, s := range r.Suites {
		if (len(s.Calls) > 0) == called {
			sum.Before = Tests{sum.Before.Run + s.Before.Run, sum.Before.Passed + s.Before.Passed}
			sum.After = Tests{sum.After.Run + s.After.Run, sum.After.Passed + s.After.Passed}
		}
	}
	return sum
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

// WritePage writes the page of the peers in these folders from their stored reports.
func WritePage(w io.Writer, folders []string) error {
	var reports []*Report
	for _, folder := range folders {
		r, err := load(folder)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	slices.SortFunc(reports, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	fmt.Fprint(w, `# The tests of other projects, with match/kube in the place of their code

`+"`go run ./bench/peers`"+` writes this page. Each folder here swaps a project's functions that match taints and
tolerations for calls of match/kube, and runs the project's own, unchanged tests before and after. Tests are counted with their
subtests and specs, of the packages that call a swapped function. Deleted are the lines of code of the bodies that were swapped or
that nothing calls after the swap; added are those of the new bodies, at most 25 for a project; comments and
imports are not counted. Each call is measured in 201 rounds in one process, both bodies in turn, with strings of its own; the
ratio is the median of the rounds' ratios.

| project | passed before | passed after | lines deleted | added | faster by at least | at most |
|---|---:|---:|---:|---:|---:|---:|
`)
	for _, r := range reports {
		sum := r.total(true)
		byRatio := func(a, b Case) int { return cmp.Compare(a.Ratio, b.Ratio) }
		least, most := slices.MinFunc(r.Compared.Cases, byRatio), slices.MaxFunc(r.Compared.Cases, byRatio)
		fmt.Fprintf(w, "| %s %s | %v | %v | %d | %d | %.2f | %.2f |\n", r.Name, r.Version, sum.Before, sum.After, r.Deleted, r.Added, least.Ratio, most.Ratio)
	}
	fmt.Fprint(w, `
Both bodies get 3,000 random inputs of each kind, and their results are compared. All kinds after the third are structs that an API
server rejects; [SEMANTICS.md](../../SEMANTICS.md#m-one-toleration-one-taint) has the rules.

| kind of input | functions with other results, and for how many inputs |
|---|---|
`)
	for _, k := range kinds {
		var calls []string
		for _, r := range reports {
			for _, d := range r.Compared.Differences {
				if d.Kind == k.name {
					calls = append(calls, fmt.Sprintf("%s `%s` %d", r.Name, d.Call, d.Inputs))
				}
			}
		}
		fmt.Fprintf(w, "| %s | %s |\n", k.name, cmp.Or(strings.Join(calls, ", "), "none"))
	}
	for _, r := range reports {
		fmt.Fprintln(w)
		writeSection(w, r)
	}
	return nil
}

// writeSection writes what one peer's run found, package by package.
func writeSection(w io.Writer, r *Report) {
	fmt.Fprintf(w, "## %s %s\n\n`%s`. %s\n\n", r.Name, r.Version, r.Module, r.Verdict)
	for _, call := range sorted(r.Bugs) {
		fmt.Fprintf(w, "`%s` has another result for valid input: %s\n\n", call, r.Bugs[call])
	}
	fmt.Fprint(w, "| call | nodes | before | after | faster by |\n|---|---|---:|---:|---:|\n")
	for _, c := range r.Compared.Cases {
		fmt.Fprintf(w, "| `%s` | %s | %s | %s | %.2f |\n", c.Call, c.Nodes, nanoseconds(c.Before), nanoseconds(c.After), c.Ratio)
	}
	fmt.Fprint(w, "\n| package | passed before | passed after | swapped functions that were called |\n|---|---:|---:|---|\n")
	for _, s := range append(slices.Clone(r.Suites), r.total(false)) {
		if len(s.Calls) > 0 || s.Package == "others" && s.Before.Run > 0 {
			fmt.Fprintf(w, "| %s | %v | %v | %s |\n", strings.TrimPrefix(s.Package, r.Module+"/"), s.Before, s.After, strings.Join(s.Calls, ", "))
		}
	}
	for i, f := range r.Flaky {
		if i == 0 {
			fmt.Fprintf(w, "\n| package | test that failed once | of %d repeats before, fail | after |\n|---|---|---:|---:|\n", repeats)
		}
		fmt.Fprintf(w, "| `%s` | `%s` | %d | %d |\n", strings.TrimPrefix(f.Package, r.Module+"/"), f.Test, f.Before, f.After)
	}
}

func nanoseconds(ns float64) string {
	if ns < 10 {
		return fmt.Sprintf("%.1f ns", ns)
	}
	return fmt.Sprintf("%.0f ns", ns)
}
