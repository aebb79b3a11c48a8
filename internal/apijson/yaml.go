package apijson

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// FromYAML fills fields as [Scanner.Object] does, from the mapping that a YAML
// library decodes, and reports whether there is a null instead of one. It is
// for the method UnmarshalYAML(unmarshal func(any) error), which the libraries
// call with their decoder. Names that are not in names are ignored.
//
// Some libraries take text such as 2026-01-02 for a time. It is a String here,
// as it was written, as it is for Kubernetes and for the other libraries.
//
// The error is the library's own.
func FromYAML(unmarshal func(any) error, names []string, fields []Field) (null bool, err error) {
	var o yamlObject
	if err := o.decode(unmarshal); err != nil {
		return false, err
	}
	o.fill(names, fields)
	return o.values == nil, nil
}

// StrictYAML is [FromYAML] with a problem for each field that is not in names or
// repeated.
func StrictYAML(unmarshal func(any) error, names []string, fields []Field) (ps validate.Problems, null bool, err error) {
	var o yamlObject
	if err := o.decode(unmarshal); err != nil {
		return nil, false, err
	}
	o.fill(names, fields)
	repeated := repeatedFields(unmarshal)
	if _, isNull := repeated[""]; isNull && o.values != nil {
		o.values[""] = nil // a null name, which yaml.v3 omits
	}
	for _, name := range slices.Sorted(maps.Keys(o.values)) {
		if !slices.Contains(names, name) {
			ps = append(ps, &validate.Problem{Value: name, Rule: validate.FieldUnknown, Allowed: names})
		} else if repeated[name] {
			ps = append(ps, &validate.Problem{Path: name, Rule: validate.FieldRepeated})
		}
	}
	return ps, o.values == nil, nil
}

// repeatedFields returns the fields of a mapping, and whether they are repeated, also by a
// merge, if the library is yaml.v2, or if a name is null: both make a map[any]any. No two
// pointers are the same key, so none is overwritten.
func repeatedFields(unmarshal func(any) error) map[string]bool {
	var anything any
	if unmarshal(&anything) != nil {
		return nil
	}
	var pairs map[*string]any
	if _, isAny := anything.(map[any]any); !isAny || unmarshal(&pairs) != nil {
		return nil
	}
	repeated := make(map[string]bool)
	for name := range pairs {
		if name == nil {
			name = new(string)
		}
		_, again := repeated[*name]
		repeated[*name] = again
	}
	return repeated
}

// YAMLList returns a List of the list that a YAML library decodes; null is an
// empty list. The error is the library's own. Unknown fields are ignored.
func YAMLList(unmarshal func(any) error) (List, error) {
	var elements []*yamlObject // pointers, since some libraries drop other nulls
	if err := unmarshal(&elements); err != nil {
		return List{}, err
	}
	l := List{yaml: make([]yamlObject, len(elements))}
	for i, e := range elements {
		if e != nil {
			l.yaml[i] = *e
		}
	}
	return l, nil
}

// A yamlObject is a mapping as a YAML library decodes it.
type yamlObject struct {
	values  map[string]any    // nil for a null
	written map[string]scalar // as it was written, where values is not all
	other   any               // what is there instead of a mapping
	err     error             // the library's, where it can read nothing at all
}

// decode decodes a mapping. The library's own error is all that is
// known of anything else.
func (o *yamlObject) decode(unmarshal func(any) error) error {
	if err := unmarshal(&o.values); err != nil {
		return err
	}
	for _, v := range o.values {
		if fromAny(v).isScalar() {
			o.written = make(map[string]scalar)
			_ = unmarshal(&o.written) // what it cannot fill is not written
			break
		}
	}
	return nil
}

// UnmarshalYAML decodes an element of a list: a mapping, or anything else, which is a
// problem of that element alone. It never fails, so that all elements are read.
func (o *yamlObject) UnmarshalYAML(unmarshal func(any) error) error {
	if o.decode(unmarshal) != nil {
		o.values = nil
		o.err = unmarshal(&o.other) // such as one about a repeated key
	}
	return nil
}

// read fills fields from the object, or returns the problem that it is none.
func (o *yamlObject) read(names []string, fields []Field) validate.Problems {
	if o.err != nil {
		return problem.Append(nil, "", o.err)
	}
	if o.values == nil {
		return validate.Problems{fromAny(o.other).WrongType("", "must be an object")}
	}
	o.fill(names, fields)
	return nil
}

func (o *yamlObject) fill(names []string, fields []Field) {
	for i, name := range names {
		f := fromAny(o.values[name])
		if text := string(o.written[name]); text != "" && f.isScalar() {
			if f.Text == opaque {
				f.Kind = String
			}
			f.Text = text
		}
		fields[i] = f
	}
}

// A scalar is the text of a YAML scalar as it was written, whatever the library
// takes it for; empty for anything else.
type scalar string

func (s *scalar) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if unmarshal(&text) == nil {
		*s = scalar(text)
	}
	return nil
}

// The texts of values that no text represents.
const (
	list    = "[...]"
	mapping = "{...}"
	// opaque is what is no type of JSON. It was not written, so it shows only where the
	// library does not return what was.
	opaque = "of another type"
)

// isScalar reports whether f, which is from fromAny, is true, false or no type of JSON.
func (f Field) isScalar() bool { return f.Kind == Other && f.Text != list && f.Text != mapping }

func fromAny(v any) Field {
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
		return Field{Kind: Other, Text: list}
	case reflect.Map:
		return Field{Kind: Other, Text: mapping}
	}
	return Field{Kind: Other, Text: opaque}
}
