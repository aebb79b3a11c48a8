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
	"os"
	"regexp"
	"slices"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

func main() {
	upstream := flag.Bool("upstream", false, "keep upstream's bodies and only count their calls; nothing is written")
	only := flag.String("only", "", "run only the suites whose package matches this regular expression; nothing is written")
	out := flag.String("o", "SUITES.md", "where to write the table")
	flag.Parse()
	if err := do(*upstream, *only, *out); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func do(upstream bool, only, out string) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	suites := slices.DeleteFunc(slices.Clone(suites), func(s overlay.Suite) bool { return !pattern.MatchString(s.Package) })
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	o := overlay.Overlay{Dir: dir, Swaps: swaps, Imports: imports}
	if _, err := o.Prepare(); err != nil {
		return err
	}
	results, violations, err := o.Test(overlay.Test{Suites: suites, CannotPass: cannotPass, Original: upstream, Progress: os.Stderr})
	if err != nil {
		return err
	}
	table(os.Stdout, suites, results)
	if !upstream && only == "" {
		f, err := os.Create(out)
		if err != nil {
			return err
		}
		report(f, results)
		violations = append(violations, f.Close())
	}
	return errors.Join(violations...)
}
