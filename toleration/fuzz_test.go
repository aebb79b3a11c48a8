package toleration_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
)

// FuzzText compares Parse with the reference parser of the grammar's test, and
// sends what is accepted through every form.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "k", "k=v:NoExecute op=Equal for 300s", "op=Exists", "op=Exists op=", ":NoExecute op=Exists for -1s", "k=-5 op=Gt", "k op=", "k  op=Exists", "k for 5s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := toleration.Parse(s)
		if (err == nil) == got.IsZero() {
			t.Fatalf("K5: Parse(%q) = %v, %v", s, got, err)
		}
		if compare(t, s) {
			checkRoundTrips(t, got)
		}
	})
}

// FuzzJSON compares UnmarshalJSON and DecodeList with what encoding/json reads
// into a map, which is as case-sensitive, and lets the last of a repeated
// field win.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`null`, `{}`, `{"operator":"Exists"}`, `{"key":"k","operator":"Gt","value":"-5","effect":"NoExecute","tolerationSeconds":-3}`, `{"key":"k","value":true}`, `{"Key":"k","key":"l","x":[{}]}`, `{"key":"k","effect":"NoExecute","tolerationSeconds":1e2}`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := toleration.MustParse("before")
		got := before
		err := got.UnmarshalJSON(data)
		if err != nil && got != before {
			t.Fatalf("K5: UnmarshalJSON(%q) leaves %v behind %v", data, got, err)
		}
		if !json.Valid(data) {
			if err == nil {
				t.Fatalf("K4: UnmarshalJSON(%q) takes what is no JSON", data)
			}
			return
		}
		if text := ""; json.Unmarshal(data, &text) == nil && string(data) != "null" {
			want, wantErr := toleration.Parse(text)
			if (err == nil) != (wantErr == nil || text == "") || err == nil && got != want {
				t.Fatalf("K5: UnmarshalJSON(%q) = %v, %v, want %v, %v", data, got, err, want, wantErr)
			}
			return
		}
		list, listErr := toleration.DecodeList([]byte("["+string(data)+"]"), toleration.ListOptions{})
		if (listErr == nil) != (err == nil && !got.IsZero()) || listErr != nil && list != nil || listErr == nil && (len(list) != 1 || list[0] != got) {
			t.Fatalf("K4: DecodeList of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
		}
		var m map[string]any
		if json.Unmarshal(data, &m) != nil || m == nil {
			return
		}
		field := func(name string) (text string, ok bool) {
			text, ok = m[name].(string)
			return text, ok || m[name] == nil
		}
		key, ok1 := field("key")
		op, ok2 := field("operator")
		value, ok3 := field("value")
		effect, ok4 := field("effect")
		number, ok5 := m["tolerationSeconds"].(float64)
		var seconds *int64
		if n := int64(number); ok5 {
			seconds = &n
			ok5 = number == math.Trunc(number)
		} else {
			ok5 = m["tolerationSeconds"] == nil
		}
		want := ok1 && ok2 && ok3 && ok4 && ok5 && toleration.Check(key, op, value, effect, seconds) == nil
		if err == nil && !want || err != nil && want && seconds == nil {
			t.Fatalf("K4: UnmarshalJSON(%q) = %v, %v, want accepted: %t", data, got, err, want)
		}
		if err == nil {
			if got.Key() != key || got.Operator().String() != op || got.Value() != value || got.Effect().String() != effect {
				t.Errorf("K4: UnmarshalJSON(%q) = %v", data, got)
			}
			checkRoundTrips(t, got)
		}
	})
}
