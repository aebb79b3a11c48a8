package upstream

import (
	"strconv"
	"sync"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	podtest "k8s.io/kubernetes/pkg/api/pod/testing"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/extendedresourcetoleration"
	"k8s.io/kubernetes/plugin/pkg/admission/nodetaint"
	"k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction"
	restrictionapi "k8s.io/kubernetes/plugin/pkg/admission/podtolerationrestriction/apis/podtolerationrestriction"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"
)

// A Plugin is an admission plugin, by the interface that the API server calls.
type Plugin struct{ plugin admission.MutationInterface }

// Admit calls the plugin with a pod or a node that is created or updated.
func (p Plugin) Admit(op admission.Operation, obj runtime.Object) error {
	return p.Prepare(op, obj)()
}

// Prepare returns a function that does what Admit does, with a request that is made
// only once.
func (p Plugin) Prepare(op admission.Operation, obj runtime.Object) func() error {
	a := attributes(op, obj)
	return func() error { return p.plugin.Admit(quiet, a, nil) }
}

func attributes(op admission.Operation, obj runtime.Object) admission.Attributes {
	resource, kind := "pods", "Pod"
	if _, ok := obj.(*core.Node); ok {
		resource, kind = "nodes", "Node"
	}
	version := core.SchemeGroupVersion.Version
	return admission.NewAttributesRecord(obj, nil, core.Kind(kind).WithVersion(version),
		podNamespace, podName, core.Resource(resource).WithVersion(version), "", op, nil, false, nil)
}

var flagMutex sync.Mutex

// DefaultSeconds returns the plugin DefaultTolerationSeconds with the two
// numbers that an API server's flags set.
func DefaultSeconds(notReady, unreachable int64) Plugin {
	flagMutex.Lock()
	defer flagMutex.Unlock()
	set := func(notReady, unreachable int64) {
		fs := pflag.NewFlagSet("", pflag.PanicOnError)
		defaulttolerationseconds.RegisterFlags(fs) // they are variables of the plugin's package
		must(fs.Set("default-not-ready-toleration-seconds", strconv.FormatInt(notReady, 10)))
		must(fs.Set("default-unreachable-toleration-seconds", strconv.FormatInt(unreachable, 10)))
	}
	set(notReady, unreachable)
	defer set(300, 300)
	p := defaulttolerationseconds.NewDefaultTolerationSeconds()
	p.InspectFeatureGates(nil)
	return Plugin{p}
}

// ExtendedResources returns the plugin ExtendedResourceToleration.
func ExtendedResources() Plugin {
	plugins := admission.NewPlugins()
	extendedresourcetoleration.Register(plugins)
	p, err := plugins.InitPlugin(extendedresourcetoleration.PluginName, nil, admission.PluginInitializers{})
	must(err)
	return Plugin{p.(admission.MutationInterface)}
}

// NotReady returns the plugin TaintNodesByCondition.
func NotReady() Plugin { return Plugin{nodetaint.NewPlugin()} }

// A Restriction is the plugin PodTolerationRestriction with a namespace.
type Restriction struct {
	Plugin
	namespaces cache.Indexer
}

// NewRestriction returns the plugin with the cluster's own lists.
func NewRestriction(defaults, whitelist []core.Toleration) Restriction {
	client := &fake.Clientset{}
	factory := informers.NewSharedInformerFactory(client, 0)
	p := podtolerationrestriction.NewPodTolerationsPlugin(&restrictionapi.Configuration{Default: defaults, Whitelist: whitelist})
	p.SetExternalKubeClientSet(client)
	p.SetExternalKubeInformerFactory(factory)
	p.SetReadyFunc(func() bool { return true })
	r := Restriction{Plugin{p}, factory.Core().V1().Namespaces().Informer().GetIndexer()}
	r.SetAnnotations(nil)
	return r
}

// Validate calls the plugin with the pod again, after all plugins have admitted
// it.
func (r Restriction) Validate(op admission.Operation, pod *core.Pod) error {
	return r.plugin.(admission.ValidationInterface).Validate(quiet, attributes(op, pod), nil)
}

// SetAnnotations sets the annotations of the namespace.
func (r Restriction) SetAnnotations(annotations map[string]string) {
	ns := &corev1.Namespace{}
	ns.Name, ns.Annotations = podNamespace, annotations
	must(r.namespaces.Update(ns))
}

// A RuntimeClass is the plugin RuntimeClass with one runtime class.
type RuntimeClass struct {
	Plugin
	classes cache.Indexer
}

// RuntimeClassName is the name that a pod must request.
const RuntimeClassName = "class"

// NewRuntimeClass returns the plugin.
func NewRuntimeClass() RuntimeClass {
	client := &fake.Clientset{}
	client.AddReactor("get", "runtimeclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewNotFound(nodev1.Resource("runtimeclasses"), "") // the plugin knows all that there are
	})
	factory := informers.NewSharedInformerFactory(client, 0)
	p := runtimeclass.NewRuntimeClass()
	p.SetExternalKubeClientSet(client)
	p.SetExternalKubeInformerFactory(factory)
	return RuntimeClass{Plugin{p}, factory.Node().V1().RuntimeClasses().Informer().GetIndexer()}
}

// SetTolerations sets the tolerations of the runtime class.
func (r RuntimeClass) SetTolerations(tolerations []corev1.Toleration) {
	class := &nodev1.RuntimeClass{Handler: "handler", Scheduling: &nodev1.Scheduling{Tolerations: tolerations}}
	class.Name = RuntimeClassName
	must(r.classes.Update(class))
}

// UpdateErrors returns the API server's errors for a change of the tolerations of a pod,
// which is valid otherwise.
func UpdateErrors(before, after []core.Toleration) fieldpath.ErrorList {
	pod := podtest.MakePod(podName, podtest.SetResourceVersion("1"), podtest.SetTolerations(before...))
	changed := pod.DeepCopy()
	changed.Spec.Tolerations = after
	opts := podutil.GetValidationOptionsFromPodSpecAndMeta(&changed.Spec, &pod.Spec, &changed.ObjectMeta, &pod.ObjectMeta)
	return validation.ValidatePodUpdate(changed, pod, opts)
}
