package taint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

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
