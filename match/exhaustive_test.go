package match_test

import (
	"testing"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// newSpace returns all taints, and all tolerations under every effect, operator
// and number of seconds, the absent ones too, that have these keys, values
// (under Equal) and bounds (under Lt and Gt), and the zero values.
func newSpace(keys, values, bounds []string, seconds []int64) (node taint.List, pod toleration.List) {
	effects := []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	for _, effect := range effects {
		for _, key := range keys {
			for _, value := range values {
				if one, err := taint.New(key, value, effect); err == nil {
					node = append(node, one)
				}
			}
		}
	}
	return append(node, taint.Taint{}), gen.AllTolerations(keys, values, bounds, effects, seconds)
}

// This matches each pair by every function: all tolerations over two keys and two
// values (and the empty one), every effect and operator, and all taints over the same
// keys, values and effects.
func TestFilter_exhaustivePairs(t *testing.T) {
	node, pod := newSpace([]string{"a", "b"}, []string{"", "1", "2"}, []string{"-1", "0", "1", "2", "3"}, []int64{-5, 0, 30})
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
			equalsReferenceOne(t, one, toleration.List{u})
			for _, cordoned := range []bool{false, true} {
				equalsReference(t, match.Node{Taints: taint.List{one}, Unschedulable: cordoned}, toleration.List{u})
			}
		}
	}
	if tolerated < 300 {
		t.Errorf("%d taints, %d tolerations: only %d pairs match", len(node), len(pod), tolerated)
	}
}
