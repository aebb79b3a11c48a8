package match_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// A space is taints and tolerations whose combinations are all tried. Each has its form
// for the reference.
type space struct {
	taints         taint.List
	tolerations    toleration.List
	refTaints      []ref.Taint
	refTolerations []ref.Toleration
}

// newSpace returns all taints, and all tolerations under every effect, operator
// and number of seconds, the absent ones too, that have these keys, values
// (under Equal) and bounds (under Lt and Gt). The zero values come last.
func newSpace(keys, values, bounds []string, seconds []int64) space {
	var s space
	effects := []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	for _, effect := range effects {
		for _, key := range keys {
			for _, value := range values {
				if one, err := taint.New(key, value, effect); err == nil {
					s.taints = append(s.taints, one)
				}
			}
		}
		for op := range toleration.Gt + 1 {
			admitted := values
			switch op {
			case toleration.Exists:
				admitted = []string{""}
			case toleration.Lt, toleration.Gt:
				admitted = bounds
			}
			for _, key := range append([]string{""}, keys...) {
				for _, value := range admitted {
					u, err := toleration.New(key, op, value, effect)
					if err != nil {
						continue // no key, and not Exists
					}
					s.tolerations = append(s.tolerations, u)
					for _, n := range seconds {
						if timed, err := u.WithSeconds(n); err == nil {
							s.tolerations = append(s.tolerations, timed)
						}
					}
				}
			}
		}
	}
	s.taints = append(s.taints, taint.Taint{})
	s.tolerations = append(s.tolerations, toleration.Toleration{})
	s.refTaints = collect(s.taints, refTaint)
	s.refTolerations = collect(s.tolerations, refToleration)
	return s
}

// This matches each pair by every function: all tolerations over two keys and two
// values (and the empty one), every effect and operator, and all taints over the same
// keys, values and effects.
func TestFilter_exhaustivePairs(t *testing.T) {
	s := newSpace([]string{"a", "b"}, []string{"", "1", "2"}, []string{"-1", "0", "1", "2", "3"}, []int64{-5, 0, 30})
	tolerated := 0
	for i, u := range s.tolerations {
		for j, one := range s.taints {
			want := ref.Tolerates(s.refTolerations[i], s.refTaints[j])
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
	t.Logf("%d taints, %d tolerations: %d pairs match", len(s.taints), len(s.tolerations), tolerated)
}

// The sizes of the spaces are tested, so that a change of the constructors cannot empty
// them.
func TestFilter_exhaustiveSpace(t *testing.T) {
	s := newSpace([]string{"a", "b"}, []string{"1", "2"}, []string{"1"}, []int64{30})
	// Two keys: by each of 4 effects, 2 (absent, Equal) x 2 keys x 2 values,
	// Exists by 2 keys and none, 2 (Lt, Gt) x 2 keys; those of NoExecute twice.
	if got, want := len(s.tolerations), (4+1)*(8+3+4)+1; got != want {
		t.Errorf("%d tolerations, want %d", got, want)
	}
	if got, want := len(s.taints), 3*2*2+1; got != want {
		t.Errorf("%d taints, want %d", got, want)
	}
	if slices.Contains(s.tolerations[:len(s.tolerations)-1], toleration.Toleration{}) {
		t.Error("a zero Toleration among the valid ones")
	}
}
