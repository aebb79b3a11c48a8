package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// errTemplate is the error for an expression of a template.
var errTemplate = errors.New("a template")

// Limits of the lists of an input.
const (
	maxValues   = 1000    // in an element
	maxElements = 10_000  // in a list
	maxTotal    = 200_000 // elements in an input
)

// An element is one toleration or taint in its syntax.
type element struct {
	node   *yaml.Node // of the list, may be an alias
	shared bool
	value  any     // as Kubernetes reads it
	fields []field // of an object
	json   []byte  // the value, with duplicate fields
}

// directive reports whether the element is only a directive of a strategic merge
// patch, such as one of kustomize.
func (e *element) directive() bool { return len(e.fields) == 1 && e.fields[0].name == "$patch" }

// newElement reads an element of a list.
func (d *document) newElement(v any, n *yaml.Node, shared bool) (element, error) {
	e := element{node: n, value: v, shared: shared || n.Kind == yaml.AliasNode || n.Anchor != ""}
	left := maxValues
	if !countValues(v, &left) {
		return e, fmt.Errorf("an element of more than %d values", maxValues)
	}
	object, ok := v.(map[string]any)
	if !ok {
		var err error
		e.json, err = json.Marshal(v)
		return e, err
	}
	fields, repeated := d.fields(object, n, e.shared)
	e.fields = fields
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range slices.Concat(repeated, fields) {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return e, err
		}
		data, err := f.asWritten()
		if err != nil {
			return e, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(data)
	}
	b.WriteByte('}')
	e.json = b.Bytes()
	return e, nil
}

// asWritten returns the JSON of the field. A number in a wrong field has its
// original text: 1.0 is not 1. Seconds are as kubectl converts them.
func (f *field) asWritten() ([]byte, error) {
	number, ok := f.json.(json.Number)
	if !ok {
		return json.Marshal(f.json)
	}
	if f.name != "tolerationSeconds" {
		if n := target(f.value); n.Kind == yaml.ScalarNode && n.Style == 0 && json.Valid([]byte(n.Value)) {
			return []byte(n.Value), nil
		}
		return []byte(number), nil
	}
	if strings.ContainsAny(string(number), ".eE") {
		if x, err := strconv.ParseFloat(string(number), 64); err == nil {
			return json.Marshal(x)
		}
	}
	return []byte(number), nil
}

// countValues reports whether the value has at most *left values, and subtracts
// them.
func countValues(v any, left *int) bool {
	if *left--; *left < 0 {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for _, w := range v {
			if !countValues(w, left) {
				return false
			}
		}
	case []any:
		for _, w := range v {
			if !countValues(w, left) {
				return false
			}
		}
	}
	return true
}

// templated reports whether the value has an expression of a template.
func templated(v any) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, braces) || strings.Contains(v, "${") || strings.ContainsRune(v, mask)
	case map[string]any:
		for name, w := range v {
			if templated(name) || templated(w) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, templated)
	}
	return false
}

// find returns the last field with this name.
func (e *element) find(name string) (f field, ok bool) {
	for _, g := range e.fields {
		if g.name == name {
			f, ok = g, true
		}
	}
	return f, ok
}

// sortedKeys returns the field names of an object.
func sortedKeys(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
