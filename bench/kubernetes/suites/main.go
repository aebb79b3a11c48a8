// Command suites runs Kubernetes' own, unchanged tests over the library, and
// writes a report.
//
// Run it in bench/kubernetes:
//
//	go run ./suites
//
// The go command's -overlay replaces Kubernetes' functions that decide by thin adapters
// (swaps.go). The command fails if a test fails that no listed difference explains, if
// a test passes that a difference should fail, or if a suite passes without calling the
// library.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

func main() {
	upstream := flag.Bool("upstream", false, "keep upstream's bodies; nothing is written")
	only := flag.String("only", "", "run only the suites whose package matches this regular expression; nothing is written")
	functions := flag.Bool("texts", false, "only print the functions of Kubernetes that are swapped or linked")
	flag.Parse()
	run := func() error { return do(*upstream, *only) }
	if *functions {
		run = func() error { return texts(os.Stdout) }
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func do(upstream bool, only string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	suites := slices.DeleteFunc(suites, func(s overlay.Suite) bool { return !pattern.MatchString(s.Package) })
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	of, err := kubernetes()
	if err != nil {
		return err
	}
	o := overlay.Overlay{Dir: dir, Swaps: swaps, Imports: imports, Original: upstream, Progress: os.Stderr}
	if _, err := o.Prepare(); err != nil {
		return err
	}
	unbuilt, err := of.unbuilt(suites)
	if err != nil {
		return err
	}
	suites = slices.DeleteFunc(suites, func(s overlay.Suite) bool { return unbuilt[s.Package] })
	results, violations, err := o.Test(suites...)
	if err != nil {
		return err
	}
	text := page(of, suites, unbuilt, results)
	fmt.Print(text)
	if !upstream && only == "" {
		violations = append(violations, os.WriteFile(of.page, []byte(text), 0o666))
	}
	return errors.Join(violations...)
}

const head = "# Kubernetes' own tests, run over the library\n" + `
Made by ` + "`%s` in `bench/kubernetes`" + `. The tests are upstream's, unchanged, of
Kubernetes %s; the functions named in the last column were called, and called the library instead of
upstream's code. Tests are counted with their subtests, and fail with them.
`

const table = `
| package | tests run | passed | cannot pass | skipped by upstream | functions that call the library |
|---|---:|---:|---:|---:|---|
`

func page(of version, suites []overlay.Suite, unbuilt map[string]bool, results map[string]*overlay.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, head, of.command, of.kubernetes)
	if len(of.notes) > 0 {
		fmt.Fprintf(&b, "\nNot all of this version can be downloaded:\n\n- %s\n", strings.Join(of.notes, "\n- "))
		for _, name := range slices.Sorted(maps.Keys(unbuilt)) {
			fmt.Fprintf(&b, "- so this was not built: `%s`\n", name)
		}
	}
	b.WriteString(table)
	for _, s := range suites {
		r := results[s.Package]
		name := "`" + s.Package + "`"
		if s.Run != "" {
			name += " (`-run '" + strings.ReplaceAll(s.Run, "|", `\|`) + "'`)"
		}
		called := "`" + strings.Join(slices.Sorted(maps.Keys(r.Called)), "`, `") + "`"
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s |\n", name, len(r.Passed)+len(r.Failed), len(r.Passed), len(r.Failed), len(r.Skipped), called)
	}
	top := strings.Repeat("../", 2+strings.Count(of.page, "/"))
	fmt.Fprintf(&b, "\n## What cannot pass, and why\n\nThe ids are those of the [differences](%sSEMANTICS.md#differences-from-kubernetes); suites/swaps.go lists the subtests.\n\n", top)
	b.WriteString("| package | test | subtests | difference |\n|---|---|---:|---|\n")
	for _, s := range suites {
		subtests := map[string]int{}
		for test, id := range s.CannotPass {
			name, _, _ := strings.Cut(test, "/")
			subtests[name+" "+id]++
		}
		for _, row := range slices.Sorted(maps.Keys(subtests)) {
			name, id, _ := strings.Cut(row, " ")
			fmt.Fprintf(&b, "| `%s` | `%s` | %d | %s |\n", s.Package, name, subtests[row], id)
		}
	}
	return b.String()
}
