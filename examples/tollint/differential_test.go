package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	k8syaml "sigs.k8s.io/yaml"
)

// A yamlWriter writes values as YAML in flow style, with unusual syntax.
// Kubernetes' own reader decides what it means.
type yamlWriter struct {
	*rapid.T
	strings        map[string]string // anchors by text
	lists, objects []string          // anchors
}

func (w *yamlWriter) one(name string, of int) bool { return rapid.IntRange(1, of).Draw(w.T, name) == 1 }

// scalar returns a string, or a number.
func (w *yamlWriter) scalar(v any) string {
	s, ok := v.(string)
	if !ok {
		return rapid.SampledFrom([]string{fmt.Sprint(v), "!!int " + fmt.Sprint(v), fmt.Sprint(v) + ".0"}).Draw(w.T, "number")
	}
	if name, ok := w.strings[s]; ok && w.one("alias", 3) {
		return "*" + name + " "
	}
	plain := func(s string) string {
		var v any
		if k8syaml.Unmarshal([]byte(s), &v) == nil && v == any(s) {
			return s
		}
		return strconv.Quote(s)
	}
	var out string
	switch rapid.IntRange(0, 9).Draw(w.T, "style") {
	case 0:
		out = "'" + s + "'"
	case 1:
		out = strconv.Quote(s)
	case 2:
		for _, c := range []byte(s) {
			out += fmt.Sprintf(`\x%02x`, c)
		}
		out = `"` + out + `"`
	case 3:
		out = "!!binary " + base64.StdEncoding.EncodeToString([]byte(s))
	case 4:
		out = "!!str " + plain(s)
	case 5:
		out = "! " + plain(s)
	case 6:
		out = "!own " + strconv.Quote(s)
	case 7:
		out = rapid.SampledFrom([]string{"yes", "0x1", "~", "010", "1_0", "{{x}}", "'{{x}}'", "${X}", "1:30"}).Draw(w.T, "other")
	default:
		out = plain(s)
	}
	if w.one("anchor", 4) {
		name := fmt.Sprintf("s%d", len(w.strings))
		w.strings[s] = name
		out = "&" + name + " " + out
	}
	return out
}

func (w *yamlWriter) value(v any) string {
	if _, text := v.(string); !text && w.one("template", 40) {
		return rapid.SampledFrom([]string{"${X}", "'{{ x }}'", "\"a ${X}\"", "!!str ${X}"}).Draw(w.T, "expression")
	}
	switch v := v.(type) {
	case []any:
		if len(w.lists) > 0 && w.one("alias of a list", 6) {
			return "*" + rapid.SampledFrom(w.lists).Draw(w.T, "list")
		}
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = w.value(v[i])
		}
		return w.anchored(&w.lists, "[", strings.Join(parts, ", "), "]")
	case map[string]any:
		if len(w.objects) > 0 && w.one("alias of an object", 8) {
			return "*" + rapid.SampledFrom(w.objects).Draw(w.T, "object")
		}
		return w.object(v)
	default:
		return w.scalar(v)
	}
}

func (w *yamlWriter) anchored(names *[]string, open, text, end string) string {
	if !w.one("anchor", 4) {
		return open + text + end
	}
	name := fmt.Sprintf("c%d%d", len(w.lists), len(w.objects))
	*names = append(*names, name)
	return "&" + name + " " + open + text + end
}

func (w *yamlWriter) object(v map[string]any) string {
	var parts, merged []string
	for _, name := range rapid.Permutation(sortedKeys(v)).Draw(w.T, "order") {
		f := w.scalar(name) + " : " + w.value(v[name])
		if w.one("explicit key", 8) {
			f = "? " + f
		}
		switch rapid.IntRange(0, 11).Draw(w.T, "place") {
		case 0:
			merged = append(merged, f)
		case 1:
			parts = append(parts, f, w.scalar(name)+" : "+w.value(v[name])) // repeated
		default:
			parts = append(parts, f)
		}
	}
	if len(merged) > 0 {
		from := w.anchored(&w.objects, "{", strings.Join(merged, ", "), "}")
		if len(w.objects) > 0 && w.one("merge of several", 3) {
			from = "[" + from + ", *" + rapid.SampledFrom(w.objects).Draw(w.T, "merged") + "]"
		}
		merge := "<< : " + from
		if w.one("tagged merge", 4) {
			merge = "!!merge " + merge
		}
		at := rapid.IntRange(0, len(parts)).Draw(w.T, "at")
		parts = slices.Insert(parts, at, merge)
	}
	return w.anchored(&w.objects, "{", strings.Join(parts, ", "), "}")
}

// objects generates pods, and objects that contain pods, as values.
func objects() *rapid.Generator[any] {
	element := rapid.Custom(func(t *rapid.T) any {
		e := make(map[string]any)
		for name, values := range map[string][]any{
			"key": {"gpu", "node.kubernetes.io/not-ready", "a"}, "operator": {"Exists", "Equal", "Gt"}, "value": {"true", "5", "x"},
			"effect": {"NoSchedule", "NoExecute"}, "tolerationSeconds": {5, 300}, "other": {"x"},
		} {
			if rapid.IntRange(0, 2).Draw(t, name) == 0 && (name != "other" || rapid.Bool().Draw(t, "unknown")) {
				e[name] = rapid.SampledFrom(values).Draw(t, "value")
			}
		}
		return e
	})
	spec := rapid.Custom(func(t *rapid.T) any {
		s := map[string]any{"tolerations": rapid.SliceOfN(element, 0, 3).Draw(t, "tolerations")}
		s["tolerations"] = append([]any{}, s["tolerations"].([]any)...)
		if rapid.Bool().Draw(t, "containers") {
			s["containers"] = []any{}
		}
		return s
	})
	pod := rapid.Custom(func(t *rapid.T) any {
		return map[string]any{"kind": "Pod", "metadata": map[string]any{"name": "p"}, "spec": spec.Draw(t, "spec")}
	})
	deployment := rapid.Custom(func(t *rapid.T) any {
		return map[string]any{"kind": "Deployment", "spec": map[string]any{"template": map[string]any{"spec": spec.Draw(t, "spec")}}}
	})
	return rapid.Custom(func(t *rapid.T) any {
		one := rapid.OneOf(pod, deployment)
		if rapid.IntRange(0, 2).Draw(t, "list") > 0 {
			return one.Draw(t, "object")
		}
		kind := rapid.SampledFrom([]string{"List", "PodList", "Other"}).Draw(t, "kind")
		return map[string]any{"kind": kind, "items": append([]any{}, rapid.SliceOfN(one, 0, 3).Draw(t, "items")...)}
	})
}

// A manifest is a text of several documents. It is odd if tools can read their
// separators differently.
type manifest struct {
	text string
	odd  bool
}

func manifests() *rapid.Generator[manifest] {
	return rapid.Custom(func(t *rapid.T) manifest {
		var b strings.Builder
		odd := rapid.Bool().Draw(t, "odd")
		between, end := []string{"---\n", "--- # b\n", "---\t\n", "---\n---\n", "---\r\n"}, []string{"\n", " # c\n", "\r\n"}
		if odd {
			between = append(between, "---#c\n", "--- ", "---\u00a0\n", "...\n", "...\n---\n", "... # d\n", "")
			end = append(end, "")
		}
		b.WriteString(rapid.SampledFrom([]string{"", "", "", "\ufeff", "---\n", "# a\n---\n", "%YAML 1.1\n---\n"}).Draw(t, "begin"))
		for i := range rapid.IntRange(1, 3).Draw(t, "documents") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom(between).Draw(t, "between"))
			}
			v := objects().Draw(t, "object")
			if rapid.IntRange(0, 4).Draw(t, "json") == 0 {
				data, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				b.Write(data)
			} else {
				w := yamlWriter{T: t, strings: make(map[string]string)}
				b.WriteString(w.value(v))
			}
			b.WriteString(rapid.SampledFrom(end).Draw(t, "end"))
		}
		return manifest{b.String(), odd}
	})
}

// kubectlDocuments returns the documents that kubectl reads, as JSON: the JSON
// values at the begin of the text, or the first YAML document of each piece
// between lines of ---. It reports whether the strict conversion accepts them all.
func kubectlDocuments(text string) (docs []string, strict bool) {
	text = strings.TrimPrefix(text, "\ufeff")
	strict = true
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		for d := json.NewDecoder(strings.NewReader(text)); ; {
			var value json.RawMessage
			if err := d.Decode(&value); err == io.EOF {
				return docs, strict
			} else if err != nil {
				text = text[d.InputOffset():]
				break
			}
			docs = append(docs, string(value))
		}
	}
	var buffer bytes.Buffer
	flush := func() {
		if buffer.Len() == 0 {
			return
		}
		if data, err := k8syaml.YAMLToJSON(buffer.Bytes()); err != nil {
			strict = false
		} else {
			docs = append(docs, string(data))
		}
		if _, err := k8syaml.YAMLToJSONStrict(buffer.Bytes()); err != nil {
			strict = false
		}
		buffer.Reset()
	}
	lines := bufio.NewScanner(strings.NewReader(text))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "---"); ok {
			if rest = strings.TrimSpace(rest); (rest == "" || rest[0] == '#') && buffer.Len() > 0 {
				flush()
				continue
			}
		}
		buffer.WriteString(lines.Text() + "\n")
	}
	flush()
	return docs, strict
}

// podLists returns the tolerations of the pods in an object, as text.
func podLists(v any) (lists []string) {
	if items, ok := child(v, "items").([]any); ok {
		for _, item := range items {
			lists = append(lists, podLists(item)...)
		}
	}
	spec := child(v, "spec")
	path := "spec"
	switch child(v, "kind") {
	case "Deployment":
		spec, path = child(child(spec, "template"), "spec"), "spec.template.spec"
	case "Pod":
	default:
		return lists
	}
	list, _ := child(spec, "tolerations").([]any)
	return append(lists, listText(path+".tolerations", list)...)
}

// hidden reports whether an object has an expression of a template that can add
// tolerations: a whole document or item, a key, or in place of a mapping or list.
func hidden(v any, name string) bool {
	switch v := v.(type) {
	case string:
		return slices.Contains([]string{"", "spec", "template", "tolerations", "items"}, name) && templateText(v)
	case map[string]any:
		if kind, _ := v["kind"].(string); templateText(kind) && hidden(v["metadata"], "spec") {
			return true // it can be a Namespace with annotations
		}
		for key, w := range v {
			if templateText(key) || key != "" && hidden(w, key) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(w any) bool { return hidden(w, name) })
	}
	return false
}

func templateText(s string) bool { return strings.Contains(s, "${") || strings.Contains(s, "{{") }

// listText returns a list as text, without empty elements.
func listText(path string, list []any) []string {
	var out []string
	for i, e := range list {
		for _, name := range []string{"key", "operator", "effect"} {
			if child(e, name) != nil {
				data, _ := json.Marshal(e)
				out = append(out, fmt.Sprintf("%s[%d] %s", path, i, data))
				break
			}
		}
	}
	return out
}

// With a policy, the tolerations that are checked are those that Kubernetes' tools
// read, or there is a failure.
func TestPolicy_property(t *testing.T) {
	clean := 0
	rapid.Check(t, func(t *rapid.T) {
		m := manifests().Draw(t, "manifest")
		text := m.text
		docs, strict := kubectlDocuments(text)
		var want []string
		templates := false
		for _, doc := range docs {
			d := json.NewDecoder(strings.NewReader(doc))
			d.UseNumber()
			var v any
			if err := d.Decode(&v); err != nil {
				t.Fatal(err, doc)
			}
			want = append(want, podLists(v)...)
			templates = templates || hidden(v, "")
		}
		r := policed(t).check(newSource("x", text))
		if len(r.skipped) > 0 {
			t.Errorf("%q: skipped %v", text, r.skipped)
		}
		if templates && len(r.failures)+len(r.findings) == 0 {
			t.Errorf("%s\na template is clean", text)
		}
		if len(r.failures) > 0 {
			if strict && !m.odd && !templates {
				t.Errorf("%q: refused without need: %v", text, r.failures)
			}
			return
		}
		var got []string
		for _, l := range r.lists {
			list, _ := l.json.([]any)
			if l.object.kind == "Pod" && l.path == "spec.tolerations" || l.object.kind == "Deployment" && l.path == "spec.template.spec.tolerations" {
				got = append(got, listText(l.path, list)...)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if m.odd { // kubectl may not read what follows
			got = slices.DeleteFunc(got, func(s string) bool { return !slices.Contains(want, s) })
			want, got = slices.Compact(want), slices.Compact(got)
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s\njudged otherwise than read (-want +got):\n%s", text, diff)
		}
		if len(want) > 0 {
			clean++
		}
	})
	if clean == 0 && !t.Failed() {
		t.Error("no text was judged")
	}
}
