package toleration_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap.
func TestMain(m *testing.M) { gen.Main(m, 300) }

// jsonProperty draws objects with repeated members and nulls, which a
// fuzzer seldom makes.
func jsonProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkJSON(t, []byte(gen.TolerationJSON().Draw(t, "json"))) })
}

// checkJSON compares UnmarshalJSON and Decode with encoding/json, member by member, so
// that names are case-sensitive in both.
func checkJSON(t rapid.TB, data []byte) {
	t.Helper()
	before := toleration.MustParse("before")
	got := before
	err := got.UnmarshalJSON(data)
	binary := before
	if berr := binary.UnmarshalBinary(data); (berr == nil) != (err == nil) || binary != got {
		t.Fatalf("K5: UnmarshalBinary(%q) = %v, %v beside %v, %v", data, binary, berr, got, err)
	}
	if err != nil && got != before {
		t.Fatalf("K5: UnmarshalJSON(%q) leaves %v behind %v", data, got, err)
	}
	if !json.Valid(data) {
		if err == nil {
			t.Fatalf("K4: UnmarshalJSON(%q) accepts invalid JSON", data)
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
	list, _, listErr := toleration.Decode([]byte("["+string(data)+"]"), toleration.DecodeOptions{})
	if (listErr == nil) != (err == nil && !got.IsZero()) || listErr != nil && list != nil || listErr == nil && (len(list) != 1 || list[0] != got) {
		t.Fatalf("K4: Decode of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
	}
	m, ok := plain.Object(data, "tolerationSeconds")
	if !ok {
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
	seconds, ok5 := (*int64)(nil), m["tolerationSeconds"] == nil
	if number, ok := m["tolerationSeconds"].(json.Number); ok {
		n, err := number.Int64()
		seconds, ok5 = &n, err == nil
	}
	_, fromErr := toleration.From(key, op, value, effect, seconds)
	want := ok1 && ok2 && ok3 && ok4 && ok5 && fromErr == nil
	if (err == nil) != want {
		t.Fatalf("K4: UnmarshalJSON(%q) = %v, %v, want accepted: %t", data, got, err, want)
	}
	if err == nil {
		n, timed := got.Seconds()
		if got.Key() != key || got.Operator().String() != op || got.Value() != value || got.Effect().String() != effect || timed != (seconds != nil) || timed && n != *seconds {
			t.Errorf("K4: UnmarshalJSON(%q) = %v", data, got)
		}
	}
}
