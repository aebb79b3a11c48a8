package kube_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/go-tolerate/tolerate/internal/tests/contract"
	"github.com/go-tolerate/tolerate/internal/tests/gen"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/validate"
)

// coreToleration draws the struct of a toleration, with invalid fields in three of
// eight.
func coreToleration(t *rapid.T) corev1.Toleration {
	f := gen.AnyTolerationFields().Draw(t, "toleration")
	if rapid.Bool().Draw(t, "valid") {
		f = gen.RecordToleration(gen.Toleration().Draw(t, "value"))
	}
	return corev1.Toleration{
		Key: f.Key, Operator: corev1.TolerationOperator(f.Operator), Value: f.Value, Effect: corev1.TaintEffect(f.Effect), TolerationSeconds: f.Seconds,
	}
}

// drawn draws a list: nil, empty, or of up to five elements.
func drawn[C any](t *rapid.T, elem func(*rapid.T) C) []C {
	if rapid.IntRange(0, 9).Draw(t, "nil") == 9 {
		return nil
	}
	return rapid.SliceOfN(rapid.Custom(elem), 0, 5).Draw(t, "list")
}

// paths returns the distinct paths of the problems of err.
func paths(t interface{ Fatalf(string, ...any) }, err error) (paths []string) {
	var ps validate.Problems
	if err != nil && !errors.As(err, &ps) {
		t.Fatalf("%T is not validate.Problems: %v", err, err)
	}
	for _, p := range ps {
		paths = append(paths, p.Path)
	}
	return slices.Compact(paths)
}

// fromJSON returns what the library reads from the structs' JSON, and the paths of
// all problems: the reference for conversions.
func fromJSON[V, C any](t *rapid.T, list []C, path string) (values []V, problems []string) {
	for i := range list {
		data, err := json.Marshal(list[i])
		if err != nil {
			t.Fatalf("%+v: %v", list[i], err)
		}
		var v V
		for _, p := range paths(t, json.Unmarshal(data, &v)) {
			problems = append(problems, fmt.Sprintf("%s[%d].%s", path, i, p))
		}
		values = append(values, v)
	}
	return values, problems
}

// taintsProperty compares Taints and Node with the reference and with Taint, and
// what is valid with itself there and back.
func taintsProperty(t *rapid.T) {
	n := &corev1.Node{}
	n.Spec.Taints = drawn(t, drawTaint)
	n.Spec.Unschedulable = rapid.Bool().Draw(t, "cordoned")
	before := n.DeepCopy()
	got, err := kube.Taints(n.Spec.Taints)
	node, again := kube.Node(n)
	want, problems := fromJSON[taint.Taint](t, n.Spec.Taints, "spec.taints")
	if (got == nil) != (n.Spec.Taints == nil) || !slices.Equal(got, want) {
		t.Fatalf("Taints = %#v, want %#v", got, want)
	}
	if diff := cmp.Diff(problems, paths(t, err)); diff != "" {
		t.Fatalf("paths of problems mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(match.Node{Taints: got, Unschedulable: n.Spec.Unschedulable}, node); diff != "" || fmt.Sprint(err) != fmt.Sprint(again) {
		t.Fatalf("Node differs from Taints (-want +got):\n%s%v", diff, again)
	}
	for i := range n.Spec.Taints {
		one, err := kube.Taint(&n.Spec.Taints[i])
		if one != got[i] || (err != nil) != one.IsZero() {
			t.Fatalf("Taint = %v, %v, want %v", one, err, got[i])
		}
		if err != nil {
			continue
		}
		c := n.Spec.Taints[i]
		if c.TimeAdded.IsZero() {
			c.TimeAdded = nil
		} else {
			c.TimeAdded = &metav1.Time{Time: time.Unix(c.TimeAdded.Unix(), 0)}
		}
		if diff := cmp.Diff(c, kube.CoreTaints(taint.List{one})[0]); diff != "" {
			t.Fatalf("there and back mismatch (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(before, n); diff != "" {
		t.Fatalf("input changed (-before +after):\n%s", diff)
	}
}

// tolerationsProperty is taintsProperty for tolerations.
func tolerationsProperty(t *rapid.T) {
	p := &corev1.Pod{}
	p.Spec.Tolerations = drawn(t, coreToleration)
	before := p.DeepCopy()
	got, err := kube.Tolerations(p.Spec.Tolerations)
	pod, again := kube.Pod(p)
	want, problems := fromJSON[toleration.Toleration](t, p.Spec.Tolerations, "spec.tolerations")
	if (got == nil) != (p.Spec.Tolerations == nil) || !slices.Equal(got, want) {
		t.Fatalf("Tolerations = %#v, want %#v", got, want)
	}
	if diff := cmp.Diff(problems, paths(t, err)); diff != "" {
		t.Fatalf("paths of problems mismatch (-want +got):\n%s", diff)
	}
	if !slices.Equal(got, pod) || fmt.Sprint(err) != fmt.Sprint(again) {
		t.Fatalf("Pod = %v, %v; Tolerations = %v, %v", pod, again, got, err)
	}
	for i := range p.Spec.Tolerations {
		if got[i].IsZero() {
			continue
		}
		if diff := cmp.Diff(p.Spec.Tolerations[i], kube.CoreTolerations(got[i : i+1])[0]); diff != "" {
			t.Fatalf("there and back mismatch (-want +got):\n%s", diff)
		}
	}
	if diff := cmp.Diff(before, p); diff != "" {
		t.Fatalf("input changed (-before +after):\n%s", diff)
	}
}

func TestTaints(t *testing.T)      { rapid.Check(t, taintsProperty) }
func TestTolerations(t *testing.T) { rapid.Check(t, tolerationsProperty) }

// What the zero values become is invalid, and closed where Kubernetes matches it.
func TestCore_M8_zero(t *testing.T) {
	c := kube.CoreTaints(taint.List{{}})[0]
	if _, err := kube.Taint(&c); err == nil || c.Effect != corev1.TaintEffectNoSchedule || c.Key != "" {
		t.Errorf("the zero Taint becomes %+v: %v", c, err)
	}
	us := kube.CoreTolerations(toleration.List{{}})
	u := us[0]
	if _, err := kube.Tolerations(us); err == nil || u.Key == "" || validate.Key(u.Key) == nil {
		t.Errorf("the zero Toleration becomes %+v: %v", u, err)
	}
}

// The paths of all problems are compared in TestTaints and TestTolerations. V10: each has
// its text, and the function's name if there is no object.
func TestProblems_V10(t *testing.T) {
	taints := []corev1.Taint{{Key: "ok", Effect: "NoSchedule"}, {Key: "-", TimeAdded: &metav1.Time{Time: addedTimes[5]}}}
	_, list := kube.Taints(taints)
	_, one := kube.Taint(&taints[1])
	_, pod := kube.Pod(&corev1.Pod{Spec: corev1.PodSpec{Tolerations: []corev1.Toleration{{Key: "a", Operator: "exists"}}}})
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"Taints": {list, []string{
			`spec.taints[1].key "-": the name must begin and end with a letter or digit`,
			`spec.taints[1].effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`spec.taints[1].timeAdded "10000-01-01 00:00:00 +0000 UTC": must be in the years 1 to 9999`,
		}},
		"Taint": {one, []string{
			`kube.Taint: key "-": the name must begin and end with a letter or digit`,
			`kube.Taint: effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
			`kube.Taint: timeAdded "10000-01-01 00:00:00 +0000 UTC": must be in the years 1 to 9999`,
		}},
		"Pod": {pod, []string{`spec.tolerations[0].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)`}},
	} {
		if diff := cmp.Diff(strings.Join(tt.want, "\n"), fmt.Sprint(tt.err)); diff != "" {
			t.Errorf("%s: problems mismatch (-want +got):\n%s", name, diff)
		}
	}
}

func TestNode_nil(t *testing.T) {
	for name, call := range map[string]func(){
		"Taint": func() { _, _ = kube.Taint(nil) },
		"Node":  func() { kube.Node(nil) },
		"Pod":   func() { kube.Pod(nil) },
	} {
		if contract.Panic(call) == nil {
			t.Errorf("%s does not panic for nil", name)
		}
	}
}

// K1: a text becomes the struct of its value; one that cannot be read repels all pods.
func TestParseTaint(t *testing.T) {
	t.Run("K1_property", rapid.MakeCheck(func(t *rapid.T) {
		f := gen.AnyTaintFields().Draw(t, "taint")
		text := f.Key + "=" + f.Value + ":" + f.Effect
		v, wrong := taint.Parse(text)
		got, err := kube.ParseTaint(text)
		if !cmp.Equal(got, kube.CoreTaints(taint.List{v})[0]) || fmt.Sprint(err) != fmt.Sprint(wrong) {
			t.Errorf("ParseTaint(%q) = %+v, %v, want %v, %v", text, got, err, v, wrong)
		}
		if err != nil && kube.Schedulable([]corev1.Taint{got}, []corev1.Toleration{{Operator: corev1.TolerationOpExists}}) {
			t.Errorf("%q does not repel a pod that tolerates everything", text)
		}
	}))
}
