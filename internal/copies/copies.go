// Package copies tests types that must not be copied after first use. Only tests import
// it.
package copies

import (
	"reflect"
	"slices"
	"testing"
)

// Check tests that every exported method of a copy of a used T panics and names the
// type, when it is called or when the iterator that it returns is ranged over. It also
// tests that the original still works, and that a copy of an unused T can be used. The
// function use calls some method. Methods that exist only for the package's tests are
// excepted.
func Check[T any](t *testing.T, name string, use func(*T), except ...string) {
	t.Helper()
	var used, unused T
	early := Duplicate(&unused)
	use(&used)
	use(early)
	use(&unused)
	methods := reflect.TypeFor[*T]()
	for i := range methods.NumMethod() {
		m := methods.Method(i)
		if slices.Contains(except, m.Name) {
			continue
		}
		c := reflect.ValueOf(Duplicate(&used))
		if got, want := Panic(func() { call(m, c) }), name+" was copied after first use"; got != want {
			t.Errorf("%s of a copy: panic %v, want %v", m.Name, got, want)
		}
	}
	if methods.NumMethod() <= len(except) {
		t.Errorf("%s has no methods", name)
	}
	use(&used)
}

// call calls the method with zero arguments and ranges over the iterators that it
// returns.
func call(m reflect.Method, receiver reflect.Value) {
	args := []reflect.Value{receiver}
	for in := 1; in < m.Type.NumIn(); in++ {
		args = append(args, reflect.Zero(m.Type.In(in)))
	}
	do := m.Func.Call
	if m.Type.IsVariadic() {
		do = m.Func.CallSlice
	}
	for _, result := range do(args) {
		switch {
		case result.Type().CanSeq():
			for range result.Seq() {
				break
			}
		case result.Type().CanSeq2():
			for range result.Seq2() {
				break
			}
		}
	}
}

// Duplicate copies the value that a pointer points to, in a way that vet does not
// detect.
func Duplicate[T any](p *T) *T {
	m := map[int]T{0: *p}
	c := m[0]
	return &c
}

// Panic returns the value with which do panics, or nil if it does not.
func Panic(do func()) (value any) {
	defer func() { value = recover() }()
	do()
	return nil
}

// Methods returns the names of the exported methods of *T, sorted.
func Methods[T any](except ...string) (names []string) {
	methods := reflect.TypeFor[*T]()
	for i := range methods.NumMethod() {
		if name := methods.Method(i).Name; !slices.Contains(except, name) {
			names = append(names, name)
		}
	}
	return names
}
