package syntax

import (
	"strconv"
	"strings"
)

// A Toleration is the parts of a toleration's text, which may be invalid:
//
//	[ key ] [ "=" [ value ] ] [ ":" effect ] [ " op=" operator ] [ " for " integer "s" ]
//
// It is the text of tolerations of nodes' taints and of devices' taints alike.
type Toleration struct {
	Key, Value, Effect, Operator string
	Seconds                      int64

	HasValue   bool // there is a "=", which SplitToleration alone sets
	HasSeconds bool
}

const opPrefix = "op="

// SplitToleration returns the parts of a text, and false if it has another form.
// It does not check the parts.
func SplitToleration(s string) (t Toleration, ok bool) {
	if s == "" {
		return t, false
	}
	rest, seconds, timed := cutLast(s, " for ")
	if timed {
		digits, ok := strings.CutSuffix(seconds, "s")
		n, broken := Integer(digits)
		if !ok || broken != 0 {
			return t, false
		}
		t.Seconds, t.HasSeconds = n, true
	}
	head, op, hasOp := cutLast(rest, " "+opPrefix)
	if !hasOp && isOperator(rest) {
		head, op, hasOp = "", rest[len(opPrefix):], true
	} else if head == "" {
		return t, false // the text begins with a space
	}
	if hasOp && op == "" && !isOperator(head) {
		return t, false
	}
	key, effect, hasEffect := strings.Cut(head, ":")
	if hasEffect && effect == "" || strings.IndexByte(key, ' ') >= 0 {
		return t, false
	}
	t.Key, t.Value, t.HasValue = strings.Cut(key, "=")
	t.Effect, t.Operator = effect, op
	return t, true
}

// isOperator reports whether a first part is the operator, and not the key "op"
// with a value and an effect.
func isOperator(s string) bool {
	return strings.HasPrefix(s, opPrefix) && strings.IndexByte(s, ':') < 0
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// AppendToleration appends the text of the parts to b. It does not allocate if b
// has enough spare capacity. Without a key, value, effect and operator the text
// begins with "=", so that it is not empty.
func AppendToleration(b []byte, t Toleration) []byte {
	bare := t.Key == "" && t.Effect == "" && t.Operator == ""
	b = append(b, t.Key...)
	if t.Value != "" || bare {
		b = append(b, '=')
		b = append(b, t.Value...)
	}
	if t.Effect != "" {
		b = append(b, ':')
		b = append(b, t.Effect...)
	}
	// SplitToleration would read "op=x" as the operator.
	if t.Operator != "" || t.Key == "op" && t.Value != "" && t.Effect == "" {
		if t.Key != "" || t.Value != "" || t.Effect != "" {
			b = append(b, ' ')
		}
		b = append(b, opPrefix...)
		b = append(b, t.Operator...)
	}
	if t.HasSeconds {
		b = append(b, " for "...)
		b = strconv.AppendInt(b, t.Seconds, 10)
		b = append(b, 's')
	}
	return b
}
