package speed

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/fields"
	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// A request is the creation of one pod, for both sides: the first two tolerations of
// the workload's pod, and two containers that request processor, memory and two
// devices. The pod already tolerates one of the devices.
type request struct {
	pod    *core.Pod
	before []core.Toleration
	ours   additions.PodSpec
}

var annotations = map[string]string{
	additions.DefaultsAnnotation:  `[{"key":"team","operator":"Equal","value":"7","effect":"NoSchedule"}]`,
	additions.WhitelistAnnotation: `[{"operator":"Exists","effect":"NoSchedule"},{"operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`,
}

func newRequest() request {
	list := workload.Pod()[:2:2]
	r := request{pod: &core.Pod{}, before: fields.As[core.Toleration](coreTolerations(list)), ours: additions.PodSpec{Tolerations: list, QOS: additions.Burstable}}
	for _, names := range [][]string{{"cpu", "memory", "nvidia.com/gpu"}, {"cpu", "memory", "example.com/fpga"}} {
		requests := core.ResourceList{}
		for _, name := range names {
			requests[core.ResourceName(name)] = resource.MustParse("1")
		}
		r.ours.Resources = append(r.ours.Resources, names...)
		r.pod.Spec.Containers = append(r.pod.Spec.Containers, core.Container{Resources: core.ResourceRequirements{Requests: requests}})
	}
	r.pod.Spec.Tolerations = r.before
	return r
}

// A rule is one of the plugins, or all of them in their order, with the function that
// replaces it here.
type rule struct {
	name    string
	plugins []upstream.Plugin
	ours    func(additions.PodSpec) (toleration.List, error)
	// each also reads the namespace's annotations, if the rule does.
	each func(additions.PodSpec) (toleration.List, error)
}

func rules() []rule {
	restriction := upstream.NewRestriction(nil, nil)
	restriction.SetAnnotations(annotations)
	seconds, resources := upstream.DefaultSeconds(300, 300), upstream.ExtendedResources()
	read := func() additions.Restriction {
		ours, err := additions.NamespaceRestriction(annotations, additions.Restriction{}, "")
		if err != nil {
			panic(err)
		}
		return ours
	}
	off := additions.SecondsOptions{NotReadyOff: true, UnreachableOff: true}
	restricted := additions.Plan{Restriction: read(), Seconds: off}
	all := additions.Plan{Restriction: read()}
	without := func(pod additions.PodSpec) additions.PodSpec {
		pod.Resources = nil
		return pod
	}
	return []rule{
		{"seconds", []upstream.Plugin{seconds}, func(pod additions.PodSpec) (toleration.List, error) {
			return additions.DefaultSeconds(additions.SecondsOptions{}, pod.Tolerations), nil
		}, nil},
		{"resources", []upstream.Plugin{resources}, func(pod additions.PodSpec) (toleration.List, error) {
			return additions.Plan{Seconds: off}.OnUpdate(additions.PodSpec{Tolerations: pod.Tolerations, Resources: pod.Resources})
		}, nil},
		{"restriction", []upstream.Plugin{restriction.Plugin}, func(pod additions.PodSpec) (toleration.List, error) {
			return restricted.OnCreate(without(pod))
		}, func(pod additions.PodSpec) (toleration.List, error) {
			return additions.Plan{Restriction: read(), Seconds: off}.OnCreate(without(pod))
		}},
		{"all", []upstream.Plugin{seconds, restriction.Plugin, resources}, all.OnCreate, func(pod additions.PodSpec) (toleration.List, error) {
			return additions.Plan{Restriction: read()}.OnCreate(pod)
		}},
	}
}

// prepare returns a function that calls the plugins with the same request again and
// again.
func (r request) prepare(plugins []upstream.Plugin) func() []core.Toleration {
	var admit []func() error
	for _, p := range plugins {
		admit = append(admit, p.Prepare(admission.Create, r.pod))
	}
	return func() []core.Toleration {
		r.pod.Spec.Tolerations = r.before[:len(r.before):len(r.before)]
		for _, f := range admit {
			if err := f(); err != nil {
				panic(err)
			}
		}
		return r.pod.Spec.Tolerations
	}
}

func TestSameAdmit(t *testing.T) {
	for _, rule := range rules() {
		r := newRequest()
		theirs, _ := kube.Tolerations(fields.As[corev1.Toleration](r.prepare(rule.plugins)()))
		added, err := rule.ours(r.ours)
		if got := slices.Concat(r.ours.Tolerations, added); err != nil || len(added) == 0 || !slices.Equal(got, theirs) {
			t.Errorf("%s: Kubernetes %v, ours %v, %v", rule.name, theirs, got, err)
		}
		if rule.each != nil {
			if each, err := rule.each(r.ours); err != nil || !slices.Equal(each, added) {
				t.Errorf("%s: with the annotations %v, %v", rule.name, each, err)
			}
		}
	}
}

// BenchmarkAdmit admits one pod, by each plugin alone and by all of them. The plugins
// compute the pod's class and its resources, which the library gets as arguments, and
// read the namespace's annotations each time. So does impl=tolerate; tolerate-namespace
// has read them once, as a program would.
func BenchmarkAdmit(b *testing.B) {
	for _, rule := range rules() {
		b.Run("rule="+rule.name, func(b *testing.B) {
			r := newRequest()
			admit := func(f func(additions.PodSpec) (toleration.List, error)) func() toleration.List {
				return func() toleration.List {
					added, err := f(r.ours)
					if err != nil {
						panic(err)
					}
					return added
				}
			}
			workload.Run(b, "impl=kubernetes", r.prepare(rule.plugins))
			if rule.each == nil {
				workload.Run(b, "impl=tolerate", admit(rule.ours))
			} else {
				workload.Run(b, "impl=tolerate", admit(rule.each))
				workload.Run(b, "impl=tolerate-namespace", admit(rule.ours))
			}
		})
	}
}
