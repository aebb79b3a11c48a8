package taint_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/corpus"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
)

func TestDecode(t *testing.T) {
	t.Run("V1_V2_V4_V6_V8_V10_recorded", recordedValidate)
	t.Run("K4_V6_V10_recorded", recordedDecode)
	if list, _, err := taint.Decode(nil, taint.DecodeOptions{}); list != nil || err == nil {
		t.Errorf("K4: Decode of nothing = %v, %v", list, err)
	}
}

func TestList_Validate(t *testing.T) {
	err := append(listOf("a=1:NoSchedule", "a:NoExecute", "a=2:NoSchedule", "a=3:NoSchedule"), taint.Taint{}, taint.Taint{}).Validate()
	want := `spec.taints[2] "a=2:NoSchedule": repeats the key and effect of an earlier taint
spec.taints[3] "a=3:NoSchedule": repeats the key and effect of an earlier taint
spec.taints[4]: must not be the zero value
spec.taints[5]: must not be the zero value`
	if err == nil || err.Error() != want {
		t.Errorf("V8: List.Validate = %v, want %s", err, want)
	}
}

func TestList_Canonical(t *testing.T) {
	t.Run("R1_M8_property", rapid.MakeCheck(canonicalProperty))
}

// canonicalProperty draws lists that often repeat taints. The canonical form is sorted,
// has each once, and keeps a zero Taint.
func canonicalProperty(t *rapid.T) {
	x := gen.TaintsAndZeros().Draw(t, "x")
	x = rapid.Permutation(slices.Concat(x, gen.TaintsAndZeros().Draw(t, "more"), x)).Draw(t, "order")
	x = x[:rapid.IntRange(0, len(x)).Draw(t, "length")]
	before := slices.Clone(x)
	var want taint.List
	for _, u := range x {
		if u = u.Canonical(); !slices.Contains(want, u) {
			want = append(want, u)
		}
	}
	slices.SortFunc(want, taint.Taint.Compare)
	if got := x.Canonical(); !slices.Equal(got, want) {
		t.Errorf("R1: the canonical form of %v is %v, want %v", x, got, want)
	}
	if !slices.Equal(x, before) {
		t.Errorf("F12: the input was changed to %v", x)
	}
}

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

// The corpus is what nodes, manifests and node-pool APIs really contain, and the result
// for each as a user sees it (V8, V10, K4).
func TestCorpus(t *testing.T) {
	corpus.Run(t, "testdata/taints.txt", func(data []byte, strict bool) (texts []string, err error) {
		list, _, err := taint.Decode(data, taint.DecodeOptions{Strict: strict})
		for _, v := range list {
			text := v.String()
			if at := v.TimeAdded(); !at.IsZero() {
				text += " added " + at.Format(time.RFC3339)
			}
			texts = append(texts, text)
		}
		return texts, err
	})
}
