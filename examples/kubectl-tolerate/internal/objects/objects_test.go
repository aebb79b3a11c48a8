package objects

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
)

// read returns what becomes of an input, a line for each object or problem.
func read(r io.Reader) (lines []string) {
	for o, err := range Read("f", r) {
		if err != nil {
			lines = append(lines, err.Error())
		} else {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", o.Line, o.Place, o)))
		}
	}
	return lines
}

func TestRead(t *testing.T) {
	node := func(name string) string { return `{"kind":"Node","metadata":{"name":"` + name + `"}}` }
	const further = "; the input is not read further"
	for name, test := range map[string]struct {
		input string
		want  []string
	}{
		"one object":            {node("a"), []string{"0  Node a"}},
		"namespace":             {`{"kind":"Pod","metadata":{"name":"p","namespace":"n"}}`, []string{"0  Pod n/p"}},
		"name to be generated":  {`{"kind":"Pod","metadata":{"generateName":"p-"}}`, []string{"0  Pod p-*"}},
		"no metadata":           {`{"kind":"Pod"}`, []string{"0  Pod"}},
		"metadata of any type":  {`{"kind":"Pod","metadata":[]}`, []string{"f: Pod: metadata: wrong type, ["}},
		"kind by an escape":     {`{"k\u0069nd":"Pod"}`, []string{"0  Pod"}},
		"K4_case":               {`{"Kind":"Pod"}`, []string{"0"}},
		"kind is a number":      {`{"kind":5}`, []string{"f: not an object: kind: wrong type, number"}},
		"a version of a format": {`{"apiVersion":1,"metadata":[]}`, []string{"f: not an object: apiVersion: wrong type, number"}},
		"a version and a kind":  {`{"apiVersion":1,"kind":"Pod"}`, []string{"f: apiVersion: wrong type, number"}},
		"empty object":          {`{}`, []string{"0"}},

		"a list":             {`{"apiVersion":"v1","items":[` + node("a") + `,` + node("b") + `],"kind":"List"}`, []string{"0 items[0] Node a", "0 items[1] Node b", "0  List"}},
		"two lists":          {`{"items":[` + node("a") + `]}` + "\n" + `{"items":[` + node("b") + `]}`, []string{"0 items[0] Node a", "0", "0 items[0] Node b", "0"}},
		"one object a line":  {node("a") + "\n" + node("b") + "\n", []string{"0  Node a", "0  Node b"}},
		"a JSON list":        {`[` + node("a") + `]`, []string{"0 [0] Node a"}},
		"a list in a list":   {`{"items":[{"items":[` + node("a") + `],"kind":"List"}]}`, []string{"f: items[0] List: a list within a list; extract its items", "0"}},
		"the kind of a list": {`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`, []string{"0 items[0] Node a", "0  NodeList"}},
		"a kind behind":      {`{"items":[{"metadata":{"name":"a"}}],"kind":"NodeList"}`, []string{"0 items[0] a", "0  NodeList"}},
		"items: null":        {`{"kind":"List","items":null}`, []string{"0  List"}},
		"Items":              {`{"kind":"PodList","Items":[` + node("a") + `]}`, []string{"f: PodList: items: missing"}},
		"two lists, one bad": {`{"kind":"List","items":[]}{"kind":"List","pods":[]}`, []string{"0  List", "f: List: items: missing"}},
		"an allow list":      {`{"kind":"AllowList","metadata":{"name":"a"}}`, []string{"0  AllowList a"}},
		"items: {}":          {`{"kind":"List","items":{}}`, []string{`f: items: must be a list` + further}},
		"other items":        {`{"items":[null,` + node("a") + `,7,[]]}`, []string{"f: items[0]: not an object: null", "0 items[1] Node a", "f: items[2]: not an object: 7", "f: items[3]: not an object: []", "0"}},
		"items in a pod":     {`{"kind":"Pod","items":[` + node("a") + `]}`, []string{"0 items[0] Node a", "0  Pod"}},
		"a part of a list":   {`{"items":[` + node("a") + `],"kind":"List","metadata":{"continue":"x"}}`, []string{"0 items[0] Node a", "0  List"}},
		"scalars":            {node("a") + ` 1 "two"`, []string{"0  Node a", "f: not an object: 1", `f: not an object: "two"`}},
		"a huge number":      {`{"kind":"Node","x":1e99999}`, []string{"0  Node"}},

		"repeated":          {`{"kind":"Node","kind":null}` + node("a"), []string{`f:1: not JSON: jsontext: duplicate object member name "kind"` + further}},
		"repeated by items": {`{"items":[` + node("a") + `],"items":[]}`, []string{"0 items[0] Node a", `f:1: not JSON: jsontext: duplicate object member name "items"` + further}},
		"repeated within":   {`{"items":[{"spec":{"taints":[],"t\u0061ints":[]}}]}`, []string{`f:1: not JSON: jsontext: duplicate object member name "taints" within "/items/0/spec"` + further}},

		"empty":               {"", []string{"f: is empty"}},
		"white space":         {" \n\n", []string{"f: is empty"}},
		"comments":            {"# a\n---\n# b\n", []string{"f: is empty"}},
		"byte order mark":     {"\ufeff" + node("a"), []string{"1  Node a"}},
		"not UTF-8":           {node("a") + "{\"kind\":\"\xff\"}", []string{"0  Node a", `f:1: not JSON: jsontext: invalid UTF-8 within "/kind" after offset 48` + further}},
		"a message of errors": {"Error from server (Forbidden): {x}\n", []string{"1"}},
		"a table":             {"NAME   STATUS\na      Ready\n", []string{"f:1: not an object: \"NAME   STATUS a      Ready\""}},
		"cut off in an item":  {`{"items":[` + node("a") + `,{"kind":"No`, []string{"0 items[0] Node a", "f:1: not JSON: jsontext: unexpected EOF within"}},
		"cut off in a list":   {`{"items":[` + node("a") + `,`, []string{"0 items[0] Node a", "f:1: not JSON: jsontext: unexpected EOF within"}},
		"a bracket too many":  {node("a") + "}" + node("b"), []string{"0  Node a", `f:1: not JSON: jsontext: invalid character '}' at start of value after offset 39` + further}},
		"too deep":            {`{"x":` + strings.Repeat("[", 20_000), []string{"f:1: not JSON: jsontext: exceeded max depth"}},
		"too big":             {node("a") + `{"x":"` + strings.Repeat("x", 2*maxObject) + `"}`, []string{"0  Node a", "f: an object of more than 4 MiB" + further}},
		"an item too big":     {`{"items":[` + node("a") + `,{"x":"` + strings.Repeat("x", 2*maxObject) + `"}]}`, []string{"0 items[0] Node a", "f: an object of more than 4 MiB" + further}},
		"a long list":         {`{"items":[` + strings.Repeat(`"`+strings.Repeat("x", 1<<20)+`",`, 6) + node("a") + `]}`, append(strings.Split(strings.Repeat(`f: items[#]: not an object: "`+strings.Repeat("x", 39)+"\n", 6), "\n")[:6], "0 items[6] Node a", "0")},

		"YAML":                  {"kind: Node\nmetadata: {name: a}\n", []string{"1  Node a"}},
		"documents":             {"--- # a\nkind: Node\n---\n\n---\nkind: Pod\n...\n# end\n", []string{"1  Node", "5  Pod"}},
		"a list in YAML":        {"# list\n---\nkind: List\nitems:\n- kind: Node\n- 5\n", []string{"2 items[0] Node", "f:2: items[1]: not an object: 5", "2  List"}},
		"behind the end":        {"kind: Node\n...\nkind: Pod\n", []string{"f:3: did not find expected <document start>"}},
		"items in metadata":     {"kind: List\nmetadata:\n  items:\n  - kind: Node\n", []string{"f:1: List: items: missing"}},
		"repeated in YAML":      {"kind: Node\n---\nspec:\n  taints: []\n  taints: []\n", []string{"1  Node", "f:5: key \"taints\" already set in map"}},
		"a mistake in YAML":     {"kind: Node\n---\nkind: [\n---\nkind: Pod\n", []string{"1  Node", "f:3: did not find expected node content", "4  Pod"}},
		"not UTF-8 in YAML":     {"kind: \xff\n", []string{"f:1: invalid leading UTF-8 octet"}},
		"a template":            {"{{ if .Values.x }}\nkind: Node\n", []string{"f:2: is a template (pipe the output of helm template) or has a mistake: did not find expected <document start>"}},
		"a template in it":      {"kind: Node\nx: [ # {{ x }}\n", []string{"f:2: is a template (pipe the output of helm template) or has a mistake: did not find expected node content"}},
		"JSON behind a space":   {" \n\t\r\n" + node("a") + "\n" + node("b"), []string{"0  Node a", "0  Node b"}},
		"a list behind a space": {strings.Repeat("\n", 500) + "[" + node("a") + "]", []string{"0 [0] Node a"}},
		"YAML behind a space":   {"\n  kind: Node\n  metadata: {name: a}\n", []string{"1  Node a"}},
		"a template elsewhere":  {"a: '{{ $labels.x }}'\nb: 1\nc: 2\nkind: [\n", []string{"f:4: did not find expected node content"}},
		"a line below":          {"a:\n  b: '{{ x }}'\n  c: 1\n  d: 1\n e: 1\n", []string{"f:5: did not find expected key"}},
		"a template as a name":  {"kind: Node\na: 1\nb: 2\nname: {{ x }}\n", []string{"f:4: is a template (pipe the output of helm template) or has a mistake: a list or an object as the name of a field"}},
		"a template above":      {"{{ if .x }}\n# a\n\n# b\nkind: Node\nc: d\n", []string{"f:5: is a template (pipe the output of helm template) or has a mistake: did not find expected <document start>"}},
		"a template before":     {"a:\n  - name: {{ x }}-y\n    files:\n      - z\nk: 1\n", []string{"f:4: is a template (pipe the output of helm template) or has a mistake: did not"}},
		"a placeholder":         {"kind: Node\nname: @NAME@\n", []string{"f:2: is a template (pipe the output of helm template) or has a mistake: found character"}},
		"Jinja":                 {"kind: Node\n{% if x %}\nname: a\n{% endif %}\n", []string{"f:2: is a template (pipe the output of helm template) or has a mistake: found character that cannot start any token"}},
		"Jinja first":           {"{% if x %}\nkind: Node\n", []string{"f:1: is a template (pipe the output of helm template) or has a mistake: not JSON: jsontext: invalid character '%'"}},
		"a template in JSON":    {"{\n\"a\": 1,\n\"b\": {{ x }}\n}", []string{"f:3: is a template (pipe the output of helm template) or has a mistake: not JSON: jsontext: invalid character '{'"}},
		"elsewhere in JSON":     {"{\n\"a\": \"{{ x }}\",\n\n\n\"b\": ,\n}", []string{"f:5: not JSON: jsontext: invalid character ','"}},
		"JSON with comments":    {"{\n  // a\n  \"a\": 1\n}", []string{"f:2: not an object: JSON with comments" + further}},
		"not UTF-8, JSON lines": {node("a") + "\n{\"items\":[\n{},\n{\"kind\":\"\xff\"}]}", []string{"0  Node a", "0 items[0]", "f:4: not JSON: jsontext: invalid UTF-8 within"}},
		"not UTF-8, YAML lines": {"kind: Node\n---\na: 1\nb: \xff\nc: 2\n", []string{"1  Node", "f:4: invalid leading UTF-8 octet"}},
		"levels":                {"x: " + strings.Repeat("[", 1100) + strings.Repeat("]", 1100), []string{"f:1: the document has more than 1000 levels"}},
		"an alias":              {"kind: Node\nmetadata: {name: &a b, namespace: *a}\n", []string{"1  Node b/b"}},
		"an alias in itself":    {"a: &a [*a]\n", []string{"f:1: the document has more than 1000 levels"}},
		"more than one by line": {"a: 1\n\u2028---\u2028b: 2\n", []string{"f:"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(strings.NewReader(test.input))
			same := len(got) == len(test.want)
			for i := range min(len(got), len(test.want)) {
				want := strings.ReplaceAll(test.want[i], "#", fmt.Sprint(i))
				same = same && (got[i] == want || strings.HasPrefix(got[i], want) && strings.HasPrefix(want, "f:"))
			}
			if !same {
				t.Errorf("mismatch (-want +got):\n%s", cmp.Diff(test.want, got))
			}
			// However the bytes arrive, the result is the same.
			if diff := cmp.Diff(got, read(iotest.HalfReader(iotest.DataErrReader(strings.NewReader(test.input))))); diff != "" {
				t.Errorf("byte by byte mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

// Merges are read as by kubectl, and a repeated field is an error.
func TestDocument_merge(t *testing.T) {
	const x = "x: &a {k: 1, l: [2]}\n"
	for _, tt := range []struct{ text, want, err string }{
		{x + "z: {k: 3, <<: *a}\n", `{"k":1,"l":[2]}`, ""},
		{x + "z: {<<: *a, k: 3}\n", `{"k":3,"l":[2]}`, ""},
		{x + "z:\r\n  k: 3\r\n  <<: *a\r\n  m: {ü: 5, <<: {ü: 6}}\r\n", `{"k":1,"l":[2],"m":{"ü":6}}`, ""},
		{x + "z: {k: 3, <<: [{k: 4}, *a]}\n", `{"k":4,"l":[2]}`, ""},
		{x + "z: {<<: *a, k: 3, <<: {k: 5}}\n", `{"k":5,"l":[2]}`, ""},
		{x + "z: {k: 3, <<: {<<: *a, k: 6}}\n", `{"k":6,"l":[2]}`, ""},
		{x + "z: {k: 3, <<: *a, k: 3}\n", "", `line 2: key "k" already set in map`},
		{x + "z: {k: 3, <<: *a}\ny:\n  k: 1\n  k: 1\n", "", `line 5: key "k" already set in map`},
		{x + "z: {1: a, \"1\": b}\n", "", `line 2: key "1" already set in map`},
		{x + "z: {&k k: a, *k : b}\n", "", `line 2: key "k" already set in map`},
		{x + "z: {<<: {k: 1, k: 1}}\n", "", `line 2: key "k" already set in map`},
		{x + "z: {k: 3, \"<<\": 1, \"<<\": 1, <<: *a}\n", "", `line 2: key "<<" already set in map`},
		{x + "z: {k: 3, <<: 5}\n", "", "map merge requires map"},
	} {
		_, raw, err := Document([]byte(tt.text))
		var got, kubectl map[string]json.RawMessage
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q: %s, %v", tt.text, raw, err)
			}
			continue
		}
		if err == nil {
			err = json.Unmarshal(raw, &got)
		}
		if err == nil {
			err = k8syaml.NewYAMLOrJSONDecoder(strings.NewReader(tt.text), 4096).Decode(&kubectl) // as kubectl reads it
		}
		if err != nil || string(got["z"]) != tt.want || string(kubectl["z"]) != tt.want {
			t.Errorf("%q: %s, kubectl %s, want %s, %v", tt.text, got["z"], kubectl["z"], tt.want, err)
		}
	}
}

func TestRead_error(t *testing.T) {
	broken := errors.New("the disk is gone")
	for _, begin := range []string{`{"items":[{"kind":"Node"},{"ki`, "kind: Node\n---\nkin"} {
		got := read(io.MultiReader(strings.NewReader(begin), iotest.ErrReader(broken)))
		if len(got) != 2 || !strings.Contains(got[1], broken.Error()) {
			t.Errorf("%q: %q", begin, got)
		}
	}
}

// A caller that stops early is not called again.
func TestRead_stop(t *testing.T) {
	for _, input := range []string{`{"items":[{"kind":"A"},{},5,{"kind":"E"}]} {"kind":"F"} 7 {"x"`, "kind: A\n---\n[\n---\nitems: [{}, {}]\n---\nkind: B\n"} {
		total := len(read(strings.NewReader(input)))
		for most := range total {
			n := 0
			for range Read("f", strings.NewReader(input)) {
				if n++; n > most {
					break
				}
			}
			if n != most+1 {
				t.Errorf("stopped after %d: %d objects", most+1, n)
			}
		}
	}
}

// Of JSON that encoding/json reads, each object is given or reported, and of all else
// there is a problem.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"items":[{"kind":"Pod","spec":{"tolerations":[{"operator":"Exists"}],"nodeName":7}},null,[],{}],"kind":"List"}`,
		`[{"items":[{}],"kind":"PodList"}] {"items":{}} {"kind":"List","items":null} 1 "x"`, `{"kind":"Node","kind":null}`,
		`{"Items":[{"Kind":"Pod","kind":"Node"}],"items":[{"Kind":"Pod"}],"Kind":"List"}`, "kind: Node\n---\nkind: &a Pod\nmetadata: {name: *a}\n", "a: &a [*a]",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		given, reported := 0, 0
		for o, err := range Read("f", strings.NewReader(string(data))) {
			if p := new(Problem); err != nil && (o != nil || !errors.As(err, &p) || p.Source != "f") || err == nil && !json.Valid(o.Raw) {
				t.Fatalf("object %v with error %v", o, err)
			} else if err != nil {
				reported++
			}
			given++
		}
		if given == 0 {
			t.Errorf("%q: nothing was read or reported", data)
		}
		begin := strings.TrimSpace(string(data))
		if isJSON := strings.HasPrefix(begin, "[") || strings.HasPrefix(begin, "{") && !strings.HasPrefix(begin, "{{"); isJSON && reported == 0 {
			d := json.NewDecoder(strings.NewReader(string(data)))
			var err error
			for err == nil {
				err = d.Decode(new(any))
			}
			if err != io.EOF {
				t.Errorf("%q: %v was not reported", data, err)
			}
		}
	})
}

// An endless input is an error.
func TestCopy(t *testing.T) {
	if err := Copy(io.Discard, "-", zeros{}); err == nil || err.Error() != "-: more than 256 MiB" {
		t.Error(err)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }
