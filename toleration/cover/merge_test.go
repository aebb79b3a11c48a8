package cover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func TestMerge(t *testing.T) {
	t.Run("R3_memory", mergeMemory)
	t.Run("R3_property", rapid.MakeCheck(mergeProperty))
	t.Run("R3_recorded", mergeRecorded)
}

// checkMerge tests what Merge and Reduce promise about the lists.
func checkMerge(t rapid.TB, lists []toleration.List) {
	t.Helper()
	var first toleration.List
	if len(lists) > 0 {
		first = lists[0]
	}
	union := slices.Concat(lists...)
	taints := gen.Distinguishing(union)
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

func checkRedundant(t rapid.TB, p toleration.Choice, list toleration.List) {
	t.Helper()
	taints := gen.Distinguishing(list)
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
	const choice, want = toleration.Choice(7), "toleration: unknown Choice(7)"
	one, two := list("k"), list("k:NoExecute for 5s", "k:NoExecute for 6s")
	for _, lists := range [][2]toleration.List{{nil, nil}, {one, nil}, {one, one}, {one, two}, {two, two}} {
		if got := contract.Panic(func() { cover.UncoveredTaint(lists[1], lists[0], choice) }); got != want {
			t.Errorf("UncoveredTaint of %v panics with %v, want %q", lists, got, want)
		}
	}
	if got := contract.Panic(func() { cover.Redundant(one, 0, choice) }); got != want {
		t.Errorf("Redundant panics with %v, want %q", got, want)
	}
}

func TestRedundant(t *testing.T) {
	t.Run("R2_out_of_range_panics", func(t *testing.T) {
		if contract.Panic(func() { cover.Redundant(list("k"), 1, toleration.First) }) == nil {
			t.Error("no panic")
		}
	})
}
