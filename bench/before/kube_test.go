package before_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	oldkube "github.com/go-tolerate/before/match/kube"
	olddra "github.com/go-tolerate/before/match/kube/dra"
	oldtoleration "github.com/go-tolerate/before/toleration"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/go-tolerate/tolerate/internal/gen"
	"github.com/go-tolerate/tolerate/internal/recorded"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/match/kube/dra"
	"github.com/go-tolerate/tolerate/toleration"
)

func coreTaint(f recorded.Taint) corev1.Taint {
	return corev1.Taint{Key: f.Key, Value: f.Value, Effect: corev1.TaintEffect(f.Effect)}
}

func coreToleration(f recorded.Toleration) corev1.Toleration {
	return corev1.Toleration{
		Key: f.Key, Operator: corev1.TolerationOperator(f.Operator), Value: f.Value,
		Effect: corev1.TaintEffect(f.Effect), TolerationSeconds: f.Seconds,
	}
}

// everyPair calls f with each pair of a taint and a toleration over small sets of valid
// and invalid fields.
func everyPair(f func(t corev1.Taint, u corev1.Toleration)) {
	keys, effects := []string{"", "a", "b", "-"}, []corev1.TaintEffect{"", "NoSchedule", "PreferNoSchedule", "NoExecute", "noexecute"}
	var taints []corev1.Taint
	for _, key := range keys {
		for _, value := range []string{"", "x", "1", "3", "02", "-1", "a b", "9223372036854775808"} {
			for _, effect := range effects {
				taints = append(taints, corev1.Taint{Key: key, Value: value, Effect: effect})
			}
		}
	}
	for _, key := range keys {
		for _, op := range []corev1.TolerationOperator{"", "Equal", "Exists", "Lt", "Gt", "equal"} {
			for _, value := range []string{"", "x", "1", "2", "-1", "02", "a b"} {
				for _, effect := range effects {
					for _, seconds := range []*int64{nil, new(int64)} {
						for _, t := range taints {
							f(t, corev1.Toleration{Key: key, Operator: op, Value: value, Effect: effect, TolerationSeconds: seconds})
						}
					}
				}
			}
		}
	}
}

// Structs that validation rejects are compared as they are now, instead of matching
// nothing: the table of section M. Nothing that was open is closed.
func TestKubeTolerates(t *testing.T) {
	everyPair(func(c corev1.Taint, u corev1.Toleration) {
		_, err := kube.Taint(&c)
		_, other := kube.Toleration(&u)
		if err != nil || other != nil {
			if oldkube.Tolerates(&u, &c) {
				t.Errorf("%+v matched %+v", u, c)
			}
			return
		}
		if now, before := kube.Tolerates(&u, &c), oldkube.Tolerates(&u, &c); now != before {
			same(t, fmt.Sprintf("Tolerates(%+v, %+v)", u, c), now, before)
		}
	})
}

func TestDraTolerates(t *testing.T) {
	everyPair(func(c corev1.Taint, u corev1.Toleration) {
		d := resourcev1.DeviceTaint{Key: c.Key, Value: c.Value, Effect: resourcev1.DeviceTaintEffect(c.Effect)}
		v := resourcev1.DeviceToleration{
			Key: u.Key, Operator: resourcev1.DeviceTolerationOperator(u.Operator), Value: u.Value, Effect: resourcev1.DeviceTaintEffect(u.Effect), TolerationSeconds: u.TolerationSeconds,
		}
		_, err := dra.Taint(&d)
		_, other := dra.Toleration(&v)
		if err != nil || other != nil {
			return
		}
		if now, before := dra.Tolerates(&v, &d), olddra.Tolerates(&v, &d); now != before {
			same(t, fmt.Sprintf("Tolerates(%+v, %+v)", v, d), now, before)
		}
		taints, request := []resourcev1.DeviceTaint{d}, []resourcev1.DeviceToleration{v}
		if now, before := dra.Allocatable(taints, request), olddra.Allocatable(taints, request); now != before {
			same(t, fmt.Sprintf("Allocatable(%+v, %+v)", d, v), now, before)
		}
	})
}

// Most fields are valid, so that most lists are.
var (
	taintFields      = rapid.OneOf(gen.AnyTaintFields(), rapid.Map(gen.Taint(), gen.RecordTaint), rapid.Map(gen.Taint(), gen.RecordTaint))
	tolerationFields = rapid.OneOf(gen.AnyTolerationFields(), rapid.Map(gen.Toleration(), gen.RecordToleration), rapid.Map(gen.Toleration(), gen.RecordToleration))
)

func TestKubeLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &corev1.Node{}
		n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordoned")
		for range rapid.IntRange(0, 4).Draw(t, "taints") {
			n.Spec.Taints = append(n.Spec.Taints, coreTaint(taintFields.Draw(t, "taint")))
		}
		var pod []corev1.Toleration
		for range rapid.IntRange(0, 4).Draw(t, "tolerations") {
			u := coreToleration(tolerationFields.Draw(t, "toleration"))
			if len(n.Spec.Taints) > 0 && rapid.Bool().Draw(t, "near") {
				near := rapid.SampledFrom(n.Spec.Taints).Draw(t, "of")
				u.Key, u.Value = near.Key, near.Value
			}
			pod = append(pod, u)
		}
		compareLists(t, n, pod)
	})
}

func compareLists(t *rapid.T, n *corev1.Node, pod []corev1.Toleration) {
	taints := n.Spec.Taints
	now, err := kube.Taints(taints)
	before, old := oldkube.Taints(taints)
	same(t, "Taints", fmt.Sprint(now, err), fmt.Sprint(before, old))
	structs := oldkube.CoreTaints(before)
	for i := range structs {
		if before[i].IsZero() {
			structs[i].Key = "" // a key that no taint can have is no longer needed
		}
	}
	same(t, "CoreTaints", kube.CoreTaints(now), structs)
	values, other := kube.Tolerations(pod)
	was, old := oldkube.Tolerations(pod)
	same(t, "Tolerations", fmt.Sprint(values, other), fmt.Sprint(was, old))
	same(t, "CoreTolerations", fmt.Sprint(len(kube.CoreTolerations(values))), fmt.Sprint(len(oldkube.CoreTolerations(was))))
	if err != nil || other != nil {
		return
	}
	same(t, "Filter", kube.Filter(taints, pod), oldkube.Filter(taints, pod))
	same(t, "FilterNode", kube.FilterNode(n, pod, pod), oldkube.FilterNode(n, pod, pod))
	same(t, "WithoutNumeric", kube.WithoutNumeric(pod), oldkube.WithoutNumeric(pod))
	for choice := toleration.First; choice <= toleration.ForeverElseShortest; choice++ {
		old := oldtoleration.Choice(choice)
		n, class := kube.Seconds(taints, pod, choice)
		m, was := oldkube.Seconds(taints, old, pod)
		same(t, "Seconds", fmt.Sprint(n, class), fmt.Sprint(m, was))
		for i := range taints {
			at, class := kube.Deciding(&taints[i], pod, choice)
			before, was := oldkube.Deciding(&taints[i], old, pod)
			same(t, "Deciding", fmt.Sprint(max(at, 0), class), fmt.Sprint(before.Index, was))
		}
	}
}

func TestKubeHostile(t *testing.T) {
	for _, l := range hostile() {
		taints, pod := kube.CoreTaints(l.taints), kube.CoreTolerations(l.tolerations)
		taints = taints[:min(len(taints), 500)] // matching structs is a scan
		bounded(t, "Filter "+l.name, 1<<16, func() { kube.Filter(taints, pod) })
		same(t, l.name, kube.Filter(taints, pod), oldkube.Filter(taints, pod))
	}
}
