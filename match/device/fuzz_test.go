package device_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/match/device"
)

// taintText is the text of a taint with any effect, as a regular expression. Lengths
// are checked separately.
var taintText = regexp.MustCompile(`^((?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*/)?)` +
	`([A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?)(?:=([A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?)?)?:([A-Za-z0-9](?:[-_.A-Za-z0-9]*[A-Za-z0-9])?)$`)

// FuzzTaintText compares UnmarshalText with a regular expression, and reads back what
// it accepts.
func FuzzTaintText(f *testing.F) {
	for _, s := range []string{"", "ecc=3:NoExecute", "a/b=:None", "k:Future", "k:No Schedule", "k:" + strings.Repeat("F", 64), "k=v", ":None", "k::None", "k=v=w:None"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var got device.Taint
		err := got.UnmarshalText([]byte(s))
		m := taintText.FindStringSubmatch(s)
		valid := m != nil && len(m[1]) <= 254 && len(m[2]) <= 63 && len(m[3]) <= 63 && len(m[4]) <= 63 || s == ""
		if (err == nil) != valid {
			t.Fatalf("%q is read as %v, %v", s, got, err)
		}
		if err != nil {
			if !got.IsZero() {
				t.Errorf("%q gives %v and an error", s, got)
			}
			return
		}
		var back device.Taint
		if err := back.UnmarshalText([]byte(got.String())); err != nil || back != got {
			t.Errorf("%q is read back as %v, %v", got, back, err)
		}
		if strict, err := device.ParseTaint(s); err == nil && (strict != got || strict.Effect() == 0) {
			t.Errorf("ParseTaint(%q) = %v", s, strict)
		}
	})
}

// FuzzTolerationText reads back what it accepts.
func FuzzTolerationText(f *testing.F) {
	for _, s := range []string{"", "=", "=x:NoExecute for -3s", "op=x op=", "op=Exists", "k=v op=Equal", "k op=Lt", " for 3s", "= for 3s", "op=", ":None"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := device.ParseToleration(s)
		if (err != nil) != u.IsZero() {
			t.Fatalf("%q is read as %#v, %v", s, u, err)
		}
		back, readErr := device.ParseToleration(u.String())
		if err == nil && (readErr != nil || back != u) {
			t.Errorf("%q is read as %#v, and back as %#v, %v", s, u, back, readErr)
		}
	})
}

// FuzzJSON reads any bytes as each type. An accepted value is written and read back
// unchanged, and an error changes nothing.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{
		`[{"key":"ecc","effect":"NoExecute","timeAdded":"2026-01-02T15:04:05Z"}]`, `[{"operator":"Exists"},{}]`, `null`, `[null]`, `[{"effect":"Future","key":"a"}]`,
		`{"driver":"a"}`, `{"driver":""}`, `{"deviceSelector":{"pool":"a"},"taint":{"key":"a","effect":"None"}}`, `{"deviceSelector":{"pool":""}}`, `[{"tolerationSeconds":9223372036854775808}]`, `[{"key":null,"key":"a"}]`, `[{"key":"\u0061","effect":"None"}]`,
		`{"Driver":"a"}`, `{"driver":"a","Driver":""}`, `[{"key":"a","Key":"b","effect":"None","Effect":"NoExecute"}]`, `{"DeviceSelector":{},"taint":{"key":"a","effect":"None"}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readsBack(t, data, device.Taints{device.MustParseTaint("old:None")})
		readsBack(t, data, device.Tolerations{device.MustParseToleration("=")})
		readsBack(t, data, device.TaintRule{Selector: &device.TaintSelector{Driver: "old"}})
		s := device.TaintSelector{Driver: "old"}
		if err := s.UnmarshalJSON(data); err != nil && s != (device.TaintSelector{Driver: "old"}) {
			t.Errorf("%s changes a selector to %v", data, s)
		} else if err == nil && s == (device.TaintSelector{}) && bytes.Contains(data, []byte(`:"`)) {
			t.Errorf("%s selects all", data)
		}
	})
}

// readsBack reads data over an old value. An accepted value is written and read back
// unchanged, and an error changes nothing.
func readsBack[V any](t *testing.T, data []byte, old V) {
	t.Helper()
	v := old
	if err := any(&v).(json.Unmarshaler).UnmarshalJSON(data); err != nil {
		if !reflect.DeepEqual(v, old) {
			t.Errorf("%s changes %v to %v", data, old, v)
		}
		return
	}
	var back V
	text, err := json.Marshal(v)
	if err == nil {
		err = any(&back).(json.Unmarshaler).UnmarshalJSON(text)
	}
	if err != nil || !reflect.DeepEqual(back, v) {
		t.Errorf("%v is read back as %v, %v", v, back, err)
	}
}
