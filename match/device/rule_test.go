package device_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/device"
)

func rules() []device.TaintRule {
	taint := timed("drain=1:NoExecute", noon)
	return []device.TaintRule{
		{Taint: taint},
		{Selector: &device.TaintSelector{}, Taint: taint},
		{Selector: &device.TaintSelector{Driver: "gpu.example.com", Pool: "n/1", Device: "gpu-0"}, Taint: unknown("drain", "")},
		{},
	}
}

func TestTaintRule_JSON(t *testing.T) {
	for _, r := range rules() {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back device.TaintRule
		if err := json.Unmarshal(data, &back); err != nil || cmp.Diff(r, back) != "" {
			t.Errorf("G9: %s is read back as %v, %v", data, back, err)
		}
	}
	const whole = `{"deviceSelector":{"driver":"gpu.example.com","pool":"n/1","device":"gpu-0"},"taint":{"key":"drain","effect":"Future"}}`
	if data, err := json.Marshal(rules()[2]); string(data) != whole || err != nil {
		t.Errorf("G9: JSON %s, want %s", data, whole)
	}
}

// What cannot be read of a rule is reported with its path, and nothing changes: a rule
// with half a selector would select other devices.
func TestTaintRule_Unmarshal(t *testing.T) {
	const taint = `"taint":{"key":"a","effect":"None"}`
	unmarshals(t, rules()[2], map[string]unmarshalCase[device.TaintRule]{
		"G9_valid":       {`{"deviceSelector":{"pool":"p"},` + taint + `}`, device.TaintRule{Selector: &device.TaintSelector{Pool: "p"}, Taint: device.MustParseTaint("a:None")}, nil},
		"G9_no_selector": {`{"deviceSelector":null,` + taint + `}`, device.TaintRule{Taint: device.MustParseTaint("a:None")}, nil},
		"G9_null":        {`null`, rules()[2], nil},
		"G9_unknown":     {json: `{"selector":{"pool":"p"},` + taint + `}`, want: []string{" FieldUnknown"}},
		"G9_case":        {json: `{"DeviceSelector":{"pool":"p"},` + taint + `}`, want: []string{" FieldUnknown"}},
		"G9_selector":    {json: `{` + taint + `,"deviceSelector":{"driver":"","pools":"p"}}`, want: []string{"deviceSelector FieldUnknown", "deviceSelector.driver SelectorEmpty"}},
		"G9_type":        {json: `{"deviceSelector":"p",` + taint + `}`, want: []string{"deviceSelector WrongType"}},
		"G9_all":         {json: `{"deviceSelector":{"pool":1},"taint":{"key":"-","effect":""}}`, want: []string{"deviceSelector.pool WrongType", "taint.key InvalidKey", "taint.effect EffectMissing"}},
		"G9_list":        {json: `[]`, want: []string{" WrongType"}},
	})
}

// A selector that is only partly read would select too many devices.
func TestTaintSelector_Unmarshal(t *testing.T) {
	unmarshals(t, device.TaintSelector{Driver: "old"}, map[string]unmarshalCase[device.TaintSelector]{
		"G9_all":        {`{}`, device.TaintSelector{}, nil},
		"G9_null":       {`null`, device.TaintSelector{Driver: "old"}, nil},
		"G9_null_field": {`{"driver":null,"pool":"p"}`, device.TaintSelector{Pool: "p"}, nil},
		"G9_empty":      {json: `{"driver":"","pool":"p"}`, want: []string{"driver SelectorEmpty"}},
		"G9_type":       {json: `{"driver":1,"device":true}`, want: []string{"driver WrongType", "device WrongType"}},
		"G9_unknown":    {json: `{"deviceClassName":"gpu","driver":"x"}`, want: []string{" FieldUnknown"}},
		"G9_case":       {json: `{"Driver":"x"}`, want: []string{" FieldUnknown"}},
		"G9_list":       {json: `[]`, want: []string{" WrongType"}},
	})
}

type unmarshalCase[T any] struct {
	json string
	read T        // unless there are problems
	want []string // problems
}

// unmarshals reads each case over an old value, as JSON and as YAML, whose libraries
// report what is no mapping.
func unmarshals[T any](t *testing.T, old T, cases map[string]unmarshalCase[T]) {
	t.Helper()
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			if tt.want != nil {
				tt.read = old
			}
			got := old
			if err := any(&got).(json.Unmarshaler).UnmarshalJSON([]byte(tt.json)); !slices.Equal(contract.Reports(err), tt.want) || cmp.Diff(tt.read, got) != "" {
				t.Errorf("JSON %s: %+v, %v, want %+v, %v", tt.json, got, err, tt.read, tt.want)
			}
			got = old
			if err := any(&got).(yamlUnmarshaler).UnmarshalYAML(decode([]byte(tt.json))); (err != nil) != (tt.want != nil) || cmp.Diff(tt.read, got) != "" {
				t.Errorf("YAML %s: %+v, %v, want %+v, %v", tt.json, got, err, tt.read, tt.want)
			}
		})
	}
}
