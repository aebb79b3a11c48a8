package device_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/match/device"
)

// decode returns what a YAML library passes to UnmarshalYAML for a text that is also JSON.
// The libraries themselves are in bench/kubernetes.
func decode(text []byte) func(any) error {
	return func(p any) error {
		to := reflect.ValueOf(p).Elem()
		var elements []json.RawMessage
		if to.Kind() != reflect.Slice || json.Unmarshal(text, &elements) != nil || elements == nil {
			return json.Unmarshal(text, p)
		}
		to.Set(reflect.MakeSlice(to.Type(), len(elements), len(elements)))
		for i, element := range elements {
			if string(element) == "null" {
				continue
			}
			to.Index(i).Set(reflect.New(to.Type().Elem().Elem()))
			if err := to.Index(i).Interface().(yamlUnmarshaler).UnmarshalYAML(decode(element)); err != nil {
				return err
			}
		}
		return nil
	}
}

// A pair is a field of a mapping.
type pair struct {
	name  string
	value any
}

// lenient returns what yaml.v2 passes to UnmarshalYAML for a mapping: the last of repeated
// fields counts.
func lenient(pairs ...pair) func(any) error {
	last := map[string]any{}
	for _, p := range pairs {
		last[p.name] = p.value
	}
	text, _ := json.Marshal(last)
	return func(p any) error {
		switch p := p.(type) {
		case *any:
			*p = map[any]any{}
		case *map[*string]any:
			*p = map[*string]any{}
			for _, one := range pairs {
				(*p)[&one.name] = one.value
			}
		default:
			return decode(text)(p)
		}
		return nil
	}
}

// A repeated field is a problem, although yaml.v2 does not report it: without this, the
// last null would select every device. bench/kubernetes has the same with yaml.v2.
func TestTaintSelector_YAML(t *testing.T) {
	taint := pair{"taint", map[string]any{"key": "a", "effect": "None"}}
	for _, tt := range []struct {
		name  string
		to    yamlUnmarshaler
		pairs []pair
		want  []string
	}{
		{"G9_once", new(device.TaintSelector), []pair{{"driver", "a"}, {"pool", nil}}, nil},
		{"G9_repeated", new(device.TaintSelector), []pair{{"driver", "a"}, {"pool", "p"}, {"driver", "b"}}, []string{"driver FieldRepeated"}},
		{"G9_null_last", new(device.TaintSelector), []pair{{"driver", "a"}, {"driver", nil}}, []string{"driver FieldRepeated"}},
		{"G9_three", new(device.TaintSelector), []pair{{"pool", nil}, {"pool", nil}, {"pool", "x"}, {"x", 1}}, []string{"pool FieldRepeated", " FieldUnknown"}},
		{"G9_rule", new(device.TaintRule), []pair{{"deviceSelector", nil}, taint, taint}, []string{"taint FieldRepeated"}},
		{"G9_selectors", new(device.TaintRule), []pair{{"deviceSelector", map[string]any{"pool": "p"}}, {"deviceSelector", nil}, taint}, []string{"deviceSelector FieldRepeated"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.to.UnmarshalYAML(lenient(tt.pairs...)); !slices.Equal(contract.Reports(err), tt.want) {
				t.Errorf("UnmarshalYAML = %v, want %v", err, tt.want)
			}
		})
	}
}

type yamlUnmarshaler interface{ UnmarshalYAML(func(any) error) error }

// Lists are read from YAML as from JSON, with the same problems.
func TestLists_YAML(t *testing.T) {
	for _, text := range []string{
		`null`, `[]`, `[{}]`, `[null]`, `[{"key":"a","effect":"None"}]`, `[{"operator":"Exists"},{"key":"-a","operator":"Lt"}]`,
		`[{"key":"a","effect":"Future"},{"key":"a","effect":"NoExecute","timeAdded":"2026-01-02T15:04:05Z"}]`,
		`[{"key":"a","effect":"NoExecute","timeAdded":"noon"},{"key":true,"effect":"-"}]`, `[{"tolerationSeconds":1.5}]`,
		`[{"key":"a","effect":"Future"},{"key":"b","effect":"Future"}]`, `[{"key":"a","effect":"Future"},null]`, `[null,{"key":"a","effect":"Future"}]`,
	} {
		yamlAsJSON(t, text, device.Taints{device.MustParseTaint("old:None")})
		yamlAsJSON(t, text, device.Tolerations{device.MustParseToleration("=")})
	}
	broken := errors.New("broken")
	fail := func(any) error { return broken }
	for _, v := range []yamlUnmarshaler{new(device.Taint), new(device.Taints), new(device.Toleration), new(device.Tolerations), new(device.TaintSelector), new(device.TaintRule)} {
		if err := v.UnmarshalYAML(fail); !errors.Is(err, broken) {
			t.Errorf("%T: %v", v, err)
		}
	}
	var list device.Taints // one that ends in a syntax error is not a list of unknown effects
	if err := list.UnmarshalJSON([]byte(`[{"key":"b","effect":"Foo"}`)); err == nil || list != nil {
		t.Errorf("G4: %v, %v", list, err)
	}
	y, err := device.Taints{device.MustParseTaint("a:None")}.MarshalYAML()
	if list, ok := y.([]device.Taint); !ok || len(list) != 1 || err != nil {
		t.Errorf("MarshalYAML = %#v, %v", y, err)
	}
}

// yamlAsJSON reads a list over an old one from JSON and from YAML.
func yamlAsJSON[L ~[]E, E comparable](t *testing.T, text string, old L) {
	t.Helper()
	want, got := slices.Clone(old), slices.Clone(old)
	wantErr, err := any(&want).(json.Unmarshaler).UnmarshalJSON([]byte(text)), any(&got).(yamlUnmarshaler).UnmarshalYAML(decode([]byte(text)))
	if !slices.Equal(got, want) || !slices.Equal(contract.Reports(err), contract.Reports(wantErr)) {
		t.Errorf("G5: %s is %v, %v, want %v, %v", text, got, err, want, wantErr)
	}
}
