package apijson_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
)

func TestFromYAML(t *testing.T) {
	type F = apijson.Field
	day := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		value any
		text  string // as it was written
		want  F
	}{
		{nil, "~", F{}},
		{"a", "a", F{Kind: apijson.String, Text: "a"}},
		{300, "300", F{Kind: apijson.Number, Text: "300"}},
		{int64(-1), "-1", F{Kind: apijson.Number, Text: "-1"}},
		{uint64(1 << 63), "9223372036854775808", F{Kind: apijson.Number, Text: "9223372036854775808"}},
		{1e3, "1e3", F{Kind: apijson.Number, Text: "1000"}},
		{1.5, "1.5", F{Kind: apijson.Number, Text: "1.5"}},
		{true, "yes", F{Kind: apijson.Other, Text: "yes"}},
		{true, "", F{Kind: apijson.Other, Text: "true"}},
		{day, "2026-01-02", F{Kind: apijson.String, Text: "2026-01-02"}},
		{day, "2026-01-02T00:00:00Z", F{Kind: apijson.String, Text: "2026-01-02T00:00:00Z"}},
		{day, "", F{Kind: apijson.Other, Text: "of another type"}},
		{[]any{1}, "", F{Kind: apijson.Other, Text: "[...]"}},
		{map[any]any{1: 2}, "", F{Kind: apijson.Other, Text: "{...}"}},
	}
	for _, tt := range tests {
		fields := []F{{Kind: apijson.String, Text: "left over"}, {Kind: apijson.String, Text: "left over"}}
		null, err := apijson.FromYAML(contract.YAML(map[string]any{"key": tt.value, "other": 1}, map[string]string{"key": tt.text}), names, fields)
		if want := []F{tt.want, {}}; null || err != nil || !slices.Equal(fields, want) {
			t.Errorf("FromYAML of %#v = %#v, %t, %v, want %#v", tt.value, fields, null, err, want)
		}
	}
	if null, err := apijson.FromYAML(contract.YAML(nil, nil), names, make([]F, 2)); !null || err != nil {
		t.Errorf("FromYAML of null = %t, %v", null, err)
	}
	bad := errors.New("no mapping")
	if _, err := apijson.FromYAML(func(any) error { return bad }, names, make([]F, 2)); err != bad {
		t.Errorf("FromYAML = %v, want the library's error", err)
	}
}

// An element that the library cannot read at all, such as a mapping with a repeated key,
// is reported with the library's reason, and a null as what it is.
func TestYAMLList_unreadable(t *testing.T) {
	repeated := errors.New(`mapping key "key" already defined`)
	for want, element := range map[string]func(any) error{
		`[0]: mapping key "key" already defined`: func(any) error { return repeated },
		`[0]: must not be null`:                  func(any) error { return nil },
	} {
		list, err := apijson.YAMLList(func(into any) error {
			elements := reflect.ValueOf(into).Elem()
			e := reflect.New(elements.Type().Elem().Elem())
			elements.Set(reflect.Append(elements, e))
			return e.Interface().(interface{ UnmarshalYAML(func(any) error) error }).UnmarshalYAML(element)
		})
		var fields [1]apijson.Field
		if err != nil || list.Next([]string{"key"}, fields[:]) || list.Problems.Error() != want {
			t.Errorf("%v, and the problems %v, want %s", err, list.Problems, want)
		}
	}
}
