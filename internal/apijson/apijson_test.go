package apijson_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
)

var names = []string{"key", "seconds"}

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
		{``, nil, "spec.x: " + contract.NotJSON("")},
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
