package contract

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// Value is the contract of an opaque comparable value: Equal, Compare, IsZero,
// GoString that is Go source, and text, JSON, YAML and binary both ways.
type Value[T comparable] struct {
	// Samples are values that all differ, in the order of Compare. The first is the
	// zero T.
	Samples []T
	// Invalid are texts that represent no T.
	Invalid []string
	// Text returns the value as text keeps it, and JSON as JSON keeps it; nil if the
	// form keeps all of it.
	Text, JSON func(T) T
}

// opaque is the methods that T must have, except for text and JSON.
type opaque[T any] interface {
	fmt.Stringer
	fmt.GoStringer
	Equal(T) bool
	Compare(T) int
	IsZero() bool
	encoding.BinaryMarshaler
}

// Test checks the contract.
func (c Value[T]) Test(t *testing.T) {
	t.Helper()
	keep := func(f func(T) T, v T) T {
		if f == nil {
			return v
		}
		return f(v)
	}
	var zero T
	if len(c.Samples) < 3 || c.Samples[0] != zero {
		t.Fatalf("%d samples, and the first is %v, not the zero value", len(c.Samples), c.Samples[0])
	}
	for i, v := range c.Samples {
		o, other := has[opaque[T]](t, v), c.Samples[(i+1)%len(c.Samples)]
		t.Run(fmt.Sprintf("%d_%s", i, o), func(t *testing.T) {
			if got := o.IsZero(); got != (i == 0) {
				t.Errorf("IsZero() = %v", got)
			}
			for j, w := range c.Samples {
				if got, want := o.Compare(w), cmp.Compare(i, j); got != want {
					t.Errorf("Compare(%v) = %d, want %d", w, got, want)
				}
			}
			equalOnly(t, v, o.Equal, c.Samples, i)
			forms(t, v, keep(c.Text, v), keep(c.JSON, v), other, o.String())
			keyed(t, v, keep(c.Text, v))
			binary(t, v, other)
			yaml(t, v, other)
		})
	}
	for _, text := range c.Invalid {
		for _, v := range c.Samples {
			_ = unread(t, v, text, readText)
			_ = unread(t, v, mustMarshal(t, text), readJSON)
		}
		_ = unread(t, c.Samples[1], text, readBinary)
	}
}

func binary[T comparable](t *testing.T, v, other T) {
	data, err := any(v).(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary: %v", err)
	}
	back := other
	if err := readBinary(&back, string(data)); err != nil || back != v {
		t.Errorf("binary %q is read back as %v, %v", data, back, err)
	}
	// Binary that is cut short is rejected, and changes nothing. A shorter text can be
	// another valid value.
	for i := range data {
		got := other
		if err := readBinary(&got, string(data[:i])); got == v || err != nil && got != other {
			t.Errorf("binary %q, cut short, is read as %v, %v", data[:i], got, err)
		}
	}
}

// yaml reads what MarshalYAML returns, nil or a struct of fields tagged yaml, in the form
// that YAML libraries pass to UnmarshalYAML.
func yaml[T comparable](t *testing.T, v, other T) {
	m, ok := any(v).(interface{ MarshalYAML() (any, error) })
	if !ok {
		return
	}
	y, err := m.MarshalYAML()
	if err != nil {
		t.Fatalf("MarshalYAML: %v", err)
	}
	var fields map[string]any
	if y != nil {
		fields = make(map[string]any)
		for i, f := range reflect.VisibleFields(reflect.TypeOf(y)) {
			value := reflect.ValueOf(y).Field(i)
			if name, _, _ := strings.Cut(f.Tag.Get("yaml"), ","); !value.IsZero() {
				fields[name] = reflect.Indirect(value).Interface()
			}
		}
	}
	back := other
	u := has[unmarshaler](t, &back)
	if err := u.UnmarshalYAML(YAML(fields, nil)); err != nil || back != v {
		t.Errorf("YAML %v is read back as %v, %v", y, back, err)
	}
}

// unmarshaler is a type that YAML libraries read.
type unmarshaler interface {
	UnmarshalYAML(func(any) error) error
}

// YAML acts as a YAML library that has read a mapping of these values, nil for a null,
// with the texts of its scalars as they were written.
func YAML(values map[string]any, texts map[string]string) func(any) error {
	return func(into any) error {
		m := reflect.ValueOf(into).Elem()
		if values == nil {
			m.SetZero()
			return nil
		}
		m.Set(reflect.MakeMap(m.Type()))
		for name, value := range values {
			field := reflect.New(m.Type().Elem())
			err := field.Interface().(unmarshaler).UnmarshalYAML(func(into any) error {
				if v, ok := into.(*any); ok {
					*v = value
					return nil
				}
				text, ok := texts[name]
				if *into.(*string) = text; !ok || text == "" {
					return errors.New("not a scalar")
				}
				return nil
			})
			if err != nil {
				return err
			}
			m.SetMapIndex(reflect.ValueOf(name), field.Elem())
		}
		return nil
	}
}

// NotJSON returns how an error describes text that is no JSON: the reason is that of
// encoding/json, whose words depend on the version of Go.
func NotJSON(text string) string {
	return "must be JSON: " + json.Unmarshal([]byte(text), new(any)).Error()
}
