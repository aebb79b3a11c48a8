package taint_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/grammar"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
	"github.com/go-tolerate/tolerate/taint"
)

// parts is a taint as the reference reads it.
type parts struct{ key, value, effect string }

func partsOf(t taint.Taint) parts { return parts{t.Key(), t.Value(), t.Effect().String()} }

var refEffects = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}

// refParse parses the text of a taint by the rules V1, V2, V4, V6 and K1 alone.
func refParse(s string) (p parts, ok bool) {
	head, effect, _ := strings.Cut(s, ":")
	key, value, _ := strings.Cut(head, "=")
	if !plain.Key(key) || !plain.Value(value) || !slices.Contains(refEffects, effect) {
		return parts{}, false
	}
	return parts{key, value, effect}, true
}

// refParseList parses a list of taints by the rules K6 and V8.
func refParseList(s string) (ps []parts, ok bool) {
	if s == "" {
		return nil, true
	}
	seen := make(map[parts]bool)
	for text := range strings.SplitSeq(s, ",") {
		p, ok := refParse(text)
		id := parts{key: p.key, effect: p.effect}
		if !ok || seen[id] {
			return nil, false
		}
		seen[id] = true
		ps = append(ps, p)
	}
	return ps, true
}

// compare requires that Parse agrees with the reference, and that the text of a
// value is read back.
func compare(t rapid.TB, s string) (valid bool) {
	t.Helper()
	want, valid := refParse(s)
	got, err := taint.Parse(s)
	if (err == nil) != valid || partsOf(got) != want {
		t.Fatalf("Parse(%q) = %+v, %v, want %+v, valid: %v", s, partsOf(got), err, want, valid)
	}
	if !valid {
		return false
	}
	if back, err := taint.Parse(got.String()); err != nil || back != got {
		t.Fatalf("Parse(%q) after String of %q = %v, %v", got.String(), s, back, err)
	}
	return true
}

// compareList does the same for ParseList.
func compareList(t rapid.TB, s string) (valid bool) {
	t.Helper()
	want, valid := refParseList(s)
	got, err := taint.ParseList(s)
	if (err == nil) != valid || !slices.EqualFunc(got, want, func(v taint.Taint, p parts) bool { return partsOf(v) == p }) {
		t.Fatalf("ParseList(%q) = %v, %v, want %+v, valid: %v", s, got, err, want, valid)
	}
	if !valid {
		return false
	}
	if back, err := taint.ParseList(got.String()); err != nil || !slices.Equal(back, got) {
		t.Fatalf("ParseList(%q) after List.String of %q = %v, %v", got.String(), s, back, err)
	}
	return true
}

func TestGrammar(t *testing.T) {
	t.Run("K1_taint", grammar.MakeCheck("testdata/taint.ebnf", "list", "taint", 0.2, compare))
	t.Run("K6_list", grammar.MakeCheck("testdata/taint.ebnf", "list", "list", 0.2, compareList))
}

// editParts are the parts of an edit, as the reference reads it; a removal has no
// value.
type editParts struct {
	parts
	remove bool
}

func partsOfEdit(e taint.Edit) editParts {
	return editParts{parts{e.Key(), e.Taint().Value(), e.Effect().String()}, e.IsRemoval()}
}

var editShape = regexp.MustCompile(`\A([^:=]*)(=[^:=]*)?(:[^:=]*)?\z`)

// refParseEdit parses the text of an edit by the rules V1, V2, V4 and K2 alone.
func refParseEdit(s string) (p editParts, ok bool) {
	body, remove := strings.CutSuffix(s, "-")
	m := editShape.FindStringSubmatch(body)
	if m == nil || !plain.Key(m[1]) {
		return editParts{}, false
	}
	value, effect := strings.TrimPrefix(m[2], "="), strings.TrimPrefix(m[3], ":")
	switch {
	case remove && m[2] == "" && m[3] == "":
	case !plain.Value(value) || !slices.Contains(refEffects, effect):
		return editParts{}, false
	}
	if remove {
		value = ""
	}
	return editParts{parts{m[1], value, effect}, remove}, true
}

// compareEdit compares ParseEdit with the reference, and parses the text of the edit
// again.
func compareEdit(t rapid.TB, s string) (valid bool) {
	t.Helper()
	want, valid := refParseEdit(s)
	got, err := taint.ParseEdit(s)
	if (err == nil) != valid || got.IsZero() == valid || partsOfEdit(got) != want {
		t.Fatalf("ParseEdit(%q) = %+v, %v, want %+v, valid: %v", s, partsOfEdit(got), err, want, valid)
	}
	back := mustEdit("other-")
	err = back.UnmarshalText([]byte(s))
	if valid && (err != nil || back != got) || !valid && s != "" && (err == nil || back.String() != "other-") {
		t.Fatalf("UnmarshalText(%q) gives %v, %v beside %v", s, back, err, got)
	}
	if valid {
		if back, err := taint.ParseEdit(got.String()); err != nil || back != got {
			t.Fatalf("ParseEdit(%q) after String of %q = %v, %v", got.String(), s, back, err)
		}
	}
	return valid
}

func TestParseEdit_grammar(t *testing.T) {
	removals, n := 0, 0
	t.Run("K2_edit", grammar.MakeCheck("testdata/edit.ebnf", "edit", "edit", 0.2, func(t rapid.TB, s string) bool {
		valid := compareEdit(t, s)
		if n++; valid && strings.HasSuffix(s, "-") {
			removals++
		}
		return valid
	}))
	if removals < n/10 {
		t.Errorf("%d of %d texts were removals", removals, n)
	}
}
