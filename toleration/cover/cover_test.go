package cover_test

import (
	"strings"
	"testing"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func TestCovers(t *testing.T) {
	const greatest = "9223372036854775807"
	tests := []struct {
		name string // R2
		a, b string
		ab   bool // a covers b
		ba   bool
	}{
		{"R2_itself", "k=v:NoSchedule", "k=v:NoSchedule", true, true},
		{"R2_absent_operator_is_Equal", "k=v", "k=v op=Equal", true, true},
		{"R2_Exists_covers_Equal", "k op=Exists", "k=v", true, false},
		{"R2_Exists_covers_Lt", "k op=Exists", "k=5 op=Lt", true, false},
		{"R2_Exists_covers_Gt", "k op=Exists", "k=-5 op=Gt", true, false},
		{"R2_every_integer_is_not_every_value", "k=-1 op=Gt", "k op=Exists", false, true},
		{"R2_other_keys", "k op=Exists", "l op=Exists", false, false},
		{"R2_no_key_covers_any", "op=Exists", "k=5 op=Gt", true, false},
		{"R2_other_values", "k=v", "k=w", false, false},
		{"R2_Gt_covers_Gt", "k=3 op=Gt", "k=5 op=Gt", true, false},
		{"R2_Gt_covers_Equal", "k=3 op=Gt", "k=5", true, false},
		{"R2_Gt_is_strict", "k=3 op=Gt", "k=3", false, false},
		{"R2_Gt_next", "k=3 op=Gt", "k=4", true, false},
		{"R2_Gt_not_a_number_spelt_otherwise", "k=3 op=Gt", "k=05", false, false},
		{"R2_Gt_not_the_empty_value", "k=3 op=Gt", "k", false, false},
		{"R2_Gt_not_an_overflow", "k=3 op=Gt", "k=9223372036854775808", false, false},
		{"R2_Lt_covers_Equal", "k=5 op=Lt", "k=4", true, false},
		{"R2_Lt_and_Gt", "k=5 op=Lt", "k=3 op=Gt", false, false},
		{"R2_all_below_0_are_one_bound", "k=-1 op=Gt", "k=-9 op=Gt", true, true},
		{"R2_least_integer", "k=-1 op=Gt", "k=-9223372036854775808 op=Gt", true, true},
		{"R2_Lt_1_is_Equal_0", "k=1 op=Lt", "k=0", true, true},
		{"R2_Gt_one_below_the_greatest_is_Equal", "k=9223372036854775806 op=Gt", "k=" + greatest, true, true},
		{"R2_Gt_0_is_not_every_integer", "k=0 op=Gt", "k=-1 op=Gt", false, true},
		{"R2_Lt_0_matches_nothing", "k=0 op=Lt", "zero", true, true},
		{"R2_Lt_below_0_matches_nothing", "k=-3 op=Lt", "l=-9223372036854775808 op=Lt", true, true},
		{"R2_Gt_greatest_matches_nothing", "k=" + greatest + " op=Gt", "zero", true, true},
		{"R2_nothing_is_covered_by_anything", "k=v:NoExecute for 0s", "l=" + greatest + ":NoSchedule op=Gt", true, false},
		{"R2_zero_covers_no_empty_value", "zero", "k", false, true},
		{"R2_zero_covers_no_wildcard", "zero", "op=Exists", false, true},
		{"R2_absent_effect_covers_each", "k", "k:PreferNoSchedule", true, false},
		{"R2_without_seconds_covers_any", "k:NoExecute", "k:NoExecute for 9223372036854775807s", true, false},
		{"R2_absent_effect_holds_for_good", "k", "k:NoExecute for 60s", true, false},
		{"R2_60_does_not_cover_300", "k:NoExecute for 300s", "k:NoExecute for 60s", true, false},
		{"R2_negative_is_0", "k:NoExecute for -1s", "k:NoExecute for 0s", true, true},
		{"R2_seconds_beside_another_effect", "k:NoExecute op=Exists for 60s", "k op=Exists", false, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := list(tt.a)[0], list(tt.b)[0]
			if got := cover.Covers(a, b); got != tt.ab {
				t.Errorf("Covers(%v, %v) = %v, want %v", a, b, got, tt.ab)
			}
			if got := cover.Covers(b, a); got != tt.ba {
				t.Errorf("Covers(%v, %v) = %v, want %v", b, a, got, tt.ba)
			}
		})
	}
	t.Run("R2_exhaustive", coversExhaustive)
	t.Run("R2_recorded", coversRecorded)
}

func TestUncoveredTaint(t *testing.T) {
	t.Run("R2_covers", uncoveredTaintCovers)
	t.Run("R2_taint", uncoveredTaintFound)
	t.Run("R2_exhaustive", uncoveredTaintExhaustive)
	t.Run("R2_ends_of_int64", uncoveredTaintEnds)
	t.Run("R2_property", uncoveredTaintProperty)
}

func uncoveredTaintCovers(t *testing.T) {
	const every = "First Shortest Longest ForeverElseShortest"
	tests := []struct {
		name  string // R2
		a, b  toleration.List
		holds string // the choices by which a covers b
	}{
		{"R2_nothing", nil, nil, every},
		{"R2_nothing_by_zeros", nil, list("zero", "k=0 op=Lt"), every},
		{"R2_something_by_nothing", list("zero", "k=0 op=Lt"), list("k"), ""},
		{"R2_effects_one_by_one", list("k:NoExecute", "k:NoSchedule", "k:PreferNoSchedule"), list("k"), every},
		{"R2_an_effect_is_missing", list("k:NoExecute", "k:NoSchedule"), list("k"), ""},
		{"R2_two_ranges_cover_all_integers", list("k=3 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt"), every},
		{"R2_two_ranges_do_not_cover_all_values", list("k=3 op=Gt", "k=4 op=Lt"), list("k op=Exists"), ""},
		{"R2_a_gap_of_one_integer", list("k=4 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt"), ""},
		{"R2_the_gap_filled", list("k=4 op=Gt", "k=4", "k=4 op=Lt"), list("k=-1 op=Gt"), every},
		{"R2_integers_one_by_one", list("k=0", "k=1", "k=2"), list("k=3 op=Lt"), every},
		{"R2_integers_one_by_one_but_one", list("k=0", "k=2"), list("k=3 op=Lt"), ""},
		{"R2_the_greatest_integers", list("k=9223372036854775806", "k=9223372036854775807"), list("k=9223372036854775805 op=Gt"), every},
		{"R2_all_that_is_named_is_not_all", list("k", "k=other", "k=other1", "k=-1 op=Gt"), list("k op=Exists"), ""},
		{"R2_a_key_is_not_all_keys", list("k op=Exists", "other op=Exists"), list("op=Exists"), ""},
		{"R2_another_pair_of_key_and_value", list("k=v", "l=w"), list("k=w"), ""},
		{"R2_first_decides", list("k:NoExecute for 60s", "k:NoExecute for 300s"), list("k:NoExecute for 300s"), "Longest"},
		{"R2_first_decides_in_the_other_order", list("k:NoExecute for 300s", "k:NoExecute for 60s"), list("k:NoExecute for 300s"), "First Longest"},
		{"R2_forever_else_shortest", list("k:NoExecute for 60s", "k:NoExecute"), list("k:NoExecute"), "Longest ForeverElseShortest"},
		{"R2_choice_of_both_sides", list("k:NoExecute for 60s"), list("k:NoExecute for 60s", "k:NoExecute for 300s"), "First Shortest ForeverElseShortest"},
		{"R2_a_key_shortens_a_wildcard", list("k:NoExecute for 60s", "op=Exists"), list("op=Exists"), "Longest ForeverElseShortest"},
		{"R2_seconds_of_other_effects_do_not_count", list("k:NoExecute for 60s", "k"), list("k:NoSchedule"), every},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range choices {
				want := strings.Contains(" "+tt.holds+" ", " "+p.String()+" ")
				if got := listCovers(p, tt.a, tt.b); got != want {
					t.Errorf("%v: %v covers %v: %v, want %v", p, tt.a, tt.b, got, want)
				}
				checkWitness(t, p, tt.a, tt.b)
			}
		})
	}
}

func uncoveredTaintFound(t *testing.T) {
	tests := []struct {
		name string // R2
		a, b toleration.List
		want string
	}{
		{"R2_covered", list("op=Exists"), list("k"), ""},
		{"R2_no_toleration", nil, list("k=v:NoSchedule"), "k=v:NoSchedule"},
		{"R2_value", list("k=v"), list("k op=Exists"), "k:NoSchedule"},
		{"R2_empty_value_named", list("k"), list("k op=Exists"), "k=other:NoSchedule"},
		{"R2_empty_value_named_first", list("k"), list("k", "k op=Exists"), "k=other:NoSchedule"},
		{"R2_other_value_named_too", list("k", "k=other", "k=other1"), list("k op=Exists"), "k=other2:NoSchedule"},
		{"R2_range", list("k=7 op=Gt"), list("k=5 op=Gt"), "k=6:NoSchedule"},
		{"R2_range_downwards", list("k=3 op=Lt"), list("k=5 op=Lt"), "k=3:NoSchedule"},
		{"R2_gap", list("k=4 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt"), "k=4:NoSchedule"},
		{"R2_effect", list("k:NoSchedule"), list("k"), "k:PreferNoSchedule"},
		{"R2_key", list("k op=Exists"), list("op=Exists"), "other:NoSchedule"},
		{"R2_other_key_named", list("k op=Exists", "other op=Exists"), list("op=Exists"), "other1:NoSchedule"},
		{"R2_seconds", list("k:NoExecute for 60s"), list("k:NoExecute for 300s"), "k:NoExecute"},
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

// listCovers reports whether the list a covers the list b.
func listCovers(p toleration.Choice, a, b toleration.List) bool {
	_, found := cover.UncoveredTaint(b, a, p)
	return !found
}

// equivalent reports whether each of the lists covers the other.
func equivalent(p toleration.Choice, a, b toleration.List) bool {
	return listCovers(p, a, b) && listCovers(p, b, a)
}

// checkWitness compares UncoveredTaint with the lengths for all taints that can
// distinguish the lists.
func checkWitness(t interface {
	Helper()
	Errorf(string, ...any)
}, p toleration.Choice, a, b toleration.List) {
	t.Helper()
	taints := space(a, b)
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
		[]string{"-9", "-1", "0", "1", "2", "9223372036854775806", "9223372036854775807"}, effects, []int64{-1, 0, 30, 60})
	taints := space(us)
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

// This compares all pairs of lists of up to two tolerations of a small space, by every
// choice, and tests which of their members are redundant.
func uncoveredTaintExhaustive(t *testing.T) {
	t.Parallel()
	effects := []taint.Effect{0, taint.NoExecute}
	var us toleration.List
	for _, u := range gen.AllTolerations([]string{"k"}, []string{"", "1"}, []string{"0", "1"}, effects, []int64{30}) {
		if u.Operator() != toleration.Equal { // equivalent to the absent one
			us = append(us, u)
		}
	}
	taints := space(us)
	lists := []toleration.List{nil}
	for _, u := range us {
		lists = append(lists, toleration.List{u})
		for _, v := range us {
			lists = append(lists, toleration.List{u, v})
		}
	}
	for _, p := range choices {
		ls := make([][]length, len(lists))
		for i := range lists {
			ls[i] = lengths(p, lists[i], taints)
			checkRedundant(t, p, lists[i])
		}
		covered := 0
		for i, a := range lists {
			for j, b := range lists {
				want := atLeast(ls[i], ls[j])
				if got := listCovers(p, a, b); got != want {
					t.Fatalf("%v: %v covers %v: %v, want %v", p, a, b, got, want)
				}
				if want {
					covered++
				}
			}
		}
		t.Logf("%v: %d lists; %d pairs cover", p, len(lists), covered)
	}
}

// The numbers are at both ends of int64, in lists.
func uncoveredTaintEnds(t *testing.T) {
	bounds := []string{"-9223372036854775808", "-1", "0", "1", "9223372036854775806", "9223372036854775807"}
	us := gen.AllTolerations([]string{"k"}, []string{"0", "9223372036854775807"}, bounds, []taint.Effect{taint.NoSchedule}, nil)
	for _, u := range us {
		for _, v := range us {
			for _, w := range us {
				checkWitness(t, toleration.First, toleration.List{u, v}, toleration.List{w})
			}
		}
	}
}
