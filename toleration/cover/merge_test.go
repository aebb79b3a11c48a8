package cover_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func TestMerge(t *testing.T) {
	tests := []struct {
		name    string // R3
		lists   []toleration.List
		keep    toleration.List
		reduced toleration.List // by removing what is Redundant, from the end
	}{
		{"R3_nothing", nil, nil, nil},
		{"R3_empty_lists", []toleration.List{nil, {}}, nil, nil},
		{"R3_new_ones_come_last",
			[]toleration.List{list("b", "a"), list("d", "c")},
			list("b", "a", "d", "c"), list("b", "a", "d", "c")},
		{"R3_the_users_60_seconds_stay",
			[]toleration.List{list("k:NoExecute for 60s"), list("k:NoExecute for 300s")},
			list("k:NoExecute for 60s", "k:NoExecute for 300s"), list("k:NoExecute for 60s")},
		{"R3_the_users_300_seconds_stay",
			[]toleration.List{list("k:NoExecute for 300s"), list("k:NoExecute for 60s")},
			list("k:NoExecute for 300s"), list("k:NoExecute for 300s")},
		{"R3_forever_stays",
			[]toleration.List{list("k op=Exists"), list("k:NoExecute for 60s")},
			list("k op=Exists"), list("k op=Exists")},
		{"R3_seconds_as_written",
			[]toleration.List{list("k:NoExecute for -5s"), list("k:NoExecute for 0s")},
			list("k:NoExecute for -5s"), list("k:NoExecute for -5s")},
		{"R3_operator_as_written",
			[]toleration.List{list("k=v"), list("k=v op=Equal")},
			list("k=v"), list("k=v")},
		{"R3_covered_by_a_range",
			[]toleration.List{list("k=3 op=Gt"), list("k=5", "k=7 op=Gt", "k=05")},
			list("k=3 op=Gt", "k=05"), list("k=3 op=Gt", "k=05")},
		{"R3_added_ones_cover_later_ones",
			[]toleration.List{nil, list("k op=Exists"), list("k", "k=v:NoSchedule", "l")},
			list("k op=Exists", "l"), list("k op=Exists", "l")},
		{"R3_repeats_in_the_first_list_stay",
			[]toleration.List{list("k", "k", "op=Exists"), list("k")},
			list("k", "k", "op=Exists"), list("op=Exists")},
		{"R3_what_matches_nothing",
			[]toleration.List{list("zero", "k=0 op=Lt"), list("zero", "k=0 op=Lt", "k=9223372036854775807 op=Gt")},
			list("zero", "k=0 op=Lt"), nil},
		{"R3_covered_only_together",
			[]toleration.List{list("k=3 op=Gt", "k=4 op=Lt"), list("k=-1 op=Gt")},
			list("k=3 op=Gt", "k=4 op=Lt", "k=-1 op=Gt"), list("k=3 op=Gt", "k=4 op=Lt")},
		{"R3_from_the_end",
			[]toleration.List{list("k:NoSchedule", "k:NoExecute"), list("k", "k:PreferNoSchedule")},
			list("k:NoSchedule", "k:NoExecute", "k"), list("k")},
		{"R3_shorter_in_front_is_needed",
			[]toleration.List{list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s"), list(":NoExecute op=Exists")},
			list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s", ":NoExecute op=Exists"),
			list("k=v:NoExecute for 60s", "k:NoExecute op=Exists for 300s", ":NoExecute op=Exists")},
		{"R3_longer_in_front_is_needed",
			[]toleration.List{list("k:NoExecute"), list(":NoExecute op=Exists for 300s")},
			list("k:NoExecute", ":NoExecute op=Exists for 300s"), list("k:NoExecute", ":NoExecute op=Exists for 300s")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.keep, cover.Merge(tt.lists...)); diff != "" {
				t.Errorf("Merge(%v) mismatch (-want +got):\n%s", tt.lists, diff)
			}
			if diff := cmp.Diff(tt.reduced, reduce(toleration.First, tt.lists...)); diff != "" {
				t.Errorf("reduced %v mismatch (-want +got):\n%s", tt.lists, diff)
			}
			checkMerge(t, tt.lists)
		})
	}
	t.Run("R3_memory", mergeMemory)
	t.Run("R3_property", mergeRapid)
	t.Run("R3_recorded", mergeRecorded)
}

// reduce removes from the lists, one after the other, what is redundant, from the end.
func reduce(p toleration.Choice, lists ...toleration.List) toleration.List {
	list := slices.Concat(lists...)
	for i := len(list) - 1; i >= 0; i-- {
		if cover.Redundant(list, i, p) {
			list = slices.Delete(list, i, i+1)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// checkMerge tests what Merge and Reduce promise about the lists.
func checkMerge(t interface {
	Helper()
	Errorf(string, ...any)
}, lists []toleration.List) {
	t.Helper()
	var first toleration.List
	if len(lists) > 0 {
		first = lists[0]
	}
	union := slices.Concat(lists...)
	taints := space(union)
	before, together := lengths(toleration.First, first, taints), lengths(toleration.First, union, taints)

	kept := cover.Merge(lists...)
	if len(kept) < len(first) || !slices.Equal(kept[:len(first)], first) {
		t.Errorf("R3: Merge(%v) = %v rewrites the first list", lists, kept)
	}
	if !slices.ContainsFunc(first, toleration.Toleration.IsZero) {
		if err := kept.Validate(first, false); err != nil {
			t.Errorf("V9: Merge(%v) = %v: %v", lists, kept, err)
		}
	}
	for i, got := range lengths(toleration.First, kept, taints) {
		if before[i] != 0 && got != before[i] {
			t.Errorf("R3: Merge(%v) = %v: %v for %d, before for %d", lists, kept, taints[i], got, before[i])
		}
		if got != together[i] {
			t.Errorf("R3: Merge(%v) = %v: %v for %d, by the lists for %d", lists, kept, taints[i], got, together[i])
		}
	}
	if !slices.Equal(lengths(toleration.Longest, kept, taints), lengths(toleration.Longest, union, taints)) {
		t.Errorf("R3: Merge(%v) = %v is not equivalent by Longest", lists, kept)
	}
	for i, u := range kept[len(first):] {
		if covers := func(v toleration.Toleration) bool { return cover.Covers(v, u) }; slices.ContainsFunc(kept[:len(first)+i], covers) || cover.MatchesNothing(u) {
			t.Errorf("R3: Merge(%v) = %v adds %v for nothing", lists, kept, u)
		}
	}

	if again := cover.Merge(append([]toleration.List{kept}, lists...)...); !equivalent(toleration.First, kept, union) || !slices.Equal(again, kept) {
		t.Errorf("R3: Merge(%v) = %v, not equivalent or, merged again, %v", lists, kept, again)
	}
	for _, p := range choices {
		checkRedundant(t, p, union)
	}
}

func checkRedundant(t interface {
	Helper()
	Errorf(string, ...any)
}, p toleration.Choice, list toleration.List) {
	t.Helper()
	taints := space(list)
	for i := range list {
		without := slices.Delete(slices.Clone(list), i, i+1)
		want := slices.Equal(lengths(p, without, taints), lengths(p, list, taints))
		if got := cover.Redundant(list, i, p); got != want {
			t.Errorf("R2: Redundant(%v, %v, %d) = %v, want %v", p, list, i, got, want)
		}
		if got := equivalent(p, without, list); got != want {
			t.Errorf("R2: equivalent(%v, %v, %v) = %v, want %v", p, without, list, got, want)
		}
	}
}

// The inputs and their spare capacity are unchanged.
func mergeMemory(t *testing.T) {
	sentinel := toleration.MustParse("sentinel")
	spare := func(l toleration.List) toleration.List {
		l = append(slices.Clone(l), sentinel, sentinel, sentinel, sentinel)
		return l[:len(l)-4]
	}
	first, second := list("k:NoExecute for 60s", "a", "a"), list("a", "b", "c op=Exists")
	a, b := spare(first), spare(second)
	got := cover.Merge(a, b)
	if want := cover.Merge(first, second); !slices.Equal(got, want) {
		t.Errorf("Merge of lists with room behind them = %v, want %v", got, want)
	}
	got[0] = sentinel
	if !slices.Equal(a, first) || !slices.Equal(b, second) || cover.Merge(a)[0] == sentinel {
		t.Error("Merge changes its input, or gives it out")
	}
	for _, u := range append(a[len(a):len(a)+4], b[len(b):len(b)+4]...) {
		if u != sentinel {
			t.Errorf("Merge writes %v behind its input", u)
		}
	}
}

func TestChoice(t *testing.T) {
	t.Run("E3_unknown_panics", unknownChoicePanics)
}

// An unknown Choice panics, whatever the lists.
func unknownChoicePanics(t *testing.T) {
	const choice = toleration.Choice(7)
	one, two := list("k"), list("k:NoExecute for 5s", "k:NoExecute for 6s")
	for want, calls := range map[string][]func(a, b toleration.List){
		"toleration: unknown Choice 7": {
			func(a, b toleration.List) { cover.UncoveredTaint(b, a, choice) },
			func(a, b toleration.List) { cover.Redundant(list("k"), 0, choice) },
		},
	} {
		for i, call := range calls {
			for _, lists := range [][2]toleration.List{{nil, nil}, {one, nil}, {one, one}, {one, two}, {two, two}} {
				if got := recovered(func() { call(lists[0], lists[1]) }); got != want {
					t.Errorf("call %d of %v panics with %v, want %q", i, lists, got, want)
				}
			}
		}
	}
}

// recovered returns the value with which f panics, or nil if it does not.
func recovered(f func()) (r any) {
	defer func() { r = recover() }()
	f()
	return nil
}

func TestRedundant(t *testing.T) {
	t.Run("R2_out_of_range_panics", redundantPanics)
}

func redundantPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	cover.Redundant(list("k"), 1, toleration.First)
}
