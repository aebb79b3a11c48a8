package overlay

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"

	"github.com/go-tolerate/tolerate/bench/overlay/hook"
)

// A Suite is a package whose tests are run.
type Suite struct {
	Package string
	Flags
	CannotPass map[string]string // the tests that must fail, each with the cause
}

// Flags select tests of a Suite.
type Flags struct {
	Run   string // of go test -run; all by default
	Focus string // of -ginkgo.focus; all specs by default
}

// Test runs the suites and returns their results by package, and what the
// results violate: a test that fails and is not in CannotPass, one that passes
// and is, a suite without a call of a swapped function. Packages with violations
// are tested twice, since some tests depend on a clock.
func (o Overlay) Test(suites ...Suite) (results map[string]*Result, violations []error, err error) {
	results = map[string]*Result{}
	groups := map[Flags][]string{} // packages
	for _, s := range suites {
		groups[s.Flags] = append(groups[s.Flags], s.Package)
	}
	for flags, pkgs := range groups {
		some, err := o.run(flags, pkgs...)
		if err != nil {
			return nil, nil, err
		}
		maps.Copy(results, some)
	}
	for _, s := range suites {
		listed := s.CannotPass
		if o.Original {
			listed = nil
		}
		found := results[s.Package].judge(s.Package, listed)
		if len(found) > 0 && len(results[s.Package].Failed) > 0 {
			fmt.Fprintf(o.Progress, "once more: %s\n%v\n", s.Package, errors.Join(found...))
			again, err := o.run(s.Flags, s.Package)
			if err != nil {
				return nil, nil, err
			}
			again[s.Package].Flaky = results[s.Package].Failed
			results[s.Package] = again[s.Package]
			found = results[s.Package].judge(s.Package, listed)
		}
		violations = append(violations, found...)
	}
	return results, violations, nil
}

// Command returns a go test command, in o.Dir, that applies the overlay.
func (o Overlay) Command(args ...string) *exec.Cmd {
	flags := []string{"test", "-vet=off", "-modfile=" + up + "/ov.mod", "-overlay=" + up + "/overlay.json"}
	return o.command(append(flags, args...)...)
}

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// run tests the packages by one go command, so that everything is built once and
// packages are tested while others are compiled.
func (o Overlay) run(flags Flags, pkgs ...string) (map[string]*Result, error) {
	results := map[string]*Result{}
	for _, p := range pkgs {
		results[p] = newResult()
	}
	args := append([]string{"-json", "-count=1", "-timeout=60m", "-run=" + flags.Run}, pkgs...)
	if flags.Focus != "" {
		args = append(args, "-args", "-ginkgo.focus="+flags.Focus)
	}
	cmd := o.Command(args...)
	cmd.Env = append(os.Environ(), hook.CallsVar+"=1")
	if o.Original {
		cmd.Env = append(cmd.Env, hook.OriginalVar+"=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(out); dec.More(); {
		var e event
		if err := dec.Decode(&e); err != nil {
			return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
		}
		if e.Action == "build-output" {
			fmt.Fprint(o.Progress, e.Output)
		}
		if r := results[e.Package]; r != nil {
			r.add(e)
		}
	}
	// A failed test is judged by its event. Only a run without any is an error here.
	exit := cmd.Wait()
	for p, r := range results {
		if len(r.Passed)+len(r.Failed) == 0 {
			return nil, fmt.Errorf("%s: no test ran: %w", p, exit)
		}
	}
	return results, nil
}
