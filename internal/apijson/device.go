package apijson

// What only package match/device uses: it goes with that package.

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// The fields of taints and tolerations in the API, in the order of their problems.
var (
	TaintNames      = []string{"key", "value", "effect", "timeAdded"}
	TolerationNames = []string{"key", "operator", "value", "effect", "tolerationSeconds"}
)

const mostFields = 5

// A DeviceReader reads what a taint or a toleration, of a node or of a device, is written as,
// and lists of them. On error the variable is unchanged.
type DeviceReader[T comparable] struct {
	Type  string   // such as "taint.Taint"
	List  string   // such as "taint.List"
	Names []string // of the fields
	Parse func(caller, text string) (T, error)
	// Make returns the value with those fields. Problems of a value that is not zero are
	// reported only beside others of its list.
	Make func([]Field) (T, validate.Problems)
}

// Text sets *v to the value with that text, the zero value if it is empty.
func (r *DeviceReader[T]) Text(v *T, method, text string) error {
	var read T
	if text != "" {
		var err error
		if read, err = r.Parse(r.Type+"."+method, text); err != nil {
			return err
		}
	}
	*v = read
	return nil
}

// JSON sets *v to the value of an object, of a text, or to the zero value for a null.
func (r *DeviceReader[T]) JSON(v *T, method string, data []byte) error {
	s, err := NewScanner(data)
	if err != nil {
		return problem.In(r.Type+"."+method, err)
	}
	if c := s.peek(); c == '"' || c == 'n' {
		return r.Text(v, method, s.Value().Text)
	}
	var fields [mostFields]Field
	f := fields[:len(r.Names)]
	if ps := s.Object(r.Names, f, false, nil); len(ps) > 0 {
		return problem.In(r.Type+"."+method, ps)
	}
	return r.set(v, method, f)
}

// YAML is JSON for the method UnmarshalYAML: see [FromYAML].
func (r *DeviceReader[T]) YAML(v *T, unmarshal func(any) error) error {
	var fields [mostFields]Field
	f := fields[:len(r.Names)]
	null, err := deviceFromYAML(unmarshal, r.Names, f)
	switch {
	case err != nil:
		return err
	case null:
		return r.Text(v, "UnmarshalYAML", "")
	}
	return r.set(v, "UnmarshalYAML", f)
}

func (r *DeviceReader[T]) set(v *T, method string, f []Field) error {
	read, ps := r.Make(f)
	if len(ps) > 0 && read == *new(T) {
		return problem.In(r.Type+"."+method, ps)
	}
	*v = read
	return nil
}

// TextList sets *list to the values of a comma-separated list.
func (r *DeviceReader[T]) TextList(list *[]T, text []byte) error {
	read, err := ParseText[[]T](r.List+".UnmarshalText", string(text), func(one string) (T, error) {
		return r.Parse("", one)
	})
	if err == nil {
		*list = read
	}
	return err
}

// JSONList sets *list to the values of a list of objects.
func (r *DeviceReader[T]) JSONList(list *[]T, data []byte) error {
	l := NewList(data, "", false)
	return r.setList(list, "UnmarshalJSON", &l)
}

// YAMLList is JSONList for the method UnmarshalYAML: see [FromYAML].
func (r *DeviceReader[T]) YAMLList(list *[]T, unmarshal func(any) error) error {
	var elements []*yamlObject
	if err := unmarshal(&elements); err != nil {
		return err
	}
	var l List
	var read []T
	minor := 0
	f := make([]Field, len(r.Names))
	for _, e := range elements {
		if e == nil {
			e = new(yamlObject)
		}
		l.next++
		if found := e.read(r.Names, f); found != nil {
			l.Report(found)
			continue
		}
		v, ps := r.Make(f)
		if v != *new(T) {
			minor += len(ps)
		}
		l.Report(ps)
		read = append(read, v)
	}
	if len(l.Problems) > minor {
		return problem.In(r.List+".UnmarshalYAML", l.Problems)
	}
	*list = read
	return nil
}

func (r *DeviceReader[T]) setList(list *[]T, method string, l *List) error {
	f := make([]Field, len(r.Names))
	var read []T
	minor := 0
	for l.Next(r.Names, f) {
		v, ps := r.Make(f)
		if v != *new(T) {
			minor += len(ps)
		}
		l.Report(ps)
		read = append(read, v)
	}
	if len(l.Problems) > minor || len(l.Problems) > 0 && l.Problems[0].Rule == validate.NotJSON {
		return problem.In(r.List+"."+method, l.Problems)
	}
	*list = read
	return nil
}

// AppendTaint appends the JSON of a taint to b. Keys, values and names hold nothing that
// JSON escapes.
func AppendTaint(b []byte, key, value, effect string, added time.Time) []byte {
	b = appendField(append(b, '{'), `"key":"`, key)
	b = appendField(b, `"value":"`, value)
	b = appendField(b, `"effect":"`, effect)
	if !added.IsZero() {
		b = append(b, `"timeAdded":"`...)
		b = append(added.AppendFormat(b, time.RFC3339), `",`...)
	}
	return closeObject(b)
}

// AppendToleration appends the JSON of a toleration to b.
func AppendToleration(b []byte, key, operator, value, effect string, seconds int64, timed bool) []byte {
	b = appendField(append(b, '{'), `"key":"`, key)
	b = appendField(b, `"operator":"`, operator)
	b = appendField(b, `"value":"`, value)
	b = appendField(b, `"effect":"`, effect)
	if timed {
		b = append(b, `"tolerationSeconds":`...)
		b = append(strconv.AppendInt(b, seconds, 10), ',')
	}
	return closeObject(b)
}

// appendField appends a field that is not empty, and a comma.
func appendField(b []byte, name, text string) []byte {
	if text != "" {
		b = append(append(append(b, name...), text...), `",`...)
	}
	return b
}

// closeObject ends an object in place of the last comma.
func closeObject(b []byte) []byte {
	if last := len(b) - 1; b[last] == ',' {
		b[last] = '}'
		return b
	}
	return append(b, '}')
}

// YAMLTaint returns what the method MarshalYAML of a taint returns.
func YAMLTaint(key, value, effect string, added time.Time) any {
	y := struct {
		Key       string `yaml:"key"`
		Value     string `yaml:"value,omitempty"`
		Effect    string `yaml:"effect"`
		TimeAdded string `yaml:"timeAdded,omitempty"`
	}{Key: key, Value: value, Effect: effect}
	if !added.IsZero() {
		y.TimeAdded = added.Format(time.RFC3339)
	}
	return y
}

// YAMLToleration returns what the method MarshalYAML of a toleration returns.
func YAMLToleration(key, operator, value, effect string, seconds int64, timed bool) any {
	y := struct {
		Key      string `yaml:"key,omitempty"`
		Operator string `yaml:"operator,omitempty"`
		Value    string `yaml:"value,omitempty"`
		Effect   string `yaml:"effect,omitempty"`
		Seconds  *int64 `yaml:"tolerationSeconds,omitempty"`
	}{Key: key, Operator: operator, Value: value, Effect: effect}
	if timed {
		y.Seconds = &seconds
	}
	return y
}

// deviceFromYAML fills fields as [Scanner.Object] does, from the mapping that a YAML
// library decodes, and reports whether there is a null instead of one. It is
// for the method UnmarshalYAML(unmarshal func(any) error), which the libraries
// call with their decoder. Names that are not in names are ignored.
//
// Some libraries take text such as 2026-01-02 for a time. It is a String here,
// as it was written, as it is for Kubernetes and for the other libraries.
//
// The error is the library's own.
func deviceFromYAML(unmarshal func(any) error, names []string, fields []Field) (null bool, err error) {
	var o yamlObject
	if err := o.decode(unmarshal); err != nil {
		return false, err
	}
	o.fill(names, fields)
	return o.values == nil, nil
}

// StrictYAML is FromYAML with a problem for each field that is not in names or
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
		if fieldOf(v).isScalar() {
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
		return validate.Problems{fieldOf(o.other).WrongType("", "must be an object")}
	}
	o.fill(names, fields)
	return nil
}

func (o *yamlObject) fill(names []string, fields []Field) {
	for i, name := range names {
		f := fieldOf(o.values[name])
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
)

// isScalar reports whether f, which is from fieldOf, is true, false or no type of JSON.
func (f Field) isScalar() bool { return f.Kind == Other && f.Text != list && f.Text != mapping }

// StrictJSON fills fields as [Scanner.Object] does if it is strict. For a null, which
// changes no struct, it returns true.
func StrictJSON(data []byte, names []string, fields []Field) (ps validate.Problems, null bool) {
	s, err := NewScanner(data)
	if err != nil {
		return problem.Append(nil, "", err), false
	}
	if s.Null() {
		return nil, true
	}
	return s.Object(names, fields, true, nil), false
}
