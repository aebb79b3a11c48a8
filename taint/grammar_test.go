package taint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/grammar"
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
func compare(t *testing.T, s string) (valid bool) {
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
func compareList(t *testing.T, s string) (valid bool) {
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
	g, err := grammar.Load("testdata/taint.ebnf", "list")
	if err != nil {
		t.Fatal(err)
	}
	n := 50_000
	if testing.Short() {
		n = 5_000
	}
	for _, tt := range []struct {
		name, production string
		compare          func(*testing.T, string) bool
	}{
		{"K1_taint", "taint", compare},
		{"K6_list", "list", compareList},
	} {
		t.Run(tt.name, func(t *testing.T) {
			valid := 0
			for s := range g.Strings(grammar.Rand(t), tt.production, n) {
				if tt.compare(t, s) {
					valid++
				}
			}
			if valid < n/5 || valid > n*9/10 {
				t.Errorf("%d of %d strings were valid", valid, n)
			}
		})
	}
}

// The reference must accept and reject what the rules list as valid and invalid, so
// that it does not have the same error as the parser.
func TestGrammar_reference(t *testing.T) {
	long := strings.Repeat("x", 63)
	prefix := strings.Repeat(long+".", 3) + strings.Repeat("y", 61) // 253 bytes
	for _, tt := range []struct {
		text string
		want parts
	}{
		{"key=value:NoSchedule", parts{"key", "value", "NoSchedule"}},
		{"key:NoExecute", parts{"key", "", "NoExecute"}},
		{"key=:PreferNoSchedule", parts{"key", "", "PreferNoSchedule"}},
		{"a_b.c-D:NoSchedule", parts{"a_b.c-D", "", "NoSchedule"}},
		{"example.com/Key=0:NoSchedule", parts{"example.com/Key", "0", "NoSchedule"}},
		{long + "=" + long + ":NoSchedule", parts{long, long, "NoSchedule"}},
		{prefix + "/a:NoSchedule", parts{prefix + "/a", "", "NoSchedule"}},
	} {
		if got, ok := refParse(tt.text); !ok || got != tt.want {
			t.Errorf("refParse(%q) = %+v, %v, want %+v", tt.text, got, ok, tt.want)
		}
		compare(t, tt.text)
	}
	for _, text := range []string{
		"", "key", "key=value", "key:", "k=v:", "k=v=w:NoSchedule", ":NoSchedule", "=v:NoSchedule", "k:noschedule", "k:NoSchedule:",
		" k:NoSchedule", "k :NoSchedule", "k:NoSchedule\n", "k: NoSchedule", "/x:NoSchedule", "x/:NoSchedule", "Example.com/Key:NoSchedule",
		"a/b/c:NoSchedule", "-a:NoSchedule", "a-:NoSchedule", long + "x:NoSchedule", "k=" + long + "x:NoSchedule", "y" + prefix + "/a:NoSchedule",
		"readiness.k8s.io/*:NoSchedule", "k=-a:NoSchedule", "k=a/b:NoSchedule", "é:NoSchedule", "a\x00:NoSchedule", "k:NO_SCHEDULE",
	} {
		if got, ok := refParse(text); ok {
			t.Errorf("refParse(%q) = %+v", text, got)
		}
		compare(t, text)
	}
	for text, want := range map[string]bool{
		"": true, "a:NoSchedule": true, "a:NoSchedule,a:NoExecute": true, "a:NoSchedule,b:NoSchedule": true,
		"a:NoSchedule,a=b:NoSchedule": false, "a:NoSchedule,": false, ",": false, "a:NoSchedule, b:NoSchedule": false,
	} {
		if _, ok := refParseList(text); ok != want {
			t.Errorf("refParseList(%q): %v, want %v", text, ok, want)
		}
		compareList(t, text)
	}
}
