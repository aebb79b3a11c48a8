// Package contract holds the tests of what every Go program expects of the
// module's values: [Value] of an opaque comparable value, [List] of a named list of
// them, [Enum] of an enumeration, [Result] of what a function returns to be read.
//
// Each is filled with samples and run by a test of the package that has the
// type:
//
//	contract.Enum[toleration.Operator]{Names: map[toleration.Operator]string{0: "", toleration.Equal: "Equal", …}}.Test(t)
package contract

import (
	"bytes"
	"encoding"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/validate"
)

// Reports returns the path and the rule of each problem of err.
func Reports(err error) (lines []string) {
	var ps validate.Problems
	errors.As(err, &ps)
	for _, p := range ps {
		lines = append(lines, p.Path+" "+p.Rule.String())
	}
	return lines
}

// Paths returns the paths of the problems of err, sorted, each once.
func Paths(err error) (paths []string) {
	var ps validate.Problems
	errors.As(err, &ps)
	for _, p := range ps {
		paths = append(paths, p.Path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// Panic returns the value with which f panics, or nil if it does not.
func Panic(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// has fails the test if v has not all methods of the interface I.
func has[I any](t *testing.T, v any) I {
	t.Helper()
	i, ok := v.(I)
	if !ok {
		t.Fatalf("%T does not have all of %v", v, reflect.TypeFor[I]())
	}
	return i
}

// readable reports whether T has UnmarshalText. What only results have needs none.
func readable[T any]() bool {
	_, ok := any(new(T)).(encoding.TextUnmarshaler)
	return ok
}

func mustMarshal(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("json.Marshal(%v): %v", v, err)
	}
	return string(data)
}

// printed checks that the verbs of fmt print v as this text.
func printed(t *testing.T, v any, text string) {
	t.Helper()
	for verb, want := range map[string]string{"%v": text, "%+v": text, "%s": text, "%q": fmt.Sprintf("%q", text)} {
		if got := fmt.Sprintf(verb, v); got != want {
			t.Errorf("%s prints %s, want %s", verb, got, want)
		}
	}
}

// fields is a user's struct that holds values in every place.
type fields[T any] struct {
	V    T
	P    *T
	List []T
	Vals map[string]T
	Last int
}

// forms checks the forms of v, whose text is this one. Each is read into a variable that
// has another value. Text keeps asText of v, and JSON asJSON.
func forms[T any](t *testing.T, v, asText, asJSON, other T, text string) {
	t.Helper()
	printed(t, v, text)
	if got, err := has[encoding.TextMarshaler](t, v).MarshalText(); err != nil || string(got) != text {
		t.Errorf("MarshalText = %q, %v, want %q", got, err, text)
	}
	if a, ok := any(v).(encoding.TextAppender); ok {
		if got, err := a.AppendText([]byte("before")); err != nil || string(got) != "before"+text {
			t.Errorf("AppendText = %q, %v, want %q", got, err, "before"+text)
		}
	}
	if !readable[T]() {
		return
	}
	if _, err := parser.ParseExpr(fmt.Sprintf("%#v", v)); err != nil {
		t.Errorf("%%#v prints %#v: %v", v, err)
	}
	back := other
	if err := readText(&back, text); err != nil || !cmp.Equal(back, asText) {
		t.Errorf("UnmarshalText(%q) gives %v, %v, want %v", text, back, err, asText)
	}
	hold := func(v T) fields[T] {
		return fields[T]{v, &v, []T{v, *new(T), v}, map[string]T{"k": v}, 2}
	}
	same := func(form string, got, want fields[T], err error) {
		t.Helper()
		if got.P == nil && reflect.ValueOf(&v).Elem().IsZero() {
			got.P = want.P // null makes a pointer nil, and gob omits zero values
		}
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s of %v is read back as %v, %v", form, v, got, err)
		}
	}
	got := fields[T]{V: other}
	same("JSON", got, hold(asJSON), readJSON(&got, mustMarshal(t, hold(v))))
	var b bytes.Buffer
	got = fields[T]{}
	same("gob", got, hold(v), errors.Join(gob.NewEncoder(&b).Encode(hold(v)), gob.NewDecoder(&b).Decode(&got)))
}

// keyed checks that v can be a key in JSON, which keeps asText of it.
func keyed[T comparable](t *testing.T, v, asText T) {
	t.Helper()
	var back map[T]int
	if err := readJSON(&back, mustMarshal(t, map[T]int{v: 1})); err != nil || len(back) != 1 || back[asText] != 1 {
		t.Errorf("a JSON object with the key %v is read back as %v, %v", v, back, err)
	}
}

func readText[T any](into *T, input string) error {
	return any(into).(encoding.TextUnmarshaler).UnmarshalText([]byte(input))
}

func readJSON[T any](into *T, input string) error { return json.Unmarshal([]byte(input), into) }

func readBinary[T any](into *T, input string) error {
	return any(into).(encoding.BinaryUnmarshaler).UnmarshalBinary([]byte(input))
}

// unread checks that the input is an error and leaves the value unchanged.
func unread[T any](t *testing.T, v T, input string, read func(*T, string) error) error {
	t.Helper()
	got := v
	err := read(&got, input)
	if err == nil || !cmp.Equal(got, v) {
		t.Errorf("%q is read as %v, %v, want an error and %v", input, got, err, v)
	}
	return err
}
