package cover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// has reports whether the taint is in the set, by Tolerates alone.
func has(s cover.Set, t taint.Taint) bool {
	tolerates := func(u toleration.Toleration) bool { return u.Tolerates(t) }
	return slices.ContainsFunc(s.In, tolerates) && !slices.ContainsFunc(s.Except, tolerates)
}

// checkSets compares the results for the sets with all taints that distinguish their
// tolerations.
func checkSets(t interface {
	Helper()
	Errorf(string, ...any)
}, s cover.Set, others ...cover.Set) {
	t.Helper()
	lists := []toleration.List{s.In, s.Except}
	for _, o := range others {
		lists = append(lists, o.In, o.Except)
	}
	inAll := func(x taint.Taint) bool {
		return !slices.ContainsFunc(others, func(o cover.Set) bool { return !has(o, x) })
	}
	inNone := func(x taint.Taint) bool {
		return !slices.ContainsFunc(others, func(o cover.Set) bool { return has(o, x) })
	}
	var common, outside bool
	for _, x := range space(lists...) {
		common = common || has(s, x) && inAll(x)
		outside = outside || has(s, x) && inNone(x)
	}
	if s.Within(others...) == outside {
		t.Errorf("R2: %v.Within(%v) = %v", s, others, outside)
	}
	for _, f := range []struct {
		name string
		find func(cover.Set, ...cover.Set) (taint.Taint, bool)
		want bool
		fits func(taint.Taint) bool
	}{
		{"Common", cover.Set.Common, common, inAll},
		{"Outside", cover.Set.Outside, outside, inNone},
	} {
		x, found := f.find(s, others...)
		if again, _ := f.find(s, others...); again != x {
			t.Errorf("R2: %s(%v, %v) = %v, and then %v", f.name, s, others, x, again)
		}
		switch {
		case found != f.want || found == x.IsZero():
			t.Errorf("R2: %s(%v, %v) = %v, %v, want %v", f.name, s, others, x, found, f.want)
		case found && !(has(s, x) && f.fits(x)):
			t.Errorf("R2: %s(%v, %v) = %v, which is none", f.name, s, others, x)
		}
	}
}

func TestSet(t *testing.T) {
	t.Run("R2_found", setsFound)
	t.Run("R2_exhaustive", setsExhaustive)
	t.Run("R2_property", setsRapid)
	t.Run("R2_agree_with_lists", setsAgreeWithLists)
}

func setsFound(t *testing.T) {
	set := func(in, except toleration.List) cover.Set { return cover.Set{In: in, Except: except} }
	tests := []struct {
		name            string // R2
		s               cover.Set
		others          []cover.Set
		common, outside string
	}{
		{"R2_zero", cover.Set{}, []cover.Set{{}}, "", ""},
		{"R2_no_others", set(list("k=v"), nil), nil, "k=v:NoSchedule", "k=v:NoSchedule"},
		{"R2_wildcard_meets_a_taint", set(list("k=v:NoExecute"), nil), []cover.Set{set(list("op=Exists"), nil)}, "k=v:NoExecute", ""},
		{"R2_a_taint_meets_a_wildcard", set(list("op=Exists"), nil), []cover.Set{set(list("k=v:NoExecute"), nil)}, "k=v:NoExecute", "other:NoSchedule"},
		{"R2_ranges_meet", set(list("k=3 op=Gt"), nil), []cover.Set{set(list("k=5 op=Lt"), nil)}, "k=4:NoSchedule", "k=5:NoSchedule"},
		{"R2_ranges_do_not_meet", set(list("k=3 op=Gt"), nil), []cover.Set{set(list("k=4 op=Lt"), nil)}, "", "k=4:NoSchedule"},
		{"R2_effects_do_not_meet", set(list("k:NoExecute op=Exists"), nil), []cover.Set{set(list("k:NoSchedule op=Exists"), nil)}, "", "k:NoExecute"},
		{"R2_all_but_one_value", set(list("k op=Exists"), list("k", "k=a")), nil, "k=other:NoSchedule", "k=other:NoSchedule"},
		{"R2_all_but_itself", set(list("k=4"), list("k=5 op=Lt")), nil, "", ""},
		{"R2_the_exception_of_one_is_the_other", set(list("k op=Exists"), list("k=a")), []cover.Set{set(list("op=Exists"), list("k=3 op=Gt"))}, "k:NoSchedule", "k=4:NoSchedule"},
		{"R2_what_two_leave_to_each_other", set(list("k=-1 op=Gt"), nil), []cover.Set{set(list("k=5 op=Lt"), nil), set(list("k op=Exists"), list("k=6 op=Lt"))}, "", "k=5:NoSchedule"},
		{"R2_names_taken_by_exceptions", set(list("op=Exists"), list("other op=Exists")), []cover.Set{set(list("op=Exists"), list("other1 op=Exists"))}, "other2:NoSchedule", "other1:NoSchedule"},
		{"R2_seconds_do_not_count", set(list("k:NoExecute for 60s"), nil), []cover.Set{set(list("k:NoExecute for 30s"), nil)}, "k:NoExecute", ""},
		{"R2_a_number_that_is_no_integer", set(list("k=05"), nil), []cover.Set{set(list("k=3 op=Gt"), nil)}, "", "k=05:NoSchedule"},
		{"R2_matches_nothing", set(list("zero", "k=0 op=Lt"), nil), []cover.Set{set(list("op=Exists"), nil)}, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if x, _ := tt.s.Common(tt.others...); x.String() != tt.common {
				t.Errorf("Common = %q, want %q", x, tt.common)
			}
			if x, _ := tt.s.Outside(tt.others...); x.String() != tt.outside {
				t.Errorf("Outside = %q, want %q", x, tt.outside)
			}
			checkSets(t, tt.s, tt.others...)
		})
	}
}

// This compares every two tolerations of a small space, alone and together with the one
// that the other omits.
func setsExhaustive(t *testing.T) {
	us := gen.AllTolerations([]string{"a", "b"}, []string{"", "x", "2"}, []string{"-1", "0", "2", "9223372036854775807"},
		[]taint.Effect{0, taint.NoSchedule, taint.NoExecute}, nil)
	for i := range us {
		for j := range us {
			one, two := us[i:i+1], us[j:j+1]
			checkSets(t, cover.Set{In: one}, cover.Set{In: two})
			checkSets(t, cover.Set{In: one, Except: two})
		}
	}
}

func setsProperty(t *rapid.T) {
	a := gen.TolerationsAndZeros().Draw(t, "a")
	set := rapid.Custom(func(t *rapid.T) cover.Set {
		return cover.Set{In: near(a).Draw(t, "in"), Except: near(a).Draw(t, "except")}
	})
	checkSets(t, cover.Set{In: a, Except: near(a).Draw(t, "except")}, rapid.SliceOfN(set, 0, 3).Draw(t, "others")...)
}

func setsRapid(t *testing.T) { rapid.Check(t, setsProperty) }

// FuzzSet searches, among the sets that TestSet/R2_property draws, for ones for which
// the result and a comparison taint by taint differ.
func FuzzSet(f *testing.F) {
	gen.Fuzz(f, setsProperty)
}

// Sets of one list agree with lists: if Outside finds nothing, the list covers.
func setsAgreeWithLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := gen.TolerationsAndZeros().Draw(t, "a")
		b := near(a).Draw(t, "b")
		timeless := func(list toleration.List) toleration.List {
			list = slices.Clone(list)
			for i := range list {
				list[i] = list[i].WithoutSeconds()
			}
			return list
		}
		_, found := cover.Set{In: b}.Outside(cover.Set{In: a})
		if covers := listCovers(toleration.First, timeless(a), timeless(b)); covers == found {
			t.Errorf("R2: outside %v of %v: %v, covers: %v", a, b, found, covers)
		}
	})
}
