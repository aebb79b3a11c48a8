package device

import (
	"github.com/go-tolerate/tolerate/internal/apijson"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/validate"
)

// An ID identifies a device in a cluster.
type ID struct {
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
}

// String returns driver/pool/device.
func (id ID) String() string { return id.Driver + "/" + id.Pool + "/" + id.Device }

// A TaintRule is the spec of a DeviceTaintRule: it adds a taint to devices.
type TaintRule struct {
	// Selector selects devices: none if nil.
	Selector *TaintSelector `json:"deviceSelector,omitempty" yaml:"deviceSelector,omitempty"`
	Taint    Taint          `json:"taint" yaml:"taint"`
}

var (
	ruleNames     = []string{"deviceSelector", "taint"}
	selectorNames = []string{"driver", "pool", "device"}
)

// UnmarshalJSON rejects unknown and repeated fields.
func (r *TaintRule) UnmarshalJSON(data []byte) error {
	var f [2]apijson.Field
	ps, null := apijson.StrictJSON(data, ruleNames, f[:])
	if null {
		return nil
	}
	var read TaintRule
	if f[0].Kind != apijson.Absent {
		read.Selector = new(TaintSelector)
		ps = problem.Append(ps, ruleNames[0], read.Selector.UnmarshalJSON([]byte(f[0].Raw())))
	}
	ps = problem.Append(ps, ruleNames[1], read.Taint.UnmarshalJSON([]byte(f[1].Raw())))
	if len(ps) == 0 {
		*r = read
	}
	return problem.In("device.TaintRule.UnmarshalJSON", ps.Err())
}

func (r *TaintRule) UnmarshalYAML(unmarshal func(any) error) error {
	var f [2]apijson.Field
	ps, null, err := apijson.StrictYAML(unmarshal, ruleNames, f[:])
	if null || err != nil {
		return err
	}
	type fields TaintRule // without this method
	var read fields
	if len(ps) == 0 {
		if err = unmarshal(&read); err == nil {
			*r = TaintRule(read)
		}
		return err
	}
	return problem.In("device.TaintRule.UnmarshalYAML", ps)
}

// A TaintSelector selects the devices with these names. An empty field selects all.
type TaintSelector struct {
	Driver string `json:"driver,omitempty" yaml:"driver,omitempty"`
	Pool   string `json:"pool,omitempty" yaml:"pool,omitempty"`
	Device string `json:"device,omitempty" yaml:"device,omitempty"`
}

// Selects reports whether s selects the device; false if s is nil.
func (s *TaintSelector) Selects(id ID) bool {
	return s != nil &&
		(s.Driver == "" || s.Driver == id.Driver) &&
		(s.Pool == "" || s.Pool == id.Pool) &&
		(s.Device == "" || s.Device == id.Device)
}

// UnmarshalJSON rejects empty, unknown and repeated fields: to ignore one would select
// more.
func (s *TaintSelector) UnmarshalJSON(data []byte) error {
	var f [3]apijson.Field
	ps, null := apijson.StrictJSON(data, selectorNames, f[:])
	if null {
		return nil
	}
	return s.set("device.TaintSelector.UnmarshalJSON", f, ps)
}

func (s *TaintSelector) UnmarshalYAML(unmarshal func(any) error) error {
	var f [3]apijson.Field
	ps, null, err := apijson.StrictYAML(unmarshal, selectorNames, f[:])
	if null || err != nil {
		return err
	}
	return s.set("device.TaintSelector.UnmarshalYAML", f, ps)
}

// set sets *s to the selector with those fields, unless there are problems.
func (s *TaintSelector) set(caller string, f [3]apijson.Field, ps validate.Problems) error {
	var read TaintSelector
	for i, to := range []*string{&read.Driver, &read.Pool, &read.Device} {
		*to, ps = f[i].AsString(selectorNames[i], ps)
		if f[i].Kind == apijson.String && *to == "" {
			ps = append(ps, &validate.Problem{Path: selectorNames[i], Rule: validate.SelectorEmpty})
		}
	}
	if len(ps) == 0 {
		*s = read
	}
	return problem.In(caller, ps.Err())
}
