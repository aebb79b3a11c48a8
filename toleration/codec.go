package toleration

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// Parse returns the toleration that the text tells, in the form of the
// package's documentation. On an error it returns the zero Toleration.
//
// It does not allocate when the key and the value are those of some taint or
// toleration already held.
func Parse(s string) (Toleration, error) { return parse("toleration.Parse", s) }

// MustParse calls [Parse] and panics on an error. It is for tests and for
// texts in the program.
func MustParse(s string) Toleration {
	u, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return u
}

const opPrefix = "op="

var forms = []string{"key=value:Effect op=Operator for 300s, all parts optional"}

func parse(caller, s string) (Toleration, error) {
	p, ok := split(s)
	if !ok {
		return Toleration{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	return p.build(caller, s)
}

// split cuts the text into its parts, which may still be wrong.
func split(s string) (p parts, ok bool) {
	if s == "" {
		return p, false
	}
	rest, seconds, timed := cutLast(s, " for ")
	if timed {
		digits, ok := strings.CutSuffix(seconds, "s")
		n, rule := validate.IntegerRule(digits)
		if !ok || rule != 0 {
			return p, false
		}
		p.seconds, p.hasSeconds = n, true
	}
	head, op, hasOp := cutLast(rest, " "+opPrefix)
	if !hasOp && isOperator(rest) {
		head, op, hasOp = "", rest[len(opPrefix):], true
	} else if head == "" {
		return p, false // the text begins with a space
	}
	if hasOp && op == "" && !isOperator(head) {
		return p, false
	}
	key, effect, hasEffect := strings.Cut(head, ":")
	if hasEffect && effect == "" || strings.IndexByte(key, ' ') >= 0 {
		return p, false
	}
	p.key, p.value, _ = strings.Cut(key, "=")
	if p.key == "" && len(key) > 0 {
		return p, false // a value without a key
	}
	p.setNames(op, effect)
	return p, true
}

// isOperator reports whether a first part that reads so is the operator,
// rather than the key "op" with a value: any that has no effect.
func isOperator(s string) bool {
	return strings.HasPrefix(s, opPrefix) && strings.IndexByte(s, ':') < 0
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// String returns the toleration in the form of the package's documentation; ""
// for the zero Toleration.
func (u Toleration) String() string {
	b, _ := u.AppendText(make([]byte, 0, 128))
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room.
func (u Toleration) AppendText(b []byte) ([]byte, error) {
	if u.IsZero() {
		return b, nil
	}
	head := u.Key() != "" || u.Effect() != 0
	b = append(b, u.Key()...)
	if value := u.Value(); value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	if effect := u.Effect(); effect != 0 {
		b = append(b, ':')
		b = append(b, effect.String()...)
	}
	if op := u.Operator(); op != 0 || u.readsAsOperator() {
		if head {
			b = append(b, ' ')
		}
		b = append(b, opPrefix...)
		b = append(b, op.String()...)
	}
	if seconds, ok := u.Seconds(); ok {
		b = append(b, " for "...)
		b = strconv.AppendInt(b, seconds, 10)
		b = append(b, 's')
	}
	return b, nil
}

// readsAsOperator reports whether the first part of the toleration's text is
// one that Parse takes for the operator.
func (u Toleration) readsAsOperator() bool {
	return u.Key() == "op" && u.Value() != "" && u.Effect() == 0
}

// MarshalText returns what String returns.
func (u Toleration) MarshalText() ([]byte, error) {
	return u.AppendText(make([]byte, 0, u.size()))
}

// size is at least the length of the toleration's text, and of its JSON
// without names and punctuation.
func (u Toleration) size() int {
	return len(u.Key()) + len(u.Value()) + len("=:PreferNoSchedule op=Exists for -9223372036854775808s")
}

// UnmarshalText sets u to what [Parse] reads; empty text gives the zero
// Toleration. On an error u is unchanged.
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

// fieldNames are the fields of a toleration in the API's JSON, in the order in
// which they are written and their problems are told.
var fieldNames = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

const (
	fieldKey = iota
	fieldOperator
	fieldValue
	fieldEffect
	fieldSeconds
	fieldCount
)

// AppendJSON appends the toleration in the API's JSON to b: an object without
// the fields that are absent, null for the zero Toleration. It does not
// allocate when b has room.
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

// MarshalJSON returns what AppendJSON appends.
func (u Toleration) MarshalJSON() ([]byte, error) {
	const around = len(`{"key":"","operator":"","value":"","effect":"","tolerationSeconds":}`)
	return u.AppendJSON(make([]byte, 0, u.size()+around)), nil
}

// UnmarshalJSON sets u to the toleration that an object in the API's JSON
// tells; null gives the zero Toleration. A string is read as UnmarshalText
// reads it, since that is how encoding/json hands over the keys of maps.
// Unknown fields are left out of account, which is all that a decoder lets a
// type decide: [DecodeList] can be strict. On an error, which tells all
// problems, u is unchanged.
func (u *Toleration) UnmarshalJSON(data []byte) error {
	const caller = "toleration.Toleration.UnmarshalJSON"
	s, err := apijson.NewScanner(data)
	if err != nil {
		return called(caller, err)
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
		return called(caller, ps)
	}
	return u.set(caller, &fields)
}

// called tells in each problem which function met it.
func called(caller string, err error) error {
	if ps, ok := err.(validate.Problems); ok {
		for _, p := range ps {
			p.Func = caller
		}
	}
	return err
}

// MarshalYAML returns the toleration as a value that YAML libraries write in
// the API's shape.
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

// UnmarshalYAML sets u to the toleration that a mapping in the API's shape
// tells, and to the zero Toleration where the library calls it for a null. On
// an error, which tells all problems unless it is the YAML library's own, u is
// unchanged.
func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	var m map[string]any
	if err := unmarshal(&m); err != nil {
		return err
	}
	if m == nil {
		*u = Toleration{}
		return nil
	}
	var fields [fieldCount]apijson.Field
	apijson.FromMap(m, fieldNames, fields[:])
	return u.set("toleration.Toleration.UnmarshalYAML", &fields)
}

func (u *Toleration) set(caller string, fields *[fieldCount]apijson.Field) error {
	read, ps := fromFields(fields, false)
	if len(ps) > 0 {
		return called(caller, ps)
	}
	*u = read
	return nil
}

// fromFields makes the toleration that the fields tell, or tells all that is
// wrong with them.
func fromFields(f *[fieldCount]apijson.Field, numericOff bool) (Toleration, validate.Problems) {
	p := parts{numericOff: numericOff}
	var ps validate.Problems
	p.key, ps = f[fieldKey].AsString("key", ps)
	op, ps := f[fieldOperator].AsString("operator", ps, operatorNames...)
	p.value, ps = f[fieldValue].AsString("value", ps)
	effect, ps := f[fieldEffect].AsString("effect", ps, effectNames...)
	p.setNames(op, effect)
	p.seconds, p.hasSeconds, ps = wholeSeconds(f[fieldSeconds], ps)
	if len(ps) == 0 && p.valid() {
		t, _ := p.build("", "")
		return t, nil
	}
	// A field of the wrong type is told once, as that, and no other field is
	// judged by what it might have held.
	wrong := func(field int, right apijson.Kind) bool {
		return f[field].Kind != apijson.Absent && f[field].Kind != right
	}
	for _, problem := range p.problems("", "") {
		field := slices.Index(fieldNames, problem.Path)
		told := wrong(field, apijson.String) && field != fieldSeconds
		guessed := (problem.Rule == validate.OperatorMissing || field == fieldValue) && wrong(fieldOperator, apijson.String) ||
			problem.Rule == validate.SecondsEffect && wrong(fieldEffect, apijson.String)
		if !told && !guessed {
			ps = append(ps, problem)
		}
	}
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int {
		return cmp.Compare(slices.Index(fieldNames, a.Path), slices.Index(fieldNames, b.Path))
	})
	return Toleration{}, ps
}

func wholeSeconds(f apijson.Field, ps validate.Problems) (n int64, ok bool, _ validate.Problems) {
	if f.Kind == apijson.Absent {
		return 0, false, ps
	}
	if f.Kind == apijson.Number {
		if n, err := strconv.ParseInt(f.Text, 10, 64); err == nil {
			return n, true, ps
		}
	}
	return 0, false, append(ps, &validate.Problem{Path: "tolerationSeconds", Value: f.Raw(), Rule: validate.NotWhole})
}
