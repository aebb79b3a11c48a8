package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A result is what one suite gave.
type result struct {
	passed, failed, skipped map[string]bool // tests and subtests
	packageFailed           bool
	output                  map[string][]string // of failed tests
	calls                   map[string]int
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string
}

// run tests the suites that share a -run expression by one go command, so that
// all is built once and packages are tested while others still compile.
func run(dir, expr string, pkgs []string, progress io.Writer) (map[string]*result, error) {
	results := map[string]*result{}
	for _, p := range pkgs {
		results[p] = &result{passed: map[string]bool{}, failed: map[string]bool{}, skipped: map[string]bool{}, output: map[string][]string{}, calls: map[string]int{}}
	}
	counts, err := os.MkdirTemp("", "tolerate-calls-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(counts)

	args := []string{"test", "-json", "-count=1", "-vet=off", "-modfile=" + up + "/ov.mod", "-overlay=" + up + "/overlay.json", "-run=" + expr}
	cmd := exec.Command("go", append(args, pkgs...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TOLERATE_CALLS="+counts)
	cmd.Stderr = progress
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	dec := json.NewDecoder(out)
	for {
		var e event
		if err := dec.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		if e.Action == "build-output" {
			fmt.Fprint(progress, e.Output)
		}
		if r := results[e.Package]; r != nil {
			r.add(e)
		}
	}
	// A failing test is judged by its event; only a run that gave none is an error here.
	werr := cmd.Wait()
	if err := readCalls(counts, filepath.Join(dir, up), results); err != nil {
		return nil, err
	}
	for p, r := range results {
		if len(r.passed)+len(r.failed) == 0 {
			return results, fmt.Errorf("%s: no test ran: %w", p, werr)
		}
	}
	return results, nil
}

func (r *result) add(e event) {
	if e.Test == "" {
		if e.Action == "fail" {
			r.packageFailed = true
		}
		return
	}
	switch e.Action {
	case "output":
		r.output[e.Test] = append(r.output[e.Test], e.Output)
	case "pass":
		r.passed[e.Test] = true
		delete(r.output, e.Test)
	case "skip":
		r.skipped[e.Test] = true
		delete(r.output, e.Test)
	case "fail":
		r.failed[e.Test] = true
	}
}

// readCalls adds the counts that the processes left to the suites that ran in their folders.
func readCalls(counts, root string, results map[string]*result) error {
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
			adapter, n, _ := strings.Cut(lines.Text(), " ")
			if r := results[pkg]; r != nil {
				if r.calls[adapter], err = strconv.Atoi(n); err != nil {
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

// folderPackage is the suite whose tests run in the folder: beneath up/, or
// where the link there leads.
func folderPackage(wd, root string, results map[string]*result) string {
	for pkg := range results {
		folder := filepath.Join(root, filepath.FromSlash(pkg))
		if wd == folder {
			return pkg
		}
		if real, err := filepath.EvalSymlinks(folder); err == nil && wd == real {
			return pkg
		}
	}
	return ""
}
