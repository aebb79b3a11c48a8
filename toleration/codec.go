package toleration

import (
	"slices"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/validate"
)

// Parse returns the toleration with that text.
func Parse(s string) (Toleration, error) { return parse("toleration.Parse", s) }

// MustParse is [Parse] for constant text: it panics on error.
func MustParse(s string) Toleration { return problem.Must(Parse(s)) }

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

// String returns the text that [Parse] reads.
func (u Toleration) String() string {
	b, _ := u.AppendText(make([]byte, 0, 128))
	return string(b)
}

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

func (u Toleration) MarshalText() ([]byte, error) {
	return u.AppendText(make([]byte, 0, u.size()))
}

// size returns at least the length of the text, and of the values in JSON.
func (u Toleration) size() int {
	return len(u.Key()) + len(u.Value()) + len("=:PreferNoSchedule op=Exists for -9223372036854775808s")
}

func (u *Toleration) UnmarshalText(text []byte) error {
	return reader.Text(u, "UnmarshalText", string(text))
}

// reader reads tolerations in every form.
var reader = apijson.Reader[Toleration]{
	Type: "toleration.Toleration", List: "toleration.List", Names: apijson.TolerationNames, Parse: parse,
	Make: func(f []apijson.Field) (Toleration, validate.Problems) { return fromFields(f, false) },
}

// The indexes of the fields in apijson.TolerationNames.
const (
	fieldKey = iota
	fieldOperator
	fieldValue
	fieldEffect
	fieldSeconds
	fieldCount
)

// AppendJSON appends what MarshalJSON returns to b.
func (u Toleration) AppendJSON(b []byte) []byte {
	if u.IsZero() {
		return append(b, "null"...)
	}
	seconds, timed := u.Seconds()
	return apijson.AppendToleration(b, u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds, timed)
}

func (u Toleration) MarshalJSON() ([]byte, error) {
	const around = len(`{"key":"","operator":"","value":"","effect":"","tolerationSeconds":}`)
	return u.AppendJSON(make([]byte, 0, u.size()+around)), nil
}

func (u *Toleration) UnmarshalJSON(data []byte) error {
	return reader.JSON(u, "UnmarshalJSON", data)
}

func (u Toleration) MarshalBinary() ([]byte, error) { return u.MarshalJSON() }

func (u *Toleration) UnmarshalBinary(data []byte) error {
	return reader.JSON(u, "UnmarshalBinary", data)
}

func (u Toleration) MarshalYAML() (any, error) {
	if u.IsZero() {
		return nil, nil
	}
	seconds, timed := u.Seconds()
	return apijson.YAMLToleration(u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds, timed), nil
}

func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	return reader.YAML(u, unmarshal)
}

// fromFields returns the toleration with those fields, or their problems.
func fromFields(f []apijson.Field, numericOff bool) (Toleration, validate.Problems) {
	p := parts{numericOff: numericOff}
	var ps validate.Problems
	p.key, ps = f[fieldKey].AsString("key", nil)
	op, ps := f[fieldOperator].AsString("operator", ps, operatorNames...)
	p.value, ps = f[fieldValue].AsString("value", ps)
	effect, ps := f[fieldEffect].AsString("effect", ps, effectNames...)
	p.setNames(op, effect)
	p.seconds, p.hasSeconds, ps = f[fieldSeconds].AsInteger("tolerationSeconds", ps)
	if len(ps) == 0 && p.rules() == (rules{}) {
		t, _ := p.build("", "")
		return t, nil
	}
	// What is not known because another field has the wrong type is not checked.
	noOperator, noEffect := f[fieldOperator].Kept().Kind > apijson.String, f[fieldEffect].Kept().Kind > apijson.String
	found := slices.DeleteFunc(p.problems("", "", p.rules()), func(p *validate.Problem) bool {
		return noOperator && (p.Rule == validate.KeyMissing || p.Path == "value") || noEffect && p.Rule == validate.SecondsEffect
	})
	return Toleration{}, apijson.Merge(apijson.TolerationNames, ps, found)
}

// String returns the tolerations separated by commas, and "(invalid toleration)" for the
// zero one.
func (l List) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

func (l List) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid toleration)")
}

func (l List) MarshalText() ([]byte, error) { return l.AppendText(nil) }

func (l *List) UnmarshalText(text []byte) error {
	return reader.TextList((*[]Toleration)(l), text)
}

// ParseList returns the tolerations of a list such as "gpu:NoSchedule
// op=Exists,spot=true".
func ParseList(s string) (List, error) {
	return apijson.ParseText[List]("toleration.ParseList", s, func(text string) (Toleration, error) { return parse("", text) })
}

// MustParseList is [ParseList] that panics on error.
func MustParseList(s string) List { return problem.Must(ParseList(s)) }

func (l List) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *List) UnmarshalJSON(data []byte) error {
	return reader.JSONList((*[]Toleration)(l), data)
}

func (l List) MarshalYAML() (any, error) { return []Toleration(l), nil }

func (l *List) UnmarshalYAML(unmarshal func(any) error) error {
	return reader.YAMLList((*[]Toleration)(l), unmarshal)
}

// Equal compares the order, too; see [List.Canonical].
func (l List) Equal(m List) bool { return slices.Equal(l, m) }
