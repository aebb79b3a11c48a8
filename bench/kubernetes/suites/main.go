// Command suites runs Kubernetes' own, unchanged tests with the library behind
// them, and writes down what they gave.
//
// Run it in bench/kubernetes:
//
//	go run ./suites
//
// Thin adapters take the place of Kubernetes' functions that decide (swaps.go)
// through the go command's -overlay. It fails when a test fails that no listed
// difference explains, when one passes that a difference should have failed,
// and when a suite passes without having asked the library.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
)

func main() {
	upstream := flag.Bool("upstream", false, "keep upstream's bodies and only count their calls; nothing is written")
	out := flag.String("o", "SUITES.md", "where to write the table")
	flag.Parse()
	if err := do(*upstream, *out); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

func do(upstream bool, out string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := prepare(dir, swaps, upstream); err != nil {
		return err
	}
	results := map[string]*result{}
	var done []string
	for _, s := range suites {
		if slices.Contains(done, s.run) {
			continue
		}
		done = append(done, s.run)
		var pkgs []string
		for _, other := range suites {
			if other.run == s.run {
				pkgs = append(pkgs, other.pkg)
			}
		}
		some, err := run(dir, expression(s), pkgs, os.Stderr)
		if err != nil {
			return err
		}
		for pkg, r := range some {
			results[pkg] = r
		}
	}
	var errs []error
	for _, s := range suites {
		found := judge(s, results[s.pkg], upstream)
		if len(found) > 0 && len(results[s.pkg].failed) > 0 {
			// Some of upstream's tests wait on a clock, and fail on a busy
			// machine. A difference fails again.
			fmt.Fprintln(os.Stderr, "once more:", s.pkg)
			again, err := run(dir, expression(s), []string{s.pkg}, os.Stderr)
			if err != nil {
				return err
			}
			results[s.pkg] = again[s.pkg]
			found = judge(s, results[s.pkg], upstream)
		}
		errs = append(errs, found...)
	}
	table(os.Stdout, results, true)
	if !upstream {
		f, err := os.Create(out)
		if err != nil {
			return err
		}
		report(f, results)
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func expression(s suite) string {
	if s.run == "" {
		return "."
	}
	return s.run
}
