package apijson_test

import (
	stdcmp "cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/validate"
)

var names = []string{"key", "seconds"}

func TestObject(t *testing.T) {
	t.Run("K4_null_last", objectNullLast)
	type F = apijson.Field
	tests := []struct {
		name     string
		json     string
		fields   []F
		problems []string // strict
	}{
		{"both", ` { "key" : "a" , "seconds" : -3 } `, []F{{Kind: apijson.String, Text: "a"}, {Kind: apijson.Number, Text: "-3"}}, nil},
		{"K4_kinds", `{"key":[1,"]",{"a":"}"}],"seconds":{"x":[{}]}}`, []F{{Kind: apijson.Other, Text: `[1,"]",{"a":"}"}]`}, {Kind: apijson.Other, Text: `{"x":[{}]}`}}, nil},
		{"K4_literals", `{"key":true,"seconds":1.5e3}`, []F{{Kind: apijson.Other, Text: "true"}, {Kind: apijson.Number, Text: "1.5e3"}}, nil},
		{"K4_repeated_last_wins", `{"key":"a","key":"b"}`, []F{{Kind: apijson.String, Text: "b"}, {}}, []string{`key "b": must be given only once`}},
		{"K4_case_matters", `{"Key":"a"}`, []F{{}, {}}, []string{`unknown field "Key", did you mean key? (allowed: key, seconds)`}},
		{"K4_unknown", `{"other":{"key":"a"},"key":"b"}`, []F{{Kind: apijson.String, Text: "b"}, {}}, []string{`unknown field "other" (allowed: key, seconds)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, strict := range []bool{false, true} {
				s, err := apijson.NewScanner([]byte(tt.json))
				if err != nil {
					t.Fatal(err)
				}
				fields := []F{{Kind: apijson.String, Text: "left over"}, {Kind: apijson.String, Text: "left over"}}
				var got []string
				for _, p := range s.Object(names, fields, strict, nil) {
					got = append(got, p.Error())
				}
				want := tt.problems
				if !strict {
					want = nil
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("strict=%t: problems mismatch (-want +got):\n%s", strict, diff)
				}
				if diff := cmp.Diff(tt.fields, fields, cmp.AllowUnexported(F{})); diff != "" {
					t.Errorf("strict=%t: fields mismatch (-want +got):\n%s", strict, diff)
				}
			}
		})
	}
}

// A null that follows a value unsets the field, except where it is a string.
func objectNullLast(t *testing.T) {
	tests := []struct {
		json    string
		kept    apijson.Field
		text    string
		problem string
	}{
		{`{"key":"a","key":null}`, apijson.Field{Kind: apijson.String, Text: "a"}, "a", ""},
		{`{"key":null,"key":"a","seconds":1,"key":null}`, apijson.Field{Kind: apijson.String, Text: "a"}, "a", ""},
		{`{"key":"a","key":5,"key":null}`, apijson.Field{Kind: apijson.Number, Text: "5"}, "", "key 5: must be a string, so put it in quotes"},
		{`{"key":[1],"key":null}`, apijson.Field{Kind: apijson.Other, Text: "[1]"}, "", "key [1]: must be a string"},
	}
	for _, tt := range tests {
		s, err := apijson.NewScanner([]byte(tt.json))
		if err != nil {
			t.Fatal(err)
		}
		fields := make([]apijson.Field, 2)
		if ps := s.Object(names, fields, false, nil); ps != nil {
			t.Errorf("%s: %v", tt.json, ps)
		}
		f := fields[0]
		if f.Kind != apijson.Absent || f.Raw() != "null" {
			t.Errorf("%s: the field is %#v, want an absent one", tt.json, f)
		}
		if got := f.Kept(); got != tt.kept || got.Kept() != got {
			t.Errorf("%s: Kept() = %#v, want %#v", tt.json, got, tt.kept)
		}
		text, ps := f.AsString("key", nil)
		if problem := fmt.Sprint(ps.Err()); text != tt.text || problem != stdcmp.Or(tt.problem, "<nil>") {
			t.Errorf("%s: AsString = %q, %s, want %q, %s", tt.json, text, problem, tt.text, tt.problem)
		}
	}
}

func TestOpenList(t *testing.T) {
	tests := []struct {
		json string
		want []string
		err  string
	}{
		{`[]`, nil, ""},
		{`null`, nil, ""},
		{`[1, "a" ,null,{}]`, []string{"1", `"a"`, "null", "{}"}, ""},
		{`{}`, nil, "spec.x {}: must be a list"},
		{``, nil, "spec.x: must be JSON: unexpected end of JSON input"},
	}
	for _, tt := range tests {
		s, err := apijson.OpenList([]byte(tt.json), "spec.x")
		if err != nil {
			if err.Error() != tt.err {
				t.Errorf("OpenList(%s) = %v, want %s", tt.json, err, tt.err)
			}
			continue
		}
		var got []string
		for s.More() {
			got = append(got, s.Value().Raw())
		}
		if tt.err != "" || !slices.Equal(got, tt.want) {
			t.Errorf("OpenList(%s) = %q, want %q, %s", tt.json, got, tt.want, tt.err)
		}
	}
}

// A text nested so deep that a recursive reader would need megabytes of stack.
func TestDeepNesting(t *testing.T) {
	deep := strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)
	s, err := apijson.NewScanner([]byte(`{"key":` + deep + `,"seconds":1}`))
	if err != nil {
		t.Fatal(err)
	}
	fields := make([]apijson.Field, 2)
	s.Object(names, fields, true, nil)
	if fields[0].Text != deep || fields[1].Text != "1" {
		t.Error("the field behind the deep one is lost")
	}
	_, err = apijson.NewScanner([]byte(strings.Repeat("[", 1_000_000)))
	if !errors.As(err, new(validate.Problems)) {
		t.Errorf("a million open lists: %v", err)
	}
}

// FuzzObject compares what Object reads with what encoding/json makes of the
// same text.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"key":"a","x":[{"key":1}],"key":"b"}`, `{"k\u0065y":"\ud83d\ude00\\","seconds":-0.5e9}`, `{"":null} `, `{"key":"a","key":null}`, `{"key":null,"key":"a","key":null}`, `{"key":"a","Key":"b","KEY":null}`, "{\"key\":\"\xc3\x28\"}", `[]`, `{"key"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkValid(t, data)
		s, err := apijson.NewScanner(data)
		var want map[string]json.RawMessage
		if err != nil || json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		all := slices.Sorted(maps.Keys(want))
		if len(all) > 64 {
			return
		}
		fields := make([]apijson.Field, len(all))
		s.Object(all, fields, true, nil)
		for i, name := range all {
			var value any
			if err := json.Unmarshal(want[name], &value); err != nil && !strings.Contains(err.Error(), "number") {
				t.Fatal(err)
			}
			got := fields[i]
			switch value := value.(type) {
			case string:
				if got.Kind != apijson.String || got.Text != value {
					t.Errorf("%q of %q is %#v, want %q", name, data, got, value)
				}
			case nil:
				if string(want[name]) == "null" && got.Kind != apijson.Absent {
					t.Errorf("%q of %q is %#v, want none", name, data, got)
				}
				compareString(t, data, all, name, got)
			default:
				if got.Text != string(want[name]) {
					t.Errorf("%q of %q is %#v, want %s", name, data, got, want[name])
				}
			}
		}
	})
}

// compareString compares a field whose last value is null with what
// encoding/json makes of the same text, read into a string.
func compareString(t *testing.T, data []byte, all []string, name string, f apijson.Field) {
	t.Helper()
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return // no name of a struct's field
	}
	if slices.ContainsFunc(all, func(n string) bool { return n != name && strings.EqualFold(n, name) }) {
		return // encoding/json takes that one, too
	}
	field := reflect.StructField{Name: "F", Type: reflect.TypeFor[string](), Tag: reflect.StructTag(`json:"` + name + `"`)}
	read := reflect.New(reflect.StructOf([]reflect.StructField{field}))
	err := json.Unmarshal(data, read.Interface())
	got, ps := f.AsString(name, nil)
	if want := read.Elem().Field(0).String(); err == nil && (len(ps) > 0 || got != want) {
		t.Errorf("%q of %q is the string %q, %v, want %q", name, data, got, ps, want)
	}
}
