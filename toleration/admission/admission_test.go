package admission_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// read parses comma-separated tolerations. NR, UN and MP represent three of the
// well-known keys, and zero is the zero Toleration.
func read(t testing.TB, text string) toleration.List {
	t.Helper()
	if text == "" {
		return nil
	}
	text = strings.NewReplacer("NR", condition.NotReady, "UN", condition.Unreachable, "MP", condition.MemoryPressure).Replace(text)
	var l toleration.List
	for s := range strings.SplitSeq(text, ",") {
		if s == "zero" {
			s = ""
		}
		var u toleration.Toleration
		if err := u.UnmarshalText([]byte(s)); err != nil {
			t.Fatal(err)
		}
		l = append(l, u)
	}
	return l
}

// check compares the result of a function with these tolerations. An empty result must
// be nil.
func check(t *testing.T, function string, got toleration.List, want string) {
	t.Helper()
	if want := read(t, want); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", function, got, want)
	}
	if len(got) == 0 && got != nil {
		t.Errorf("%s is empty, not nil", function)
	}
}

// These are the rules of a Plan, each alone.

var off = admission.SecondsOptions{NotReadyOff: true, UnreachableOff: true}

func only(pod admission.PodSpec) toleration.List {
	return problem.Must(admission.Plan{Seconds: off}.OnCreate(pod))
}

func extendedResources(names []string, pod toleration.List) toleration.List {
	return only(admission.PodSpec{Tolerations: pod, Resources: names})
}

func runtimeClass(class, pod toleration.List) toleration.List {
	return only(admission.PodSpec{Tolerations: pod, RuntimeClass: class})
}

func TestDefaultSeconds(t *testing.T) {
	t.Run("D1_recorded", defaultSecondsRecorded)
	s := admission.SecondsOptions{NotReady: seconds(-5), Unreachable: seconds(9223372036854775807)}
	check(t, "D1: DefaultSeconds", admission.DefaultSeconds(s, nil), "NR:NoExecute op=Exists for -5s,UN:NoExecute op=Exists for 9223372036854775807s")
}

func seconds(n int64) *int64 { return &n }

func TestDaemon(t *testing.T) {
	t.Run("D2_recorded", daemonRecorded)
	t.Run("D2_property", rapid.MakeCheck(daemonProperty))
}

func TestExtendedResources(t *testing.T) { t.Run("D4_recorded", extendedResourcesRecorded) }

func TestRuntimeClass(t *testing.T) {
	check(t, "D8: runtime class", runtimeClass(read(t, "a:NoExecute op=Equal for -5s,a=05"), read(t, "a=3 op=Gt")), "a:NoExecute op=Equal for -5s,a=05")
}

func TestDedicate(t *testing.T) {
	if diff := cmp.Diff(admission.Dedicated{}, admission.Dedicate(taint.Taint{})); diff != "" {
		t.Errorf("D6: Dedicate of the zero Taint:\n%s", diff)
	}
}
