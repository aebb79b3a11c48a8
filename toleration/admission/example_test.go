package admission_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/validate"
)

// list reads tolerations, one from each text.
func list(texts ...string) []toleration.Toleration {
	var l []toleration.Toleration
	for _, text := range texts {
		l = append(l, toleration.MustParse(text))
	}
	return l
}

func printList(l []toleration.Toleration) {
	for _, u := range l {
		fmt.Println(u)
	}
}

// A pod comes in, as a webhook gets it, and goes out with a patch.
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

	restriction, err := admission.NamespaceRestriction(annotations, admission.Restriction{}, toleration.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := admission.Plan{Restriction: restriction}
	pod, err := admission.DecodePod(object, toleration.ListOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	added, err := plan.OnCreate(pod)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, operation := range admission.Patch(pod.Tolerations, added) {
		text, _ := json.Marshal(operation)
		fmt.Println(string(text))
	}
	// Output:
	// {"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}}
	// {"op":"add","path":"/spec/tolerations/-","value":{"key":"dedicated","value":"research","effect":"NoSchedule"}}
	// {"op":"add","path":"/spec/tolerations/-","value":{"key":"node.kubernetes.io/memory-pressure","operator":"Exists","effect":"NoSchedule"}}
	// {"op":"add","path":"/spec/tolerations/-","value":{"key":"example.com/gpu","operator":"Exists","effect":"NoSchedule"}}
}

func ExampleDefaultSeconds() {
	pod := list("node.kubernetes.io/not-ready:NoExecute op=Exists for 6000s")
	printList(admission.DefaultSeconds(admission.Seconds{}, pod))
	fmt.Println("settings:")
	printList(admission.DefaultSeconds(admission.Seconds{NotReady: admission.For(60), Unreachable: admission.Off()}))
	// Output:
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// settings:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 60s
}

func ExampleAppendDefaultSeconds() {
	pod := list("dedicated=gpu:NoSchedule")
	pod = admission.AppendDefaultSeconds(pod, admission.Seconds{}, pod)
	printList(pod)
	// Output:
	// dedicated=gpu:NoSchedule
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
}

func ExampleFor() {
	fmt.Println(admission.For(60).Seconds())
	fmt.Println(admission.For(0).Seconds())
	fmt.Println(admission.Grace{}.Seconds())
	// Output:
	// 60 true
	// 0 true
	// 300 true
}

func ExampleOff() {
	fmt.Println(admission.Off().Seconds())
	// Output:
	// 0 false
}

func ExampleParseGrace() {
	for _, text := range []string{"600", "0", "off", "", "5m"} {
		g, err := admission.ParseGrace(text)
		seconds, ok := g.Seconds()
		fmt.Println(seconds, ok, err)
	}
	// Output:
	// 600 true <nil>
	// 0 true <nil>
	// 0 false <nil>
	// 300 true <nil>
	// 300 true admission.ParseGrace("5m"): must have the form 300 or off
}

// The settings of an API server, as flags of a program.
func ExampleGrace_UnmarshalText() {
	var s admission.Seconds
	flags := flag.NewFlagSet("webhook", flag.ContinueOnError)
	flags.TextVar(&s.NotReady, "default-not-ready-toleration-seconds", admission.Grace{}, "seconds, or off")
	flags.TextVar(&s.Unreachable, "default-unreachable-toleration-seconds", admission.Grace{}, "seconds, or off")
	if err := flags.Parse([]string{"-default-not-ready-toleration-seconds=30"}); err != nil {
		fmt.Println(err)
		return
	}
	printList(admission.DefaultSeconds(s))
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 30s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
}

func ExampleDaemon() {
	template := list("node.kubernetes.io/unreachable:NoExecute op=Exists for 30s", "dedicated op=Exists")
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

func ExampleAppendDaemon() {
	pods := make([]toleration.Toleration, 0, 64)
	pods = admission.AppendDaemon(pods, admission.DaemonOptions{}, list("op=Exists"))
	fmt.Println(len(pods), pods[0], pods[1])
	// Output:
	// 7 op=Exists node.kubernetes.io/not-ready:NoExecute op=Exists
}

func ExampleParseQOS() {
	fmt.Println(admission.ParseQOS("Burstable"))
	_, err := admission.ParseQOS("burstable")
	fmt.Println(err)
	// Output:
	// Burstable <nil>
	// admission.ParseQOS("burstable"): must have the form BestEffort or Burstable or Guaranteed
}

func ExampleQOS_IsValid() {
	fmt.Println(admission.BestEffort.IsValid(), admission.QOS(0).IsValid())
	// Output:
	// true false
}

func ExampleMemoryPressure() {
	printList(admission.MemoryPressure(admission.BestEffort))
	printList(admission.MemoryPressure(admission.Burstable, list("dedicated=gpu")))
	printList(admission.MemoryPressure(admission.Guaranteed, list("op=Exists")))
	// Output:
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
}

func ExampleAppendMemoryPressure() {
	var pod []toleration.Toleration
	pod = admission.AppendMemoryPressure(pod, admission.Guaranteed, pod)
	pod = admission.AppendMemoryPressure(pod, admission.Guaranteed, pod) // has it
	printList(pod)
	// Output:
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
}

func ExampleIsExtendedResource() {
	for _, name := range []string{"example.com/gpu", "cpu", "kubernetes.io/gpu", "requests.example.com/gpu", "Example.com/gpu"} {
		fmt.Println(name, admission.IsExtendedResource(name))
	}
	// Output:
	// example.com/gpu true
	// cpu false
	// kubernetes.io/gpu false
	// requests.example.com/gpu false
	// Example.com/gpu false
}

func ExampleExtendedResources() {
	names := []string{"memory", "example.com/gpu", "cpu", "example.com/fpga", "example.com/gpu"}
	printList(admission.ExtendedResources(names, list("op=Exists")))
	// Output:
	// example.com/fpga:NoSchedule op=Exists
	// example.com/gpu:NoSchedule op=Exists
}

func ExampleAppendExtendedResources() {
	pod := list("example.com/gpu:NoSchedule op=Exists")
	printList(admission.AppendExtendedResources(nil, []string{"example.com/gpu", "example.com/fpga"}, pod))
	// Output:
	// example.com/fpga:NoSchedule op=Exists
}

func ExampleMissing() {
	class := list("sandbox op=Exists", "node.kubernetes.io/not-ready:NoExecute op=Exists for 30s")
	pod := list("node.kubernetes.io/not-ready:NoExecute op=Exists for 60s")
	printList(admission.Missing(class, pod))
	// Output:
	// sandbox op=Exists
}

func ExampleAppendMissing() {
	pod := list("dedicated=gpu:NoSchedule")
	pod = admission.AppendMissing(pod, list("dedicated=gpu:NoSchedule op=Equal", "team=a"), pod)
	printList(pod)
	// Output:
	// dedicated=gpu:NoSchedule
	// team=a
}

func ExampleStaticPod() {
	printList(admission.StaticPod(list("op=Exists")))
	// Output:
	// :NoExecute op=Exists
}

func ExampleAppendStaticPod() {
	pod := list(":NoExecute op=Exists")
	fmt.Println(len(admission.AppendStaticPod(pod, pod)))
	// Output:
	// 1
}

func ExampleNamespaceRestriction() {
	cluster := admission.Restriction{Whitelist: list("team op=Exists")}
	r, err := admission.NamespaceRestriction(map[string]string{admission.DefaultsAnnotation: `[{"key":"team","value":"a"}]`}, cluster, toleration.ListOptions{})
	fmt.Println(r.Defaults, r.Whitelist, err)

	_, err = admission.NamespaceRestriction(map[string]string{
		admission.DefaultsAnnotation:  `[{"key":"team","value":true}]`,
		admission.WhitelistAnnotation: `none`,
	}, cluster, toleration.ListOptions{})
	fmt.Println(err)
	// Output:
	// [team=a] [team op=Exists] <nil>
	// metadata.annotations[scheduler.alpha.kubernetes.io/defaultTolerations][0].value true: must be a string, so put it in quotes
	// metadata.annotations[scheduler.alpha.kubernetes.io/tolerationsWhitelist]: must be JSON: invalid character 'o' in literal null (expecting 'u')
}

func ExampleCheckWhitelist() {
	whitelist := list("node.kubernetes.io/not-ready op=Exists", "team=a")
	err := admission.CheckWhitelist(whitelist, list("team=a:NoSchedule", "op=Exists"), list("team=b"))
	fmt.Println(err)

	var problems validate.Problems
	if errors.As(err, &problems) {
		fmt.Println(problems[1].Path, errors.Is(problems[1], admission.ErrNotWhitelisted))
	}
	// Output:
	// spec.tolerations[1] "op=Exists": no toleration of the whitelist covers it
	// spec.tolerations[2] "team=b": no toleration of the whitelist covers it
	// spec.tolerations[2] true
}

// The nodes of a group, and what its pods need to be there and nowhere else.
func ExampleDedicate() {
	for _, text := range []string{"dedicated=gpu:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule"} {
		d := admission.Dedicate(taint.MustParse(text))
		out, _ := json.MarshalIndent(d, "", "  ")
		fmt.Println(string(out))
	}
	// Output:
	// {
	//   "toleration": {
	//     "key": "dedicated",
	//     "operator": "Equal",
	//     "value": "gpu",
	//     "effect": "NoSchedule"
	//   },
	//   "labels": {
	//     "dedicated": "gpu"
	//   },
	//   "nodeSelectorTerm": {
	//     "matchExpressions": [
	//       {
	//         "key": "dedicated",
	//         "operator": "In",
	//         "values": [
	//           "gpu"
	//         ]
	//       }
	//     ]
	//   }
	// }
	// {
	//   "toleration": {
	//     "key": "node-role.kubernetes.io/control-plane",
	//     "operator": "Exists",
	//     "effect": "NoSchedule"
	//   },
	//   "labels": {
	//     "node-role.kubernetes.io/control-plane": ""
	//   },
	//   "nodeSelectorTerm": {
	//     "matchExpressions": [
	//       {
	//         "key": "node-role.kubernetes.io/control-plane",
	//         "operator": "Exists"
	//       }
	//     ]
	//   }
	// }
}

func ExampleDerived() {
	nodes := [][]taint.Taint{
		{taint.MustParse("team=a:NoSchedule"), taint.MustParse("node.kubernetes.io/unschedulable:NoSchedule")},
		{taint.MustParse("dedicated=gpu:NoExecute"), taint.MustParse("team=b:NoSchedule"), taint.MustParse("team=a:NoSchedule")},
	}
	pod := list("dedicated op=Exists")
	printList(admission.Derived(admission.DerivedOptions{}, nodes, pod))
	fmt.Println("by key:")
	printList(admission.Derived(admission.DerivedOptions{Exists: true, Passing: true}, nodes, pod))
	// Output:
	// team=a:NoSchedule op=Equal
	// team=b:NoSchedule op=Equal
	// by key:
	// node.kubernetes.io/unschedulable op=Exists
	// team op=Exists
}

func ExampleAppendDerived() {
	pod := list("team=a:NoSchedule")
	nodes := [][]taint.Taint{{taint.MustParse("team=a:NoSchedule"), taint.MustParse("team=b:NoSchedule")}}
	printList(admission.AppendDerived(pod, admission.DerivedOptions{}, nodes, pod))
	// Output:
	// team=a:NoSchedule
	// team=b:NoSchedule op=Equal
}

func ExampleDecodePod() {
	pod, err := admission.DecodePod([]byte(`{"spec": {
		"runtimeClassName": "sandbox",
		"initContainers": [{"resources": {"requests": {"example.com/gpu": 1}}}],
		"containers": [{"resources": {"limits": {"memory": "64Mi", "example.com/nic": 1}}}],
		"tolerations": [{"key": "dedicated", "operator": "Exists"}]
	}}`), toleration.ListOptions{})
	fmt.Println(pod.Tolerations, pod.QOS, pod.Resources, pod.RuntimeClassName, err)

	_, err = admission.DecodePod([]byte(`{"spec": {"tolerations": [{"value": "x"}, null]}}`), toleration.ListOptions{})
	fmt.Println(err)
	// Output:
	// [dedicated op=Exists] Burstable [example.com/gpu example.com/nic memory] sandbox <nil>
	// spec.tolerations[0].key: must be set, or the operator must be Exists
	// spec.tolerations[1] null: must be an object
}

// A namespace's longer seconds come in the place of the cluster's.
func ExamplePlan_OnCreate() {
	plan := admission.Plan{Restriction: admission.Restriction{
		Defaults:  list("node.kubernetes.io/unreachable:NoExecute op=Exists for 600s"),
		Whitelist: list("node.kubernetes.io/not-ready op=Exists", "node.kubernetes.io/unreachable op=Exists", "team op=Exists"),
	}}
	added, err := plan.OnCreate(admission.Pod{Tolerations: list("team=a")})
	printList(added)
	fmt.Println(err)

	_, err = plan.OnCreate(admission.Pod{Tolerations: list("team=a", "op=Exists"), QOS: admission.Burstable})
	fmt.Println(err)
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 600s
	// <nil>
	// spec.tolerations[1] "op=Exists": no toleration of the whitelist covers it
}

func ExamplePlan_AppendOnCreate() {
	pod := admission.Pod{Resources: []string{"example.com/gpu"}}
	all, err := admission.Plan{}.AppendOnCreate(pod.Tolerations, pod)
	printList(all)
	fmt.Println(err)
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// example.com/gpu:NoSchedule op=Exists
	// <nil>
}

func ExamplePlan_OnUpdate() {
	plan := admission.Plan{Restriction: admission.Restriction{Defaults: list("team=a")}}
	pod := admission.Pod{QOS: admission.Guaranteed}
	pod.Tolerations, _ = plan.OnCreate(pod)
	printList(pod.Tolerations)
	fmt.Println(plan.OnUpdate(pod))
	// Output:
	// node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
	// node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
	// team=a
	// node.kubernetes.io/memory-pressure:NoSchedule op=Exists
	// [] <nil>
}

func ExamplePlan_AppendOnUpdate() {
	plan := admission.Plan{Seconds: admission.Seconds{NotReady: admission.Off(), Unreachable: admission.Off()}}
	fmt.Println(plan.AppendOnUpdate(list("team=a"), admission.Pod{QOS: admission.Burstable}))
	// Output:
	// [team=a node.kubernetes.io/memory-pressure:NoSchedule op=Exists] <nil>
}

func ExamplePatch() {
	added := list("example.com/gpu:NoSchedule op=Exists")
	for _, pod := range [][]toleration.Toleration{nil, list("op=Exists")} {
		patch, _ := json.Marshal(admission.Patch(pod, added))
		fmt.Println(string(patch))
	}
	// Output:
	// [{"op":"add","path":"/spec/tolerations","value":[{"key":"example.com/gpu","operator":"Exists","effect":"NoSchedule"}]}]
	// [{"op":"add","path":"/spec/tolerations/-","value":{"key":"example.com/gpu","operator":"Exists","effect":"NoSchedule"}}]
}
