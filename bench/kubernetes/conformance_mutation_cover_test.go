package kubernetes_test

import (
	"slices"
	"testing"

	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// coverMistakes are wrong ways to compare two tolerations, made from the right one.
var coverMistakes = map[string]coverer{
	"R2_seconds_ignored": func(a, b toleration.Toleration) bool {
		return cover.Covers(a.WithoutSeconds(), b.WithoutSeconds())
	},
	"R2_seconds_must_be_the_same": func(a, b toleration.Toleration) bool {
		m, _ := a.Canonical().Seconds()
		n, _ := b.Canonical().Seconds()
		return cover.Covers(a, b) && m == n
	},
	"R2_negative_seconds_are_numbers": func(a, b toleration.Toleration) bool {
		m, at := a.Seconds()
		n, bt := b.Seconds()
		return cover.Covers(a, b) && !(at && bt && m < n)
	},
	"R2_absent_effect_covers_only_itself": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.Effect() != 0 || b.Effect() == 0)
	},
	"R2_wildcard_covers_only_itself": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.Key() != "" || b.Key() == "")
	},
	"R2_keys_ignored": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(a.Key(), b.Operator(), b.Value(), b.Effect())
		return cover.Covers(a, b) || err == nil && a.Key() != "" && b.Key() != "" && cover.Covers(a, u)
	},
	"R2_values_ignored_by_Equal": func(a, b toleration.Toleration) bool {
		u, err := toleration.New(b.Key(), b.Operator(), a.Value(), b.Effect())
		plain := func(u toleration.Toleration) bool { return !u.IsNumeric() && u.Operator() != toleration.Exists }
		return cover.Covers(a, b) || err == nil && plain(a) && plain(b) && cover.Covers(a, u)
	},
	"R2_numeric_covers_no_value": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (!a.IsNumeric() || b.IsNumeric())
	},
	"R2_numeric_covers_its_bound": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) || a.IsNumeric() && !b.IsNumeric() && b.Operator() != toleration.Exists &&
			a.Key() == b.Key() && a.Value() == b.Value() && (a.Effect() == 0 || a.WithoutSeconds().Effect() == b.Effect())
	},
	"R2_one_number_is_a_range": func(a, b toleration.Toleration) bool {
		return cover.Covers(a, b) && (a.IsNumeric() || a.Operator() == toleration.Exists || !b.IsNumeric() || cover.MatchesNothing(b))
	},
}

// mergeMistakes are wrong ways to merge two lists.
var mergeMistakes = map[string]merger{
	"R3_as_Kubernetes": func(a, b toleration.List) toleration.List {
		return kubernetesMerge(internals(a), internals(b))
	},
	"R3_second_list_first": func(a, b toleration.List) toleration.List { return keep(b, a) },
	"R3_reduced":           reduce,
	"R3_only_repeats_dropped": func(a, b toleration.List) toleration.List {
		out := slices.Clone(a)
		for _, u := range b {
			if !slices.Contains(out, u) {
				out = append(out, u)
			}
		}
		return out
	},
	"R3_longer_takes_the_place": func(a, b toleration.List) toleration.List {
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
}

// The harness must see every one of these mistakes, and none in the right
// functions.
func TestMutationCover(t *testing.T) {
	t.Parallel()
	const cases = 50_000
	see(t, cases, func(c coverer) func(*gen) string { return covers(c, nil) }, cover.Covers, coverMistakes)
	see(t, cases, func(m merger) func(*gen) string { return merges(m, nil) }, keep, mergeMistakes)
	see(t, cases, func(m merger) func(*gen) string { return means(m, nil, nil) }, keep, map[string]merger{
		"R3_meaning_second_list_first":      mergeMistakes["R3_second_list_first"],
		"R3_meaning_longer_takes_the_place": mergeMistakes["R3_longer_takes_the_place"],
		"R3_meaning_by_Longest":             func(a, b toleration.List) toleration.List { return reduceBy(toleration.Longest, a, b) },
	})
}
