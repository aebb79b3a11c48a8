package kubejson

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read returns what becomes of an input, a line for each object or problem.
func read(r io.Reader, limit int64) []string {
	var lines []string
	for o, err := range objects("f", r, limit) {
		if err != nil {
			lines = append(lines, err.Error())
		} else {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s", o.Line, o.Place, o)))
		}
	}
	return lines
}

func TestObjects(t *testing.T) {
	node := func(name string) string { return `{"kind":"Node","metadata":{"name":"` + name + `"}}` }
	for name, test := range map[string]struct {
		input string
		want  []string
	}{
		"one object":           {node("a"), []string{"1  Node a"}},
		"namespace":            {`{"kind":"Pod","metadata":{"name":"p","namespace":"n"}}`, []string{"1  Pod n/p"}},
		"name to be generated": {`{"kind":"Pod","metadata":{"generateName":"p-"}}`, []string{"1  Pod p-*"}},
		"no metadata":          {`{"kind":"Pod"}`, []string{"1  Pod"}},
		"metadata of any type": {`{"kind":"Pod","metadata":[]}`, []string{"f:1: Pod: metadata []: must be an object"}},
		"kind by an escape":    {`{"k\u0069nd":"Pod"}`, []string{"1  Pod"}},
		"a kind in capitals":   {`{"Kind":"Pod"}`, []string{"f:1: no kind"}},
		"kind given twice":     {`{"kind":"Node","kind":"Pod"}`, []string{`f:1: Node: kind: must be given only once`}},
		"kind, then null":      {`{"kind":"Node","kind":null,"kind":"Node"}`, []string{`f:1: Node: kind: must be given only once`}},
		"versions":             {`{"apiVersion":"v1","kind":"Node","apiVersion":"x/v1"}`, []string{`f:1: Node: apiVersion: must be given only once`}},
		"kind is a number":     {`{"kind":5}`, []string{"f:1: kind 5: must be a string, so put it in quotes"}},
		"apiVersion is a list": {`{"apiVersion":[1],"kind":"Pod"}`, []string{`f:1: Pod: apiVersion [1]: must be a string`}},

		"a list": {"{\"items\": [\n" + node("a") + ",\n" + node("b") + "\n], \"kind\": \"List\"}",
			[]string{"2 items[0] Node a", "3 items[1] Node b"}},
		"a list with its kind first": {`{"kind":"List","items":[` + node("a") + `]}`, []string{"1 items[0] Node a"}},
		"two lists":                  {`{"items":[` + node("a") + `]}` + "\n" + `{"items":[` + node("b") + `]}`, []string{"1 items[0] Node a", "2 items[0] Node b"}},
		"one object a line":          {node("a") + "\n" + node("b") + "\n", []string{"1  Node a", "2  Node b"}},
		"a JSON list":                {`[` + node("a") + `]`, []string{"1 [0] Node a"}},
		"a JSON list of lists":       {`[{"items":[` + node("a") + `]}]`, []string{"1 [0].items[0] Node a"}},
		"lists within lists": {`{"items":[{"items":[` + node("a") + `],"kind":"List"},` + node("b") + `]}`,
			[]string{"1 items[0].items[0] Node a", "1 items[1] Node b"}},
		"items by an escape": {`{"\u0069tems":[` + node("a") + `]}`, []string{"1 items[0] Node a"}},
		"items given twice":  {`{"items":[` + node("a") + `],"items":[` + node("b") + `]}`, []string{"1 items[0] Node a", "1 items[0] Node b", "f:1: items: must be given only once"}},
		"items, then null":   {`{"items":[` + node("a") + `],"items":null}`, []string{"1 items[0] Node a", "f:1: items: must be given only once"}},
		"more, then null":    {`{"items":[],"metadata":{"continue":"x"},"metadata":null}`, []string{"f:1: metadata: must be given only once"}},
		"a list's versions":  {`{"items":[],"apiVersion":"v1","apiVersion":"v2"}`, []string{`f:1: apiVersion: must be given only once`}},
		"items: null":        {`{"kind":"List","items":null}`, nil},
		"items: []":          {`{"kind":"List","items":[]}`, nil},
		"no items":           {`{"kind":"NodeList"}`, nil},
		"items: {}":          {`{"kind":"List","items":{}}`, []string{"f:1: List: items {}: must be a list"}},
		"a null item":        {`{"items":[null,` + node("a") + `,7]}`, []string{"f:1: items[0]: not an object: null", "1 items[1] Node a", "f:1: items[2]: not an object: 7"}},
		"items without kind": {`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`, []string{"1 items[0] Node a"}},
		"kind behind items":  {`{"items":[{"metadata":{"name":"a"}},` + node("b") + `],"kind":"NodeList"}`, []string{"1 items[1] Node b", "1 items[0] Node a"}},
		"kind nowhere":       {`{"items":[{"metadata":{"name":"a"}}],"kind":"List"}`, []string{"f:1: items[0] a: no kind"}},
		"items in a pod":     {`{"items":[` + node("a") + `],"kind":"Pod","metadata":{"name":"p"}}`, []string{"1 items[0] Node a", "f:1: Pod p: items in a Pod, which is no list"}},
		"a list cut short": {`{"items":[` + node("a") + `],"kind":"List","metadata":{"continue":"x"}}`,
			[]string{"1 items[0] Node a", "f:1: List: the list is incomplete (metadata.continue is set); get all of it"}},
		"lists too deep": {strings.Repeat(`{"items":[`, 5) + node("a") + strings.Repeat(`]}`, 5) + node("b"),
			[]string{"f:1: items[0].items[0].items[0].items[0]: more than 4 lists within each other" + further}},

		"empty":               {"", []string{"f: is empty"}},
		"white space":         {" \n\t", []string{"f: is empty"}},
		"byte order mark":     {"\ufeff" + node("a") + "\n\ufeff" + node("b"), []string{"1  Node a", "f:2: not JSON: invalid character '\\ufeff' at start of value" + further}},
		"nothing but a mark":  {"\ufeff", []string{"f: is empty"}},
		"not UTF-8":           {node("a") + `{"kind":"Node","spec":{"ta` + "\xff" + `ints":[null]}}`, []string{"1  Node a", "f:1: not JSON: invalid UTF-8" + further}},
		"UTF-16":              {"\xff\xfe{\x00", []string{"f:1: is UTF-16; save it as UTF-8 (PowerShell: Out-File -Encoding utf8)"}},
		"a message of errors": {"Error from server (Forbidden): {x}\n" + node("a"), []string{"f:1: not JSON: invalid character 'E' at start of value" + further}},
		"a table":             {"NAMESPACE   NAME\nshop        web\n" + node("a"), []string{"f:1: not JSON but a table, it seems; use kubectl's -o json"}},
		"a table of nodes":    {"NAME\na\n", []string{"f:1: not JSON but a table, it seems; use kubectl's -o json"}},
		"scalars":             {`1 "two" ` + node("a"), []string{"f:1: not an object: 1", `f:1: not an object: "two"`, "1  Node a"}},
		"a huge number":       {`{"kind":"Node","x":1e99999}`, []string{"1  Node"}},

		"a bad item": {"{\"items\":[\n" + node("a") + ",\n{\"kind\":\"Node\",\n\"x\": tru},\n" + node("c") + "]}",
			[]string{"2 items[0] Node a", "f:4: items[1]: not JSON: invalid character '}' in literal true (expecting 'e')" + further}},
		"a lost quote": {"{\"items\":[{\"kind\":\"Node,\n\"x\":1\n},\n" + node("b") + "]}",
			[]string{"f:1: items[0]: not JSON: invalid character '\\n' in string (expecting non-control character)" + further}},
		"a lost comma":      {`{"items":[` + node("a") + ` ` + node("b") + `]}`, []string{"1 items[0] Node a", "f:1: items[1]: not JSON: invalid character '{' after array element (expecting ',' or ']')" + further}},
		"a comma too many":  {`{"items":[` + node("a") + `,]}`, []string{"1 items[0] Node a", "f:1: items[1]: not JSON: invalid character ',' at start of value" + further}},
		"a lost colon":      {`{"items" [` + node("a") + `]}`, []string{"f:1: not JSON: invalid character '[' after object name (expecting ':')" + further}},
		"cut off in a list": {`{"items":[` + node("a") + `,`, []string{"1 items[0] Node a", "f:1: items[1]: not JSON: the input ends before this is closed"}},
		"cut off in an item": {"{\"items\":[" + node("a") + ",\n{\"kind\":\"No", []string{
			"1 items[0] Node a", "f:2: items[1]: not JSON: the input ends before this is closed"}},
		"cut off in an object": {`{"kind":`, []string{"f:1: not JSON: the input ends before this is closed"}},
		"a bracket too many":   {node("a") + "}\n" + node("b"), []string{"1  Node a", "f:1: not JSON: invalid character '}' at start of value" + further}},
		"a head that is wrong": {`{"items":[` + node("a") + `],"kind":List}`, []string{"1 items[0] Node a", "f:1: not JSON: invalid character 'L' at start of value" + further}},
		"too deep":             {node("a") + `{"kind":"Node","x":` + strings.Repeat("[", 20_000), []string{"1  Node a", "f:1: not JSON: exceeded max depth" + further}},
		"control characters":   {`{"kind":"\u001b[31m"}`, []string{"1  \x1b[31m"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, read(strings.NewReader(test.input), maxObject)); diff != "" {
				t.Errorf("objects mismatch (-want +got):\n%s", diff)
			}
			// However the bytes arrive, they say the same.
			if diff := cmp.Diff(test.want, read(iotest.OneByteReader(strings.NewReader(test.input)), maxObject)); diff != "" {
				t.Errorf("byte by byte mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestObjects_tooBig(t *testing.T) {
	big := `{"kind":"Node","x":"` + strings.Repeat("x", 3<<20) + `"}`
	list := `{"items":[` + big + `,{"kind":"Node","metadata":{"name":"b"}}]}`
	small := `{"kind":"Node","metadata":{"name":"a"},"x":"` + strings.Repeat("x", 900<<10) + `"}`
	for input, want := range map[string][]string{
		list:                       {"f:1: items[0]: more than 1 MiB" + further},
		small + "\n" + small:       {"1  Node a", "2  Node a"},
		small + "\n" + big:         {"1  Node a", "f:2: more than 1 MiB" + further},
		big[:2<<20]:                {"f:1: more than 1 MiB" + further},
		`{"items":["` + big[20:]:   {"f:1: items[0]: more than 1 MiB" + further},
		strings.Repeat(" ", 3<<20): {"f:1: more than 1 MiB" + further},
		// An object around a list may have as much as one without, and so may each item.
		`{"a":"` + big[20:920<<10] + `","items":[` + small + `,` + small + `],"kind":"List"}`:   {"1 items[0] Node a", "1 items[1] Node a"},
		`{"a":"` + big[20:920<<10] + `","items":[` + small + `],"b":"` + big[20:920<<10] + `"}`: {"1 items[0] Node a", "f:1: more than 1 MiB" + further},
	} {
		if diff := cmp.Diff(want, read(strings.NewReader(input), 1<<20)); diff != "" {
			t.Errorf("%.40s: mismatch (-want +got):\n%s", input, diff)
		}
	}
}

func TestObjects_readError(t *testing.T) {
	broken := errors.New("the disk is gone")
	input := io.MultiReader(strings.NewReader(`{"items":[{"kind":"Node"},{"ki`), iotest.ErrReader(broken))
	want := []string{"1 items[0] Node", "f: the disk is gone"}
	if diff := cmp.Diff(want, read(input, maxObject)); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// A caller that stops early is not called again.
func TestObjects_stop(t *testing.T) {
	input := `{"items":[{"kind":"A"},{},{"kind":"C"},5,{"x"]},{"kind":"E"}]} {"kind":"F"} 7 {"items":5}`
	total := len(read(strings.NewReader(input), maxObject))
	for most := range total {
		n := 0
		for range Objects("f", strings.NewReader(input)) {
			if n++; n > most {
				break
			}
		}
		if n != min(most+1, total) {
			t.Errorf("stopped after %d: %d objects", most+1, n)
		}
	}
}

// Items that wait for their list's kind are limited.
func TestHostileHeld(t *testing.T) {
	const most, more = maxHeld/(512+2) - 1, 10
	given, problems := 0, 0
	for o, err := range Objects("f", strings.NewReader(`{"items":[{}`+strings.Repeat(",{}", most+more)+`],"kind":"NodeList"}`)) {
		if err != nil {
			problems++
		} else if o.Kind == "Node" {
			given++
		}
	}
	if given < most || given > most+2 || given+problems != most+more+1 {
		t.Errorf("%d given and %d problems, want at most %d given of %d", given, problems, most, most+more+1)
	}
}
