package match_test

import (
	"testing"
	"unsafe"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func TestExplain(t *testing.T) {
	t.Run("M8_zero", explainZero)
	for _, tt := range []struct {
		name  string
		taint string
		pod   []string
		index int // of the toleration; -1 if there is none
		miss  match.Mismatch
	}{
		{"R4_another_key_is_not_near", "k=v:NoSchedule", []string{"l=v:NoSchedule", "K=v"}, -1, match.OtherKey},
		{"R4_the_first_decides", "k:NoExecute", []string{":NoExecute op=Exists for 9s", "k"}, 0, 0},
		{"R4_effect_before_value", "k=v:NoSchedule", []string{"k=w:NoExecute"}, 0, match.OtherEffect},
		{"R4_not_an_integer", "k=05:NoSchedule", []string{"k=4 op=Gt"}, 0, match.NotInteger},
		{"R4_bound_Gt", "k=4:NoSchedule", []string{"k=4 op=Gt"}, 0, match.OutOfBound},
		{"R4_key_and_effect_before_key_and_value", "k=v:NoSchedule", []string{"k=v:NoExecute", "k=w:NoSchedule"}, 1, match.OtherValue},
		{"R4_key_and_value_before_key", "k=v:NoSchedule", []string{"k=w:NoExecute", "k=v:NoExecute"}, 1, match.OtherEffect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pod := tolerations(tt.pod...)
			e := match.Explain(taint.MustParse(tt.taint), toleration.First, pod)
			want := match.Explanation{Taint: taint.MustParse(tt.taint), Mismatch: tt.miss, At: -1}
			if tt.index >= 0 {
				want.Toleration, want.At = pod[tt.index], tt.index
			}
			if e != want {
				t.Errorf("Explain(First, %s, %v) = %+v, want %+v", tt.taint, pod, e, want)
			}
			explainsAsReference(t, toleration.First, match.Node{Taints: taint.MustParseList(tt.taint)}, pod)
		})
	}
}

// The other texts are in ExampleExplain.
func TestExplanation_String(t *testing.T) {
	const added = `; to add: "k=4:NoSchedule op=Equal"`
	for _, tt := range []struct {
		taint string
		pod   toleration.List
		want  string
	}{
		{"k=4:NoSchedule", tolerations("k=4 op=Lt"), `k=4:NoSchedule is not tolerated: "k=4 op=Lt" requires a smaller value` + added},
		{"k=4:NoSchedule", tolerations("k"), `k=4:NoSchedule is not tolerated: "k" has no value` + added},
		{"op=v:NoExecute", tolerations("op=v op="), `op=v:NoExecute is tolerated by "op=v op="`},
		{"k:NoExecute", tolerations("k:NoExecute for -5s"), `k:NoExecute is tolerated for 0 s by "k:NoExecute for -5s"`},
		// R4: a toleration that could not be read is not one that does not tolerate.
		{"k=4:NoSchedule", append(tolerations("k=w"), make(toleration.List, 2)...), `k=4:NoSchedule is not tolerated: toleration 1 is invalid` + added},
	} {
		if got := match.Explain(taint.MustParse(tt.taint), toleration.First, tt.pod).String(); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
}

// M8: nothing tolerates the zero Taint, not even an addition.
func explainZero(t *testing.T) {
	for _, tt := range []struct {
		e      match.Explanation
		blocks bool
		text   string
	}{
		{match.Explanation{}, false, ""},
		{
			match.Explain(taint.Taint{}, toleration.First, tolerations("op=Exists")), true,
			"(invalid taint) is not tolerated: no toleration matches it",
		},
	} {
		e := tt.e
		if n, limited := e.Seconds(); e.Blocks() != tt.blocks || n != 0 || !limited || !e.Addition().IsZero() || e.String() != tt.text {
			t.Errorf("%+v, %q, addition %v, want %q", e, e, e.Addition(), tt.text)
		}
	}
}

// The sizes are those in the documentation.
func TestExplanation_size(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(match.Explanation{}) != 80 {
		t.Errorf("an Explanation has %d bytes, want 80", unsafe.Sizeof(match.Explanation{}))
	}
	if unsafe.Sizeof(match.Result{}) != 24 {
		t.Errorf("a Result has %d bytes, want 24", unsafe.Sizeof(match.Result{}))
	}
}
