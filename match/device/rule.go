package device

import (
	"maps"
	"slices"

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

// Validate returns an error if the rule has the zero Taint, or an unknown effect that the
// old rule, if any, does not have.
func (r TaintRule) Validate(old *TaintRule) error {
	switch {
	case r.Taint.IsZero():
		var absent taintParts
		return problem.Append(nil, "taint", absent.problems("", ""))
	case r.Taint.isUnknown() && (old == nil || old.Taint.other != r.Taint.other):
		return problem.Append(nil, "taint", r.Taint.unknown())
	}
	return nil
}

var (
	ruleNames     = []string{"deviceSelector", "taint"}
	selectorNames = []string{"driver", "pool", "device"}
)

// UnmarshalJSON rejects unknown and repeated fields.
func (r *TaintRule) UnmarshalJSON(data []byte) error {
	var f [2]apijson.Field
	ps, null := readObject(data, ruleNames, f[:])
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
	ps, null, err := fieldProblems(unmarshal, ruleNames)
	if null || err != nil {
		return err
	}
	if len(ps) > 0 {
		return problem.In("device.TaintRule.UnmarshalYAML", ps)
	}
	type fields TaintRule // without this method
	var read fields
	if err := unmarshal(&read); err != nil {
		return err
	}
	*r = TaintRule(read)
	return nil
}

// readObject reads an object into fields, or reports that there is a null, which changes
// nothing, as for other structs.
func readObject(data []byte, names []string, f []apijson.Field) (ps validate.Problems, null bool) {
	s, err := apijson.NewScanner(data)
	if err != nil {
		return problem.Append(nil, "", err), false
	}
	if s.Null() {
		return nil, true
	}
	return s.Object(names, f, true, nil), false
}

// fieldProblems returns a problem for each field of a YAML mapping that is not in names or
// repeated, or reports that there is a null.
func fieldProblems(unmarshal func(any) error, names []string) (ps validate.Problems, null bool, err error) {
	var all map[string]any
	err = unmarshal(&all)
	repeated := repeatedFields(unmarshal)
	if _, isNull := repeated[""]; isNull && all != nil {
		all[""] = nil // a null name, which yaml.v3 omits
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(names, name) {
			ps = append(ps, &validate.Problem{Value: name, Rule: validate.FieldUnknown, Allowed: names})
		} else if repeated[name] {
			ps = append(ps, &validate.Problem{Path: name, Rule: validate.FieldRepeated})
		}
	}
	return ps, all == nil, err
}

// repeatedFields returns the fields of a mapping, and whether they are repeated, also by a
// merge, if the library is yaml.v2, or if a name is null: both make a map[any]any. No two
// pointers are the same key, so none is overwritten.
func repeatedFields(unmarshal func(any) error) map[string]bool {
	var anything any
	if unmarshal(&anything) != nil {
		return nil
	}
	var pairs map[*string]any
	if _, isAny := anything.(map[any]any); !isAny || unmarshal(&pairs) != nil {
		return nil
	}
	repeated := make(map[string]bool)
	for name := range pairs {
		if name == nil {
			name = new(string)
		}
		_, again := repeated[*name]
		repeated[*name] = again
	}
	return repeated
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
	ps, null := readObject(data, selectorNames, f[:])
	if null {
		return nil
	}
	return s.set("device.TaintSelector.UnmarshalJSON", f, ps)
}

func (s *TaintSelector) UnmarshalYAML(unmarshal func(any) error) error {
	var f [3]apijson.Field
	ps, null, err := fieldProblems(unmarshal, selectorNames)
	if null || err != nil {
		return err
	}
	if _, err := apijson.FromYAML(unmarshal, selectorNames, f[:]); err != nil {
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
