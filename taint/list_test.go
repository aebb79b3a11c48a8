package taint_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/taint"
)

func TestDecode(t *testing.T) {
	t.Run("V1_V2_V4_V6_V8_V10_recorded", recordedValidate)
	t.Run("K4_V6_V10_recorded", recordedDecode)
	tests := []struct {
		name, json string
		opts       taint.DecodeOptions
		want       []string
		err        string
	}{
		{"K4_null", `null`, taint.DecodeOptions{}, nil, ""},
		{"K4_empty", `[]`, taint.DecodeOptions{Strict: true}, nil, ""},
		{"K4_list", `[{"key":"a","value":"1","effect":"NoSchedule"},{"key":"a","effect":"NoExecute"}]`, taint.DecodeOptions{Strict: true}, []string{"a=1:NoSchedule", "a:NoExecute"}, ""},
		{"K4_lenient", `[{"key":"a","effect":"NoSchedule","key":"b","operator":"Exists"}]`, taint.DecodeOptions{}, []string{"b:NoSchedule"}, ""},
		{"K4_strict", `[{"key":"a","effect":"NoSchedule","key":"b","Value":"x"}]`, taint.DecodeOptions{Strict: true}, nil,
			"spec.taints[0].key \"b\": must be given only once\n" +
				`spec.taints[0]: unknown field "Value", did you mean value? (allowed: key, value, effect, timeAdded)`},
		{"K4_null_element", `[{"key":"a","effect":"NoSchedule"},null]`, taint.DecodeOptions{Path: "pool"}, nil, "pool[1]: must not be null"},
		{"K4_not_a_list", `{"key":"a"}`, taint.DecodeOptions{}, nil, `spec.taints {"key":"a"}: must be a list`},
		{"K4_not_JSON", `[{"key":"a"]`, taint.DecodeOptions{}, nil, "spec.taints: must be JSON: invalid character ']' after object key:value pair"},
		{"K4_nothing", ``, taint.DecodeOptions{}, nil, "spec.taints: must be JSON: unexpected end of JSON input"},
		{"V10_all_problems", `[{"key":"-a","effect":"No"},5,{"key":"a","effect":"NoSchedule"},{"key":"a","value":true,"effect":"NoSchedule"},{"key":"a","effect":"NoSchedule","value":"b"}]`, taint.DecodeOptions{}, nil, strings.Join([]string{
			`spec.taints[0].key "-a": the name must begin and end with a letter or digit`,
			`spec.taints[0].effect: unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`spec.taints[1] 5: must be an object`,
			`spec.taints[3].value true: must be a string, so put it in quotes`,
			`spec.taints[3] "a:NoSchedule": repeats the key and effect of an earlier taint`,
			`spec.taints[4] "a=b:NoSchedule": repeats the key and effect of an earlier taint`}, "\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := taint.Decode([]byte(tt.json), tt.opts)
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || got != nil {
					t.Errorf("Decode = %v,\n%v, want\n%s", got, err, tt.err)
				}
			} else if err != nil || !slices.Equal(texts(got), tt.want) {
				t.Errorf("Decode = %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestList_Validate(t *testing.T) {
	list := func(text string) taint.List {
		var list taint.List
		for s := range strings.SplitSeq(text, ",") {
			var u taint.Taint
			if err := u.UnmarshalText([]byte(s)); err != nil {
				t.Fatal(err)
			}
			list = append(list, u)
		}
		return list
	}
	tests := []struct {
		name string
		list taint.List
		err  string
	}{
		{"V8_none", nil, ""},
		{"V8_key_under_two_effects", list("a:NoSchedule,a:NoExecute,b:NoSchedule"), ""},
		{"V8_repeated", list("a:NoSchedule,b:NoSchedule,a:NoSchedule"), `spec.taints[2] "a:NoSchedule": repeats the key and effect of an earlier taint`},
		{"V8_values_differ", list("a=1:NoSchedule,a=2:NoSchedule,a=3:NoSchedule"), "spec.taints[1] \"a=2:NoSchedule\": repeats the key and effect of an earlier taint\n" +
			`spec.taints[2] "a=3:NoSchedule": repeats the key and effect of an earlier taint`},
		{"V8_zero", list("a:NoSchedule,,"), "spec.taints[1]: must not be the zero value\nspec.taints[2]: must not be the zero value"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.list.Validate()
			if err == nil != (tt.err == "") || err != nil && err.Error() != tt.err {
				t.Errorf("List.Validate = %v, want %s", err, tt.err)
			}
		})
	}
}

func TestList_Canonical(t *testing.T) {
	at := time.Unix(1e9, 0)
	a, b, c := taint.MustParse("a:NoSchedule"), taint.MustParse("a=1:NoSchedule"), taint.MustParse("a:NoExecute")
	timed := must(a.WithTimeAdded(at))
	tests := []struct {
		name string
		x, y taint.List
		want bool
	}{
		{"R1_empty", nil, taint.List{}, true},
		{"R1_order", taint.List{a, b, c}, taint.List{c, a, b}, true},
		{"R1_repeats", taint.List{a, a, b}, taint.List{b, a, b}, true},
		{"R1_time_added", taint.List{timed}, taint.List{a}, true},
		{"R1_repeat_by_time", taint.List{timed, a}, taint.List{a}, true},
		{"M8_zero", taint.List{{}, a}, taint.List{a}, false},
		{"M8_zero_alone", taint.List{{}}, nil, false},
		{"M8_zeros", taint.List{{}, a, {}}, taint.List{a, {}}, true},
		{"R1_value", taint.List{a}, taint.List{b}, false},
		{"R1_effect", taint.List{a}, taint.List{c}, false},
		{"R1_fewer", taint.List{a, b}, taint.List{a}, false},
		{"R1_more", taint.List{a}, taint.List{a, b}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, y := tt.x, tt.y
			before := slices.Clone(x)
			if got := slices.Equal(x.Canonical(), y.Canonical()); got != tt.want {
				t.Errorf("List.Canonical of %v and %v agree: %t, want %t", x, y, got, tt.want)
			}
			if got := x.Canonical().String() == y.Canonical().String(); got != tt.want {
				t.Errorf("the texts of %v and %v agree: %t, want %t", x, y, got, tt.want)
			}
			if !slices.Equal(x, before) {
				t.Errorf("F12: the input was changed to %v", x)
			}
		})
	}
	got := append(taint.List{c}, taint.List{timed, b, {}, a}.Canonical()...)
	if !slices.Equal(got, taint.List{c, {}, a, b}) {
		t.Errorf("List.Canonical = %v", got)
	}
}
