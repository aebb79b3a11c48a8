package condition_test

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/validate"
)

func TestParseClass(t *testing.T) {
	long := strings.Repeat("a", 63)
	for _, tt := range []struct {
		text     string
		problems string // "" for none; what can be read is written the same
	}{
		{"", ""},
		{"k", ""},
		{"k=", ""},
		{"k=v", ""},
		{"k:NoSchedule", ""},
		{"k=v:NoExecute", ""},
		{"*", ""},
		{"*:PreferNoSchedule", ""},
		{"example.com/*", ""},
		{"example.com*", ""},
		{"example.com/a-*:NoExecute,b=1,*", ""},
		{long + "*", ""},   // a key of its own
		{long + ".a*", ""}, // a prefix of prefixes
		{long + ".*", ""},  // and one that has to go on first
		{strings.Repeat("a", 253) + "*", ""},
		{strings.Repeat("a", 63) + "/" + long + "*", ""},
		{"A*", ""},
		{"a_*", ""},

		{",", `[0]: must have the form key[=value][:Effect] or prefix*[:Effect]
[1]: must have the form key[=value][:Effect] or prefix*[:Effect]`},
		{":NoSchedule", `[0] ":NoSchedule": must have the form key[=value][:Effect] or prefix*[:Effect]`},
		{"=v", `[0] "=v": must have the form key[=value][:Effect] or prefix*[:Effect]`},
		{"k*=v", `[0] "k*=v": must have the form key[=value][:Effect] or prefix*[:Effect]`},
		{"a b", `[0].key "a b": the name may hold only letters, digits, '-', '_' and '.'`},
		{"k,a*b", `[1].key "a*b": the name may hold only letters, digits, '-', '_' and '.'`},
		{"k**", `[0].key "k**": the name may hold only letters, digits, '-', '_' and '.'`},
		{"-*", `[0].key "-*": the name must begin and end with a letter or digit`},
		{"/*", `[0].key "/*": the prefix before '/' must not be empty`},
		{"A/*", `[0].key "A/*": the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit`},
		{"a/b/*", `[0].key "a/b/*": may hold at most one '/'`},
		{strings.Repeat("A", 64) + "*", `[0].key "` + strings.Repeat("A", 64) + `*": the name must be at most 63 bytes long`},
		{"k=a b:NoSchedul", `[0].value "a b": may hold only letters, digits, '-', '_' and '.'
[0].effect: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`},
	} {
		c, err := condition.ParseClass(tt.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.problems {
			t.Errorf("T5: ParseClass(%q): %s\nwant %s", tt.text, got, tt.problems)
		}
		if err == nil && c.String() != tt.text {
			t.Errorf("T5: ParseClass(%q) = %q", tt.text, c)
		}
		checkClassText(t, tt.text)
	}
}

func TestMustParseClass(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("MustParseClass does not panic")
		}
	}()
	condition.MustParseClass("a b")
}

// expression turns a pattern into a regular expression for the text of taints,
// with the '=' always written.
func expression(pattern string) *regexp.Regexp {
	rest, effect, ok := strings.Cut(pattern, ":")
	if !ok {
		effect = "[A-Za-z]+"
	}
	key, value, ok := strings.Cut(rest, "=")
	if value = regexp.QuoteMeta(value); !ok {
		value = "[^:]*"
	}
	key = strings.ReplaceAll(regexp.QuoteMeta(key), `\*`, "[^=]*")
	return regexp.MustCompile("^" + key + "=" + value + ":" + effect + "$")
}

// has tells by regular expressions whether a class holds the taint.
func has(class string, t taint.Taint) bool {
	if t.IsZero() || class == "" {
		return false
	}
	text := t.Key() + "=" + t.Value() + ":" + t.Effect().String()
	return slices.ContainsFunc(strings.Split(class, ","), func(p string) bool { return expression(p).MatchString(text) })
}

// checkClassText holds what is said of the text of classes.
func checkClassText(t reporter, text string) {
	t.Helper()
	c, err := condition.ParseClass(text)
	u := condition.Cordon()
	uerr := u.UnmarshalText([]byte(text))
	if err != nil {
		var ps validate.Problems
		if !errors.As(err, &ps) || !c.IsZero() || uerr == nil || u.String() != condition.Cordon().String() {
			t.Errorf("T5: ParseClass(%q) = %v, %v; UnmarshalText: %v, %v", text, c, err, u, uerr)
		}
		return
	}
	if b, err := c.MarshalText(); err != nil || string(b) != text || c.String() != text {
		t.Errorf("T5: ParseClass(%q) = %q, as text %q, %v", text, c.String(), b, err)
	}
	if uerr != nil || u.String() != text || c.IsZero() != (text == "") {
		t.Errorf("T5: UnmarshalText(%q) = %q, %v", text, u, uerr)
	}
}

// checkClass holds a class against the regular expressions.
func checkClass(t reporter, text string, taints []taint.Taint) {
	t.Helper()
	c, err := condition.ParseClass(text)
	if err != nil {
		t.Fatalf("ParseClass(%q): %v", text, err)
	}
	var in, out []taint.Taint
	for _, u := range taints {
		want := has(text, u)
		if got := c.Has(u); got != want {
			t.Errorf("T5: %q holds %v: %v, want %v", text, u, got, want)
		}
		if want {
			in = append(in, u)
		} else {
			out = append(out, u)
		}
	}
	before := slices.Clone(taints)
	selected, dropped := c.Select(taints), c.Drop(taints)
	left, right := c.Split(taints)
	if !slices.Equal(selected, in) || !slices.Equal(left, in) || !slices.Equal(dropped, out) || !slices.Equal(right, out) {
		t.Errorf("T5: %q of %v: Select %v, Drop %v, Split %v, %v, want %v, %v", text, taints, selected, dropped, left, right, in, out)
	}
	if (selected == nil) != (in == nil) || (left == nil) != (in == nil) || (dropped == nil) != (out == nil) || (right == nil) != (out == nil) {
		t.Errorf("T5: %q of %v: an empty list is not nil", text, taints)
	}
	if !slices.Equal(taints, before) {
		t.Errorf("T5: %q has changed %v into %v", text, before, taints)
	}
	inPlace := func(f func(dst, taints []taint.Taint) []taint.Taint) []taint.Taint {
		own := slices.Clone(taints)
		return f(own[:0], own)
	}
	if a, b := inPlace(c.AppendSelect), inPlace(c.AppendDrop); !slices.Equal(a, in) || !slices.Equal(b, out) {
		t.Errorf("T5: %q of %v in place: %v, %v, want %v, %v", text, taints, a, b, in, out)
	}
	own := slices.Clone(taints)
	if a, b := c.AppendSplit(own[:0], nil, own); !slices.Equal(a, in) || !slices.Equal(b, out) {
		t.Errorf("T5: AppendSplit %q of %v in place: %v, %v", text, taints, a, b)
	}
}

func TestClassHas(t *testing.T) {
	for _, tt := range []struct{ name, class, in, out string }{
		{"T5_key", "k", "k:NoSchedule k=v:NoExecute", "K:NoSchedule kk:NoSchedule a/k:NoSchedule"},
		{"T5_key_and_value", "k=v", "k=v:NoSchedule k=v:NoExecute", "k=V:NoSchedule k:NoSchedule k=vv:NoSchedule l=v:NoSchedule"},
		{"T5_key_without_value", "k=", "k:NoSchedule k:NoExecute", "k=v:NoSchedule l:NoSchedule"},
		{"T5_key_and_effect", "k:NoExecute", "k:NoExecute k=v:NoExecute", "k:NoSchedule k:PreferNoSchedule"},
		{"T5_all_of_it", "k=v:NoExecute", "k=v:NoExecute", "k=v:NoSchedule k:NoExecute"},
		{"T5_prefix", "a.io/*", "a.io/k:NoSchedule a.io/l=v:NoExecute", "a.iok:NoSchedule b.a.io/k:NoSchedule A.io:NoSchedule"},
		{"T5_prefix_that_is_a_key", "k*", "k:NoSchedule kk=v:NoSchedule k.a/x:NoSchedule", "a/k:NoSchedule"},
		{"T5_prefix_and_effect", "k*:NoExecute", "k:NoExecute kk:NoExecute", "k:NoSchedule"},
		{"T5_effect", "*:PreferNoSchedule", "k:PreferNoSchedule a/l=v:PreferNoSchedule", "k:NoSchedule k:NoExecute"},
		{"T5_everything", "*", "k:NoSchedule a/l=v:NoExecute", ""},
		{"T5_any_of_them", "k=v,l,*:NoExecute", "k=v:NoSchedule l=x:NoSchedule m:NoExecute", "k:NoSchedule m:NoSchedule"},
		{"T5_nothing", "", "", "k:NoSchedule"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := condition.MustParseClass(tt.class)
			for text, want := range map[string]bool{tt.in: true, tt.out: false} {
				for _, u := range strings.Fields(text) {
					if c.Has(taint.MustParse(u)) != want {
						t.Errorf("%q holds %v: %v", c, u, !want)
					}
				}
			}
			if c.Has(taint.Taint{}) {
				t.Errorf("%q holds the zero Taint", c)
			}
		})
	}
}

// patterns makes patterns that often hold taints such as gen makes.
func patterns() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		key := gen.Key().Draw(t, "key")
		switch rapid.IntRange(0, 4).Draw(t, "form") {
		case 0:
			cut := rapid.IntRange(0, len(key)).Draw(t, "cut")
			if _, err := condition.ParseClass(key[:cut] + "*"); err != nil {
				t.Fatalf("T5: %q begins so, and %v", key, err)
			}
			key = key[:cut] + "*"
		case 1, 2:
			key += "=" + gen.Value().Draw(t, "value")
		}
		if rapid.Bool().Draw(t, "effect") {
			key += ":" + gen.Effect().Draw(t, "of").String()
		}
		return key
	})
}

func classProperty(t *rapid.T) {
	texts := rapid.SliceOfN(patterns(), 0, 3).Draw(t, "patterns")
	taints := gen.TaintsAndZeros().Draw(t, "taints")
	checkClassText(t, strings.Join(texts, ","))
	checkClass(t, strings.Join(texts, ","), taints)

	var classes []condition.Class
	for _, text := range texts {
		classes = append(classes, condition.MustParseClass(text))
	}
	if got := condition.Union(classes...).String(); got != strings.Join(texts, ",") {
		t.Errorf("T5: Union(%q) = %q", texts, got)
	}
}

func TestT5_property(t *testing.T) { rapid.Check(t, classProperty) }

// A prefix is refused exactly when no key begins so.
func TestT5_prefixes(t *testing.T) {
	letters := []string{"a", "A", "0", ".", "-", "_", "/", " ", "*"}
	// Every text of up to four letters that some key of up to seven begins with.
	begins := make(map[string]bool)
	level := []string{""}
	for range 4 {
		var next []string
		for _, s := range level {
			for _, l := range letters {
				next = append(next, s+l)
			}
		}
		level = next
		for _, s := range level {
			for _, rest := range []string{"", "a", "A", "/a", ".a/a", "a/a", "-a/a"} {
				begins[s] = begins[s] || validate.Key(s+rest) == nil
			}
		}
	}
	for s, want := range begins {
		if _, err := condition.ParseClass(s + "*"); (err == nil) != want {
			t.Errorf("T5: ParseClass(%q): %v; some key begins so: %v", s+"*", err, want)
		}
	}
}

// Union keeps nothing of what its classes share.
func TestUnion(t *testing.T) {
	if !condition.Union().IsZero() || !condition.Union(condition.Class{}, condition.Class{}).IsZero() {
		t.Error("the union of nothing is not the zero Class")
	}
	a := condition.Union(condition.Cordon(), condition.CloudStartup())
	b := condition.Union(a, condition.MustParseClass("b"))
	c := condition.Union(a, condition.MustParseClass("c"))
	if b.String() == c.String() || a.String() != condition.Cordon().String()+","+condition.CloudStartup().String() {
		t.Errorf("unions share memory: %v, %v, %v", a, b, c)
	}
}
