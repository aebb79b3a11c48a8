package gen_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// shares draws many times and returns the share of draws for each name. The seeds are
// fixed, so the shares are always the same.
func shares[V any](g *rapid.Generator[V], count func(v V, add func(name string))) map[string]float64 {
	const n = 4000
	m := make(map[string]float64)
	for seed := range n {
		count(g.Example(seed), func(name string) { m[name] += 1.0 / n })
	}
	return m
}

func demand(t *testing.T, got map[string]float64, least map[string]float64) {
	t.Helper()
	for name, want := range least {
		if got[name] < want {
			t.Errorf("share of %q = %.3f, want at least %.3f", name, got[name], want)
		}
	}
	if t.Failed() {
		t.Logf("all shares: %v", got)
	}
}

func TestTaint(t *testing.T) {
	got := shares(gen.TaintOrZero(), func(v taint.Taint, add func(string)) {
		add(v.Effect().String())
		if v.IsZero() {
			add("zero")
			return
		}
		add("key " + v.Key())
		switch _, ok := v.Integer(); {
		case ok:
			add("integer")
		case v.Value() == "":
			add("no value")
		default:
			add("word")
		}
		if !v.TimeAdded().IsZero() {
			add("timed")
		}
	})
	demand(t, got, map[string]float64{
		"NoSchedule": 0.2, "PreferNoSchedule": 0.2, "NoExecute": 0.15, "zero": 0.02,
		"integer": 0.3, "no value": 0.05, "word": 0.1, "timed": 0.1, "key a": 0.15, "key b": 0.15,
	})
}

func TestToleration(t *testing.T) {
	got := shares(gen.TolerationOrZero(), func(v toleration.Toleration, add func(string)) {
		if v.IsZero() {
			add("zero")
			return
		}
		add("op " + v.Operator().String())
		add("effect " + v.Effect().String())
		if v.Key() == "" {
			add("no key")
		}
		switch n, ok := v.Seconds(); {
		case ok && n < 0:
			add("seconds < 0")
		case ok && n == 0:
			add("seconds 0")
		case ok:
			add("seconds > 0")
		case v.Effect() == taint.NoExecute:
			add("no seconds")
		}
	})
	demand(t, got, map[string]float64{
		"zero": 0.02, "op ": 0.08, "op Equal": 0.1, "op Exists": 0.15, "op Lt": 0.08, "op Gt": 0.08,
		"effect ": 0.1, "effect NoSchedule": 0.1, "effect PreferNoSchedule": 0.1, "effect NoExecute": 0.15,
		"no key": 0.04, "seconds < 0": 0.01, "seconds 0": 0.01, "seconds > 0": 0.05, "no seconds": 0.1,
	})
}

// Independent draws and near pairs both match and do not match, under each operator.
func TestMatches(t *testing.T) {
	count := func(p gen.Pair, add func(string)) {
		op := p.Toleration.Operator().String()
		if p.Toleration.Tolerates(p.Taint) {
			add("match")
			add("match " + op)
		} else {
			add("miss " + op)
		}
	}
	independent := rapid.Custom(func(t *rapid.T) gen.Pair {
		return gen.Pair{Toleration: gen.Toleration().Draw(t, "toleration"), Taint: gen.Taint().Draw(t, "taint")}
	})
	t.Run("independent", func(t *testing.T) {
		demand(t, shares(independent, count), map[string]float64{
			"match": 0.08, "match Exists": 0.05, "match Lt": 0.003, "match Gt": 0.003, "match Equal": 0.003, "match ": 0.002,
			"miss Exists": 0.1, "miss Lt": 0.05, "miss Gt": 0.05, "miss Equal": 0.1, "miss ": 0.05,
		})
	})
	t.Run("near", func(t *testing.T) {
		demand(t, shares(gen.NearPair(), count), map[string]float64{
			"match": 0.4, "match Exists": 0.15, "match Lt": 0.02, "match Gt": 0.02, "match Equal": 0.08, "match ": 0.08,
			"miss Exists": 0.02, "miss Lt": 0.04, "miss Gt": 0.04, "miss Equal": 0.05, "miss ": 0.02,
		})
	})
}

func TestLists(t *testing.T) {
	repeats := func(n int, same func(i, j int) bool) bool {
		for i := range n {
			for j := range i {
				if same(i, j) {
					return true
				}
			}
		}
		return false
	}
	taints := func(v taint.List, add func(string)) {
		switch {
		case len(v) == 0:
			add("empty")
		case len(v) > 3:
			add("long")
		}
		if len(v) > gen.MaxList {
			add("too long")
		}
		if repeats(len(v), func(i, j int) bool { return v[i].SameKeyEffect(v[j]) }) {
			add("repeats")
		}
	}
	got := shares(gen.Taints(), taints)
	demand(t, got, map[string]float64{"empty": 0.03, "long": 0.2, "repeats": 0.2})
	node := shares(gen.NodeTaints(), taints)
	demand(t, node, map[string]float64{"empty": 0.03, "long": 0.1})
	if got["too long"]+node["too long"]+node["repeats"] != 0 {
		t.Errorf("Taints has %v, NodeTaints has %v: too long, or repeated", got, node)
	}
	demand(t, shares(gen.Tolerations(), func(v toleration.List, add func(string)) {
		if len(v) == 0 {
			add("empty")
		}
		if repeats(len(v), func(i, j int) bool { return v[i] == v[j] }) {
			add("repeats")
		}
		if repeats(len(v), func(i, j int) bool {
			return v[i] != v[j] && v[i].WithoutSeconds() == v[j].WithoutSeconds()
		}) {
			add("other seconds")
		}
	}), map[string]float64{"empty": 0.03, "repeats": 0.1, "other seconds": 0.01})
	demand(t, shares(gen.TolerationLists(), func(v []toleration.List, add func(string)) {
		add([]string{"none", "one", "two", "three"}[len(v)])
	}), map[string]float64{"none": 0.05, "one": 0.1, "two": 0.1, "three": 0.1})
}

func TestFields(t *testing.T) {
	valid := func(err error) string {
		if err != nil {
			return "invalid"
		}
		return "valid"
	}
	demand(t, shares(gen.AnyTaintFields(), func(f gen.TaintFields, add func(string)) {
		_, err := f.Make()
		add(valid(err))
	}), map[string]float64{"valid": 0.25, "invalid": 0.25})
	demand(t, shares(gen.AnyTolerationFields(), func(f gen.TolerationFields, add func(string)) {
		_, err := f.Make()
		add(valid(err))
	}), map[string]float64{"valid": 0.25, "invalid": 0.25})
}

// In many scenes all taints are tolerated, and in many all except one.
func TestScenes(t *testing.T) {
	demand(t, shares(gen.Scenes(), func(s gen.Scene, add func(string)) {
		tolerated, untolerated := 0, 0
		all := slices.Concat(s.Tolerations...)
		for _, taint := range s.Taints {
			switch {
			case taint.IsZero():
				add("zero taint")
			case all.Match(taint) >= 0:
				tolerated++
			default:
				untolerated++
			}
		}
		switch {
		case tolerated+untolerated == 0:
			add("no taints")
		case untolerated == 0:
			add("all")
		case untolerated == 1:
			add("all but one")
		case tolerated == 0:
			add("none")
		}
		if len(s.Tolerations) > 1 {
			add("several lists")
		}
		if slices.ContainsFunc(all, toleration.Toleration.IsZero) {
			add("zero toleration")
		}
	}), map[string]float64{
		"no taints": 0.03, "all": 0.15, "all but one": 0.1, "none": 0.03,
		"several lists": 0.3, "zero taint": 0.1, "zero toleration": 0.1,
	})
}

// The fields of a valid value make the same value again.
func TestFields_roundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := gen.Taint().Draw(t, "taint").Canonical()
		if got, err := gen.FieldsOfTaint(want).Make(); got != want || err != nil {
			t.Errorf("FieldsOfTaint(%v).Make() = %v, %v, want the taint", want, got, err)
		}
		u := gen.Toleration().Draw(t, "toleration")
		if got, err := gen.FieldsOfToleration(u).Make(); got != u || err != nil {
			t.Errorf("FieldsOfToleration(%v).Make() = %v, %v, want the toleration", u, got, err)
		}
	})
}
