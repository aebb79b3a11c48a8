package admission_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/bench/gen"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/taint/condition"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// The names that mean something here, so that what the rules look for is there
// often, as it is or nearly.
var (
	knownKeys = []string{
		condition.NotReady, condition.Unreachable, condition.MemoryPressure, condition.Unschedulable,
		condition.NetworkUnavailable, condition.OutOfDisk, "a.io/gpu", "a.io/fpga", "a",
	}
	resourceNames = []string{
		"a.io/gpu", "a.io/fpga", "b.io/x", "cpu", "memory", "x.kubernetes.io/y", "requests.a.io/gpu", "A.io/b", "a", "/", "a/b/c", "",
	}
)

// known makes tolerations about what the rules look at.
func known() *rapid.Generator[toleration.Toleration] {
	return rapid.Custom(func(t *rapid.T) toleration.Toleration {
		key := rapid.SampledFrom(append([]string{""}, knownKeys...)).Draw(t, "key")
		op := rapid.SampledFrom([]toleration.Operator{toleration.Exists, toleration.Exists, toleration.Exists, 0, toleration.Equal}).Draw(t, "operator")
		if key == "" {
			op = toleration.Exists
		}
		u, err := toleration.New(key, op, "", gen.EffectOrAbsent().Draw(t, "effect"))
		if err == nil && u.Effect() == taint.NoExecute && rapid.Bool().Draw(t, "timed") {
			u, err = u.WithSeconds(rapid.SampledFrom([]int64{300, 60, 600, 0, -1}).Draw(t, "seconds"))
		}
		if err != nil {
			panic(err)
		}
		return u
	})
}

func pods() *rapid.Generator[[]toleration.Toleration] {
	return rapid.SliceOfN(rapid.OneOf(known(), known(), gen.TolerationOrZero()), 0, 6)
}

// valids makes lists without zero Tolerations, such as are read.
func valids() *rapid.Generator[[]toleration.Toleration] {
	return rapid.SliceOfN(rapid.OneOf(known(), known(), gen.Toleration()), 0, 6)
}

func graces() *rapid.Generator[admission.Grace] {
	return rapid.SampledFrom([]admission.Grace{{}, {}, admission.For(60), admission.For(0), admission.For(-1), admission.Off()})
}

func secondsOf(t *rapid.T) admission.Seconds {
	return admission.Seconds{NotReady: graces().Draw(t, "not ready"), Unreachable: graces().Draw(t, "unreachable")}
}

func names() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom(resourceNames), 0, 6)
}

func classes() *rapid.Generator[admission.QOS] {
	return rapid.SampledFrom([]admission.QOS{0, admission.BestEffort, admission.Burstable, admission.Guaranteed})
}

func taintLists() *rapid.Generator[[][]taint.Taint] {
	known := rapid.Custom(func(t *rapid.T) taint.Taint {
		u, err := taint.New(rapid.SampledFrom(append([]string{"readiness.k8s.io/x"}, knownKeys...)).Draw(t, "key"), rapid.SampledFrom([]string{"", "x"}).Draw(t, "value"), gen.Effect().Draw(t, "effect"))
		if err != nil {
			panic(err)
		}
		return u
	})
	return rapid.SliceOfN(rapid.SliceOfN(rapid.OneOf(known, gen.TaintOrZero()), 0, 5), 0, 4)
}

// A guard holds a list in the middle of a larger array, to see that nothing of
// it is written to.
type guard struct{ array, before []toleration.Toleration }

var sentinel = toleration.MustParse("sentinel=untouched")

func guarded(l []toleration.Toleration) (guard, []toleration.Toleration) {
	array := append(slices.Clone(l), sentinel, sentinel, sentinel)
	return guard{array, slices.Clone(array)}, array[:len(l)]
}

func (g guard) check(t rapidOrT, name string) {
	if !slices.Equal(g.array, g.before) {
		t.Errorf("%s: the input was written to: %v, was %v", name, g.array, g.before)
	}
}

type rapidOrT interface {
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// roomy returns a copy of the list with room behind it for all that is added.
func roomy(l []toleration.Toleration) []toleration.Toleration {
	return append(make([]toleration.Toleration, 0, 256), l...)
}

// A rule is a function of the package with all but the pod and dst drawn.
type rule struct {
	name   string
	add    func(pod ...[]toleration.Toleration) []toleration.Toleration
	append func(dst []toleration.Toleration, pod ...[]toleration.Toleration) []toleration.Toleration
	ref    func(pod []toleration.Toleration) []toleration.Toleration
}

func rules(t *rapid.T) []rule {
	type list = []toleration.Toleration
	s, q, resources, extra := secondsOf(t), classes().Draw(t, "class"), names().Draw(t, "resources"), pods().Draw(t, "extra")
	nodes := taintLists().Draw(t, "nodes")
	derived := admission.DerivedOptions{Exists: rapid.Bool().Draw(t, "exists"), Passing: rapid.Bool().Draw(t, "passing")}
	return []rule{
		{"D1 DefaultSeconds",
			func(p ...list) list { return admission.DefaultSeconds(s, p...) },
			func(d list, p ...list) list { return admission.AppendDefaultSeconds(d, s, p...) },
			func(p list) list { return refDefaults(s, p) }},
		{"D3 MemoryPressure",
			func(p ...list) list { return admission.MemoryPressure(q, p...) },
			func(d list, p ...list) list { return admission.AppendMemoryPressure(d, q, p...) },
			func(p list) list { return refMemory(q, p) }},
		{"D4 ExtendedResources",
			func(p ...list) list { return admission.ExtendedResources(resources, p...) },
			func(d list, p ...list) list { return admission.AppendExtendedResources(d, resources, p...) },
			func(p list) list { return refResources(resources, p) }},
		{"D5 D8 Missing",
			func(p ...list) list { return admission.Missing(extra, p...) },
			func(d list, p ...list) list { return admission.AppendMissing(d, extra, p...) },
			func(p list) list { return refMissing(extra, p) }},
		{"D7 Derived",
			func(p ...list) list { return admission.Derived(derived, nodes, p...) },
			func(d list, p ...list) list { return admission.AppendDerived(d, derived, nodes, p...) },
			func(p list) list { return refDerived(derived, nodes, p) }},
		{"D9 StaticPod",
			func(p ...list) list { return admission.StaticPod(p...) },
			func(d list, p ...list) list { return admission.AppendStaticPod(d, p...) },
			func(p list) list {
				if slices.Contains(p, existsOf("", "NoExecute")) {
					return nil
				}
				return list{existsOf("", "NoExecute")}
			}},
	}
}

// checkAdded holds what was added against what every rule promises.
func checkAdded(t rapidOrT, name string, pod, added []toleration.Toleration) (all []toleration.Toleration) {
	all = slices.Concat(pod, added)
	if err := toleration.ValidateList(added, toleration.ListOptions{}); err != nil {
		t.Errorf("%s: added %v: %v", name, added, err)
	}
	if !some(pod, toleration.Toleration.IsZero) {
		if err := toleration.ValidateUpdate(pod, all, toleration.ListOptions{}); err != nil {
			t.Errorf("%s: V9: %v with %v added: %v", name, pod, added, err)
		}
	}
	if len(added) == 0 && added != nil {
		t.Errorf("%s: nothing is not nil", name)
	}
	return all
}

// property draws a pod and holds every rule against the reference, and against
// what the package's documentation says of all of them.
func property(t *rapid.T) {
	pod := pods().Draw(t, "pod")
	cut := rapid.IntRange(0, len(pod)).Draw(t, "cut")
	for _, r := range rules(t) {
		g, own := guarded(pod)
		added := r.add(own)
		g.check(t, r.name)
		if want := r.ref(pod); !slices.Equal(added, want) {
			t.Errorf("%s of %v = %v, want %v", r.name, pod, added, want)
		}
		all := checkAdded(t, r.name, pod, added)
		if again := r.add(all); again != nil {
			t.Errorf("%s of %v, again: %v", r.name, all, again)
		}
		if split := r.add(pod[:cut], nil, pod[cut:]); !slices.Equal(split, added) {
			t.Errorf("%s of %v in two lists = %v, want %v", r.name, pod, split, added)
		}
		dst := roomy([]toleration.Toleration{sentinel, {}, existsOf("", "")})
		if got := r.append(dst, own); !slices.Equal(got, slices.Concat(dst, added)) || &got[0] != &dst[0] {
			t.Errorf("Append: %s of %v = %v, want %v", r.name, pod, got, added)
		}
		g.check(t, "Append: "+r.name)
		for _, own := range [][]toleration.Toleration{slices.Clip(own), roomy(pod)} {
			if onto := r.append(own, own); !slices.Equal(onto, all) {
				t.Errorf("Append: %s of %v onto itself = %v, want %v", r.name, pod, onto, all)
			}
		}
	}
}

func TestProperty(t *testing.T) { rapid.Check(t, property) }

func TestD2_property(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		template := pods().Draw(t, "template")
		opts := admission.DaemonOptions{HostNetwork: rapid.Bool().Draw(t, "host network"), Critical: rapid.Bool().Draw(t, "critical")}
		g, own := guarded(template)
		got := admission.Daemon(opts, own)
		g.check(t, "Daemon")
		if want := refDaemon(opts, template); !slices.Equal(got, want) {
			t.Errorf("Daemon of %v = %v, want %v", template, got, want)
		}
		if again := admission.Daemon(opts, got); !slices.Equal(again, got) {
			t.Errorf("Daemon of %v, again: %v", got, again)
		}
		cut := rapid.IntRange(0, len(template)).Draw(t, "cut")
		if split := admission.Daemon(opts, template[:cut], template[cut:]); !slices.Equal(split, got) {
			t.Errorf("Daemon of %v in two lists = %v, want %v", template, split, got)
		}
		// What dst holds does not count, and stays.
		held := list(condition.NotReady + ":NoExecute op=Exists for 5s")
		if appended := admission.AppendDaemon(held, opts, template); !slices.Equal(appended, slices.Concat(held, got)) {
			t.Errorf("AppendDaemon of %v = %v, want %v", template, appended, got)
		}
	})
}

func TestD8_is_keep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pod, extra := pods().Draw(t, "pod"), pods().Draw(t, "extra")
		got, want := slices.Concat(pod, admission.Missing(extra, pod)), cover.Merge(cover.Keep, pod, extra)
		if !slices.Equal(got, want) {
			t.Errorf("%v with what it is missing of %v is %v, merged %v", pod, extra, got, want)
		}
	})
}

func TestD7_serves_all(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, pod := taintLists().Draw(t, "nodes"), pods().Draw(t, "pod")
		opts := admission.DerivedOptions{Exists: rapid.Bool().Draw(t, "exists"), Passing: rapid.Bool().Draw(t, "passing")}
		got := admission.Derived(opts, nodes, pod)
		for _, n := range slices.Concat(nodes...) {
			wanted := !n.IsZero() && (opts.Passing || !condition.Passing().Has(n))
			forGood := func(u toleration.Toleration) bool { _, timed := u.Seconds(); return !timed && u.Tolerates(n) }
			if wanted && !some(pod, forGood) && !some(got, forGood) {
				t.Errorf("%v is not tolerated by %v and %v", n, pod, got)
			}
			if !wanted && some(got, func(u toleration.Toleration) bool { return u.Key() == n.Key() }) && !opts.Passing && refPassing(n.Key()) {
				t.Errorf("%v is passing, and got %v", n, got)
			}
		}
		shuffled := rapid.Permutation(nodes).Draw(t, "order")
		for i := range shuffled {
			shuffled[i] = rapid.Permutation(shuffled[i]).Draw(t, "order within")
		}
		if other := admission.Derived(opts, shuffled, pod); !slices.Equal(other, got) {
			t.Errorf("in another order: %v, want %v", other, got)
		}
	})
}

// More taints than are gathered before they are sorted.
func TestD7_many(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, distinct := range []int{1, 31, 32, 33, 64, 65, 129, 300} {
		var nodes [][]taint.Taint
		for range 5 * distinct {
			nodes = append(nodes, []taint.Taint{taint.MustParse("k" + strconv.Itoa(rng.IntN(distinct)) + ":NoSchedule"), taint.MustParse("a:NoExecute")})
		}
		want := refDerived(admission.DerivedOptions{}, nodes, nil)
		if got := admission.Derived(admission.DerivedOptions{}, nodes); !slices.Equal(got, want) {
			t.Errorf("%d distinct: %v, want %v", distinct, got, want)
		}
	}
}

// planProperty draws a cluster and a pod and holds the whole against the
// reference.
func planProperty(t *rapid.T) {
	plan := admission.Plan{Seconds: secondsOf(t), Restriction: admission.Restriction{Defaults: pods().Draw(t, "defaults")}}
	if rapid.Bool().Draw(t, "whitelisted") {
		plan.Restriction.Whitelist = append(valids().Draw(t, "whitelist"), rapid.SliceOf(rapid.Just(toleration.MustParse("op=Exists"))).Draw(t, "lenient")...)
	}
	pod := admission.Pod{
		Tolerations: pods().Draw(t, "pod"), QOS: classes().Draw(t, "class"),
		Resources: names().Draw(t, "resources"), RuntimeClass: pods().Draw(t, "runtime class"),
	}
	checkPlan(t, plan, pod)
}

func TestV9_property(t *testing.T) { rapid.Check(t, planProperty) }

func checkPlan(t rapidOrT, plan admission.Plan, pod admission.Pod) {
	for _, create := range []bool{true, false} {
		name, do, appendDo := "OnCreate", plan.OnCreate, plan.AppendOnCreate
		if !create {
			name, do, appendDo = "OnUpdate", plan.OnUpdate, plan.AppendOnUpdate
		}
		g, own := guarded(pod.Tolerations)
		pod := pod
		pod.Tolerations = own
		added, err := do(pod)
		g.check(t, name)
		want, refused := refPlan(plan, pod, create)

		// What dst holds does not count, whatever it covers.
		dst := roomy([]toleration.Toleration{sentinel, existsOf("", ""), existsOf("a.io/gpu", "NoSchedule")})
		appended, appendErr := appendDo(dst, pod)
		g.check(t, "Append"+name)
		if !slices.Equal(appended, slices.Concat(dst, added)) || &appended[0] != &dst[0] || (appendErr == nil) != (err == nil) {
			t.Errorf("Append%s = %v, %v; %s = %v, %v", name, appended, appendErr, name, added, err)
		}

		if len(refused) > 0 {
			var ps validate.Problems
			if added != nil || !errors.As(err, &ps) || len(ps) != len(refused) {
				t.Fatalf("%s = %v, %v; want refused %v", name, added, err, refused)
			}
			for i, p := range ps {
				if p.Path != validate.Index("spec.tolerations", refused[i]) || !errors.Is(p, admission.ErrNotWhitelisted) {
					t.Errorf("%s: problem %v, want index %d", name, p, refused[i])
				}
			}
			continue
		}
		if err != nil || !slices.Equal(added, want) {
			t.Fatalf("%s of %+v = %v, %v; want %v", name, pod, added, err, want)
		}
		all := checkAdded(t, name, pod.Tolerations, added)
		pod.Tolerations = roomy(pod.Tolerations)
		if onto, err := appendDo(pod.Tolerations, pod); err != nil || !slices.Equal(onto, all) {
			t.Errorf("Append%s of %v onto itself = %v, %v; want %v", name, pod.Tolerations, onto, err, all)
		}
		// What the pod tolerates it tolerates as long as before.
		if len(pod.Tolerations) > 0 && !cover.ListCovers(toleration.First, all, pod.Tolerations) {
			t.Errorf("%s: %v no longer covers %v", name, all, pod.Tolerations)
		}
		pod.Tolerations = all
		for _, again := range []func(admission.Pod) ([]toleration.Toleration, error){do, plan.OnUpdate} {
			if more, err := again(pod); more != nil || err != nil {
				t.Errorf("%s of %v, again: %v, %v", name, all, more, err)
			}
		}
	}
}
