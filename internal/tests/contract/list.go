package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// List is the contract of a named list of values: Equal, Go source for %#v, and text, JSON
// and gob both ways. Reading reports every problem and never returns part of a list. Its
// YAML is tested with the libraries.
type List[L ~[]E, E comparable] struct {
	// Samples are lists of which no two are equal, beginning with the nil one.
	Samples []L
	// Text returns the element as text keeps it; nil if text keeps all of it.
	Text func(E) E
	// Bad has JSON and text of lists with problems, each with its [Reports], such as
	// "[1].key InvalidKey".
	BadJSON, BadText map[string][]string
}

// listed is the methods that L must have.
type listed[L any] interface {
	fmt.Stringer
	Equal(L) bool
	encoding.TextAppender
	json.Marshaler
}

// Test checks the contract.
func (c List[L, E]) Test(t *testing.T) {
	t.Helper()
	if len(c.Samples) < 3 || c.Samples[0] != nil || len(c.BadJSON) == 0 || len(c.BadText) == 0 {
		t.Fatalf("too few samples, or the first is not nil: %+v", c)
	}
	for i, l := range c.Samples {
		v := has[listed[L]](t, l)
		t.Run(fmt.Sprintf("%d_%s", i, v), func(t *testing.T) {
			equalOnly(t, l, v.Equal, c.Samples, i)
			kept := slices.Clone(l)
			for i, e := range kept {
				if c.Text != nil {
					kept[i] = c.Text(e)
				}
			}
			forms(t, l, kept, l, slices.Clone(c.Samples[(i+1)%len(c.Samples)]), v.String())
		})
	}
	c.bad(t, c.BadText, readText)
	c.bad(t, c.BadJSON, func(into *L, input string) error { // in a user's struct
		return readJSON(&struct{ List *L }{into}, `{"List":`+input+`}`)
	})
}

// bad checks that lists with problems are rejected whole, with all problems.
func (c List[L, E]) bad(t *testing.T, inputs map[string][]string, read func(*L, string) error) {
	t.Helper()
	for input, want := range inputs {
		err := unread(t, c.Samples[len(c.Samples)-1], input, func(into *L, input string) error {
			*into = slices.Clone(*into)
			return read(into, input)
		})
		if diff := cmp.Diff(want, Reports(err)); diff != "" {
			t.Errorf("problems of %s mismatch (-want +got):\n%s", input, diff)
		}
	}
}

// equalOnly checks that v equals only the sample with this index, by Equal and by go-cmp.
func equalOnly[T any](t *testing.T, v T, equal func(T) bool, samples []T, i int) {
	t.Helper()
	for j, w := range samples {
		if got := equal(w); got != (i == j) {
			t.Errorf("Equal(%v) = %v", w, got)
		}
		if diff := cmp.Diff([]T{v}, []T{w}); (diff == "") != (i == j) {
			t.Errorf("go-cmp compares it with %v: %q", w, diff)
		}
	}
}
