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

// object writes the fields of a struct with these names as JSON, and more members.
func object(t *rapid.T, fields any, names ...string) string {
	data, err := json.Marshal(fields)
	var literals map[string]json.RawMessage
	if err = errors.Join(err, json.Unmarshal(data, &literals)); err != nil {
		panic(err)
	}
	var members []string
	add := func(name, literal string) { members = append(members, strconv.Quote(name)+":"+literal) }
	for _, name := range names {
		if literal := literals[name]; literal != nil || oneIn(t, 4, "null") {
			add(name, cmp.Or(string(literal), "null"))
		}
	}
	names = slices.Concat(names, names, []string{"other", ""})
	for range rapid.IntRange(0, 4).Draw(t, "more") {
		name := rapid.SampledFrom(names).Draw(t, "name")
		literal := literals[name]
		if literal == nil || !oneIn(t, 4, "as it is") {
			literal = json.RawMessage(rapid.SampledFrom(anyLiterals).Draw(t, "literal"))
		}
		if oneIn(t, 4, "another case") {
			name = strings.ToUpper(name)
		}
		add(name, string(literal))
		literals[name] = literal
		names = append(names, name, name, name) // repeated more often
	}
	return "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}"
}

var anyLiterals = []string{
	"null", "null", "null", "null", `"a"`, `""`, `"NoExecute"`, `"Exists"`, `"2026-01-02T15:04:05Z"`, `"2026-01-02"`, "300", "1.5", "true", "[]", "{}",
}
