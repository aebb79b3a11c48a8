package toleration_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/bench/plain"
	"github.com/go-tolerate/tolerate/internal/grammar"
	"github.com/go-tolerate/tolerate/toleration"
)

// parts is a toleration as the reference reads it.
type parts struct {
	key, operator, value, effect string
	seconds                      int64
	limited                      bool // whether there are seconds
}

func partsOf(t toleration.Toleration) parts {
	p := parts{key: t.Key(), operator: t.Operator().String(), value: t.Value(), effect: t.Effect().String()}
	p.seconds, p.limited = t.Seconds()
	return p
}

var (
	refEffects   = []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}
	refOperators = []string{"op=Equal", "op=Exists", "op=Lt", "op=Gt"}
)

// refIsOperator reports whether a first segment is the operator.
func refIsOperator(segment string) bool {
	return strings.HasPrefix(segment, "op=") && !strings.Contains(segment, ":")
}

// refValid applies the rules V1 to V5 and V7 to the parts.
func refValid(p parts) bool {
	if p.key == "" && p.operator != "Exists" || p.key != "" && !plain.Key(p.key) {
		return false
	}
	if p.effect != "" && !slices.Contains(refEffects, p.effect) || p.limited && p.effect != "NoExecute" {
		return false
	}
	switch p.operator {
	case "Exists":
		return p.value == ""
	case "Equal", "":
		return plain.Value(p.value)
	case "Lt", "Gt":
		_, ok := plain.Integer(p.value)
		return ok
	}
	return false
}

// refParse parses the text of a toleration by the same rules and K3 alone.
func refParse(s string) (parts, bool) {
	var p parts
	segments := strings.Split(s, " ")
	if n := len(segments); n > 1 && segments[n-2] == "for" {
		digits, found := strings.CutSuffix(segments[n-1], "s")
		if p.seconds, p.limited = plain.Integer(digits); !found || !p.limited {
			return parts{}, false
		}
		segments = segments[:n-2]
	}
	n := len(segments)
	if n == 1 && refIsOperator(segments[0]) {
		if !slices.Contains(refOperators, segments[0]) {
			return parts{}, false
		}
		p.operator, segments = strings.TrimPrefix(segments[0], "op="), nil
	} else if n == 2 && slices.Contains(refOperators, segments[1]) {
		p.operator, segments = strings.TrimPrefix(segments[1], "op="), segments[:1]
	} else if n == 2 && segments[1] == "op=" && refIsOperator(segments[0]) {
		segments = segments[:1]
	}
	if len(segments) > 1 {
		return parts{}, false
	}
	if len(segments) == 1 {
		head, effect, hasEffect := strings.Cut(segments[0], ":")
		key, value, hasValue := strings.Cut(head, "=")
		if key == "" && (hasValue || !hasEffect) || hasEffect && effect == "" {
			return parts{}, false
		}
		p.key, p.value, p.effect = key, value, effect
	}
	if !refValid(p) {
		return parts{}, false
	}
	return p, true
}

// refString writes a toleration.
func refString(p parts) string {
	var segments []string
	head := p.key
	if p.value != "" {
		head += "=" + p.value
	}
	if p.effect != "" {
		head += ":" + p.effect
	}
	if head != "" {
		segments = append(segments, head)
	}
	if p.operator != "" || refIsOperator(head) {
		segments = append(segments, "op="+p.operator)
	}
	if p.limited {
		segments = append(segments, "for", strconv.FormatInt(p.seconds, 10)+"s")
	}
	return strings.Join(segments, " ")
}

// compare requires that Parse agrees with the reference, and that the text
// of a value is the reference's and reads back.
func compare(t *testing.T, s string) (valid bool) {
	t.Helper()
	want, valid := refParse(s)
	got, err := toleration.Parse(s)
	if (err == nil) != valid || partsOf(got) != want {
		t.Fatalf("Parse(%q) = %+v, %v, want %+v, valid: %v", s, partsOf(got), err, want, valid)
	}
	if !valid {
		return false
	}
	text := got.String()
	if text != refString(want) {
		t.Fatalf("String of what Parse(%q) gave: %q, want %q", s, text, refString(want))
	}
	if back, err := toleration.Parse(text); err != nil || back != got {
		t.Fatalf("Parse(%q) after String of %q = %v, %v", text, s, back, err)
	}
	return true
}

func TestGrammar(t *testing.T) {
	g, err := grammar.Load("testdata/toleration.ebnf", "toleration")
	if err != nil {
		t.Fatal(err)
	}
	n := 200_000
	if testing.Short() {
		n = 10_000
	}
	t.Run("K3_toleration", func(t *testing.T) {
		valid := 0
		for s := range g.Strings(grammar.Rand(t), "toleration", n) {
			if compare(t, s) {
				valid++
			}
		}
		if valid < n/20 || valid > n*9/10 {
			t.Errorf("%d of %d strings were valid", valid, n)
		}
	})
}

// The reference must accept and reject what the rules list, and similar forms, so that
// it does not have the same error as the parser.
func TestGrammar_reference(t *testing.T) {
	for _, tt := range []struct {
		text string
		want parts
	}{
		{"key", parts{key: "key"}},
		{"key:NoSchedule", parts{key: "key", effect: "NoSchedule"}},
		{"key:NoSchedule op=Equal", parts{key: "key", operator: "Equal", effect: "NoSchedule"}},
		{"key=value:NoExecute for 300s", parts{key: "key", value: "value", effect: "NoExecute", seconds: 300, limited: true}},
		{"key=5:NoExecute op=Gt for -1s", parts{key: "key", operator: "Gt", value: "5", effect: "NoExecute", seconds: -1, limited: true}},
		{"key=-5 op=Lt", parts{key: "key", operator: "Lt", value: "-5"}},
		{"op=Exists", parts{operator: "Exists"}},
		{":NoExecute op=Exists", parts{operator: "Exists", effect: "NoExecute"}},
		{":NoExecute op=Exists for 0s", parts{operator: "Exists", effect: "NoExecute", limited: true}},
		{"op=Exists op=", parts{key: "op", value: "Exists"}},
		{"op=Exists op=Equal", parts{key: "op", operator: "Equal", value: "Exists"}},
		{"op=Equal op=", parts{key: "op", value: "Equal"}},
		{"op=Exists:NoSchedule", parts{key: "op", value: "Exists", effect: "NoSchedule"}},
		{"op=x op=", parts{key: "op", value: "x"}},
		{"op=5 op=", parts{key: "op", value: "5"}},
		{"op op=Exists", parts{key: "op", operator: "Exists"}},
		{"for", parts{key: "for"}},
		{"for:NoExecute for 5s", parts{key: "for", effect: "NoExecute", seconds: 5, limited: true}},
	} {
		got, ok := refParse(tt.text)
		if !ok || got != tt.want {
			t.Errorf("refParse(%q) = %+v, %v, want %+v", tt.text, got, ok, tt.want)
		}
		if text := refString(tt.want); text != tt.text {
			t.Errorf("refString(%+v) = %q, want %q", tt.want, text, tt.text)
		}
		compare(t, tt.text)
	}
	for _, text := range []string{
		"", " ", ":NoSchedule", "=v:NoSchedule", "key:", "key:noschedule", "key=v=w", "key  op=Exists", " key", "key ", "key op=", "key op=In",
		"key op=exists", "key=v op=Exists", "key op=Exists op=Exists", "op=Equal", "op=Lt", "key=x op=Gt", "key op=Gt", "key=05 op=Gt",
		"key for 5s", "key:NoSchedule for 5s", "key:NoExecute for 5", "key:NoExecute for s", "key:NoExecute for 05s", "key:NoExecute for -0s",
		"key:NoExecute for 9223372036854775808s", "key:NoExecute for 5s op=Exists", "for 5s", "op=Exists for 5s", "op=exists", "op=", "op=x", "a/b/c", "key\n",
		"=", "= op=Exists", "=:NoExecute op=Exists", " op=Exists", "op=Exists ", "op=Exists op= for 5s", "key op=Exists for 5s op=Exists",
	} {
		if got, ok := refParse(text); ok {
			t.Errorf("refParse(%q) = %+v", text, got)
		}
		compare(t, text)
	}
}
