package match_test

import (
	"slices"
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
		class match.Class
		index int // of the toleration; -1 if there is none
		miss  match.Miss
	}{
		{"R4_none", "k=v:NoSchedule", nil, match.NotTolerated, -1, match.OtherKey},
		{"R4_another_key_is_not_near", "k=v:NoSchedule", []string{"l=v:NoSchedule", "K=v"}, match.NotTolerated, -1, match.OtherKey},
		{"R4_tolerated", "k=v:NoSchedule", []string{"k=w", "k=v"}, match.Forever, 1, 0},
		{"R4_the_first_decides", "k:NoExecute", []string{":NoExecute op=Exists for 9s", "k"}, match.ForSeconds, 0, 0},
		{"R4_effect", "k=v:NoSchedule", []string{"k=v:NoExecute"}, match.NotTolerated, 0, match.OtherEffect},
		{"R4_effect_before_value", "k=v:NoSchedule", []string{"k=w:NoExecute"}, match.NotTolerated, 0, match.OtherEffect},
		{"R4_value", "k=v:NoSchedule", []string{"k=w"}, match.NotTolerated, 0, match.OtherValue},
		{"R4_value_absent", "k=v:NoSchedule", []string{"k"}, match.NotTolerated, 0, match.OtherValue},
		{"R4_value_case", "k=v:NoSchedule", []string{"k=V op=Equal"}, match.NotTolerated, 0, match.OtherValue},
		{"R4_not_an_integer", "k=05:NoSchedule", []string{"k=4 op=Gt"}, match.NotTolerated, 0, match.NotInteger},
		{"R4_not_an_integer_no_value", "k:NoSchedule", []string{"k=4 op=Lt"}, match.NotTolerated, 0, match.NotInteger},
		{"R4_bound_Gt", "k=4:NoSchedule", []string{"k=4 op=Gt"}, match.NotTolerated, 0, match.OutOfBound},
		{"R4_bound_Lt", "k=4:NoSchedule", []string{"k=4 op=Lt"}, match.NotTolerated, 0, match.OutOfBound},
		{"R4_key_and_effect_before_key_and_value", "k=v:NoSchedule", []string{"k=v:NoExecute", "k=w:NoSchedule"}, match.NotTolerated, 1, match.OtherValue},
		{"R4_key_and_value_before_key", "k=v:NoSchedule", []string{"k=w:NoExecute", "k=v:NoExecute"}, match.NotTolerated, 1, match.OtherEffect},
		{"R4_key_and_number_before_key", "k=7:NoSchedule", []string{"k=8:NoExecute op=Gt", "k=6:NoExecute op=Gt"}, match.NotTolerated, 1, match.OtherEffect},
		{"R4_first_of_equals", "k=v:NoSchedule", []string{"l=v", "k=x", "k=y", "k=1 op=Gt"}, match.NotTolerated, 1, match.OtherValue},
		{"R4_a_wildcard_has_the_key", "k=v:NoSchedule", []string{"k=w:NoExecute", ":NoExecute op=Exists"}, match.NotTolerated, 1, match.OtherEffect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pod := tolerations(tt.pod...)
			e := match.Explain(taint.MustParse(tt.taint), toleration.First, pod)
			want := match.Explanation{Taint: taint.MustParse(tt.taint), Miss: tt.miss, At: match.Position{List: -1, Index: -1}}
			if tt.index >= 0 {
				want.Toleration, want.At = pod[tt.index], match.Position{Index: tt.index}
			}
			if e != want || e.Class() != tt.class {
				t.Errorf("Explain(First, %s, %v) = %+v of class %v, want %+v of class %v", tt.taint, pod, e, e.Class(), want, tt.class)
			}
			explainsAsReference(t, toleration.First, match.Node{Taints: taints(tt.taint)}, pod)
		})
	}
}

// The other texts are in ExampleExplain.
func TestExplanation_String(t *testing.T) {
	for _, tt := range []struct{ taint, pod, want string }{
		{"k=4:NoSchedule", "k=4 op=Lt", `k=4:NoSchedule is not tolerated: "k=4 op=Lt" requires a smaller value; to add: "k=4:NoSchedule op=Equal"`},
		{"op=v:NoExecute", "op=v op=", `op=v:NoExecute is tolerated by "op=v op="`},
		{"k:NoExecute", "k:NoExecute for -5s", `k:NoExecute is tolerated for 0 s by "k:NoExecute for -5s"`},
	} {
		if got := match.Explain(taint.MustParse(tt.taint), toleration.First, tolerations(tt.pod)).String(); got != tt.want {
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
		if _, timed := e.Seconds(); e.Class() != match.NotTolerated || e.Blocks() != tt.blocks || timed || !e.Addition().IsZero() || e.String() != tt.text {
			t.Errorf("%+v, %q, addition %v, want %q", e, e, e.Addition(), tt.text)
		}
	}
	e := match.Explain(taint.MustParse("k:NoSchedule"), toleration.First, make(toleration.List, 3))
	if e.Miss != match.InvalidToleration || !e.Toleration.IsZero() {
		t.Errorf("zero tolerations: %+v", e)
	}
	node := match.Node{Taints: taint.List{{}, taint.MustParse("k:NoSchedule"), {}}}
	got := slices.Collect(node.Explanations(toleration.First))
	if len(got) != 3 || got[0].Miss != match.InvalidTaint || got[1].Miss != match.OtherKey || got[2].Miss != match.InvalidTaint || got[2].Index != 2 {
		t.Errorf("explanations of zero taints: %v", got)
	}
}

// R4: a toleration that could not be read is not one that does not tolerate.
func TestExplain_invalid(t *testing.T) {
	pod := toleration.List{toleration.MustParse("k=w"), {}, {}}
	for _, tt := range []struct {
		name, taint string
		lists       []toleration.List
		at          match.Position
		text        string
	}{
		{"R4_invalid", "k=v:NoSchedule", []toleration.List{pod}, match.Position{Index: 1}, `toleration 1 is invalid; to add: "k=v:NoSchedule op=Equal"`},
		{"R4_invalid_other_list", "a:NoExecute", []toleration.List{nil, pod[:1], pod}, match.Position{List: 2, Index: 1}, `toleration 1 of list 2 is invalid; to add: "a:NoExecute op=Equal"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := match.Node{Taints: taints(tt.taint), Unschedulable: true}
			for e := range n.Explanations(toleration.First, tt.lists...) {
				if e.Miss != match.InvalidToleration || e.At != tt.at || !e.Toleration.IsZero() {
					t.Errorf("%+v, want position %v", e, tt.at)
				}
			}
			e := match.Explain(n.Taints[0], toleration.First, tt.lists...)
			if got, want := e.String(), tt.taint+" is not tolerated: "+tt.text; got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			explainsAsReference(t, toleration.First, n, tt.lists...)
		})
	}
	t.Run("R4_tolerated", func(t *testing.T) {
		if e := match.Explain(taint.MustParse("k=w:NoSchedule"), toleration.First, toleration.List{{}}, pod); e.Miss != 0 || e.At != (match.Position{List: 1}) {
			t.Errorf("%+v", e)
		}
	})
}

// The virtual taint is first, and is listed once.
func TestNode_Explanations(t *testing.T) { t.Run("F10_cordon", explanationsCordon) }

func explanationsCordon(t *testing.T) {
	node := match.Node{Taints: taints("a:NoSchedule,node.kubernetes.io/unschedulable:NoSchedule"), Unschedulable: true}
	var indices []int
	for e := range node.Explanations(toleration.First) {
		indices = append(indices, e.Index)
	}
	if len(indices) != 2 || indices[0] != -1 || indices[1] != 0 {
		t.Errorf("indices %v", indices)
	}
	for range node.Explanations(toleration.First) {
		break // at the virtual taint
	}
	node.Unschedulable = false
	for e := range node.Explanations(toleration.First) {
		if e.Index != 0 {
			t.Errorf("the first is %v", e)
		}
		break
	}
}

// The sizes are those in the documentation.
func TestExplanation_size(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 8 && unsafe.Sizeof(match.Explanation{}) != 88 {
		t.Errorf("an Explanation has %d bytes, want 88", unsafe.Sizeof(match.Explanation{}))
	}
	if unsafe.Sizeof(match.Result{}) != 24 {
		t.Errorf("a Result has %d bytes, want 24", unsafe.Sizeof(match.Result{}))
	}
}

// This explains all pairs of one taint and one toleration of a small space, some
// cordoned, with their texts.
func TestExplain_exhaustive(t *testing.T) {
	node, pod := newSpace([]string{"a", "b"}, []string{"", "1", "x"}, []string{"-1", "1", "2"}, []int64{-5, 30})
	misses := make(map[match.Miss]int)
	for i, u := range pod {
		for j, one := range node {
			pod := toleration.List{u}
			explainsAsReference(t, toleration.First, match.Node{Taints: taint.List{one}, Unschedulable: (i+j)%4 == 0}, pod)
			misses[match.Explain(one, toleration.First, pod).Miss]++
		}
	}
	for m := range match.OutOfBound + 1 {
		if misses[m] == 0 {
			t.Errorf("no pair is a %v", m)
		}
	}
}
