package main

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hostile returns texts that cost much more to read than to write.
func hostile() map[string]string {
	repeat := strings.Repeat
	list := func(n int, element func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(element(i))
		}
		return b.String()
	}
	block := head + "  containers: []\n  tolerations:\n"
	flow := func(n int, element func(i int) string) string {
		return `{"kind": "Pod", "spec": {"containers": [], "tolerations": [` + strings.TrimSuffix(list(n, func(i int) string { return element(i) + ", " }), ", ") + "]}}"
	}
	return map[string]string{
		"fixes that change the meaning": block + list(800, func(i int) string { return fmt.Sprintf("  - {key: a%d, effect: NoSchedule}\n", i) }),
		"the same in flow style":        flow(800, func(i int) string { return fmt.Sprintf(`{"key": "a%d", "effect": "NoSchedule"}`, i) }),
		"one new key for all": block + list(800, func(i int) string {
			return fmt.Sprintf("  - {key: node.kubernetes.io/out-of-disk, value: v%d, effect: NoSchedule}\n  - {key: node.kubernetes.io/out-of-disk, effect: NoExecute}\n", i)
		}),
		"elements to remove, in flow style": flow(800, func(i int) string { return `{"key": "a", "operator": "Exists"}` }),
		"elements to remove":                block + repeat("  - {key: a, operator: Lt, value: '0'}\n", 800),
		"problems":                          block + repeat("  - {key: a, value: 5}\n", 800),
		"problems, in one line":             flow(4000, func(i int) string { return `{"key": "a", "value": 5}` }),
		"problems that quotes do not mend":  block + list(800, func(i int) string { return fmt.Sprintf("  - {key: a, value: 5, effect: bad%d, Key: b, %d: x}\n", i, i) }),
		"changes that do not fit": block + list(400, func(i int) string {
			return fmt.Sprintf("  - {key: a%d, value: 5, toleration-seconds: 5, tolerationseconds: 6}\n", i)
		}),
		"taints":               "kind: Node\nspec:\n  taints:\n" + list(4000, func(i int) string { return fmt.Sprintf("  - {key: a%d, effect: NoSchedule}\n", i) }),
		"one taint":            "kind: Node\nspec:\n  taints:\n" + repeat("  - {key: a, effect: NoSchedule}\n", 4000),
		"too many elements":    block + repeat("  - {}\n", maxElements+1),
		"too many values":      "a: [" + repeat(",\n", maxMarks/2) + "]",
		"too many in a line":   "a: [" + repeat(",", maxLineMarks) + "]",
		"too many fields":      block + "  - {" + list(20_000, func(i int) string { return fmt.Sprintf("a%d: b, ", i) }) + "}\n",
		"odd keys of mappings": "{" + list(2*maxConversions, func(i int) string { return fmt.Sprintf("0x%x: {a: b}, ", i+1<<20) }) + "}\n",
		"odd keys":             "{" + list(20_000, func(i int) string { return fmt.Sprintf("0x%x: b, ", i+1<<20) }) + "}\n",
		"documents":            repeat("---\na: b\n", maxDocuments+1),
		"empty documents":      repeat("---\n", 200_000),
		"ends of documents":    repeat("...\n", 200_000),
		"directives":           repeat("%A b\n", 20_000) + repeat("---\n", 20_000),
		"JSON values":          repeat("{}", 20_000),
		"JSON and separators":  repeat("{}\n---\n", 20_000),
		"levels":               repeat("[", 200_000),
		"levels of keys":       repeat("? ", 20_000),
		"levels of marks":      repeat("- ", 20_000),
		"colons":               repeat("a: ", 20_000),
		"levels by aliases": list(500, func(i int) string {
			return fmt.Sprintf("a%d: &a%d %s*a%d%s\n", i, i, repeat("[", 900), max(i-1, 0), repeat("]", 900))
		})[len("a0: &a0 ")+900+len("*a0")+900:],
		"a chain of aliases": "a0: &a0 [x]\n" + list(100, func(i int) string {
			return fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, repeat(fmt.Sprintf("*a%d, ", i), 9))
		}),
		"a chain of merges": "a0: &a0 {x: y}\n" + list(100, func(i int) string {
			return fmt.Sprintf("a%d: &a%d {<<: [%s]}\n", i+1, i+1, repeat(fmt.Sprintf("*a%d, ", i), 9))
		}),
		"aliases of a text":  "a: &a " + repeat("x", 1<<20) + "\nb: [" + repeat("*a, ", 10_000) + "]\n",
		"aliases of a list":  "a: &a [" + repeat("{key: a, value: 5}, ", 1000) + "]\nb:\n" + list(1000, func(i int) string { return "- {tolerations: *a, containers: []}\n" }),
		"anchors":            list(20_000, func(i int) string { return fmt.Sprintf("- &a%d x\n", i) }),
		"comments":           repeat("# comment\n", 60_000) + "kind: Pod\n" + repeat("# comment\n", 60_000),
		"comments in a list": block + repeat("  # c\n  - {key: a, value: 5} # tollint:ignore\n", 5000),
		"a long line":        "kind: Pod\nspec: {containers: [], tolerations: [" + repeat("{key: ü, value: 5},", 4000) + "]} # " + repeat("tollint:ignore shadowed ", 20_000),
		"a long key":         repeat("k", 1<<18) + ": {" + list(20_000, func(i int) string { return fmt.Sprintf("a%d: {tolerations: [{key: 5}]}, ", i) }) + "}\n",
		"a long name":        "kind: Pod\nmetadata: {name: " + repeat("n", 1<<20) + "}\nspec:\n  tolerations:\n" + repeat("  - {key: 5}\n", 5000),
		"a long text":        block + "  - {key: \"" + repeat("\\x41", 1<<20) + "\"}\n",
		"templates":          repeat("{{ a }}\n", 20_000),
		"open templates":     repeat("{{ a\n", 20_000),
		"open braces":        repeat("{{", 20_000),
		"templates in lists": block + repeat("  - {key: {{ a }}, value: 5}\n", 5000),
		"quotes":             repeat("'", 200_001),
		"block scalars":      repeat("- |\n a\n", 20_000),
		"tags":               repeat("- !!str a\n", 20_000),
		"repeated":           "{" + repeat("a: b, ", 20_000) + "}",
		"spaces":             "a:" + repeat(" ", 1<<20) + "b\n",
		"lines":              "a: b" + repeat("\n", 1<<20),
		"returns":            "a: b" + repeat("\r", 1<<20),
	}
}

// The program reads any text at most a few times, allocates in proportion to it,
// and reports what it did not read.
func TestHostile(t *testing.T) {
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			var before, checked, fixed runtime.MemStats
			c := policed(t)
			runtime.ReadMemStats(&before)
			r := c.check(newSource("x", text))
			runtime.ReadMemStats(&checked)
			out := c.fix(r, true)
			runtime.ReadMemStats(&fixed)
			if got := checked.TotalAlloc - before.TotalAlloc; got > 512<<20 {
				t.Errorf("%d KB of text: %d MB allocated", len(text)>>10, got>>20)
			}
			if got, most := fixed.TotalAlloc-checked.TotalAlloc, 20*(checked.TotalAlloc-before.TotalAlloc); got > most {
				t.Errorf("%d KB of text: %d MB allocated to mend it, %d MB are in proportion", len(text)>>10, got>>20, most>>20)
			}
			for _, f := range out.rest.failures {
				if strings.Contains(f.message, "fit together") {
					t.Error(f.message)
				}
			}
			t.Logf("%d found, %d failed, %d mended, %d left; read anew %d times", len(r.findings), len(r.failures), len(out.done), len(out.rest.findings), out.reread/len(text))
		})
	}
}

// The work is proportional to the text, even if it has more keys than are
// converted.
func TestHostile_conversions(t *testing.T) {
	defer func(most int) { maxConversions = most }(maxConversions)
	maxConversions = 10
	for name, write := range map[string]string{
		"mappings":    "0x%x: {a: b}, ",
		"lists":       "0x%x: [{a: b}], ",
		"tolerations": "0x%x: {tolerations: [{0x1: b, 0x2: c, 0x3: d}]}, ",
	} {
		allocated := func(keys int) uint64 {
			var b strings.Builder
			for i := range keys {
				fmt.Fprintf(&b, write, i+1<<20)
			}
			var before, after runtime.MemStats
			c := policed(t)
			runtime.ReadMemStats(&before)
			r := c.check(newSource("x", "{"+b.String()+"}\n"))
			runtime.ReadMemStats(&after)
			if len(r.docs) != 1 || len(r.docs[0].conversions) > maxConversions {
				t.Fatalf("%s: %d documents, failures %v", name, len(r.docs), r.failures)
			}
			return after.TotalAlloc - before.TotalAlloc
		}
		if few, many := allocated(500), allocated(4000); many > 12*few {
			t.Errorf("%s: %d KB allocated for 500 keys, %d KB for 4000", name, few>>10, many>>10)
		} else {
			t.Logf("%s: %d KB allocated for 500 keys, %d KB for 4000", name, few>>10, many>>10)
		}
	}
}
