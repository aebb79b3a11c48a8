package lint

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
		"too many in a line":   "a: [" + repeat(",", maxMarks) + "]",
		"too many fields":      block + "  - {" + list(20_000, func(i int) string { return fmt.Sprintf("a%d: b, ", i) }) + "}\n",
		"odd keys of mappings": "{" + list(20_000, func(i int) string { return fmt.Sprintf("0x%x: {a: b}, ", i+1<<20) }) + "}\n",
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
		"aliases of a text": "a: &a " + repeat("x", 1<<20) + "\nb: [" + repeat("*a, ", 10_000) + "]\n",
		"aliases of a list": "a: &a [" + repeat("{key: a, value: 5}, ", 1000) + "]\nb:\n" + list(1000, func(i int) string { return "- {tolerations: *a, containers: []}\n" }),
		"anchors":           list(20_000, func(i int) string { return fmt.Sprintf("- &a%d x\n", i) }),
		"comments":          repeat("# comment\n", 60_000) + "kind: Pod\n" + repeat("# comment\n", 60_000),
		"unknown fields":    block + repeat("  - {"+list(90, func(i int) string { return fmt.Sprintf("a%d: b, ", i) })+"}\n", 2000),
		"conflicts in documents": repeat("---\n"+block+list(4, func(i int) string {
			return fmt.Sprintf("  - {key: a%d, value: 5, toleration-seconds: 5, tolerationseconds: 6}\n", i)
		}), 400),
		"comments in a list": block + repeat("  # c\n  - {key: a, value: 5} # tolerate:ignore\n", 5000),
		"a long line":        "kind: Pod\nspec: {containers: [], tolerations: [" + repeat("{key: ü, value: 5},", 4000) + "]} # " + repeat("tolerate:ignore shadowed ", 20_000),
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
			r := c.of(text, "")
			runtime.ReadMemStats(&checked)
			if len(r.findings) > maxFindings || len(r.findings) == maxFindings && len(r.notes) == 0 {
				t.Errorf("%d findings, %d notes", len(r.findings), len(r.notes))
			}
			after := c.of(text, "all")
			runtime.ReadMemStats(&fixed)
			if got := checked.TotalAlloc - before.TotalAlloc; got > 512<<20 {
				t.Errorf("%d KB of text: %d MB allocated", len(text)>>10, got>>20)
			}
			if got, most := fixed.TotalAlloc-checked.TotalAlloc, max(minReread/max(1, uint64(len(text))), 2*maxRounds)*(checked.TotalAlloc-before.TotalAlloc); got > most {
				t.Errorf("%d KB of text: %d MB allocated to fix it, %d MB are in proportion", len(text)>>10, got>>20, most>>20)
			}
			t.Logf("%d found, %d notes, %d fixed, %d left", len(r.findings), len(r.notes), len(after.fixed), len(after.findings))
		})
	}
}
