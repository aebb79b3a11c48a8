package kubejson

import (
	"strings"
	"testing"
)

// A list that is too long is not decoded, and of many problems of one object a few
// are reported, with the number of the others.
func TestHostileLists(t *testing.T) {
	list := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	for name, test := range map[string]struct {
		list string
		want string // the last problem; none when empty
		n    int
	}{
		"as long as may be":  {list(mostElements, `{"key":"a"}`), "", 0},
		"one more":           {list(mostElements+1, `{"key":"a"}`), "more than 10000 elements", 1},
		"many more":          {list(500_000, `{}`), "more than 10000 elements", 1},
		"fields":             {"[{" + strings.TrimSuffix(strings.Repeat(`"key":"a",`, mostFields+1), ",") + "}]", "more than 100000 fields", 1},
		"as many problems":   {list(mostProblems, `1`), "spec.tolerations[19]", mostProblems},
		"one problem more":   {list(mostProblems+1, `1`), "and 1 more", mostProblems + 1},
		"many more problems": {list(mostElements, `1`), "and 9980 more", mostProblems + 1},
		"no list":            {`{"a": ` + list(200_000, "1") + `}`, "spec.tolerations", 1},
	} {
		o := first(t, `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": `+test.list+`}}`)
		pod, err := o.Pod()
		found := problems(o, err)
		if len(found) != test.n || (err == nil) != (test.n == 0) || test.n > 0 && (!strings.Contains(found[test.n-1], test.want) || pod.Tolerations != nil) {
			t.Errorf("%s: %d problems, %d tolerations: %.300q", name, len(found), len(pod.Tolerations), found)
		}
	}
}
