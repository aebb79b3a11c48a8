package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// judge holds a suite's result against what is listed.
func judge(s suite, r *result, upstream bool) []error {
	var errs []error
	listed := cannotPass[s.pkg]
	if upstream {
		listed = nil
	}
	for test := range r.failed {
		if listed[test] == "" && !hasListedChild(test, listed) {
			errs = append(errs, fmt.Errorf("%s %s failed:\n%s", s.pkg, test, strings.Join(r.output[test], "")))
		}
	}
	for test, id := range listed {
		if !r.failed[test] {
			errs = append(errs, fmt.Errorf("%s %s did not fail, though difference %s is listed for it", s.pkg, test, id))
		}
	}
	if r.packageFailed && len(r.failed) == 0 {
		errs = append(errs, fmt.Errorf("%s failed outside of its tests", s.pkg))
	}
	if len(r.calls) == 0 {
		errs = append(errs, fmt.Errorf("%s called no adapter: the overlay was not applied", s.pkg))
	}
	return errs
}

// hasListedChild: a test fails with its subtests.
func hasListedChild(test string, listed map[string]string) bool {
	for name := range listed {
		if strings.HasPrefix(name, test+"/") {
			return true
		}
	}
	return false
}

// table prints the counts. Tests are counted with their subtests. How often an
// adapter was called is left out on request: that is not the same in every run.
func table(w io.Writer, results map[string]*result, calls bool) {
	fmt.Fprintln(w, "| package | tests run | passed | cannot pass | skipped by upstream | functions that ask the library |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---|")
	for _, s := range suites {
		r := results[s.pkg]
		name := "`" + s.pkg + "`"
		if s.run != "" {
			name += " (`-run '" + strings.ReplaceAll(s.run, "|", `\|`) + "'`)"
		}
		var called []string
		for _, adapter := range slices.Sorted(maps.Keys(r.calls)) {
			text := "`" + adapter + "`"
			if calls {
				text += fmt.Sprintf(" %d", r.calls[adapter])
			}
			called = append(called, text)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %s |\n", name, len(r.passed)+len(r.failed), len(r.passed), len(r.failed), len(r.skipped), strings.Join(called, ", "))
	}
}

func report(w io.Writer, results map[string]*result) {
	fmt.Fprint(w, `# Kubernetes' own tests, with the library behind

Made by `+"`go run ./suites`"+` in `+"`bench/kubernetes`"+`. The tests are upstream's, unchanged, of
Kubernetes v1.36.3; the functions named in the last column were called, and asked the library instead of
upstream's code. Tests are counted with their subtests, and fail with them.

`)
	table(w, results, false)
	fmt.Fprint(w, "\n## What cannot pass, and why\n\nThe ids are those of the listed differences in README.md.\n\n")
	if len(cannotPass) == 0 {
		fmt.Fprintln(w, "Nothing.")
		return
	}
	fmt.Fprintln(w, "| package | test | difference |")
	fmt.Fprintln(w, "|---|---|---|")
	for _, s := range suites {
		for _, test := range slices.Sorted(maps.Keys(cannotPass[s.pkg])) {
			fmt.Fprintf(w, "| `%s` | `%s` | %s |\n", s.pkg, test, cannotPass[s.pkg][test])
		}
	}
}
