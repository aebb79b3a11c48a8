package match_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/internal/value"
	"github.com/go-tolerate/tolerate/match"
	ref "github.com/go-tolerate/tolerate/match/internal/reference"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// property draws a node and a pod, and compares every answer about them with the
// reference, in the order drawn and shuffled. Fuzzing runs it, too.
func property(t *rapid.T) {
	s := scene().Draw(t, "scene")
	cordoned := rapid.Bool().Draw(t, "cordoned")
	for _, shuffled := range []bool{false, true} {
		if shuffled {
			s = shuffle(t, s)
		}
		equalsReference(t, match.Node{Taints: s.Taints, Unschedulable: cordoned}, s.Tolerations...)
		equalsReference(t, match.Node{Taints: s.Taints}, s.Tolerations...)
		for _, one := range s.Taints[:min(2, len(s.Taints))] {
			equalsReferenceOne(t, one, s.Tolerations...)
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
			for i, list := range s.Tolerations {
				s.Tolerations[i] = slices.DeleteFunc(list, func(u toleration.Toleration) bool { return !u.IsZero() && u.Key() == "" })
			}
		}
		at := rapid.IntRange(0, len(s.Tolerations)-1).Draw(t, "list")
		s.Tolerations[at] = slices.Insert(s.Tolerations[at], rapid.IntRange(0, len(s.Tolerations[at])).Draw(t, "place"), padding...)
		return s
	})
}

// These are the keys and values of crowded scenes. The first two keys have the same
// tag. So have the values of each line, except the last.
var (
	crowdedKeys   = []string{"aaap", "aakh", "k1", "k2", "k3", "k4", "k5", "k6"}
	crowdedValues = slices.Concat(
		[]string{"", "aaap", "aakh"},
		[]string{"team-1", "team-1317", "team-9971", "team-12043"},
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
			u, err := toleration.New(rapid.SampledFrom(keys).Draw(t, "key"), op, val, gen.EffectOrAbsent().Draw(t, "effect"))
			if err != nil {
				t.Fatal(err)
			}
			return u
		})
		node := rapid.Custom(func(t *rapid.T) taint.Taint {
			key, val := rapid.SampledFrom(keys).Draw(t, "key"), rapid.SampledFrom(crowdedValues).Draw(t, "value")
			return taint.MustParse(fmt.Sprintf("%s=%s:%v", key, val, gen.Effect().Draw(t, "effect")))
		})
		n := rapid.SampledFrom([]int{1, 2, 3, 5, 10, 30, 70}).Draw(t, "tolerations")
		return gen.Scene{
			Taints:      rapid.SliceOfN(node, 1, 6).Draw(t, "taints"),
			Tolerations: []toleration.List{rapid.SliceOfN(one, n, n).Draw(t, "tolerations")},
		}
	})
}

// The tags of crowded scenes are as described.
func TestCrowded(t *testing.T) {
	tag := func(s string) uint32 { return value.TagOf(s, s, 0) }
	for _, same := range [][]string{crowdedKeys[:2], crowdedValues[1:3], crowdedValues[3:7]} {
		for _, s := range same {
			if tag(s) != tag(same[0]) {
				t.Errorf("the tags of %s and %s differ; use others with equal tags", s, same[0])
			}
		}
	}
}

// shuffle returns the scene with its taints, its lists and their tolerations
// in another order.
func shuffle(t *rapid.T, s gen.Scene) gen.Scene {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
	swap := func(n int, swap func(i, j int)) { rng.Shuffle(n, swap) }
	s.Taints = slices.Clone(s.Taints)
	swap(len(s.Taints), func(i, j int) { s.Taints[i], s.Taints[j] = s.Taints[j], s.Taints[i] })
	s.Tolerations = slices.Clone(s.Tolerations)
	for l, list := range s.Tolerations {
		list = slices.Clone(list)
		swap(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		s.Tolerations[l] = list
	}
	swap(len(s.Tolerations), func(i, j int) {
		s.Tolerations[i], s.Tolerations[j] = s.Tolerations[j], s.Tolerations[i]
	})
	return s
}

func TestFilter_property(t *testing.T) { rapid.Check(t, property) }

// This compares pairs that match and pairs that nearly match, also with the numeric
// operators off (M9).
func TestFilter_pairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := gen.NearPair().Draw(t, "pair")
		want := ref.Tolerates(refToleration(p.Toleration), refTaint(p.Taint))
		if got := p.Toleration.Tolerates(p.Taint); got != want {
			t.Errorf("(%v).Tolerates(%v) = %v, want %v", p.Toleration, p.Taint, got, want)
		}
		equalsReference(t, match.Node{Taints: taint.List{p.Taint}}, toleration.List{p.Toleration})
		off := toleration.List{p.Toleration}.WithoutNumeric()
		refOff := ref.WithoutNumeric([]ref.Toleration{refToleration(p.Toleration)})
		answers(t, match.Node{Taints: taint.List{p.Taint}}, ref.Filter(ref.Node{Taints: []ref.Taint{refTaint(p.Taint)}}, refOff), []toleration.List{off})
	})
}

// An additional toleration, at any position, never makes a taint untolerated.
func TestFilter_moreTolerations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		before := taintsOf(match.Untolerated(s.Taints, s.Tolerations...))
		r := match.Filter(s.Taints, s.Tolerations...)

		l := rapid.IntRange(0, len(s.Tolerations)-1).Draw(t, "list")
		at := rapid.IntRange(0, len(s.Tolerations[l])).Draw(t, "place")
		s.Tolerations[l] = slices.Insert(slices.Clone(s.Tolerations[l]), at, gen.TolerationOrZero().Draw(t, "added"))
		for _, one := range taintsOf(match.Untolerated(s.Taints, s.Tolerations...)) {
			if !slices.Contains(before, one) {
				t.Errorf("%v, %v: %v became untolerated", s.Taints, s.Tolerations, one)
			}
		}
		after := match.Filter(s.Taints, s.Tolerations...)
		if r.Schedulable() && !after.Schedulable() || r.Preferred() && !after.Preferred() || !r.Evicted() && after.Evicted() || r.Count(0) < after.Count(0) {
			t.Errorf("%v, %v: a toleration made %+v of %+v", s.Taints, s.Tolerations, after, r)
		}
	})
}

// An additional taint never makes a node schedulable or improves the result.
func TestFilter_moreTaints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		r := match.Filter(s.Taints, s.Tolerations...)
		at := rapid.IntRange(0, len(s.Taints)).Draw(t, "place")
		s.Taints = slices.Insert(slices.Clone(s.Taints), at, gen.TaintOrZero().Draw(t, "added"))
		after := match.Filter(s.Taints, s.Tolerations...)
		if !r.Schedulable() && after.Schedulable() || !r.Preferred() && after.Preferred() || r.Evicted() && !after.Evicted() || r.Count(0) > after.Count(0) {
			t.Errorf("%v, %v: a taint made %+v of %+v", s.Taints, s.Tolerations, after, r)
		}
		rest := slices.Delete(slices.Clone(s.Taints), at, at+1)
		if a, b := classify(rest, toleration.First, s.Tolerations...), classify(s.Taints, toleration.First, s.Tolerations...); a < b {
			t.Errorf("%v, %v: a taint made the class %v of %v", s.Taints, s.Tolerations, b, a)
		}
		// A cordon does not either.
		cordoned := match.Node{Taints: s.Taints, Unschedulable: true}.Filter(s.Tolerations...)
		if !after.Schedulable() && cordoned.Schedulable() || after.Evicted() != cordoned.Evicted() {
			t.Errorf("%v, %v: a cordon made %+v of %+v", s.Taints, s.Tolerations, cordoned, after)
		}
	})
}

// The order does not affect the decision and the counts. It affects the class only with
// the choice First.
func TestFilter_order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		other := shuffle(t, s)
		a, b := match.Filter(s.Taints, s.Tolerations...), match.Filter(other.Taints, other.Tolerations...)
		if letters(a) != letters(b) {
			t.Errorf("%v, %v is %s; shuffled, %v, %v, it is %s", s.Taints, s.Tolerations, letters(a), other.Taints, other.Tolerations, letters(b))
		}
		for e := range taint.NoExecute + 1 {
			if a.Count(e) != b.Count(e) {
				t.Errorf("%v, %v: Count(%v) = %d, shuffled %d", s.Taints, s.Tolerations, e, a.Count(e), b.Count(e))
			}
		}
		for _, p := range []toleration.Choice{toleration.Shortest, toleration.Longest, toleration.ForeverElseShortest} {
			if a, b := classify(s.Taints, p, s.Tolerations...), classify(other.Taints, p, other.Tolerations...); a != b {
				t.Errorf("Classify(%v, %v, %v) = %v, shuffled %v", s.Taints, p, s.Tolerations, a, b)
			}
		}
		if c := classify(s.Taints, toleration.First, s.Tolerations...); (c == match.NotTolerated) == a.Preferred() {
			t.Errorf("Classify(%v, First, %v) = %v of a node that is %s", s.Taints, s.Tolerations, c, letters(a))
		}
	})
}

// Several lists give what their concatenation gives.
func TestFilter_concatenation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		one := slices.Concat(s.Tolerations...)
		node := match.Node{Taints: s.Taints, Unschedulable: rapid.Bool().Draw(t, "cordoned")}
		if got, want := node.Filter(s.Tolerations...), node.Filter(one); got != want {
			t.Errorf("%v: Filter(%v...) = %+v, as one list %+v", node, s.Tolerations, got, want)
		}
		if got, want := match.Compile(s.Tolerations...).Filter(node), match.Compile(one).Filter(node); got != want {
			t.Errorf("%v: Compile(%v...).Filter = %+v, as one list %+v", node, s.Tolerations, got, want)
		}
		if len(s.Taints) == 0 {
			return
		}
		p, first := gen.Choice().Draw(t, "choice"), s.Taints[0]
		at, ok := deciding(first, p, s.Tolerations...)
		for _, list := range s.Tolerations[:at.List] {
			at.Index += len(list)
		}
		at.List = 0
		if want, wantOK := deciding(first, p, one); at != want || ok != wantOK {
			t.Errorf("Explain(%v, %v, %v...) names %v, %v as one list, want %v, %v", first, p, s.Tolerations, at, ok, want, wantOK)
		}
	})
}

// A repeated toleration changes nothing. Nor does one that differs only in its seconds,
// if seconds do not count.
func TestFilter_repeats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		want := match.Filter(s.Taints, s.Tolerations...)
		if got := match.Filter(s.Taints, slices.Concat(s.Tolerations, s.Tolerations)...); got != want {
			t.Errorf("Filter(%v, %v), twice = %+v, once %+v", s.Taints, s.Tolerations, got, want)
		}
		plain := collect(s.Tolerations, func(list toleration.List) toleration.List {
			return collect(list, func(u toleration.Toleration) toleration.Toleration { return u.WithoutSeconds().Canonical() })
		})
		if got := match.Filter(s.Taints.Canonical(), plain...); letters(got) != letters(want) {
			t.Errorf("Filter(%v, %v) is %+v without seconds and times, %+v with them", s.Taints, s.Tolerations, got, want)
		}
	})
}

// Inputs are never modified, including the spare capacity of their slices.
func TestFilter_inputsUnchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := scene().Draw(t, "scene")
		s.Taints = append(s.Taints, taints("spare:NoSchedule,spare:NoExecute")...)
		node := match.Node{Taints: s.Taints[:len(s.Taints)-2], Unschedulable: rapid.Bool().Draw(t, "cordoned")}
		lists := make([]toleration.List, len(s.Tolerations))
		for i, list := range s.Tolerations {
			s.Tolerations[i] = append(list, tolerations("spare", "op=Exists")...)
			lists[i] = s.Tolerations[i][:len(list)]
		}
		before := cloned(s)

		equalsReference(t, node, lists...)
		for _, one := range node.Taints {
			equalsReferenceOne(t, one, lists...)
		}
		if diff := cmp.Diff(before, s, comparableTypes); diff != "" {
			t.Errorf("the inputs have changed (-before +after):\n%s", diff)
		}
		counts := rapid.SliceOf(rapid.Int64()).Draw(t, "counts")
		countsBefore := slices.Clone(counts)
		if diff := cmp.Diff(ref.Scores(counts), match.Scores(counts)); diff != "" {
			t.Errorf("Scores(%v) mismatch (-want +got):\n%s", counts, diff)
		}
		if !slices.Equal(counts, countsBefore) {
			t.Errorf("Scores changed %v to %v", countsBefore, counts)
		}
	})
}

func cloned(s gen.Scene) gen.Scene {
	return gen.Scene{Taints: slices.Clone(s.Taints), Tolerations: collect(s.Tolerations, slices.Clone[toleration.List])}
}

// 1,000 taints and 1,000 tolerations, of which the last one matches.
func TestFilter_thousand(t *testing.T) {
	const n = 1000
	var node taint.List
	var pod toleration.List
	for i := range n {
		effect := []string{"NoSchedule", "PreferNoSchedule", "NoExecute"}[i%3]
		node = append(node, taint.MustParse(fmt.Sprintf("key%d=%d:%s", i, i, effect)))
		pod = append(pod, toleration.MustParse(fmt.Sprintf("key%d=%d op=Equal", n-1-i, n-1-i)))
	}
	for name, lists := range map[string][]toleration.List{
		"two lists":     {pod[:n/2], pod[n/2:]},
		"half":          {pod[n/2:]},
		"wildcard last": {pod[:n-1], tolerations("op=Exists")},
		"numeric":       {tolerations("key999=998 op=Gt")},
	} {
		t.Run("F12_"+name, func(t *testing.T) { equalsReference(t, match.Node{Taints: node}, lists...) })
	}
	equalsReference(t, match.Node{Taints: node, Unschedulable: true}, pod)
	one := slices.Repeat(toleration.List{toleration.MustParse("key1=1 op=Gt")}, n)
	same := slices.Repeat(taints("key1=1:NoSchedule"), n)
	if r := match.Filter(same, one); r.Count(taint.NoSchedule) != n {
		t.Errorf("Filter(%d equal taints, %d tolerations that nearly match).Count(NoSchedule) = %d, want %d", n, n, r.Count(taint.NoSchedule), n)
	}
}
