package kubejson

import (
	"runtime"
	"strings"
	"testing"
)

// An object with too many fields is not decoded, and of many problems of one object
// a few are reported, with the number of the others.
func TestHostileLists(t *testing.T) {
	list := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	const around = 2 // commas outside of the list
	for name, test := range map[string]struct {
		list string
		want string // the last problem; none when empty
		n    int
	}{
		"long":               {list(10_000, `{"key":"a"}`), "", 0},
		"as long as may be":  {list(maxFields-around+1, `{"key":"a"}`), "", 0},
		"one more":           {list(maxFields-around+2, `{"key":"a"}`), "more than 100000 fields", 1},
		"many more":          {list(500_000, `{}`), "more than 100000 fields", 1},
		"fields":             {"[" + strings.Repeat(`{"key":"a","operator":"Exists"},`, maxFields/2) + "{}]", "more than 100000 fields", 1},
		"as many problems":   {list(mostProblems, `1`), "spec.tolerations[19]", mostProblems},
		"one problem more":   {list(mostProblems+1, `1`), "and 1 more", mostProblems + 1},
		"many more problems": {list(10_000, `1`), "and 9980 more", mostProblems + 1},
		"no list":            {`{"a": ` + list(20_000, "1") + `}`, "spec.tolerations", 1},
	} {
		o := first(t, `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"tolerations": `+test.list+`}}`)
		pod, err := o.Pod()
		found := problems(o, err)
		if len(found) != test.n || (err == nil) != (test.n == 0) || test.n > 0 && (!strings.Contains(found[test.n-1], test.want) || pod.Tolerations != nil) {
			t.Errorf("%s: %d problems, %d tolerations: %.300q", name, len(found), len(pod.Tolerations), found)
		}
	}
}

// An object with many lists of items is not decoded again for each of them.
func TestHostileItems(t *testing.T) {
	const size, lists = 1 << 20, 100
	text := `{"metadata": {"name": "` + strings.Repeat("x", size) + `"}` + strings.Repeat(`, "items": []`, lists) + `}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := 0
	for o, err := range Objects("f", strings.NewReader(text)) {
		if n++; o != nil || !strings.Contains(err.Error(), "only once") {
			t.Errorf("object %v, %.100q", o, err)
		}
	}
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / size; n != 1 || got > lists/2 {
		t.Errorf("%d problems, and %d times the object was allocated for %d lists", n, got, lists)
	}
}
