package grammar_test

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/exp/ebnf"

	"github.com/go-tolerate/tolerate/internal/tests/grammar"
)

// Each grammar has a regular expression for the same language. Half of the texts must
// match it. Every kind of choice, and of damage, must occur.
func TestStrings(t *testing.T) {
	for _, tt := range []struct {
		name, text, pattern string
		want                []string
	}{
		{"nothing", `a = .`, ``, []string{"", "-"}},
		{"sequence", `a = "x" b "z" . b = "y" .`, `xyz`, []string{"xyz", "xy:z", "yz", "x/z", "xyxyz", "xyz "}},
		{"alternative", `a = "x" | "y" | "zz" .`, `x|y|zz`, []string{"x", "y", "zz"}},
		{"range", `a = "α" … "γ" .`, `[α-γ]`, []string{"α", "β", "γ"}},
		{"option", `a = "x" [ "y" ] .`, `xy?`, []string{"x", "xy"}},
		{"repetition", `a = { "x" } .`, `x*`, []string{"", "x", "xxx", strings.Repeat("x", 63), strings.Repeat("x", 64)}},
		{"group", `a = ( "x" | "y" ) "z" .`, `[xy]z`, []string{"xz", "yz"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := ebnf.Parse("", strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			pattern := regexp.MustCompile(`^(?:` + tt.pattern + `)$`)
			seen := make(map[string]bool)
			matches, n := 0, 10_000
			for seed, texts := 0, grammar.Strings(g, "a"); seed < n; seed++ {
				s := texts.Example(seed)
				seen[s] = true
				if pattern.MatchString(s) {
					matches++
				}
			}
			if matches < n*4/10 || matches > n*9/10 {
				t.Errorf("%d of %d texts match %s", matches, n, pattern)
			}
			for _, s := range tt.want {
				if !seen[s] {
					t.Errorf("%q was never made", s)
				}
			}
		})
	}
}
