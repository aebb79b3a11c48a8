package device

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// A reader reads what a Taint or a Toleration is written as.
type reader[T any] struct {
	typ    string   // such as "device.Taint"
	names  []string // of the fields
	parse  func(caller, text string) (T, error)
	fields func([]apijson.Field) (T, validate.Problems)
	// unknown returns the problem of an element that is read only in a list without other
	// problems, since only an old list has such elements. It is nil for tolerations.
	unknown func(T) validate.Problems
}

// The fields in the API, in the order of their problems.
var (
	taintNames      = []string{"key", "value", "effect", "timeAdded"}
	tolerationNames = []string{"key", "operator", "value", "effect", "tolerationSeconds"}
	selectorNames   = []string{"driver", "pool", "device"}
)

var taints = reader[Taint]{
	"device.Taint", taintNames,
	func(caller, text string) (Taint, error) { return parseTaint(caller, text, true) }, taintOf,
	func(t Taint) validate.Problems {
		if t.isUnknown() {
			return validate.Problems{unknownEffect("effect", t)}
		}
		return nil
	},
}

var tolerations = reader[Toleration]{
	"device.Toleration", tolerationNames,
	parseToleration, tolerationOf, nil,
}

const mostFields = 5

// text sets *v to the value with that text, unless there is an error.
func (r *reader[T]) text(v *T, method, text string) error {
	var read T
	if text != "" {
		var err error
		if read, err = r.parse(r.typ+"."+method, text); err != nil {
			return err
		}
	}
	*v = read
	return nil
}

func (r *reader[T]) json(v *T, method string, data []byte) error {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return problem.In(r.typ+"."+method, err)
	}
	if text, ok := s.Text(); ok {
		return r.text(v, method, text)
	}
	if s.Null() {
		return r.text(v, method, "")
	}
	var fields [mostFields]apijson.Field
	f := fields[:len(r.names)]
	if ps := s.Object(r.names, f, false, nil); len(ps) > 0 {
		return problem.In(r.typ+"."+method, ps)
	}
	return r.set(v, method, f)
}

func (r *reader[T]) yaml(v *T, unmarshal func(any) error) error {
	var fields [mostFields]apijson.Field
	f := fields[:len(r.names)]
	null, err := apijson.FromYAML(unmarshal, r.names, f)
	switch {
	case err != nil:
		return err
	case null:
		return r.text(v, "UnmarshalYAML", "")
	}
	return r.set(v, "UnmarshalYAML", f)
}

func (r *reader[T]) set(v *T, method string, f []apijson.Field) error {
	read, ps := r.fields(f)
	if len(ps) > 0 {
		return problem.In(r.typ+"."+method, ps)
	}
	*v = read
	return nil
}

// list sets *to to the elements of a list, unless there is a problem.
func (r *reader[T]) list(to *[]T, method string, l *apijson.List) error {
	var fields [mostFields]apijson.Field
	f := fields[:len(r.names)]
	var out []T
	unknown := 0
	for l.Next(r.names, f) {
		v, ps := r.fields(f)
		if len(ps) == 0 && r.unknown != nil {
			ps = r.unknown(v)
			unknown += len(ps)
		}
		l.Report(ps)
		out = append(out, v)
	}
	// After a syntax error, that is the only problem.
	if len(l.Problems) > unknown || unknown > 0 && l.Problems[0].Rule != validate.NameUnknown {
		return problem.In(r.typ+"s."+method, l.Problems)
	}
	*to = out
	return nil
}

func (r *reader[T]) jsonList(to *[]T, data []byte) error {
	l := apijson.NewList(data, "", apijson.Ignore)
	return r.list(to, "UnmarshalJSON", &l)
}

func (r *reader[T]) yamlList(to *[]T, unmarshal func(any) error) error {
	l, err := apijson.YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return r.list(to, "UnmarshalYAML", &l)
}

func (r *reader[T]) textList(to *[]T, text string) error {
	list, err := apijson.ParseText(r.typ+"s.UnmarshalText", text, func(one string, _ []T) (T, error) {
		return r.parse("", one)
	})
	if err == nil {
		*to = list
	}
	return err
}

// merge returns the problems of fields that have the wrong type, and those of the
// others, in the order of the names.
func merge(names []string, f []apijson.Field, wrong, found validate.Problems) validate.Problems {
	field := func(p *validate.Problem) int { return slices.Index(names, p.Path) }
	ps := wrong
	for _, p := range found {
		if f[field(p)].Kind <= apijson.String {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int { return cmp.Compare(field(a), field(b)) })
	return ps
}

func taintOf(f []apijson.Field) (Taint, validate.Problems) {
	p := taintParts{unknown: true}
	var ps validate.Problems
	for i := range 3 {
		f[i] = f[i].Kept()
	}
	p.key, ps = f[0].AsString("key", ps)
	p.value, ps = f[1].AsString("value", ps)
	p.effect, ps = f[2].AsString("effect", ps, effectNames...)
	added, ps := f[3].AsTime("timeAdded", ps)
	if !value.InRange(added) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: f[3].Text, Rule: validate.TimeRange})
	}
	t, err := p.build("", "")
	if err == nil && len(ps) == 0 {
		t.v = t.v.WithTimeAdded(added)
		return t, nil
	}
	return Taint{}, merge(taintNames, f, ps, p.problems("", ""))
}

func tolerationOf(f []apijson.Field) (Toleration, validate.Problems) {
	var p parts
	var ps validate.Problems
	for i := range 4 {
		f[i] = f[i].Kept()
	}
	p.key, ps = f[0].AsString("key", ps)
	p.op, ps = f[1].AsString("operator", ps, operatorNames...)
	p.value, ps = f[2].AsString("value", ps)
	p.effect, ps = f[3].AsString("effect", ps, effectNames...)
	p.seconds, p.timed, ps = f[4].AsInteger("tolerationSeconds", ps)
	u, err := p.build("", "")
	if err == nil && len(ps) == 0 {
		return u, nil
	}
	if f[1].Kind > apijson.String {
		p.value = "" // it cannot be checked without an operator
	}
	return Toleration{}, merge(tolerationNames, f, ps, p.problems("", ""))
}

// String returns key=value:Effect, or key:Effect if the value is empty. The zero
// Taint is "". The time added is omitted.
func (t Taint) String() string {
	b, _ := t.AppendText(make([]byte, 0, 96))
	return string(b)
}

// AppendText implements [encoding.TextAppender].
func (t Taint) AppendText(b []byte) ([]byte, error) {
	if t.IsZero() {
		return b, nil
	}
	b = append(b, t.Key()...)
	if value := t.Value(); value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	b = append(b, ':')
	return append(b, t.Effect()...), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t Taint) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler]. Unlike [ParseTaint] it accepts
// unknown effects.
func (t *Taint) UnmarshalText(text []byte) error {
	return taints.text(t, "UnmarshalText", string(text))
}

// AppendJSON appends what MarshalJSON returns to b. It does not allocate if b has
// enough spare capacity.
func (t Taint) AppendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	b = appendFields(b, taintNames, t.Key(), t.Value(), string(t.Effect()))
	if added := t.TimeAdded(); !added.IsZero() {
		b = append(b, `,"timeAdded":"`...)
		b = added.AppendFormat(b, time.RFC3339)
		b = append(b, '"')
	}
	return append(b, '}')
}

// appendFields appends an object with the fields that are not empty, without its end.
// Keys, values and names hold nothing that JSON escapes.
func appendFields(b []byte, names []string, fields ...string) []byte {
	b = append(b, '{')
	start := len(b)
	for i, field := range fields {
		if field == "" {
			continue
		}
		if len(b) > start {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, names[i]...)
		b = append(b, `":"`...)
		b = append(b, field...)
		b = append(b, '"')
	}
	return b
}

// MarshalJSON implements [encoding/json.Marshaler].
func (t Taint) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (t *Taint) UnmarshalJSON(data []byte) error { return taints.json(t, "UnmarshalJSON", data) }

// MarshalBinary implements [encoding.BinaryMarshaler].
func (t Taint) MarshalBinary() ([]byte, error) { return t.MarshalJSON() }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (t *Taint) UnmarshalBinary(data []byte) error { return taints.json(t, "UnmarshalBinary", data) }

type yamlTaint struct {
	Key       string `yaml:"key"`
	Value     string `yaml:"value,omitempty"`
	Effect    string `yaml:"effect"`
	TimeAdded string `yaml:"timeAdded,omitempty"`
}

// MarshalYAML implements YAML encoding.
func (t Taint) MarshalYAML() (any, error) {
	if t.IsZero() {
		return nil, nil
	}
	y := yamlTaint{Key: t.Key(), Value: t.Value(), Effect: string(t.Effect())}
	if added := t.TimeAdded(); !added.IsZero() {
		y.TimeAdded = added.Format(time.RFC3339)
	}
	return y, nil
}

// UnmarshalYAML implements YAML decoding.
func (t *Taint) UnmarshalYAML(unmarshal func(any) error) error { return taints.yaml(t, unmarshal) }

// String returns the text that [ParseToleration] reads. The zero Toleration is "".
func (u Toleration) String() string {
	b, _ := u.AppendText(make([]byte, 0, 128))
	return string(b)
}

// AppendText implements [encoding.TextAppender].
func (u Toleration) AppendText(b []byte) ([]byte, error) {
	if u.IsZero() {
		return b, nil
	}
	seconds, timed := u.Seconds()
	return syntax.AppendToleration(b, syntax.Toleration{
		Key: u.Key(), Value: u.Value(), Effect: string(u.Effect()), Operator: u.Operator().String(),
		Seconds: seconds, HasSeconds: timed,
	}), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (u Toleration) MarshalText() ([]byte, error) { return u.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (u *Toleration) UnmarshalText(text []byte) error {
	return tolerations.text(u, "UnmarshalText", string(text))
}

// AppendJSON appends what MarshalJSON returns to b. It does not allocate if b has
// enough spare capacity.
func (u Toleration) AppendJSON(b []byte) []byte {
	if u.IsZero() {
		return append(b, "null"...)
	}
	start := len(b)
	b = appendFields(b, tolerationNames, u.Key(), u.Operator().String(), u.Value(), string(u.Effect()))
	if seconds, ok := u.Seconds(); ok {
		if len(b) > start+1 {
			b = append(b, ',')
		}
		b = append(b, `"tolerationSeconds":`...)
		b = strconv.AppendInt(b, seconds, 10)
	}
	return append(b, '}')
}

// MarshalJSON implements [encoding/json.Marshaler].
func (u Toleration) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (u *Toleration) UnmarshalJSON(data []byte) error {
	return tolerations.json(u, "UnmarshalJSON", data)
}

// MarshalBinary implements [encoding.BinaryMarshaler].
func (u Toleration) MarshalBinary() ([]byte, error) { return u.MarshalJSON() }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (u *Toleration) UnmarshalBinary(data []byte) error {
	return tolerations.json(u, "UnmarshalBinary", data)
}

type yamlToleration struct {
	Key      string `yaml:"key,omitempty"`
	Operator string `yaml:"operator,omitempty"`
	Value    string `yaml:"value,omitempty"`
	Effect   string `yaml:"effect,omitempty"`
	Seconds  *int64 `yaml:"tolerationSeconds,omitempty"`
}

// MarshalYAML implements YAML encoding.
func (u Toleration) MarshalYAML() (any, error) {
	if u.IsZero() {
		return nil, nil
	}
	y := yamlToleration{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: string(u.Effect())}
	if seconds, ok := u.Seconds(); ok {
		y.Seconds = &seconds
	}
	return y, nil
}

// UnmarshalYAML implements YAML decoding.
func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	return tolerations.yaml(u, unmarshal)
}
