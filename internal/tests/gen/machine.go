package gen

import (
	"maps"
	"reflect"
	"slices"

	"pgregory.net/rapid"
)

// Actions returns the actions of a state machine for T. It first checks that they are
// all exported methods of T. Actions that are not methods have names in lower case.
func Actions[T any](t *rapid.T, do map[string]func(*rapid.T)) map[string]func(*rapid.T) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(do)), func(name string) bool { return name == "" || name[0] >= 'a' })
	var want []string
	methods := reflect.TypeFor[*T]()
	for i := range methods.NumMethod() {
		want = append(want, methods.Method(i).Name)
	}
	if !slices.Equal(names, want) {
		t.Fatalf("the machine's actions are %v, the exported methods %v", names, want)
	}
	return do
}
