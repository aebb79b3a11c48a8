package toleration_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

func TestParse_errors(t *testing.T) {
	for _, tt := range []struct {
		text string // K3
		rule validate.Rule
		path string
	}{
		{"", validate.Syntax, ""},
		{"k op= ", validate.NameUnknown, "operator"},
		{"k:NoExecute for 5", validate.Syntax, ""},
		{"k for 5s", validate.SecondsEffect, "tolerationSeconds"},
		{":NoExecute", validate.KeyMissing, "key"},
		{"k=v op=Exists", validate.ExistsValue, "value"},
		{"k:NoSchedule:NoExecute", validate.NameUnknown, "effect"},
		{"k\n", validate.InvalidKey, "key"},
	} {
		got, err := toleration.Parse(tt.text)
		if ps, _ := err.(validate.Problems); !got.IsZero() || len(ps) != 1 || ps[0].Rule != tt.rule || ps[0].Path != tt.path {
			t.Errorf("Parse(%q) = %v, %v, want one problem of the rule %q at %q", tt.text, got, err, tt.rule, tt.path)
		}
	}
	if _, ok := contract.Panic(func() { toleration.MustParse("k op=") }).(validate.Problems); !ok {
		t.Error("MustParse of bad text does not panic with the problems")
	}
}

func TestUnmarshalJSON(t *testing.T) {
	t.Run("K4_property", rapid.MakeCheck(jsonProperty))
	tests := []struct{ name, json, want, err string }{
		{"V10_order", `{"tolerationSeconds":"1","effect":"No","value":true,"operator":"is","key":"-"}`, "", strings.Join([]string{
			`key "-": the name must begin and end with a letter or digit`,
			`unknown operator "is" (allowed: Equal, Exists, Lt, Gt)`,
			`value true: must be a string, so put it in quotes`,
			`unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`tolerationSeconds "1": must be a whole number within int64, so write it without quotes: 1`}, "\n")},
		{"K5_text", `"k:NoExecute for 5s"`, "k:NoExecute for 5s", ""},
		{"list", `[]`, "", "[]: must be an object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := toleration.MustParse("other=1:NoExecute")
			got := before
			err := json.Unmarshal([]byte(tt.json), &got)
			if tt.err != "" {
				if err == nil || err.Error() != prefixed("toleration.Toleration.UnmarshalJSON: ", tt.err) || got != before {
					t.Errorf("Unmarshal(%s) = %v,\n%v, want\n%s", tt.json, got, err, tt.err)
				}
			} else if err != nil || got != toleration.MustParse(tt.want) {
				t.Errorf("Unmarshal(%s) = %v, %v, want %s", tt.json, got, err, tt.want)
			}
		})
	}
	var got toleration.Toleration
	const want = `toleration.Toleration.UnmarshalJSON("op=exists"): unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)`
	if err := json.Unmarshal([]byte(`"op=exists"`), &got); err == nil || err.Error() != want || !got.IsZero() {
		t.Errorf("K5: Unmarshal of bad text = %v, %v, want %s", got, err, want)
	}
}

// prefixed puts the prefix before each line.
func prefixed(prefix, lines string) string {
	return prefix + strings.ReplaceAll(lines, "\n", "\n"+prefix)
}
