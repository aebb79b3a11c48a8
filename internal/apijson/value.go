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

// A Reader reads what a taint or a toleration, of a node or of a device, is written as.
// On error the variable is unchanged.
type Reader[T any] struct {
	Type  string   // such as "taint.Taint"
	Names []string // of the fields
	Parse func(caller, text string) (T, error)
	Make  func([]Field) (T, validate.Problems)
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
	if len(ps) > 0 {
		return problem.In(r.Type+"."+method, ps)
	}
	*v = read
	return nil
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
