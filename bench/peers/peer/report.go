package peer

import (
	"encoding/json"
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
	Suites                []SuiteReport
	Failures              []Failure
	Skipped               string
	Deleted, Added        int // lines of code
	Hot                   string
	Before, After         float64 // nanoseconds of the hot call
}

// A SuiteReport is the result of one package.
type SuiteReport struct {
	Suite         overlay.Suite
	Before, After Tests
	Calls         []string // the swapped functions that it called
}

// Tests are numbers of tests, with subtests and specs.
type Tests struct{ Run, Passed int }

// A Failure is a test that fails after the swap.
type Failure struct{ Package, Test, Cause string }

func count(r *overlay.Result) Tests {
	passed := len(r.Passed) + r.Specs
	return Tests{Run: passed + len(r.Failed), Passed: passed}
}

func (r *Report) addSuites(p Peer, before, after map[string]*overlay.Result) {
	for _, s := range p.Suites {
		r.Suites = append(r.Suites, SuiteReport{
			Suite: s, Before: count(before[s.Package]), After: count(after[s.Package]), Calls: sorted(after[s.Package].Called),
		})
		listed := p.CannotPass[s.Package]
		for _, test := range sorted(listed) {
			r.Failures = append(r.Failures, Failure{s.Package, test, listed[test]})
		}
	}
}

// total returns the sums over the suites.
func (r *Report) total() (before, after Tests) {
	for _, s := range r.Suites {
		before.Run += s.Before.Run
		before.Passed += s.Before.Passed
		after.Run += s.After.Run
		after.Passed += s.After.Passed
	}
	return before, after
}

// store writes the report for WritePage.
func (r *Report) store(folder string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	name := filepath.Join(folder, reportFile)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// WritePage writes the page of the peers in these folders from their stored
// reports.
func WritePage(w io.Writer, folders []string) error {
	var reports []*Report
	for _, folder := range folders {
		text, err := os.ReadFile(filepath.Join(folder, reportFile))
		if err != nil {
			return fmt.Errorf("run all peers first: %w", err)
		}
		r := new(Report)
		if err := json.Unmarshal(text, r); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		reports = append(reports, r)
	}
	slices.SortFunc(reports, func(a, b *Report) int { return strings.Compare(a.Name, b.Name) })
	fmt.Fprint(w, pageHead)
	for _, r := range reports {
		before, after := r.total()
		fmt.Fprintf(w, "| %s %s | %d of %d | %d of %d | %d | %d | %s: %s | %s | %.1f |\n", r.Name, r.Version,
			before.Passed, before.Run, after.Passed, after.Run, r.Deleted, r.Added, r.Hot, nanoseconds(r.Before), nanoseconds(r.After), r.Before/r.After)
	}
	for _, r := range reports {
		fmt.Fprintln(w)
		writeSection(w, r)
	}
	return nil
}

const pageHead = `# The tests of other projects, with match/kube in the place of their code

` + "`go run ./bench/peers`" + ` writes this page. Each folder here swaps a project's functions that match taints and
tolerations for calls of match/kube, and runs the project's own, unchanged tests before and after. Tests are counted with their
subtests and specs. Deleted are the lines of code of the bodies that were swapped or that nothing calls after the swap; added
are those of the new bodies and their helpers, at most 25 for a project. The hot call is measured in 40 rounds in one process,
both bodies in turn; the time is that of the fastest round.

| project | passed before | passed after | lines deleted | added | hot call before | after | faster by |
|---|---:|---:|---:|---:|---:|---:|---:|
`

// writeSection writes what one peer's run found, package by package.
func writeSection(w io.Writer, r *Report) {
	fmt.Fprintf(w, "## %s %s\n\n`%s`. %s\n\n", r.Name, r.Version, r.Module, r.Skipped)
	fmt.Fprintf(w, "%s: %s before, %s after.\n\n", r.Hot, nanoseconds(r.Before), nanoseconds(r.After))
	fmt.Fprintln(w, "| package | passed before | passed after | swapped functions that were called |")
	fmt.Fprintln(w, "|---|---:|---:|---|")
	for _, s := range r.Suites {
		name := "`" + strings.TrimPrefix(s.Suite.Package, r.Module+"/") + "`"
		for _, flag := range [][2]string{{"-run", s.Suite.Run}, {"-skip", s.Suite.Skip}, {"-ginkgo.focus", s.Suite.Focus}} {
			if flag[1] != "" {
				name += " `" + flag[0] + " '" + strings.ReplaceAll(flag[1], "|", `\|`) + "'`"
			}
		}
		fmt.Fprintf(w, "| %s | %d of %d | %d of %d | `%s` |\n", name, s.Before.Passed, s.Before.Run, s.After.Passed, s.After.Run, strings.Join(s.Calls, "`, `"))
	}
	if len(r.Failures) == 0 {
		return
	}
	fmt.Fprint(w, "\n| package | test that fails after | cause |\n|---|---|---|\n")
	for _, f := range r.Failures {
		fmt.Fprintf(w, "| `%s` | `%s` | %s |\n", strings.TrimPrefix(f.Package, r.Module+"/"), f.Test, f.Cause)
	}
}

func nanoseconds(ns float64) string {
	if ns < 10 {
		return fmt.Sprintf("%.1f ns", ns)
	}
	return fmt.Sprintf("%.0f ns", ns)
}
