package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
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
	if len(c.Names) < 2 {
		t.Fatalf("%s has %d names", typeName[E](), len(c.Names))
	}
	known := make(map[string]bool)
	for e, name := range c.Names {
		if known[name] {
			t.Errorf("two constants have the name %q", name)
		}
		known[name] = true
		t.Run(fmt.Sprintf("%d_%s", e, name), func(t *testing.T) { c.constant(t, e, name) })
	}
	t.Run("unknown_name", func(t *testing.T) {
		if !readable[E]() {
			return
		}
		for _, name := range []string{"", "no such name", "0", "1", c.numbered(1), c.numbered(200), strings.Repeat("x", 1000)} {
			if !known[name] {
				c.unknownName(t, name)
			}
		}
	})
	t.Run("unknown_number", func(t *testing.T) {
		for n := range 1 << 8 {
			if _, named := c.Names[E(n)]; !named {
				c.unknownNumber(t, E(n))
			}
		}
	})
}

func (c Enum[E]) constant(t *testing.T, e E, name string) {
	if got := fmt.Sprint(e); got != name {
		t.Errorf("it prints as %q, want %q", got, name)
	}
	var other E // any other constant
	for n := range c.Names {
		if n != e {
			other = n
		}
	}
	texts(t, e, e, other, name)
	quoted := mustMarshal(t, name)
	if got := mustMarshal(t, e); string(got) != string(quoted) {
		t.Errorf("JSON = %s, want %s", got, quoted)
	}
	printed(t, e, name)
	if name == "" || !readable[E]() {
		return
	}
	inStruct(t, e, e, e, other)
	misspellings := []string{strings.ToUpper(name), strings.ToLower(name), " " + name}
	if len(name) > 3 { // a shorter name with an additional letter has no suggestion
		misspellings = append(misspellings, name+"x")
	}
	for _, misspelt := range misspellings {
		if misspelt == name {
			continue
		}
		err := c.unknownName(t, misspelt)
		if err != nil && !strings.Contains(err.Error(), "did you mean "+name+"?") {
			t.Errorf("the error of %q does not name the nearest, %q: %v", misspelt, name, err)
		}
	}
}

// unknownName checks the error of a name that no constant has.
func (c Enum[E]) unknownName(t *testing.T, name string) error {
	t.Helper()
	var err error
	for e := range c.Names {
		err = unread(t, e, name)
	}
	for _, known := range c.Names {
		if err != nil && !strings.Contains(err.Error(), known) {
			t.Errorf("the error of %q does not list %s: %v", name, known, err)
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
	if got, err := any(e).(encoding.TextMarshaler).MarshalText(); err == nil || len(got) != 0 {
		t.Errorf("MarshalText of %d = %q, %v, want an error", uint8(e), got, err)
	}
	if got, err := json.Marshal(e); err == nil {
		t.Errorf("json.Marshal of %d = %s, want an error", uint8(e), got)
	}
}

// numbered returns the text of a number that is no constant.
func (c Enum[E]) numbered(e E) string {
	_, name, _ := strings.Cut(typeName[E](), ".")
	return fmt.Sprintf("%s(%d)", name, uint8(e))
}
