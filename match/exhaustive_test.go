package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// This matches each pair by every function: all tolerations over two keys and two
// values (and the empty one), every effect and operator, and all taints over the same
// keys, values and effects.
func TestFilter_exhaustivePairs(t *testing.T) {
	keys, values := []string{"a", "b"}, []string{"", "1", "2"}
	node := append(gen.AllTaints(keys, values), taint.Taint{})
	effects := []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	pod := gen.AllTolerations(keys, values, []string{"-1", "0", "1", "2", "3"}, effects, []int64{-5, 0, 30})
	tolerated := 0
	for _, u := range pod {
		for _, one := range node {
			want := ref.Tolerates(u, one)
			if got := u.Tolerates(one); got != want {
				t.Errorf("(%v).Tolerates(%v) = %v, want %v", u, one, got, want)
			}
			if want {
				tolerated++
			}
			for _, cordoned := range []bool{false, true} {
				n := match.Node{Taints: taint.List{one}, Unschedulable: cordoned}
				equalsReference(t, n, toleration.List{u})
				explainsAsReference(t, toleration.First, n, toleration.List{u})
			}
		}
	}
	if tolerated < 300 {
		t.Errorf("%d taints, %d tolerations: only %d pairs match", len(node), len(pod), tolerated)
	}
}
