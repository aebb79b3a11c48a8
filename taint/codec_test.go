package taint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
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
