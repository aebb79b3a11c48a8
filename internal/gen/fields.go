package gen

import (
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// TaintFields are the fields of a taint as text; "" represents an absent field.
type TaintFields struct {
	Key, Value, Effect string
}

// Make returns the taint with these fields, or the error.
func (f TaintFields) Make() (taint.Taint, error) { return taint.From(f.Key, f.Value, f.Effect) }

// TolerationFields are the fields of a toleration as text; "" and nil represent absent
// fields.
type TolerationFields struct {
	Key, Operator, Value, Effect string
	Seconds                      *int64
}

// Make returns the toleration with these fields, or the error.
func (f TolerationFields) Make() (toleration.Toleration, error) {
	return toleration.From(f.Key, f.Operator, f.Value, f.Effect, f.Seconds)
}

// FieldsOfTaint returns the fields of the taint.
func FieldsOfTaint(t taint.Taint) TaintFields {
	return TaintFields{t.Key(), t.Value(), t.Effect().String()}
}

// FieldsOfToleration returns the fields of the toleration.
func FieldsOfToleration(u toleration.Toleration) TolerationFields {
	f := TolerationFields{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if n, ok := u.Seconds(); ok {
		f.Seconds = &n
	}
	return f
}

// AnyTaintFields makes the fields of taints. A third are valid; in the others one
// field, or every field, can be invalid.
func AnyTaintFields() *rapid.Generator[TaintFields] {
	return rapid.Custom(func(t *rapid.T) TaintFields {
		f := FieldsOfTaint(Taint().Draw(t, "taint"))
		switch rapid.IntRange(0, 5).Draw(t, "damaged") {
		case 2:
			f.Key = AnyKey().Draw(t, "key")
		case 3:
			f.Value = AnyValue().Draw(t, "value")
		case 4:
			f.Effect = AnyEffect().Draw(t, "effect")
		case 5:
			f = TaintFields{AnyKey().Draw(t, "key"), AnyValue().Draw(t, "value"), AnyEffect().Draw(t, "effect")}
		}
		return f
	})
}

// AnyTolerationFields makes the fields of tolerations. A quarter are valid; in the
// others one field, or every field, can be invalid.
func AnyTolerationFields() *rapid.Generator[TolerationFields] {
	return rapid.Custom(func(t *rapid.T) TolerationFields {
		f := FieldsOfToleration(Toleration().Draw(t, "toleration"))
		switch rapid.IntRange(0, 7).Draw(t, "damaged") {
		case 2:
			f.Key = AnyKey().Draw(t, "key")
		case 3:
			f.Operator = AnyOperator().Draw(t, "operator")
		case 4:
			f.Value = AnyValue().Draw(t, "value")
		case 5:
			f.Effect = AnyEffect().Draw(t, "effect")
		case 6:
			f.Seconds = rapid.Ptr(Seconds(), true).Draw(t, "seconds")
		case 7:
			f = TolerationFields{
				AnyKey().Draw(t, "key"), AnyOperator().Draw(t, "operator"), AnyValue().Draw(t, "value"),
				AnyEffect().Draw(t, "effect"), rapid.Ptr(Seconds(), true).Draw(t, "seconds"),
			}
		}
		return f
	})
}

// AnyKey makes valid keys and, more often, keys that are almost valid or only just
// valid: one byte too long, one invalid byte, or in another case.
func AnyKey() *rapid.Generator[string] {
	return rapid.OneOf(
		Key(),
		rapid.SampledFrom(edgeKeys),
		rapid.Custom(func(t *rapid.T) string { return damaged(t, rapid.SampledFrom(edgeKeys).Draw(t, "key")) }),
		rapid.StringMatching(`([a-z0-9.-]{0,8}/)?[A-Za-z0-9_.-]{0,6}`),
	)
}

// AnyValue makes values as [AnyKey] makes keys, and texts that are nearly
// integers as [AnyInteger] does.
func AnyValue() *rapid.Generator[string] {
	return rapid.OneOf(
		Value(),
		rapid.SampledFrom(edgeValues),
		rapid.Custom(func(t *rapid.T) string { return damaged(t, rapid.SampledFrom(edgeValues).Draw(t, "value")) }),
		AnyInteger(),
	)
}

// AnyInteger makes integers as text, and texts that are almost integers.
func AnyInteger() *rapid.Generator[string] {
	return rapid.OneOf(
		Bound(),
		rapid.SampledFrom(edgeIntegers),
		rapid.Map(rapid.Int64(), decimal),
		rapid.StringMatching(`-?[0-9]{1,20}`),
		rapid.Custom(func(t *rapid.T) string { return damaged(t, Bound().Draw(t, "integer")) }),
	)
}

// AnyEffect makes names of effects, including wrong ones and the empty one.
func AnyEffect() *rapid.Generator[string] {
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

// damaged returns s with one byte inserted, removed or replaced.
func damaged(t *rapid.T, s string) string {
	at := rapid.IntRange(0, len(s)).Draw(t, "at")
	odd := rapid.SampledFrom([]string{
		"", "-", ".", "_", "/", "a", "Z", "0", " ", "\n", "\t", "\x00", "\x7f", "\x80", "\xff", "*", "=", ":", "@", "[", "`", "{", "é",
	}).Draw(t, "odd")
	rest := s[at:]
	if rest != "" && rapid.Bool().Draw(t, "replace") {
		rest = rest[1:]
	}
	return s[:at] + odd + rest
}
