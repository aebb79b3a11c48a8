package contract

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Result is the contract of a type R that functions return and that is not an input:
// String and JSON show its content; JSON is the text if it has MarshalText. It need not
// be read back. If it has Equal, no two samples are equal.
type Result[R any] struct {
	// Samples are results with different contents. One of them can be the zero R.
	Samples []R
}

// Test checks the contract.
func (c Result[R]) Test(t *testing.T) {
	t.Helper()
	if len(c.Samples) < 2 {
		t.Fatalf("%d samples", len(c.Samples))
	}
	seen := make(map[string]int)
	for i, r := range c.Samples {
		if v, ok := any(r).(interface{ Equal(R) bool }); ok {
			equalOnly(t, r, v.Equal, c.Samples, i)
		}
		text, data := has[fmt.Stringer](t, r).String(), mustMarshal(t, r)
		if empty := []string{"{}", "[]", "null", `""`, "0"}; slices.Contains(empty, data) && !reflect.ValueOf(&r).Elem().IsZero() {
			t.Errorf("the JSON of sample %d, %s, is %s", i, text, data)
		}
		for _, inside := range []string{"{}", "0xc0", "%!"} {
			if strings.Contains(text, inside) {
				t.Errorf("sample %d prints as %q, which has %s in it", i, text, inside)
			}
		}
		if _, ok := any(r).(encoding.TextMarshaler); ok && data != mustMarshal(t, text) {
			t.Errorf("the JSON of sample %d, %s, is %s", i, text, data)
		}
		for _, form := range []string{"text " + text, "JSON " + data} {
			if j, same := seen[form]; same {
				t.Errorf("samples %d and %d have one %s", j, i, form)
			}
			seen[form] = i
		}
		// A user's structs can contain results and pointers to them.
		held := struct {
			R R
			P *R
		}{r, &r}
		if got, want := mustMarshal(t, held), `{"R":`+data+`,"P":`+data+`}`; got != want {
			t.Errorf("the JSON of a struct with sample %d is %s, want %s", i, got, want)
		}
		printed(t, r, text)
	}
	// Functions return the zero result with an error, so it must print, too.
	var zero R
	if data, err := json.Marshal(zero); err != nil {
		t.Errorf("the JSON of the zero result: %s, %v", data, err)
	}
	if text := fmt.Sprint(zero); strings.Contains(text, "%!") {
		t.Errorf("the zero result prints as %q", text)
	}
}
