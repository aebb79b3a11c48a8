package kubejson

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// An Object is one object of the input. It has a kind, and its fields that are read
// have no repeated names.
type Object struct {
	Source string // the file, as the caller named it
	Line   int    // where the object begins, from 1
	Place  string // in a list, such as "items[3]"; empty on its own

	APIVersion string // may be empty
	Kind       string
	Namespace  string // may be empty
	Name       string // may be empty, or end in "*" when it is still to be generated

	// Raw is the JSON of the fields that are read. It is valid until the next object is
	// read.
	Raw []byte

	seen map[string]toleration.List // by their JSON
}

// String returns the kind and the name, such as "Pod shop/web-1".
func (o *Object) String() string {
	return strings.TrimSpace(o.Kind + " " + o.FullName())
}

// FullName returns the name, with the namespace and a slash before it when
// there is one.
func (o *Object) FullName() string {
	if o.Namespace == "" {
		return o.Name
	}
	return o.Namespace + "/" + o.Name
}

// Is reports whether the object is of that kind in the core group, version v1.
// An object without apiVersion counts as such.
func (o *Object) Is(kind string) bool {
	return o.Kind == kind && (o.APIVersion == "v1" || o.APIVersion == "")
}

// head is what is read of every object.
type head struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Namespace    string `json:"namespace"`
		Name         string `json:"name"`
		GenerateName string `json:"generateName"`
		Continue     string `json:"continue"`
	} `json:"metadata"`
	Items jsontext.Value `json:"items"`
}

// check returns what is wrong with a list besides its items.
func (h *head) check() error {
	switch items := string(h.Items); {
	case items != "" && items != "[]" && items != "null":
		return &validate.Problem{Path: "items", Value: items, Rule: validate.NotList}
	case h.Kind != "" && !strings.HasSuffix(h.Kind, "List"):
		return fmt.Errorf("items in a %s, which is no list", Printable(h.Kind))
	case h.Metadata.Continue != "":
		return &PartError{Continue: h.Metadata.Continue}
	}
	return nil
}

// A PartError describes a list that is only a part of one. The rest of it has to be
// requested from the API server with the parameter continue.
type PartError struct{ Continue string }

func (*PartError) Error() string {
	return "the list is incomplete (metadata.continue is set); get all of it"
}

// maxFields limits the fields and elements of an object that is decoded: a problem
// takes hundreds of bytes for three bytes of input.
const maxFields = 100_000

// Decode decodes the fields of the object that are read into the struct that into
// points to, whose fields have tags like those of encoding/json. Names are
// case-sensitive. The error is all problems of these fields.
func (o *Object) Decode(into any) error {
	if bytes.Count(o.Raw, []byte{','}) > maxFields {
		return fmt.Errorf("more than %d fields and elements", maxFields)
	}
	return decode(o.Raw, into)
}

func decode(raw []byte, into any) error {
	if json.Unmarshal(raw, into) == nil {
		return nil
	}
	var c collector // it is slower, and finds all problems
	err := json.Unmarshal(raw, into, json.WithUnmarshalers(json.UnmarshalFromFunc(c.check)))
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax): // only this, since the text was read before
		err = &validate.Problem{Path: path(syntax.JSONPointer), Rule: validate.FieldRepeated}
	case errors.As(err, &semantic):
		err = &validate.Problem{Path: path(semantic.JSONPointer), Value: string(semantic.JSONValue), Err: semantic.Err}
	}
	return problem.Append(c.problems, "", err).Err()
}

// A collector collects the values that cannot be decoded.
type collector struct{ problems validate.Problems }

// check reads a value itself if it has the wrong type, so that it does not end the
// decoding.
func (c *collector) check(d *jsontext.Decoder, v any) error {
	switch v.(type) {
	case json.Unmarshaler, json.UnmarshalerFrom, encoding.TextUnmarshaler:
		return errors.ErrUnsupported
	}
	var want jsontext.Kind
	var rule validate.Rule
	kind := d.PeekKind()
	switch reflect.TypeOf(v).Elem().Kind() {
	case reflect.Struct, reflect.Map:
		want, rule = '{', validate.NotObject
	case reflect.Slice:
		want, rule = '[', validate.NotList
	case reflect.String:
		want, rule = '"', validate.NotString
	case reflect.Int64:
		want, rule = '0', validate.NotWhole
	case reflect.Bool:
		if want = 't'; kind == 'f' {
			want = kind
		}
	default:
		return errors.ErrUnsupported
	}
	if kind == want || kind == 'n' {
		return errors.ErrUnsupported
	}
	value, err := d.ReadValue()
	if err != nil {
		return err
	}
	p := &validate.Problem{Path: path(d.StackPointer()), Value: string(value), Rule: rule}
	if rule == 0 {
		p.Value, p.Err = "", fmt.Errorf("must be true or false, not %s", shown(value))
	}
	c.problems = append(c.problems, p)
	return nil
}

// path returns the path of a field, such as "spec.taints[2].key".
func path(pointer jsontext.Pointer) string {
	var b strings.Builder
	for name := range pointer.Tokens() {
		_, err := strconv.ParseUint(name, 10, 64)
		switch {
		case err == nil:
			b.WriteString("[" + name + "]")
		case name == "" || strings.ContainsAny(name, "./[]") || Printable(name) != name:
			b.WriteString("[" + Printable(name) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(name)
		}
	}
	return b.String()
}
