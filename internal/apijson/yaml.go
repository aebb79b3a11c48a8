package apijson

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// FromYAML fills fields as [Scanner.Object] does, from the mapping that a YAML
// library decodes, and reports whether there is a null instead of one. It is
// for the method UnmarshalYAML(unmarshal func(any) error), which the libraries
// call with their decoder. Names that are not in names are ignored; whether a name may
// be repeated, the library decides. The error is its own.
func FromYAML(unmarshal func(any) error, names []string, fields []Field) (null bool, err error) {
	var mapping map[string]yamlField
	if err := unmarshal(&mapping); err != nil {
		return false, err
	}
	fill(fields, names, mapping)
	return mapping == nil, nil
}

func fill(fields []Field, names []string, mapping map[string]yamlField) {
	for i, name := range names {
		fields[i] = Field{}
		for _, f := range mapping[name] {
			fields[i] = f
		}
	}
}

// YAMLList returns a List of the list that a YAML library decodes; null is an
// empty list. The error is the library's own.
func YAMLList(unmarshal func(any) error) (List, error) {
	var elements []*yamlElement // pointers, since some libraries drop other nulls
	if err := unmarshal(&elements); err != nil {
		return List{}, err
	}
	l := List{yaml: make([]yamlElement, len(elements))}
	for i, e := range elements {
		if e == nil {
			e = &yamlElement{problems: notObject(nil)}
		}
		l.yaml[i] = *e
	}
	return l, nil
}

// A yamlElement is an element of a list: a mapping, or the problem of anything else.
type yamlElement struct {
	fields   map[string]yamlField
	problems validate.Problems
}

// UnmarshalYAML never fails, so that all elements are read.
func (e *yamlElement) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&e.fields) == nil && e.fields != nil {
		return nil
	}
	var other any
	if err := unmarshal(&other); err != nil { // such as one about a repeated name
		e.problems = problem.Append(nil, "", err)
	} else {
		e.problems = notObject(other)
	}
	return nil
}

func notObject(v any) validate.Problems {
	return validate.Problems{fieldOf(v).WrongType("", "must be an object")}
}

// A yamlField is a value of a mapping: one Field, or none for a null. It is a slice since
// yaml.v2 changes only what can be nil where a null is repeated, and goccy/go-yaml panics
// for a pointer.
type yamlField []Field

// UnmarshalYAML reads any value. What the library takes for a time is a String as it was
// written, as it is for Kubernetes; true and false are as they were written, too.
func (f *yamlField) UnmarshalYAML(unmarshal func(any) error) error {
	var v any
	if err := unmarshal(&v); err != nil {
		return err
	}
	read := fieldOf(v)
	var text string
	if (v == true || v == false || read.Text == opaque) && unmarshal(&text) == nil && text != "" {
		if read.Text == opaque {
			read.Kind = String
		}
		read.Text = text
	}
	*f = yamlField{read}
	return nil
}

// opaque is the text of what is no type of JSON, such as a time. It shows only where the
// library does not return what was written.
const opaque = "of another type"

// fieldOf returns the Field of a value that a YAML library has decoded.
func fieldOf(v any) Field {
	switch v := v.(type) {
	case nil:
		return Field{}
	case string:
		return Field{Kind: String, Text: v}
	case float64:
		return Field{Kind: Number, Text: strconv.FormatFloat(v, 'f', -1, 64)}
	case int, int64, uint64:
		return Field{Kind: Number, Text: fmt.Sprint(v)}
	case bool:
		return Field{Kind: Other, Text: strconv.FormatBool(v)}
	}
	switch reflect.ValueOf(v).Kind() { // never followed: a YAML alias can expand to gigabytes
	case reflect.Slice, reflect.Array:
		return Field{Kind: Other, Text: "[...]"}
	case reflect.Map:
		return Field{Kind: Other, Text: "{...}"}
	}
	return Field{Kind: Other, Text: opaque}
}
