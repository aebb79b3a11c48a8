package overlay_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

const originalFile = `// Package p is another module's.
package p

import (
	"fmt"
	"strings"
)

type T[K any] struct{ a string }

// Decides decides.
func (t *T[K]) Decides(b string) bool {

	// a comment
	return strings.HasPrefix(t.a, b)
}

func set() { fmt.Print(1) }

func other() string { return fmt.Sprint(1) }

func long() string {
	a := "a"
	b := fmt.Sprint(
		a,
	)
	c := "c"
	return a + b + c
}

func assembly()
`

var imports = map[string]string{"kube": "example.com/kube", "unused": "example.com/unused"}

func rewritten(t *testing.T, swaps ...overlay.Swap) (text string, lines int, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(originalFile), 0o666); err != nil {
		t.Fatal(err)
	}
	out, lines, err := overlay.Rewrite(name, swaps, imports)
	return string(out), lines, err
}

// A variable with the name of a package is no use of the package.
func TestRewrite_variable(t *testing.T) {
	got, _, err := rewritten(t, overlay.Swap{Func: "T.Decides", Body: `unused := t
	return unused.a == b`})
	if err != nil || strings.Contains(got, "example.com/unused") {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestRewrite(t *testing.T) {
	got, lines, err := rewritten(t, overlay.Swap{Func: "T.Decides", Body: `return kube.Decides(t.a, b)`}, overlay.Swap{Func: "set", Body: `fmt.Print(2)`},
		overlay.Swap{Func: "long", Lines: [2]int{24, 26}, Body: `b := kube.B(a)`}, overlay.Swap{Func: "long", Lines: [2]int{27, 27}, Body: `c := "d"`})
	if err != nil {
		t.Fatal(err)
	}
	const want = `// Package p is another module's.
package p

import toleratehook "github.com/go-tolerate/tolerate/bench/overlay/hook"
import kube "example.com/kube"

import (
	"fmt"
	"strings"
)

type T[K any] struct{ a string }

// Decides decides.
func (t *T[K]) Decides(b string) bool {
	toleratehook.Called("T.Decides")
	if toleratehook.Original {

		// a comment
		return strings.HasPrefix(t.a, b)
	}
	return kube.Decides(t.a, b)
}

func set() {
	toleratehook.Called("set")
	if toleratehook.Original {
		fmt.Print(1)
		return
	}
	fmt.Print(2)
}

func other() string { return fmt.Sprint(1) }

func long() string {
	toleratehook.Called("long")
	if toleratehook.Original {
		a := "a"
		b := fmt.Sprint(
			a,
		)
		c := "c"
		return a + b + c
	}
	a := "a"
	b := kube.B(a)
	c := "d"
	return a + b + c
}

func assembly()
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if lines != 6 {
		t.Errorf("%d lines were swapped, want 6", lines)
	}
}

func TestRewrite_errors(t *testing.T) {
	// A function that was renamed must not be skipped.
	if _, _, err := rewritten(t, overlay.Swap{Func: "T.Decided"}); err == nil || !strings.Contains(err.Error(), "no function T.Decided") {
		t.Errorf("a function that does not exist: %v", err)
	}
	for _, lines := range [][2]int{{20, 24}, {28, 31}, {26, 25}} {
		if _, _, err := rewritten(t, overlay.Swap{Func: "long", Lines: lines}); err == nil || !strings.Contains(err.Error(), "are not in long") {
			t.Errorf("lines %d: %v", lines, err)
		}
	}
	if _, _, err := rewritten(t, overlay.Swap{Func: "assembly"}); err == nil {
		t.Error("a function without a body: no error")
	}
	if _, _, err := rewritten(t, overlay.Swap{Func: "set", Body: "if {"}); err == nil || !strings.Contains(err.Error(), "p.go, rewritten") {
		t.Errorf("a body that is not code: %v", err)
	}
}

func TestLines(t *testing.T) {
	for code, want := range map[string]int{
		"":                                 0,
		"\n\n// a comment\n/* and\none */": 0,
		"a := 1 // a comment":              1,
		"a := 1; b := 2\nc := 3\n":         2,
		"f(`\n\n`)\n":                      3,
		"if a {\n\tb()\n\n}":               3,
		"a /* b\n*/ + c":                   2,
	} {
		if got := overlay.Lines(code); got != want {
			t.Errorf("Lines(%q) = %d, want %d", code, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	pass, fail := [3]string{"pass", "TestA"}, [3]string{"fail", "TestB"}
	specs := func(outcome, line string) [][3]string {
		return [][3]string{{"output", "TestB", line + "\n"}, {"output", "TestB", "\x1b[38;5;9m\x1b[1m" + outcome + "!\x1b[0m -- \x1b[1m7 Passed\x1b[0m | 1 Failed | 0 Pending | 2 Skipped\n"}, fail}
	}
	for name, c := range map[string]struct {
		called     bool
		listed     map[string]string
		events     [][3]string
		violations int
		specs      int
	}{
		"passes":                     {true, nil, [][3]string{pass}, 0, 0},
		"no call":                    {false, nil, [][3]string{pass}, 1, 0},
		"skipped":                    {true, nil, [][3]string{pass, {"skip", "TestB"}}, 0, 0},
		"fails":                      {true, nil, [][3]string{pass, fail}, 1, 0},
		"fails outside of its tests": {true, nil, [][3]string{pass, {"fail", ""}}, 1, 0},
		"fails, listed":              {true, map[string]string{"TestB": "why"}, [][3]string{pass, fail}, 0, 0},
		"subtest fails, listed":      {true, map[string]string{"TestB/c": "why"}, [][3]string{{"fail", "TestB/c"}, fail}, 0, 0},
		"another subtest fails too":  {true, map[string]string{"TestB/c": "why"}, [][3]string{{"fail", "TestB/c"}, {"fail", "TestB/d"}, fail}, 1, 0},
		"test of a longer name":      {true, map[string]string{"TestBC/d": "why"}, [][3]string{{"fail", "TestBC/d"}, {"fail", "TestBC"}, fail}, 1, 0},
		"passes, listed":             {true, map[string]string{"TestA": "why"}, [][3]string{pass}, 1, 0},
		"spec fails":                 {true, nil, specs("FAIL", "  [FAIL] Taints [It] are tolerated"), 2, 7},
		"spec fails, listed":         {true, map[string]string{"TestB/Taints [It] are tolerated": "why"}, specs("FAIL", "  [FAIL] Taints [It] are tolerated"), 0, 7},
	} {
		r, violations := overlay.Judge(c.called, c.listed, c.events...)
		if len(violations) != c.violations || r.Specs != c.specs {
			t.Errorf("%s: %d specs, violations %v", name, r.Specs, violations)
		}
	}
}
