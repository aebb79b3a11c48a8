package taint

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-tolerate/tolerate/validate"
	"github.com/go-tolerate/tolerate/validate/apijson"
)

// String returns the taint as key=value:Effect, or key:Effect when its value
// is empty; "" for the zero Taint. The time added is not in it.
func (t Taint) String() string {
	b, _ := t.AppendText(make([]byte, 0, 96))
	return string(b)
}

// AppendText appends what String returns to b. The error is always nil. It
// does not allocate when b has room.
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

// MarshalText returns what String returns.
func (t Taint) MarshalText() ([]byte, error) {
	return t.AppendText(make([]byte, 0, t.size()))
}

// size is at least the length of the taint's text, and of its JSON without
// names and punctuation.
func (t Taint) size() int { return len(t.Key()) + len(t.Value()) + len("=:PreferNoSchedule") }

// UnmarshalText sets t to what [Parse] reads; empty text gives the zero Taint.
// On an error t is unchanged.
func (t *Taint) UnmarshalText(text []byte) error {
	return t.unmarshalText("taint.Taint.UnmarshalText", string(text))
}

func (t *Taint) unmarshalText(caller, text string) error {
	if text == "" {
		*t = Taint{}
		return nil
	}
	parsed, err := parse(caller, text)
	if err == nil {
		*t = parsed
	}
	return err
}

// fieldNames are the fields of a taint in the API's JSON, in the order in
// which they are written and their problems are told.
var fieldNames = []string{"key", "value", "effect", "timeAdded"}

const (
	fieldKey = iota
	fieldValue
	fieldEffect
	fieldTimeAdded
	fieldCount
)

// AppendJSON appends the taint in the API's JSON to b: an object without the
// fields that are absent, null for the zero Taint. It does not allocate when b
// has room.
func (t Taint) AppendJSON(b []byte) []byte {
	if t.IsZero() {
		return append(b, "null"...)
	}
	// Keys and values hold nothing that JSON escapes.
	b = append(b, `{"key":"`...)
	b = append(b, t.Key()...)
	if value := t.Value(); value != "" {
		b = append(b, `","value":"`...)
		b = append(b, value...)
	}
	b = append(b, `","effect":"`...)
	b = append(b, t.Effect().String()...)
	b = append(b, '"')
	if added := t.TimeAdded(); !added.IsZero() {
		b = append(b, `,"timeAdded":"`...)
		b = added.AppendFormat(b, time.RFC3339)
		b = append(b, '"')
	}
	return append(b, '}')
}

// MarshalJSON returns what AppendJSON appends.
func (t Taint) MarshalJSON() ([]byte, error) {
	const around = len(`{"key":"","value":"","effect":"","timeAdded":"2006-01-02T15:04:05Z"}`)
	return t.AppendJSON(make([]byte, 0, t.size()+around)), nil
}

// UnmarshalJSON sets t to the taint that an object in the API's JSON tells;
// null gives the zero Taint. A string is read as UnmarshalText reads it, since
// that is how encoding/json hands over the keys of maps. Unknown fields are
// left out of account, which is all that a decoder lets a type decide:
// [DecodeList] can be strict. On an error, which tells all problems, t is
// unchanged.
func (t *Taint) UnmarshalJSON(data []byte) error {
	const caller = "taint.Taint.UnmarshalJSON"
	s, err := apijson.NewScanner(data)
	if err != nil {
		return called(caller, err)
	}
	if text, ok := s.Text(); ok {
		return t.unmarshalText(caller, text)
	}
	if s.Null() {
		*t = Taint{}
		return nil
	}
	var fields [fieldCount]apijson.Field
	if ps := s.Object(fieldNames, fields[:], false, nil); len(ps) > 0 {
		return called(caller, ps)
	}
	return t.set(caller, &fields)
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

// MarshalYAML returns the taint as a value that YAML libraries write in the
// API's shape.
func (t Taint) MarshalYAML() (any, error) {
	if t.IsZero() {
		return nil, nil
	}
	y := yamlTaint{Key: t.Key(), Value: t.Value(), Effect: t.Effect().String()}
	if added := t.TimeAdded(); !added.IsZero() {
		y.TimeAdded = added.Format(time.RFC3339)
	}
	return y, nil
}

type yamlTaint struct {
	Key       string `yaml:"key"`
	Value     string `yaml:"value,omitempty"`
	Effect    string `yaml:"effect"`
	TimeAdded string `yaml:"timeAdded,omitempty"`
}

// UnmarshalYAML sets t to the taint that a mapping in the API's shape tells,
// and to the zero Taint where the library calls it for a null. On an error,
// which tells all problems unless it is the YAML library's own, t is unchanged.
func (t *Taint) UnmarshalYAML(unmarshal func(any) error) error {
	var m map[string]any
	if err := unmarshal(&m); err != nil {
		return err
	}
	if m == nil {
		*t = Taint{}
		return nil
	}
	var fields [fieldCount]apijson.Field
	apijson.FromMap(m, fieldNames, fields[:])
	return t.set("taint.Taint.UnmarshalYAML", &fields)
}

func (t *Taint) set(caller string, fields *[fieldCount]apijson.Field) error {
	read, ps := fromFields(fields, nil)
	if len(ps) > 0 {
		return called(caller, ps)
	}
	*t = read
	return nil
}

// fromFields makes the taint that the fields tell, or adds all that is wrong
// with them to ps.
func fromFields(f *[fieldCount]apijson.Field, ps validate.Problems) (Taint, validate.Problems) {
	key, ps := f[fieldKey].AsString("key", ps)
	value, ps := f[fieldValue].AsString("value", ps)
	name, ps := f[fieldEffect].AsString("effect", ps, effectNames...)
	effect, _ := knownEffect(name)
	added, ps := addedTime(f[fieldTimeAdded], ps)
	if len(ps) == 0 {
		t, err := build("", "", key, value, effect, name)
		if err == nil && !added.IsZero() {
			t, err = t.WithTimeAdded(added)
		}
		if err == nil {
			return t, nil
		}
	}
	// A field of the wrong type is told once, as that.
	for _, p := range problems("", "", key, value, effect, name) {
		if f[slices.Index(fieldNames, p.Path)].Kind <= apijson.String {
			ps = append(ps, p)
		}
	}
	if !inRange(added) {
		ps = append(ps, &validate.Problem{Path: "timeAdded", Value: f[fieldTimeAdded].Text, Rule: validate.TimeRange})
	}
	slices.SortStableFunc(ps, func(a, b *validate.Problem) int {
		return cmp.Compare(slices.Index(fieldNames, a.Path), slices.Index(fieldNames, b.Path))
	})
	return Taint{}, ps
}

func addedTime(f apijson.Field, ps validate.Problems) (time.Time, validate.Problems) {
	switch f.Kind {
	case apijson.Absent:
		return time.Time{}, ps
	case apijson.String, apijson.Time:
		if at, err := time.Parse(time.RFC3339, f.Text); err == nil {
			return at, ps
		}
	}
	return time.Time{}, append(ps, &validate.Problem{Path: "timeAdded", Value: f.Raw(), Rule: validate.NotTime})
}

// FormatList returns the taints as [ParseList] reads them, without times
// added. Zero Taints, which have no text, are left out.
func FormatList(taints []Taint) string { return string(AppendList(nil, taints)) }

// AppendList appends what [FormatList] returns to b. It does not allocate when
// b has room.
func AppendList(b []byte, taints []Taint) []byte {
	comma := false
	for _, t := range taints {
		if t.IsZero() {
			continue
		}
		if comma {
			b = append(b, ',')
		}
		comma = true
		b, _ = t.AppendText(b)
	}
	return b
}

// ParseList returns the taints of a comma-separated list of the texts that
// [Parse] reads, such as the value of the kubelet's --register-with-taints.
// Empty text is the empty list. As on a node, a key and effect may stand only
// once in it. The error tells all problems, with paths such as "[2]", and
// comes with a nil list.
func ParseList(s string) ([]Taint, error) {
	if s == "" {
		return nil, nil
	}
	list := make([]Taint, 0, strings.Count(s, ",")+1)
	var ps validate.Problems
	var u uniq
	for part := range strings.SplitSeq(s, ",") {
		t, err := parse("taint.ParseList", part)
		if err == nil && u.repeats(list, t) {
			err = validate.Problems{{Value: part, Rule: validate.Duplicate}}
		}
		if err != nil {
			ps = validate.Append(ps, validate.Index("", len(list)), err)
		}
		list = append(list, t)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	return list, nil
}
