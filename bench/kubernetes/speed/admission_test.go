package speed

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/kubernetes/pkg/apis/core"

	"github.com/go-tolerate/tolerate/bench/kubernetes/upstream"
	"github.com/go-tolerate/tolerate/bench/workload"
	"github.com/go-tolerate/tolerate/toleration"
	additions "github.com/go-tolerate/tolerate/toleration/admission"
)

// A request is one pod that is created, on both sides: the first two
// tolerations of the workload's pod, and two containers that ask for processor,
// memory and two devices, one of which the pod tolerates already.
type request struct {
	pod    *core.Pod
	before []core.Toleration
	ours   additions.Pod
}

var annotations = map[string]string{
	additions.DefaultsAnnotation:  `[{"key":"team","operator":"Equal","value":"7","effect":"NoSchedule"}]`,
	additions.WhitelistAnnotation: `[{"operator":"Exists","effect":"NoSchedule"},{"operator":"Exists","effect":"NoExecute","tolerationSeconds":300}]`,
}

func newRequest() request {
	list := workload.Pod()[:2:2]
	r := request{before: internalTolerations(coreTolerations(list)), ours: additions.Pod{Tolerations: list, QOS: additions.Burstable}}
	for _, names := range [][]string{{"cpu", "memory", "nvidia.com/gpu"}, {"cpu", "memory", "example.com/fpga"}} {
		requests := core.ResourceList{}
		for _, name := range names {
			requests[core.ResourceName(name)] = resource.MustParse("1")
		}
		r.ours.Resources = append(r.ours.Resources, names...)
		r.pod = podWith(r.pod, requests)
	}
	r.pod.Spec.Tolerations = r.before
	return r
}

func podWith(pod *core.Pod, requests core.ResourceList) *core.Pod {
	if pod == nil {
		pod = &core.Pod{}
	}
	pod.Spec.Containers = append(pod.Spec.Containers, core.Container{Resources: core.ResourceRequirements{Requests: requests}})
	return pod
}

// A rule is one of the plugins, or all of them in their order, with what does
// its job here.
type rule struct {
	name    string
	plugins []upstream.Plugin
	ours    func(additions.Pod) ([]toleration.Toleration, error)
	append  func(dst []toleration.Toleration, pod additions.Pod) ([]toleration.Toleration, error)
	// each reads the namespace's annotations once more, where the rule does.
	each func(additions.Pod) ([]toleration.Toleration, error)
}

func rules() []rule {
	restriction := upstream.NewRestriction(nil, nil)
	restriction.SetAnnotations(annotations)
	seconds, resources := upstream.DefaultSeconds(300, 300), upstream.ExtendedResources()
	read := func() additions.Restriction {
		ours, err := additions.NamespaceRestriction(annotations, additions.Restriction{}, toleration.ListOptions{})
		if err != nil {
			panic(err)
		}
		return ours
	}
	off := additions.Seconds{NotReady: additions.Off(), Unreachable: additions.Off()}
	restricted := additions.Plan{Restriction: read(), Seconds: off}
	all := additions.Plan{Restriction: read()}
	without := func(pod additions.Pod) additions.Pod {
		pod.Resources = nil
		return pod
	}
	return []rule{
		{"seconds", []upstream.Plugin{seconds}, func(pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.DefaultSeconds(additions.Seconds{}, pod.Tolerations), nil
		}, func(dst []toleration.Toleration, pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.AppendDefaultSeconds(dst, additions.Seconds{}, pod.Tolerations), nil
		}, nil},
		{"resources", []upstream.Plugin{resources}, func(pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.ExtendedResources(pod.Resources, pod.Tolerations), nil
		}, func(dst []toleration.Toleration, pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.AppendExtendedResources(dst, pod.Resources, pod.Tolerations), nil
		}, nil},
		{"restriction", []upstream.Plugin{restriction.Plugin}, func(pod additions.Pod) ([]toleration.Toleration, error) {
			return restricted.OnCreate(without(pod))
		}, func(dst []toleration.Toleration, pod additions.Pod) ([]toleration.Toleration, error) {
			return restricted.AppendOnCreate(dst, without(pod))
		}, func(pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.Plan{Restriction: read(), Seconds: off}.OnCreate(without(pod))
		}},
		{"all", []upstream.Plugin{seconds, restriction.Plugin, resources}, all.OnCreate, all.AppendOnCreate, func(pod additions.Pod) ([]toleration.Toleration, error) {
			return additions.Plan{Restriction: read()}.OnCreate(pod)
		}},
	}
}

// prepare returns what the plugins do with the request, over and over.
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
		var theirs []toleration.Toleration
		for _, t := range r.prepare(rule.plugins)() {
			theirs = fromCoreTolerations(theirs, []corev1.Toleration{{Key: t.Key, Operator: corev1.TolerationOperator(t.Operator),
				Value: t.Value, Effect: corev1.TaintEffect(t.Effect), TolerationSeconds: t.TolerationSeconds}})
		}
		added, err := rule.ours(r.ours)
		appended, aerr := rule.append(nil, r.ours)
		if got := slices.Concat(r.ours.Tolerations, added); err != nil || aerr != nil || len(added) == 0 || !slices.Equal(got, theirs) || !slices.Equal(appended, added) {
			t.Errorf("%s: Kubernetes %v, ours %v and %v, %v", rule.name, theirs, got, appended, err)
		}
		if rule.each != nil {
			if each, err := rule.each(r.ours); err != nil || !slices.Equal(each, added) {
				t.Errorf("%s: with the annotations %v, %v", rule.name, each, err)
			}
		}
	}
}

// BenchmarkAdmit admits one pod: by each plugin alone, and by all of them. The
// plugins find the pod's class and its resources themselves, which the library
// is given, and read the namespace's annotations each time. So does
// impl=tolerate; tolerate-namespace and tolerate-append have read them once, as
// one would, and the latter has the caller's memory.
func BenchmarkAdmit(b *testing.B) {
	for _, rule := range rules() {
		b.Run("rule="+rule.name, func(b *testing.B) {
			r := newRequest()
			dst := make([]toleration.Toleration, 0, 8)
			admit := func(f func(additions.Pod) ([]toleration.Toleration, error)) func() []toleration.Toleration {
				return func() []toleration.Toleration {
					added, err := f(r.ours)
					if err != nil {
						panic(err)
					}
					return added
				}
			}
			run(b, "impl=kubernetes", r.prepare(rule.plugins))
			if rule.each == nil {
				run(b, "impl=tolerate", admit(rule.ours))
			} else {
				run(b, "impl=tolerate", admit(rule.each))
				run(b, "impl=tolerate-namespace", admit(rule.ours))
			}
			run(b, "impl=tolerate-append", admit(func(pod additions.Pod) ([]toleration.Toleration, error) { return rule.append(dst, pod) }))
		})
	}
}

// BenchmarkAnnotations reads what a namespace's annotations say of tolerations,
// two lists, as Kubernetes does in each request.
func BenchmarkAnnotations(b *testing.B) {
	run(b, "impl=kubernetes", func() [][]corev1.Toleration {
		return [][]corev1.Toleration{decodeKubernetes([]byte(annotations[additions.DefaultsAnnotation])), decodeKubernetes([]byte(annotations[additions.WhitelistAnnotation]))}
	})
	held, _ := additions.NamespaceRestriction(annotations, additions.Restriction{}, toleration.ListOptions{})
	run(b, "impl=tolerate", func() additions.Restriction {
		r, err := additions.NamespaceRestriction(annotations, additions.Restriction{}, toleration.ListOptions{})
		if err != nil {
			panic(err)
		}
		return r
	})
	if len(held.Defaults) == 0 {
		b.Fatal("not held")
	}
}
