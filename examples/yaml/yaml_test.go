package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	goccy "github.com/goccy/go-yaml"
	yaml2 "go.yaml.in/yaml/v2"
	yaml3 "go.yaml.in/yaml/v3"
	yaml4 "go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
	sigs "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A library reads and writes YAML. Those that know the values' YAML methods
// are told apart from the one that goes through JSON.
type library struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
	wraps     bool // errors.As finds the error of a value's method in the library's
	drops     bool // a null in a list of structs is left out of the list
}

var libraries = []library{
	{"go.yaml.in.yaml.v2", yaml2.Marshal, yaml2.Unmarshal, true, false},
	{"go.yaml.in.yaml.v3", yaml3.Marshal, yaml3.Unmarshal, true, true},
	{"go.yaml.in.yaml.v4", yaml4.Marshal, yaml4.Unmarshal, false, true},
	{"github.com.goccy.go-yaml", goccy.Marshal, goccy.Unmarshal, true, false},
	{"sigs.k8s.io.yaml", sigs.Marshal, func(b []byte, v any) error { return sigs.Unmarshal(b, v) }, true, false},
}

func each(t *testing.T, f func(*testing.T, library)) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) { f(t, l) })
	}
}

// object has the values in all the places where a program keeps them.
type object struct {
	Taint       taint.Taint                      `json:"taint" yaml:"taint"`
	Toleration  toleration.Toleration            `json:"toleration" yaml:"toleration"`
	Maybe       *taint.Taint                     `json:"maybe,omitempty" yaml:"maybe,omitempty"`
	Taints      []taint.Taint                    `json:"taints" yaml:"taints"`
	Tolerations []toleration.Toleration          `json:"tolerations" yaml:"tolerations"`
	ByName      map[string]toleration.Toleration `json:"byName" yaml:"byName"`
}

func at(t *testing.T, s, added string) taint.Taint {
	t.Helper()
	when, err := time.Parse(time.RFC3339, added)
	if err != nil {
		t.Fatal(err)
	}
	v, err := taint.MustParse(s).WithTimeAdded(when)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// generic is what stands in the YAML, whatever library reads it: mappings,
// lists, text, numbers.
func generic(t *testing.T, l library, data []byte) any {
	t.Helper()
	var v any
	if err := l.unmarshal(data, &v); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	return plain(v)
}

func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any)
		for k, e := range v {
			m[k] = plain(e)
		}
		return m
	case map[any]any:
		m := make(map[string]any)
		for k, e := range v {
			m[fmt.Sprint(k)] = plain(e)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = plain(e)
		}
		return list
	case int, int64, uint64, float64:
		return fmt.Sprintf("number %v", v)
	case time.Time:
		return v.Format(time.RFC3339)
	default:
		return v
	}
}

type fields = map[string]any

// K4: a mapping with the names of the API, without what is absent.
func TestShape(t *testing.T) {
	spot := taint.MustParse("spot:NoSchedule")
	in := object{
		Taint:      at(t, "dedicated=gpu:NoExecute", "2026-03-01T08:15:30Z"),
		Toleration: toleration.MustParse("cores=16:NoExecute op=Gt for 300s"),
		Maybe:      &spot,
		Taints:     []taint.Taint{spot, taint.MustParse("x=true:PreferNoSchedule")},
		Tolerations: []toleration.Toleration{
			toleration.MustParse("op=Exists"), toleration.MustParse("a"), toleration.MustParse("a=5"), toleration.MustParse("a:NoSchedule op=Equal"),
		},
		ByName: map[string]toleration.Toleration{"all": toleration.MustParse(":NoExecute op=Exists for -1s")},
	}
	want := fields{
		"taint":      fields{"key": "dedicated", "value": "gpu", "effect": "NoExecute", "timeAdded": "2026-03-01T08:15:30Z"},
		"toleration": fields{"key": "cores", "operator": "Gt", "value": "16", "effect": "NoExecute", "tolerationSeconds": "number 300"},
		"maybe":      fields{"key": "spot", "effect": "NoSchedule"},
		"taints":     []any{fields{"key": "spot", "effect": "NoSchedule"}, fields{"key": "x", "value": "true", "effect": "PreferNoSchedule"}},
		"tolerations": []any{
			fields{"operator": "Exists"}, fields{"key": "a"}, fields{"key": "a", "value": "5"},
			fields{"key": "a", "operator": "Equal", "effect": "NoSchedule"},
		},
		"byName": fields{"all": fields{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": "number -1"}},
	}
	each(t, func(t *testing.T, l library) {
		data, err := l.marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := generic(t, l, data); !reflect.DeepEqual(got, want) {
			t.Errorf("written:\n%s\nread as %v\nwant %v", data, got, want)
		}
		var out object
		if err := l.unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, in) {
			t.Errorf("read back: %+v, %v\nwant %+v", out, err, in)
		}
		for _, other := range libraries { // what one writes, all read
			var out object
			if err := other.unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, in) {
				t.Errorf("read by %s: %+v, %v\nwant %+v", other.name, out, err, in)
			}
		}
	})
}

// The fields stand in the order of the API, except where the library sorts.
func TestOrder(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		for _, tt := range []struct {
			in   any
			want string
		}{
			{at(t, "dedicated=gpu:NoExecute", "2026-03-01T08:15:30Z"), "key value effect timeAdded"},
			{toleration.MustParse("cores=16:NoExecute op=Gt for 300s"), "key operator value effect tolerationSeconds"},
		} {
			data, err := l.marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for line := range strings.Lines(string(data)) {
				name, _, _ := strings.Cut(line, ":")
				names = append(names, name)
			}
			want := strings.Fields(tt.want)
			if l.name == "sigs.k8s.io.yaml" {
				slices.Sort(want)
			}
			if !slices.Equal(names, want) {
				t.Errorf("%s: fields %v, want %v", data, names, want)
			}
		}
	})
}

// The zero values are null both ways, and can be left out (K5, M8).
func TestZero(t *testing.T) {
	type optional struct {
		Taint      taint.Taint           `json:"taint,omitzero" yaml:"taint,omitempty"`
		Toleration toleration.Toleration `json:"toleration,omitzero" yaml:"toleration,omitempty"`
	}
	each(t, func(t *testing.T, l library) {
		data, err := l.marshal(object{})
		if err != nil {
			t.Fatal(err)
		}
		got := generic(t, l, data).(fields)
		for _, name := range []string{"taint", "toleration"} {
			if v, ok := got[name]; !ok || v != nil {
				t.Errorf("%s is written as %v in\n%s", name, v, data)
			}
		}
		if data, err := l.marshal(optional{}); err != nil || strings.TrimSpace(string(data)) != "{}" {
			t.Errorf("left out: %q, %v", data, err)
		}

		out := object{Taint: taint.MustParse("a:NoSchedule"), Toleration: toleration.MustParse("a")}
		if err := l.unmarshal(data, &out); err != nil {
			t.Errorf("null: %v", err)
		}
		// Some libraries leave a value alone when its field is null, as they do with any type.
		if (out.Taint.IsZero() != out.Toleration.IsZero()) || !out.Taint.IsZero() && out.Taint != taint.MustParse("a:NoSchedule") {
			t.Errorf("null over values gives %+v", out)
		}

		var list []taint.Taint
		want := []taint.Taint{{}, taint.MustParse("a:NoSchedule"), {}}
		if l.drops {
			want = want[1:2]
		}
		if err := l.unmarshal([]byte("- null\n- {key: a, effect: NoSchedule}\n- ~\n"), &list); err != nil || !slices.Equal(list, want) {
			t.Errorf("nulls in a list: %v, %v, want %v", list, err, want)
		}
	})
}

func TestRead(t *testing.T) {
	seconds := toleration.MustParse("a:NoExecute op=Exists for 300s")
	for _, tt := range []struct {
		name, text string
		want       any
	}{
		{"flow", `{key: a, effect: NoSchedule}`, taint.MustParse("a:NoSchedule")},
		{"quoted", `{"key": 'a', "value": "5", "effect": "NoSchedule"}`, taint.MustParse("a=5:NoSchedule")},
		{"a null field", "key: a\nvalue:\neffect: NoSchedule\ntimeAdded: null\n", taint.MustParse("a:NoSchedule")},
		{"a time in quotes", `{key: a, effect: NoExecute, timeAdded: "2026-03-01T08:15:30Z"}`, at(t, "a:NoExecute", "2026-03-01T08:15:30Z")},
		{"a time without quotes", `{key: a, effect: NoExecute, timeAdded: 2026-03-01T08:15:30Z}`, at(t, "a:NoExecute", "2026-03-01T08:15:30Z")},
		{"a time elsewhere", `{key: a, effect: NoExecute, timeAdded: 2026-03-01T09:15:30+01:00}`, at(t, "a:NoExecute", "2026-03-01T08:15:30Z")},
		{"an unknown field", `{key: a, effect: NoSchedule, comment: "x"}`, taint.MustParse("a:NoSchedule")},
		{"an alias", "x: &e NoSchedule\nkey: a\neffect: *e\n", taint.MustParse("a:NoSchedule")},
		{"seconds", `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 300}`, seconds},
		{"no seconds", `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: null}`, seconds.WithoutSeconds()},
		{"the most seconds", `{operator: Exists, effect: NoExecute, tolerationSeconds: 9223372036854775807}`,
			toleration.MustParse(":NoExecute op=Exists for 9223372036854775807s")},
		{"a wrongly cased field", `{key: a, operator: Exists, effect: NoExecute, tolerationseconds: 300}`, seconds.WithoutSeconds()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, l library) {
				got := reflect.New(reflect.TypeOf(tt.want))
				if err := l.unmarshal([]byte(tt.text), got.Interface()); err != nil || got.Elem().Interface() != tt.want {
					t.Errorf("%s: %v, %v, want %v", tt.text, got.Elem(), err, tt.want)
				}
			})
		})
	}
}

// V10: the mistakes that YAML makes easy give a problem that names the fix.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		rule       validate.Rule
		want       string
	}{
		{"truth value", `{key: a, value: true}`, validate.NotString, `value true: must be a string, so put it in quotes`},
		{"number", `{key: a, value: 5}`, validate.NotString, `value 5: must be a string, so put it in quotes`},
		{"negative number", `{key: a, operator: Gt, value: -5}`, validate.NotString, `value -5: must be a string, so put it in quotes`},
		{"number as key", `{key: 7, operator: Exists}`, validate.NotString, `key 7: must be a string, so put it in quotes`},
		{"list", `{key: a, value: [b]}`, validate.NotString, `must be a string`},
		{"mapping", `{key: a, value: {b: c}}`, validate.NotString, `must be a string`},
		{"quoted seconds", `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: "300"}`, validate.NotWhole,
			`must be a whole number within int64, so write it without quotes: 300`},
		{"part of a second", `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 0.5}`, validate.NotWhole,
			`tolerationSeconds 0.5: must be a whole number within int64`},
		{"too many seconds", `{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 9223372036854775808}`, validate.NotWhole,
			`must be a whole number within int64`},
		{"effect", `{key: a, operator: Exists, effect: NO_EXECUTE}`, validate.EffectUnknown, `unknown effect "NO_EXECUTE", did you mean NoExecute?`},
		{"nothing", `{}`, validate.OperatorMissing, "must be set, or the operator must be Exists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, l library) {
				before := toleration.MustParse("before")
				for _, text := range []string{tt.text, "[" + tt.text + "]"} {
					got := before
					list := []toleration.Toleration{}
					var err error
					if text == tt.text {
						err = l.unmarshal([]byte(text), &got)
					} else {
						err = l.unmarshal([]byte(text), &list)
					}
					if err == nil || !strings.Contains(err.Error(), tt.want) {
						t.Fatalf("%s: %v, want %s", text, err, tt.want)
					}
					var problem *validate.Problem
					if found := errors.As(err, &problem); found != l.wraps || found && problem.Rule != tt.rule {
						t.Errorf("%s: found %v: %#v, want rule %q", text, found, problem, tt.rule)
					}
					if got != before {
						t.Errorf("%s: the value became %v", text, got)
					}
				}
			})
		})
	}
	t.Run("all at once", func(t *testing.T) {
		each(t, func(t *testing.T, l library) {
			var v taint.Taint
			err := l.unmarshal([]byte(`{key: a b, value: true, effect: nope, timeAdded: soon}`), &v)
			var problems validate.Problems
			if l.wraps && (!errors.As(err, &problems) || len(problems) != 4) {
				t.Errorf("%v", err)
			}
			for _, want := range []string{`key "a b"`, "value true", `unknown effect "nope"`, "timeAdded"} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v: does not tell %s", err, want)
				}
			}
		})
	})
	t.Run("aliases that stand for gigabytes", func(t *testing.T) {
		bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
		for i := range 20 {
			bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d,", i), 9))
		}
		each(t, func(t *testing.T, l library) {
			var v taint.Taint
			if err := l.unmarshal([]byte(bomb+"key: *a20\neffect: NoSchedule\n"), &v); err == nil || !v.IsZero() {
				t.Errorf("%v, %v", v, err)
			}
		})
	})
	t.Run("not a mapping", func(t *testing.T) {
		each(t, func(t *testing.T, l library) {
			for _, text := range []string{"[]", "5", "true"} {
				v := taint.MustParse("before:NoSchedule")
				if err := l.unmarshal([]byte(text), &v); err == nil || v != taint.MustParse("before:NoSchedule") {
					t.Errorf("%s: %v, %v", text, v, err)
				}
			}
		})
	})
}

// A list that must be read strictly goes through JSON: DecodeList tells what
// libraries leave out, and tells every problem with its path (K4).
func TestStrictList(t *testing.T) {
	data, err := sigs.YAMLToJSON([]byte("- {key: a, operation: Exists}\n- null\n- {operator: Exists}\n- {key: b, value: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := toleration.DecodeList(data, toleration.ListOptions{Strict: true})
	var problems validate.Problems
	if !errors.As(err, &problems) || list != nil {
		t.Fatalf("%v, %v", list, err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+": "+p.Rule.String())
	}
	want := []string{
		"spec.tolerations[0]: unknown field",
		"spec.tolerations[1]: must be an object",
		"spec.tolerations[3].value: must be a string",
	}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}

// Texts that some YAML takes for something else, beside what bench/gen draws.
var (
	keys    = []string{"a", "example.com/b", "true", "no", "5", "1.5", "0x1F", "1e3", "null", "2026-01-02", "a.b_c-D", "on", "y"}
	values  = append([]string{""}, keys[0], "true", "False", "null", "0", "007", "12", "1_000", "1e3", "2026-03-01", "0o17", "12.5", "y", "NO", "off", "0b1")
	numbers = []string{"0", "5", "-1", "9223372036854775807", "-9223372036854775808"}
	effects = []taint.Effect{taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
)

func genTaint(t *rapid.T) taint.Taint {
	v, err := taint.New(rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(values).Draw(t, "value"), rapid.SampledFrom(effects).Draw(t, "effect"))
	if err != nil {
		t.Fatal(err)
	}
	if rapid.Bool().Draw(t, "timed") {
		// The years 1 to 9999, without the zero time, which is none.
		if v, err = v.WithTimeAdded(time.Unix(rapid.Int64Range(-62135596799, 253402300799).Draw(t, "added"), 0)); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

func genToleration(t *rapid.T) toleration.Toleration {
	op := rapid.SampledFrom([]toleration.Operator{0, toleration.Equal, toleration.Exists, toleration.Lt, toleration.Gt}).Draw(t, "operator")
	key, value := rapid.SampledFrom(keys).Draw(t, "key"), ""
	switch op {
	case toleration.Exists:
		if rapid.Bool().Draw(t, "all") {
			key = ""
		}
	case toleration.Lt, toleration.Gt:
		value = rapid.SampledFrom(numbers).Draw(t, "number")
	default:
		value = rapid.SampledFrom(values).Draw(t, "value")
	}
	v, err := toleration.New(key, op, value, rapid.SampledFrom(append(effects, 0)).Draw(t, "effect"))
	if err != nil {
		t.Fatal(err)
	}
	if v.Effect() == taint.NoExecute && rapid.Bool().Draw(t, "limited") {
		if v, err = v.WithSeconds(rapid.Int64().Draw(t, "seconds")); err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// K5: every value survives every library, zero values included: keys and
// values that YAML would take for something else come back as text.
func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		rapid.Check(t, func(t *rapid.T) {
			oneTaint := rapid.OneOf(rapid.Custom(genTaint), gen.Taint())
			oneToleration := rapid.OneOf(rapid.Custom(genToleration), gen.Toleration())
			if !l.drops {
				oneTaint = rapid.OneOf(oneTaint, rapid.Just(taint.Taint{}))
				oneToleration = rapid.OneOf(oneToleration, rapid.Just(toleration.Toleration{}))
			}
			in := object{
				Taint:       oneTaint.Draw(t, "taint"),
				Toleration:  oneToleration.Draw(t, "toleration"),
				Taints:      rapid.SliceOfN(oneTaint, 1, 4).Draw(t, "taints"),
				Tolerations: rapid.SliceOfN(oneToleration, 1, 4).Draw(t, "tolerations"),
				ByName:      rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), oneToleration, 1, 3).Draw(t, "byName"),
			}
			data, err := l.marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out object
			if err := l.unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, in) {
				t.Fatalf("%s\ngives %+v, %v\nwant %+v", data, out, err, in)
			}
			// JSON is YAML: what encoding/json writes is read too.
			if data, err = json.Marshal(in); err != nil {
				t.Fatal(err)
			}
			out = object{}
			if err := l.unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, in) {
				t.Fatalf("%s\ngives %+v, %v\nwant %+v", data, out, err, in)
			}
		})
	})
}

func Example() {
	if err := run(os.Stdout, strings.NewReader(string(sample))); err != nil {
		fmt.Println(err)
	}
	// Output:
	// trainer may run on gpu-1
	// web may not run on gpu-1: untolerated node.kubernetes.io/unreachable:NoExecute
	// Pod misspelt cannot be read:
	// toleration.Toleration.UnmarshalYAML: value true: must be a string, so put it in quotes
	// toleration.Toleration.UnmarshalYAML: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}
