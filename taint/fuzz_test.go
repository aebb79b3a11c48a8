package taint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/taint"
)

// jsonProperty compares UnmarshalJSON and Decode with encoding/json, member by member, so
// that names are case-sensitive in both. A fuzzer seldom makes objects with repeated
// members and nulls.
func jsonProperty(t *rapid.T) {
	data := []byte(gen.TaintJSON().Draw(t, "json"))
	before := taint.MustParse("before:NoExecute")
	got := before
	err := got.UnmarshalJSON(data)
	binary := before
	if berr := binary.UnmarshalBinary(data); (berr == nil) != (err == nil) || binary != got {
		t.Fatalf("K5: UnmarshalBinary(%q) = %v, %v beside %v, %v", data, binary, berr, got, err)
	}
	if err != nil && got != before {
		t.Fatalf("K5: UnmarshalJSON(%q) leaves %v behind %v", data, got, err)
	}
	list, _, listErr := taint.Decode([]byte("["+string(data)+"]"), taint.DecodeOptions{})
	if (listErr == nil) != (err == nil) || listErr != nil && list != nil || listErr == nil && !slices.Equal(list, taint.List{got}) {
		t.Fatalf("K4: Decode of %q = %v, %v beside %v, %v", data, list, listErr, got, err)
	}
	m, _ := plain.Object(data, "timeAdded")
	field := func(name string) (text string, ok bool) {
		text, ok = m[name].(string)
		return text, ok || m[name] == nil
	}
	key, ok1 := field("key")
	value, ok2 := field("value")
	effect, ok3 := field("effect")
	added, ok4 := field("timeAdded")
	at, timeErr := time.Parse(time.RFC3339, added)
	ok4 = ok4 && (m["timeAdded"] == nil || timeErr == nil && (at.Year() >= 1 || at.Unix() >= -62135596800) && at.UTC().Year() <= 9999)
	_, fieldsErr := taint.From(key, value, effect)
	want := ok1 && ok2 && ok3 && ok4 && fieldsErr == nil
	if (err == nil) != want {
		t.Fatalf("K4: UnmarshalJSON(%q) = %v, %v, want accepted: %t", data, got, err, want)
	}
	if err == nil {
		if got.Key() != key || got.Value() != value || got.Effect().String() != effect || !got.TimeAdded().Equal(at.Truncate(time.Second)) {
			t.Errorf("K4: UnmarshalJSON(%q) = %v, added %v", data, got, got.TimeAdded())
		}
	}
}

// FuzzSelector compares selectors and their text with regular expressions.
func FuzzSelector(f *testing.F) {
	f.Add("k,k=v:NoSchedule,example.com/*", "k=v:NoSchedule,example.com/a:NoExecute")
	f.Add("*:NoExecute", "k:NoExecute,k:NoSchedule")
	f.Add("k=,k*,a.b*", "k:NoSchedule,a.b/c=d:NoExecute")
	f.Add("k=v:,=,:", "")
	f.Add("!k=v,k", "k:NoSchedule,k=v:NoSchedule")
	f.Fuzz(func(t *testing.T, text, taints string) {
		checkSelectorText(t, text)
		if _, err := taint.ParseSelector(text); err != nil || strings.Count(text, ",") > 20 {
			return
		}
		if list, err := taint.ParseList(taints); err == nil && len(list) < 20 {
			checkSelector(t, text, append(list, taint.Taint{}))
		}
	})
}
