package match_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// The properties are cheap, so there are more than the usual 100 draws, unless
// RAPID_CHECKS or the flag sets the number.
func TestMain(m *testing.M) { gen.Main(m, 1000) }

// property draws a node and a pod, and compares every answer about them with the
// reference, in the order drawn and shuffled. The inputs are never modified, including the
// spare capacity of their slices. Fuzzing runs it, too.
func property(t *rapid.T) {
	s := scene().Draw(t, "scene")
	cordoned := rapid.Bool().Draw(t, "cordoned")
	n, most := len(s.Taints), len(s.Tolerations)
	s.Taints = append(s.Taints, taint.MustParseList("spare:NoSchedule,spare:NoExecute")...)[:n]
	s.Tolerations = append(s.Tolerations, tolerations("spare", "op=Exists")...)[:most]
	for _, shuffled := range []bool{false, true} {
		if shuffled {
			s.Taints = rapid.Permutation(s.Taints).Draw(t, "shuffled taints")
			s.Tolerations = rapid.Permutation(s.Tolerations).Draw(t, "shuffled tolerations")
		}
		taints, pod := slices.Clone(s.Taints[:cap(s.Taints)]), slices.Clone(s.Tolerations[:cap(s.Tolerations)])
		equalsReference(t, match.Node{Taints: s.Taints, Unschedulable: cordoned}, s.Tolerations)
		equalsReference(t, match.Node{Taints: s.Taints}, s.Tolerations)
		if !slices.Equal(taints, s.Taints[:cap(s.Taints)]) || !slices.Equal(pod, s.Tolerations[:cap(s.Tolerations)]) {
			t.Errorf("the inputs changed to %v and %v", s.Taints, s.Tolerations)
		}
	}
}

// scene makes scenes of usual lists, and of lists that are long enough for every kind
// of search. Most long lists have no wildcard, which would end the search.
func scene() *rapid.Generator[gen.Scene] {
	return rapid.Custom(func(t *rapid.T) gen.Scene {
		if rapid.Bool().Draw(t, "crowded") {
			return crowded().Draw(t, "scene")
		}
		s := gen.Scenes().Draw(t, "scene")
		more := rapid.SampledFrom([]int{0, 0, 0, 14, 16, 17, 33, 70}).Draw(t, "more")
		if more == 0 {
			return s
		}
		keyed := gen.Toleration().Filter(func(u toleration.Toleration) bool { return u.Key() != "" })
		padding := rapid.SliceOfN(keyed, more, more).Draw(t, "padding")
		if rapid.Bool().Draw(t, "no wildcard") {
			s.Tolerations = slices.DeleteFunc(s.Tolerations, func(u toleration.Toleration) bool { return !u.IsZero() && u.Key() == "" })
		}
		s.Tolerations = slices.Insert(s.Tolerations, rapid.IntRange(0, len(s.Tolerations)).Draw(t, "place"), padding...)
		return s
	})
}

// These are the keys and values of crowded scenes. Some have the same tag.
var (
	sameTags      = gen.SameTags(6)
	crowdedKeys   = append(sameTags[:2:2], "k1", "k2", "k3", "k4", "k5", "k6")
	crowdedValues = slices.Concat(
		[]string{""}, sameTags,
		strings.Split("v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 va vb vc vd ve vf 0 1 2 3 4 5 6 7 8 9 10 11 01", " "),
	)
)

// crowded makes scenes of many tolerations that have few keys, often one, and of
// taints with the same keys and values.
func crowded() *rapid.Generator[gen.Scene] {
	return rapid.Custom(func(t *rapid.T) gen.Scene {
		keys := crowdedKeys[:rapid.SampledFrom([]int{1, 1, 2, 3, len(crowdedKeys)}).Draw(t, "keys")]
		equal := rapid.Bool().Draw(t, "nearly all Equal")
		one := rapid.Custom(func(t *rapid.T) toleration.Toleration {
			op, val := toleration.Equal, rapid.SampledFrom(crowdedValues).Draw(t, "value")
			if !equal || rapid.IntRange(0, 19).Draw(t, "other operator") == 19 {
				op = gen.Operator().Draw(t, "operator")
			}
			switch {
			case op == toleration.Exists:
				val = ""
			case op == toleration.Lt || op == toleration.Gt:
				val = gen.Bound().Draw(t, "bound")
			}
			return problem.Must(toleration.New(rapid.SampledFrom(keys).Draw(t, "key"), op, val, gen.EffectOrAbsent().Draw(t, "effect")))
		})
		node := rapid.Custom(func(t *rapid.T) taint.Taint {
			key, val := rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(crowdedValues).Draw(t, "value")
			return taint.MustParse(fmt.Sprintf("%s=%s:%v", key, val, gen.Effect().Draw(t, "effect")))
		})
		n := rapid.SampledFrom([]int{1, 2, 3, 5, 10, 30, 70}).Draw(t, "tolerations")
		return gen.Scene{
			Taints:      rapid.SliceOfN(node, 1, 6).Draw(t, "taints"),
			Tolerations: rapid.SliceOfN(one, n, n).Draw(t, "tolerations"),
		}
	})
}

// The reference has M1, M2, M3, M4, M5, M6, M8, F1, F2, F3, F4, F6 and F10.
func TestFilter_property(t *testing.T) { t.Run("F1_reference", rapid.MakeCheck(property)) }

func TestScores_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		counts := rapid.SliceOf(rapid.Int64()).Draw(t, "counts")
		before := slices.Clone(counts)
		if diff := cmp.Diff(ref.Scores(counts), match.Scores(counts)); diff != "" || !slices.Equal(counts, before) {
			t.Errorf("Scores(%v) mismatch (-want +got), or the counts are changed:\n%s", before, diff)
		}
	})
}
