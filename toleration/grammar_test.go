package toleration_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/grammar"
	"github.com/go-tolerate/tolerate/internal/tests/plain"
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
func compare(t rapid.TB, s string) (valid bool) {
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
	t.Run("K3_toleration", grammar.MakeCheck("testdata/toleration.ebnf", "toleration", "toleration", 0.05, compare))
}
