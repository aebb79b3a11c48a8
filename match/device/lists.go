package device

import "github.com/go-tolerate/tolerate/internal/apijson"

// String returns the taints separated by commas.
func (l Taints) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

// AppendText implements [encoding.TextAppender].
func (l Taints) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid taint)")
}

// MarshalText implements [encoding.TextMarshaler].
func (l Taints) MarshalText() ([]byte, error) { return l.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Taints) UnmarshalText(text []byte) error {
	return textList(&taints, (*[]Taint)(l), text)
}

// MarshalJSON implements [encoding/json.Marshaler].
func (l Taints) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (l *Taints) UnmarshalJSON(data []byte) error { return jsonList(&taints, (*[]Taint)(l), data) }

// MarshalYAML implements YAML encoding.
func (l Taints) MarshalYAML() (any, error) { return []Taint(l), nil }

// UnmarshalYAML implements YAML decoding.
func (l *Taints) UnmarshalYAML(unmarshal func(any) error) error {
	return yamlList(&taints, (*[]Taint)(l), unmarshal)
}

// GoString implements [fmt.GoStringer].
func (l Taints) GoString() string { return apijson.ListSource("device.Taints", l) }

// String returns the tolerations separated by commas.
func (l Tolerations) String() string {
	b, _ := l.AppendText(nil)
	return string(b)
}

// AppendText implements [encoding.TextAppender].
func (l Tolerations) AppendText(b []byte) ([]byte, error) {
	return apijson.AppendText(b, l, "(invalid toleration)")
}

// MarshalText implements [encoding.TextMarshaler].
func (l Tolerations) MarshalText() ([]byte, error) { return l.AppendText(nil) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (l *Tolerations) UnmarshalText(text []byte) error {
	return textList(&tolerations, (*[]Toleration)(l), text)
}

// MarshalJSON implements [encoding/json.Marshaler].
func (l Tolerations) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (l *Tolerations) UnmarshalJSON(data []byte) error {
	return jsonList(&tolerations, (*[]Toleration)(l), data)
}

// MarshalYAML implements YAML encoding.
func (l Tolerations) MarshalYAML() (any, error) { return []Toleration(l), nil }

// UnmarshalYAML implements YAML decoding.
func (l *Tolerations) UnmarshalYAML(unmarshal func(any) error) error {
	return yamlList(&tolerations, (*[]Toleration)(l), unmarshal)
}

// GoString implements [fmt.GoStringer].
func (l Tolerations) GoString() string { return apijson.ListSource("device.Tolerations", l) }
