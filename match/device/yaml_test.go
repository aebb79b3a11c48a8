package device_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/contract"
	"github.com/go-tolerate/tolerate/match/device"
)

// decode returns what a YAML library passes to UnmarshalYAML for a tree of maps and
// lists. The libraries themselves are not required here.
func decode(tree any) func(any) error {
	return func(p any) error {
		to := reflect.ValueOf(p).Elem()
		list, isList := tree.([]any)
		fields, isMap := tree.(map[string]any)
		switch {
		case tree == nil:
			to.SetZero()
		case isMap && to.Kind() == reflect.Struct:
			return decodeStruct(fields, to)
		case isList && to.Kind() == reflect.Slice:
			to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
			for i, element := range list {
				if element == nil {
					continue
				}
				e := reflect.New(to.Type().Elem().Elem())
				if err := e.Interface().(yamlUnmarshaler).UnmarshalYAML(decode(element)); err != nil {
					return err
				}
				to.Index(i).Set(e)
			}
		case reflect.TypeOf(tree).AssignableTo(to.Type()):
			to.Set(reflect.ValueOf(tree))
		default:
			return fmt.Errorf("no %v into %v", reflect.TypeOf(tree), to.Type())
		}
		return nil
	}
}

// decodeStruct sets the fields of a struct by their tags, as the libraries do: a pointer
// is set before what it points at is decoded.
func decodeStruct(tree map[string]any, to reflect.Value) error {
	for i := range to.NumField() {
		name, _, _ := strings.Cut(to.Type().Field(i).Tag.Get("yaml"), ",")
		value, field := tree[name], to.Field(i)
		if value == nil {
			continue
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.New(field.Type().Elem()))
		} else {
			field = field.Addr()
		}
		if err := field.Interface().(yamlUnmarshaler).UnmarshalYAML(decode(value)); err != nil {
			return err
		}
	}
	return nil
}

// A pair is a field of a mapping.
type pair struct {
	name  string
	value any
}

// lenient returns what yaml.v2 passes to UnmarshalYAML for a mapping: the last of repeated
// fields counts.
func lenient(pairs ...pair) func(any) error {
	last, anything := map[string]any{}, map[any]any{}
	for _, p := range pairs {
		last[p.name], anything[p.name] = p.value, p.value
	}
	return func(p any) error {
		switch p := p.(type) {
		case *any:
			*p = anything
		case *map[*string]any:
			*p = map[*string]any{}
			for _, one := range pairs {
				(*p)[&one.name] = one.value
			}
		default:
			return decode(last)(p)
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
	} {
		var tree any
		if err := json.Unmarshal([]byte(text), &tree); err != nil {
			t.Fatal(err)
		}
		yamlAsJSON(t, text, tree, device.Taints{device.MustParseTaint("old:None")})
		yamlAsJSON(t, text, tree, device.Tolerations{device.MustParseToleration("=")})
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

// Unknown effects are problems only beside another, which may be behind any number of them,
// or before.
func TestTaints_Unmarshal(t *testing.T) {
	many, other := strings.Repeat(`,{"key":"a","effect":"Future"}`, 100)[1:], `{"key":"-","effect":"None"}`
	for _, tt := range []struct {
		name, list string
		problems   int
	}{
		{"G4_V10_all_unknown", many + `,{"key":"b","effect":"Future"}`, 0},
		{"G4_V10_other_last", many + `,` + other, 101},
		{"G4_V10_other_first", other + `,` + many, 101},
		{"G4_V10_null_last", many + `,null`, 101},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tree any
			if err := json.Unmarshal([]byte(`[`+tt.list+`]`), &tree); err != nil {
				t.Fatal(err)
			}
			var fromJSON, fromYAML device.Taints
			for _, err := range []error{fromJSON.UnmarshalJSON([]byte(`[` + tt.list + `]`)), fromYAML.UnmarshalYAML(decode(tree))} {
				if got := len(contract.Reports(err)); got != tt.problems {
					t.Errorf("%d problems, want %d", got, tt.problems)
				}
			}
			if want := 101 * max(0, 1-tt.problems); len(fromJSON) != want || len(fromYAML) != want {
				t.Errorf("%d and %d taints, want %d", len(fromJSON), len(fromYAML), want)
			}
		})
	}
}

// yamlAsJSON reads a list over an old one from JSON and from YAML.
func yamlAsJSON[L ~[]E, E comparable](t *testing.T, text string, tree any, old L) {
	t.Helper()
	want, got := slices.Clone(old), slices.Clone(old)
	wantErr, err := any(&want).(json.Unmarshaler).UnmarshalJSON([]byte(text)), any(&got).(yamlUnmarshaler).UnmarshalYAML(decode(tree))
	if !slices.Equal(got, want) || !slices.Equal(contract.Reports(err), contract.Reports(wantErr)) {
		t.Errorf("G5: %s is %v, %v, want %v, %v", text, got, err, want, wantErr)
	}
}
