package cover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// has is what Set.Has promises, by Tolerates alone.
func has(s cover.Set, t taint.Taint) bool {
	tolerates := func(u toleration.Toleration) bool { return u.Tolerates(t) }
	return slices.ContainsFunc(s.In, tolerates) && !slices.ContainsFunc(s.Except, tolerates)
}

// checkSets holds what is found in the sets against all taints that tell their
// tolerations apart.
func checkSets(t interface {
	Helper()
	Errorf(string, ...any)
}, s cover.Set, others ...cover.Set) {
	t.Helper()
	lists := [][]toleration.Toleration{s.In, s.Except}
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
		if s.Has(x) != has(s, x) {
			t.Errorf("R2: %v.Has(%v) = %v", s, x, s.Has(x))
		}
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
		{"FindCommon", cover.FindCommon, common, inAll},
		{"FindOutside", cover.FindOutside, outside, inNone},
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

func TestSets(t *testing.T) {
	set := func(in, except []toleration.Toleration) cover.Set { return cover.Set{In: in, Except: except} }
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
			if x, _ := cover.FindCommon(tt.s, tt.others...); x.String() != tt.common {
				t.Errorf("FindCommon = %q, want %q", x, tt.common)
			}
			if x, _ := cover.FindOutside(tt.s, tt.others...); x.String() != tt.outside {
				t.Errorf("FindOutside = %q, want %q", x, tt.outside)
			}
			checkSets(t, tt.s, tt.others...)
		})
	}
}

// Every two tolerations of a small space, alone and with the one that the other
// leaves out.
func TestSets_R2_exhaustive(t *testing.T) {
	us := all([]string{"a", "b"}, []string{"", "x", "2"}, []string{"-1", "0", "2", "9223372036854775807"},
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

func TestSets_R2_property(t *testing.T) { rapid.Check(t, setsProperty) }

// FuzzSets searches, among the sets that TestSets_R2_property draws, for ones
// that are judged otherwise than taint by taint.
func FuzzSets(f *testing.F) {
	seeds(f)
	f.Fuzz(rapid.MakeFuzz(setsProperty))
}

// The one set's tolerations are told apart by the other's alone, and so on:
// what FindOutside leaves no room for, ListCovers covers.
func TestSets_R2_agree_with_lists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := gen.TolerationsAndZeros().Draw(t, "a")
		b := near(a).Draw(t, "b")
		timeless := func(list []toleration.Toleration) []toleration.Toleration {
			list = slices.Clone(list)
			for i := range list {
				list[i] = list[i].WithoutSeconds()
			}
			return list
		}
		_, found := cover.FindOutside(cover.Set{In: b}, cover.Set{In: a})
		if covers := cover.ListCovers(toleration.First, timeless(a), timeless(b)); covers == found {
			t.Errorf("R2: outside %v of %v: %v, covers: %v", a, b, found, covers)
		}
	})
}
