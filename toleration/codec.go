package toleration

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/validate"
)

// Parse returns the toleration with that text. The error is [validate.Problems].
func Parse(s string) (Toleration, error) { return parse("toleration.Parse", s) }

// MustParse calls [Parse] and panics on error.
func MustParse(s string) Toleration {
	u, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

var forms = []string{"key=value:Effect op=Operator for 300s, all parts optional"}

func parse(caller, s string) (Toleration, error) {
	f, ok := syntax.SplitToleration(s)
	if !ok || f.Key == "" && f.HasValue {
		return Toleration{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	p := parts{key: f.Key, value: f.Value, seconds: f.Seconds, hasSeconds: f.HasSeconds}
	p.setNames(f.Operator, f.Effect)
	return p.build(caller, s)
}

// String returns the text that [Parse] reads. The zero Toleration is "".
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
		Key: u.Key(), Value: u.Value(), Effect: u.Effect().String(), Operator: u.Operator().String(),
		Seconds: seconds, HasSeconds: timed,
	}), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (u Toleration) MarshalText() ([]byte, error) {
	return u.AppendText(make([]byte, 0, u.size()))
}

// size returns at least the length of the text, and of the values in JSON.
func (u Toleration) size() int {
	return len(u.Key()) + len(u.Value()) + len("=:PreferNoSchedule op=Exists for -9223372036854775808s")
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (u *Toleration) UnmarshalText(text []byte) error {
	return u.unmarshalText("toleration.Toleration.UnmarshalText", string(text))
}

func (u *Toleration) unmarshalText(caller, text string) error {
	if text == "" {
		*u = Toleration{}
		return nil
	}
	parsed, err := parse(caller, text)
	if err == nil {
		*u = parsed
	}
	return err
}

// fieldNames are the fields of a toleration in the API, in the order of their
// problems.
var fieldNames = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

const (
	fieldKey = iota
	fieldOperator
	fieldValue
	fieldEffect
	fieldSeconds
	fieldCount
)

// AppendJSON appends what MarshalJSON returns to b. It does not allocate if b has
// enough spare capacity.
func (u Toleration) AppendJSON(b []byte) []byte {
	if u.IsZero() {
		return append(b, "null"...)
	}
	// Keys, values and names hold nothing that JSON escapes.
	fields := [...]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String()}
	comma := byte('{')
	for i, field := range fields {
		if field == "" {
			continue
		}
		b = append(b, comma, '"')
		b = append(b, fieldNames[i]...)
		b = append(b, `":"`...)
		b = append(b, field...)
		b = append(b, '"')
		comma = ','
	}
	if seconds, ok := u.Seconds(); ok { // never the first field
		b = append(b, `,"tolerationSeconds":`...)
		b = strconv.AppendInt(b, seconds, 10)
	}
	return append(b, '}')
}

// MarshalJSON implements [encoding/json.Marshaler].
func (u Toleration) MarshalJSON() ([]byte, error) {
	const around = len(`{"key":"","operator":"","value":"","effect":"","tolerationSeconds":}`)
	return u.AppendJSON(make([]byte, 0, u.size()+around)), nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (u *Toleration) UnmarshalJSON(data []byte) error {
	return u.unmarshalJSON("toleration.Toleration.UnmarshalJSON", data)
}

// MarshalBinary implements [encoding.BinaryMarshaler].
func (u Toleration) MarshalBinary() ([]byte, error) { return u.MarshalJSON() }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler].
func (u *Toleration) UnmarshalBinary(data []byte) error {
	return u.unmarshalJSON("toleration.Toleration.UnmarshalBinary", data)
}

func (u *Toleration) unmarshalJSON(caller string, data []byte) error {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return problem.In(caller, err)
	}
	if text, ok := s.Text(); ok {
		return u.unmarshalText(caller, text)
	}
	if s.Null() {
		*u = Toleration{}
		return nil
	}
	var fields [fieldCount]apijson.Field
	if ps := s.Object(fieldNames, fields[:], false, nil); len(ps) > 0 {
		return problem.In(caller, ps)
	}
	return u.set(caller, &fields)
}

// MarshalYAML implements YAML encoding.
func (u Toleration) MarshalYAML() (any, error) {
	if u.IsZero() {
		return nil, nil
	}
	y := yamlToleration{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if seconds, ok := u.Seconds(); ok {
		y.Seconds = &seconds
	}
	return y, nil
}

type yamlToleration struct {
	Key      string `yaml:"key,omitempty"`
	Operator string `yaml:"operator,omitempty"`
	Value    string `yaml:"value,omitempty"`
	Effect   string `yaml:"effect,omitempty"`
	Seconds  *int64 `yaml:"tolerationSeconds,omitempty"`
}

// UnmarshalYAML implements YAML decoding.
func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	var fields [fieldCount]apijson.Field
	null, err := apijson.FromYAML(unmarshal, fieldNames, fields[:])
	if err != nil {
		return err
	}
	if null {
		*u = Toleration{}
		return nil
	}
	return u.set("toleration.Toleration.UnmarshalYAML", &fields)
}

func (u *Toleration) set(caller string, fields *[fieldCount]apijson.Field) error {
	read, ps := fromFields(fields, false)
	if len(ps) > 0 {
		return problem.In(caller, ps)
	}
	*u = read
	return nil
}

// fromFields returns the toleration with those fields, or their problems.
func fromFields(f *[fieldCount]apijson.Field, numericOff bool) (Toleration, validate.Problems) {
	p := parts{numericOff: numericOff}
	for i := range fieldSeconds {
		f[i] = f[i].Kept()
	}
	var ps validate.Problems
	p.key, ps = f[fieldKey].AsString("key", ps)
	op, ps := f[fieldOperator].AsString("operator", ps, operatorNames...)
	p.value, ps = f[fieldValue].AsString("value", ps)
	effect, ps := f[fieldEffect].AsString("effect", ps, effectNames...)
	p.setNames(op, effect)
	p.seconds, p.hasSeconds, ps = f[fieldSeconds].AsInteger("tolerationSeconds", ps)
	if len(ps) == 0 && p.valid() {
		t, _ := p.build("", "")
		return t, nil
	}
	// A field of the wrong type has that problem only, and no other field is
	// checked against it.
	wrong := func(field int, right apijson.Kind) bool {
		return f[field].Kind != apijson.Absent && f[field].Kind != right
	}
	for _, problem := range p.problems("", "") {
		field := slices.Index(fieldNames, problem.Path)
		reported := wrong(field, apijson.String) && field != fieldSeconds
		guessed := (problem.Rule == validate.OperatorMissing || field == fieldValue) && wrong(fieldOperator, apijson.String) ||
			problem.Rule == validate.SecondsEffect && wrong(fieldEffect, apijson.String)
		if !reported && !guessed {
			ps = append(ps, problem)
		}
	}
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int {
		return cmp.Compare(slices.Index(fieldNames, a.Path), slices.Index(fieldNames, b.Path))
	})
	return Toleration{}, ps
}

// String returns the tolerations separated by commas. The zero Toleration is
// "(invalid toleration)", which [ParseList] rejects.
func (l List) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

// AppendText implements [encoding.TextAppender].
func (l List) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid toleration)")
}

// MarshalText implements [encoding.TextMarshaler].
func (l List) MarshalText() ([]byte, error) { return l.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *List) UnmarshalText(text []byte) error {
	list, err := parseList("toleration.List.UnmarshalText", string(text))
	if err == nil {
		*l = list
	}
	return err
}

// ParseList returns the tolerations of a comma-separated list, such as
// "gpu:NoSchedule op=Exists,spot=true".
func ParseList(s string) (List, error) { return parseList("toleration.ParseList", s) }

// MustParseList calls [ParseList] and panics on error.
func MustParseList(s string) List {
	list, err := ParseList(s)
	if err != nil {
		panic(err)
	}
	return list
}

func parseList(caller, s string) (List, error) {
	return apijson.ParseText(caller, s, func(text string, _ List) (Toleration, error) { return parse("", text) })
}

// MarshalJSON implements [encoding/json.Marshaler].
func (l List) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (l *List) UnmarshalJSON(data []byte) error {
	read := apijson.NewList(data, "", apijson.Ignore)
	return l.set("toleration.List.UnmarshalJSON", &read)
}

// MarshalYAML implements YAML encoding.
func (l List) MarshalYAML() (any, error) { return []Toleration(l), nil }

// UnmarshalYAML implements YAML decoding.
func (l *List) UnmarshalYAML(unmarshal func(any) error) error {
	read, err := apijson.YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return l.set("toleration.List.UnmarshalYAML", &read)
}

func (l *List) set(caller string, read *apijson.List) error {
	list := readList(read, ListOptions{})
	if len(read.Problems) > 0 {
		return problem.In(caller, read.Problems)
	}
	*l = list
	return nil
}

// GoString returns a Go expression whose value is l.
func (l List) GoString() string { return apijson.ListSource("toleration.List", l) }

// Equal reports whether l and m have the same tolerations in the same order. To
// compare what they mean, use [List.EqualSet].
func (l List) Equal(m List) bool { return slices.Equal(l, m) }
