package taint_test

import (
	"slices"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/taint"
)

func TestList(t *testing.T) {
	timed := must(taint.MustParse("drain:NoExecute").WithTimeAdded(time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC)))
	t.Run("K7_contract", contract.List[taint.List, taint.Taint]{
		Samples: []taint.List{
			nil,
			{timed},
			taint.MustParseList("dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute"),
			taint.MustParseList("node.kubernetes.io/not-ready:NoExecute,dedicated=gpu:NoSchedule"),
			taint.MustParseList("dedicated=gpu:NoSchedule"),
		},
		Text: taint.Taint.Canonical,
		BadJSON: map[string][]string{
			`[{"key":"-a","effect":"NoSchedule"},{"key":"b","effect":"noSchedule"},{"key":"c","effect":"NoExecute"}]`: {"[0].key InvalidKey", "[1].effect NameUnknown"},
			`[{"key":"c","effect":"NoExecute"},{"key":"c","value":"1","effect":"NoExecute"},null]`:                    {"[1] Duplicate", "[2] WrongType"},
			`[1,"a:NoSchedule",[]]`: {"[0] WrongType", "[1] WrongType", "[2] WrongType"},
			`"a:NoSchedule"`:        {" WrongType"},
			`{}`:                    {" WrongType"},
		},
		BadText: map[string][]string{
			"a:NoSchedule,b,-c:NoExecute":             {"[1] Syntax", "[2].key InvalidKey"},
			"a:NoSchedule,a=1:NoSchedule":             {"[1] Duplicate"},
			",":                                       {"[0] Syntax", "[1] Syntax"},
			"a:NoSchedule, b:NoSchedule":              {"[1].key InvalidKey"},
			taint.List{{}}.String():                   {"[0] Syntax"},
			"a:NoSchedule," + taint.List{{}}.String(): {"[1] Syntax"},
		},
	}.Test)
}

func TestDecode_warnings(t *testing.T) {
	for _, tt := range []struct {
		name, json     string
		opts           taint.DecodeOptions
		want           string
		warnings, errs []string
	}{
		{"K7_warnings", `[{"key":"a","effect":"NoSchedule","Value":"x","key":"b"},{"key":"c","effect":"NoExecute"}]`, taint.DecodeOptions{},
			"b:NoSchedule,c:NoExecute", []string{"spec.taints[0] FieldUnknown", "spec.taints[0].key FieldRepeated"}, nil},
		{"K7_strict", `[{"key":"a","effect":"NoSchedule","Value":"x","key":"b"}]`, taint.DecodeOptions{Strict: true, Path: "t"},
			"", nil, []string{"t[0] FieldUnknown", "t[0].key FieldRepeated"}},
		{"K7_overruled", `[{"key":1,"key":"b","effect":"NoSchedule"}]`, taint.DecodeOptions{}, "b:NoSchedule", []string{"spec.taints[0].key FieldRepeated"}, nil},
		{"K7_warning_beside_problem", `[{"key":"a","x":1,"effect":"NoSchedule"},{"key":"","effect":"NoSchedule"}]`, taint.DecodeOptions{},
			"", []string{"spec.taints[0] FieldUnknown"}, []string{"spec.taints[1].key InvalidKey"}},
		{"K7_allowed", `[{"key":"a","effect":"NoAdmit"},{"key":"b","effect":"NoSchedule"}]`, taint.DecodeOptions{AllowUnknown: true},
			taint.List{{}}.String() + ",b:NoSchedule", []string{"spec.taints[0].effect NameUnknown"}, nil},
		{"K7_allowed_twice", `[{"key":"a","effect":"NoAdmit"},{"key":"a","effect":"NoAdmit"}]`, taint.DecodeOptions{AllowUnknown: true},
			taint.List{{}, {}}.String(), []string{"spec.taints[0].effect NameUnknown", "spec.taints[1].effect NameUnknown"}, nil},
		// Only the effect can be unknown: the other fields are still checked.
		{"K7_allowed_else_bad", `[{"key":"-a","effect":"NoAdmit"}]`, taint.DecodeOptions{AllowUnknown: true}, "", nil, []string{"spec.taints[0].key InvalidKey", "spec.taints[0].effect NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := taint.Decode([]byte(tt.json), tt.opts)
			if got.String() != tt.want || !slices.Equal(contract.Reports(warnings), tt.warnings) || !slices.Equal(contract.Reports(err), tt.errs) {
				t.Errorf("Decode(%s) = %v, %v, %v", tt.json, got, warnings, err)
			}
		})
	}
}
