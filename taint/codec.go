package taint

import (
	"slices"
	"time"

	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

// String returns key=value:Effect or key:Effect, without the time added.
func (t Taint) String() string {
	b, _ := t.AppendText(make([]byte, 0, 96))
	return string(b)
}

func (t Taint) AppendText(b []byte) ([]byte, error) {
	if t.IsZero() {
		return b, nil
	}
	b = append(b, t.Key()...)
	if value := t.Value(); value != "" {
		b = append(b, '=')
		b = append(b, value...)
	}
	switch t.Effect() { // the lengths are known here, which saves a call: BenchmarkText
	case NoSchedule:
		b = append(b, ":NoSchedule"...)
	case PreferNoSchedule:
		b = append(b, ":PreferNoSchedule"...)
	case NoExecute:
		b = append(b, ":NoExecute"...)
	}
	return b, nil
}

func (t Taint) MarshalText() ([]byte, error) {
	return t.AppendText(make([]byte, 0, t.size()))
}

// size returns at least the length of the text, and of the values in JSON.
func (t Taint) size() int { return len(t.Key()) + len(t.Value()) + len("=:PreferNoSchedule") }

func (t *Taint) UnmarshalText(text []byte) error {
	return reader.Text(t, "UnmarshalText", string(text))
}

// reader reads taints in every form.
var reader = apijson.Reader[Taint]{Type: "taint.Taint", Names: fieldNames, Parse: parse, Make: fromFields}

// The fields of a taint in the API, in the order of their problems.
const (
	fieldKey = iota
	fieldValue
	fieldEffect
	fieldTimeAdded
	fieldCount
)

var fieldNames = []string{"key", "value", "effect", "timeAdded"}

// AppendJSON appends what MarshalJSON returns to b.
func (t Taint) AppendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	b = append(append(b, `{"key":"`...), t.Key()...) // no text has anything to escape
	if value := t.Value(); value != "" {
		b = append(append(b, `","value":"`...), value...)
	}
	b = append(append(b, `","effect":"`...), t.Effect().String()...)
	if at := t.TimeAdded(); !at.IsZero() {
		b = at.AppendFormat(append(b, `","timeAdded":"`...), time.RFC3339)
	}
	return append(b, `"}`...)
}

func (t Taint) MarshalJSON() ([]byte, error) {
	const around = len(`{"key":"","value":"","effect":"","timeAdded":"2006-01-02T15:04:05Z"}`)
	return t.AppendJSON(make([]byte, 0, t.size()+around)), nil
}

func (t *Taint) UnmarshalJSON(data []byte) error {
	return reader.JSON(t, "UnmarshalJSON", data)
}

func (t Taint) MarshalBinary() ([]byte, error) { return t.MarshalJSON() }

func (t *Taint) UnmarshalBinary(data []byte) error { return reader.JSON(t, "UnmarshalBinary", data) }

func (t Taint) MarshalYAML() (any, error) {
	if t.IsZero() {
		return nil, nil
	}
	y := struct {
		Key       string `yaml:"key"`
		Value     string `yaml:"value,omitempty"`
		Effect    string `yaml:"effect"`
		TimeAdded string `yaml:"timeAdded,omitempty"`
	}{Key: t.Key(), Value: t.Value(), Effect: t.Effect().String()}
	if at := t.TimeAdded(); !at.IsZero() {
		y.TimeAdded = at.Format(time.RFC3339)
	}
	return y, nil
}

func (t *Taint) UnmarshalYAML(unmarshal func(any) error) error { return reader.YAML(t, unmarshal) }

// fromFields returns the taint with those fields, or their problems.
func fromFields(f []apijson.Field) (Taint, validate.Problems) {
	key, ps := f[fieldKey].AsString("key", nil)
	val, ps := f[fieldValue].AsString("value", ps)
	effect, ps := f[fieldEffect].AsString("effect", ps, effectNames...)
	added, ps := f[fieldTimeAdded].AsTime("timeAdded", ps)
	if len(ps) == 0 {
		t, err := build("", "", key, val, effect)
		if err == nil && !added.IsZero() {
			t, err = t.WithTimeAdded(added)
		}
		if err == nil {
			return t, nil
		}
	}
	if !value.InRange(added) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: f[fieldTimeAdded].Text, Rule: validate.TimeRange})
	}
	return Taint{}, apijson.Merge(fieldNames, ps, problems("", "", key, val, effect))
}

// String returns the taints separated by commas, and "(invalid taint)" for the zero
// Taint.
func (l List) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

func (l List) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid taint)")
}

func (l List) MarshalText() ([]byte, error) { return l.AppendText(nil) }

func (l *List) UnmarshalText(text []byte) error {
	list, err := parseList("taint.List.UnmarshalText", string(text))
	if err == nil {
		*l = list
	}
	return err
}

// ParseList returns the taints of a list as in the kubelet's --register-with-taints. They
// must differ in key or effect.
func ParseList(s string) (List, error) { return parseList("taint.ParseList", s) }

// MustParseList is [ParseList] that panics on error.
func MustParseList(s string) List { return problem.Must(ParseList(s)) }

func parseList(caller, s string) (List, error) {
	seen := make(map[Taint]bool)
	return apijson.ParseText[List](caller, s, func(text string) (Taint, error) {
		t, err := parse("", text)
		if err == nil && repeats(seen, t) {
			err = duplicate(t)
		}
		return t, err
	})
}

func (l List) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *List) UnmarshalJSON(data []byte) error {
	read := apijson.NewList(data, "", false)
	return apijson.SetList(l, "taint.List.UnmarshalJSON", &read, readList(&read, false))
}

func (l List) MarshalYAML() (any, error) { return []Taint(l), nil }

func (l *List) UnmarshalYAML(unmarshal func(any) error) error {
	read, err := apijson.YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return apijson.SetList(l, "taint.List.UnmarshalYAML", &read, readList(&read, false))
}

// Equal compares the order, too; see [List.Canonical].
func (l List) Equal(m List) bool { return slices.Equal(l, m) }
