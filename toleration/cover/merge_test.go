package cover_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

func TestMerge(t *testing.T) {
	t.Run("R3_memory", mergeMemory)
	t.Run("R3_property", rapid.MakeCheck(mergeProperty))
	t.Run("R3_recorded", mergeRecorded)
	t.Run("R3_many", rapid.MakeCheck(many))
	t.Run("R3_one_integer", func(t *testing.T) { // that Lt and Gt match, among many
		all := append(slices.Repeat(list("filler"), 33), list("k=0", "k=9223372036854775807", "k=1 op=Lt", "k=9223372036854775806 op=Gt", "k=2 op=Lt")...)
		if got, want := cover.Merge(nil, all), append(list("filler"), all[33], all[34], all[37]); !slices.Equal(got, want) {
			t.Errorf("R3: Merge = %v, want %v", got, want)
		}
	})
}

// checkMerge tests what Merge promises about the lists.
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

	if again := cover.Merge(append([]toleration.List{kept}, lists...)...); !slices.Equal(again, kept) {
		t.Errorf("R3: Merge(%v) = %v and, merged again, %v", lists, kept, again)
	}
}

// many compares the results for long lists, many of whose tolerations have Lt and Gt and
// seconds of their own, with those of Covers.
func many(t *rapid.T) {
	bound := rapid.Custom(func(t *rapid.T) toleration.Toleration {
		op := rapid.SampledFrom([]toleration.Operator{toleration.Lt, toleration.Gt, toleration.Equal}).Draw(t, "operator")
		u := problem.Must(toleration.New("a", op, strconv.Itoa(rapid.IntRange(0, 20).Draw(t, "bound")), gen.EffectOrAbsent().Draw(t, "effect")))
		if timed, err := u.WithSeconds(rapid.Int64Range(0, 9).Draw(t, "seconds")); err == nil {
			return timed
		}
		return u
	})
	draw := func(name string, least int) toleration.List {
		return rapid.SliceOfN(rapid.OneOf(bound, bound, gen.TolerationOrZero()), least, 60).Draw(t, name)
	}
	coveredBy := func(u toleration.Toleration, list toleration.List) bool {
		return slices.ContainsFunc(list, func(v toleration.Toleration) bool { return cover.Covers(v, u) })
	}
	a, b := draw("a", 17), draw("b", 17)
	merged := slices.Clone(a)
	var uncovered []int
	for i, u := range b {
		if !coveredBy(u, merged) && !cover.MatchesNothing(u) {
			merged = append(merged, u)
		}
		if !coveredBy(u, a) {
			uncovered = append(uncovered, i)
		}
	}
	if got := cover.Merge(a, b); !slices.Equal(got, merged) {
		t.Errorf("R3: Merge(%v, %v) = %v, want %v", a, b, got, merged)
	}
	if got := cover.Uncovered(b, a); !slices.Equal(got, uncovered) {
		t.Errorf("R2: Uncovered(%v, %v) = %v, want %v", b, a, got, uncovered)
	}
}

// The inputs and their spare capacity are unchanged, and the result shares no memory with
// them.
func mergeMemory(t *testing.T) {
	first, second := list("k:NoExecute for 60s", "a", "a", "sentinel"), list("a", "b", "c op=Exists", "sentinel")
	a, b := slices.Clone(first), slices.Clone(second)
	got := cover.Merge(a[:3], b[:3])
	got[0] = second[0]
	if !slices.Equal(a, first) || !slices.Equal(b, second) || !slices.Equal(got[1:], list("a", "a", "b", "c op=Exists")) {
		t.Errorf("Merge = %v; the lists are then %v and %v", got, a, b)
	}
}

// An unknown Choice panics, whatever the lists.
func TestChoice_E3_unknown_panics(t *testing.T) {
	const choice, want = toleration.Choice(7), "toleration: unknown Choice(7)"
	for _, l := range []toleration.List{nil, list("k"), list("k:NoExecute for 5s", "k:NoExecute for 6s")} {
		if got := contract.Panic(func() { cover.UncoveredTaint(l, nil, choice) }); got != want {
			t.Errorf("UncoveredTaint of %v panics with %v, want %q", l, got, want)
		}
	}
}
