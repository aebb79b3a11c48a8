package toleration_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap.
func TestMain(m *testing.M) { gen.Main(m, 300) }

// jsonProperty compares UnmarshalJSON and Decode with encoding/json, member by member, so
// that names are case-sensitive in both. A fuzzer seldom makes objects with repeated
// members and nulls.
func jsonProperty(t *rapid.T) {
	data := []byte(gen.TolerationJSON().Draw(t, "json"))
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
	list, _, listErr := toleration.Decode([]byte("["+string(data)+"]"), toleration.DecodeOptions{})
	if (listErr == nil) != (err == nil) || listErr != nil && list != nil || listErr == nil && !slices.Equal(list, toleration.List{got}) {
		t.Fatalf("K4: Decode of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
	}
	m, _ := plain.Object(data, "tolerationSeconds")
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
