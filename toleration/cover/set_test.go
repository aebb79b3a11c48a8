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

// checkSets compares Within with all taints that distinguish the tolerations of the sets.
func checkSets(t interface {
	Helper()
	Errorf(string, ...any)
}, s, other cover.Set) {
	t.Helper()
	outside := slices.ContainsFunc(space(s.In, s.Except, other.In, other.Except), func(x taint.Taint) bool { return has(s, x) && !has(other, x) })
	if s.Within(other) == outside {
		t.Errorf("R2: %v.Within(%v) = %v", s, other, outside)
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
	for _, tt := range []struct {
		name     string // R2
		s, other cover.Set
		want     bool
	}{
		{"R2_zero", cover.Set{}, cover.Set{}, true},
		{"R2_in_the_empty_set", set(list("k=v"), nil), cover.Set{}, false},
		{"R2_a_taint_in_a_wildcard", set(list("k=v:NoExecute"), nil), set(list("op=Exists"), nil), true},
		{"R2_a_wildcard_in_a_taint", set(list("op=Exists"), nil), set(list("k=v:NoExecute"), nil), false},
		{"R2_ranges", set(list("k=3 op=Gt"), nil), set(list("k=5 op=Lt"), nil), false},
		{"R2_effects", set(list("k:NoExecute op=Exists"), nil), set(list("k:NoSchedule op=Exists"), nil), false},
		{"R2_all_but_one_value", set(list("k op=Exists"), list("k", "k=a")), set(list("k op=Exists"), list("k=a")), true},
		{"R2_all_but_itself", set(list("k=4"), list("k=5 op=Lt")), cover.Set{}, true},
		{"R2_the_exception_of_one_is_the_other", set(list("k op=Exists"), list("k=a")), set(list("op=Exists"), list("k=3 op=Gt")), false},
		{"R2_together", set(list("k=16 op=Gt"), nil), set(list("k=65 op=Lt", "k=64 op=Gt"), nil), true},
		{"R2_together_but_one", set(list("k=-1 op=Gt"), nil), set(list("k=5 op=Lt", "k=5 op=Gt"), nil), false},
		{"R2_seconds_do_not_count", set(list("k:NoExecute for 60s"), nil), set(list("k:NoExecute for 30s"), nil), true},
		{"R2_a_number_that_is_no_integer", set(list("k=05"), nil), set(list("k=3 op=Gt"), nil), false},
		{"R2_matches_nothing", set(list("zero", "k=0 op=Lt"), nil), set(list("a"), nil), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.s.Within(tt.other); got != tt.want {
				t.Errorf("Within = %v, want %v", got, tt.want)
			}
			checkSets(t, tt.s, tt.other)
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
			checkSets(t, cover.Set{In: one, Except: two}, cover.Set{})
		}
	}
}

func setsProperty(t *rapid.T) {
	a := gen.TolerationsAndZeros().Draw(t, "a")
	set := rapid.Custom(func(t *rapid.T) cover.Set {
		return cover.Set{In: near(a).Draw(t, "in"), Except: near(a).Draw(t, "except")}
	})
	checkSets(t, cover.Set{In: a, Except: near(a).Draw(t, "except")}, set.Draw(t, "other"))
}

func setsRapid(t *testing.T) { rapid.Check(t, setsProperty) }

// FuzzSet searches, among the sets that TestSet/R2_property draws, for ones for which
// the result and a comparison taint by taint differ.
func FuzzSet(f *testing.F) {
	gen.Fuzz(f, setsProperty)
}

// Sets of one list agree with lists.
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
		within := cover.Set{In: b}.Within(cover.Set{In: a})
		if covers := listCovers(toleration.First, timeless(a), timeless(b)); covers != within {
			t.Errorf("R2: %v within %v: %v, covers: %v", b, a, within, covers)
		}
	})
}
