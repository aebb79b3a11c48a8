// Package grammar makes test inputs from a grammar file.
//
// The tests of a parser usually contain what its author thought of. Here the grammar,
// which is also the documentation, makes the inputs: [Load] reads and verifies an EBNF
// file in the notation of golang.org/x/exp/ebnf, [Grammar.Derive] derives a random text
// from it, and [Mutate] damages the text, so that near misses are tested as often as
// valid texts. A second, slower parser in the test decides which result is right.
//
// A grammar defines which characters can follow each other; it cannot express lengths,
// numbers and relations between parts. So it describes a superset of the valid texts,
// and a few of the derived texts are long enough to exceed a limit.
package grammar

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/exp/ebnf"
)

// A Grammar is a verified grammar. It is immutable, and safe for concurrent use.
type Grammar struct{ productions ebnf.Grammar }

// Load reads the grammar file at path. Every production must be defined, and reachable
// from start. None may contain itself: its derivation would not end.
func Load(path, start string) (*Grammar, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	productions, err := ebnf.Parse(path, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return &Grammar{productions}, ebnf.Verify(productions, start)
}

// Derive returns a string that the named production describes, chosen by r. It panics
// if there is no production of this name.
func (g *Grammar) Derive(r *rand.Rand, name string) string {
	p, ok := g.productions[name]
	if !ok {
		panic("grammar: no production " + name)
	}
	w := walker{Grammar: g, r: r}
	w.derive(p.Expr)
	return w.out.String()
}

type walker struct {
	*Grammar
	r   *rand.Rand
	out strings.Builder
}

const maxLength = 4096 // from which on nothing optional is derived

func (w *walker) derive(x ebnf.Expression) {
	switch x := x.(type) {
	case nil:
	case ebnf.Alternative:
		w.derive(x[w.r.IntN(len(x))])
	case ebnf.Sequence:
		for _, e := range x {
			w.derive(e)
		}
	case *ebnf.Name:
		w.derive(w.productions[x.String].Expr)
	case *ebnf.Token:
		w.out.WriteString(x.String)
	case *ebnf.Range:
		first, _ := utf8.DecodeRuneInString(x.Begin.String)
		last, _ := utf8.DecodeRuneInString(x.End.String)
		w.out.WriteRune(first + w.r.Int32N(last-first+1))
	case *ebnf.Group:
		w.derive(x.Body)
	case *ebnf.Option:
		if w.out.Len() < maxLength && w.r.IntN(2) == 0 {
			w.derive(x.Body)
		}
	case *ebnf.Repetition:
		times := w.r.IntN(4)
		if w.r.IntN(24) == 0 { // about as often as a name can be long
			times = 58 + w.r.IntN(8)
		}
		for ; times > 0 && w.out.Len() < maxLength; times-- {
			w.derive(x.Body)
		}
	default:
		panic(fmt.Sprintf("grammar: unexpected %T", x))
	}
}

// suspects are the bytes that a parser is likely to handle wrongly.
const suspects = ":=/,.-_+ \t\n\x00\x7f\x80\xff\"'*#@0159azAZ"

// Mutate returns s with one change at a place chosen by r: a byte inserted,
// deleted or replaced, a part of it repeated, or two bytes swapped. Places at
// an end and next to punctuation, where formats go wrong, are chosen more often
// than others, and so is punctuation. The result may equal s.
func Mutate(r *rand.Rand, s string) string {
	if s == "" {
		return string(suspects[r.IntN(len(suspects))])
	}
	b := []byte(s)
	i := place(r, s)
	switch r.IntN(6) {
	case 0, 1:
		if r.IntN(3) == 0 {
			i++ // behind it
		}
		b = slices.Insert(b, i, other(r, s))
	case 2:
		b = slices.Delete(b, i, i+1)
	case 3:
		b[i] = other(r, s)
	case 4:
		part := b[i : i+1+r.IntN(len(b)-i)]
		times := 1
		if r.IntN(4) == 0 {
			times = 1 + r.IntN(70)
		}
		b = slices.Insert(b, i, slices.Repeat(part, times)...)
	case 5:
		j := place(r, s)
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// place is an index of s.
func place(r *rand.Rand, s string) int {
	i := r.IntN(len(s))
	switch r.IntN(4) {
	case 0:
		return r.IntN(2) * (len(s) - 1)
	case 1:
		if j := strings.IndexFunc(s[i:], punctuation); j >= 0 {
			return i + j
		}
	}
	return i
}

func punctuation(c rune) bool { return strings.ContainsRune(":=/,.-_ ", c) }

// other returns a byte to insert into s: a suspect, punctuation of s itself, or any
// byte.
func other(r *rand.Rand, s string) byte {
	switch r.IntN(4) {
	case 0:
		return byte(r.Uint32())
	case 1:
		if c := s[place(r, s)]; punctuation(rune(c)) {
			return c
		}
	}
	return suspects[r.IntN(len(suspects))]
}

// Strings yields n strings of the named production: a derived one, then the same with
// one to three mutations, and so on. Each iteration continues with r.
func (g *Grammar) Strings(r *rand.Rand, name string, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		var s string
		for i := range n {
			if i%2 == 0 {
				s = g.Derive(r, name)
			} else {
				for range 1 + r.IntN(3) {
					s = Mutate(r, s)
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// Rand returns a source of choices for tb, and logs its seed. If TOLERATE_SEED has this
// seed, the choices are the same.
func Rand(tb testing.TB) *rand.Rand {
	tb.Helper()
	seed := rand.Uint64()
	if s := os.Getenv("TOLERATE_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			tb.Fatalf("TOLERATE_SEED: %v", err)
		}
	}
	tb.Logf("to run this again: TOLERATE_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}
