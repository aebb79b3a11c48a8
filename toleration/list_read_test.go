package toleration_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestList(t *testing.T) {
	t.Run("K7_contract", contract.List[toleration.List, toleration.Toleration]{
		Samples: []toleration.List{
			nil,
			toleration.MustParseList("op=Exists"),
			toleration.MustParseList("dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,k=5 op=Gt"),
			toleration.MustParseList("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s,dedicated=gpu:NoSchedule"),
			toleration.MustParseList("dedicated=gpu:NoSchedule,dedicated=gpu:NoSchedule"),
		},
		BadJSON: map[string][]string{
			`[{"key":"-a"},{"operator":"exists"},{"key":"c"}]`:       {"[0].key InvalidKey", "[1].operator NameUnknown"},
			`[{"key":"c"},null,{"key":"c","tolerationSeconds":"1"}]`: {"[1] WrongType", "[2].tolerationSeconds WrongType"},
			`"op=Exists"`: {" WrongType"},
			`{}`:          {" WrongType"},
		},
		BadText: map[string][]string{
			"a op=Exists,-b,c=1 op=Exists":      {"[1].key InvalidKey", "[2].value ExistsValue"},
			",":                                 {"[0] Syntax", "[1] Syntax"},
			"a, b":                              {"[1] Syntax"},
			toleration.List{{}}.String():        {"[0] Syntax"},
			"a," + toleration.List{{}}.String(): {"[1] Syntax"},
		},
	}.Test)
}

func TestDecode_warnings(t *testing.T) {
	zero := toleration.List{{}}.String()
	allowed := toleration.DecodeOptions{AllowUnknown: true}
	for _, tt := range []struct {
		name, json     string
		opts           toleration.DecodeOptions
		want           string
		warnings, errs []string
	}{
		{"K7_warnings", `[{"key":"a","Operator":"Exists","key":"b"},{"key":"c"}]`, toleration.DecodeOptions{},
			"b,c", []string{"spec.tolerations[0] FieldUnknown", "spec.tolerations[0].key FieldRepeated"}, nil},
		{"K7_strict", `[{"key":"a","Operator":"Exists","key":"b"}]`, toleration.DecodeOptions{Strict: true, Path: "t"},
			"", nil, []string{"t[0] FieldUnknown", "t[0].key FieldRepeated"}},
		// The value of an unknown operator can have another form.
		{"K7_allowed_operator", `[{"key":"a","operator":"In","value":"x,y"},{"key":"b"}]`, allowed, zero + ",b",
			[]string{"spec.tolerations[0].operator NameUnknown"}, nil},
		{"K7_allowed", `[{"key":"a","operator":"Exists","effect":"NoAdmit"},{"operator":"Future","effect":"NoAdmit"}]`, allowed, zero + "," + zero,
			[]string{"spec.tolerations[0].effect NameUnknown", "spec.tolerations[1].operator NameUnknown", "spec.tolerations[1].effect NameUnknown"}, nil},
		{"V11_off", `[{"key":"a","operator":"Gt","value":"1"}]`, toleration.DecodeOptions{AllowUnknown: true, NumericOff: true}, "", nil,
			[]string{"spec.tolerations[0].operator NumericOff"}},
		{"V11_off_and_unknown", `[{"key":"a","operator":"In"}]`, toleration.DecodeOptions{NumericOff: true}, "", nil, []string{"spec.tolerations[0].operator NameUnknown"}},
		{"V11_off_and_bad", `[{"key":"a","operator":"Lt","value":"05"},{"key":"a"}]`, toleration.DecodeOptions{NumericOff: true}, "", nil,
			[]string{"spec.tolerations[0].operator NumericOff", "spec.tolerations[0].value InvalidInteger"}},
		{"V7_else_bad", `[{"key":"-a","operator":"In"}]`, allowed, "", nil, []string{"spec.tolerations[0].key InvalidKey", "spec.tolerations[0].operator NameUnknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := toleration.Decode([]byte(tt.json), tt.opts)
			if got.String() != tt.want || !slices.Equal(contract.Reports(warnings), tt.warnings) || !slices.Equal(contract.Reports(err), tt.errs) {
				t.Errorf("Decode(%s) = %v, %v, %v", tt.json, got, warnings, err)
			}
		})
	}
}
