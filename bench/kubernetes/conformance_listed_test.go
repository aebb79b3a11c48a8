package kubernetes_test

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/util/flag"
	"k8s.io/kubernetes/pkg/util/taints"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// Every difference that SEMANTICS.md lists has a test with its id: it proves that
// the difference exists and has the extent that its comment describes. If a test fails because the
// difference no longer exists, remove the entry from the list.

func refusedToleration(t corev1.Toleration, gate bool) field.ErrorList {
	return validation.ValidateTolerations(internalTolerations([]corev1.Toleration{t}), field.NewPath("spec", "tolerations"), validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: gate})
}

func refusedTaints(list ...corev1.Taint) field.ErrorList {
	return validation.ValidateNode(&core.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: core.NodeSpec{Taints: internalTaints(list)}})
}

// A value that Kubernetes' validation rejects cannot be made here; its zero
// value matches nothing, and nothing matches it. Kubernetes' matcher
// evaluates any input. This difference affects exactly what that validation rejects.
func TestListed_M8_invalid(t *testing.T) {
	t.Parallel()
	zero, plain := corev1.Toleration{}, corev1.Taint{Key: "k", Effect: corev1.TaintEffectNoSchedule}
	if !zero.ToleratesTaint(quiet, &plain, true) {
		t.Error("Kubernetes' zero toleration matches no taint without a value any more")
	}
	if (toleration.Toleration{}).Tolerates(taint.MustParse("k:NoSchedule")) {
		t.Error("ours does")
	}

	all := allTaints()
	validTaint := make([]bool, len(all))
	for i := range all {
		validTaint[i] = len(refusedTaints(all[i])) == 0
	}
	byZero, byTaint := 0, 0
	for _, tol := range allTolerations() {
		valid := len(refusedToleration(tol, true)) == 0
		u, _ := ourToleration(tol)
		compiled, off := match.Compile(toleration.List{u}), toleration.List{u}.WithoutNumeric()[0]
		for i, tnt := range all {
			v, _ := ourTaint(tnt)
			theirs, gateOff := tol.ToleratesTaint(quiet, &tnt, true), tol.ToleratesTaint(quiet, &tnt, false)
			bothValid := valid && validTaint[i]
			if got, want := u.Tolerates(v), theirs && bothValid; got != want || (compiled.Filter(match.Node{Taints: taint.List{v}}) == match.Result{}) != want || off.Tolerates(v) != (gateOff && bothValid) {
				t.Fatalf("%s on %s: Kubernetes %v, without numeric operators %v, valid %v and %v, ours %v", tol.String(), tnt.ToString(), theirs, gateOff, valid, validTaint[i], got)
			}
			if theirs && !valid {
				byZero++
			}
			if theirs && valid && !validTaint[i] {
				byTaint++
			}
		}
	}
	if byZero == 0 || byTaint == 0 {
		t.Errorf("Kubernetes matches %d pairs with an invalid toleration, %d with an invalid taint", byZero, byTaint)
	}

	// In a node's list an invalid taint repels pods and never evicts; in Kubernetes a
	// wildcard can tolerate it.
	wildcard := corev1.Toleration{Operator: corev1.TolerationOpExists}
	opened := 0
	for i, tnt := range all {
		if validTaint[i] {
			continue
		}
		if wildcard.ToleratesTaint(quiet, &tnt, true) {
			opened++
		}
		v, _ := ourTaint(tnt)
		u, _ := ourToleration(wildcard)
		r := match.Node{Taints: taint.List{v}}.Filter(toleration.List{u})
		if r.Schedulable() || r.Preferred() || r.Evicted() || r.Count(taint.NoSchedule) != 1 {
			t.Fatalf("%s: ours %v", tnt.ToString(), r)
		}
	}
	if opened == 0 {
		t.Error("Kubernetes' wildcard tolerates no invalid taint any more")
	}

	// The scheduler ignores an unknown effect, and decoding accepts any values.
	unknown := []corev1.Taint{{Key: "k", Effect: "NoAdmit"}}
	if status := taintPlugins(t)[true].Filter(quietContext(), nil, &corev1.Pod{}, nodeInfo(unknown, false)); !status.IsSuccess() {
		t.Errorf("Kubernetes' scheduler does not ignore %v: %v", unknown, status)
	}
	if v, _ := ourTaint(unknown[0]); (match.Node{Taints: taint.List{v}}).Filter(nil).Schedulable() {
		t.Error("ours ignores it")
	}
	if json.Unmarshal([]byte(`{}`), &zero) != nil || json.Unmarshal([]byte(`{}`), new(toleration.Toleration)) == nil {
		t.Error("Kubernetes rejects {} in decoding, or ours does not")
	}
	if data, err := json.Marshal([]any{corev1.Toleration{}, toleration.Toleration{}}); err != nil || string(data) != `[{},null]` {
		t.Errorf("the JSON of zero values: %s, %v", data, err)
	}
}

// A taint's number is never negative, because its value is a label value.
// This is part of M8-invalid, and the reason why four of upstream's tests
// cannot pass.
func TestListed_V3_negative(t *testing.T) {
	t.Parallel()
	tnt := corev1.Taint{Key: "k", Value: "-1", Effect: corev1.TaintEffectNoSchedule}
	tol := corev1.Toleration{Key: "k", Operator: corev1.TolerationOpLt, Value: "0"}
	if !tol.ToleratesTaint(quiet, &tnt, true) || len(refusedTaints(tnt)) == 0 {
		t.Error("Kubernetes' matcher does not take it, or its validation does")
	}
	if v, err := ourTaint(tnt); err == nil || !v.IsZero() {
		t.Error("ours takes it")
	}
}

// Problems are reported at the field to change. The mapping is tolerationPlaces
// and taintPlaces; the tests of the validation prove its extent, and that each
// of its lines occurs. This test has each path that differs.
func TestListed_V10_paths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tol          corev1.Toleration
		theirs, ours string
	}{
		{corev1.Toleration{Effect: "NoSchedule"}, "operator", "key"},
		{corev1.Toleration{Operator: "Gt", Value: "1"}, "operator", "key"},
		{corev1.Toleration{Key: "k", Operator: "Exists", Value: "v"}, "operator", "value"},
		{corev1.Toleration{Key: "k", Value: "a b"}, "operator", "value"},
		{corev1.Toleration{Key: "k", Value: strings.Repeat("v", 64)}, "operator", "value"},
		{corev1.Toleration{Key: "k", TolerationSeconds: new(int64(1))}, "effect", "tolerationSeconds"},
	} {
		errs := refusedToleration(c.tol, true)
		_, err := ourToleration(c.tol)
		ps := problemsOf(err)
		if len(errs) != 1 || errs[0].Field != "spec.tolerations[0]."+c.theirs || len(ps) != 1 || ps[0].Path != c.ours {
			t.Errorf("%s: Kubernetes %v, want .%s; ours %v, want %s", c.tol.String(), errs, c.theirs, ps, c.ours)
		}
	}
	if errs := refusedTaints(corev1.Taint{Effect: "NoSchedule"}); len(errs) == 0 || !strings.HasPrefix(errs[0].Field, "metadata.taints[0]") {
		t.Errorf("a node's taints: Kubernetes %v", errs)
	}
}

// An update reports every toleration that was removed; Kubernetes reports the first.
// Each has the path of the list, and the update is rejected on both
// sides.
func TestListed_V10_all(t *testing.T) {
	t.Parallel()
	old := []corev1.Toleration{{Key: "a"}, {Key: "b"}, {Key: "c"}}
	errs := upstream.UpdateErrors(internalTolerations(old), internalTolerations(old[:1]))
	if len(errs) != 1 || errs[0].Field != "spec.tolerations" || errs[0].Type != field.ErrorTypeForbidden {
		t.Errorf("Kubernetes %v", errs)
	}
	before, _ := ourTolerations(old)
	ps := problemsOf(before[:1].Validate(before, false))
	if len(ps) != 2 {
		t.Fatalf("ours %v", ps)
	}
	for i, p := range ps {
		if p.Path != "spec.tolerations" || p.Rule != validate.NotAllowed || p.Value != before[i+1].String() {
			t.Errorf("ours %v", p)
		}
	}

	// Decoding stops at the first value of a wrong type.
	text := `[{"key":1},{"key":2},{"operator":"exists"}]`
	_, _, err := strictly[corev1.Toleration](text)
	_, _, gerr := toleration.Decode([]byte(text), toleration.DecodeOptions{})
	if ps := problemsOf(gerr); err == nil || strings.Contains(err.Error(), "\n") || len(ps) != 3 {
		t.Errorf("%s: Kubernetes %v, ours %v", text, err, gerr)
	}
}

// One mistake is reported once. The extent is mapper.causes.
func TestListed_V10_once(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tol  corev1.Toleration
		path string
	}{
		{corev1.Toleration{Key: "k", Effect: "noexecute", TolerationSeconds: new(int64(1))}, "effect"},
		{corev1.Toleration{Operator: "exists"}, "operator"},
	} {
		errs := refusedToleration(c.tol, true)
		_, err := ourToleration(c.tol)
		if ps := problemsOf(err); len(errs) != 2 || len(ps) != 1 || ps[0].Path != c.path {
			t.Errorf("%s: Kubernetes %v, ours %v", c.tol.String(), errs, ps)
		}
	}
}

// The messages are our own, so upstream's tests that compare messages cannot
// pass; the field and the answer are the same. Problems are in the order of the fields.
func TestListed_V10_wording(t *testing.T) {
	t.Parallel()
	two := corev1.Toleration{Key: "k", Value: "a b", TolerationSeconds: new(int64(1))}
	_, err := ourToleration(two)
	theirs, ps := refusedToleration(two, true), problemsOf(err)
	if len(theirs) != 2 || theirs[0].Field != "spec.tolerations[0].effect" || len(ps) != 2 || ps[0].Path != "value" {
		t.Errorf("%s: Kubernetes %v, ours %v", two.String(), theirs, ps)
	}
	for _, value := range badInts {
		tol := corev1.Toleration{Key: "k", Operator: corev1.TolerationOpGt, Value: value}
		errs := refusedToleration(tol, true)
		_, err := ourToleration(tol)
		ps := problemsOf(err)
		if len(errs) == 0 || errs[0].Field != "spec.tolerations[0].value" || len(ps) != 1 || ps[0].Path != "value" {
			t.Errorf("%q: Kubernetes %v, ours %v", value, errs, ps)
		} else if strings.Contains(ps[0].Error(), errs[0].Detail) {
			t.Errorf("%q: the same words by now: %v", value, ps[0])
		}
	}
}

// By default, Kubernetes rejects Lt and Gt and does not match them. With NumericOff and
// WithoutNumeric, there is no difference.
func TestListed_V11_gate(t *testing.T) {
	t.Parallel()
	gate, known := utilfeature.DefaultMutableFeatureGate.GetAllVersioned()[features.TaintTolerationComparisonOperators]
	if !known || gate[len(gate)-1].Default {
		t.Fatalf("the gate is on by default: %+v", gate)
	}
	tnt := corev1.Taint{Key: "k", Value: "9", Effect: corev1.TaintEffectNoSchedule}
	tol := corev1.Toleration{Key: "k", Operator: corev1.TolerationOpGt, Value: "5"}
	ours, err := ourToleration(tol)
	list := toleration.List{ours}
	matches := func(list toleration.List) bool { return list.Match(taint.MustParse("k=9:NoSchedule")) == 0 }
	for _, on := range []bool{true, false} {
		valid, theirs := len(refusedToleration(tol, on)) == 0, tol.ToleratesTaint(quiet, &tnt, on)
		used := list
		if !on {
			used = list.WithoutNumeric()
		}
		if got := list.Validate(nil, !on) == nil; valid != on || theirs != on || got != valid || matches(used) != theirs {
			t.Errorf("gate %v: Kubernetes: valid %v, matches %v; ours: %v, %v", on, valid, theirs, got, matches(used))
		}
	}
	if err != nil || list.Validate(nil, false) != nil || !matches(list) {
		t.Errorf("by default, ours: %v, %v, %v", err, list.Validate(nil, false), matches(list))
	}
}

// With numeric operators off, the value of a Lt or Gt is also checked; in
// Kubernetes it is not. The extent is withoutNumericValues.
func TestListed_V11_value(t *testing.T) {
	t.Parallel()
	tol := corev1.Toleration{Key: "k", Operator: corev1.TolerationOpGt, Value: "a/b"}
	errs := refusedToleration(tol, false)
	_, _, err := toleration.Decode([]byte(`[{"key":"k","operator":"Gt","value":"a/b"}]`), toleration.DecodeOptions{NumericOff: true})
	ps := problemsOf(err)
	if len(errs) != 1 || errs[0].Field != "spec.tolerations[0].operator" ||
		len(ps) != 2 || ps[0].Path != "spec.tolerations[0].operator" || ps[1].Path != "spec.tolerations[0].value" {
		t.Errorf("Kubernetes %v, ours %v", errs, ps)
	}
}

// A repeated key and effect is not reported if the key or the effect is invalid.
// The extent is dropInvalidRepeats.
func TestListed_V8_invalid_repeats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list []corev1.Taint
		ours []string
	}{
		{[]corev1.Taint{{Key: "k"}, {Key: "k"}}, []string{"spec.taints[0].effect", "spec.taints[1].effect"}},
		{[]corev1.Taint{{Key: "-", Effect: "NoSchedule"}, {Key: "-", Effect: "NoSchedule"}}, []string{"spec.taints[0].key", "spec.taints[1].key"}},
	} {
		errs := refusedTaints(c.list...)
		data, _ := json.Marshal(c.list)
		_, _, err := taint.Decode(data, taint.DecodeOptions{})
		if got := slices.Sorted(maps.Keys(ourPaths(problemsOf(err)))); len(errs) != 3 || errs[2].Type != field.ErrorTypeDuplicate || !slices.Equal(got, c.ours) {
			t.Errorf("Kubernetes %v, ours %v", errs, err)
		}
	}
}

// ParseTaints also parses edits; what it parses as a removal is not a taint.
// This difference affects exactly the texts that end in "-", all of which ours rejects
// (TestParseTaints covers the others).
func TestListed_K1_edits(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"k-", "k:NoSchedule-", "k=v:NoSchedule-"} {
		_, remove, err := taints.ParseTaints([]string{s})
		_, gerr := taint.Parse(s)
		e, eerr := taint.ParseEdit(s)
		if len(remove) != 1 || err != nil || gerr == nil || eerr != nil || !e.IsRemoval() {
			t.Errorf("%q: Kubernetes removes %v, %v; ours %v, as an edit %v %v", s, remove, err, gerr, e, eerr)
		}
	}
}

// The kubelet's flag silently omits removals from its list; ours rejects the
// list. Without removals, both sides agree (TestRegisterWithTaints_K6).
func TestListed_K6_edits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a:NoSchedule,b=v:NoExecute-", "b:NoSchedule-,a:NoSchedule"} {
		var theirs []corev1.Taint
		err := flag.RegisterWithTaintsVar{Value: &theirs}.Set(text)
		if got, gerr := taint.ParseList(text); err != nil || len(theirs) != 1 || theirs[0].Key != "a" || gerr == nil {
			t.Errorf("%q: Kubernetes %v %v, ours %v %v", text, theirs, err, got, gerr)
		}
	}
}

// In lenient decoding, only the last value of a repeated field counts;
// Kubernetes' decoder also rejects an earlier one of the wrong type. Strict
// decoding rejects the repeat on both sides.
func TestListed_K4_overruled(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[{"key":7,"key":"k","effect":"NoSchedule"}]`,
		`[{"key":"k","effect":{},"effect":"NoSchedule"}]`,
		`[{"key":"k","effect":"NoSchedule","timeAdded":"x","timeAdded":null}]`,
	} {
		_, strict, err := strictly[corev1.Taint](text)
		_, _, gerr := taint.Decode([]byte(text), taint.DecodeOptions{})
		_, _, serr := taint.Decode([]byte(text), taint.DecodeOptions{Strict: true})
		if err == nil || gerr != nil || !repeatsField(serr) {
			t.Errorf("%s: Kubernetes %v and strictly %v, ours %v and strictly %v", text, err, strict, gerr, serr)
		}
	}
}

// A time added outside the years 1 to 9999 is rejected; Kubernetes writes it,
// and cannot read most of what it writes.
func TestListed_V6_years(t *testing.T) {
	t.Parallel()
	base := taint.MustParse("k:NoSchedule")
	for _, c := range []struct {
		at           time.Time
		refused      bool // by us
		readableBack bool // by Kubernetes
	}{
		{time.Date(-1, 12, 31, 23, 59, 59, 0, time.UTC), true, false},
		{time.Date(0, 12, 31, 23, 59, 59, 0, time.UTC), true, true},
		{time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), false, true},
		{time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), false, true},
		{time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), true, false},
	} {
		_, err := base.WithTimeAdded(c.at)
		ps := problemsOf(err)
		if refused := len(ps) == 1 && ps[0].Rule == validate.TimeRange; refused != c.refused {
			t.Errorf("%v: ours %v", c.at, err)
		}
		data, err := json.Marshal(corev1.Taint{Key: "k", Effect: "NoSchedule", TimeAdded: &metav1.Time{Time: c.at}})
		var back corev1.Taint
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if (err == nil) != c.readableBack {
			t.Errorf("%v: Kubernetes writes %s, and reads it back: %v", c.at, data, err)
		}
	}
}

// A time added has whole seconds. Kubernetes keeps a fraction of a second in memory, and
// drops it from all that it writes.
func TestListed_V6_fraction(t *testing.T) {
	t.Parallel()
	text := []byte(`{"key":"k","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05.5Z"}`)
	var theirs, back corev1.Taint
	var ours taint.Taint
	err, oerr := json.Unmarshal(text, &theirs), json.Unmarshal(text, &ours)
	binary, merr := theirs.Marshal() // protobuf
	if err := errors.Join(err, oerr, merr, back.Unmarshal(binary)); err != nil {
		t.Fatal(err)
	}
	written, _ := json.Marshal(theirs)
	same, _ := json.Marshal(ours)
	if theirs.TimeAdded.Nanosecond() == 0 || back.TimeAdded.Nanosecond() != 0 || ours.TimeAdded().Nanosecond() != 0 || string(written) != string(same) {
		t.Errorf("Kubernetes has %v and writes %s and %v; ours has %v and writes %s", theirs.TimeAdded, written, back.TimeAdded, ours.TimeAdded(), same)
	}
}

// A zero time added means absent and is omitted; Kubernetes writes null. Both
// sides read the other's text as absent.
func TestListed_V6_zero_time(t *testing.T) {
	t.Parallel()
	theirs := corev1.Taint{Key: "k", Effect: "NoSchedule", TimeAdded: &metav1.Time{}}
	ours := valid(ourTaint(theirs))
	theirText, _ := json.Marshal(theirs)
	ourText, _ := json.Marshal(ours)
	if string(theirText) != `{"key":"k","effect":"NoSchedule","timeAdded":null}` || string(ourText) != `{"key":"k","effect":"NoSchedule"}` {
		t.Errorf("Kubernetes writes %s, ours %s", theirText, ourText)
	}
	var a, b corev1.Taint
	var c taint.Taint
	err := errors.Join(json.Unmarshal(theirText, &a), json.Unmarshal(ourText, &b), json.Unmarshal(theirText, &c))
	if err != nil || a.TimeAdded != nil || b.TimeAdded != nil || c != ours {
		t.Errorf("read back as %v, %v and %v, %v", a, b, c, err)
	}
}
