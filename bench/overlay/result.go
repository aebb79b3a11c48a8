package overlay

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Result is the result of one suite. Subtests, and the failed specs of Ginkgo, are
// listed like tests.
type Result struct {
	Passed, Failed, Skipped map[string]bool
	Specs                   int            // Ginkgo's, passed
	Calls                   map[string]int // of the swapped functions, exact to a factor of two

	output        map[string][]string // of failed tests
	packageFailed bool
}

func newResult() *Result {
	return &Result{Passed: map[string]bool{}, Failed: map[string]bool{}, Skipped: map[string]bool{}, Calls: map[string]int{}, output: map[string][]string{}}
}

// Ginkgo runs all its specs in one test, and prints these lines with colors.
var (
	color       = regexp.MustCompile("\x1b\\[[0-9;]*m")
	specsPassed = regexp.MustCompile(`^(?:SUCCESS|FAIL)! -- (\d+) Passed \|`)
	specFailed  = regexp.MustCompile(`^ *\[FAIL\] (.*?)\s*$`)
)

func (r *Result) add(e event) {
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
		if listed[test] == "" && !hasListedChild(test, listed) {
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
	if len(r.Calls) == 0 {
		errs = append(errs, fmt.Errorf("%s called no swapped function", pkg))
	}
	return errs
}

// hasListedChild reports whether a subtest is listed: a test fails with its subtests.
func hasListedChild(test string, listed map[string]string) bool {
	for name := range listed {
		if strings.HasPrefix(name, test+"/") {
			return true
		}
	}
	return false
}

// readCalls adds the counts that the processes wrote to the suites that ran in their
// folders.
func readCalls(counts, root string, results map[string]*Result) error {
	files, err := filepath.Glob(filepath.Join(counts, "*.calls"))
	if err != nil {
		return err
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		lines := bufio.NewScanner(f)
		lines.Scan()
		pkg := folderPackage(lines.Text(), root, results)
		for lines.Scan() {
			function, n, _ := strings.Cut(lines.Text(), " ")
			if r := results[pkg]; r != nil {
				if r.Calls[function], err = strconv.Atoi(n); err != nil {
					return err
				}
			}
		}
		f.Close()
		if err := lines.Err(); err != nil {
			return err
		}
	}
	return nil
}

// folderPackage returns the package whose tests run in the folder wd, which is beneath
// root or beneath the folder to which a link in root points.
func folderPackage(wd, root string, results map[string]*Result) string {
	for pkg := range results {
		folder := filepath.Join(root, filepath.FromSlash(pkg))
		if wd == folder {
			return pkg
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil && wd == real {
			return pkg
		}
		// A module without a swap is in the module cache.
		if strings.HasSuffix(atVersion.ReplaceAllString(filepath.ToSlash(wd), ""), "/"+pkg) {
			return pkg
		}
	}
	return ""
}

var atVersion = regexp.MustCompile(`@[^/]+`)
