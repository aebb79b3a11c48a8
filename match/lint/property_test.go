package lint_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match/lint"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
)

// drawn generates lists with many findings: few keys, among them those that the
// checks know, duplicates with other seconds and effects, and wildcards.
func drawn() *rapid.Generator[toleration.List] {
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
		return maybeTimed(t, problem.Must(toleration.New(k, op, value, gen.EffectOrAbsent().Draw(t, "effect"))))
	})
	return rapid.Custom(func(t *rapid.T) toleration.List {
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
	return problem.Must(u.WithSeconds(rapid.SampledFrom([]int64{60, 300, 0, -5}).Draw(t, "seconds")))
}

// property checks the list of a pod with the defaults of its namespace.
func property(t *rapid.T) {
	own := drawn().Draw(t, "own")
	var defaults toleration.List
	if rapid.Bool().Draw(t, "namespace") {
		defaults = drawn().Draw(t, "defaults")
	}
	check(t, own, defaults)
}

func TestFind_property(t *testing.T) { rapid.Check(t, property) }

// FuzzFind searches, among the lists that TestFind_property draws, for a wrong finding.
func FuzzFind(f *testing.F) { gen.Fuzz(f, property) }

// check compares the findings with the reference, and tests the documented
// properties of every finding and fix.
func check(t rapid.TB, own, defaults toleration.List) {
	t.Helper()
	equalsReference(t, own, defaults)

	// An element after each input shows whether Find writes there.
	canary := toleration.MustParse("canary op=Exists")
	a, b := append(slices.Clone(own), canary), append(slices.Clone(defaults), canary)
	before := slices.Concat(a, b)
	findings := lint.Find(a[:len(own)], lint.Options{Defaults: b[:len(defaults)]})
	if after := slices.Concat(a, b); !slices.Equal(before, after) {
		t.Errorf("Find changed its inputs from %v to %v", before, after)
	}
	whole := slices.Concat(own, defaults)
	for k, f := range findings {
		if k > 0 && (f.Index < findings[k-1].Index || f.Index == findings[k-1].Index && f.Check <= findings[k-1].Check) {
			t.Errorf("%v is after %v", f, findings[k-1])
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

// checkAdmitted tests that SuppressesDefault is found exactly if the pod, after
// admission, does not tolerate the taint.
func checkAdmitted(t rapid.TB, findings []lint.Finding, own, defaults toleration.List) {
	t.Helper()
	pod := slices.Concat(own, admission.DefaultSeconds(admission.SecondsOptions{}, own))
	pod = cover.Merge(pod, defaults)
	for _, key := range []string{condition.NotReady, condition.Unreachable} {
		evicted := pod.Match(taint.MustParse(key+":NoExecute")) < 0
		found := slices.ContainsFunc(findings, func(f lint.Finding) bool {
			return f.Check == lint.SuppressesDefault && f.Toleration.Key() == key
		})
		if found != evicted {
			t.Errorf("D1: %v with defaults %v becomes %v, which %s evicts: %v; found: %v", own, defaults, pod, key, evicted, found)
		}
	}
}

// apply returns the list after the fixes, which are sorted.
func apply(list toleration.List, fixes ...lint.Fix) toleration.List {
	list = slices.Clone(list)
	for _, f := range slices.Backward(fixes) {
		if list[f.Index] = f.After; f.After.IsZero() {
			list = slices.Delete(list, f.Index, f.Index+1)
		}
	}
	return list
}

// checkTogether tests that the list stays equivalent while the equivalent fixes are applied
// one by one, in every order: after each subset of them.
func checkTogether(t rapid.TB, findings []lint.Finding, own, defaults toleration.List) {
	t.Helper()
	var all []lint.Fix
	for _, f := range findings {
		if f.Fix.Equivalent && len(all) < 6 {
			all = append(all, f.Fix)
		}
	}
	whole := slices.Concat(own, defaults)
	taints := gen.Distinguishing(whole)
	for chosen := range 1 << len(all) {
		var fixes []lint.Fix
		for i, f := range all {
			if chosen>>i&1 != 0 {
				fixes = append(fixes, f)
			}
		}
		if fixed := apply(own, fixes...); !same(whole, slices.Concat(fixed, defaults), taints) {
			t.Errorf("%v with defaults %v is not equivalent to %v, after the fixes %v", own, defaults, fixed, fixes)
		}
	}
}

func checkFinding(t rapid.TB, f lint.Finding, findings []lint.Finding, whole toleration.List, own int) {
	t.Helper()
	if f.Index < 0 || f.Index >= len(whole) || f.Toleration != whole[f.Index] {
		t.Errorf("%v of %v has a wrong index", f, whole)
		return
	}
	if f.Index >= own && f.Check != lint.ToleratesEverything && f.Check != lint.OpenToEveryNode && f.Check != lint.TooLong {
		t.Errorf("%v is about a default", f)
	}
	if f.Fix.IsZero() && (f.Check == lint.Redundant || f.Check == lint.Shadowed || f.Check == lint.NeverMatches) {
		t.Errorf("%v of %v has no fix", f, whole)
	}
	if f.Message() == "" || f.Severity == 0 || f.Severity > f.Check.Severity() {
		t.Errorf("%v of %v has no message or severity %v", f, f.Check, f.Severity)
	}
	if f.Other == -1 && f.OtherToleration.IsZero() {
		return
	}
	if f.Other < 0 || f.Other >= len(whole) || f.Other == f.Index || f.OtherToleration != whole[f.Other] {
		t.Errorf("%v of %v: Other = %d, %v", f, whole, f.Other, f.OtherToleration)
		return
	}
	for _, g := range findings {
		if g.Index == f.Other && f.Check != lint.Shadowed && (g.Check == lint.NeverMatches || g.Check == lint.Shadowed || g.Check == lint.Redundant) {
			t.Errorf("%v: the other toleration has the finding %v", f, g)
		}
	}
	for _, taint := range gen.Distinguishing(whole) {
		if !f.Toleration.Tolerates(taint) || f.Check == lint.OutdatedKey {
			continue
		}
		if !f.OtherToleration.Tolerates(taint) || f.Check == lint.Redundant && hold(f.OtherToleration) != hold(f.Toleration) {
			t.Errorf("%v: the other toleration does not cover %v", f, taint)
		}
	}
	if f.Check == lint.Shadowed && f.Other > f.Index {
		t.Errorf("%v is before %d", f, f.Other)
	}
}

// checkFix tests that a fix, applied alone, corrects its finding and causes no
// other unless another toleration is not needed then, and that Equivalent is correct.
func checkFix(t rapid.TB, f lint.Finding, before []lint.Finding, own, defaults toleration.List) {
	t.Helper()
	if f.Fix.Index != f.Index || f.Index >= len(own) || f.Fix.Before != f.Toleration || f.Fix.After == f.Toleration {
		t.Errorf("%v has the fix %v", f, f.Fix)
	}
	fixed := apply(own, f.Fix)
	type id struct {
		lint.Check
		int
	}
	known := make(map[id]bool)
	for _, b := range before {
		known[id{b.Check, b.Index}] = b.Check != f.Check || b.Index != f.Index
	}
	var others []lint.Finding
	unneeded := false // another toleration is shadowed or redundant now
	for _, a := range lint.Find(fixed, lint.Options{Defaults: defaults}) {
		index := a.Index
		if f.Fix.After.IsZero() && index >= f.Index {
			index++
		}
		if !known[id{a.Check, index}] {
			others = append(others, a)
			unneeded = unneeded || a.Check == lint.Redundant || a.Check == lint.Shadowed
		}
	}
	if len(others) > 0 && !(f.Fix.Equivalent && unneeded) {
		t.Errorf("%v with defaults %v: after the fix of %v there are still, or newly, %v", own, defaults, f, others)
	}
	if got := same(slices.Concat(own, defaults), slices.Concat(fixed, defaults), gen.Distinguishing(slices.Concat(own, defaults, fixed))); f.Fix.Equivalent && !got {
		t.Errorf("%v: the list is not equivalent after the fix %v", f, f.Fix)
	} else if !f.Fix.Equivalent && got && f.Check != lint.OutdatedKey {
		t.Errorf("%v: the list is equivalent after the fix %v, whose Equivalent is false", f, f.Fix)
	}
}

// checkSkip tests that skipping a check omits its findings and changes no other.
func checkSkip(t rapid.TB, findings []lint.Finding, own, defaults toleration.List) {
	t.Helper()
	for _, r := range lint.Checks() {
		want := slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return f.Check == r })
		got := lint.Find(own, lint.Options{Defaults: defaults, Skip: []lint.Check{r}})
		if !slices.Equal(got, want) {
			t.Errorf("without %v: %v, want %v", r, got, want)
		}
	}
}
