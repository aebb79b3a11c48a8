package apijson_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/apijson"
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

// FuzzObject compares what Object reads with what encoding/json makes of the
// same text.
func FuzzObject(f *testing.F) {
	for _, s := range []string{`{}`, `{"key":"a","x":[{"key":1}],"key":"b"}`, `{"k\u0065y":"\ud83d\ude00\\","seconds":-0.5e9}`, `{"":null} `, `{"key":"a","key":null}`, "{\"key\":\"\xc3\x28\"}", `[]`, `{"key"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkValid(t, data)
		s, err := apijson.NewScanner(data)
		var want map[string]json.RawMessage
		if err != nil || json.Unmarshal(data, &want) != nil || want == nil || len(want) > 64 {
			return
		}
		all := slices.Sorted(maps.Keys(want))
		fields := make([]apijson.Field, len(all))
		s.Object(all, fields, true, nil)
		for i, f := range fields {
			raw := string(want[all[i]])
			if text := ""; json.Unmarshal([]byte(raw), &text) == nil && raw != "null" {
				if f.Kind != apijson.String || f.Text != text {
					t.Errorf("%q of %q is %#v, want %q", all[i], data, f, text)
				}
			} else if (f.Kind == apijson.Absent) != (raw == "null") || f.Raw() != raw {
				t.Errorf("%q of %q is %#v, want %s", all[i], data, f, raw)
			}
		}
	})
}
