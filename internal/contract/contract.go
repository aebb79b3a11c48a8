// Package contract holds the tests of what every Go program expects of the
// module's values: [Value] of an opaque comparable value, [Enum] of an
// enumeration, [Result] of what a function returns to be read.
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
	"fmt"
	"go/parser"
	"reflect"
	"strings"
	"testing"
)

// typeName returns the name of T as code outside its package writes it, such
// as "taint.Taint".
func typeName[T any]() string { return reflect.TypeFor[T]().String() }

// printed checks that the verbs of fmt print v as this text.
func printed(t *testing.T, v any, text string) {
	t.Helper()
	for verb, want := range map[string]string{"%v": text, "%+v": text, "%s": text, "%q": fmt.Sprintf("%q", text)} {
		if got := fmt.Sprintf(verb, v); got != want {
			t.Errorf("%s prints %s, want %s", verb, got, want)
		}
	}
}

// source checks that %#v prints a Go expression, which an Example shows.
func source(t *testing.T, v any) {
	t.Helper()
	printed := fmt.Sprintf("%#v", v)
	if _, err := parser.ParseExpr(printed); err != nil {
		t.Errorf("GoString() = %s: %v", printed, err)
	}
}

// mustMarshal is json.Marshal for values that have JSON.
func mustMarshal(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("json.Marshal(%v): %v", v, err)
	}
	return data
}

// texts checks AppendText, MarshalText and UnmarshalText of v, whose text is this one;
// read is the value that the text is read as.
func texts[T comparable](t *testing.T, v, read, other T, text string) {
	t.Helper()
	if appender, ok := any(v).(encoding.TextAppender); ok {
		if got, err := appender.AppendText([]byte("before")); err != nil || string(got) != "before"+text {
			t.Errorf("AppendText = %q, %v, want %q", got, err, "before"+text)
		}
	}
	marshaler, ok := any(v).(encoding.TextMarshaler)
	if !ok {
		t.Fatalf("%s has no MarshalText", typeName[T]())
	}
	if got, err := marshaler.MarshalText(); err != nil || string(got) != text {
		t.Errorf("MarshalText = %q, %v, want %q", got, err, text)
	}
	if !readable[T]() {
		return
	}
	back := other
	if err := unmarshaler(t, &back).UnmarshalText([]byte(text)); err != nil || back != read {
		t.Errorf("UnmarshalText(%q) gives %v, %v, want %v", text, back, err, read)
	}
}

// readable reports whether T has UnmarshalText. What only results have needs none.
func readable[T any]() bool {
	_, ok := any(new(T)).(encoding.TextUnmarshaler)
	return ok
}

func unmarshaler[T any](t *testing.T, v *T) encoding.TextUnmarshaler {
	t.Helper()
	u, ok := any(v).(encoding.TextUnmarshaler)
	if !ok {
		t.Fatalf("%s has no UnmarshalText", typeName[T]())
	}
	return u
}

// unread checks that the text is an error and leaves the value unchanged, in
// UnmarshalText and in JSON.
func unread[T comparable](t *testing.T, v T, text string) error {
	t.Helper()
	got := v
	err := unmarshaler(t, &got).UnmarshalText([]byte(text))
	if err == nil || got != v {
		t.Errorf("UnmarshalText(%q) gives %v, %v, want an error and %v", text, got, err, v)
	}
	quoted := mustMarshal(t, text)
	if err := json.Unmarshal(quoted, &got); err == nil || got != v {
		t.Errorf("json.Unmarshal(%s) gives %v, %v, want an error and %v", quoted, got, err, v)
	}
	return err
}

// fields is a user's struct that holds values in every place.
type fields[T comparable] struct {
	V    T
	P    *T
	List []T
	Keys map[T]int
	Vals map[string]T
}

// inStruct checks that JSON and gob restore v inside a struct, beside another value.
// Text, and so a JSON key, keeps key of v; JSON keeps read.
func inStruct[T comparable](t *testing.T, v, key, read, other T) {
	t.Helper()
	hold := func(v T) fields[T] {
		return fields[T]{v, &v, []T{v, other, v}, map[T]int{key: 1}, map[string]T{"k": v}}
	}
	data := mustMarshal(t, hold(v))
	var got fields[T]
	want := hold(read)
	err := json.Unmarshal(data, &got)
	if got.P == nil && strings.Contains(string(data), `"P":null`) {
		got.P = want.P // this makes a pointer nil, whatever its type
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("JSON %s is read back as %v, %v", data, got, err)
	}
	var b bytes.Buffer
	got, want = fields[T]{}, hold(v)
	err = gob.NewEncoder(&b).Encode(want)
	if err == nil {
		err = gob.NewDecoder(&b).Decode(&got)
	}
	var zero T
	if got.P == nil && v == zero {
		got.P = want.P // gob omits zero values
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("gob of %v is read back as %v, %v", want, got, err)
	}
}
