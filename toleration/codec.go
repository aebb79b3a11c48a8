package toleration

import (
	"slices"
	"strconv"
	"strings"

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
	p, ok := split(s)
	if !ok {
		return Toleration{}, validate.Problems{{Func: caller, Input: s, Value: s, Rule: validate.Syntax, Allowed: forms}}
	}
	return p.build(caller, s)
}

const opPrefix = "op="

// split returns the parts of a text, and false if it has another form.
func split(s string) (p parts, ok bool) {
	rest, seconds, timed := cutLast(s, " for ")
	if timed {
		digits, ok := strings.CutSuffix(seconds, "s")
		n, broken := syntax.Integer(digits)
		if !ok || broken != 0 {
			return p, false
		}
		p.seconds, p.hasSeconds = n, true
	}
	head, op, hasOp := cutLast(rest, " "+opPrefix)
	if !hasOp && isOperator(rest) {
		head, op, hasOp = "", rest[len(opPrefix):], true
	} else if head == "" {
		return p, false // the text is empty, or begins with a space
	}
	if hasOp && op == "" && !isOperator(head) {
		return p, false
	}
	key, effect, hasEffect := strings.Cut(head, ":")
	if hasEffect && effect == "" || strings.IndexByte(key, ' ') >= 0 {
		return p, false
	}
	var hasValue bool
	p.key, p.value, hasValue = strings.Cut(key, "=")
	p.setNames(op, effect)
	return p, p.key != "" || !hasValue
}

// isOperator reports whether a first part is the operator, and not the key "op"
// with a value and an effect.
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

// String returns the text that [Parse] reads.
func (u Toleration) String() string {
	b, _ := u.AppendText(make([]byte, 0, 128))
	return string(b)
}

func (u Toleration) AppendText(b []byte) ([]byte, error) {
	if u.IsZero() {
		return b, nil
	}
	start := len(b)
	b = append(b, u.Key()...)
	if value := u.Value(); value != "" {
		b = append(append(b, '='), value...)
	}
	if effect := u.Effect(); effect != 0 {
		b = append(append(b, ':'), effect.String()...)
	}
	// split would read "op=x" as the operator.
	if op := u.Operator(); op != 0 || u.Key() == "op" && u.Value() != "" && u.Effect() == 0 {
		if len(b) > start {
			b = append(b, ' ')
		}
		b = append(append(b, opPrefix...), op.String()...)
	}
	if seconds, timed := u.Seconds(); timed {
		b = strconv.AppendInt(append(b, " for "...), seconds, 10)
		b = append(b, 's')
	}
	return b, nil
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
	Type: "toleration.Toleration", Names: fieldNames, Parse: parse,
	Make: func(f []apijson.Field) (Toleration, validate.Problems) { return fromFields(f, false) },
}

// The fields of a toleration in the API, in the order of their problems.
const (
	fieldKey = iota
	fieldOperator
	fieldValue
	fieldEffect
	fieldSeconds
	fieldCount
)

var fieldNames = []string{"key", "operator", "value", "effect", "tolerationSeconds"}

// AppendJSON appends what MarshalJSON returns to b.
func (u Toleration) AppendJSON(b []byte) []byte {
	if u.IsZero() {
		return append(b, "null"...)
	}
	start := len(b)
	for i, text := range [...]string{u.Key(), u.Operator().String(), u.Value(), u.Effect().String()} {
		if text != "" { // it has nothing to escape
			b = append(append(b, `,"`...), fieldNames[i]...)
			b = append(append(append(b, `":"`...), text...), '"')
		}
	}
	if seconds, timed := u.Seconds(); timed {
		b = strconv.AppendInt(append(b, `,"tolerationSeconds":`...), seconds, 10)
	}
	b[start] = '{' // in place of the first comma
	return append(b, '}')
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
	y := struct {
		Key      string `yaml:"key,omitempty"`
		Operator string `yaml:"operator,omitempty"`
		Value    string `yaml:"value,omitempty"`
		Effect   string `yaml:"effect,omitempty"`
		Seconds  *int64 `yaml:"tolerationSeconds,omitempty"`
	}{Key: u.Key(), Operator: u.Operator().String(), Value: u.Value(), Effect: u.Effect().String()}
	if seconds, timed := u.Seconds(); timed {
		y.Seconds = &seconds
	}
	return y, nil
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
	return Toleration{}, apijson.Merge(fieldNames, ps, found)
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
	list, err := parseList("toleration.List.UnmarshalText", string(text))
	if err == nil {
		*l = list
	}
	return err
}

// ParseList returns the tolerations of a list such as "gpu:NoSchedule
// op=Exists,spot=true".
func ParseList(s string) (List, error) { return parseList("toleration.ParseList", s) }

func parseList(caller, s string) (List, error) {
	return apijson.ParseText[List](caller, s, func(text string) (Toleration, error) { return parse("", text) })
}

// MustParseList is [ParseList] that panics on error.
func MustParseList(s string) List { return problem.Must(ParseList(s)) }

func (l List) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *List) UnmarshalJSON(data []byte) error {
	read := apijson.NewList(data, "", false)
	return apijson.SetList(l, "toleration.List.UnmarshalJSON", &read, readList(&read, DecodeOptions{}))
}

func (l List) MarshalYAML() (any, error) { return []Toleration(l), nil }

func (l *List) UnmarshalYAML(unmarshal func(any) error) error {
	read, err := apijson.YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return apijson.SetList(l, "toleration.List.UnmarshalYAML", &read, readList(&read, DecodeOptions{}))
}

// Equal compares the order, too; see [List.Canonical].
func (l List) Equal(m List) bool { return slices.Equal(l, m) }
