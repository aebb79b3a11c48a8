package toleration_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/toleration"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// list parses comma-separated tolerations; an empty one is the zero Toleration.
func list(t *testing.T, text string) toleration.List {
	t.Helper()
	if text == "" {
		return nil
	}
	var list toleration.List
	for s := range strings.SplitSeq(text, ",") {
		var u toleration.Toleration
		if err := u.UnmarshalText([]byte(s)); err != nil {
			t.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

func TestDecode(t *testing.T) {
	t.Run("V1_V2_V3_V4_V5_V7_V10_V11_recorded", recordedValidate)
	t.Run("K4_V10_recorded", recordedDecode)
	const want = `spec.tolerations[0].operator: unknown operator "In" (allowed: Equal, Exists, Lt, Gt)
spec.tolerations[1].operator "Lt": the numeric operators Lt and Gt are not enabled (allowed: Equal, Exists)
spec.tolerations[1].value "05": must be a decimal integer such as 0, 42 or -7`
	data := `[{"key":"a","operator":"In"},{"key":"a","operator":"Lt","value":"05"},{"key":"a"}]`
	if got, _, err := toleration.Decode([]byte(data), toleration.DecodeOptions{NumericOff: true}); err == nil || err.Error() != want || got != nil {
		t.Errorf("V11: Decode(%s) = %v,\n%v, want\n%s", data, got, err, want)
	}
}

func TestList_Validate(t *testing.T) {
	t.Run("V9_V11_recorded", recordedUpdate)
	const stays = ": must not be removed or changed: an update can only add tolerations and change seconds"
	tests := []struct {
		name, old, changed string
		numericOff         bool
		err                []string
	}{
		{"V9_reordering", "a,b,c", "c,a,d,b", false, nil},
		{"V9_one_of_two_that_differ_in_seconds_goes", "a:NoExecute for 5s,a:NoExecute for 6s", "a:NoExecute for 6s", false, nil},
		{"V9_effect_changed", "a:NoExecute for 5s", "a:NoSchedule", false, []string{`spec.tolerations "a:NoExecute for 5s"` + stays}},
		{"V9_all_problems", "a,b", ",", false, []string{
			`spec.tolerations "a"` + stays, `spec.tolerations "b"` + stays,
			"spec.tolerations[0]: must not be the zero value", "spec.tolerations[1]: must not be the zero value"}},
		{"V11_new_numeric", "a", "a,b=1 op=Gt", true, []string{`spec.tolerations[1].operator "Gt": the numeric operators Lt and Gt are not enabled (allowed: Equal, Exists)`}},
		{"V11_old_numeric", "b=1 op=Gt", "b=1 op=Gt,c=2 op=Lt", true, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := list(t, tt.changed).Validate(list(t, tt.old), tt.numericOff)
			if err == nil != (tt.err == nil) || err != nil && err.Error() != strings.Join(tt.err, "\n") {
				t.Errorf("Validate = %v, want %q", err, tt.err)
			}
		})
	}
}

// Of elements, see TestToleration; of lists, TestList_Canonical of package taint.
func TestList_Canonical(t *testing.T) {
	got := list(t, "c,a=v op=Equal,,a=v,b:NoExecute for -5s").Canonical()
	if want := "a=v op=Equal,b:NoExecute op=Equal for 0s,c op=Equal"; got.String() != want {
		t.Errorf("R1: Canonical = %v, want %s", got, want)
	}
}

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

// The corpus is what pods and manifests really contain, and the result for each as a
// user sees it (V7, V10, K4).
func TestCorpus(t *testing.T) {
	corpus.Run(t, "testdata/tolerations.txt", func(data []byte, strict bool) (texts []string, err error) {
		list, _, err := toleration.Decode(data, toleration.DecodeOptions{Strict: strict})
		for _, v := range list {
			texts = append(texts, v.String())
		}
		return texts, err
	})
}
