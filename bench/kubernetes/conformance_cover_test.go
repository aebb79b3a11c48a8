package kubernetes_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/util/tolerations"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/cover"
	"github.com/go-tolerate/tolerate/validate"
)

// A coverer is cover.Covers. The mutation check replaces it.
type coverer func(a, b toleration.Toleration) bool

// superset calls Kubernetes' isSuperset, which is not exported, with a whitelist of one
// toleration.
func superset(a, b corev1.Toleration) bool {
	return tolerations.VerifyAgainstWhitelist(internalTolerations([]corev1.Toleration{b}), internalTolerations([]corev1.Toleration{a}))
}

// canonical returns an equivalent toleration that isSuperset compares correctly: it has
// Equal instead of an absent operator, and 0 instead of negative seconds.
func canonical(t corev1.Toleration) corev1.Toleration {
	if t.Operator == "" {
		t.Operator = corev1.TolerationOpEqual
	}
	if t.TolerationSeconds != nil && *t.TolerationSeconds < 0 {
		t.TolerationSeconds = new(int64)
	}
	return t
}

func numeric(t corev1.Toleration) bool {
	return t.Operator == corev1.TolerationOpLt || t.Operator == corev1.TolerationOpGt
}

// near makes a toleration that equals t in some of its fields.
func (g *gen) near(t corev1.Toleration) corev1.Toleration {
	u := g.toleration()
	if u.Key != "" && t.Key != "" && !g.in(5) {
		u.Key = t.Key
	}
	if g.in(2) {
		u.Effect = t.Effect
		if u.Effect != corev1.TaintEffectNoExecute {
			u.TolerationSeconds = nil
		}
	}
	n, err := validate.Integer(t.Value)
	if u.Operator != corev1.TolerationOpExists && t.Operator != corev1.TolerationOpExists && g.in(2) &&
		(numeric(u) == numeric(t) || err == nil && n >= 0) { // the number of one may be the value of the other
		u.Value = t.Value
	}
	return u
}

// forever is longer than any number of seconds.
const forever = math.MaxInt64 + 1

// holds returns for how long a toleration tolerates a taint.
func holds(t *corev1.Toleration) uint64 {
	if t.TolerationSeconds == nil {
		return forever
	}
	return uint64(max(0, *t.TolerationSeconds))
}

// coversByMatching compares a and b with Kubernetes' own matcher, for one taint of
// every kind that they can distinguish: a must tolerate each taint that b tolerates,
// for at least as long.
func coversByMatching(a, b corev1.Toleration) bool {
	keys := []string{b.Key}
	if b.Key == "" {
		keys = []string{"some.other/key", a.Key}
	}
	effects := []corev1.TaintEffect{b.Effect}
	if b.Effect == "" {
		effects = []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	}
	values := append(make([]string, 0, 12), "", "some.other.value", "0", "9223372036854775807")
	for _, t := range []*corev1.Toleration{&a, &b} {
		if t.Operator == corev1.TolerationOpExists {
			continue
		}
		values = append(values, t.Value)
		if n, err := strconv.ParseInt(t.Value, 10, 64); err == nil && numeric(*t) {
			if n > 0 {
				values = append(values, strconv.FormatInt(n-1, 10))
			}
			if n < math.MaxInt64 {
				values = append(values, strconv.FormatInt(n+1, 10))
			}
		}
	}
	for _, key := range keys {
		for _, effect := range effects {
			for _, value := range values {
				if key == "" || value != "" && value[0] == '-' {
					continue // no taint
				}
				tnt := corev1.Taint{Key: key, Value: value, Effect: effect}
				if b.ToleratesTaint(quiet, &tnt, true) && !(a.ToleratesTaint(quiet, &tnt, true) && holds(&a) >= holds(&b)) {
					return false
				}
			}
		}
	}
	return true
}

// covers compares cover.Covers with isSuperset and with Kubernetes' own matcher.
func covers(ours coverer, covered *share) func(g *gen) string {
	return func(g *gen) string {
		a := g.toleration()
		b := g.near(a)
		u, v := valid(ourToleration(a)), valid(ourToleration(b))
		got, theirs := ours(u, v), superset(a, b)
		covered.count(got)
		if want := coversByMatching(a, b); got != want {
			return fmt.Sprintf("%s covers %s: by Kubernetes' matcher %v, ours %v", u, v, want, got)
		}
		if theirs && !got {
			return fmt.Sprintf("%s covers %s: Kubernetes true, ours false", u, v)
		}
		if got != theirs && !numeric(a) && !numeric(b) && !superset(canonical(a), canonical(b)) {
			return fmt.Sprintf("%s covers %s: Kubernetes false, ours true, and no listed difference explains it", u, v)
		}
		return ""
	}
}

func TestIsSuperset_R2(t *testing.T) {
	t.Parallel()
	var covered share
	conform(t, pure, covers(cover.Covers, &covered))
	covered.within(t, "cover", 0.1, 0.6)
}

// canonicalLists makes two similar lists whose tolerations mean the same to Kubernetes
// and the library. They are canonical and have no numeric operators.
func (g *gen) canonicalLists() (a, b []corev1.Toleration) {
	a, b = g.nearLists()
	plain := func(list []corev1.Toleration) []corev1.Toleration {
		list = slices.DeleteFunc(list, numeric)
		for i := range list {
			list[i] = canonical(list[i])
		}
		return list
	}
	return plain(a), plain(b)
}

func (g *gen) nearLists() (a, b []corev1.Toleration) {
	var all []corev1.Toleration
	list := func() []corev1.Toleration {
		list := make([]corev1.Toleration, g.IntN(4))
		for i := range list {
			switch {
			case len(all) == 0 || g.in(4):
				list[i] = g.toleration()
			case g.in(6):
				list[i] = all[g.IntN(len(all))]
			default:
				list[i] = g.near(all[g.IntN(len(all))])
			}
			all = append(all, list[i])
		}
		return list
	}
	return list(), list()
}

// A merger is cover.Merge or reduce. The mutation check replaces it.
type merger func(a, b toleration.List) toleration.List

func keep(a, b toleration.List) toleration.List {
	return cover.Merge(a, b)
}

func reduce(a, b toleration.List) toleration.List {
	return reduceBy(toleration.First, a, b)
}

// reduceBy removes, from the end, what is redundant.
func reduceBy(choice toleration.Choice, a, b toleration.List) toleration.List {
	list := slices.Concat(a, b)
	for i := len(list) - 1; i >= 0; i-- {
		rest := slices.Concat(list[:i], list[i+1:])
		_, more := cover.UncoveredTaint(list, rest, choice)
		if _, other := cover.UncoveredTaint(rest, list, choice); !more && !other {
			list = rest
		}
	}
	return list
}

// internals converts the library's values to the API's internal structs.
func internals(list toleration.List) []core.Toleration {
	return fields.As[core.Toleration](kube.CoreTolerations(list))
}

// fromInternal converts the internal structs to the library's values.
func fromInternal(list []core.Toleration) toleration.List {
	return valid(ourTolerations(fields.As[corev1.Toleration](list)))
}

func kubernetesMerge(a, b []core.Toleration) toleration.List {
	return fromInternal(tolerations.MergeTolerations(slices.Clip(a), b))
}

// merges compares Merge with MergeTolerations, for tolerations that mean the same on
// both sides. The only difference is R3-kept: our list is the first list, followed by
// the tolerations of the second that no earlier one covers. If the tolerations that
// another one covers are removed from it, it equals Kubernetes' list.
func merges(merge merger, dropped *share) func(g *gen) string {
	return func(g *gen) string {
		a, b := g.canonicalLists()
		us, vs := valid(ourTolerations(a)), valid(ourTolerations(b))
		got := merge(us, vs)
		want := kubernetesMerge(internals(us), internals(vs))
		differ := func(what string) string {
			return fmt.Sprintf("%v and %v: Kubernetes %v, ours %v: %s", us, vs, want, got, what)
		}
		if len(got) < len(us) || !slices.Equal(got[:len(us)], us) {
			return differ("the first list is not as it was")
		}
		rest := vs
		for i, u := range got[len(us):] {
			at := slices.Index(rest, u)
			if at < 0 {
				return differ("what follows is not of the second list, in its order")
			}
			rest = rest[at+1:]
			one, before := internals(toleration.List{u}), internals(got[:len(us)+i])
			if len(before) > 0 && tolerations.VerifyAgainstWhitelist(one, before) {
				return differ("something is added that is covered")
			}
		}
		dropped.count(len(want) < len(got))
		if again := kubernetesMerge(internals(got), nil); !slices.Equal(again, want) {
			return differ(fmt.Sprintf("and merged again by Kubernetes %v", again))
		}
		return ""
	}
}

func TestMergeTolerations_R3(t *testing.T) {
	t.Parallel()
	var dropped share
	conform(t, pure, merges(keep, &dropped))
	dropped.within(t, "lose something to Kubernetes", 0.1, 0.6)
}

// firstHolds returns for how long the first toleration that matches tolerates the
// taint, by Kubernetes' own matcher. It returns false if none matches.
func firstHolds(list []corev1.Toleration, tnt *corev1.Taint) (seconds uint64, tolerated bool) {
	for i := range list {
		if list[i].ToleratesTaint(quiet, tnt, true) {
			return holds(&list[i]), true
		}
	}
	return 0, false
}

// aimed makes a taint that a toleration of the list often matches.
func (g *gen) aimed(list []corev1.Toleration) corev1.Taint {
	tnt := g.taint()
	if len(list) == 0 {
		return tnt
	}
	t := list[g.IntN(len(list))]
	if t.Key != "" {
		tnt.Key = t.Key
	}
	if t.Effect != "" {
		tnt.Effect = t.Effect
	}
	if t.Operator != corev1.TolerationOpExists && (t.Value == "" || t.Value[0] != '-') && !numeric(t) {
		tnt.Value = t.Value
	}
	return tnt
}

// means compares merged lists with the concatenated lists by Kubernetes' own matcher,
// for all operators and spellings. Kubernetes' own merging tolerates the same taints,
// but not always for as long (R3-seconds).
func means(merge merger, tolerated, otherwise *share) func(g *gen) string {
	return func(g *gen) string {
		a, b := g.nearLists()
		us, vs := valid(ourTolerations(a)), valid(ourTolerations(b))
		all := slices.Concat(a, b)
		merged := merge(us, vs)
		ours, theirs := kube.CoreTolerations(merged), kube.CoreTolerations(kubernetesMerge(internalTolerations(a), internalTolerations(b)))
		for range 4 {
			tnt := g.aimed(all)
			want, ok := firstHolds(all, &tnt)
			if got, gok := firstHolds(ours, &tnt); got != want || gok != ok {
				return fmt.Sprintf("%v and %v on %s: %v %d s, in ours, %v: %v %d s", us, vs, tnt.ToString(), ok, want, merged, gok, got)
			}
			kept, kok := firstHolds(theirs, &tnt)
			if kok != ok {
				return fmt.Sprintf("%v and %v on %s: %v, in Kubernetes', %v: %v", us, vs, tnt.ToString(), ok, theirText(theirs), kok)
			}
			tolerated.count(ok)
			otherwise.count(kept != want)
		}
		return ""
	}
}

func TestMergeTolerationsMeaning_R3(t *testing.T) {
	t.Parallel()
	for name, merge := range map[string]merger{"Keep": keep, "Reduce": reduce} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tolerated, otherwise share
			conform(t, pure/4, means(merge, &tolerated, &otherwise)) // four taints each
			tolerated.within(t, "are tolerated", 0.3, 0.9)
			otherwise.within(t, "are tolerated longer or shorter by Kubernetes' merging", 0.0005, 0.2)
		})
	}
}
