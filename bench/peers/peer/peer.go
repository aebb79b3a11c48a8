// Package peer is shared by the commands beneath bench/peers. Each of them runs
// the unchanged tests of a peer, a project with matching code of its own, with
// match/kube in the place of that code, and measures one hot call.
package peer

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// MaxLines is how many lines of code can replace a peer's code.
const MaxLines = 25

// noise is the ratio up to which a hot call is not considered slower.
const noise = 1.05

// A Peer describes a peer, and what takes the place of its code.
type Peer struct {
	Name   string
	Module string

	Swaps   []overlay.Swap    // their Module is Peer.Module if omitted
	Dead    []overlay.Swap    // functions that nothing calls after the swap; they have no body
	Files   []overlay.File    // helpers, and benchmarks of internal packages
	Imports map[string]string // see overlay.Overlay; match/kube is kube

	Suites     []overlay.Suite
	CannotPass map[string]map[string]string // see overlay.Test
	Skipped    string                       // which tests that reach the swapped functions are not run, and why
	Envtest    bool                         // whether the tests start an API server

	Hot       string        // describes the hot call
	Benchmark overlay.Suite // the package and the name of its benchmark, which calls Compare
}

// Main runs the peer whose folder is the current one, prints its report, and
// stores it for [WritePage].
func Main(p Peer) {
	if err := p.main(); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", p.Name, err)
		os.Exit(1)
	}
}

func (p Peer) main() error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	r, err := p.run(dir)
	if r == nil {
		return err
	}
	writeSection(os.Stdout, r)
	return errors.Join(err, r.store(dir))
}

// run returns the report. The error joins all violations; if it is another error, there
// is no report.
func (p Peer) run(dir string) (*Report, error) {
	r := &Report{Name: p.Name, Module: p.Module, Skipped: p.Skipped, Hot: p.Hot}
	o, err := p.overlay(dir)
	if err != nil {
		return nil, err
	}
	if r.Version, err = moduleVersion(dir, p.Module); err != nil {
		return nil, err
	}
	if r.Added, err = p.added(dir); err != nil {
		return nil, err
	}
	if r.Deleted, err = o.Prepare(); err != nil {
		return nil, err
	}
	t := overlay.Test{Suites: p.Suites, CannotPass: p.CannotPass, Progress: os.Stderr}
	if p.Envtest {
		assets, err := buildEnvtest(dir)
		if err != nil {
			return nil, err
		}
		t.Env = []string{"KUBEBUILDER_ASSETS=" + assets}
	}
	after, violations, err := o.Test(t)
	if err != nil {
		return nil, err
	}
	t.Original = true
	before, more, err := o.Test(t)
	if err != nil {
		return nil, err
	}
	violations = append(violations, more...)
	for _, s := range p.Suites {
		violations = append(violations, missing(s.Package, before[s.Package], after[s.Package])...)
	}
	r.addSuites(p, before, after)
	if uncalled := p.uncalled(after); len(uncalled) > 0 {
		violations = append(violations, fmt.Errorf("no test called %s", strings.Join(uncalled, ", ")))
	}
	if r.Before, r.After, err = measure(o, p.Benchmark); err != nil {
		return nil, err
	}
	if r.After > r.Before*noise {
		violations = append(violations, fmt.Errorf("the hot call is slower than the peer's own: %s, before %s", nanoseconds(r.After), nanoseconds(r.Before)))
	}
	return r, errors.Join(violations...)
}

// overlay returns the peer's overlay, with the fields that Peer allows to omit.
func (p Peer) overlay(dir string) (overlay.Overlay, error) {
	o := overlay.Overlay{Dir: dir, Files: p.Files, Imports: map[string]string{"kube": "github.com/go-tolerate/tolerate/match/kube"}}
	maps.Copy(o.Imports, p.Imports)
	o.Swaps = slices.Clone(p.Swaps)
	for _, s := range p.Dead {
		s.Body = `panic("called")`
		o.Swaps = append(o.Swaps, s)
	}
	for i := range o.Swaps {
		if o.Swaps[i].Module == "" {
			o.Swaps[i].Module = p.Module
		}
	}
	if len(p.Swaps) == 0 || len(p.Suites) == 0 {
		return o, errors.New("no swap, or no suite")
	}
	return o, nil
}

// added returns how many lines of code replace the peer's: those of the new bodies, and
// the helpers without their imports.
func (p Peer) added(dir string) (int, error) {
	n := 0
	for _, s := range p.Swaps {
		n += overlay.Lines(s.Body)
	}
	for _, f := range p.Files {
		if strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.From))
		if err != nil {
			return 0, err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.From, text, parser.SkipObjectResolution)
		if err != nil {
			return 0, err
		}
		for _, decl := range file.Decls {
			if gen, ok := decl.(*ast.GenDecl); !ok || gen.Tok != token.IMPORT {
				n += overlay.Lines(string(text[fset.Position(decl.Pos()).Offset:fset.Position(decl.End()).Offset]))
			}
		}
	}
	if n > MaxLines {
		return 0, fmt.Errorf("%d lines of code, more than %d", n, MaxLines)
	}
	return n, nil
}

// missing returns an error for each test that passed before the swap and neither passed
// nor failed after it, for example because it was skipped, and for missing specs. It
// ignores subtests, since some have names that change with each run.
func missing(pkg string, before, after *overlay.Result) []error {
	var errs []error
	for _, test := range sorted(before.Passed) {
		if !strings.Contains(test, "/") && !after.Passed[test] && !after.Failed[test] {
			errs = append(errs, fmt.Errorf("%s %s passed before, and did not run after", pkg, test))
		}
	}
	if n := after.Specs + len(after.Failed); n < before.Specs {
		errs = append(errs, fmt.Errorf("%s ran %d specs after, %d before", pkg, n, before.Specs))
	}
	return errs
}

// uncalled returns the swapped functions that no suite called.
func (p Peer) uncalled(results map[string]*overlay.Result) []string {
	var names []string
	for _, s := range p.Swaps {
		called := false
		for _, r := range results {
			called = called || r.Called[s.Func]
		}
		if !called {
			names = append(names, s.Func)
		}
	}
	return names
}

func moduleVersion(dir, module string) (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Version}}", module)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w", module, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// buildEnvtest builds the programs that controller-runtime's envtest starts, and
// returns their folder. examples/kubernetes has the modules.
func buildEnvtest(dir string) (string, error) {
	assets := filepath.Join(filepath.Dir(dir), "up", "envtest")
	for name, pkg := range map[string]string{"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(assets, name), pkg)
		cmd.Dir = filepath.Join(dir, "../../../examples/kubernetes")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	return assets, nil
}

// sorted returns the keys in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
