package gen

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// AnyTaintFields makes the fields of taints. A third are valid; in the others one
// field, or every field, can be invalid.
func AnyTaintFields() *rapid.Generator[recorded.Taint] {
	return rapid.Custom(func(t *rapid.T) recorded.Taint {
		f := RecordTaint(Taint().Draw(t, "taint"))
		spoil(t, again(t, &f.Key, anyKey()), again(t, &f.Value, anyValue()), again(t, &f.Effect, anyEffectName()))
		return f
	})
}

// AnyTolerationFields makes the fields of tolerations. A quarter are valid; in the
// others one field, or every field, can be invalid.
func AnyTolerationFields() *rapid.Generator[recorded.Toleration] {
	return rapid.Custom(func(t *rapid.T) recorded.Toleration {
		f := RecordToleration(Toleration().Draw(t, "toleration"))
		spoil(t, again(t, &f.Key, anyKey()), again(t, &f.Operator, AnyOperator()), again(t, &f.Value, anyValue()),
			again(t, &f.Effect, anyEffectName()), again(t, &f.Seconds, rapid.Ptr(Seconds(), true)))
		return f
	})
}

// again returns a function that draws a field again.
func again[F any](t *rapid.T, field *F, g *rapid.Generator[F]) func() {
	return func() { *field = g.Draw(t, "field") }
}

// spoil draws none of the fields, one or all of them again.
func spoil(t *rapid.T, fields ...func()) {
	n := rapid.IntRange(0, len(fields)+2).Draw(t, "spoilt")
	for i, draw := range fields {
		if n == i+2 || n == len(fields)+2 {
			draw()
		}
	}
}

// anyKey makes valid keys and, more often, keys that are almost valid or only just
// valid: one byte too long, one invalid byte, or in another case.
func anyKey() *rapid.Generator[string] {
	edge := rapid.SampledFrom(edgeKeys)
	return rapid.OneOf(Key(), edge, almost(edge), rapid.StringMatching(`([a-z0-9.-]{0,8}/)?[A-Za-z0-9_.-]{0,6}`))
}

// anyValue makes values as [anyKey] makes keys, and integers as text, and texts that are
// almost integers.
func anyValue() *rapid.Generator[string] {
	edge := rapid.SampledFrom(edgeValues)
	return rapid.OneOf(Value(), edge, almost(edge), rapid.OneOf(
		Bound(), rapid.SampledFrom(edgeIntegers), rapid.Map(rapid.Int64(), decimal), rapid.StringMatching(`-?[0-9]{1,20}`), almost(Bound()),
	))
}

// almost damages what g makes.
func almost(g *rapid.Generator[string]) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string { return Damaged(t, g.Draw(t, "text")) })
}

// anyEffectName makes names of effects, including wrong ones and the empty one.
func anyEffectName() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"", "NoSchedule", "PreferNoSchedule", "NoExecute",
		"noschedule", "NoSchedule ", "NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE", "NoExec", "Effect(4)", "None", "NoSchedule\x00",
	})
}

// AnyOperator makes names of operators, including wrong ones and the empty one.
func AnyOperator() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{
		"", "Equal", "Exists", "Lt", "Gt",
		"exists", "Equals", "=", "Gte", "LT", "In", "Operator(5)", " Exists",
	})
}

var (
	name63    = strings.Repeat("n", 63)
	prefix253 = strings.Repeat("p", 253)

	edgeKeys = []string{
		"", "a", "0", "a/b", "a_b.c-D", "example.com/Key", "Example.com/Key", "a/b/c", "/a", "a/", "/",
		name63, name63 + "n", prefix253 + "/a", prefix253 + "p/a", "p/" + name63, "p/" + name63 + "n",
		"a..b/c", "a.-b/c", "a-.b/c", "-a/b", "a-/b", "a.b-/c", "a--b/c", "a_b/c", "-a", "a-", "_a", "a.",
		"readiness.k8s.io/*", "ключ", "a\n", "a b", "a\x00",
	}
	edgeValues = []string{
		"", "a", "0", "a_b.c-D", "-a", "a-", ".a", "a.", "a/b", "a b", "a=b", "a:b",
		name63, name63 + "n", name63[1:] + "-", "ключ", "a\n", "true",
	}
	edgeIntegers = []string{
		"", "-", "--1", "+1", "-0", "00", "01", "-01", "1.5", "1e3", " 1", "1 ", "1_000", "0x1", "١",
		"9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999",
		"999999999999999999", "1000000000000000000", "-999999999999999999", "-1000000000000000000",
	}
)

// Damaged returns s with one byte inserted, removed or replaced, or a part repeated.
func Damaged(t *rapid.T, s string) string {
	at := rapid.IntRange(0, len(s)).Draw(t, "at")
	rest := s[at:]
	if rest != "" && oneIn(t, 5, "repeat") {
		part := rest[:rapid.IntRange(1, len(rest)).Draw(t, "part")]
		return s[:at] + strings.Repeat(part, rapid.SampledFrom([]int{1, 1, 1, 62, 252}).Draw(t, "times")) + rest
	}
	odd := rapid.SampledFrom([]string{
		"", "-", ".", "_", "/", "a", "Z", "0", " ", "\n", "\t", "\x00", "\x7f", "\x80", "\xff", "*", "=", ":", ",", "@", "[", "`", "{", "é",
	}).Draw(t, "odd")
	if rest != "" && rapid.Bool().Draw(t, "replace") {
		rest = rest[1:]
	}
	return s[:at] + odd + rest
}
