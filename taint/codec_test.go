package taint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/taint"
)

func TestJSON(t *testing.T) {
	full := must(taint.MustParse("a/b=c:NoExecute").WithTimeAdded(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
	want := `[{"key":"a/b","value":"c","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"},{"key":"k","effect":"NoSchedule"},null]`
	if data, err := json.Marshal([]taint.Taint{full, taint.MustParse("k:NoSchedule"), {}}); string(data) != want || err != nil {
		t.Errorf("K4: Marshal = %s, %v, want %s", data, err, want)
	}
}

func TestUnmarshalJSON(t *testing.T) {
	t.Run("K4_property", rapid.MakeCheck(jsonProperty))
	var got taint.Taint
	if err := json.Unmarshal([]byte(`"k:NoSchedule"`), &got); err != nil || got != taint.MustParse("k:NoSchedule") {
		t.Errorf("K5: the text in JSON is read as %v, %v", got, err)
	}
	err := json.Unmarshal([]byte(`{"timeAdded":"now","effect":"No","value":true,"key":"-"}`), &got)
	want := prefixed("taint.Taint.UnmarshalJSON: ", `key "-": the name must begin and end with a letter or digit
value true: must be a string, so put it in quotes
unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)
timeAdded "now": must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`)
	if err == nil || err.Error() != want {
		t.Errorf("V10: the problems are %v, want %s", err, want)
	}
	if err := got.UnmarshalJSON([]byte(`{"key"`)); err == nil {
		t.Errorf("UnmarshalJSON of broken JSON = %v", got)
	}
}

// prefixed puts the prefix before each line.
func prefixed(prefix, lines string) string {
	return prefix + strings.ReplaceAll(lines, "\n", "\n"+prefix)
}

// YAML libraries call these two methods.
func TestYAML(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	full := must(taint.MustParse("a/b=c:NoExecute").WithTimeAdded(at))
	got := full
	for want, fields := range map[string]map[string]any{
		// The library cannot know the text of the time, which may be a bare date.
		`timeAdded of another type: must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`: {"key": "k", "effect": "NoExecute", "timeAdded": at},
		`value true: must be a string, so put it in quotes`:                                 {"key": "k", "value": true, "effect": "NoExecute"},
	} {
		err := got.UnmarshalYAML(contract.YAML(fields, nil))
		if err == nil || err.Error() != "taint.Taint.UnmarshalYAML: "+want || got != full {
			t.Errorf("V10: UnmarshalYAML = %v, %v, want %s", got, err, want)
		}
	}
	if err := got.UnmarshalYAML(func(any) error { return flag.ErrHelp }); err != flag.ErrHelp || got != full {
		t.Errorf("the library's error: %v, %v", got, err)
	}
}

// An error names the method that was called.
func TestUnmarshal_errors(t *testing.T) {
	for want, err := range map[string]error{
		"taint.List.UnmarshalJSON: [0]":   new(taint.List).UnmarshalJSON([]byte("[1]")),
		"taint.Taint.UnmarshalBinary: ":   new(taint.Taint).UnmarshalBinary([]byte("k")),
		`taint.Edit.UnmarshalText("k"): `: new(taint.Edit).UnmarshalText([]byte("k")),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Each value is made by its source.
func TestGoString(t *testing.T) {
	for source, v := range map[string]any{
		`taint.Taint{}`:                    taint.Taint{},
		`taint.MustParse("a=b:NoExecute")`: taint.MustParse("a=b:NoExecute"),
		`must(taint.MustParse("a:NoExecute").WithTimeAdded(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC)))`: must(taint.MustParse("a:NoExecute").WithTimeAdded(time.Date(2026, time.January, 2, 3, 4, 5, 0, time.UTC))),
		`taint.Edit{}`:                                              taint.Edit{},
		`must(taint.ParseEdit("a:NoExecute-"))`:                     must(taint.ParseEdit("a:NoExecute-")),
		`taint.Add(taint.MustParse("a:NoExecute"))`:                 taint.Add(taint.MustParse("a:NoExecute")),
		`taint.List(nil)`:                                           taint.List(nil),
		`taint.List{taint.MustParse("a:NoExecute"), taint.Taint{}}`: taint.List{taint.MustParse("a:NoExecute"), taint.Taint{}},
	} {
		if got := fmt.Sprintf("%#v", v); got != source {
			t.Errorf("K5: %%#v prints %s, want %s", got, source)
		}
	}
}

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

// Each type of the package has what every Go program expects of a value.
func TestContract(t *testing.T) {
	t.Run("K5_Taint", taints().Test)
	t.Run("K5_Edit", edits().Test)
	t.Run("K5_Change", changes().Test)
	t.Run("K5_Effect", contract.Enum[taint.Effect]{Names: map[taint.Effect]string{
		0: "", taint.NoSchedule: "NoSchedule", taint.PreferNoSchedule: "PreferNoSchedule", taint.NoExecute: "NoExecute",
	}}.Test)
}

// invalid are texts that are neither taints nor edits.
var invalid = []string{
	" ", "k", "k=v", "k:", ":NoSchedule", "k:NoSchedul", "k:NoSchedule ", "-k:NoSchedule",
	"{", "{}", `{"key":"k"}`, "\x00",
}

func taints() contract.Value[taint.Taint] {
	drain := taint.MustParse("drain:NoExecute")
	return contract.Value[taint.Taint]{
		Samples: taint.List{
			{},
			taint.MustParse("dedicated=gpu:NoSchedule"),
			taint.MustParse("dedicated:PreferNoSchedule"),
			taint.MustParse("dedicated=cpu:NoExecute"),
			drain,
			must(drain.WithTimeAdded(time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC))),
			must(drain.WithTimeAdded(time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC))),
			must(drain.WithTimeAdded(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))),
			taint.MustParse("drain=1:NoExecute"),
			taint.MustParse("example.com/A_b.c-1=A_b.c-1:NoSchedule"),
		},
		Invalid: append([]string{"k-", "k:NoSchedule-", "k:NoSchedule,k:NoExecute"}, invalid...),
		Text:    taint.Taint.Canonical,
	}
}

func edits() contract.Value[taint.Edit] {
	drain := taint.MustParse("drain:NoExecute")
	withoutTime := func(e taint.Edit) taint.Edit {
		if e.IsRemoval() {
			return e
		}
		return taint.Add(e.Taint().Canonical())
	}
	return contract.Value[taint.Edit]{
		Samples: []taint.Edit{
			{},
			mustEdit("dedicated-"),
			mustEdit("dedicated:NoSchedule"),
			mustEdit("dedicated=gpu:NoSchedule"),
			mustEdit("dedicated:NoSchedule-"),
			taint.Add(drain),
			taint.Add(must(drain.WithTimeAdded(time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC)))),
			mustEdit("drain=1:NoExecute"),
			mustEdit("drain:NoExecute-"),
			mustEdit("example.com/A_b.c-1-"),
		},
		Invalid: append([]string{"-", "k=-", "k=v-", "k:-", "k--", "k:NoSchedul-", "-k-"}, invalid...),
		Text:    withoutTime,
		JSON:    withoutTime,
	}
}

func changes() contract.Result[taint.Change] {
	gpu, cpu := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("dedicated=cpu:NoSchedule")
	timed := must(gpu.WithTimeAdded(time.Unix(1e9, 0)))
	return contract.Result[taint.Change]{Samples: []taint.Change{
		{},
		{After: gpu},
		{Before: gpu},
		{Before: gpu, After: cpu},
		{Before: cpu, After: gpu},
		{Before: gpu, After: timed},
		{Before: timed, After: gpu},
	}}
}

func TestChange_String(t *testing.T) {
	gpu, cpu := taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("dedicated=cpu:NoSchedule")
	timed := must(gpu.WithTimeAdded(time.Unix(1e9, 0)))
	for _, tt := range []struct {
		change taint.Change
		want   string
	}{
		{taint.Change{}, ""},
		{taint.Change{Before: gpu, After: gpu}, ""},
		{taint.Change{After: gpu}, "added dedicated=gpu:NoSchedule"},
		{taint.Change{Before: timed}, "removed dedicated=gpu:NoSchedule"},
		{taint.Change{Before: timed, After: cpu}, "value changed dedicated=gpu:NoSchedule to dedicated=cpu:NoSchedule"},
		{taint.Change{Before: timed, After: gpu}, "time changed dedicated=gpu:NoSchedule from 2001-09-09T01:46:40Z to none"},
		{taint.Change{Before: gpu, After: timed}, "time changed dedicated=gpu:NoSchedule from none to 2001-09-09T01:46:40Z"},
	} {
		if got := tt.change.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}
