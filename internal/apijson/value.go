package apijson

import (
	"cmp"
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

// A Reader reads what a taint or a toleration, of a node or of a device, is written as,
// and lists of them. On error the variable is unchanged.
type Reader[T comparable] struct {
	Type  string   // such as "taint.Taint"
	List  string   // such as "taint.List"
	Names []string // of the fields
	Parse func(caller, text string) (T, error)
	// Make returns the value with those fields. Problems of a value that is not zero are
	// reported only beside others of its list.
	Make func([]Field) (T, validate.Problems)
}

// Text sets *v to the value with that text, the zero value if it is empty.
func (r *Reader[T]) Text(v *T, method, text string) error {
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
func (r *Reader[T]) JSON(v *T, method string, data []byte) error {
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
func (r *Reader[T]) YAML(v *T, unmarshal func(any) error) error {
	var fields [mostFields]Field
	f := fields[:len(r.Names)]
	null, err := FromYAML(unmarshal, r.Names, f)
	switch {
	case err != nil:
		return err
	case null:
		return r.Text(v, "UnmarshalYAML", "")
	}
	return r.set(v, "UnmarshalYAML", f)
}

func (r *Reader[T]) set(v *T, method string, f []Field) error {
	read, ps := r.Make(f)
	if len(ps) > 0 && read == *new(T) {
		return problem.In(r.Type+"."+method, ps)
	}
	*v = read
	return nil
}

// TextList sets *list to the values of a comma-separated list.
func (r *Reader[T]) TextList(list *[]T, text []byte) error {
	read, err := ParseText[[]T](r.List+".UnmarshalText", string(text), func(one string) (T, error) {
		return r.Parse("", one)
	})
	if err == nil {
		*list = read
	}
	return err
}

// JSONList sets *list to the values of a list of objects.
func (r *Reader[T]) JSONList(list *[]T, data []byte) error {
	l := NewList(data, "", Ignore)
	return r.setList(list, "UnmarshalJSON", &l)
}

// YAMLList is JSONList for the method UnmarshalYAML: see [FromYAML].
func (r *Reader[T]) YAMLList(list *[]T, unmarshal func(any) error) error {
	l, err := YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return r.setList(list, "UnmarshalYAML", &l)
}

func (r *Reader[T]) setList(list *[]T, method string, l *List) error {
	f := make([]Field, len(r.Names))
	var read []T
	for l.Next(r.Names, f) {
		v, ps := r.Make(f)
		if v != *new(T) {
			l.minor += len(ps)
		}
		l.Report(ps)
		read = append(read, v)
	}
	return SetList(list, r.List+"."+method, l, read)
}

// Merge returns the problems of fields that have the wrong type, and those that were
// found in the others, in the order of the names.
func Merge(names []string, wrong, found validate.Problems) validate.Problems {
	ps := wrong
	for _, p := range found {
		if !slices.ContainsFunc(wrong, func(w *validate.Problem) bool { return w.Path == p.Path }) {
			ps = append(ps, p)
		}
	}
	field := func(p *validate.Problem) int { return slices.Index(names, p.Path) }
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int { return cmp.Compare(field(a), field(b)) })
	return ps
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
