package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const upstreamFile = `// Package p is upstream's.
package p

import (
	"fmt"
	"strings"

	"k8s.io/klog/v2"
)

type T struct{ a string }

// Decides decides.
func (t *T) Decides(b string) bool {
	klog.Info("x")
	return strings.HasPrefix(t.a, b) // with a comment
}

func decides() string { return fmt.Sprint(1) }
`

func rewritten(t *testing.T, keep bool, swaps ...swap) (string, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "p.go")
	if err := os.WriteFile(name, []byte(upstreamFile), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := rewrite(name, swaps, keep)
	return string(out), err
}

func TestRewrite(t *testing.T) {
	got, err := rewritten(t, false, swap{name: "T.Decides", body: `
	return tolerateadapter.Decides(t.a, b)`})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`import tolerateadapter "github.com/go-tolerate/tolerate/bench/kubernetes/adapter"`,
		`tolerateadapter.Called("T.Decides")`,
		`return tolerateadapter.Decides(t.a, b)`,
		`_ "strings"`,           // only the old body used it
		`_ "k8s.io/klog/v2"`,    // by a name that is not its path's last element
		`return fmt.Sprint(1)`,  // another function stays
		`// Decides decides.`,   // and so do comments
		`func (t *T) Decides(b`, // and the signature
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "HasPrefix") || strings.Contains(got, "tolerateobjects") {
		t.Errorf("the old body, or an adapter that is not asked for:\n%s", got)
	}
}

func TestRewriteKeep(t *testing.T) {
	got, err := rewritten(t, true, swap{name: "T.Decides", body: "panic(1)"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(got, `tolerateadapter.Called("T.Decides")`) || !strings.Contains(got, "HasPrefix(t.a, b)") || strings.Contains(got, "panic(1)") {
		t.Errorf("upstream's body, counted, is not there:\n%s", got)
	}
}

// A function that upstream renamed must not be left to upstream unseen.
func TestRewriteMissing(t *testing.T) {
	if _, err := rewritten(t, false, swap{name: "T.Decided"}); err == nil {
		t.Error("no error")
	}
}

func TestJudge(t *testing.T) {
	ok := func() *result {
		return &result{passed: map[string]bool{"TestA": true}, failed: map[string]bool{}, calls: map[string]int{"f": 1}}
	}
	for name, c := range map[string]struct {
		suite  suite
		result func() *result
		errs   int
	}{
		"good":              {suite{pkg: "p"}, ok, 0},
		"no call":           {suite{pkg: "p"}, func() *result { r := ok(); r.calls = nil; return r }, 1},
		"failure":           {suite{pkg: "p"}, func() *result { r := ok(); r.failed["TestB/c"] = true; return r }, 1},
		"failure elsewhere": {suite{pkg: "p"}, func() *result { r := ok(); r.packageFailed = true; return r }, 1},
		"listed, passes":    {suite{pkg: api + "/core/v1"}, ok, len(cannotPass[api+"/core/v1"])},
		"listed, fails": {suite{pkg: api + "/core/v1"}, func() *result {
			r := ok()
			for test := range cannotPass[api+"/core/v1"] {
				r.failed[test] = true
			}
			r.failed["TestCompareNumericValues"] = true // fails with its subtests
			return r
		}, 0},
	} {
		if errs := judge(c.suite, c.result(), false); len(errs) != c.errs {
			t.Errorf("%s: %v", name, errs)
		}
	}
}
