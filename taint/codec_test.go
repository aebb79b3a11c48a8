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
	tests := []struct {
		name, json, want string // want begins with "!" when it is the problems
	}{
		{"K4_null_keeps_types", `{"key":5,"key":null,"effect":"NoSchedule"}`, "!key 5: must be a string, so put it in quotes"},
		{"V10_effect", `{"key":"k","effect":[]}`, "!effect []: must be a string (allowed: NoSchedule, PreferNoSchedule, NoExecute)"},
		{"V10_order", `{"timeAdded":"now","effect":"No","value":true,"key":"-"}`, "!" + strings.Join([]string{
			`key "-": the name must begin and end with a letter or digit`,
			`value true: must be a string, so put it in quotes`,
			`unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`timeAdded "now": must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`}, "\n")},
		{"V6_year_0", `{"key":"k","effect":"NoSchedule","timeAdded":"0000-01-01T00:00:00Z"}`, `!timeAdded "0000-01-01T00:00:00Z": must be in the years 1 to 9999`},
		{"V6_year_10000", `{"key":"k","effect":"NoSchedule","timeAdded":"9999-12-31T23:59:59-01:00"}`, `!timeAdded "9999-12-31T23:59:59-01:00": must be in the years 1 to 9999`},
		{"list", `[]`, "![]: must be an object"},
		{"K5_text", `"k:NoSchedule"`, "k:NoSchedule"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := taint.MustParse("other=1:NoExecute")
			got := before
			err := json.Unmarshal([]byte(tt.json), &got)
			if want, bad := strings.CutPrefix(tt.want, "!"); bad {
				if err == nil || err.Error() != prefixed("taint.Taint.UnmarshalJSON: ", want) || got != before {
					t.Errorf("Unmarshal(%s) = %v,\n%v, want\n%s", tt.json, got, err, want)
				}
			} else if err != nil || got != taint.MustParse(tt.want) {
				t.Errorf("Unmarshal(%s) = %v, %v, want %s", tt.json, got, err, tt.want)
			}
		})
	}
	var got taint.Taint
	if err := got.UnmarshalJSON([]byte(`{"key"`)); err == nil || !got.IsZero() {
		t.Errorf("UnmarshalJSON of broken JSON = %v, %v", got, err)
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
	// The library cannot know the text of the time, which may be a bare date.
	err := got.UnmarshalYAML(contract.YAML(map[string]any{"key": "k", "effect": "NoExecute", "timeAdded": at}, nil))
	if want := `taint.Taint.UnmarshalYAML: timeAdded of another type: must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`; err == nil || err.Error() != want || got != full {
		t.Errorf("V10: UnmarshalYAML = %v, %v, want %s", got, err, want)
	}
	err = got.UnmarshalYAML(contract.YAML(map[string]any{"key": "k", "value": true, "effect": "NoExecute"}, nil))
	if want := `taint.Taint.UnmarshalYAML: value true: must be a string, so put it in quotes`; err == nil || err.Error() != want || got != full {
		t.Errorf("V10: UnmarshalYAML = %v, %v, want %s", got, err, want)
	}
	if err = got.UnmarshalYAML(func(any) error { return flag.ErrHelp }); err != flag.ErrHelp || got != full {
		t.Errorf("the library's error: %v, %v", got, err)
	}
}

func TestParseList(t *testing.T) {
	got, err := taint.ParseList("a,b:No, c:NoSchedule,d:NoSchedule,d=1:NoSchedule")
	want := `taint.ParseList: [0] "a": must have the form key=value:Effect or key:Effect
taint.ParseList: [1].effect: unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)
taint.ParseList: [2].key " c": the name must contain only letters, digits, '-', '_' and '.'; remove the white space
taint.ParseList: [4] "d=1:NoSchedule": repeats the key and effect of an earlier taint`
	if err == nil || err.Error() != want || got != nil {
		t.Errorf("V10: ParseList = %v,\n%v, want\n%s", got, err, want)
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
