package taint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

func TestParseSelector(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tt := range []struct {
		text     string
		problems string // "" for none; what can be read is written the same
	}{
		{"k=v:NoExecute", ""},
		{"example.com/a-*:NoExecute,b=1,*", ""},
		{long + "*", ""},   // a key
		{long + ".a*", ""}, // a prefix of prefixes
		{long + ".*", ""},  // a prefix that must continue with more than this
		{strings.Repeat("a", 253) + "*", ""},
		{strings.Repeat("a", 63) + "/" + long + "*", ""},
		{"!k=v:NoExecute,a.io/*,!a.io/b*:NoSchedule,!*", ""},

		{",", `[0]: must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]
[1]: must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]`},
		{":NoSchedule", `[0] ":NoSchedule": must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]`},
		{"a/", `[0].key "a/": the name after '/' must not be empty`},
		{"k:", `[0].effect: must not be empty`},
		{"!", `[0] "!": must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]`},
		{"!!k", `[0].key "!k": the name must contain only letters, digits, '-', '_' and '.'`},
		{"=v", `[0] "=v": must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]`},
		{"k*=v", `[0] "k*=v": must have the form [!]key[=value][:Effect] or [!]prefix*[:Effect]`},
		{"a b", `[0].key "a b": the name must contain only letters, digits, '-', '_' and '.'`},
		{"k,a*b", `[1].key "a*b": the name must contain only letters, digits, '-', '_' and '.'`},
		{"k**", `[0].key "k**": the name must contain only letters, digits, '-', '_' and '.'`},
		{"-*", `[0].key "-*": the name must begin and end with a letter or digit`},
		{"/*", `[0].key "/*": the prefix before '/' must not be empty`},
		{"A/*", `[0].key "A/*": the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit`},
		{"a/b/*", `[0].key "a/b/*": must contain at most one '/'`},
		{strings.Repeat("A", 64) + "*", `[0].key "` + strings.Repeat("A", 64) + `*": the name must be at most 63 bytes long`},
		{"k=a b:NoSchedul", `[0].value "a b": must contain only letters, digits, '-', '_' and '.'
[0].effect: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
	} {
		c, err := taint.ParseSelector(tt.text)
		got := ""
		if err != nil {
			got = strings.ReplaceAll(err.Error(), "taint.ParseSelector: ", "")
		}
		if got != tt.problems {
			t.Errorf("T5: ParseSelector(%q): %s\nwant %s", tt.text, got, tt.problems)
		}
		if err == nil && c.String() != tt.text {
			t.Errorf("T5: ParseSelector(%q) = %q", tt.text, c)
		}
		checkSelectorText(t, tt.text)
	}
}

// expressions turns a pattern into regular expressions for key, value and effect.
func expressions(pattern string) (of [3]*regexp.Regexp) {
	rest, effect, hasEffect := strings.Cut(pattern, ":")
	key, value, hasValue := strings.Cut(rest, "=")
	texts := [3]string{strings.ReplaceAll(regexp.QuoteMeta(key), `\*`, ".*"), regexp.QuoteMeta(value), effect}
	if !hasValue {
		texts[1] = ".*"
	}
	if !hasEffect {
		texts[2] = ".*"
	}
	for i, text := range texts {
		of[i] = regexp.MustCompile("(?s)^(" + text + ")$")
	}
	return of
}

// has is the reference for Selector.HasFields.
func has(selector, key, value, effect string) bool {
	in := false
	for p := range strings.SplitSeq(selector, ",") {
		p, except := strings.CutPrefix(p, "!")
		if e := expressions(p); p != "" && e[0].MatchString(key) && e[1].MatchString(value) && e[2].MatchString(effect) {
			if except {
				return false
			}
			in = true
		}
	}
	return in
}

// checkSelectorText tests what is documented about the text of a Selector.
func checkSelectorText(t rapid.TB, text string) {
	t.Helper()
	c, err := taint.ParseSelector(text)
	u := selector("unset")
	uerr := u.UnmarshalText([]byte(text))
	if err != nil {
		var ps validate.Problems
		if !errors.As(err, &ps) || !c.IsZero() || uerr == nil || u.String() != selector("unset").String() {
			t.Errorf("T5: ParseSelector(%q) = %v, %v; UnmarshalText: %v, %v", text, c, err, u, uerr)
		}
		return
	}
	if b, err := c.MarshalText(); err != nil || string(b) != text || c.String() != text {
		t.Errorf("T5: ParseSelector(%q) = %q, as text %q, %v", text, c.String(), b, err)
	}
	if uerr != nil || u.String() != text || !u.Equal(c) || c.IsZero() != (text == "") {
		t.Errorf("T5: UnmarshalText(%q) = %q, %v", text, u, uerr)
	}
	var back taint.Selector
	if data, err := json.Marshal(c); err != nil || json.Unmarshal(data, &back) != nil || !back.Equal(c) {
		t.Errorf("JSON of %q, %s, is read back as %v, %v", text, data, back, err)
	}
	source := map[bool]string{true: "taint.Selector{}", false: fmt.Sprintf("taint.MustParseSelector(%q)", text)}[text == ""]
	if got := fmt.Sprintf("%#v", c); got != source {
		t.Errorf("%%#v prints %s, want %s", got, source)
	}
}

// checkSelector compares a Selector with its reference.
func checkSelector(t rapid.TB, text string, taints taint.List) {
	t.Helper()
	c, err := taint.ParseSelector(text)
	if err != nil {
		t.Fatalf("ParseSelector(%q): %v", text, err)
	}
	var out taint.List
	for _, u := range taints {
		want := !u.IsZero() && has(text, u.Key(), u.Value(), u.Effect().String())
		if got := c.Has(u); got != want {
			t.Errorf("T5: %q contains %v: %v, want %v", text, u, got, want)
		}
		if !want {
			out = append(out, u)
		}
	}
	before := slices.Clone(taints)
	if dropped := c.Drop(taints); !slices.Equal(dropped, out) || (dropped == nil) != (out == nil) {
		t.Errorf("T5: %q of %v: Drop %v, want %v", text, taints, dropped, out)
	}
	if !slices.Equal(taints, before) {
		t.Errorf("T5: %q has changed %v into %v", text, before, taints)
	}
}

// patterns makes patterns that often match the taints of package gen.
func patterns() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		key := gen.Key().Draw(t, "key")
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			cut := rapid.IntRange(0, len(key)).Draw(t, "cut")
			if _, err := taint.ParseSelector(key[:cut] + "*"); err != nil {
				t.Fatalf("T5: a prefix of %q: %v", key, err)
			}
			key = key[:cut] + "*"
		case 1, 2:
			key += "=" + gen.Value().Draw(t, "value")
		}
		if rapid.Bool().Draw(t, "effect") {
			key += ":" + gen.Effect().Draw(t, "of").String()
		}
		return rapid.SampledFrom([]string{"", "", "", "!"}).Draw(t, "except") + key
	})
}

func selectorProperty(t *rapid.T) {
	texts := rapid.SliceOfN(patterns(), 0, 3).Draw(t, "patterns")
	taints := gen.TaintsAndZeros().Draw(t, "taints")
	checkSelectorText(t, strings.Join(texts, ","))
	checkSelector(t, strings.Join(texts, ","), taints)
	fields := gen.AnyTaintFields().Draw(t, "fields")
	if rapid.IntRange(0, 7).Draw(t, "no key") == 0 {
		fields.Key = ""
	}
	checkFields(t, strings.Join(texts, ","), fields.Key, fields.Value, fields.Effect)
}

func checkFields(t rapid.TB, text, key, value, effect string) {
	t.Helper()
	want := has(text, key, value, effect)
	if got := selector(text).HasFields(key, value, effect); got != want {
		t.Errorf("T5: %q contains %q %q %q: %v, want %v", text, key, value, effect, got, want)
	}
}

func TestSelector_Has(t *testing.T) {
	t.Run("T5_property", rapid.MakeCheck(selectorProperty))
}

// A taint without a key is in no set but that of all.
func TestSelector_HasFields(t *testing.T) {
	for text, want := range map[string]bool{"": false, "*": true, "*:NoSchedule": true, "*,!k": true, "k": false, "k*": false, "*:NoExecute": false, "!*": false} {
		checkFields(t, text, "", "", "NoSchedule")
		if got := selector(text).HasFields("", "", "NoSchedule"); got != want {
			t.Errorf("T5: %q contains a taint without a key: %v", text, got)
		}
	}
}

// Two selectors are equal if their texts are, for go-cmp too.
func TestSelector_Equal(t *testing.T) {
	texts := []string{"", "k", "k=", "k=v", "k:NoExecute", "k*", "*", "a,b", "b,a"}
	for i, text := range texts {
		for j, other := range texts {
			if c, d := selector(text), selector(other); c.Equal(d) != (i == j) || cmp.Equal(c, d) != (i == j) {
				t.Errorf("(%q).Equal(%q) = %v, and go-cmp says %v", text, other, c.Equal(d), cmp.Equal(c, d))
			}
		}
	}
}

func selector(text string) taint.Selector { return taint.MustParseSelector(text) }

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
