package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// annotation makes the text of an annotation, valid or with a common mistake. misspelt
// reports whether the name of a field differs from the API's in case only.
func (g *gen) annotation() (text string, misspelt bool) {
	var elements []string
	for range g.IntN(3) {
		tol := g.toleration()
		if g.in(4) {
			g.spoil(&tol)
		}
		var fields []string
		add := func(name, value string) {
			switch g.IntN(40) {
			case 0:
				name, misspelt = g.one(strings.ToUpper(name), strings.ToUpper(name[:1])+name[1:]), true
			case 1:
				name, misspelt = g.one(name+"s", "operation"), true
			case 2:
				value = g.one("null", "true", "5", "{}", `"x"`, "1e2")
			}
			fields = append(fields, strconv.Quote(name)+":"+value)
		}
		for name, value := range map[string]string{"key": tol.Key, "operator": string(tol.Operator), "value": tol.Value, "effect": string(tol.Effect)} {
			if value != "" && strings.ToValidUTF8(value, "") == value && !strings.ContainsAny(value, "\x00\n") {
				add(name, strconv.Quote(value))
			}
		}
		if tol.TolerationSeconds != nil {
			add("tolerationSeconds", strconv.FormatInt(*tol.TolerationSeconds, 10))
		}
		elements = append(elements, "{"+strings.Join(fields, ",")+"}")
	}
	if g.in(10) {
		elements = append(elements, g.one("null", "1", "[]", "{}"))
	}
	text = "[" + strings.Join(elements, ",") + "]"
	if g.in(20) {
		text = g.one("{}", "1", `"x"`, "[", text+"]", text+",", "x")
	}
	return text, misspelt
}

// internalsText makes lists comparable.
func internalsText(list []core.Toleration) (out []string) {
	for _, t := range list {
		seconds := "forever"
		if t.TolerationSeconds != nil {
			seconds = fmt.Sprint(*t.TolerationSeconds)
		}
		out = append(out, fmt.Sprintf("%q %q %q %q %s", t.Key, t.Operator, t.Value, t.Effect, seconds))
	}
	return out
}

// In an annotation, a toleration that no pod could have is a problem, and so is a field
// name with the wrong case. Kubernetes accepts whatever its decoder can read, by the
// rules of encoding/json. This difference affects only contents that Kubernetes'
// validation would reject, and names with the wrong case. Both sides read accepted
// contents alike.
func TestListed_D5_contents(t *testing.T) {
	t.Parallel()
	plugin := upstream.NewRestriction(nil, nil)
	var taken, listed share
	conform(t, objects, func(g *gen) string {
		text, misspelt := g.annotation()
		plugin.SetAnnotations(map[string]string{additions.DefaultsAnnotation: text})
		pod := new(core.Pod)
		err := plugin.Admit(admission.Create, pod)
		r, gerr := additions.NamespaceRestriction(map[string]string{additions.DefaultsAnnotation: text}, additions.Restriction{}, "")
		taken.count(gerr == nil)
		listed.count(err == nil && gerr != nil)
		var theirs []corev1.Toleration
		if derr := json.Unmarshal([]byte(text), &theirs); (derr == nil) != (err == nil) {
			return fmt.Sprintf("%s: Kubernetes reads it otherwise than encoding/json: %v, %v", text, err, derr)
		}
		invalid := slices.ContainsFunc(theirs, func(u corev1.Toleration) bool { return len(refusedToleration(u, true)) > 0 })
		if gerr == nil && err == nil && !invalid && slices.Equal(internalsText(internals(r.Defaults)), internalsText(internalTolerations(theirs))) {
			return ""
		}
		if gerr != nil && (err != nil || invalid || misspelt) {
			return ""
		}
		return fmt.Sprintf("%s: Kubernetes %v %v, ours %v %v", text, theirText(theirs), err, r.Defaults, gerr)
	})
	taken.within(t, "are taken", 0.2, 0.95)
	listed.within(t, "are taken by Kubernetes alone", 0.005, 0.6)
}

// An annotation that is not a list of valid tolerations admits no pod, whatever pod it is.
// Kubernetes reads the defaults only for a new pod, and the whitelist only for a pod with
// tolerations.
func TestListed_D5_unread(t *testing.T) {
	t.Parallel()
	plugin := upstream.NewRestriction(nil, nil)
	with := []core.Toleration{{Key: "k", Operator: core.TolerationOpExists}}
	for _, tt := range []struct {
		annotation  string
		op          admission.Operation
		tolerations []core.Toleration
		admitted    bool
	}{
		{additions.DefaultsAnnotation, admission.Create, nil, false},
		{additions.DefaultsAnnotation, admission.Update, with, true},
		{additions.WhitelistAnnotation, admission.Create, with, false},
		{additions.WhitelistAnnotation, admission.Create, nil, true},
	} {
		annotations := map[string]string{tt.annotation: "["}
		plugin.SetAnnotations(annotations)
		err := plugin.Admit(tt.op, &core.Pod{Spec: core.PodSpec{Tolerations: tt.tolerations}})
		_, gerr := additions.NamespaceRestriction(annotations, additions.Restriction{}, "")
		if (err == nil) != tt.admitted || gerr == nil {
			t.Errorf("%s, %s of %v: Kubernetes %v, ours %v", tt.annotation, tt.op, tt.tolerations, err, gerr)
		}
	}
}

// Without a class in its status, a Guaranteed pod is read as Burstable. Both get the same
// toleration.
func TestListed_D3_guaranteed(t *testing.T) {
	t.Parallel()
	amounts := corev1.ResourceList{"cpu": resource.MustParse("1"), "memory": resource.MustParse("1")}
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: amounts, Limits: amounts}}}}}
	theirs := qos.GetPodQOS(internalPod(pod))
	ours, err := decodePod(pod)
	if err != nil || theirs != core.PodQOSGuaranteed || ours.QOS != additions.Burstable {
		t.Errorf("Kubernetes %v, ours %v, %v", theirs, ours.QOS, err)
	}
	pod.Status.QOSClass = corev1.PodQOSGuaranteed
	if ours, err := decodePod(pod); err != nil || ours.QOS != additions.Guaranteed {
		t.Errorf("with a status: ours %v, %v", ours.QOS, err)
	}
}
