package taint_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
)

func TestDecode(t *testing.T) {
	t.Run("V1_V2_V4_V6_V8_V10_recorded", recordedValidate)
	t.Run("K4_V6_V10_recorded", recordedDecode)
	for _, tt := range []struct{ name, json, err string }{
		{"K4_not_JSON", `[{"key":"a"]`, "spec.taints: must be JSON: invalid character ']' after object key:value pair"},
		{"K4_nothing", ``, "spec.taints: must be JSON: unexpected end of JSON input"},
		{"V10_all_problems", `[{"key":"-a","effect":"No"},5,{"key":"a","effect":"NoSchedule"},{"key":"a","value":true,"effect":"NoSchedule"},{"key":"a","effect":"NoSchedule","value":"b"}]`, strings.Join([]string{
			`spec.taints[0].key "-a": the name must begin and end with a letter or digit`,
			`spec.taints[0].effect: unknown effect "No" (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`spec.taints[1] 5: must be an object`,
			`spec.taints[3].value true: must be a string, so put it in quotes`,
			`spec.taints[3] "a:NoSchedule": repeats the key and effect of an earlier taint`,
			`spec.taints[4] "a=b:NoSchedule": repeats the key and effect of an earlier taint`}, "\n")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := taint.Decode([]byte(tt.json), taint.DecodeOptions{})
			if err == nil || err.Error() != tt.err || got != nil {
				t.Errorf("Decode = %v,\n%v, want\n%s", got, err, tt.err)
			}
		})
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

// canonicalProperty draws lists that often have the same taints. Their canonical forms
// are sorted, each once, and keep a zero Taint.
func canonicalProperty(t *rapid.T) {
	x := gen.TaintsAndZeros().Draw(t, "x")
	y := append(slices.Clone(x), gen.TaintsAndZeros().Draw(t, "more")...)
	y = rapid.Permutation(append(y, x...)).Draw(t, "y")
	y = y[:rapid.IntRange(0, len(y)).Draw(t, "length")]
	canonical := func(list taint.List) (out taint.List) {
		for _, u := range list {
			if u = u.Canonical(); !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		slices.SortFunc(out, taint.Taint.Compare)
		return out
	}
	before := slices.Clone(x)
	want := slices.Equal(canonical(x), canonical(y))
	if got := slices.Equal(x.Canonical(), y.Canonical()); got != want {
		t.Errorf("the canonical forms of %v and %v are equal: %t, want %t", x, y, got, want)
	}
	if got := x.Canonical(); !slices.Equal(got, canonical(x)) {
		t.Errorf("the canonical form of %v is %v, want %v", x, got, canonical(x))
	}
	if !slices.Equal(x, before) {
		t.Errorf("F12: the input was changed to %v", x)
	}
}
