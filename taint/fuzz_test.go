package taint_test

import (
	"encoding/json"
	"testing"

	"github.com/go-tolerate/tolerate/taint"
)

// FuzzText compares Parse and ParseList with the reference parser of the
// grammar's test, and sends what is accepted through every form.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "k:NoSchedule", "k=:NoExecute", "a/b=c:PreferNoSchedule", "k=v=w:NoSchedule", "k:NoSchedule:", ":NoSchedule", "k=v"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := taint.Parse(s)
		if (err == nil) == got.IsZero() {
			t.Fatalf("K5: Parse(%q) = %v, %v", s, got, err)
		}
		compareList(t, s)
		if compare(t, s) {
			checkRoundTrips(t, got)
		}
	})
}

// FuzzJSON compares UnmarshalJSON and DecodeList with what encoding/json reads
// into a map, which is as case-sensitive, and lets the last of a repeated
// field win.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`null`, `{}`, `{"key":"k","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05.6+07:00"}`, `{"key":"k","value":5,"effect":"NoExecute"}`, `{"Key":"k","key":"l","effect":"NoSchedule","x":[{}]}`, `[]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := taint.MustParse("before:NoExecute")
		got := before
		err := got.UnmarshalJSON(data)
		if err != nil && got != before {
			t.Fatalf("K5: UnmarshalJSON(%q) leaves %v behind %v", data, got, err)
		}
		if text := ""; json.Unmarshal(data, &text) == nil && string(data) != "null" {
			want, wantErr := taint.Parse(text)
			if (err == nil) != (wantErr == nil || text == "") || err == nil && got != want {
				t.Fatalf("K5: UnmarshalJSON(%q) = %v, %v, want %v, %v", data, got, err, want, wantErr)
			}
			return
		}
		list, listErr := taint.DecodeList([]byte("["+string(data)+"]"), taint.ListOptions{})
		isNull := err == nil && got.IsZero()
		if json.Valid(data) && (listErr == nil) != (err == nil && !isNull) || listErr != nil && list != nil {
			t.Fatalf("K4: DecodeList of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
		}
		if listErr == nil && (len(list) != 1 || list[0] != got) && json.Valid(data) {
			t.Fatalf("K4: DecodeList of %q = %v beside %v", data, list, got)
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
		value, ok2 := field("value")
		effect, ok3 := field("effect")
		at, ok4 := field("timeAdded")
		want := ok1 && ok2 && ok3 && ok4 && taint.Check(key, value, effect) == nil
		if err == nil && !want || err != nil && want && at == "" {
			t.Fatalf("K4: UnmarshalJSON(%q) = %v, %v, want accepted: %t", data, got, err, want)
		}
		if err == nil {
			if got.Key() != key || got.Value() != value || got.Effect().String() != effect {
				t.Errorf("K4: UnmarshalJSON(%q) = %v", data, got)
			}
			checkRoundTrips(t, got)
		}
	})
}

// checkRoundTrips demands that a taint comes back from text, without its time
// added, and whole from JSON and YAML.
func checkRoundTrips(t interface {
	Helper()
	Errorf(string, ...any)
}, u taint.Taint) {
	t.Helper()
	var back taint.Taint
	if err := back.UnmarshalText([]byte(u.String())); err != nil || back != u.Canonical() {
		t.Errorf("K5: %q is read back as %v, %v", u, back, err)
	}
	data, err := json.Marshal(u)
	back = taint.MustParse("other:NoExecute")
	if err != nil || json.Unmarshal(data, &back) != nil || back != u {
		t.Errorf("K5: %s of %#v is read back as %v, %v", data, u, back, err)
	}
	back = taint.MustParse("other:NoExecute")
	err = back.UnmarshalYAML(func(v any) error { return json.Unmarshal(data, v) })
	if err != nil || back != u {
		t.Errorf("K5: YAML %s of %#v is read back as %v, %v", data, u, back, err)
	}
	list, err := taint.ParseList(taint.FormatList([]taint.Taint{u}))
	if err != nil || !taint.EqualSets(list, []taint.Taint{u}) {
		t.Errorf("K5: %v as a list is read back as %v, %v", u, list, err)
	}
}
