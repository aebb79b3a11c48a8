// Package grammar makes test inputs from a grammar file.
//
// The tests of a parser usually contain what its author thought of. Here the grammar,
// which is also the documentation, makes the inputs: [Strings] derives random texts from
// an EBNF file in the notation of golang.org/x/exp/ebnf, and damages half of them, so that
// near misses are tested as often as valid texts. A second, slower parser in the test decides which result is right.
//
// A grammar defines which characters can follow each other; it cannot express lengths,
// numbers and relations between parts. So it describes a superset of the valid texts,
// and a few of the derived texts are long enough to exceed a limit.
package grammar

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/exp/ebnf"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
)

// Strings makes texts that the named production describes, and damages half of them in
// one to three places.
func Strings(g ebnf.Grammar, name string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		d := derivation{g, t, strings.Builder{}}
		d.derive(g[name].Expr)
		s := d.out.String()
		if rapid.Bool().Draw(t, "damaged") {
			for range rapid.IntRange(1, 3).Draw(t, "places") {
				s = gen.Damaged(t, s)
			}
		}
		return s
	})
}

// MakeCheck returns a test that compares texts that the named production of the grammar
// file describes, and damaged ones. The function reports whether a text is valid; at least
// this share must be, and not nearly all. Every production of the grammar must be
// defined, and reachable from start. None may contain itself: its derivation would not
// end.
func MakeCheck(path, start, name string, least float64, compare func(t rapid.TB, text string) (valid bool)) func(*testing.T) {
	return func(t *testing.T) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		g, err := ebnf.Parse(path, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := ebnf.Verify(g, start); err != nil {
			t.Fatal(err)
		}
		valid, n := 0.0, 0.0
		rapid.Check(t, func(t *rapid.T) {
			for _, s := range rapid.SliceOfN(Strings(g, name), 100, 100).Draw(t, "texts") {
				if n++; compare(t, s) {
					valid++
				}
			}
		})
		if valid < least*n || valid > 0.9*n {
			t.Errorf("%v of %v texts were valid", valid, n)
		}
	}
}

type derivation struct {
	g   ebnf.Grammar
	t   *rapid.T
	out strings.Builder
}

const maxLength = 4096 // from which on nothing optional is derived

func (d *derivation) below(n int) int { return rapid.IntRange(0, n-1).Draw(d.t, "choice") }

func (d *derivation) derive(x ebnf.Expression) {
	switch x := x.(type) {
	case nil:
	case ebnf.Alternative:
		d.derive(x[d.below(len(x))])
	case ebnf.Sequence:
		for _, e := range x {
			d.derive(e)
		}
	case *ebnf.Name:
		d.derive(d.g[x.String].Expr)
	case *ebnf.Token:
		d.out.WriteString(x.String)
	case *ebnf.Range:
		first, _ := utf8.DecodeRuneInString(x.Begin.String)
		last, _ := utf8.DecodeRuneInString(x.End.String)
		d.out.WriteRune(first + rune(d.below(int(last-first)+1)))
	case *ebnf.Group:
		d.derive(x.Body)
	case *ebnf.Option:
		if d.out.Len() < maxLength && rapid.Bool().Draw(d.t, "option") {
			d.derive(x.Body)
		}
	case *ebnf.Repetition:
		times := d.below(4)
		if d.below(24) == 23 { // about as often as a name can be long
			times = 58 + d.below(8)
		}
		for ; times > 0 && d.out.Len() < maxLength; times-- {
			d.derive(x.Body)
		}
	default:
		panic(fmt.Sprintf("grammar: unexpected %T", x))
	}
}
