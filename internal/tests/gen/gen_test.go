package gen_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/internal/tests/recorded"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// demand draws many times and requires at least these shares of draws of each kind. The
// seeds are fixed, so the shares are always the same.
func demand[V any](t *testing.T, name string, g *rapid.Generator[V], count func(v V, add func(kind string)), least map[string]float64) {
	t.Helper()
	const n = 4000
	got := make(map[string]float64)
	for seed := range n {
		count(g.Example(seed), func(kind string) { got[kind]++ })
	}
	for _, kind := range slices.Sorted(maps.Keys(least)) {
		if share := got[kind] / n; share < least[kind] {
			t.Errorf("%s: share of %q = %.3f, want at least %.3f", name, kind, share, least[kind])
		}
	}
}

// Every kind of value, match and list is drawn often enough.
func TestShares(t *testing.T) {
	demand(t, "Taint", gen.TaintOrZero(), taintKinds, map[string]float64{
		"NoSchedule": 0.2, "PreferNoSchedule": 0.2, "NoExecute": 0.15, "zero": 0.02,
		"integer": 0.3, "no value": 0.05, "timed": 0.1, "key a": 0.15, "key b": 0.15,
	})
	demand(t, "Toleration", gen.TolerationOrZero(), tolerationKinds, map[string]float64{
		"zero": 0.02, "op ": 0.08, "op Equal": 0.1, "op Exists": 0.15, "op Lt": 0.08, "op Gt": 0.08,
		"effect ": 0.1, "effect NoSchedule": 0.1, "effect PreferNoSchedule": 0.1, "effect NoExecute": 0.15,
		"no key": 0.04, "seconds < 0": 0.01, "seconds 0": 0.01, "seconds > 0": 0.05,
	})
	near := rapid.Custom(func(t *rapid.T) string {
		node := gen.Taint().Draw(t, "taint")
		u := gen.Near(node).Draw(t, "near")
		return map[bool]string{true: "match ", false: "miss "}[u.Tolerates(node)] + u.Operator().String()
	})
	demand(t, "Near", near, func(kind string, add func(string)) { add(kind) }, map[string]float64{
		"match Exists": 0.15, "match Lt": 0.02, "match Gt": 0.02, "match Equal": 0.08, "match ": 0.08,
		"miss Exists": 0.02, "miss Lt": 0.04, "miss Gt": 0.04, "miss Equal": 0.05, "miss ": 0.02,
	})
	sameTaints := listKinds[taint.List](taint.Taint.SameKeyEffect)
	demand(t, "Taints", gen.Taints(), sameTaints, map[string]float64{"empty": 0.03, "long": 0.2, "repeats": 0.2})
	demand(t, "NodeTaints", gen.NodeTaints(), sameTaints, map[string]float64{"empty": 0.03, "long": 0.1, "no repeats": 1})
	demand(t, "Tolerations", gen.Tolerations(), listKinds[toleration.List](toleration.Toleration.Equal), map[string]float64{"empty": 0.03, "long": 0.2, "repeats": 0.1})
	demand(t, "Tolerations with other seconds", gen.Tolerations(), listKinds[toleration.List](func(u, v toleration.Toleration) bool {
		return u != v && u.WithoutSeconds() == v.WithoutSeconds()
	}), map[string]float64{"repeats": 0.01})
	valid := map[string]float64{"valid": 0.25, "invalid": 0.25}
	demand(t, "AnyTaintFields", gen.AnyTaintFields(), func(f recorded.Taint, add func(string)) { add(validity(gen.ReadTaint(f))) }, valid)
	demand(t, "AnyTolerationFields", gen.AnyTolerationFields(), func(f recorded.Toleration, add func(string)) { add(validity(gen.ReadToleration(f))) }, valid)
	otherCase := func(text string, add func(string)) {
		if strings.Contains(text, `"KEY":`) || strings.Contains(text, `"EFFECT":`) {
			add("another case")
		}
	}
	demand(t, "TaintJSON", gen.TaintJSON(), otherCase, map[string]float64{"another case": 0.1})
	demand(t, "TolerationJSON", gen.TolerationJSON(), otherCase, map[string]float64{"another case": 0.1})
	demand(t, "Scenes", gen.Scenes(), sceneKinds, map[string]float64{
		"no taints": 0.03, "all": 0.15, "all but one": 0.1, "none": 0.03,
		"zero taint": 0.1, "zero toleration": 0.1, "numeric": 0.08,
	})
	placements := rapid.Custom(func(t *rapid.T) gen.Scene { // whose lists are drawn apart
		return gen.Scene{Taints: gen.NodeTaints().Draw(t, "taints"), Tolerations: gen.Tolerations().Draw(t, "tolerations")}
	})
	demand(t, "Placements", placements, sceneKinds, map[string]float64{"numeric": 0.03})
}

func taintKinds(v taint.Taint, add func(string)) {
	if v.IsZero() {
		add("zero")
		return
	}
	add(v.Effect().String())
	add("key " + v.Key())
	if _, err := validate.Integer(v.Value()); err == nil {
		add("integer")
	}
	if v.Value() == "" {
		add("no value")
	}
	if !v.TimeAdded().IsZero() {
		add("timed")
	}
}

func tolerationKinds(v toleration.Toleration, add func(string)) {
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
	}
}

// listKinds returns the kinds of lists whose elements can be the same.
func listKinds[L ~[]V, V any](same func(V, V) bool) func(L, func(string)) {
	return func(list L, add func(string)) {
		switch {
		case len(list) > gen.MaxList:
			panic("a list is too long")
		case len(list) == 0:
			add("empty")
		case len(list) > 3:
			add("long")
		}
		for i, v := range list {
			if slices.ContainsFunc(list[:i], func(w V) bool { return same(v, w) }) {
				add("repeats")
				return
			}
		}
		add("no repeats")
	}
}

func validity[V any](_ V, err error) string {
	if err != nil {
		return "invalid"
	}
	return "valid"
}

// In many scenes all taints are tolerated, and in many all except one. In some that is
// so only because of Lt and Gt.
func sceneKinds(s gen.Scene, add func(string)) {
	tolerated, untolerated := 0, 0
	all := s.Tolerations
	for _, one := range s.Taints {
		switch {
		case one.IsZero():
			add("zero taint")
		case all.Match(one) >= 0:
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
	untolerates := func(list toleration.List) bool {
		return slices.ContainsFunc(s.Taints, func(t taint.Taint) bool { return t.Effect() != taint.PreferNoSchedule && list.Match(t) < 0 })
	}
	if untolerates(all.WithoutNumeric()) && !untolerates(all) {
		add("numeric")
	}
	if slices.ContainsFunc(all, toleration.Toleration.IsZero) {
		add("zero toleration")
	}
}
