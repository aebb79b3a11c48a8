package taint_test

import (
	"encoding/json"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

func TestJSON(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name  string
		taint taint.Taint
		want  string
	}{
		{"K4_all", must(taint.MustParse("a/b=c:NoExecute").WithTimeAdded(at)), `{"key":"a/b","value":"c","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"}`},
		{"K4_absent_left_out", taint.MustParse("k:NoSchedule"), `{"key":"k","effect":"NoSchedule"}`},
		{"K5_zero_is_null", taint.Taint{}, `null`},
		{"V6_year_1", must(taint.MustParse("k:NoSchedule").WithTimeAdded(time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC))), `{"key":"k","effect":"NoSchedule","timeAdded":"0001-01-01T00:00:01Z"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := json.Marshal(tt.taint)
			if string(data) != tt.want || err != nil {
				t.Errorf("Marshal = %s, %v, want %s", data, err, tt.want)
			}
			back := taint.MustParse("other:NoExecute")
			if err := json.Unmarshal(data, &back); err != nil || back != tt.taint {
				t.Errorf("K5: Unmarshal(%s) = %v, %v, want %v", data, back, err, tt.taint)
			}
		})
	}
}

func TestUnmarshalJSON(t *testing.T) {
	t.Run("K4_property", jsonProperty)
	tests := []struct {
		name, json, want string // want begins with "!" when it is the problems
	}{
		{"K4_lenient_unknown", `{"key":"k","effect":"NoSchedule","colour":"red","Value":"x"}`, "k:NoSchedule"},
		{"K4_lenient_last_wins", `{"key":"a","key":"k","effect":"NoSchedule"}`, "k:NoSchedule"},
		{"K4_null_keeps_strings", `{"key":"k","key":null,"value":"v","value":null,"effect":"NoSchedule","effect":null}`, "k=v:NoSchedule"},
		{"K4_null_unsets_time", `{"key":"k","effect":"NoSchedule","timeAdded":"2026-01-02T03:04:05Z","timeAdded":null}`, "k:NoSchedule"},
		{"K4_null_keeps_types", `{"key":5,"key":null,"effect":"NoSchedule"}`, "!key 5: must be a string, so put it in quotes"},
		{"K4_null_fields", `{"key":"k","value":null,"effect":"NoSchedule","timeAdded":null}`, "k:NoSchedule"},
		{"K4_escapes", `{"k\u0065y":"\u006b","effect":"NoSchedule"}`, "k:NoSchedule"},
		{"K5_empty_object", `{}`, "!key: must not be empty\neffect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)"},
		{"K4_case", `{"KEY":"k","effect":"NoSchedule"}`, "!key: must not be empty"},
		{"V10_types", `{"key":1,"value":true,"effect":[],"timeAdded":5}`, "!" + strings.Join([]string{
			`key 1: must be a string, so put it in quotes`,
			`value true: must be a string, so put it in quotes`,
			`effect []: must be a string (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`timeAdded 5: must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`}, "\n")},
		{"V10_order", `{"timeAdded":"now","effect":"No","value":true,"key":"-"}`, "!" + strings.Join([]string{
			`key "-": the name must begin and end with a letter or digit`,
			`value true: must be a string, so put it in quotes`,
			`unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`timeAdded "now": must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`}, "\n")},
		{"V6_year_0", `{"key":"k","effect":"NoSchedule","timeAdded":"0000-01-01T00:00:00Z"}`, `!timeAdded "0000-01-01T00:00:00Z": must be in the years 1 to 9999`},
		{"V6_year_10000", `{"key":"k","effect":"NoSchedule","timeAdded":"9999-12-31T23:59:59-01:00"}`, `!timeAdded "9999-12-31T23:59:59-01:00": must be in the years 1 to 9999`},
		{"V6_zero_time", `{"key":"k","effect":"NoSchedule","timeAdded":"0001-01-01T00:00:00Z"}`, "k:NoSchedule"},
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
	zero, err := taint.Taint{}.MarshalYAML()
	if zero != nil || err != nil {
		t.Errorf("K5: MarshalYAML of the zero Taint = %v, %v", zero, err)
	}
	read := func(m map[string]any) func(any) error {
		return func(v any) error {
			if into, ok := v.(*map[string]any); ok {
				*into = m
				return nil
			}
			return errors.New("the texts of scalars are not known")
		}
	}
	got := taint.MustParse("other:NoExecute")
	fields := map[string]any{"key": "a/b", "value": "c", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z", "other": 1}
	if err = got.UnmarshalYAML(read(fields)); err != nil || got != full {
		t.Errorf("K4: UnmarshalYAML = %v, %v, want %v", got, err, full)
	}
	fields["timeAdded"] = at // the library cannot know the text, which may be a bare date
	err = got.UnmarshalYAML(read(fields))
	if want := `taint.Taint.UnmarshalYAML: timeAdded of another type: must be an RFC 3339 time, such as 2026-01-02T15:04:05Z`; err == nil || err.Error() != want || got != full {
		t.Errorf("V10: UnmarshalYAML = %v, %v, want %s", got, err, want)
	}
	err = got.UnmarshalYAML(read(map[string]any{"key": "k", "value": true, "effect": "NoExecute"}))
	if want := `taint.Taint.UnmarshalYAML: value true: must be a string, so put it in quotes`; err == nil || err.Error() != want || got != full {
		t.Errorf("V10: UnmarshalYAML = %v, %v, want %s", got, err, want)
	}
	if err = got.UnmarshalYAML(func(any) error { return flag.ErrHelp }); err != flag.ErrHelp || got != full {
		t.Errorf("the library's error: %v, %v", got, err)
	}
	if err = got.UnmarshalYAML(read(nil)); err != nil || !got.IsZero() {
		t.Errorf("K5: UnmarshalYAML of null = %v, %v", got, err)
	}
}

func TestParseList(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		err        string
	}{
		{"K6_empty", "", nil, ""},
		{"K6_one", "k=v:NoSchedule", []string{"k=v:NoSchedule"}, ""},
		{"K6_order", "b:NoSchedule,a=1:NoExecute,b:NoExecute", []string{"b:NoSchedule", "a=1:NoExecute", "b:NoExecute"}, ""},
		{"K6_empty_element", "a:NoSchedule,", nil, `taint.ParseList: [1]: must have the form key=value:Effect or key:Effect`},
		{"K6_space", "a:NoSchedule, b:NoSchedule", nil, `taint.ParseList: [1].key " b": the name must contain only letters, digits, '-', '_' and '.'; remove the white space`},
		{"K6_space_and_no_effect", "arch=arm64:NoSchedule, spot=true", nil, `taint.ParseList: [1] " spot=true": must have the form key=value:Effect or key:Effect; remove the white space`},
		{"V8_repeated", "a=1:NoSchedule,a=2:NoSchedule", nil, `taint.ParseList: [1] "a=2:NoSchedule": repeats the key and effect of an earlier taint`},
		{"V10_all_problems", "a,b:No,c:NoSchedule,c:NoSchedule", nil, strings.Join([]string{
			`taint.ParseList: [0] "a": must have the form key=value:Effect or key:Effect`,
			`taint.ParseList: [1].effect: unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`taint.ParseList: [3] "c:NoSchedule": repeats the key and effect of an earlier taint`}, "\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := taint.ParseList(tt.text)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || got != nil {
					t.Errorf("ParseList(%q) = %v,\n%v, want\n%s", tt.text, got, err, tt.err)
				}
				return
			}
			if err != nil || !slices.Equal(texts(got), tt.want) {
				t.Errorf("ParseList(%q) = %v, %v, want %v", tt.text, got, err, tt.want)
			}
			if back := got.String(); back != tt.text {
				t.Errorf("List.String = %q, want %q", back, tt.text)
			}
		})
	}
	// M8: a list that repels pods is never read back as a list that does not.
	for want, list := range map[string]taint.List{
		"(invalid taint)": {{}},
		"(invalid taint),a:NoSchedule,(invalid taint)": {{}, taint.MustParse("a:NoSchedule"), {}},
	} {
		text := list.String()
		if back, err := taint.ParseList(text); text != want || err == nil || back != nil {
			t.Errorf("M8: List.String with zero Taints = %q, want %q; it is read back as %v, %v", text, want, back, err)
		}
	}
}

func texts(list taint.List) (texts []string) {
	for _, t := range list {
		texts = append(texts, t.String())
	}
	return texts
}
