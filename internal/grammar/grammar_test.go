package grammar_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/grammar"
)

func load(t *testing.T, text, start string) (*grammar.Grammar, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ebnf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return grammar.Load(path, start)
}

func mustLoad(t *testing.T, text, start string) *grammar.Grammar {
	t.Helper()
	g, err := load(t, text, start)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestLoad_refuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"broken notation", `a = "x" `, "expected"},
		{"a name without a production", `a = b .`, "missing production b"},
		{"a production that nothing reaches", `a = "x" . b = "y" .`, "b is unreachable"},
		{"no start", `b = "y" .`, "no start production a"},
		{"a production declared twice", `a = "x" . a = "y" .`, "declared already"},
		{"a range the wrong way round", `a = "z" … "a" .`, "decreasing character range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := load(t, tt.text, "a")
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Load(%q) = %v, %v, want an error with %q", tt.text, g, err, tt.want)
			}
		})
	}
	if _, err := grammar.Load(filepath.Join(t.TempDir(), "none.ebnf"), "a"); !os.IsNotExist(err) {
		t.Errorf("Load of no file: %v", err)
	}
}

// Each grammar has a regular expression for the same language. Derived texts must match
// it, and every kind of choice must occur.
func TestDerive(t *testing.T) {
	for _, tt := range []struct {
		name, text, pattern string
		want                []string
	}{
		{"token", `a = "x" .`, `x`, []string{"x"}},
		{"nothing", `a = .`, ``, []string{""}},
		{"sequence", `a = "x" b "z" . b = "y" .`, `xyz`, []string{"xyz"}},
		{"alternative", `a = "x" | "y" | "zz" .`, `x|y|zz`, []string{"x", "y", "zz"}},
		{"range", `a = "b" … "d" .`, `[b-d]`, []string{"b", "c", "d"}},
		{"a wide range", `a = "α" … "γ" .`, `[α-γ]`, []string{"α", "β", "γ"}},
		{"option", `a = "x" [ "y" ] .`, `xy?`, []string{"x", "xy"}},
		{"repetition", `a = { "x" } .`, `x*`, []string{"", "x", "xxx", strings.Repeat("x", 63), strings.Repeat("x", 64)}},
		{"group", `a = ( "x" | "y" ) "z" .`, `[xy]z`, []string{"xz", "yz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := mustLoad(t, tt.text, "a")
			r := grammar.Rand(t)
			pattern := regexp.MustCompile(`^(?:` + tt.pattern + `)$`)
			seen := make(map[string]bool)
			for range 10_000 {
				s := g.Derive(r, "a")
				if !pattern.MatchString(s) {
					t.Fatalf("Derive = %q, which %s does not match", s, pattern)
				}
				seen[s] = true
			}
			for _, s := range tt.want {
				if !seen[s] {
					t.Errorf("%q was never derived", s)
				}
			}
		})
	}
}

func TestDerive_unknown(t *testing.T) {
	g := mustLoad(t, `a = "x" .`, "a")
	defer func() {
		if got := recover(); got != "grammar: no production nope" {
			t.Errorf("Derive of an unknown production: panic %v", got)
		}
	}()
	g.Derive(grammar.Rand(t), "nope")
}

// Mutate must make every kind of change, and exactly one at a time.
func TestMutate(t *testing.T) {
	const s = "abcd"
	r := grammar.Rand(t)
	seen := make(map[string]int)
	kind := func(m string) string {
		switch {
		case m == s:
			return "same"
		case len(m) == len(s)-1 && subsequence(m, s):
			return "deleted"
		case len(m) == len(s)+1 && subsequence(s, m):
			return "inserted" // or one byte doubled
		case len(m) > len(s) && m[0] == s[0] && m[len(m)-1] == s[len(s)-1] && len(strings.Trim(m, s)) == 0:
			return "repeated"
		case len(m) == len(s):
			differ := 0
			for i := range len(s) {
				if m[i] != s[i] {
					differ++
				}
			}
			if differ == 1 {
				return "replaced"
			}
			if differ == 2 && sorted(m) == s {
				return "swapped"
			}
		}
		return "unknown"
	}
	for range 10_000 {
		m := grammar.Mutate(r, s)
		k := kind(m)
		if k == "unknown" {
			t.Fatalf("Mutate(%q) = %q: what happened there?", s, m)
		}
		seen[k]++
	}
	for _, k := range []string{"inserted", "deleted", "replaced", "repeated", "swapped"} {
		if seen[k] == 0 {
			t.Errorf("no result was %s: %v", k, seen)
		}
	}
	for range 100 {
		if m := grammar.Mutate(r, ""); len(m) == 0 {
			t.Fatal("Mutate of an empty text changed nothing")
		}
	}
}

func subsequence(short, long string) bool {
	i := 0
	for j := 0; i < len(short) && j < len(long); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

func TestStrings(t *testing.T) {
	g := mustLoad(t, `a = "xyz" .`, "a")
	got := slices.Collect(g.Strings(grammar.Rand(t), "a", 101))
	if len(got) != 101 {
		t.Fatalf("%d strings, want 101", len(got))
	}
	damaged := 0
	for i, s := range got {
		if i%2 == 0 && s != "xyz" {
			t.Errorf("string %d is %q: every other one is as derived", i, s)
		}
		if s != "xyz" {
			damaged++
		}
	}
	if damaged == 0 {
		t.Error("none was mutated")
	}
	for range g.Strings(grammar.Rand(t), "a", 5) {
		break // must not panic
	}
}

func TestRand(t *testing.T) {
	t.Setenv("TOLERATE_SEED", strconv.FormatUint(1<<63+5, 10))
	a, b := grammar.Rand(t), grammar.Rand(t)
	for range 10 {
		if x, y := a.Uint64(), b.Uint64(); x != y {
			t.Fatalf("the same seed gave %d and %d", x, y)
		}
	}
	t.Setenv("TOLERATE_SEED", "")
	if a, b := grammar.Rand(t), grammar.Rand(t); a.Uint64() == b.Uint64() {
		t.Error("two seeds are equal")
	}
}
