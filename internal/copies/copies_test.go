package copies_test

import (
	"iter"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/copies"
	"github.com/go-tolerate/tolerate/internal/nocopy"
)

// guarded checks for copies in each kind of method.
type guarded struct{ guard nocopy.Guard }

func (g *guarded) check() { g.guard.Check("copies_test.guarded") }

func (g *guarded) Call(int, ...string) { g.check() }

func (g *guarded) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		g.check()
		yield(1)
	}
}

func (g *guarded) All2() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		g.check()
		yield(1, "")
	}
}

func TestCheck(t *testing.T) {
	copies.Check(t, "copies_test.guarded", func(g *guarded) { g.Call(0) })
	if got, want := copies.Methods[guarded]("Call"), []string{"All", "All2"}; !slices.Equal(got, want) {
		t.Errorf("methods %v, want %v", got, want)
	}
}
