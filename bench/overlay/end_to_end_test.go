package overlay_test

import (
	"archive/zip"
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/overlay"
)

// peerModule is a module whose test and its subtest fail with another body.
var peerModule = map[string]string{
	"go.mod": "module example.com/peer\n\ngo 1.25.0\n",
	"p/p.go": "package p\n\n// F doubles n.\nfunc F(n int) int {\n\treturn n * 2\n}\n",
	"p/p_test.go": `package p

import "testing"

func TestF(t *testing.T) {
	t.Run("one", func(t *testing.T) {
		if F(1) != 2 {
			t.Fail()
		}
	})
	t.Run("two", func(t *testing.T) {
		if F(2) != 4 {
			t.Fail()
		}
	})
}

func TestOther(t *testing.T) { F(2) }
`,
}

// proxy writes a module proxy that has the peer alone, and points the go command to it.
func proxy(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, name := range slices.Sorted(maps.Keys(peerModule)) {
		w, err := z.Create("example.com/peer@v1.0.0/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(peerModule[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, map[string]string{
		"example.com/peer/@v/list":        "v1.0.0\n",
		"example.com/peer/@v/v1.0.0.info": `{"Version":"v1.0.0"}`,
		"example.com/peer/@v/v1.0.0.mod":  peerModule["go.mod"],
		"example.com/peer/@v/v1.0.0.zip":  archive.String(),
	})
	t.Setenv("GOPROXY", "file://"+filepath.ToSlash(dir))
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-modcacherw")
	t.Setenv("GOWORK", "off")
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// prepared returns a prepared overlay with this body of F, and with an additional test.
func prepared(t *testing.T, body string) overlay.Overlay {
	t.Helper()
	proxy(t)
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	o := overlay.Overlay{
		Dir:   t.TempDir(),
		Swaps: []overlay.Swap{{Module: "example.com/peer", File: "p/p.go", Func: "F", Body: body}},
		Files: map[string]string{"example.com/peer/p/added_test.go": "added.go"},

		Progress: os.Stderr,
	}
	writeFiles(t, o.Dir, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.25.0\n\nrequire (\n\texample.com/peer v1.0.0\n\tgithub.com/go-tolerate/tolerate v0.0.0\n)\n\n" +
			"replace github.com/go-tolerate/tolerate => " + root + "\n",
		"go.sum":   "",
		"added.go": "package p\n\nimport \"testing\"\n\nfunc TestAdded(t *testing.T) { F(3) }\n",
	})
	lines, err := o.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if lines != 1 {
		t.Errorf("%d lines were swapped, want 1", lines)
	}
	return o
}

func TestOverlay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	o := prepared(t, "return 4")
	var progress strings.Builder
	o.Progress = &progress
	suite := overlay.Suite{Package: "example.com/peer/p", CannotPass: map[string]string{"TestF/one": "F(1) is 4"}}
	for _, original := range []bool{false, true} {
		o.Original = original
		results, violations, err := o.Test(suite)
		if err != nil || len(violations) > 0 {
			t.Fatalf("original %v: %v, %v\n%s", original, violations, err, &progress)
		}
		r, failed := results["example.com/peer/p"], 2
		if original {
			failed = 0
		}
		if len(r.Passed) != 5-failed || len(r.Failed) != failed || !r.Called["F"] {
			t.Errorf("original %v: passed %v, failed %v, calls %v", original, r.Passed, r.Failed, r.Called)
		}
	}

	o.Original, suite.CannotPass = false, nil
	_, violations, err := o.Test(suite)
	if err != nil || len(violations) != 2 || !strings.Contains(progress.String(), "once more: example.com/peer/p") {
		t.Errorf("a failure that is not listed: %v, %v\n%s", violations, err, &progress)
	}
	suite.Run = "^TestOther$"
	if _, violations, err := o.Test(suite); err != nil || len(violations) != 0 {
		t.Errorf("the failing test is not run: %v, %v", violations, err)
	}
	suite.Run = "^TestNone$"
	if _, _, err := o.Test(suite); err == nil {
		t.Error("no test ran: no error")
	}
}

// A body that does not compile is an error with the compiler's message.
func TestOverlay_compile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	o := prepared(t, "return undefined")
	var progress strings.Builder
	o.Progress = &progress
	_, _, err := o.Test(overlay.Suite{Package: "example.com/peer/p"})
	if err == nil || !strings.Contains(progress.String(), "undefined: undefined") {
		t.Errorf("%v\n%s", err, &progress)
	}
}
