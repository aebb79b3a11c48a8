package plain_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/plain"
)

// The texts are those that the rules list, and texts at the limits.

var (
	name63    = "a" + strings.Repeat("-", 61) + "z"
	prefix253 = strings.Repeat("a.", 126) + "b"
	label200  = strings.Repeat("a", 200) // no limit on one label
)

func TestKey(t *testing.T) {
	for _, s := range []string{
		"a_b.c-D", "example.com/Key", "a/b", "0", name63, prefix253 + "/a", label200 + "/a", "a.b-c.d/" + name63,
	} {
		if !plain.Key(s) {
			t.Errorf("V1: Key(%q) = false", s)
		}
	}
	for _, s := range []string{
		"", "/x", "x/", "Example.com/Key", "a/b/c", "-a", "a-", name63 + "z", prefix253 + "b/a", "readiness.k8s.io/*", "é", "a\x80", "a\x00",
		" a", "a ", "a\n", "a b", "\ta", "a_b/c", "a..b/c", ".a/b", "a./b", "-a/b", "a-/b", "a.-b/c", "/", "a=b", "a:b", "a//b",
	} {
		if plain.Key(s) {
			t.Errorf("V1: Key(%q) = true", s)
		}
	}
}

func TestValue(t *testing.T) {
	for _, s := range []string{"", "a", "0", "A_b.c-9", name63} {
		if !plain.Value(s) {
			t.Errorf("V2: Value(%q) = false", s)
		}
	}
	for _, s := range []string{"-a", "a-", "a/b", "a b", " ", name63 + "z", "a\n", "é", ".", "_a"} {
		if plain.Value(s) {
			t.Errorf("V2: Value(%q) = true", s)
		}
	}
}

func TestInteger(t *testing.T) {
	for s, want := range map[string]int64{
		"0": 0, "7": 7, "-1": -1, "100": 100, "9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		if n, ok := plain.Integer(s); !ok || n != want {
			t.Errorf("V3: Integer(%q) = %d, %v", s, n, ok)
		}
	}
	for _, s := range []string{
		"", "00", "01", "-0", "+1", "1.5", "1e3", " 1", "1 ", "1\n", "9223372036854775808", "-9223372036854775809", "-", "--1", "0x1", "1_000", "١",
	} {
		if n, ok := plain.Integer(s); ok || n != 0 {
			t.Errorf("V3: Integer(%q) = %d, %v", s, n, ok)
		}
	}
}

func TestObject(t *testing.T) {
	for _, tt := range []struct {
		json string
		want map[string]any
	}{
		{`{}`, map[string]any{}},
		{`{"a":"x","a":null,"n":1,"n":null,"b":null,"b":[1]}`, map[string]any{"a": "x", "n": nil, "b": []any{json.Number("1")}}},
		{`{"a":5,"a":"x","A":true}`, map[string]any{"a": "x", "A": true}},
		{`null`, nil}, {`[{}]`, nil}, {`{"a":1`, nil}, {`{} {}`, nil}, {``, nil},
	} {
		if got, ok := plain.Object([]byte(tt.json), "n"); ok != (tt.want != nil) || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Object(%s) = %v, %t, want %v", tt.json, got, ok, tt.want)
		}
	}
}
