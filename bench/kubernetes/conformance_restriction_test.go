package kubernetes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// A planner is a Plan's OnCreate or OnUpdate. The mutation check replaces it.
type planner func(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error)

func plan(p additions.Plan, op admission.Operation, pod additions.PodSpec) (toleration.List, error) {
	if op == admission.Create {
		return p.OnCreate(pod)
	}
	return p.OnUpdate(pod)
}

// A chain is the plugins of an API server in their order, with a namespace and the
// lists of the cluster.
type chain struct {
	cluster      additions.Restriction
	seconds      upstream.Plugin
	restriction  upstream.Restriction
	resources    upstream.Plugin
	runtimeClass upstream.RuntimeClass
}

func newChain(defaults, whitelist toleration.List) chain {
	return chain{
		additions.Restriction{Defaults: defaults, Whitelist: whitelist},
		upstream.DefaultSeconds(300, 300), upstream.NewRestriction(internals(defaults), internals(whitelist)),
		upstream.ExtendedResources(), upstream.NewRuntimeClass(),
	}
}

// admit returns the refusal of the first plugin that refuses.
func (c chain) admit(op admission.Operation, pod *core.Pod) error {
	plugins := []upstream.Plugin{c.seconds, c.restriction.Plugin, c.resources}
	if op == admission.Create {
		plugins = append(plugins, c.runtimeClass.Plugin)
	}
	for _, p := range plugins {
		if err := p.Admit(op, pod); err != nil {
			return err
		}
	}
	return c.restriction.Validate(op, pod)
}

func chains() []chain {
	return []chain{
		newChain(nil, nil),
		newChain(toleration.MustParseList("a:NoSchedule op=Exists,node.kubernetes.io/not-ready:NoExecute op=Exists for 600s"), nil),
		newChain(nil, toleration.MustParseList("a op=Exists,b op=Exists,:NoExecute op=Exists for 300s,:NoSchedule op=Exists")),
		newChain(toleration.MustParseList("b=x op=Equal"), toleration.MustParseList("op=Exists")),
	}
}

// annotate makes a namespace's annotations.
func (g *gen) annotate(defaults, whitelist []corev1.Toleration) map[string]string {
	annotations := map[string]string{}
	for name, list := range map[string][]corev1.Toleration{additions.DefaultsAnnotation: defaults, additions.WhitelistAnnotation: whitelist} {
		switch g.IntN(8) {
		case 0, 1:
		case 2:
			annotations[name] = g.one("", "[]", "null", " [ ] ")
		default:
			data, err := json.Marshal(list)
			if err != nil {
				panic(err)
			}
			annotations[name] = string(data)
		}
	}
	return annotations
}

// admits compares everything that admission does to a pod with the plugins.
func admits(chains []chain, ours planner, refused, added *share) func(g *gen) string {
	return func(g *gen) string {
		c := chains[g.IntN(len(chains))]
		own, defaults := g.readAlike()
		whitelist, class := g.readAlike()
		if g.in(2) {
			whitelist = append(whitelist, corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffect(g.one("", "NoSchedule"))},
				corev1.Toleration{Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute})
		}
		annotations := g.annotate(defaults, whitelist)
		c.restriction.SetAnnotations(annotations)
		c.runtimeClass.SetTolerations(class)
		r, err := additions.NamespaceRestriction(annotations, c.cluster, "")
		if err != nil {
			return err.Error()
		}
		pod := g.pod(own)
		if g.in(2) {
			name := upstream.RuntimeClassName
			pod.Spec.RuntimeClassName = &name
		}
		op := []admission.Operation{admission.Create, admission.Create, admission.Update}[g.IntN(3)]

		in, err := decodePod(pod)
		if err != nil {
			return err.Error()
		}
		if in.RuntimeClassName != "" {
			in.RuntimeClass, _ = ourTolerations(class)
		}
		theirs := internalPod(pod)
		terr := c.admit(op, theirs)
		more, gerr := ours(additions.Plan{Restriction: r}, op, in)
		refused.count(terr != nil)
		added.count(len(more) > 0)
		differ := func(what string) string {
			return fmt.Sprintf("%s of %v with %v, annotations %v, cluster %v, runtime class %v: %s: Kubernetes %v %v, ours adds %v, %v",
				op, in.Tolerations, in.Resources, annotations, c.cluster, in.RuntimeClass, what, theirs.Spec.Tolerations, terr, more, gerr)
		}
		if (terr == nil) != (gerr == nil) {
			return differ("one refuses")
		}
		if terr != nil {
			return ""
		}
		got := slices.Concat(in.Tolerations, more)
		if want := fromInternal(theirs.Spec.Tolerations); !slices.Equal(merged(got), merged(want)) {
			return differ("merged once more they are not the same")
		}
		in.Tolerations = got
		if again, err := ours(additions.Plan{Restriction: r}, op, in); err != nil || len(again) > 0 {
			return differ(fmt.Sprintf("and then %v, %v", again, err))
		}
		if err := c.admit(op, theirs); err != nil {
			return differ("and then Kubernetes refuses it: " + err.Error())
		}
		return ""
	}
}

func TestPodAdmission_D1_D3_D4_D5_D8(t *testing.T) {
	t.Parallel()
	var refused, added share
	conform(t, objects/3, admits(chains(), plan, &refused, &added))
	refused.within(t, "are refused", 0.1, 0.8)
	added.within(t, "get tolerations", 0.1, 0.9)
}

// An empty name means no class; before 1.38, the plugin refuses such a pod.
func TestRuntimeClass_D8_empty_name(t *testing.T) {
	t.Parallel()
	plugin := upstream.NewRuntimeClass()
	plugin.SetTolerations([]corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}})
	pod := &corev1.Pod{Spec: corev1.PodSpec{RuntimeClassName: new("")}}
	in, err := decodePod(pod)
	if err != nil || in.RuntimeClassName != "" {
		t.Errorf("ours has the class %q, %v", in.RuntimeClassName, err)
	}
	theirs := internalPod(pod)
	if err := plugin.Admit(admission.Create, theirs); (err == nil) != upstream.From138 || len(theirs.Spec.Tolerations) > 0 {
		t.Errorf("Kubernetes adds %v, %v", theirs.Spec.Tolerations, err)
	}
}
