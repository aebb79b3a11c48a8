package gen

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"pgregory.net/rapid"
)

// Actions returns the actions of a state machine for T. It first checks that they are
// all exported methods of T. Actions that are not methods have names in lower case.
// Methods that exist only for the package's tests are excepted.
func Actions[T any](t *rapid.T, do map[string]func(*rapid.T), except ...string) map[string]func(*rapid.T) {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(do)), func(name string) bool { return name == "" || name[0] >= 'a' })
	if want := Methods[T](except...); !slices.Equal(names, want) {
		t.Fatalf("the machine's actions are %v, the exported methods %v", names, want)
	}
	return do
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

// Epoch makes times at which the clock of a state machine starts. Some are near
// the zero time and the year 9999.
func Epoch() *rapid.Generator[time.Time] {
	return rapid.SampledFrom([]time.Time{
		time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), {},
		time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 30, 0, time.UTC),
	})
}

// Tick makes seconds by which the clock of a state machine moves: forward, back, not at
// all, and by months.
func Tick() *rapid.Generator[int] {
	return rapid.OneOf(rapid.IntRange(0, 12), rapid.IntRange(-20, 120), rapid.SampledFrom([]int{-1e7, 1e7}))
}
