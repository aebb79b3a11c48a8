package contract

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// List is the contract of a named list of values: Equal, GoString that is Go source,
// and text, JSON and gob both ways. Reading reports every problem and never returns
// part of a list. Its YAML is tested with the libraries.
type List[L ~[]E, E comparable] struct {
	// Samples are lists of which no two are equal, beginning with the nil one.
	Samples []L
	// Text returns the element as text keeps it; nil if text keeps all of it.
	Text func(E) E
	// Bad has JSON and text of lists with problems, each with the reported paths and
	// rules, such as "[1].key KeyEmpty".
	BadJSON, BadText map[string][]string
	// Reports returns the paths and rules of an error.
	Reports func(error) []string
}

// listed is the methods that L must have.
type listed[L any] interface {
	fmt.Stringer
	fmt.GoStringer
	Equal(L) bool
	encoding.TextAppender
	encoding.TextMarshaler
	json.Marshaler
}

// Test checks the contract.
func (c List[L, E]) Test(t *testing.T) {
	t.Helper()
	if len(c.Samples) < 3 || c.Samples[0] != nil {
		t.Fatalf("%d samples, and the first is %v, not nil", len(c.Samples), c.Samples[0])
	}
	for i, l := range c.Samples {
		v, ok := any(l).(listed[L])
		if !ok {
			t.Fatalf("%T does not have all of %v", l, reflect.TypeFor[listed[L]]())
		}
		t.Run(fmt.Sprintf("%d_%s", i, v), func(t *testing.T) {
			for j, m := range c.Samples {
				if got := v.Equal(m); got != (i == j) {
					t.Errorf("Equal(%v) = %v", m, got)
				}
				if diff := cmp.Diff([]L{l}, []L{m}); (diff == "") != (i == j) {
					t.Errorf("go-cmp compares it with %v: %q", m, diff)
				}
			}
			c.forms(t, l, c.Samples[(i+1)%len(c.Samples)])
		})
	}
	t.Run("bad", c.bad)
}

// forms checks the forms of l. Each is read into a variable that has another list.
func (c List[L, E]) forms(t *testing.T, l, other L) {
	v := any(l).(listed[L])
	text := v.String()
	if got, err := v.AppendText([]byte("before")); err != nil || string(got) != "before"+text {
		t.Errorf("AppendText = %q, %v, want %q", got, err, "before"+text)
	}
	kept := append(L(nil), l...)
	if c.Text != nil {
		for i, e := range kept {
			kept[i] = c.Text(e)
		}
	}
	back := append(L(nil), other...)
	if err := unmarshaler(t, &back).UnmarshalText([]byte(text)); err != nil || !any(back).(listed[L]).Equal(kept) {
		t.Errorf("UnmarshalText(%q) gives %v, %v, want %v", text, back, err, kept)
	}
	data := mustMarshal(t, l)
	printed(t, l, text)
	type config struct {
		Before int
		List   L
		Lists  []L
		After  int
	}
	want := config{1, l, []L{l, other, l}, 2}
	got := config{List: other}
	if err := json.Unmarshal(mustMarshal(t, want), &got); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("JSON %s is read back as %v, %v", data, got, err)
	}
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(want)
	got = config{}
	if err == nil {
		err = gob.NewDecoder(&b).Decode(&got)
	}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("gob of %v is read back as %v, %v", want, got, err)
	}
	source(t, l)
}

// bad checks that lists with problems are rejected whole, with all problems,
// also inside a user's struct.
func (c List[L, E]) bad(t *testing.T) {
	old := c.Samples[len(c.Samples)-1]
	check := func(form, input string, got L, err error, want []string) {
		t.Helper()
		if reports := c.Reports(err); err == nil || !reflect.DeepEqual(reports, want) {
			t.Errorf("%s %s: %v, want %v", form, input, err, want)
		}
		if !any(got).(listed[L]).Equal(old) {
			t.Errorf("%s %s leaves %v", form, input, got)
		}
	}
	for input, want := range c.BadJSON {
		config := struct{ List L }{append(L(nil), old...)}
		err := json.Unmarshal([]byte(`{"List":`+input+`}`), &config)
		check("JSON", input, config.List, err, want)
	}
	for input, want := range c.BadText {
		got := append(L(nil), old...)
		err := unmarshaler(t, &got).UnmarshalText([]byte(input))
		check("text", input, got, err, want)
	}
	if len(c.BadJSON) == 0 || len(c.BadText) == 0 {
		t.Error("no lists with problems")
	}
}
