package gen

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// TaintJSON makes the JSON of taints in the API's shape: members in any order,
// some of them repeated with another value, a null or a value of another type,
// before or after the first, and unknown ones.
func TaintJSON() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		made := Taint().Draw(t, "taint")
		f := FieldsOfTaint(made)
		added := ""
		if at := made.TimeAdded(); !at.IsZero() {
			added = strconv.Quote(at.Format(time.RFC3339))
		}
		return object(t, []member{
			{"key", text(f.Key)}, {"value", text(f.Value)}, {"effect", text(f.Effect)}, {"timeAdded", added},
		})
	})
}

// TolerationJSON makes the JSON of tolerations as [TaintJSON] makes that of
// taints.
func TolerationJSON() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		f := FieldsOfToleration(Toleration().Draw(t, "toleration"))
		seconds := ""
		if f.Seconds != nil {
			seconds = decimal(*f.Seconds)
		}
		return object(t, []member{
			{"key", text(f.Key)}, {"operator", text(f.Operator)}, {"value", text(f.Value)}, {"effect", text(f.Effect)},
			{"tolerationSeconds", seconds},
		})
	})
}

// A member is a name and a JSON literal, which is empty if the member is absent.
type member struct{ name, literal string }

func text(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func object(t *rapid.T, fields []member) string {
	names := []string{"other", ""}
	var members []member
	for _, f := range fields {
		names = append(names, f.name)
		if f.literal != "" || oneIn(t, 4, "null") {
			f.literal = cmp.Or(f.literal, "null")
			members = append(members, f)
		}
	}
	members = rapid.Permutation(members).Draw(t, "order")
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		var m member
		if len(members) > 0 && !oneIn(t, 4, "any name") {
			m = rapid.SampledFrom(members).Draw(t, "repeated")
		} else {
			m.name = rapid.SampledFrom(names).Draw(t, "name")
		}
		if m.literal == "" || !oneIn(t, 4, "as it is") {
			m.literal = rapid.SampledFrom(literals).Draw(t, "literal")
		}
		members = slices.Insert(members, rapid.IntRange(0, len(members)).Draw(t, "at"), m)
	}
	var parts []string
	for _, m := range members {
		parts = append(parts, strconv.Quote(m.name)+":"+m.literal)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var literals = []string{
	"null", "null", "null", "null", `"a"`, `""`, `"NoExecute"`, `"Exists"`, `"2026-01-02T15:04:05Z"`, `"2026-01-02"`, "300", "1.5", "true", "[]", "{}",
}
