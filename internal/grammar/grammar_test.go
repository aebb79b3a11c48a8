package grammar_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/grammar"
)

func load(t *testing.T, text string) (*grammar.Grammar, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "test.ebnf")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return grammar.Load(path, "a")
}

func TestLoad_refuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`a = "x" `, "expected"},
		{`a = b .`, "missing production b"},
		{`a = "x" . b = "y" .`, "b is unreachable"},
	} {
		if g, err := load(t, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Load(%q) = %v, %v, want an error with %q", tt.text, g, err, tt.want)
		}
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
		{"range", `a = "α" … "γ" .`, `[α-γ]`, []string{"α", "β", "γ"}},
		{"option", `a = "x" [ "y" ] .`, `xy?`, []string{"x", "xy"}},
		{"repetition", `a = { "x" } .`, `x*`, []string{"", "x", "xxx", strings.Repeat("x", 63), strings.Repeat("x", 64)}},
		{"group", `a = ( "x" | "y" ) "z" .`, `[xy]z`, []string{"xz", "yz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := load(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
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

// Mutate makes every kind of change.
func TestMutate(t *testing.T) {
	r := grammar.Rand(t)
	seen := make(map[string]bool)
	for range 10_000 {
		seen[grammar.Mutate(r, "abcd")] = true
	}
	for kind, want := range map[string]string{
		"inserted": "ab:cd", "at the end": "abcd ", "deleted": "acd", "replaced": "a-cd", "repeated": "abcbcd", "swapped": "dbca",
	} {
		if !seen[want] {
			t.Errorf("%s: %q was never made", kind, want)
		}
	}
	if grammar.Mutate(r, "") == "" {
		t.Error("an empty text is unchanged")
	}
}

// Every other string is as derived; some of the others are mutated.
func TestStrings(t *testing.T) {
	g, err := load(t, `a = "xyz" .`)
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(g.Strings(grammar.Rand(t), "a", 101))
	derived := 0
	for i, s := range got {
		if s == "xyz" {
			derived++
		} else if i%2 == 0 {
			t.Errorf("string %d is %q", i, s)
		}
	}
	if len(got) != 101 || derived == len(got) {
		t.Errorf("%d strings, %d as derived", len(got), derived)
	}
}

func TestRand(t *testing.T) {
	t.Setenv("TOLERATE_SEED", "9223372036854775813")
	if a, b := grammar.Rand(t).Uint64(), grammar.Rand(t).Uint64(); a != b {
		t.Errorf("the same seed gave %d and %d", a, b)
	}
	t.Setenv("TOLERATE_SEED", "")
	if a, b := grammar.Rand(t).Uint64(), grammar.Rand(t).Uint64(); a == b {
		t.Error("two seeds are equal")
	}
}
