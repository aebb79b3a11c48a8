package device_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/match/device"
)

// The space is every selector and every id of two names.
func TestTaintSelector_Selects(t *testing.T) {
	names := []string{"", "x", "y"}
	selected := 0
	for _, s := range triples(names) {
		for _, of := range triples(names) {
			selector, id := device.TaintSelector{Driver: s[0], Pool: s[1], Device: s[2]}, device.ID{Driver: of[0], Pool: of[1], Device: of[2]}
			got := selector.Selects(id)
			if want := refSelects(&selector, id); got != want {
				t.Errorf("G9: %+v selects %v: %v", selector, id, got)
			}
			if got {
				selected++
			}
		}
	}
	if selected != 5*5*5 {
		t.Errorf("%d pairs selected", selected)
	}
	t.Run("G9_nil", func(t *testing.T) {
		var s *device.TaintSelector
		if s.Selects(device.ID{}) || !new(device.TaintSelector).Selects(device.ID{Driver: "x"}) {
			t.Error("a nil Selector selects, or the zero one does not")
		}
	})
}

func triples(names []string) (all [][3]string) {
	for _, a := range names {
		for _, b := range names {
			for _, c := range names {
				all = append(all, [3]string{a, b, c})
			}
		}
	}
	return all
}

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
	for i, r := range rules() {
		data, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var back device.TaintRule
		if err := json.Unmarshal(data, &back); err != nil || cmp.Diff(r, back) != "" {
			t.Errorf("G9: %s is read back as %v, %v", data, back, err)
		}
		var b bytes.Buffer
		back = device.TaintRule{}
		if err := gob.NewEncoder(&b).Encode(&r); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&b).Decode(&back); err != nil || cmp.Diff(r, back) != "" {
			t.Errorf("G9: gob of rule %d, %v, is read back as %v, %v", i, r, back, err)
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
	for _, tt := range []struct {
		name, json string
		want       []string
	}{
		{"G9_valid", `{"deviceSelector":{"pool":"p"},"taint":{"key":"a","effect":"None"}}`, nil},
		{"G9_no_selector", `{"deviceSelector":null,"taint":{"key":"a","effect":"None"}}`, nil},
		{"G9_unknown", `{"selector":{"pool":"p"},"taint":{"key":"a","effect":"None"}}`, []string{" FieldUnknown"}},
		{"G9_case", `{"DeviceSelector":{"pool":"p"}}`, []string{" FieldUnknown"}},
		{"G9_selector", `{"taint":{"key":"a","effect":"NoExecute"},"deviceSelector":{"driver":"","pools":"p"}}`, []string{"deviceSelector FieldUnknown", "deviceSelector.driver SelectorEmpty"}},
		{"G9_type", `{"deviceSelector":"p"}`, []string{"deviceSelector WrongType"}},
		{"G9_all", `{"deviceSelector":{"pool":1},"taint":{"key":"-","effect":""}}`, []string{"deviceSelector.pool WrongType", "taint.key NameEnds", "taint.effect EffectMissing"}},
		{"G9_list", `[]`, []string{" WrongType"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := rules()[2]
			r := old
			if err := json.Unmarshal([]byte(tt.json), &r); !slices.Equal(contract.Reports(err), tt.want) || err != nil && r != old {
				t.Errorf("JSON %s: %+v, %v, want %v", tt.json, r, err, tt.want)
			}
			var tree map[string]any
			if json.Unmarshal([]byte(tt.json), &tree) != nil {
				return // YAML libraries report it
			}
			y := old
			err := y.UnmarshalYAML(decode(tree))
			if (err != nil) != (tt.want != nil) || err != nil && y != old || err == nil && cmp.Diff(y, r) != "" {
				t.Errorf("YAML %s: %+v, %v, want %v", tt.json, y, err, tt.want)
			}
		})
	}
	r := rules()[2]
	if err := json.Unmarshal([]byte("null"), &r); err != nil || cmp.Diff(r, rules()[2]) != "" {
		t.Errorf("G9: null makes it %v, %v", r, err)
	}
	if err := r.UnmarshalYAML(decode(nil)); err != nil || cmp.Diff(r, rules()[2]) != "" {
		t.Errorf("G9: a YAML null makes it %v, %v", r, err)
	}
}

// A selector that is only partly read would select too many devices.
func TestTaintSelector_Unmarshal(t *testing.T) {
	for _, tt := range []struct {
		name, json string
		want       []string
	}{
		{"G9_all", `{}`, nil},
		{"G9_null", `{"driver":null,"pool":"p"}`, nil},
		{"G9_empty", `{"driver":"","pool":"p"}`, []string{"driver SelectorEmpty"}},
		{"G9_type", `{"driver":1,"device":true}`, []string{"driver WrongType", "device WrongType"}},
		{"G9_unknown", `{"deviceClassName":"gpu","driver":"x"}`, []string{" FieldUnknown"}},
		{"G9_case", `{"Driver":"x"}`, []string{" FieldUnknown"}},
		{"G9_list", `[]`, []string{" WrongType"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			old := device.TaintSelector{Driver: "old"}
			s := old
			err := json.Unmarshal([]byte(tt.json), &s)
			if !slices.Equal(contract.Reports(err), tt.want) || err != nil && s != old || err == nil && s.Driver != "" {
				t.Errorf("JSON %s: %+v, %v, want %v", tt.json, s, err, tt.want)
			}
			var tree map[string]any
			if json.Unmarshal([]byte(tt.json), &tree) != nil {
				return // YAML libraries report it
			}
			s = old
			err = s.UnmarshalYAML(func(p any) error {
				m, ok := p.(*map[string]any)
				if !ok {
					return fmt.Errorf("no YAML into %T", p)
				}
				*m = tree
				return nil
			})
			if !slices.Equal(contract.Reports(err), tt.want) || err != nil && s != old || err == nil && s.Driver != "" {
				t.Errorf("YAML %s: %+v, %v, want %v", tt.json, s, err, tt.want)
			}
		})
	}
}

func TestTaintRule_Validate(t *testing.T) {
	future, other := device.TaintRule{Taint: unknown("a", "")}, device.TaintRule{Taint: taints("a:Other")[0]}
	for _, tt := range []struct {
		name string
		rule device.TaintRule
		old  *device.TaintRule
		want []string
	}{
		{"G9_valid", rules()[1], nil, nil},
		{"G9_no_selector", rules()[0], nil, nil},
		{"G13_zero", device.TaintRule{}, nil, []string{"taint.key KeyEmpty", "taint.effect EffectMissing"}},
		{"G4_new", future, nil, []string{"taint.effect NameUnknown"}},
		{"G4_same_effect", future, &device.TaintRule{Taint: unknown("b", "1")}, nil},
		{"G4_other_effect", future, &other, []string{"taint.effect NameUnknown"}},
		{"G4_known_before", future, &device.TaintRule{Taint: device.MustParseTaint("a:None")}, []string{"taint.effect NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.rule.Validate(tt.old); !slices.Equal(contract.Reports(err), tt.want) {
				t.Errorf("Validate = %v, want %v", err, tt.want)
			}
		})
	}
}

// A list that ends in a syntax error is not a list of unknown effects.
func TestTaints_UnmarshalJSON(t *testing.T) {
	t.Run("G4_syntax", func(t *testing.T) {
		var l device.Taints
		if err := l.UnmarshalJSON([]byte(`[{"key":"b","effect":"Foo"}`)); err == nil || l != nil {
			t.Errorf("%v, %v", l, err)
		}
	})
}
