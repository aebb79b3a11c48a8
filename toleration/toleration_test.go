package toleration_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

const (
	allowedOperators = " (allowed: Equal, Exists, Lt, Gt)"
	allowedEffects   = " (allowed: NoSchedule, PreferNoSchedule, NoExecute)"
)

func TestFrom(t *testing.T) {
	sec := func(n int64) *int64 { return &n }
	tests := []struct {
		name                   string
		key, op, value, effect string
		seconds                *int64
		want                   []string // problems
	}{
		{"V7a_wildcard", "", "Exists", "", "", nil, nil},
		{"V7a_empty_key_absent_operator", "", "", "", "NoSchedule", nil, []string{"key: must be set, unless the operator is Exists"}},
		{"V7a_empty_key_gt", "", "Gt", "5", "", nil, []string{"key: must be set, unless the operator is Exists"}},
		{"V7b_exists_with_value", "k", "Exists", "v", "", nil, []string{`value "v": must be empty when the operator is Exists`}},
		{"V7c_absent", "k", "", "v", "", nil, nil},
		{"V7d_leading_zero", "k", "Lt", "05", "", nil, []string{`value "05": must be a decimal integer such as 0, 42 or -7`}},
		{"V7d_too_large", "k", "Gt", "9223372036854775808", "", nil, []string{`value "9223372036854775808": must be within int64`}},
		{"V7e_seconds_with_another_effect", "k", "Exists", "", "NoSchedule", sec(0), []string{"tolerationSeconds 0: needs the effect NoExecute"}},
		{"V7f_extremes", "k", "Exists", "", "NoExecute", sec(math.MinInt64), nil},
		{"V7g_seconds_beside_unknown_effect", "k", "", "", "noExecute", sec(1), []string{`unknown effect "noExecute", did you mean NoExecute?` + allowedEffects}},
		{"V5_unknown_needs_no_key", "", "exists", "", "", nil, []string{`unknown operator "exists", did you mean Exists?` + allowedOperators}},
		{"V10_all_at_once", "-", "Equals", "", "None", sec(1), []string{
			`key "-": the name must begin and end with a letter or digit`,
			`unknown operator "Equals", did you mean Equal?` + allowedOperators,
			`unknown effect "None"` + allowedEffects}},
		{"V10_order", "-", "Exists", "v", "NoSchedule", sec(1), []string{
			`key "-": the name must begin and end with a letter or digit`,
			`value "v": must be empty when the operator is Exists`,
			"tolerationSeconds 1: needs the effect NoExecute"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := toleration.From(tt.key, tt.op, tt.value, tt.effect, tt.seconds)
			if tt.want != nil {
				want := prefixed("toleration.From: ", strings.Join(tt.want, "\n"))
				if err == nil || err.Error() != want || !got.IsZero() {
					t.Errorf("From = %v, %v, want %s", got, err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.Key() != tt.key || got.Operator().String() != tt.op || got.Value() != tt.value || got.Effect().String() != tt.effect {
				t.Errorf("From = %v, not as written", got)
			}
			seconds, timed := got.Seconds()
			if timed != (tt.seconds != nil) || timed && seconds != *tt.seconds {
				t.Errorf("Seconds() = %d, %t", seconds, timed)
			}
			made, err := toleration.New(tt.key, got.Operator(), tt.value, got.Effect())
			if err != nil || made != got.WithoutSeconds() {
				t.Errorf("New = %v, %v, want %v", made, err, got.WithoutSeconds())
			}
			if tt.seconds != nil {
				if again, err := made.WithSeconds(*tt.seconds); again != got || err != nil {
					t.Errorf("WithSeconds = %v, %v, want %v", again, err, got)
				}
			}
		})
	}
	operator, operatorErr := toleration.New("k", 5, "", 0)
	effect, effectErr := toleration.New("k", 0, "", 4)
	if operatorErr == nil || effectErr == nil || !operator.IsZero() || !effect.IsZero() || toleration.Operator(5).IsValid() {
		t.Errorf("V5: New accepts an unknown operator or effect: %v, %v; %v, %v", operator, operatorErr, effect, effectErr)
	}
}

func TestToleration_Seconds(t *testing.T) {
	if got := toleration.MustParse("k:NoExecute op=Exists for 300s").WithoutSeconds(); got != toleration.MustParse("k:NoExecute op=Exists") {
		t.Errorf("WithoutSeconds = %v", got)
	}
	for _, text := range []string{"k:NoSchedule op=Exists", "k op=Exists", "op=Exists"} {
		got, err := toleration.MustParse(text).WithSeconds(5)
		if ps, _ := err.(validate.Problems); !got.IsZero() || len(ps) != 1 || ps[0].Rule != validate.SecondsEffect {
			t.Errorf("V7e: %s with seconds = %v, %v", text, got, err)
		}
	}
	if got, err := (toleration.Toleration{}).WithSeconds(5); !got.IsZero() || err == nil || err.Error() != "toleration.Toleration.WithSeconds: must not be the zero value" {
		t.Errorf("M8: the zero Toleration takes seconds: %v, %v", got, err)
	}
	if got := (toleration.Toleration{}).WithoutSeconds(); !got.IsZero() {
		t.Errorf("M8: the zero Toleration without seconds is %v", got)
	}
}

func TestTolerates(t *testing.T) {
	t.Run("M1_M2_M3_M4_M5_M6_M8_M9_recorded", recordedMatch)
	same := gen.SameTags(2)
	tests := []struct {
		name        string
		toleration  string
		matches     string // taints
		matchesNone string
	}{
		{"M1_absent_effect", "k=v", "k=v:NoSchedule k=v:PreferNoSchedule k=v:NoExecute", "k=w:NoSchedule"},
		{"M2_absent_key_one_effect", ":NoExecute op=Exists", "k=v:NoExecute x:NoExecute", "k=v:NoSchedule"},
		{"M4_absent_value", "k:NoSchedule", "k:NoSchedule k=:NoSchedule", "k=v:NoSchedule"},
		{"M6_not_an_integer_gt", "k=5 op=Gt", "", "k=099:NoSchedule k=99.5:NoSchedule k=high:NoSchedule k:NoSchedule k=9223372036854775808:NoSchedule k=99999999999999999999:NoSchedule"},
		{"M2_same_tag", same[0] + " op=Exists", same[0] + ":NoSchedule", same[1] + ":NoSchedule"},
		{"M2_same_tag_numeric", same[0] + "=1 op=Gt", same[0] + "=2:NoSchedule", same[1] + "=2:NoSchedule"},
		{"M4_same_tag", "k=" + same[0], "k=" + same[0] + ":NoSchedule", "k=" + same[1] + ":NoSchedule"},
		{"M7_seconds", "k:NoExecute op=Exists for 0s", "k:NoExecute", "k:NoSchedule"},
		{"M7_negative_seconds", "k=v:NoExecute for -9s", "k=v:NoExecute", "k=w:NoExecute"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := toleration.MustParse(tt.toleration)
			for text := range strings.FieldsSeq(tt.matches) {
				checkTolerates(t, u, text, true)
			}
			for text := range strings.FieldsSeq(tt.matchesNone) {
				checkTolerates(t, u, text, false)
			}
			if u.Tolerates(taint.Taint{}) || (toleration.List{u}).Match(taint.Taint{}) >= 0 {
				t.Errorf("M8: %v tolerates the zero Taint", u)
			}
		})
	}
}

func checkTolerates(t *testing.T, u toleration.Toleration, text string, want bool) {
	t.Helper()
	one := taint.MustParse(text)
	timed := problem.Must(one.WithTimeAdded(testTime))
	for _, one := range []taint.Taint{one, timed} { // M7
		if got := u.Tolerates(one); got != want {
			t.Errorf("%v tolerates %v: %t, want %t", u, one, got, want)
		}
		list := toleration.List{{}, toleration.MustParse("other op=Exists"), u, u}
		index := -1
		if want {
			index = 2
		}
		if got := list.Match(one); got != index {
			t.Errorf("Match(%v, %v) = %d, want %d", list, one, got, index)
		}
	}
}

func TestToleration(t *testing.T) {
	t.Run("R1_identity", tolerationIdentity)
	t.Run("M8_zero_values", tolerationZero)
}

func tolerationZero(t *testing.T) {
	var u toleration.Toleration
	if u.Tolerates(taint.Taint{}) || !u.IsZero() || u.IsNumeric() || u.Operator() != 0 || u.Effect() != 0 || u.Key() != "" || u.Value() != "" {
		t.Errorf("the zero Toleration is not inert: %#v", u)
	}
	if got := u.Canonical(); !got.IsZero() {
		t.Errorf("the zero Toleration's canonical form is %v", got)
	}
}

// M9: a numeric toleration is invalid in its place.
func TestList_WithoutNumeric(t *testing.T) {
	list := toleration.List{
		toleration.MustParse("a=1 op=Gt"), toleration.MustParse("a op=Exists"), toleration.MustParse("b=1:NoExecute op=Lt for 3s"),
	}
	before := slices.Clone(list)
	got := list.WithoutNumeric()
	want := toleration.List{{}, list[1], {}}
	if !slices.Equal(got, want) || !slices.Equal(list, before) {
		t.Errorf("WithoutNumeric = %v, want %v; the input is %v", got, want, list)
	}
	if same := list[1:2].WithoutNumeric(); &same[0] != &list[1] {
		t.Error("WithoutNumeric copies a list that has none")
	}
}

func TestChoice(t *testing.T) {
	t.Run("E3_pairs", choicePairs)
	thirty := toleration.MustParse("k:NoExecute for 30s")
	for _, p := range []toleration.Choice{4, 7, 255} {
		want := fmt.Sprintf("toleration: unknown Choice(%d)", p)
		if got := contract.Panic(func() { p.Prefers(thirty, thirty) }); got != want {
			t.Errorf("%v.Prefers panics with %v, want %q", p, got, want)
		}
	}
}

// choicePairs compares which of two is preferred with the order of their seconds.
// Negative seconds are zero seconds.
func choicePairs(t *testing.T) {
	seconds := func(u toleration.Toleration) float64 {
		if n, timed := u.Seconds(); timed {
			return max(float64(n), 0)
		}
		return math.Inf(1)
	}
	list := list(t, "k:NoExecute,op=Exists,k:NoExecute for 30s,:NoExecute op=Exists for 30s,k:NoExecute for 3600s,k:NoExecute for 0s,k:NoExecute for -5s")
	for _, u := range list {
		for _, v := range list {
			a, b := seconds(u), seconds(v)
			forever := math.IsInf(a, 1) || math.IsInf(b, 1)
			for p, want := range map[toleration.Choice]bool{
				toleration.First: false, toleration.Shortest: a < b, toleration.Longest: a > b,
				toleration.ForeverElseShortest: forever && a > b || !forever && a < b,
			} {
				if got := p.Prefers(u, v); got != want {
					t.Errorf("%v prefers %v to %v: %t, want %t", p, u, v, got, want)
				}
			}
		}
	}
}

func tolerationIdentity(t *testing.T) {
	p := toleration.MustParse
	for _, tt := range []struct{ written, canonical string }{
		{"k=v", "k=v op=Equal"},
		{"k:NoExecute for -5s", "k:NoExecute op=Equal for 0s"},
		{"k:NoExecute for 5s", "k:NoExecute op=Equal for 5s"},
		{"op=Exists", "op=Exists"},
		{"op=Exists op=", "op=Exists op=Equal"},
		{"k=-1 op=Gt", "k=-1 op=Gt"},
	} {
		u, want := p(tt.written), p(tt.canonical)
		if got := u.Canonical(); got != want {
			t.Errorf("R1: Canonical of %s = %v, want %s", tt.written, got, tt.canonical)
		}
		if (u == want) != (tt.written == tt.canonical) {
			t.Errorf("R1: %s == %s: %t", tt.written, tt.canonical, u == want)
		}
	}
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(toleration.Toleration{}) != 32 {
		t.Errorf("a Toleration has %d bytes; its documentation says 32", unsafe.Sizeof(toleration.Toleration{}))
	}
}
