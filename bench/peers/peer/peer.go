// Package peer is shared by the commands beneath bench/peers. Each of them runs
// the unchanged tests of a peer, a project with matching code of its own, with
// match/kube in the place of that code, measures its calls, and compares their results.
package peer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// noise is the least ratio of times with which a call is not considered slower. Nor is it if
// it takes a nanosecond more, such as an empty loop that is aligned otherwise.
const noise = 0.95

// repeats is how often a test that failed is run again with both bodies.
const repeats = 5

// A Peer describes a peer, and what takes the place of its code.
type Peer struct {
	Name   string
	Module string

	Swaps []overlay.Swap // in Module; without a body if nothing calls the function after the swap

	Packages []string          // patterns of the packages in Module whose tests are run
	Envtest  bool              // whether the tests start an API server
	Inside   string            // the folder of the peer to which testdata/peer_test.go belongs; not in it if omitted
	Bugs     map[string]string // the calls whose results differ for input that is valid, or that nothing validates, and why
	Slower   bool              // some calls are slower, which the verdict says
	Verdict  string            // whether to merge it, what the project's maintainers would gain and lose, and which tests are not run
}

// Run runs the peer whose folder is dir, prints its report, and stores it for [WritePage]. With
// compare it keeps the stored results of the tests. The error joins all violations; if it is
// another error, there is no comparison.
func (p Peer) Run(dir string, compare bool) (err error) {
	r := new(Report)
	if compare {
		if r, err = load(dir); err != nil {
			return err
		}
		if r.Before.Run == 0 {
			return errors.New("the stored report has no tests: run without -compare first")
		}
	}
	defer func() { writeSection(os.Stdout, r) }()
	r.Peer, r.Added = p, 0
	if r.Version, err = goList(dir, "-m", "-f", "{{.Version}}", p.Module); err != nil {
		return err
	}
	for _, s := range p.Swaps {
		r.Added += overlay.Lines(s.Body)
	}
	o := p.overlay(dir)
	if r.Deleted, err = o.Prepare(); err != nil {
		return err
	}
	if r.Added >= r.Deleted {
		return fmt.Errorf("%d lines of code for %d", r.Added, r.Deleted)
	}
	if p.Envtest {
		if err := buildEnvtest(dir); err != nil {
			return err
		}
	}
	var violations []error
	if !compare {
		if violations, err = p.test(o, r); err != nil {
			return err
		}
	}
	if err := r.store(dir); err != nil { // Prepare removed it
		return err
	}
	if r.Compared, err = p.compare(o); err != nil {
		return err
	}
	violations = append(violations, r.store(dir))
	for _, c := range r.Compared.Cases {
		if !p.Slower && c.Ratio < noise && c.After > c.Before+1 {
			violations = append(violations, fmt.Errorf("%s, %s: slower than the peer's own, %.2f", c.Call, c.Nodes, c.Ratio))
		}
	}
	for _, s := range p.Swaps {
		if s.Body != "" && s.Lines == [2]int{} && !slices.ContainsFunc(r.Compared.Cases, func(c Case) bool { return c.Call == s.Func }) {
			violations = append(violations, fmt.Errorf("%s is not compared", s.Func))
		}
	}
	for _, d := range r.Compared.Differences {
		if p.Bugs[d.Call] == "" && slices.ContainsFunc(kinds[:validKinds], func(k kind) bool { return k.name == d.Kind }) {
			violations = append(violations, fmt.Errorf("%s: another result for %s", d.Call, d.Example))
		}
	}
	return errors.Join(violations...)
}

// overlay returns the peer's overlay, with the packages that its bodies use.
func (p Peer) overlay(dir string) overlay.Overlay {
	const kube = "github.com/go-tolerate/tolerate/match/kube"
	o := overlay.Overlay{Dir: dir, Progress: os.Stderr, Imports: map[string]string{"kube": kube, "helper": kube + "/helper", "taint": "github.com/go-tolerate/tolerate/taint", "slices": "slices", "core": "k8s.io/api/core/v1"}}
	if p.Inside != "" {
		o.Files = map[string]string{p.Module + "/" + p.Inside + "/peer_test.go": "testdata/peer_test.go"}
	}
	for _, s := range p.Swaps {
		s.Module, s.Body = p.Module, cmp.Or(s.Body, `panic("called")`)
		o.Swaps = append(o.Swaps, s)
	}
	return o
}

// test runs the tests after and before the swap, and those that failed again.
func (p Peer) test(o overlay.Overlay, r *Report) (violations []error, err error) {
	args := []string{"-modfile=up/ov.mod", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}
	for _, pattern := range p.Packages {
		args = append(args, p.Module+"/"+pattern)
	}
	names, err := goList(o.Dir, args...)
	if err != nil {
		return nil, err
	}
	var suites []overlay.Suite
	for _, name := range strings.Fields(names) {
		suites = append(suites, overlay.Suite{Package: name})
	}
	after, _, err := o.Test(suites...)
	if err != nil {
		return nil, err
	}
	o.Original = true
	before, _, err := o.Test(suites...)
	if err != nil {
		return nil, err
	}
	for _, s := range suites {
		b, a := before[s.Package], after[s.Package]
		r.add(b, a)
		violations = append(violations, missing(s.Package, b, a)...)
		for _, test := range failed(b, a) {
			times, err := again(o, s, test)
			if err != nil {
				return nil, err
			}
			r.Flaky = append(r.Flaky, Flaky{s.Package, test, times[0], times[1]})
			if times[0] == 0 && times[1] > 0 {
				violations = append(violations, fmt.Errorf("%s %s fails only after the swap, %d of %d times", s.Package, test, times[1], repeats))
			}
		}
	}
	return violations, nil
}

// failed returns the tests and specs that failed in a first or second run, without those
// that failed because of a subtest.
func failed(results ...*overlay.Result) []string {
	all := map[string]bool{}
	for _, r := range results {
		maps.Copy(all, r.Failed)
		maps.Copy(all, r.Flaky)
	}
	return slices.DeleteFunc(sorted(all), func(name string) bool {
		return slices.ContainsFunc(sorted(all), func(other string) bool { return strings.HasPrefix(other, name+"/") })
	})
}

// again returns how often a test fails with both bodies, as often as it is repeated.
func again(o overlay.Overlay, s overlay.Suite, test string) (times [2]int, err error) {
	name, spec, _ := strings.Cut(test, "/")
	s.Run = "^" + name + "$"
	if strings.Contains(spec, "[It] ") {
		s.Focus = regexp.QuoteMeta(strings.ReplaceAll(spec, "[It] ", ""))
	}
	for i := range 2 * repeats {
		o.Original = i%2 == 0
		results, _, err := o.Test(s)
		if err != nil {
			return times, err
		}
		if r := results[s.Package]; r.Failed[test] || r.Flaky[test] {
			times[i%2]++
		}
	}
	return times, nil
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

// compare runs the peer's TestPeer.
func (p Peer) compare(o overlay.Overlay) (found Compared, err error) {
	file, pkg := filepath.Join(o.Dir, "up", "compared.json"), "."
	if p.Inside != "" {
		pkg = p.Module + "/" + p.Inside
	}
	cmd := o.Command("-count=1", "-run=^TestPeer$", pkg)
	cmd.Env = append(os.Environ(), resultVar+"="+file)
	if out, err := cmd.Output(); err != nil {
		return found, fmt.Errorf("TestPeer: %w\n%s", err, out)
	}
	text, err := os.ReadFile(file)
	err = errors.Join(err, json.Unmarshal(text, &found))
	return found, err
}

func goList(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", append([]string{"list"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// buildEnvtest builds the programs that controller-runtime's envtest starts, and
// points it to them. examples/kubernetes has the modules.
func buildEnvtest(dir string) error {
	assets := filepath.Join(filepath.Dir(dir), "up", "envtest")
	for name, pkg := range map[string]string{"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(assets, name), pkg)
		cmd.Dir = filepath.Join(dir, "../../../examples/kubernetes")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go build %s: %w\n%s", pkg, err, out)
		}
	}
	// On a busy machine the API server is not ready after the 20 seconds that they wait.
	return errors.Join(os.Setenv("KUBEBUILDER_ASSETS", assets), os.Setenv("KUBEBUILDER_CONTROLPLANE_START_TIMEOUT", "10m"))
}

// sorted returns the keys in order.
func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
