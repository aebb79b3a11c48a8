package admission_test

import (
	"errors"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// These names have a meaning for the rules. Names that are equal or similar to them are
// drawn often.
var (
	knownKeys = []string{
		condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.Unschedulable,
		condition.NetworkUnavailable, "node.kubernetes.io/out-of-disk", "a.io/gpu", "a.io/fpga", "a",
	}
	resourceNames = []string{
		"a.io/gpu", "a.io/fpga", "b.io/x", "cpu", "memory", "x.kubernetes.io/y", "requests.a.io/gpu", "A.io/b", "a", "/", "a/b/c", "",
		"a/b", "kubernetes.io/batch-cpu", "my-kubernetes.io/gpu", "a.io/kubernetes.io", "a.requests.io/gpu", "requests/gpu", "a.io/", "/gpu", "a.io/-gpu",
		prefix244 + "/" + name63, prefix244 + "p/gpu", "a.io/" + name63 + "n",
	}
	prefix244, name63 = strings.Repeat("p", 244), strings.Repeat("n", 63)
)

// known makes tolerations with the keys that the rules use.
func known() *rapid.Generator[toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) toleration.Toleration {
		key := rapid.SampledFrom(append([]string{""}, knownKeys...)).Draw(t, "key")
		op := rapid.SampledFrom([]toleration.Operator{toleration.Exists, toleration.Exists, toleration.Exists, 0, toleration.Equal}).Draw(t, "operator")
		if key == "" {
			op = toleration.Exists
		}
		u := problem.Must(toleration.New(key, op, "", gen.EffectOrAbsent().Draw(t, "effect")))
		if u.Effect() == taint.NoExecute && rapid.Bool().Draw(t, "timed") {
			u = problem.Must(u.WithSeconds(rapid.SampledFrom([]int64{300, 60, 600, 0, -1}).Draw(t, "seconds")))
		}
		return u
	})
}

func pods() *rapid.Generator[toleration.List] {
	return gen.ListOf[toleration.List](rapid.OneOf(known(), known(), gen.TolerationOrZero()), 0, 6)
}

// extras also makes lists that are merged by an index.
func extras() *rapid.Generator[toleration.List] {
	return rapid.OneOf(pods(), pods(), gen.ListOf[toleration.List](rapid.OneOf(known(), gen.TolerationOrZero()), 33, 40))
}

// valids makes lists without zero Tolerations, such as those that are read.
func valids() *rapid.Generator[toleration.List] {
	return gen.ListOf[toleration.List](rapid.OneOf(known(), known(), gen.Toleration()), 0, 6)
}

func secondsOf(t *rapid.T) (s admission.SecondsOptions) {
	some := rapid.SampledFrom([]*int64{nil, nil, seconds(60), seconds(0), seconds(-1)})
	s.NotReady, s.Unreachable = some.Draw(t, "not ready"), some.Draw(t, "unreachable")
	off := rapid.Map(rapid.IntRange(0, 5), func(n int) bool { return n == 0 })
	s.NotReadyOff, s.UnreachableOff = off.Draw(t, "not ready off"), off.Draw(t, "unreachable off")
	return s
}

func names() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(resourceNames), 0, 6)
}

func classes() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"", admission.BestEffort, admission.Burstable, admission.Guaranteed})
}

// A guard contains a list in the middle of a larger array, to detect writes to any of
// it.
type guard struct{ array, before toleration.List }

var sentinel = toleration.MustParse("sentinel=untouched")

func guarded(l toleration.List) (guard, toleration.List) {
	array := append(slices.Clone(l), sentinel, sentinel, sentinel)
	return guard{array, slices.Clone(array)}, array[:len(l)]
}

func (g guard) check(t rapid.TB, name string) {
	if !slices.Equal(g.array, g.before) {
		t.Errorf("%s: the input was written to: %v, was %v", name, g.array, g.before)
	}
}

// checkAdded tests what every rule promises about the added tolerations.
func checkAdded(t rapid.TB, name string, pod, added toleration.List) (all toleration.List) {
	all = slices.Concat(pod, added)
	if err := added.Validate(nil, false); err != nil {
		t.Errorf("%s: added %v: %v", name, added, err)
	}
	if !slices.ContainsFunc(pod, toleration.Toleration.IsZero) {
		if err := all.Validate(pod, false); err != nil {
			t.Errorf("%s: V9: %v with %v added: %v", name, pod, added, err)
		}
	}
	if len(added) == 0 && added != nil {
		t.Errorf("%s: the empty result is not nil", name)
	}
	return all
}

func daemonProperty(t *rapid.T) {
	template := pods().Draw(t, "template")
	opts := admission.DaemonOptions{HostNetwork: rapid.Bool().Draw(t, "host network")}
	g, own := guarded(template)
	got := admission.Daemon(opts, own)
	g.check(t, "Daemon")
	if want := refDaemon(opts, template); !slices.Equal(got, want) {
		t.Errorf("Daemon of %v = %v, want %v", template, got, want)
	}
	if again := admission.Daemon(opts, got); !slices.Equal(again, got) {
		t.Errorf("Daemon of %v, again: %v", got, again)
	}
}

// planProperty draws a cluster and a pod, and compares a whole Plan with the reference.
func planProperty(t *rapid.T) {
	plan := admission.Plan{Seconds: secondsOf(t), Restriction: admission.Restriction{Defaults: extras().Draw(t, "defaults")}}
	if rapid.Bool().Draw(t, "whitelisted") {
		plan.Restriction.Whitelist = append(valids().Draw(t, "whitelist"), rapid.SliceOf(rapid.Just(toleration.MustParse("op=Exists"))).Draw(t, "lenient")...)
	}
	pod := admission.PodSpec{
		Tolerations: pods().Draw(t, "pod"), QOS: classes().Draw(t, "class"),
		Resources: names().Draw(t, "resources"), RuntimeClass: extras().Draw(t, "runtime class"),
	}
	checkPlan(t, plan, pod)
	got := admission.DefaultSeconds(plan.Seconds, pod.Tolerations)
	if want := refDefaults(plan.Seconds, pod.Tolerations); !slices.Equal(got, want) {
		t.Errorf("DefaultSeconds of %v = %v, want %v", pod.Tolerations, got, want)
	}
}

func checkPlan(t rapid.TB, plan admission.Plan, pod admission.PodSpec) {
	for _, create := range []bool{true, false} {
		name, do := "OnCreate", plan.OnCreate
		if !create {
			name, do = "OnUpdate", plan.OnUpdate
		}
		g, own := guarded(pod.Tolerations)
		pod := pod
		pod.Tolerations = own
		added, err := do(pod)
		g.check(t, name)
		want, refused := refPlan(plan, pod, create)

		if len(refused) > 0 {
			var ps validate.Problems
			if added != nil || !errors.As(err, &ps) || len(ps) != len(refused) {
				t.Fatalf("%s = %v, %v; want refused %v", name, added, err, refused)
			}
			for i, p := range ps {
				rule := validate.NotAllowed
				if r := refused[i]; r < len(own) && own[r].IsZero() {
					rule = validate.ZeroValue
				}
				if p.Path != problem.Index("spec.tolerations", refused[i]) || p.Rule != rule {
					t.Errorf("%s: problem %v, want index %d", name, p, refused[i])
				}
			}
			continue
		}
		if err != nil || !slices.Equal(added, want) {
			t.Fatalf("%s of %+v = %v, %v; want %v", name, pod, added, err, want)
		}
		all := checkAdded(t, name, pod.Tolerations, added)
		// The pod tolerates at least what it tolerated before, for as long.
		if x, found := cover.UncoveredTaint(pod.Tolerations, all, toleration.First); found {
			t.Errorf("%s: %v no longer covers %v: %v", name, all, pod.Tolerations, x)
		}
		pod.Tolerations = all
		for _, again := range []func(admission.PodSpec) (toleration.List, error){do, plan.OnUpdate} {
			if more, err := again(pod); more != nil || err != nil {
				t.Errorf("%s of %v, again: %v, %v", name, all, more, err)
			}
		}
	}
}
