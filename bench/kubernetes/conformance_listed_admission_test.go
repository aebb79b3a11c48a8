package kubernetes_test

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// In an annotation, a toleration that no pod could have is a problem, and so is a field
// name with the wrong case. Kubernetes accepts whatever its decoder can read, by the
// rules of encoding/json. This difference affects only contents that Kubernetes'
// validation would reject, and names with the wrong case. Both sides read accepted
// contents alike.
func TestListed_D5_contents(t *testing.T) {
	t.Parallel()
	plugin := upstream.NewRestriction(nil, nil)
	for _, tt := range []struct {
		text         string
		theirs, ours bool // accepted
	}{
		{`[]`, true, true},
		{`[{"key":"k","effect":"NoExecute","tolerationSeconds":5},{"key":"l","operator":"Exists"}]`, true, true},
		{`[{"keys":"k","operator":"Exists"}]`, true, true},
		{`[{"Key":"k","operator":"Exists"}]`, true, false},
		{`[{"key":"k","operator":"Exists","value":"v"}]`, true, false},
		{`[{"key":"k","tolerationSeconds":5}]`, true, false},
		{`[{"key":"k."}]`, true, false},
		{`[null]`, true, false},
		{`[{}]`, true, false},
		{`[{"key":5}]`, false, false},
		{`{}`, false, false},
		{`[],`, false, false},
	} {
		plugin.SetAnnotations(map[string]string{additions.DefaultsAnnotation: tt.text})
		pod := new(core.Pod)
		err := plugin.Admit(admission.Create, pod)
		r, gerr := additions.NamespaceRestriction(map[string]string{additions.DefaultsAnnotation: tt.text}, additions.Restriction{}, "")
		if (err == nil) != tt.theirs || (gerr == nil) != tt.ours {
			t.Errorf("%s: Kubernetes %v, ours %v", tt.text, err, gerr)
		}
		if tt.ours && !slices.Equal(r.Defaults, fromInternal(pod.Spec.Tolerations)) {
			t.Errorf("%s: Kubernetes %v, ours %v", tt.text, pod.Spec.Tolerations, r.Defaults)
		}
	}
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
