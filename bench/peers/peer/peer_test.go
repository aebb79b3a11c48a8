package peer_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/overlay"
	"github.com/go-tolerate/tolerate/bench/overlay/hook"
	"github.com/go-tolerate/tolerate/bench/peers/peer"
)

func TestFastest(t *testing.T) {
	for _, c := range []struct {
		name, out     string
		before, after float64
		err           bool
	}{
		{"three rounds", lines("peer-2", "10", "tolerate-2", "1", "peer#01-2", "30", "tolerate#01-2", "2.5", "peer#02-2", "20", "tolerate#02-2", "90"), 10, 1, false},
		{"one round", lines("peer", "10", "tolerate", "2.5"), 10, 2.5, false},
		{"one side", lines("peer", "10"), 0, 0, true},
		{"nothing", "PASS\n", 0, 0, true},
	} {
		before, after, err := peer.Fastest([]byte(c.out))
		if before != c.before || after != c.after || (err != nil) != c.err {
			t.Errorf("%s: %v, %v, %v", c.name, before, after, err)
		}
	}
}

// lines returns the output of a benchmark from pairs of names and nanoseconds.
func lines(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		b.WriteString("BenchmarkF/impl=" + pairs[i] + " \t 1000000\t " + pairs[i+1] + " ns/op\t 0 B/op\n")
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	t.Setenv("TOLERATE_ROUNDS", "2")
	hook.Original = false
	var sides []bool
	testing.Benchmark(func(b *testing.B) {
		sides = nil
		peer.Compare(b, func(b *testing.B) { sides = append(sides, hook.Original) })
	})
	if got, want := slices.Compact(sides), []bool{true, false, true, false}; !slices.Equal(got, want) || hook.Original {
		t.Errorf("original: %v, and then %v; want %v, and then false", got, hook.Original, want)
	}
}

func TestAdded(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("helper.go", "package p\n\nimport (\n\t\"fmt\"\n)\n\n// F prints.\nfunc F() {\n\t// a\n\tfmt.Print()\n}\n")
	write("peer_test.go", "package p\n\nfunc G() {}\n")
	p := peer.Peer{
		Swaps: []overlay.Swap{{Body: "\na()\n\nb()"}, {Body: "return"}},
		Files: []overlay.File{{Name: "p/helper.go", From: "helper.go"}, {Name: "p/peer_test.go", From: "peer_test.go"}},
	}
	if n, err := p.Added(dir); n != 6 || err != nil {
		t.Errorf("%d lines, %v; want 6", n, err)
	}
	p.Swaps = append(p.Swaps, overlay.Swap{Body: strings.Repeat("a()\n", peer.MaxLines-6)})
	if n, err := p.Added(dir); n != peer.MaxLines || err != nil {
		t.Errorf("%d lines, %v; want %d", n, err, peer.MaxLines)
	}
	p.Swaps = append(p.Swaps, overlay.Swap{Body: "a()"})
	if _, err := p.Added(dir); err == nil {
		t.Errorf("more than %d lines: no error", peer.MaxLines)
	}
}

func TestMissing(t *testing.T) {
	set := func(names ...string) map[string]bool {
		m := map[string]bool{}
		for _, name := range names {
			m[name] = true
		}
		return m
	}
	before := &overlay.Result{Passed: set("TestA", "TestA/1", "TestB", "TestC"), Failed: set("TestD"), Specs: 2}
	for _, tt := range []struct {
		name  string
		after *overlay.Result
		want  int
	}{
		{"same", before, 0},
		{"subtest", &overlay.Result{Passed: set("TestA", "TestA/2", "TestB", "TestC"), Specs: 2}, 0},
		{"failed", &overlay.Result{Passed: set("TestA", "TestB"), Failed: set("TestC"), Specs: 1}, 0},
		{"skipped", &overlay.Result{Passed: set("TestA", "TestB"), Skipped: set("TestC"), Specs: 2}, 1},
		{"nothing", &overlay.Result{}, 4},
	} {
		if errs := peer.Missing("p", before, tt.after); len(errs) != tt.want {
			t.Errorf("%s: %v, want %d errors", tt.name, errs, tt.want)
		}
	}
}

func TestWritePage(t *testing.T) {
	reports := []*peer.Report{
		{
			Name: "Zebra", Module: "example.com/z", Version: "v1.0.0", Skipped: "None.",
			Suites: []peer.SuiteReport{
				{Suite: overlay.Suite{Package: "example.com/z/p", Run: "A|B"}, Before: peer.Tests{Run: 3, Passed: 3}, After: peer.Tests{Run: 3, Passed: 2}, Calls: []string{"F", "T.G"}},
				{Suite: overlay.Suite{Package: "example.com/z/q"}, Before: peer.Tests{Run: 1, Passed: 1}, After: peer.Tests{Run: 1, Passed: 1}, Calls: []string{"F"}},
			},
			Failures: []peer.Failure{{Package: "example.com/z/p", Test: "TestF/a", Cause: "no effect"}},
			Deleted:  20, Added: 5, Hot: "`F`", Before: 86, After: 8.6,
		},
		{Name: "Ape", Module: "example.com/a", Version: "v2.0.0", Hot: "`G`", Before: 100, After: 50},
	}
	var folders []string
	for _, r := range reports {
		folder := t.TempDir()
		folders = append(folders, folder)
		if err := r.Store(folder); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := peer.WritePage(&b, folders); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| Ape v2.0.0 | 0 of 0 | 0 of 0 | 0 | 0 | `G`: 100 ns | 50 ns | 2.0 |\n| Zebra v1.0.0 | 4 of 4 | 3 of 4 | 20 | 5 | `F`: 86 ns | 8.6 ns | 10.0 |\n",
		"| `p` `-run 'A\\|B'` | 3 of 3 | 2 of 3 | `F`, `T.G` |\n| `q` | 1 of 1 | 1 of 1 | `F` |\n",
		"| `p` | `TestF/a` | no effect |\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no\n%sin\n%s", want, &b)
		}
	}
	if err := peer.WritePage(&b, append(folders, t.TempDir())); err == nil {
		t.Error("a peer without a report: no error")
	}
}
