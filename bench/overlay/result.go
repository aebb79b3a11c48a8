package overlay

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
)

// A Result is the result of one suite. Subtests, and the failed specs of Ginkgo, are
// listed like tests.
type Result struct {
	Passed, Failed, Skipped map[string]bool
	Flaky                   map[string]bool // failed in a first run of which this is the second
	Specs                   int             // Ginkgo's, passed
	Called                  map[string]bool // the swapped functions

	output        map[string][]string // of failed tests
	packageFailed bool
}

func newResult() *Result {
	return &Result{Passed: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{}, Called: map[string]bool{}, output: map[string][]string{}}
}

// Ginkgo runs all its specs in one test, and prints these lines with colors.
var (
	color       = regexp.MustCompile("\x1b\\[[0-9;]*m")
	specsPassed = regexp.MustCompile(`^(?:SUCCESS|FAIL)! -- (\d+) Passed \|`)
	specFailed  = regexp.MustCompile(`^ *\[FAIL\] (.*?)\s*$`)
)

func (r *Result) add(e event) {
	if name, ok := strings.CutPrefix(e.Output, hook.Mark); ok {
		r.Called[strings.TrimSpace(name)] = true
		return
	}
	if e.Test == "" {
		if e.Action == "fail" {
			r.packageFailed = true
		}
		return
	}
	switch e.Action {
	case "output":
		r.output[e.Test] = append(r.output[e.Test], e.Output)
		line := color.ReplaceAllString(e.Output, "")
		if m := specsPassed.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[1])
			r.Specs += n
		}
		if m := specFailed.FindStringSubmatch(line); m != nil {
			r.Failed[e.Test+"/"+m[1]] = true
		}
	case "pass":
		r.Passed[e.Test] = true
		delete(r.output, e.Test)
	case "skip":
		r.Skipped[e.Test] = true
		delete(r.output, e.Test)
	case "fail":
		r.Failed[e.Test] = true
	}
}

// judge compares the result with the tests that must fail, each with its cause.
func (r *Result) judge(pkg string, listed map[string]string) []error {
	var errs []error
	for _, test := range slices.Sorted(maps.Keys(r.Failed)) {
		isListed := func(name string) bool { return name == test || strings.HasPrefix(name, test+"/") } // a test fails with its subtests
		if !slices.ContainsFunc(slices.Collect(maps.Keys(listed)), isListed) {
			errs = append(errs, fmt.Errorf("%s %s failed:\n%s", pkg, test, strings.Join(r.output[test], "")))
		}
	}
	for _, test := range slices.Sorted(maps.Keys(listed)) {
		if !r.Failed[test] {
			errs = append(errs, fmt.Errorf("%s %s did not fail, though it is listed (%s)", pkg, test, listed[test]))
		}
	}
	if r.packageFailed && len(r.Failed) == 0 {
		errs = append(errs, fmt.Errorf("%s failed outside of its tests", pkg))
	}
	if len(r.Called) == 0 {
		errs = append(errs, fmt.Errorf("%s called no swapped function", pkg))
	}
	return errs
}
