package apijson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

var names = []string{"key", "seconds"}

func TestObject(t *testing.T) {
	type F = apijson.Field
	tests := []struct {
		name     string
		json     string
		fields   []F
		problems []string // strict
	}{
		{"empty", `{}`, []F{{}, {}}, nil},
		{"both", ` { "key" : "a" , "seconds" : -3 } `, []F{{Kind: apijson.String, Text: "a"}, {Kind: apijson.Number, Text: "-3"}}, nil},
		{"K4_null_is_absent", `{"key":null}`, []F{{}, {}}, nil},
		{"K4_kinds", `{"key":[1,"]",{"a":"}"}],"seconds":{"x":[{}]}}`, []F{{Kind: apijson.Other, Text: `[1,"]",{"a":"}"}]`}, {Kind: apijson.Other, Text: `{"x":[{}]}`}}, nil},
		{"K4_literals", `{"key":true,"seconds":1.5e3}`, []F{{Kind: apijson.Other, Text: "true"}, {Kind: apijson.Number, Text: "1.5e3"}}, nil},
		{"K4_escapes", `{"\u006bey":"a\"\\\u0041\n"}`, []F{{Kind: apijson.String, Text: "a\"\\A\n"}, {}}, nil},
		{"K4_repeated_last_wins", `{"key":"a","key":"b"}`, []F{{Kind: apijson.String, Text: "b"}, {}}, []string{`key "b": must be given only once`}},
		{"K4_case_matters", `{"Key":"a"}`, []F{{}, {}}, []string{`unknown field "Key", did you mean key? (allowed: key, seconds)`}},
		{"K4_unknown", `{"other":{"key":"a"},"key":"b"}`, []F{{Kind: apijson.String, Text: "b"}, {}}, []string{`unknown field "other" (allowed: key, seconds)`}},
		{"not_UTF8", "{\"key\":\"a\xff\"}", []F{{Kind: apijson.String, Text: "a\ufffd"}, {}}, nil},
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
				if diff := cmp.Diff(tt.fields, fields); diff != "" {
					t.Errorf("strict=%t: fields mismatch (-want +got):\n%s", strict, diff)
				}
			}
		})
	}
}

func TestObjectOfAnotherKind(t *testing.T) {
	for _, text := range []string{"null", "1", `"x"`, "[]", "false"} {
		s, err := apijson.NewScanner([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		ps := s.Object(names, make([]apijson.Field, 2), false, nil)
		if len(ps) != 1 || ps[0].Rule != validate.NotObject || ps[0].Value != text {
			t.Errorf("Object of %s: %v", text, ps)
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
		{` [ ] `, nil, ""},
		{`null`, nil, ""},
		{`[1, "a" ,null,{}]`, []string{"1", `"a"`, "null", "{}"}, ""},
		{`{}`, nil, "spec.x {}: must be a list"},
		{`"[]"`, nil, `spec.x "[]": must be a list`},
		{``, nil, "spec.x: must be JSON: unexpected end of JSON input"},
		{`[1`, nil, "spec.x: must be JSON: unexpected end of JSON input"},
		{`[1] 2`, nil, "spec.x: must be JSON: invalid character '2' after top-level value"},
		{`[,]`, nil, "spec.x: must be JSON: invalid character ',' looking for beginning of value"},
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

func TestFromMap(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		value any
		want  apijson.Field
	}{
		{nil, apijson.Field{}},
		{"a", apijson.Field{Kind: apijson.String, Text: "a"}},
		{300, apijson.Field{Kind: apijson.Number, Text: "300"}},
		{int64(-1), apijson.Field{Kind: apijson.Number, Text: "-1"}},
		{uint64(1 << 63), apijson.Field{Kind: apijson.Number, Text: "9223372036854775808"}},
		{1e3, apijson.Field{Kind: apijson.Number, Text: "1000"}},
		{1.5, apijson.Field{Kind: apijson.Number, Text: "1.5"}},
		{true, apijson.Field{Kind: apijson.Other, Text: "true"}},
		{at, apijson.Field{Kind: apijson.Time, Text: "2026-01-02T03:04:05Z"}},
		{[]any{1}, apijson.Field{Kind: apijson.Other, Text: "[...]"}},
		{map[any]any{1: 2}, apijson.Field{Kind: apijson.Other, Text: "{...}"}},
	}
	for _, tt := range tests {
		fields := make([]apijson.Field, 2)
		apijson.FromMap(map[string]any{"key": tt.value, "other": 1}, names, fields)
		if fields[0] != tt.want || fields[1] != (apijson.Field{}) {
			t.Errorf("FromMap(%#v) = %#v, want %#v", tt.value, fields[0], tt.want)
		}
	}
}

// FuzzObject compares what Object reads with what encoding/json makes of the
// same text.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"key":"a","x":[{"key":1}],"key":"b"}`, `{"k\u0065y":"\ud83d\ude00\\","seconds":-0.5e9}`, `{"":null} `, "{\"key\":\"\xc3\x28\"}", `[]`, `{"key"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := apijson.NewScanner(data)
		if (err == nil) != json.Valid(data) {
			t.Fatalf("NewScanner(%q) = %v", data, err)
		}
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
			default:
				if got.Text != string(want[name]) {
					t.Errorf("%q of %q is %#v, want %s", name, data, got, want[name])
				}
			}
		}
	})
}

// A value of one's own, decoded with every problem at its path.
func ExampleNewScanner() {
	s, err := apijson.NewScanner([]byte(`{"kind": "Node"}`))
	fmt.Println(s.Value().Text, err)

	_, err = apijson.NewScanner([]byte(`{"kind": `))
	fmt.Println(err)
	// Output:
	// {"kind": "Node"} <nil>
	// must be JSON: unexpected end of JSON input
}

func ExampleOpenList() {
	s, err := apijson.OpenList([]byte(`["a", "b"]`), "spec.zones")
	for err == nil && s.More() {
		name, _ := s.Text()
		fmt.Println(name)
	}

	_, err = apijson.OpenList([]byte(`{"a": "b"}`), "spec.zones")
	fmt.Println(err)
	// Output:
	// a
	// b
	// spec.zones {"a": "b"}: must be a list
}

// Looking for one member, and passing over the others.
func ExampleScanner_Enter() {
	s, _ := apijson.NewScanner([]byte(`{"kind": "Node", "spec": {"podCIDR": "10.0.0.0/24"}}`))
	if s.Enter('{') {
		for s.More() {
			if name := s.Name(); name == "spec" {
				fmt.Println(s.Value().Text)
			} else {
				s.Value()
			}
		}
	}
	// Output: {"podCIDR": "10.0.0.0/24"}
}

func ExampleScanner_More() {
	s, _ := apijson.NewScanner([]byte(`[1, [], 3]`))
	s.Enter('[')
	n := 0
	for s.More() {
		s.Value()
		n++
	}
	fmt.Println(n)
	// Output: 3
}

func ExampleScanner_Null() {
	s, _ := apijson.NewScanner([]byte(`[null, 7]`))
	s.Enter('[')
	for s.More() {
		if s.Null() {
			fmt.Println("nothing")
		} else {
			fmt.Println(s.Value().Text)
		}
	}
	// Output:
	// nothing
	// 7
}

func ExampleFromMap() {
	fields := make([]apijson.Field, 2)
	apijson.FromMap(map[string]any{"size": 5, "colour": "red"}, []string{"name", "size"}, fields)
	fmt.Println(fields[0].Kind == apijson.Absent, fields[1].Kind == apijson.Number, fields[1].Text)
	// Output: true true 5
}

func ExampleScanner_Object() {
	s, err := apijson.OpenList([]byte(`[{"name": "a", "size": "5"}, {"name": 7, "sise": 1}]`), "spec.disks")
	var problems validate.Problems
	fields := make([]apijson.Field, 2)
	for i := 0; err == nil && s.More(); i++ {
		found := s.Object([]string{"name", "size"}, fields, true, nil)
		_, found = fields[0].AsString("name", found)
		problems = validate.Append(problems, validate.Index("spec.disks", i), found)
	}
	fmt.Println(problems.Err())
	// Output:
	// spec.disks[1]: unknown field "sise", did you mean size? (allowed: name, size)
	// spec.disks[1].name 7: must be a string, so put it in quotes
}
