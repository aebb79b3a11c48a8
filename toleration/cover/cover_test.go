package cover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func TestCovers(t *testing.T) {
	t.Run("R2_exhaustive", coversExhaustive)
	t.Run("R2_recorded", coversRecorded)
}

func TestUncoveredTaint(t *testing.T) {
	t.Run("R2_taint", uncoveredTaintFound)
	t.Run("R2_property", rapid.MakeCheck(property))
}

func uncoveredTaintFound(t *testing.T) {
	tests := []struct {
		name string // R2
		a, b toleration.List
		want string
	}{
		{"R2_covered", list("op=Exists"), list("k"), ""},
		{"R2_value", list("k=v"), list("k op=Exists"), "k:NoSchedule"},
		{"R2_empty_value_named_first", list("k"), list("k", "k op=Exists"), "k=other:NoSchedule"},
		{"R2_other_value_named_too", list("k", "k=other", "k=other1"), list("k op=Exists"), "k=other2:NoSchedule"},
		{"R2_range", list("k=7 op=Gt"), list("k=5 op=Gt"), "k=6:NoSchedule"},
		{"R2_gap", list("k=4 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt"), "k=4:NoSchedule"},
		{"R2_effect", list("k:NoSchedule"), list("k"), "k:PreferNoSchedule"},
		{"R2_other_key_named", list("k op=Exists", "other op=Exists"), list("op=Exists"), "other1:NoSchedule"},
		{"R2_seconds_under_a_wildcard", list("k:NoExecute for 60s", "op=Exists"), list("op=Exists"), "k:NoExecute"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, found := cover.UncoveredTaint(tt.b, tt.a, toleration.First)
			if got := x.String(); got != tt.want || found != (tt.want != "") {
				t.Errorf("UncoveredTaint(First, %v, %v) = %q, %v, want %q", tt.b, tt.a, got, found, tt.want)
			}
		})
	}
}

// checkWitness compares UncoveredTaint with the lengths for all taints that can
// distinguish the lists.
func checkWitness(t rapid.TB, p toleration.Choice, a, b toleration.List) {
	t.Helper()
	taints := gen.Distinguishing(slices.Concat(a, b))
	want := atLeast(lengths(p, a, taints), lengths(p, b, taints))
	x, found := cover.UncoveredTaint(b, a, p)
	if again, _ := cover.UncoveredTaint(b, a, p); again != x {
		t.Errorf("R2: UncoveredTaint(%v, %v, %v) = %v, and then %v", p, b, a, x, again)
	}
	if found == want || found == x.IsZero() {
		t.Errorf("R2: UncoveredTaint(%v, %v, %v) = %v, %v", p, b, a, x, found)
	}
	if !found {
		return
	}
	if ofA, ofB := lengthOf(p, a, x), lengthOf(p, b, x); ofA >= ofB {
		t.Errorf("R2: UncoveredTaint(%v, %v, %v) = %v, which a tolerates for %d and b for %d", p, b, a, x, ofA, ofB)
	}
}

// This compares all pairs of tolerations over two keys, with every kind of value and
// bound.
func coversExhaustive(t *testing.T) {
	effects := []taint.Effect{0, taint.NoSchedule, taint.PreferNoSchedule, taint.NoExecute}
	us := gen.AllTolerations([]string{"a", "b"}, []string{"", "x", "0", "2", "02", "9223372036854775807"},
		[]string{"-9223372036854775808", "-1", "0", "1", "2", "9223372036854775806", "9223372036854775807"}, effects, []int64{-1, 0, 30, 60})
	taints := gen.Distinguishing(us)
	ls := make([][]length, len(us))
	for i := range us {
		ls[i] = lengths(toleration.First, us[i:i+1], taints)
	}
	covered, empty := 0, 0
	for i, a := range us {
		if got, want := cover.MatchesNothing(a), lengthsAreZero(ls[i]); got != want {
			t.Errorf("MatchesNothing(%v) = %v, want %v", a, got, want)
		} else if got {
			empty++
		}
		for j, b := range us {
			want := atLeast(ls[i], ls[j])
			if got := cover.Covers(a, b); got != want {
				t.Errorf("Covers(%v, %v) = %v, want %v", a, b, got, want)
			}
			if want {
				covered++
			}
		}
	}
	if len(us) != 8*(2*(2*6+1+2*7)+1)+1 || empty != 8*2*4+1 || covered < 2*len(us) {
		t.Errorf("%d tolerations, %d of them empty; %d pairs cover", len(us), empty, covered)
	}
	t.Logf("%d tolerations, %d of them empty; %d pairs cover", len(us), empty, covered)
}

func lengthsAreZero(ls []length) bool { return atLeast(make([]length, len(ls)), ls) }
