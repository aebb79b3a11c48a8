package toleration_test

import (
	"strings"
	"testing"
	"time"

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

func checkError(t *testing.T, function string, err error, want ...string) {
	t.Helper()
	if err == nil != (len(want) == 0) || err != nil && err.Error() != strings.Join(want, "\n") {
		t.Errorf("%s = %v, want %q", function, err, want)
	}
}

func TestDecode(t *testing.T) {
	t.Run("V1_V2_V3_V4_V5_V7_V10_V11_recorded", recordedValidate)
	t.Run("K4_V10_recorded", recordedDecode)
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
			checkError(t, "Validate", list(t, tt.changed).Validate(list(t, tt.old), tt.numericOff), tt.err...)
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
