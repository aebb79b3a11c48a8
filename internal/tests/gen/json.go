package gen

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// TaintJSON makes the JSON of taints in the API's shape: members in any order,
// some of them repeated with another value, a null or a value of another type,
// before or after the first, and unknown ones, such as "KEY".
func TaintJSON() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return object(t, RecordTaint(Taint().Draw(t, "taint")), "key", "value", "effect", "timeAdded")
	})
}

// TolerationJSON makes the JSON of tolerations as [TaintJSON] makes that of
// taints.
func TolerationJSON() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return object(t, RecordToleration(Toleration().Draw(t, "toleration")), "key", "operator", "value", "effect", "tolerationSeconds")
	})
}

// A member is a name and a JSON literal.
type member struct{ name, literal string }

// object writes the fields of a struct with these names as JSON, and more members.
func object(t *rapid.T, fields any, names ...string) string {
	data, err := json.Marshal(fields)
	var literals map[string]json.RawMessage
	if err = errors.Join(err, json.Unmarshal(data, &literals)); err != nil {
		panic(err)
	}
	var members []member
	for _, name := range names {
		if literal := literals[name]; literal != nil || oneIn(t, 4, "null") {
			members = append(members, member{name, cmp.Or(string(literal), "null")})
		}
	}
	names = append(names, "other", "")
	members = rapid.Permutation(members).Draw(t, "order")
	for range rapid.IntRange(0, 3).Draw(t, "more") {
		var m member
		if len(members) > 0 && !oneIn(t, 4, "any name") {
			m = rapid.SampledFrom(members).Draw(t, "repeated")
		} else {
			m.name = rapid.SampledFrom(names).Draw(t, "name")
		}
		if oneIn(t, 4, "another case") {
			m.name = strings.ToUpper(m.name)
		}
		if m.literal == "" || !oneIn(t, 4, "as it is") {
			m.literal = rapid.SampledFrom(anyLiterals).Draw(t, "literal")
		}
		members = slices.Insert(members, rapid.IntRange(0, len(members)).Draw(t, "at"), m)
	}
	var parts []string
	for _, m := range members {
		parts = append(parts, strconv.Quote(m.name)+":"+m.literal)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

var anyLiterals = []string{
	"null", "null", "null", "null", `"a"`, `""`, `"NoExecute"`, `"Exists"`, `"2026-01-02T15:04:05Z"`, `"2026-01-02"`, "300", "1.5", "true", "[]", "{}",
}
