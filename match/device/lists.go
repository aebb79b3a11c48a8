package device

import "github.com/go-tolerate/tolerate/internal/apijson"

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
	return textList(&taints, (*[]Taint)(l), text)
}

func (l Taints) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *Taints) UnmarshalJSON(data []byte) error { return jsonList(&taints, (*[]Taint)(l), data) }

func (l Taints) MarshalYAML() (any, error) { return []Taint(l), nil }

func (l *Taints) UnmarshalYAML(unmarshal func(any) error) error {
	return yamlList(&taints, (*[]Taint)(l), unmarshal)
}

func (l Taints) GoString() string { return apijson.ListSource("device.Taints", l) }

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
	return textList(&tolerations, (*[]Toleration)(l), text)
}

func (l Tolerations) MarshalJSON() ([]byte, error) { return apijson.AppendList(nil, l), nil }

func (l *Tolerations) UnmarshalJSON(data []byte) error {
	return jsonList(&tolerations, (*[]Toleration)(l), data)
}

func (l Tolerations) MarshalYAML() (any, error) { return []Toleration(l), nil }

func (l *Tolerations) UnmarshalYAML(unmarshal func(any) error) error {
	return yamlList(&tolerations, (*[]Toleration)(l), unmarshal)
}

func (l Tolerations) GoString() string { return apijson.ListSource("device.Tolerations", l) }
