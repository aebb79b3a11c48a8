package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	goccy "github.com/goccy/go-yaml"
	yaml2 "go.yaml.in/yaml/v2"
	yaml3 "go.yaml.in/yaml/v3"
	yaml4 "go.yaml.in/yaml/v4"
	"pgregory.net/rapid"
	sigs "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// A library reads and writes YAML. Those that know the values' YAML methods
// are distinguished from the one that goes through JSON.
type library struct {
	name      string
	marshal   func(any) ([]byte, error)
	unmarshal func([]byte, any) error
	wraps     bool // errors.As finds the error of a value's method in the library's
	drops     bool // a null in a mapping leaves the value alone
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
	Taints      taint.List                       `json:"taints" yaml:"taints"`
	Tolerations toleration.List                  `json:"tolerations" yaml:"tolerations"`
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

// generic is what is in the YAML, whatever library reads it: mappings,
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
		Taints:     taint.List{spot, taint.MustParse("x=true:PreferNoSchedule")},
		Tolerations: toleration.List{
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

// The fields are in the order of the API, except where the library sorts.
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

		// In a list a null is a problem, whatever the library makes of it elsewhere.
		list := taint.MustParseList("before:NoSchedule")
		err = l.unmarshal([]byte("- null\n- {key: a, effect: NoSchedule}\n- ~\n"), &list)
		if err == nil || !strings.Contains(err.Error(), "[0] null: must be an object") || !strings.Contains(err.Error(), "[2] null: must be an object") || len(list) != 1 {
			t.Errorf("nulls in a list: %v, %v", list, err)
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
		{"a time with a fraction", `{key: a, effect: NoExecute, timeAdded: 2026-03-01T08:15:30.25Z}`, at(t, "a:NoExecute", "2026-03-01T08:15:30Z")},
		{"a time at midnight", `{key: a, effect: NoExecute, timeAdded: 2026-03-01T00:00:00Z}`, at(t, "a:NoExecute", "2026-03-01T00:00:00Z")},
		{"a date as a value", `{key: a, value: 2026-01-02, effect: NoSchedule}`, taint.MustParse("a=2026-01-02:NoSchedule")},
		{"a date as a key", `{key: 2026-01-02, operator: Exists}`, toleration.MustParse("2026-01-02 op=Exists")},
		{"dates by alias and merge", "base: &b {value: 2026-01-02}\nx: &k 2026-1-2\n<<: *b\nkey: *k\neffect: NoSchedule\n", taint.MustParse("2026-1-2=2026-01-02:NoSchedule")},
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
		{"effect", `{key: a, operator: Exists, effect: NO_EXECUTE}`, validate.NameUnknown, `unknown effect "NO_EXECUTE", did you mean NoExecute?`},
		{"nothing", `{}`, toleration.OperatorMissing, "must be set, or the operator must be Exists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, l library) {
				before := toleration.MustParse("before")
				for _, text := range []string{tt.text, "[" + tt.text + "]"} {
					got := before
					list := toleration.List{}
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
					t.Errorf("%v: does not contain %s", err, want)
				}
			}
		})
	})
	t.Run("aliases that expand to gigabytes", func(t *testing.T) {
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

// V6, V10: a time is one of RFC 3339, as for Kubernetes, though some libraries
// read less and more as one. What was written is reported as it was written.
func TestTimes(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{key: a, effect: NoExecute, timeAdded: 2026-01-02}`, `timeAdded "2026-01-02": must be an RFC 3339 time`},
		{`{key: a, effect: NoExecute, timeAdded: "2026-01-02"}`, `timeAdded "2026-01-02": must be an RFC 3339 time`},
		{`{key: a, effect: NoExecute, timeAdded: 2026-01-02 15:04:05}`, `timeAdded "2026-01-02 15:04:05": must be an RFC 3339 time`},
		{`{key: a, effect: NoExecute, timeAdded: 2026-01-02t15:04:05z}`, `timeAdded "2026-01-02t15:04:05z": must be an RFC 3339 time`},
		{`{key: a, effect: NoExecute, timeAdded: 2026-1-2}`, `timeAdded "2026-1-2": must be an RFC 3339 time`},
		{`{key: a, effect: 2026-01-02}`, `unknown effect "2026-01-02"`},
		{`{key: a, effect: NoExecute, value: 2026-01-02 15:04:05}`, `value "2026-01-02 15:04:05": may hold only letters`},
		{`{key: a, effect: NoExecute, value: 2026-01-02T15:04:05Z}`, `value "2026-01-02T15:04:05Z": may hold only letters`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			each(t, func(t *testing.T, l library) {
				v := taint.MustParse("before:NoSchedule")
				err := l.unmarshal([]byte(tt.text), &v)
				if err == nil || !strings.Contains(err.Error(), tt.want) || v != taint.MustParse("before:NoSchedule") {
					t.Errorf("%s: %v, %v, want %s", tt.text, v, err, tt.want)
				}
			})
		})
	}
}

// K4: the text of a scalar that is no number, truth value or null to YAML is
// the same in all libraries, in quotes or without.
func TestScalars(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		date := rapid.StringMatching(`2026-(0?[1-9]|1[0-3])-(0?[1-9]|[23][0-9])([Tt ][0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,3})?(Z|z|[+-][01][0-9]:[0-5]0)?)?`).Draw(t, "date")
		name := rapid.SampledFrom([]string{"key", "value", "effect", "timeAdded"}).Draw(t, "name")
		members := map[string]string{"key": "a", "value": "v", "effect": "NoExecute"}
		members[name] = date
		var plain []string
		for n, text := range members {
			plain = append(plain, n+": "+text)
		}
		slices.Sort(plain)
		text := strings.Join(plain, "\n") + "\n"
		data, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		var want taint.Taint
		wantErr := json.Unmarshal(data, &want)
		for _, l := range libraries {
			var got taint.Taint
			if err := l.unmarshal([]byte(text), &got); (err == nil) != (wantErr == nil) || got != want {
				t.Errorf("%s: %s: %v, %v, want %v, %v", l.name, text, got, err, want, wantErr)
			} else if err != nil && !strings.Contains(err.Error(), strconv.Quote(date)) {
				t.Errorf("%s: %s: %v does not report what was written", l.name, text, err)
			}
		}
	})
}

// A list that must be read strictly goes through JSON: Decode reports what
// libraries ignore, and every problem with its path (K4).
func TestStrictList(t *testing.T) {
	data, err := sigs.YAMLToJSON([]byte("- {key: a, operation: Exists}\n- null\n- {operator: Exists}\n- {key: b, value: true}\n"))
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := toleration.Decode(data, toleration.ListOptions{Strict: true})
	var problems validate.Problems
	if !errors.As(err, &problems) || list != nil {
		t.Fatalf("%v, %v", list, err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Path+": "+p.Rule.Description())
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

// A list in a user's struct: every problem is reported with its index and
// field, and the list stays as it was (V10).
func TestList(t *testing.T) {
	type config struct {
		Taints      taint.List      `json:"taints" yaml:"taints"`
		Tolerations toleration.List `json:"tolerations" yaml:"tolerations"`
	}
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"K7_taints", "taints:\n- {key: a, value: true, effect: NoSchedule}\n- {key: b, effect: NoSchedule}\n- {key: b, value: x, effect: NoSchedule}\n- {effect: nope}\n",
			[]string{"[0].value true: must be a string", "[2] \"b=x:NoSchedule\": repeats", "[3].key: must not be empty", "[3].effect: unknown effect \"nope\""}},
		{"K7_tolerations", "tolerations:\n- {key: a, operator: exists}\n- {key: b, tolerationSeconds: \"5\"}\n- {key: c}\n- a\n- [b]\n- 7\n- ~\n",
			[]string{"[0].operator: unknown operator \"exists\", did you mean Exists?", "[1].tolerationSeconds", "[3] \"a\": must be an object", "[4] ", "[5] 7: must be an object", "[6] null: must be an object"}},
		{"V6_date", "taints:\n- {key: a, effect: NoSchedule, timeAdded: 2026-01-02}\n", []string{"[0].timeAdded"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(t *testing.T, l library) {
				before := config{taint.MustParseList("before:NoSchedule"), toleration.MustParseList("before")}
				got := before
				err := l.unmarshal([]byte(tt.text), &got)
				for _, want := range tt.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%v\ndoes not report %s", err, want)
					}
				}
				if !reflect.DeepEqual(got, before) {
					t.Errorf("leaves %+v", got)
				}
				var ps validate.Problems
				if l.wraps && (!errors.As(err, &ps) || len(ps) < len(tt.want)) {
					t.Errorf("%d problems, want %d", len(ps), len(tt.want))
				}
			})
		})
	}
	t.Run("K4_repeated_key", func(t *testing.T) {
		each(t, func(t *testing.T, l library) {
			var got config
			err := l.unmarshal([]byte("taints:\n- {key: a, key: b, effect: NoSchedule}\n"), &got)
			if err != nil && (!strings.Contains(err.Error(), "already defined") || got.Taints != nil) {
				t.Errorf("%v, %v", got.Taints, err)
			}
		})
	})
	t.Run("aliases", func(t *testing.T) {
		each(t, func(t *testing.T, l library) {
			var got config
			err := l.unmarshal([]byte("tolerations:\n- &a {key: a, value: 2026-01-02}\n- *a\n"), &got)
			if err != nil || got.Tolerations.String() != "a=2026-01-02,a=2026-01-02" {
				t.Errorf("%v, %v", got.Tolerations, err)
			}
		})
	})
}

// Texts that some YAML takes for something else, beside what internal/gen draws.
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

// keyEffect is what differs between the taints of a node.
func keyEffect(v taint.Taint) string { return v.Key() + ":" + v.Effect().String() }

// K5: every value survives every library, zero values included: keys and
// values that YAML would take for something else come back as text.
func TestRoundTrip(t *testing.T) {
	each(t, func(t *testing.T, l library) {
		rapid.Check(t, func(t *rapid.T) {
			oneTaint := rapid.OneOf(rapid.Custom(genTaint), gen.Taint())
			oneToleration := rapid.OneOf(rapid.Custom(genToleration), gen.Toleration())
			if !l.drops { // from a mapping
				oneTaint = rapid.OneOf(oneTaint, rapid.Just(taint.Taint{}))
				oneToleration = rapid.OneOf(oneToleration, rapid.Just(toleration.Toleration{}))
			}
			in := object{
				Taint:       oneTaint.Draw(t, "taint"),
				Toleration:  oneToleration.Draw(t, "toleration"),
				Taints:      rapid.SliceOfNDistinct(rapid.Custom(genTaint), 1, 4, keyEffect).Draw(t, "taints"),
				Tolerations: rapid.SliceOfN(rapid.Custom(genToleration), 1, 4).Draw(t, "tolerations"),
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

// K5: edits, enumerations and changes, which have no YAML methods, are read and
// written as text or by their fields.
func TestText(t *testing.T) {
	type config struct {
		Edit     taint.Edit                     `json:"edit" yaml:"edit"`
		Edits    []taint.Edit                   `json:"edits" yaml:"edits"`
		Effect   taint.Effect                   `json:"effect" yaml:"effect"`
		Outcome  taint.Outcome                  `json:"outcome" yaml:"outcome"`
		Kind     taint.ChangeKind               `json:"kind" yaml:"kind"`
		Operator toleration.Operator            `json:"operator" yaml:"operator"`
		Policy   toleration.Choice              `json:"policy" yaml:"policy"`
		ByName   map[string]toleration.Operator `json:"byName" yaml:"byName"`
		Change   taint.Change                   `json:"change" yaml:"change"`
	}
	each(t, func(t *testing.T, l library) {
		for _, in := range []config{
			{
				taint.MustParseEdit("null-"),
				[]taint.Edit{taint.MustParseEdit("1e5=010:NoSchedule"), taint.MustParseEdit("k:NoExecute-")},
				taint.NoExecute, taint.Modified, taint.ValueChanged, toleration.Exists, toleration.ForeverElseShortest,
				map[string]toleration.Operator{"a": toleration.Gt},
				taint.Change{Before: taint.MustParse("k=v:NoSchedule"), After: at(t, "k=true:NoSchedule", "2026-01-02T03:04:05Z")},
			},
			{ByName: map[string]toleration.Operator{"a": 0}, Edits: []taint.Edit{{}}},
		} {
			data, err := l.marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out config
			if err := l.unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, in) {
				t.Errorf("%s\ngives %+v, %v\nwant %+v", data, out, err, in)
			}
		}
		for _, unknown := range []string{"policy: first", "policy: ''", "effect: noschedule", "operator: 1", "kind: value", "edit: k"} {
			var out config
			if err := l.unmarshal([]byte(unknown), &out); err == nil {
				t.Errorf("%s gives %+v", unknown, out)
			}
		}
		if data, err := l.marshal(config{Policy: 9}); err == nil {
			t.Errorf("an unknown Policy is written as %s", data)
		}
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
	// toleration.List.UnmarshalYAML: [0].value true: must be a string, so put it in quotes
	// toleration.List.UnmarshalYAML: [0].effect: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}
