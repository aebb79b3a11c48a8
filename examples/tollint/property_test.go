package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// A style is a way to write a list of tolerations.
type style struct {
	flow, json, quotes, comments, crlf, indented bool
}

func styles() *rapid.Generator[style] {
	return rapid.Custom(func(t *rapid.T) style {
		b := func(name string) bool { return rapid.Bool().Draw(t, name) }
		return style{b("flow"), b("json"), b("quotes"), b("comments"), b("crlf"), b("indented")}
	})
}

// written returns the fields of a toleration as YAML, in some order.
func (s style) written(t *rapid.T, u toleration.Toleration) []string {
	var fields []string
	name := func(n string) string {
		if s.json {
			return `"` + n + `": `
		}
		return n + ": "
	}
	for i, value := range fieldsOf(u) {
		if value == "" && (i != 2 || u.Operator() == toleration.Exists || !rapid.Bool().Draw(t, "empty value")) {
			continue
		}
		switch {
		case i == 4:
		case s.json || s.quotes || value == "":
			value = `"` + value + `"`
		case i == 0 || i == 2:
			// A value such as 1 or yes needs quotes.
			var v struct{ V any }
			if err := k8syaml.Unmarshal([]byte("v: "+value), &v); err != nil || reflect.TypeOf(v.V) != reflect.TypeFor[string]() {
				value = "'" + value + "'"
			}
		}
		fields = append(fields, name(order[i])+value)
	}
	return rapid.Permutation(fields).Draw(t, "order")
}

// manifest returns a pod with these tolerations.
func (s style) manifest(t *rapid.T, list toleration.List) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1 # a\nkind: Pod\nspec:\n  containers: []\n  # before\n  tolerations:")
	if len(list) == 0 {
		b.WriteString(" []")
	}
	indent := "  "
	if s.indented {
		indent = "    "
	}
	comment := func(text string) string {
		if s.comments {
			return " # " + text
		}
		return ""
	}
	for i, u := range list {
		fields := s.written(t, u)
		if s.comments {
			fmt.Fprintf(&b, "\n%s# above %d", indent, i)
		}
		if s.flow {
			fmt.Fprintf(&b, "\n%s- {%s}%s", indent, strings.Join(fields, ", "), comment("element"))
			continue
		}
		for j, f := range fields {
			mark := "  "
			if j == 0 {
				mark = "- "
			}
			fmt.Fprintf(&b, "\n%s%s%s%s", indent, mark, f, comment("field"))
		}
	}
	b.WriteString("\n  nodeName: 'n' # behind\n")
	if s.crlf {
		return strings.ReplaceAll(b.String(), "\n", "\r\n")
	}
	return b.String()
}

// readPod returns the tolerations of a pod, read by Kubernetes' own YAML reader and
// package toleration, and the rest of the pod.
func readPod(t interface{ Fatal(...any) }, text string) (list toleration.List, rest map[string]any) {
	data, err := k8syaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		t.Fatal(err, text)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a float64 does not hold all seconds exactly
	if err := d.Decode(&rest); err != nil {
		t.Fatal(err)
	}
	spec := rest["spec"].(map[string]any)
	data, err = json.Marshal(spec["tolerations"])
	if err != nil {
		t.Fatal(err)
	}
	delete(spec, "tolerations")
	list, _, err = toleration.Decode(data, toleration.ListOptions{Strict: true})
	if err != nil {
		t.Fatal(err, text)
	}
	return list, rest
}

// mendedList returns the list after -fix=all, computed from its values.
func mendedList(list toleration.List) toleration.List {
	for {
		var same, other []lint.Fix
		for _, f := range lint.Find(list, lint.Options{}) {
			switch {
			case f.Fix.IsZero():
			case f.Fix.Equivalent:
				same = append(same, f.Fix)
			default:
				other = append(other, f.Fix)
			}
		}
		switch {
		case len(same) > 0:
			list = lint.Apply(list, same...)
		case len(other) > 0:
			list = lint.Apply(list, other[0])
		default:
			return list
		}
	}
}

// However a list is written, -fix=all has the effect that follows from its values,
// and changes no other line.
func TestFix_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := gen.Tolerations().Draw(t, "list")
		text := styles().Draw(t, "style").manifest(t, list)
		was, around := readPod(t, text)
		r := everything.check(newSource("x", text))
		if !cmp.Equal(was, r.lists[0].tolerations, cmp.Comparer(func(u, v toleration.Toleration) bool { return u == v })) && len(was) > 0 {
			t.Fatalf("%s\nread as %v, want %v", text, r.lists[0].tolerations, was)
		}
		out := everything.fix(r, true)
		is, aroundAfter := readPod(t, out.text)
		if want := mendedList(was); fmt.Sprint(want) != fmt.Sprint(is) {
			t.Errorf("%s\nmended to\n%s\nwant %v", text, out.text, want)
		}
		if !reflect.DeepEqual(around, aroundAfter) {
			t.Errorf("%s\nmended to\n%s\nwhich says something else", text, out.text)
		}
		check(t, r, out)

		// -fix keeps the meaning.
		is, _ = readPod(t, everything.fix(r, false).text)
		if !equivalent(toleration.First, was, is) {
			t.Errorf("%s\nmended to %v, which means something else", text, is)
		}
	})
}

// check tests what must be true after any fix.
func check(t interface {
	Helper()
	Errorf(string, ...any)
}, r *result, out fixed) {
	t.Helper()
	again := everything.check(newSource("x", out.text))
	if diff := cmp.Diff(lines(out.rest), lines(again)); diff != "" {
		t.Errorf("%q\nis said to have (-), and has (+)\n%s", out.text, diff)
	}
	if twice := everything.fix(again, true); twice.text != out.text {
		t.Errorf("%q\nmended anew to\n%q", out.text, twice.text)
	}
	if len(out.done) == 0 && out.text != r.source.text {
		t.Errorf("%q\nchanged without reason to\n%q", r.source.text, out.text)
	}
	rest, pieces := out.text, outside(r)
	for i, piece := range pieces {
		at := strings.Index(rest, piece)
		if at < 0 || i == 0 && at > 0 || i == len(pieces)-1 && !strings.HasSuffix(rest, piece) {
			t.Errorf("%q\nmended to\n%q\nwhich differs outside of the lists: %q", r.source.text, out.text, piece)
			return
		}
		rest = rest[at+len(piece):]
	}
}

// outside returns the pieces of a source between its lists, each of which begins
// at its name, up to the first list with an unknown end.
func outside(r *result) (pieces []string) {
	from := 0
	docs, _ := parse(r.source, false)
	for _, d := range docs {
		for _, p := range d.walk().places {
			begin := d.offset(p.key)
			if begin < from {
				continue
			}
			pieces = append(pieces, d.text[from:begin])
			from = len(d.text)
			if end, ok := d.endOf(p.value); ok && end > begin {
				from = end
				_, stop, next := d.lineAt(end)
				if rest := strings.TrimSpace(d.text[end:stop]); rest == "" || rest[0] == '#' {
					from = next // the comment of a field can be removed with it
				}
			} else if target(p.value).Kind != yaml.SequenceNode || p.shared {
				from = begin
			}
		}
	}
	return append(pieces, r.source.text[from:])
}

// FuzzFix fixes any text.
func FuzzFix(f *testing.F) {
	f.Add(sample)
	cases, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, entry := range cases {
		if !strings.HasSuffix(entry.Name(), ".txt") {
			continue
		}
		a, err := txtar.ParseFile("testdata/" + entry.Name())
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range a.Files {
			f.Add(string(file.Data))
			f.Add(strings.ReplaceAll(string(file.Data), "\n", "\r\n"))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		r := everything.check(newSource("x", text))
		for _, f := range r.findings {
			if line := strings.Count(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + strings.Count(strings.ReplaceAll(text, "\r\n", ""), "\r") + 1; f.line < 1 || f.line > line || f.column < 1 {
				t.Errorf("%q: %d:%d", text, f.line, f.column)
			}
		}
		out := everything.fix(r, true)
		check(t, r, out)
		// Kubernetes' own reader can still read the document, which is the same
		// except for the lists.
		before, err := k8syaml.YAMLToJSON([]byte(text))
		if err != nil || len(out.done) == 0 || strings.Contains(text, "\n---") {
			return
		}
		after, err := k8syaml.YAMLToJSON([]byte(out.text))
		if err != nil {
			t.Fatalf("%q\nmended to\n%q\nwhich cannot be read: %v", text, out.text, err)
		}
		var a, b any
		if json.Unmarshal(before, &a) == nil && json.Unmarshal(after, &b) == nil && !reflect.DeepEqual(without(a), without(b)) {
			t.Errorf("%q\nmended to\n%q\nwhich says something else", text, out.text)
		}
	})
}

// without returns the value without the lists, which the program can change.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{"tolerations", "taints", "startupTaints", "registerWithTaints"} {
			delete(v, name)
		}
		for _, w := range v {
			without(w)
		}
	case []any:
		for _, w := range v {
			without(w)
		}
	}
	return v
}

// equivalent reports whether each of the lists covers the other.
func equivalent(choice toleration.Choice, a, b toleration.List) bool {
	_, inA := cover.UncoveredTaint(a, b, choice)
	_, inB := cover.UncoveredTaint(b, a, choice)
	return !inA && !inB
}
