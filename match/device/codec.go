package device

import (
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/syntax"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/validate"
)

var taints = apijson.Reader[Taint]{
	Type: "device.Taint", Names: apijson.TaintNames, Make: taintOf,
	Parse: func(caller, text string) (Taint, error) { return parseTaint(caller, text, true) },
}

var tolerations = apijson.Reader[Toleration]{
	Type: "device.Toleration", Names: apijson.TolerationNames, Make: tolerationOf, Parse: parseToleration,
}

// readList sets *to to the elements of a list, unless there is a problem. An unknown
// effect is one only in a list with others, since only an old list has such elements.
func readList[T interface{ unknown() validate.Problems }](r *apijson.Reader[T], to *[]T, method string, l *apijson.List) error {
	f := make([]apijson.Field, len(r.Names))
	var out []T
	unknown := 0
	for l.Next(r.Names, f) {
		v, ps := r.Make(f)
		if len(ps) == 0 {
			ps = v.unknown()
			unknown += len(ps)
		}
		l.Report(ps)
		out = append(out, v)
	}
	// After a syntax error, that is the only problem.
	if len(l.Problems) > unknown || unknown > 0 && l.Problems[0].Rule != validate.NameUnknown {
		return problem.In(r.Type+"s."+method, l.Problems)
	}
	*to = out
	return nil
}

func jsonList[T interface{ unknown() validate.Problems }](r *apijson.Reader[T], to *[]T, data []byte) error {
	l := apijson.NewList(data, "", apijson.Ignore)
	return readList(r, to, "UnmarshalJSON", &l)
}

func yamlList[T interface{ unknown() validate.Problems }](r *apijson.Reader[T], to *[]T, unmarshal func(any) error) error {
	l, err := apijson.YAMLList(unmarshal)
	if err != nil {
		return err
	}
	return readList(r, to, "UnmarshalYAML", &l)
}

func textList[T any](r *apijson.Reader[T], to *[]T, text []byte) error {
	list, err := apijson.ParseText[[]T](r.Type+"s.UnmarshalText", string(text), func(one string) (T, error) {
		return r.Parse("", one)
	})
	if err == nil {
		*to = list
	}
	return err
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
	return Taint{}, apijson.Merge(apijson.TaintNames, ps, p.problems("", ""))
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
		b = append(b, '=')
		b = append(b, value...)
	}
	b = append(b, ':')
	return append(b, t.Effect()...), nil
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
	return apijson.AppendTaint(b, t.Key(), t.Value(), string(t.Effect()), t.TimeAdded())
}

func (t Taint) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

func (t *Taint) UnmarshalJSON(data []byte) error { return taints.JSON(t, "UnmarshalJSON", data) }

func (t Taint) MarshalBinary() ([]byte, error) { return t.MarshalJSON() }

func (t *Taint) UnmarshalBinary(data []byte) error { return taints.JSON(t, "UnmarshalBinary", data) }

func (t Taint) MarshalYAML() (any, error) {
	if t.IsZero() {
		return nil, nil
	}
	return apijson.YAMLTaint(t.Key(), t.Value(), string(t.Effect()), t.TimeAdded()), nil
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
		Key: u.Key(), Value: u.Value(), Effect: string(u.Effect()), Operator: u.Operator().String(),
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
	return apijson.AppendToleration(b, u.Key(), u.Operator().String(), u.Value(), string(u.Effect()), seconds, timed)
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
	return apijson.YAMLToleration(u.Key(), u.Operator().String(), u.Value(), string(u.Effect()), seconds, timed), nil
}

func (u *Toleration) UnmarshalYAML(unmarshal func(any) error) error {
	return tolerations.YAML(u, unmarshal)
}
