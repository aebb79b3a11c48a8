package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// table prints the counts. Tests are counted with their subtests.
func table(w io.Writer, suites []overlay.Suite, results map[string]*overlay.Result) {
	fmt.Fprintln(w, "| package | tests run | passed | cannot pass | skipped by upstream | functions that call the library |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---|")
	for _, s := range suites {
		r := results[s.Package]
		name := "`" + s.Package + "`"
		if s.Run != "" {
			name += " (`-run '" + strings.ReplaceAll(s.Run, "|", `\|`) + "'`)"
		}
		called := "`" + strings.Join(slices.Sorted(maps.Keys(r.Called)), "`, `") + "`"
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %s |\n", name, len(r.Passed)+len(r.Failed), len(r.Passed), len(r.Failed), len(r.Skipped), called)
	}
}

func report(w io.Writer, results map[string]*overlay.Result) {
	fmt.Fprint(w, `# Kubernetes' own tests, run over the library

Made by `+"`go run ./suites`"+` in `+"`bench/kubernetes`"+`. The tests are upstream's, unchanged, of
Kubernetes v1.37.0; the functions named in the last column were called, and called the library instead of
upstream's code. Tests are counted with their subtests, and fail with them.

`)
	table(w, suites, results)
	fmt.Fprint(w, "\n## What cannot pass, and why\n\nThe ids are those of the listed differences in README.md.\n\n")
	fmt.Fprintln(w, "| package | test | difference |")
	fmt.Fprintln(w, "|---|---|---|")
	for _, s := range suites {
		for _, test := range slices.Sorted(maps.Keys(cannotPass[s.Package])) {
			fmt.Fprintf(w, "| `%s` | `%s` | %s |\n", s.Package, test, cannotPass[s.Package][test])
		}
	}
}
