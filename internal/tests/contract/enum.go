package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Enum is the contract of the enumeration E. The text of each constant is its name,
// both ways if E has UnmarshalText. An unknown number prints as E(7) and has no text. An unknown name is an
// error that lists the names and suggests the nearest.
type Enum[E ~uint8] struct {
	// Names has the name of every constant, and "" for 0 if the zero value has the
	// empty text. All other numbers are unknown.
	Names map[E]string
}

// Test checks the contract.
func (c Enum[E]) Test(t *testing.T) {
	t.Helper()
	known := make(map[string]bool)
	for e, name := range c.Names {
		known[name] = true
		t.Run(fmt.Sprintf("%d_%s", e, name), func(t *testing.T) { c.constant(t, e, name) })
	}
	if len(known) < 2 || len(known) < len(c.Names) {
		t.Errorf("%d constants have %d names", len(c.Names), len(known))
	}
	for _, name := range []string{"", "no such name", "0", "1", c.numbered(1), c.numbered(200), strings.Repeat("x", 10_000)} {
		if !known[name] && readable[E]() {
			c.unknownName(t, name)
		}
	}
	for n := range 1 << 8 {
		if _, named := c.Names[E(n)]; !named {
			c.unknownNumber(t, E(n))
		}
	}
}

func (c Enum[E]) constant(t *testing.T, e E, name string) {
	var other E // any other constant
	for n := range c.Names {
		if n != e {
			other = n
		}
	}
	forms(t, e, e, e, other, name)
	if got, want := mustMarshal(t, e), mustMarshal(t, name); got != want {
		t.Errorf("JSON = %s, want %s", got, want)
	}
	if name == "" || !readable[E]() {
		return
	}
	keyed(t, e, e)
	misspellings := []string{strings.ToUpper(name), strings.ToLower(name), " " + name}
	if len(name) > 3 { // a shorter name with an additional letter has no suggestion
		misspellings = append(misspellings, name+"x")
	}
	for _, misspelt := range misspellings {
		if misspelt == name {
			continue
		}
		if err := c.unknownName(t, misspelt); !strings.Contains(fmt.Sprint(err), "did you mean "+name+"?") {
			t.Errorf("the error of %q does not name the nearest, %q: %v", misspelt, name, err)
		}
	}
}

// unknownName checks the error of a name that no constant has.
func (c Enum[E]) unknownName(t *testing.T, name string) (err error) {
	t.Helper()
	for e, known := range c.Names {
		_ = unread(t, e, mustMarshal(t, name), readJSON)
		err = unread(t, e, name, readText)
		if text := fmt.Sprint(err); !strings.Contains(text, ".UnmarshalText(") || !strings.Contains(text, known) || len(text) > 1000 {
			t.Errorf("the error of %q does not list %s, or is long: %v", name, known, err)
		}
	}
	return err
}

// unknownNumber checks a number that is no constant.
func (c Enum[E]) unknownNumber(t *testing.T, e E) {
	t.Helper()
	if got, want := fmt.Sprint(e), c.numbered(e); got != want {
		t.Errorf("%d prints as %q, want %q", uint8(e), got, want)
	}
	if a, ok := any(e).(encoding.TextAppender); ok {
		if got, err := a.AppendText([]byte("before")); err == nil || string(got) != "before" {
			t.Errorf("AppendText of %d = %q, %v, want an error and the bytes unchanged", uint8(e), got, err)
		}
	}
	if got, err := any(e).(encoding.TextMarshaler).MarshalText(); len(got) != 0 || !strings.Contains(fmt.Sprint(err), `.MarshalText("`+c.numbered(e)) {
		t.Errorf("MarshalText of %d = %q, %v, want an error", uint8(e), got, err)
	}
	if got, err := json.Marshal(e); err == nil {
		t.Errorf("json.Marshal of %d = %s, want an error", uint8(e), got)
	}
}

// numbered returns the text of a number that is no constant.
func (c Enum[E]) numbered(e E) string {
	return fmt.Sprintf("%s(%d)", reflect.TypeFor[E]().Name(), uint8(e))
}
