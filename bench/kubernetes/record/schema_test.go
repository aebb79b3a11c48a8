package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/go-tolerate/tolerate/internal/tests/recorded"
)

const schema = "../../recorded/schema.json"

// check returns an error if a line is not valid by the schema of its kind.
func check(c *jsonschema.Compiler, line []byte) (kind string, err error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return "", err
	}
	if kind, _ = v.(map[string]any)["kind"].(string); kind == "" {
		kind = "header"
	}
	s, err := c.Compile(schema + "#/$defs/" + kind)
	if err != nil {
		return kind, err
	}
	return kind, s.Validate(v)
}

// Every line of every recording is valid by the schema of its kind, and the first line of
// each kind by the whole schema.
func TestSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	whole, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../../recorded/*.gz")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		lines, err := recorded.Lines(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range lines {
			kind, err := check(c, line)
			if err == nil && !seen[kind] {
				seen[kind] = true
				v, _ := jsonschema.UnmarshalJSON(bytes.NewReader(line))
				err = whole.Validate(v)
			}
			if err != nil || (kind == "header") != (i == 0) {
				t.Fatalf("%s:%d: %v\n%s", name, i+1, err, line)
			}
		}
	}
}

// The page's examples are valid by the schema.
func TestSchema_page(t *testing.T) {
	page, err := os.ReadFile("../../recorded/README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllSubmatch(page, -1)
	if len(examples) != 2 {
		t.Errorf("the page has %d examples", len(examples))
	}
	for _, m := range examples {
		if _, err := check(jsonschema.NewCompiler(), m[1]); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
	}
}

// The schema rejects lines with a mistake.
func TestSchema_mistakes(t *testing.T) {
	c := jsonschema.NewCompiler()
	for _, tt := range []struct {
		valid bool
		line  string
	}{
		{true, `{"kind":"parse","id":"parse-1","rules":["K1"],"case":{"text":"a"}}`},
		{false, `{"kind":"parse","rules":["K1"],"case":{"text":"a"}}`},
		{false, `{"kind":"parse","id":"1","rules":["K1"],"case":{"text":"a"}}`},
		{false, `{"kind":"parse","id":"parse-1","rules":[],"case":{"text":"a"}}`},
		{false, `{"kind":"parse","id":"parse-1","rules":["x"],"case":{"text":"a"}}`},
		{false, `{"kind":"parse","id":"parse-1","case":{"text":"a"}}`},
		{false, `{"kind":"parse","id":"parse-1","rules":["K1"],"case":{}}`},
		{false, `{"kind":"parse","id":"parse-1","rules":["K1"],"case":{"text":"a","other":1}}`},
		{false, `{"kind":"parse","id":"parse-1","rules":["K1"],"case":{"text":"a","taint":{"key":"a"}}}`},
		{false, `{"kind":"unknown","id":"unknown-1","rules":["K1"],"case":{"text":"a"}}`},
		{false, `{"kind":"resources","id":"resources-1","rules":["D4"],"case":{"resources":null,"tolerations":[],"after":[]}}`},
		{false, `{"kind":"daemon","id":"daemon-1","rules":["D2"],"case":{"tolerations":[],"after":[{"tolerationSeconds":9223372036854775808}]}}`},
		{false, `{"format":2,"version":1,"kubernetes":"1.37.0","numeric":true,"seed":1,"cases":{}}`},
	} {
		if _, err := check(c, []byte(tt.line)); (err == nil) != tt.valid {
			t.Errorf("%s: %v", tt.line, err)
		}
	}
}
