package kubernetes_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// coverMistakes are wrong ways to compare two tolerations, made from the right one.
var coverMistakes = map[string]coverer{
	"seconds_ignored": func(a, b toleration.Toleration) bool {
		return cover.Covers(a.WithoutSeconds(), b.WithoutSeconds())
	},
	"no_seconds_are_none": func(a, b toleration.Toleration) bool {
		_, at := a.Seconds()
		_, bt := b.Seconds()
		return cover.Covers(a, b) && (at || !bt)
	},
	"seconds_must_be_the_same": func(a, b toleration.Toleration) bool {
		m, _ := a.Canonical().Seconds()
		n, _ := b.Canonical().Seconds()
		return cover.Covers(a, b) && m == n
	},
	"negative_seconds_are_numbers": func(a, b toleration.Toleration) bool {
		m, at := a.Seconds()
		n, bt := b.Seconds()
		return cover.Covers(a, b) && !(at && bt && m < n)
	},
	"absent_effect_covers_only_itself": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.Effect() != 0 || b.Effect() == 0)
	},
	"absent_effect_is_covered_by_any": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(b.Key(), b.Operator(), b.Value(), a.Effect())
		return cover.Covers(a, b) || err == nil && b.Effect() == 0 && cover.Covers(a, u)
	},
	"wildcard_covers_only_itself": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.Key() != "" || b.Key() == "")
	},
	"wildcard_is_covered_by_any": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(a.Key(), b.Operator(), b.Value(), b.Effect())
		return cover.Covers(a, b) || err == nil && b.Key() == "" && cover.Covers(a, u)
	},
	"keys_ignored": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(a.Key(), b.Operator(), b.Value(), b.Effect())
		return cover.Covers(a, b) || err == nil && a.Key() != "" && b.Key() != "" && cover.Covers(a, u)
	},
	"operators_as_written": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.Operator() == b.Operator() || a.Operator() == toleration.Exists || a.IsNumeric() || b.IsNumeric())
	},
	"values_ignored_by_Equal": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(b.Key(), b.Operator(), a.Value(), b.Effect())
		plain := func(u toleration.Toleration) bool { return !u.IsNumeric() && u.Operator() != toleration.Exists }
		return cover.Covers(a, b) || err == nil && plain(a) && plain(b) && cover.Covers(a, u)
	},
	"numeric_covers_only_its_like": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (!a.IsNumeric() || a.Canonical() == b.Canonical())
	},
	"numeric_covers_no_value": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (!a.IsNumeric() || b.IsNumeric())
	},
	"numeric_wrong_way": func(a, b toleration.Toleration) bool {
		if a.IsNumeric() && b.Operator() == a.Operator() {
			return cover.Covers(b, a)
		}
		return cover.Covers(a, b)
	},
	"numeric_covers_its_bound": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) || a.IsNumeric() && !b.IsNumeric() && b.Operator() != toleration.Exists &&
			a.Key() == b.Key() && a.Value() == b.Value() && (a.Effect() == 0 || a.WithoutSeconds().Effect() == b.Effect())
	},
	"one_number_is_a_range": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.IsNumeric() || a.Operator() == toleration.Exists || !b.IsNumeric() || cover.MatchesNothing(b))
	},
	"nothing_is_not_covered": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (!cover.MatchesNothing(b) || cover.Covers(a.WithoutSeconds(), b) && a.Key() == b.Key())
	},
	"numbers_below_0": func(a, b toleration.Toleration) bool { // as if taints had them
		return cover.Covers(a, b) && !(a.IsNumeric() && b.Operator() == a.Operator() && a.Operator() == toleration.Gt &&
			a.Value() != b.Value() && a.Value() != "" && a.Value()[0] == '-' && b.Value()[0] == '-' && a.Value() < b.Value())
	},
}

// mergeMistakes are wrong ways to merge two lists.
var mergeMistakes = map[string]merger{
	"as_Kubernetes": func(a, b toleration.List) toleration.List {
		return kubernetesMerge(internals(a), internals(b))
	},
	"second_list_first": func(a, b toleration.List) toleration.List { return keep(b, a) },
	"reduced":           reduce,
	"nothing_dropped":   func(a, b toleration.List) toleration.List { return slices.Concat(a, b) },
	"only_repeats_dropped": func(a, b toleration.List) toleration.List {
		out := slices.Clone(a)
		for _, u := range b {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		return out
	},
	"second_list_in_itself": func(a, b toleration.List) toleration.List {
		return append(slices.Clone(a), slices.DeleteFunc(slices.Clone(b), func(u toleration.Toleration) bool {
			return slices.ContainsFunc(a, func(v toleration.Toleration) bool { return cover.Covers(v, u) })
		})...)
	},
	"seconds_ignored": func(a, b toleration.List) toleration.List {
		out := slices.Clone(a)
		for _, u := range b {
			if !slices.ContainsFunc(out, func(v toleration.Toleration) bool { return cover.Covers(v.WithoutSeconds(), u) }) {
				out = append(out, u)
			}
		}
		return out
	},
	"longer_takes_the_place": func(a, b toleration.List) toleration.List {
		out := keep(a, b)
		for i, u := range out {
			for _, v := range b {
				if u.WithoutSeconds() == v.WithoutSeconds() && cover.Covers(v, u) {
					out[i] = v
				}
			}
		}
		return out
	},
	"canonical": func(a, b toleration.List) toleration.List {
		return keep(a, b).Canonical()
	},
}

// The harness must see every one of these mistakes, and none in the right
// functions.
func TestMutationCover(t *testing.T) {
	t.Parallel()
	const cases = 50_000
	for name, try := range map[string]func(*gen) string{"covers": covers(cover.Covers, nil), "merges": merges(keep, nil), "means": means(keep, nil, nil)} {
		if err := differSeed(seedBase, -1, cases, try); err != nil {
			t.Fatalf("%s without a mistake: %v", name, err)
		}
	}
	for name, wrong := range coverMistakes {
		t.Run("R2_"+name, func(t *testing.T) {
			if err := differSeed(seedBase, -1, cases, covers(wrong, nil)); err == nil {
				t.Error("not seen")
			}
		})
	}
	for name, wrong := range mergeMistakes {
		t.Run("R3_"+name, func(t *testing.T) {
			if err := differSeed(seedBase, -1, cases, merges(wrong, nil)); err == nil {
				t.Error("not seen")
			}
		})
	}
	for name, wrong := range map[string]merger{
		"second_list_first":      mergeMistakes["second_list_first"],
		"longer_takes_the_place": mergeMistakes["longer_takes_the_place"],
		"first_list_only":        func(a, _ toleration.List) toleration.List { return a },
		"by_Longest": func(a, b toleration.List) toleration.List {
			return reduceBy(toleration.Longest, a, b)
		},
		"by_Shortest": func(a, b toleration.List) toleration.List {
			return reduceBy(toleration.Shortest, a, b)
		},
	} {
		t.Run("R3_meaning_"+name, func(t *testing.T) {
			if err := differSeed(seedBase, -1, cases, means(wrong, nil, nil)); err == nil {
				t.Error("not seen")
			}
		})
	}
}
