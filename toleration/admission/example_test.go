package admission_test

import (
	"errors"
	"fmt"

	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

func printList(l toleration.List) {
	for _, u := range l {
		fmt.Println(u)
	}
}

// A webhook receives a pod, and returns a patch with the added tolerations.
func Example() {
	object := []byte(`{
		"metadata": {"name": "train-1", "namespace": "research"},
		"spec": {
			"containers": [{"name": "main", "resources": {"requests": {"cpu": "2", "example.com/gpu": "1"}}}],
			"tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}]
		}
	}`)
	annotations := map[string]string{ // of the namespace
		admission.DefaultsAnnotation: `[{"key": "dedicated", "value": "research", "effect": "NoSchedule"}]`,
	}

	restriction, restrictionErr := admission.NamespaceRestriction(annotations, admission.Restriction{}, "")
	pod, _, podErr := admission.DecodePod(object, "")
	added, err := admission.Plan{Restriction: restriction}.OnCreate(pod)
	if err := errors.Join(restrictionErr, podErr, err); err != nil {
		fmt.Println(err)
		return
	}
	printList(added)
	// Output:
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// dedicated=research:NoSchedule
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
	// example.com/gpu:NoSchedule op=Exists
}

func ExampleDefaultSeconds() {
	pod := toleration.MustParseList("node.kubernetes.io/not-ready:NoExecute op=Exists for 6000s")
	printList(admission.DefaultSeconds(admission.SecondsOptions{}, pod))
	fmt.Println("settings:")
	minute := int64(60)
	printList(admission.DefaultSeconds(admission.SecondsOptions{NotReady: &minute, UnreachableOff: true}, nil))
	// Output:
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// settings:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 60s
}

func ExampleDaemon() {
	template := toleration.MustParseList("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s,dedicated op=Exists")
	printList(admission.Daemon(admission.DaemonOptions{HostNetwork: true}, template))
	// Output:
	// node.kubernetes.io/unreachable:NoExecute op=Exists
	// dedicated op=Exists
	// node.kubernetes.io/not-ready:NoExecute op=Exists
	// node.kubernetes.io/disk-pressure:NoSchedule op=Exists
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
	// node.kubernetes.io/pid-pressure:NoSchedule op=Exists
	// node.kubernetes.io/unschedulable:NoSchedule op=Exists
	// node.kubernetes.io/network-unavailable:NoSchedule op=Exists
}

func ExampleNamespaceRestriction() {
	cluster := admission.Restriction{Whitelist: toleration.MustParseList("team op=Exists")}
	r, err := admission.NamespaceRestriction(map[string]string{admission.DefaultsAnnotation: `[{"key":"team","value":"a"}]`}, cluster, "")
	fmt.Println(r.Defaults, r.Whitelist, err)

	r, err = admission.NamespaceRestriction(map[string]string{
		admission.DefaultsAnnotation:  `[{"key":"team","value":true}]`,
		admission.WhitelistAnnotation: `{}`,
	}, cluster, "")
	fmt.Println(err)
	_, err = admission.Plan{Restriction: r}.OnUpdate(admission.PodSpec{Tolerations: toleration.MustParseList("op=Exists")})
	fmt.Println(err) // nothing is allowed
	// Output:
	// team=a team op=Exists <nil>
	// metadata.annotations[scheduler.alpha.kubernetes.io/defaultTolerations][0].value true: must be a string, so put it in quotes
	// metadata.annotations[scheduler.alpha.kubernetes.io/tolerationsWhitelist] {}: must be a list
	// spec.tolerations: the whitelist has no valid toleration, so it admits no pod
}

func ExampleDedicate() {
	for _, text := range []string{"dedicated=gpu:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule"} {
		d := admission.Dedicate(taint.MustParse(text))
		fmt.Println(d.Toleration, d.Labels)
		fmt.Println(d.Key, "In", d.Values) // node affinity, Exists without values
	}
	// Output:
	// dedicated=gpu:NoSchedule op=Equal map[dedicated:gpu]
	// dedicated In [gpu]
	// node-role.kubernetes.io/control-plane:NoSchedule op=Exists map[node-role.kubernetes.io/control-plane:]
	// node-role.kubernetes.io/control-plane In []
}

func ExampleDecodePod() {
	pod, _, err := admission.DecodePod([]byte(`{"spec": {
		"runtimeClassName": "sandbox",
		"initContainers": [{"resources": {"requests": {"example.com/gpu": 1}}}],
		"containers": [{"resources": {"limits": {"memory": "64Mi", "example.com/nic": 1}}}],
		"tolerations": [{"key": "dedicated", "operator": "Exists"}]
	}}`), "")
	fmt.Println(pod.Tolerations, pod.QOS, pod.Resources, pod.RuntimeClassName, err)

	_, _, err = admission.DecodePod([]byte(`{"spec": {"tolerations": [{"value": "x"}, null]}}`), "")
	fmt.Println(err)
	// Output:
	// dedicated op=Exists Burstable [example.com/gpu example.com/nic memory] sandbox <nil>
	// spec.tolerations[0].key: must be set, unless the operator is Exists
	// spec.tolerations[1]: must not be null
}

// A namespace's longer seconds replace the default.
func ExamplePlan_OnCreate() {
	plan := admission.Plan{Restriction: admission.Restriction{
		Defaults:  toleration.MustParseList("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s"),
		Whitelist: toleration.MustParseList("node.kubernetes.io/not-ready op=Exists,node.kubernetes.io/unreachable op=Exists,team op=Exists"),
	}}
	added, err := plan.OnCreate(admission.PodSpec{Tolerations: toleration.MustParseList("team=a")})
	printList(added)
	fmt.Println(err)
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 600s
	// <nil>
}

func ExamplePlan_OnCreate_extendedResource() {
	hardware := taint.MustParse("example.com/gpu:NoSchedule")
	for _, requests := range []string{`{"example.com/gpu": 1}`, `{"cpu": 1}`} {
		pod, _, err := admission.DecodePod([]byte(`{"spec": {"containers": [{"resources": {"requests": `+requests+`}}]}}`), "")
		if err != nil {
			fmt.Println(err)
			return
		}
		added, err := admission.Plan{}.OnCreate(pod)
		fmt.Println(requests, match.Node{Taints: taint.List{hardware}}.Schedulable(added), err)
	}
	// Output:
	// {"example.com/gpu": 1} true <nil>
	// {"cpu": 1} false <nil>
}
