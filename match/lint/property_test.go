package lint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// drawn makes lists that much can be said of: few keys, among them those that
// rules know, repeats with other seconds and effects, and wildcards.
func drawn() *rapid.Generator[[]toleration.Toleration] {
	key := rapid.SampledFrom([]string{
		"a", "a", "a", "b", "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable",
		"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane",
		"node.alpha.kubernetes.io/notReady", "node.kubernetes.io/out-of-disk", "node.kubernetes.io/disk-pressure",
	})
	known := rapid.Custom(func(t *rapid.T) toleration.Toleration {
		op := gen.Operator().Draw(t, "operator")
		k, value := key.Draw(t, "key"), ""
		switch op {
		case toleration.Exists:
			if rapid.IntRange(0, 3).Draw(t, "wildcard") == 0 {
				k = ""
			}
		case toleration.Lt, toleration.Gt:
			value = gen.Bound().Draw(t, "bound")
		default:
			value = rapid.SampledFrom([]string{"", "", "x", "1"}).Draw(t, "value")
		}
		u, err := toleration.New(k, op, value, gen.EffectOrAbsent().Draw(t, "effect"))
		if err != nil {
			panic(err)
		}
		return maybeTimed(t, u)
	})
	return rapid.Custom(func(t *rapid.T) []toleration.Toleration {
		l := rapid.SliceOfN(rapid.OneOf(known, known, gen.TolerationOrZero()), 0, gen.MaxList-2).Draw(t, "list")
		for n := rapid.IntRange(0, 2).Draw(t, "repeats"); n > 0 && len(l) > 0; n-- {
			l = append(l, maybeTimed(t, rapid.SampledFrom(l).Draw(t, "repeated")))
		}
		return l
	})
}

func maybeTimed(t *rapid.T, u toleration.Toleration) toleration.Toleration {
	if u.Effect() != taint.NoExecute || !rapid.Bool().Draw(t, "timed") {
		return u
	}
	timed, err := u.WithSeconds(rapid.SampledFrom([]int64{60, 300, 0, -5}).Draw(t, "seconds"))
	if err != nil {
		panic(err)
	}
	return timed
}

// property draws a pod's list and its namespace's defaults, and holds what is
// found against the reference, and every fix against what it promises.
func property(t *rapid.T) {
	own := drawn().Draw(t, "own")
	var defaults []toleration.Toleration
	if rapid.Bool().Draw(t, "namespace") {
		defaults = drawn().Draw(t, "defaults")
	}
	check(t, own, defaults)
}

func TestR5_property(t *testing.T) { rapid.Check(t, property) }

// tester is what both *testing.T and *rapid.T are.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
}

// check holds what is found against the reference, and against what every
// finding and every fix promises.
func check(t tester, own, defaults []toleration.Toleration) {
	t.Helper()
	equalsReference(t, own, defaults)

	// Room behind the inputs shows whether anything is written there.
	canary := toleration.MustParse("canary op=Exists")
	inputs := [][]toleration.Toleration{append(slices.Clone(own), canary), append(slices.Clone(defaults), canary)}
	findings := lint.Pod(inputs[0][:len(own)], inputs[1][:len(defaults)], lint.Options{})
	for i, input := range [][]toleration.Toleration{own, defaults} {
		if !slices.Equal(inputs[i], append(slices.Clone(input), canary)) {
			t.Errorf("Pod(%v, %v) changed an input to %v", own, defaults, inputs[i])
		}
	}
	whole := slices.Concat(own, defaults)
	for k, f := range findings {
		if k > 0 && (f.Index < findings[k-1].Index || f.Index == findings[k-1].Index && f.Rule <= findings[k-1].Rule) {
			t.Errorf("%v stands behind %v", f, findings[k-1])
		}
		checkFinding(t, f, findings, whole, len(own))
		if !f.Fix.IsZero() {
			checkFix(t, f, findings, own, defaults)
		}
	}
	checkAdmitted(t, findings, own, defaults)
	checkTogether(t, findings, own, defaults)
	checkSkip(t, findings, own, defaults)
}

// checkAdmitted holds what is found to suppress a default against what becomes
// of the pod: that it does not tolerate the taint is always found, and nothing
// else is.
func checkAdmitted(t tester, findings []lint.Finding, own, defaults []toleration.Toleration) {
	t.Helper()
	pod := slices.Concat(own, admission.DefaultSeconds(admission.Seconds{}, own))
	pod = append(pod, admission.Missing(defaults, pod)...)
	for _, key := range []string{condition.NotReady, condition.Unreachable} {
		evicted := toleration.Index(pod, taint.MustParse(key+":NoExecute")) < 0
		found := slices.ContainsFunc(findings, func(f lint.Finding) bool {
			return f.Rule == lint.SuppressesDefault && f.Toleration.Key() == key
		})
		if found != evicted {
			t.Errorf("D1: %v, behind it %v, becomes %v, which %s evicts: %v; found: %v", own, defaults, pod, key, evicted, found)
		}
	}
}

// checkTogether demands that any of the fixes that change nothing can be applied
// at once.
func checkTogether(t tester, findings []lint.Finding, own, defaults []toleration.Toleration) {
	t.Helper()
	var all []lint.Fix
	for _, f := range findings {
		if f.Fix.Same && len(all) < 6 {
			all = append(all, f.Fix)
		}
	}
	whole := slices.Concat(own, defaults)
	taints := space(whole)
	for chosen := range 1 << len(all) {
		var fixes []lint.Fix
		for i, f := range all {
			if chosen>>i&1 != 0 {
				fixes = append(fixes, f)
			}
		}
		if fixed := lint.Apply(own, fixes...); !same(whole, slices.Concat(fixed, defaults), taints) {
			t.Errorf("%v, behind it %v: %v means something else, with %v", own, defaults, fixed, fixes)
		}
	}
}

func checkFinding(t tester, f lint.Finding, findings []lint.Finding, whole []toleration.Toleration, own int) {
	t.Helper()
	if f.Index < 0 || f.Index >= len(whole) || f.Toleration != whole[f.Index] {
		t.Errorf("%v of %v has another index", f, whole)
		return
	}
	if f.Index >= own && f.Rule != lint.ToleratesEverything && f.Rule != lint.OpenToEveryNode {
		t.Errorf("%v is about a default", f)
	}
	if f.Message() == "" || f.Severity == 0 || f.Severity > f.Rule.Severity() {
		t.Errorf("%v of %v has no message or severity %v", f, f.Rule, f.Severity)
	}
	if f.Other == -1 {
		if !f.OtherToleration.IsZero() {
			t.Errorf("%v: OtherToleration = %v without Other", f, f.OtherToleration)
		}
		return
	}
	if f.Other < 0 || f.Other >= len(whole) || f.Other == f.Index || f.OtherToleration != whole[f.Other] {
		t.Errorf("%v of %v: Other = %d, %v", f, whole, f.Other, f.OtherToleration)
		return
	}
	for _, g := range findings {
		if g.Index == f.Other && f.Rule != lint.Shadowed && (g.Rule == lint.NeverMatches || g.Rule == lint.Shadowed || g.Rule == lint.Redundant) {
			t.Errorf("%v: of the other %v", f, g)
		}
	}
	for _, taint := range space(whole) {
		if !f.Toleration.Tolerates(taint) || f.Rule == lint.OutdatedKey {
			continue
		}
		if !f.OtherToleration.Tolerates(taint) || f.Rule == lint.Redundant && hold(f.OtherToleration) != hold(f.Toleration) {
			t.Errorf("%v: the other does not do so for %v", f, taint)
		}
	}
	if f.Rule == lint.Shadowed && f.Other > f.Index {
		t.Errorf("%v comes before %d", f, f.Other)
	}
}

// checkFix holds a fix, applied alone, against what it promises: its finding is
// gone and no other is new, and the list means the same if it says so.
func checkFix(t tester, f lint.Finding, before []lint.Finding, own, defaults []toleration.Toleration) {
	t.Helper()
	if f.Fix.Index != f.Index || f.Index >= len(own) || (f.Fix.Edit == lint.Replace) == f.Fix.By.IsZero() {
		t.Errorf("%v has the fix %v", f, f.Fix)
	}
	given := slices.Clone(own)
	fixed := lint.Apply(given, f.Fix)
	if !slices.Equal(given, own) {
		t.Errorf("%v: %v changed the list", f, f.Fix)
	}
	type id struct {
		lint.Rule
		int
	}
	known := make(map[id]bool)
	for _, b := range before {
		known[id{b.Rule, b.Index}] = b.Rule != f.Rule || b.Index != f.Index
	}
	for _, a := range lint.Pod(fixed, defaults, lint.Options{}) {
		index := a.Index
		if f.Fix.Edit == lint.Remove && index >= f.Index {
			index++
		}
		if !known[id{a.Rule, index}] {
			t.Errorf("%v, behind it %v: with the fix of %v there is still, or newly, %v", own, defaults, f, a)
		}
	}
	if got := same(slices.Concat(own, defaults), slices.Concat(fixed, defaults), space(slices.Concat(own, defaults, fixed))); f.Fix.Same && !got {
		t.Errorf("%v: the list means something else with %v", f, f.Fix)
	} else if !f.Fix.Same && got && f.Rule != lint.OutdatedKey {
		t.Errorf("%v: the list means the same with %v, which does not say so", f, f.Fix)
	}
}

// checkSkip demands that leaving out rules leaves out their findings and
// changes nothing else, and that appending keeps what was there.
func checkSkip(t tester, findings []lint.Finding, own, defaults []toleration.Toleration) {
	t.Helper()
	for r := range lint.AllRules().All() {
		var want []lint.Finding
		for _, f := range findings {
			if f.Rule != r {
				want = append(want, f)
			}
		}
		got := lint.Pod(own, defaults, lint.Options{Skip: lint.NewRules(r)})
		if !slices.Equal(got, want) {
			t.Errorf("without %v: %v, want %v", r, got, want)
		}
	}
	first := lint.Finding{Rule: lint.NoTime, Index: 1000}
	if got := lint.AppendPod([]lint.Finding{first}, own, defaults, lint.Options{}); got[0] != first || !slices.Equal(got[1:], findings) {
		t.Errorf("AppendPod = %v, want one and %v", got, findings)
	}
}

// When all fixes that change nothing have been applied, and again until there
// are none, what remains needs each of its tolerations.
func TestR5_fixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawn().Draw(t, "list")
		fixed := l
		for rounds := 0; ; rounds++ {
			var fixes []lint.Fix
			for _, f := range lint.List(fixed, lint.Options{}) {
				if f.Fix.Same {
					fixes = append(fixes, f.Fix)
				}
			}
			if len(fixes) == 0 {
				break
			}
			if rounds > len(l) {
				t.Fatalf("%v is never done", l)
			}
			fixed = lint.Apply(fixed, fixes...)
		}
		taints := space(l)
		if !same(l, fixed, taints) {
			t.Errorf("%v means something else than %v", fixed, l)
		}
		for i, u := range fixed {
			if !u.IsZero() && same(fixed, slices.Delete(slices.Clone(fixed), i, i+1), taints) {
				t.Errorf("%v is left of %v, and does not need %v", fixed, l, u)
			}
		}
	})
}
