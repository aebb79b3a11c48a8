package cover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

var equateTolerations = cmpopts.EquateComparable(toleration.Toleration{})

func TestMerge(t *testing.T) {
	tests := []struct {
		name    string // R3
		lists   [][]toleration.Toleration
		keep    []toleration.Toleration
		reduced []toleration.Toleration
	}{
		{"R3_nothing", nil, nil, nil},
		{"R3_empty_lists", [][]toleration.Toleration{nil, {}}, nil, nil},
		{"R3_new_ones_come_last",
			[][]toleration.Toleration{list("b", "a"), list("d", "c")},
			list("b", "a", "d", "c"), list("b", "a", "d", "c")},
		{"R3_the_users_60_seconds_stay",
			[][]toleration.Toleration{list("k:NoExecute for 60s"), list("k:NoExecute for 300s")},
			list("k:NoExecute for 60s", "k:NoExecute for 300s"), list("k:NoExecute for 60s")},
		{"R3_the_users_300_seconds_stay",
			[][]toleration.Toleration{list("k:NoExecute for 300s"), list("k:NoExecute for 60s")},
			list("k:NoExecute for 300s"), list("k:NoExecute for 300s")},
		{"R3_forever_stays",
			[][]toleration.Toleration{list("k op=Exists"), list("k:NoExecute for 60s")},
			list("k op=Exists"), list("k op=Exists")},
		{"R3_seconds_as_written",
			[][]toleration.Toleration{list("k:NoExecute for -5s"), list("k:NoExecute for 0s")},
			list("k:NoExecute for -5s"), list("k:NoExecute for -5s")},
		{"R3_operator_as_written",
			[][]toleration.Toleration{list("k=v"), list("k=v op=Equal")},
			list("k=v"), list("k=v")},
		{"R3_covered_by_a_range",
			[][]toleration.Toleration{list("k=3 op=Gt"), list("k=5", "k=7 op=Gt", "k=05")},
			list("k=3 op=Gt", "k=05"), list("k=3 op=Gt", "k=05")},
		{"R3_added_ones_cover_later_ones",
			[][]toleration.Toleration{nil, list("k op=Exists"), list("k", "k=v:NoSchedule", "l")},
			list("k op=Exists", "l"), list("k op=Exists", "l")},
		{"R3_repeats_in_the_first_list_stay",
			[][]toleration.Toleration{list("k", "k", "op=Exists"), list("k")},
			list("k", "k", "op=Exists"), list("op=Exists")},
		{"R3_what_matches_nothing",
			[][]toleration.Toleration{list("zero", "k=0 op=Lt"), list("zero", "k=0 op=Lt", "k=9223372036854775807 op=Gt")},
			list("zero", "k=0 op=Lt"), nil},
		{"R3_covered_only_together",
			[][]toleration.Toleration{list("k=3 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt")},
			list("k=3 op=Gt", "k=4 op=Lt", "k=-1 op=Gt"), list("k=3 op=Gt", "k=4 op=Lt")},
		{"R3_from_the_end",
			[][]toleration.Toleration{list("k:NoSchedule", "k:NoExecute"), list("k", "k:PreferNoSchedule")},
			list("k:NoSchedule", "k:NoExecute", "k"), list("k")},
		{"R3_shorter_in_front_is_needed",
			[][]toleration.Toleration{list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s"), list(":NoExecute op=Exists")},
			list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s", ":NoExecute op=Exists"),
			list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s", ":NoExecute op=Exists")},
		{"R3_longer_in_front_is_needed",
			[][]toleration.Toleration{list("k:NoExecute"), list(":NoExecute op=Exists for 300s")},
			list("k:NoExecute", ":NoExecute op=Exists for 300s"), list("k:NoExecute", ":NoExecute op=Exists for 300s")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for s, want := range map[cover.Strategy][]toleration.Toleration{cover.Keep: tt.keep, cover.Reduce: tt.reduced, 7: tt.keep} {
				got := cover.Merge(s, tt.lists...)
				if diff := cmp.Diff(want, got, equateTolerations); diff != "" {
					t.Errorf("Merge(%v, %v) mismatch (-want +got):\n%s", s, tt.lists, diff)
				}
			}
			checkMerge(t, tt.lists)
		})
	}
}

// checkMerge holds what the strategies promise about the lists.
func checkMerge(t interface {
	Helper()
	Errorf(string, ...any)
}, lists [][]toleration.Toleration) {
	t.Helper()
	var first []toleration.Toleration
	if len(lists) > 0 {
		first = lists[0]
	}
	union := slices.Concat(lists...)
	taints := space(union)
	before, together := lengths(toleration.First, first, taints), lengths(toleration.First, union, taints)

	kept := cover.Merge(cover.Keep, lists...)
	if len(kept) < len(first) || !slices.Equal(kept[:len(first)], first) {
		t.Errorf("R3: Merge(Keep, %v) = %v rewrites the first list", lists, kept)
	}
	if !slices.ContainsFunc(first, toleration.Toleration.IsZero) {
		if err := toleration.ValidateUpdate(first, kept, toleration.ListOptions{}); err != nil {
			t.Errorf("V9: Merge(Keep, %v) = %v: %v", lists, kept, err)
		}
	}
	for i, got := range lengths(toleration.First, kept, taints) {
		if before[i] != 0 && got != before[i] {
			t.Errorf("R3: Merge(Keep, %v) = %v: %v for %d, before for %d", lists, kept, taints[i], got, before[i])
		}
		if got != together[i] {
			t.Errorf("R3: Merge(Keep, %v) = %v: %v for %d, by the lists for %d", lists, kept, taints[i], got, together[i])
		}
	}
	if !slices.Equal(lengths(toleration.Longest, kept, taints), lengths(toleration.Longest, union, taints)) {
		t.Errorf("R3: Merge(Keep, %v) = %v means something else by Longest", lists, kept)
	}
	for i, u := range kept[len(first):] {
		if covers := func(v toleration.Toleration) bool { return cover.Covers(v, u) }; slices.ContainsFunc(kept[:len(first)+i], covers) || cover.Empty(u) {
			t.Errorf("R3: Merge(Keep, %v) = %v adds %v for nothing", lists, kept, u)
		}
	}

	reduced := cover.Merge(cover.Reduce, lists...)
	if want := cover.Reduced(toleration.First, lists...); !slices.Equal(reduced, want) {
		t.Errorf("R3: Merge(Reduce, %v) = %v, and Reduced %v", lists, reduced, want)
	}
	for _, s := range []cover.Strategy{cover.Keep, cover.Reduce} {
		merged := cover.Merge(s, lists...)
		if !cover.Equivalent(toleration.First, merged, union) {
			t.Errorf("R3: Merge(%v, %v) = %v means something else", s, lists, merged)
		}
		if again := cover.Merge(s, append([][]toleration.Toleration{merged}, lists...)...); !slices.Equal(again, merged) {
			t.Errorf("R3: Merge(%v, %v) = %v, and merged again %v", s, lists, merged, again)
		}
		if len(lists) == 3 {
			left := cover.Merge(s, cover.Merge(s, lists[0], lists[1]), lists[2])
			right := cover.Merge(s, lists[0], cover.Merge(s, lists[1], lists[2]))
			if !cover.Equivalent(toleration.First, left, right) {
				t.Errorf("R3: Merge(%v, %v) is %v from the left and %v from the right", s, lists, left, right)
			}
		}
	}
	for _, p := range policies {
		checkReduced(t, p, lists)
	}
}

func checkReduced(t interface {
	Helper()
	Errorf(string, ...any)
}, p toleration.Policy, lists [][]toleration.Toleration) {
	t.Helper()
	union := slices.Concat(lists...)
	reduced := cover.Reduced(p, lists...)
	taints := space(union)
	if !slices.Equal(lengths(p, reduced, taints), lengths(p, union, taints)) {
		t.Errorf("R3: Reduced(%v, %v) = %v means something else", p, lists, reduced)
	}
	at := 0
	for _, u := range union {
		if at < len(reduced) && reduced[at] == u {
			at++
		}
	}
	if at < len(reduced) {
		t.Errorf("R3: Reduced(%v, %v) = %v is not in order", p, lists, reduced)
	}
	for i, u := range reduced {
		without := slices.Delete(slices.Clone(reduced), i, i+1)
		if slices.Equal(lengths(p, without, taints), lengths(p, reduced, taints)) {
			t.Errorf("R3: Reduced(%v, %v) = %v does not need %v", p, lists, reduced, u)
		}
	}
	checkRedundant(t, p, union)
}

func checkRedundant(t interface {
	Helper()
	Errorf(string, ...any)
}, p toleration.Policy, list []toleration.Toleration) {
	t.Helper()
	taints := space(list)
	for i := range list {
		without := slices.Delete(slices.Clone(list), i, i+1)
		want := slices.Equal(lengths(p, without, taints), lengths(p, list, taints))
		if got := cover.Redundant(p, list, i); got != want {
			t.Errorf("R2: Redundant(%v, %v, %d) = %v, want %v", p, list, i, got, want)
		}
		if got := cover.Equivalent(p, without, list); got != want {
			t.Errorf("R2: Equivalent(%v, %v, %v) = %v, want %v", p, without, list, got, want)
		}
	}
}

// Inputs, and the room behind them, stay as they are.
func TestAppend_R3_memory(t *testing.T) {
	sentinel := toleration.MustParse("sentinel")
	spare := func(l []toleration.Toleration) []toleration.Toleration {
		l = append(slices.Clone(l), sentinel, sentinel, sentinel, sentinel)
		return l[:len(l)-4]
	}
	first, second := list("k:NoExecute for 60s", "a", "a"), list("a", "b", "c op=Exists")
	for name, merge := range map[string]func(dst []toleration.Toleration, lists ...[]toleration.Toleration) []toleration.Toleration{
		"AppendMerge(Keep)": func(dst []toleration.Toleration, lists ...[]toleration.Toleration) []toleration.Toleration {
			return cover.AppendMerge(dst, cover.Keep, lists...)
		},
		"AppendMerge(Reduce)": func(dst []toleration.Toleration, lists ...[]toleration.Toleration) []toleration.Toleration {
			return cover.AppendMerge(dst, cover.Reduce, lists...)
		},
		"AppendReduced": func(dst []toleration.Toleration, lists ...[]toleration.Toleration) []toleration.Toleration {
			return cover.AppendReduced(dst, toleration.Longest, lists...)
		},
	} {
		a, b := spare(first), spare(second)
		dst := list("op=Exists")
		got := merge(dst, a, b)
		if got[0] != dst[0] || !slices.Equal(got[1:], merge(nil, first, second)) {
			t.Errorf("%s: what dst held counts: %v", name, got)
		}
		if !slices.Equal(a, first) || !slices.Equal(b, second) {
			t.Errorf("%s changes its input", name)
		}
		for _, l := range [][]toleration.Toleration{a, b} {
			for _, u := range l[len(l) : len(l)+4] {
				if u != sentinel {
					t.Errorf("%s writes %v behind its input", name, u)
				}
			}
		}
		one := merge(nil, a)
		one[0] = sentinel
		if a[0] == sentinel {
			t.Errorf("%s gives out its input", name)
		}
	}
}

func TestStrategy_String(t *testing.T) {
	for s, want := range map[cover.Strategy]string{cover.Keep: "Keep", cover.Reduce: "Reduce", 7: "Strategy(7)"} {
		if got := s.String(); got != want {
			t.Errorf("String() = %q, want %q", got, want)
		}
	}
}

func TestRedundant_panics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	cover.Redundant(toleration.First, list("k"), 1)
}
