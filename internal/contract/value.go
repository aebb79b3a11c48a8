package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
	if c.Text == nil {
		c.Text = func(v T) T { return v }
	}
	if c.JSON == nil {
		c.JSON = func(v T) T { return v }
	}
	var zero T
	if len(c.Samples) < 3 || c.Samples[0] != zero {
		t.Fatalf("%d samples, and the first is %v, not the zero value", len(c.Samples), c.Samples[0])
	}
	for i, v := range c.Samples {
		o, ok := any(v).(opaque[T])
		if !ok {
			t.Fatalf("%T does not have all of %v", v, reflect.TypeFor[opaque[T]]())
		}
		t.Run(fmt.Sprintf("%d_%s", i, o), func(t *testing.T) {
			c.order(t, i)
			c.value(t, v, c.Samples[(i+1)%len(c.Samples)])
		})
	}
	for _, text := range c.Invalid {
		for _, v := range c.Samples {
			_ = unread(t, v, text)
		}
		got := c.Samples[1]
		u := any(&got).(encoding.BinaryUnmarshaler)
		if err := u.UnmarshalBinary([]byte(text)); err == nil || got != c.Samples[1] {
			t.Errorf("UnmarshalBinary(%q) gives %v, %v, want an error and %v", text, got, err, c.Samples[1])
		}
	}
}

// order checks Equal, Compare, IsZero and go-cmp for each pair with this sample.
func (c Value[T]) order(t *testing.T, i int) {
	v := c.Samples[i]
	o := any(v).(opaque[T])
	if got := o.IsZero(); got != (i == 0) {
		t.Errorf("IsZero() = %v", got)
	}
	for j, w := range c.Samples {
		if got, want := o.Compare(w), min(max(i-j, -1), 1); got != want {
			t.Errorf("Compare(%v) = %d, want %d", w, got, want)
		}
		if got := o.Equal(w); got != (i == j) {
			t.Errorf("Equal(%v) = %v", w, got)
		}
		if diff := cmp.Diff([]T{v}, []T{w}); (diff == "") != (i == j) {
			t.Errorf("go-cmp compares it with %v: %q", w, diff)
		}
	}
}

// value checks the forms of v. Each is read into a variable that has another value.
func (c Value[T]) value(t *testing.T, v, other T) {
	text := any(v).(fmt.Stringer).String()
	texts(t, v, c.Text(v), other, text)
	data := mustMarshal(t, v)
	printed(t, v, text)
	back := other
	if err := json.Unmarshal(data, &back); err != nil || back != c.JSON(v) {
		t.Errorf("JSON %s is read back as %v, %v", data, back, err)
	}
	var zero T
	inStruct(t, v, c.Text(v), c.JSON(v), zero)
	c.binary(t, v, other)
	source(t, v)
	if m, ok := any(v).(interface{ MarshalYAML() (any, error) }); ok {
		y, err := m.MarshalYAML()
		if err != nil {
			t.Fatalf("MarshalYAML: %v", err)
		}
		back := other
		u, ok := any(&back).(interface{ UnmarshalYAML(func(any) error) error })
		if !ok {
			t.Fatalf("%T has MarshalYAML and no UnmarshalYAML", v)
		}
		if err := u.UnmarshalYAML(decoderOf(y)); err != nil || back != v {
			t.Errorf("YAML %v is read back as %v, %v", y, back, err)
		}
	}
}

func (c Value[T]) binary(t *testing.T, v, other T) {
	data, err := any(v).(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		t.Fatalf("MarshalBinary: %v", err)
	}
	back := other
	u, ok := any(&back).(encoding.BinaryUnmarshaler)
	if !ok {
		t.Fatalf("%T has no UnmarshalBinary", v)
	}
	if err := u.UnmarshalBinary(data); err != nil || back != v {
		t.Errorf("binary %q is read back as %v, %v", data, back, err)
	}
	// Binary that is cut short is rejected, and changes nothing. A shorter text can be
	// another valid value.
	for i := range data {
		got := other
		err := any(&got).(encoding.BinaryUnmarshaler).UnmarshalBinary(data[:i])
		if got == v || err != nil && got != other {
			t.Errorf("binary %q, cut short, is read as %v, %v", data[:i], got, err)
		}
	}
}

// decoderOf returns what a YAML library passes to UnmarshalYAML for the value that
// MarshalYAML returned: nil, or a struct of fields tagged yaml.
func decoderOf(y any) func(any) error {
	return func(p any) error {
		m, ok := p.(*map[string]any)
		if !ok {
			return fmt.Errorf("contract: no YAML into %T", p)
		}
		*m = nil
		if y == nil {
			return nil
		}
		*m = make(map[string]any)
		v := reflect.ValueOf(y)
		for i := range v.NumField() {
			f := v.Field(i)
			if f.IsZero() {
				continue
			}
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
			(*m)[name] = reflect.Indirect(f).Interface()
		}
		return nil
	}
}
