package device

import (
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

var taints = apijson.DeviceReader[Taint]{
	Type: "device.Taint", List: "device.Taints", Names: apijson.TaintNames, Make: taintOf,
	Parse: func(caller, text string) (Taint, error) { return parseTaint(caller, text, decoded) },
}

var tolerations = apijson.DeviceReader[Toleration]{
	Type: "device.Toleration", List: "device.Tolerations", Names: apijson.TolerationNames, Make: tolerationOf,
	Parse: parseToleration,
}

// taintOf returns the taint with those fields. The problem of an unknown effect comes
// with the taint, since only the other taints of a list can make it one.
func taintOf(f []apijson.Field) (Taint, validate.Problems) {
	key, ps := f[0].AsString("key", nil)
	val, ps := f[1].AsString("value", ps)
	effect, ps := f[2].AsString("effect", ps, effectNames...)
	added, ps := f[3].AsTime("timeAdded", ps)
	if !value.InRange(added) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: f[3].Text, Rule: validate.TimeRange})
	}
	t, err := decoded("", "", key, val, effect)
	if err == nil && len(ps) == 0 {
		t.v = t.v.WithTimeAdded(added)
		return t, t.unknown()
	}
	return Taint{}, apijson.Merge(apijson.TaintNames, ps, taintProblems("", "", key, val, effect))
}

func tolerationOf(f []apijson.Field) (Toleration, validate.Problems) {
	var p parts
	var ps validate.Problems
	p.key, ps = f[0].AsString("key", ps)
	p.op, ps = f[1].AsString("operator", ps, operatorNames...)
	p.value, ps = f[2].AsString("value", ps)
	p.effect, ps = f[3].AsString("effect", ps, effectNames...)
	p.seconds, p.timed, ps = f[4].AsInteger("tolerationSeconds", ps)
	u, err := p.build("", "")
	if err == nil && len(ps) == 0 {
		return u, nil
	}
	if f[1].Kept().Kind > apijson.String {
		p.value = "" // it cannot be checked without an operator
	}
	return Toleration{}, apijson.Merge(apijson.TolerationNames, ps, p.problems("", ""))
}

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
		b = append(append(b, '='), value...)
	}
	b = append(b, ':')
	return append(b, t.effectName()...), nil
}

func (t Taint) MarshalText() ([]byte, error) { return t.AppendText(nil) }

func (t *Taint) UnmarshalText(text []byte) error {
	return taints.Text(t, "UnmarshalText", string(text))
}

// AppendJSON appends what MarshalJSON returns to b.
func (t Taint) AppendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	return apijson.AppendTaint(b, t.Key(), t.Value(), t.effectName(), t.TimeAdded())
}

func (t Taint) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

func (t *Taint) UnmarshalJSON(data []byte) error { return taints.JSON(t, "UnmarshalJSON", data) }

func (t Taint) MarshalBinary() ([]byte, error) { return t.MarshalJSON() }

func (t *Taint) UnmarshalBinary(data []byte) error { return taints.JSON(t, "UnmarshalBinary", data) }

func (t Taint) MarshalYAML() (any, error) {
	if t.IsZero() {
		return nil, nil
	}
	return apijson.YAMLTaint(t.Key(), t.Value(), t.effectName(), t.TimeAdded()), nil
}

func (t *Taint) UnmarshalYAML(unmarshal func(any) error) error { return taints.YAML(t, unmarshal) }

// String returns the text that [ParseToleration] reads. The zero Toleration is "".
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

func (u Toleration) MarshalText() ([]byte, error) { return u.AppendText(nil) }

func (u *Toleration) UnmarshalText(text []byte) error {
	return tolerations.Text(u, "UnmarshalText", string(text))
}

// AppendJSON appends what MarshalJSON returns to b.
func (u Toleration) AppendJSON(b []byte) []byte {
	if u.IsZero() {
		return append(b, "null"...)
	}
	seconds, timed := u.Seconds()
	return apijson.AppendToleration(b, u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds, timed)
}

func (u Toleration) MarshalJSON() ([]byte, error) { return u.AppendJSON(nil), nil }

func (u *Toleration) UnmarshalJSON(data []byte) error {
	return tolerations.JSON(u, "UnmarshalJSON", data)
}

func (u Toleration) MarshalBinary() ([]byte, error) { return u.MarshalJSON() }

func (u *Toleration) UnmarshalBinary(data []byte) error {
	return tolerations.JSON(u, "UnmarshalBinary", data)
}

func (u Toleration) MarshalYAML() (any, error) {
	if u.IsZero() {
		return nil, nil
	}
	seconds, timed := u.Seconds()
	return apijson.YAMLToleration(u.Key(), u.Operator().String(), u.Value(), u.Effect().String(), seconds, timed), nil
}

func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	return tolerations.YAML(u, unmarshal)
}

// String returns the taints separated by commas.
func (l Taints) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

func (l Taints) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid taint)")
}

func (l Taints) MarshalText() ([]byte, error) { return l.AppendText(nil) }

func (l *Taints) UnmarshalText(text []byte) error {
	return taints.TextList((*[]Taint)(l), text)
}

func (l Taints) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *Taints) UnmarshalJSON(data []byte) error { return taints.JSONList((*[]Taint)(l), data) }

func (l Taints) MarshalYAML() (any, error) { return []Taint(l), nil }

func (l *Taints) UnmarshalYAML(unmarshal func(any) error) error {
	return taints.YAMLList((*[]Taint)(l), unmarshal)
}

// String returns the tolerations separated by commas.
func (l Tolerations) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

func (l Tolerations) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid toleration)")
}

func (l Tolerations) MarshalText() ([]byte, error) { return l.AppendText(nil) }

func (l *Tolerations) UnmarshalText(text []byte) error {
	return tolerations.TextList((*[]Toleration)(l), text)
}

func (l Tolerations) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *Tolerations) UnmarshalJSON(data []byte) error {
	return tolerations.JSONList((*[]Toleration)(l), data)
}

func (l Tolerations) MarshalYAML() (any, error) { return []Toleration(l), nil }

func (l *Tolerations) UnmarshalYAML(unmarshal func(any) error) error {
	return tolerations.YAMLList((*[]Toleration)(l), unmarshal)
}
