package kube_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/taint"
)

func ExampleFind() {
	taints := []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	fmt.Println(kube.Find(taints, corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}))
	// Output: 0
}

// A node is initialized when the last of these taints is gone.
func ExampleFindOneOf() {
	startup := []corev1.Taint{
		{Key: "node.cloudprovider.kubernetes.io/uninitialized", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
	}
	taints := []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule},
	}
	fmt.Println(kube.FindOneOf(taints, startup...), kube.FindOneOf(taints[:1], startup...))
	// Output: 1 -1
}

func ExamplePut() {
	t := corev1.Taint{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}
	taints, changed := kube.Put(nil, t)
	fmt.Println(len(taints), changed)
	taints, changed = kube.Put(taints, t)
	fmt.Println(len(taints), changed)
	// Output:
	// 1 true
	// 1 false
}

func ExampleRemove() {
	t := corev1.Taint{Key: "dedicated", Effect: corev1.TaintEffectNoSchedule}
	taints, changed := kube.Remove([]corev1.Taint{t}, t)
	fmt.Println(len(taints), taints != nil, changed)
	// Output: 0 true true
}

func ExamplePropagate() {
	old, added := corev1.Taint{Key: "old", Effect: corev1.TaintEffectNoSchedule}, corev1.Taint{Key: "new", Effect: corev1.TaintEffectNoSchedule}
	mine := corev1.Taint{Key: "mine", Effect: corev1.TaintEffectNoExecute}
	taints, changed := kube.Propagate([]corev1.Taint{old, mine}, []corev1.Taint{old}, []corev1.Taint{added})
	for _, t := range taints {
		fmt.Println(t.Key)
	}
	fmt.Println(changed)
	// Output:
	// mine
	// new
	// true
}

func ExampleSameTolerations() {
	seconds := int64(300)
	a := []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute}}
	b := []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}}
	fmt.Println(kube.SameTolerations(a, b))
	// Output: true
}

// A node gets the taints of its pool that it does not have yet.
func ExampleAddMissing() {
	node := []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	startup := corev1.Taint{Key: "example.com/starting", Effect: corev1.TaintEffectNoExecute}
	taints, changed := kube.AddMissing(node, node[0], startup)
	fmt.Println(len(taints), taints[1].Key, changed)
	// Output: 2 example.com/starting true
}

// A node that is removed has one taint with this key, whatever it had before.
func ExampleReplaceKey() {
	node := []corev1.Taint{{Key: "example.com/removed", Effect: corev1.TaintEffectPreferNoSchedule}}
	taints, changed := kube.ReplaceKey(node, corev1.Taint{Key: "example.com/removed", Effect: corev1.TaintEffectNoSchedule})
	fmt.Println(len(taints), taints[0].Effect, changed)
	// Output: 1 NoSchedule true
}

// Autoscalers and termination handlers edit taints by key, with any value and effect.
// Each edit makes a new list: that of an informer's object must not be modified, nor the
// times added, which both lists share.
func Example_byKey() {
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/ending", Value: "1700000000", Effect: corev1.TaintEffectNoSchedule},
		{Key: "example.com/ending", Value: "1700000000", Effect: corev1.TaintEffectNoExecute},
	}}}
	ending := func(t corev1.Taint) bool { return t.Key == "example.com/ending" }

	// Does the node have the key, and which taint is the first with it?
	if i := slices.IndexFunc(node.Spec.Taints, ending); i >= 0 {
		fmt.Println(node.Spec.Taints[i].Value)
	}
	// Remove all taints with the key.
	removed := slices.DeleteFunc(slices.Clone(node.Spec.Taints), ending)
	fmt.Println(len(removed), len(node.Spec.Taints))
	// Add a taint unless the key is present.
	added := node.Spec.Taints
	if !slices.ContainsFunc(added, func(t corev1.Taint) bool { return t.Key == "spot" }) {
		added = append(slices.Clip(added), corev1.Taint{Key: "spot", Effect: corev1.TaintEffectNoSchedule})
	}
	fmt.Println(len(added), len(node.Spec.Taints))
	// Output:
	// 1700000000
	// 1 3
	// 4 3
}

// An autoscaler's template of a node group does not have the taints that only some nodes
// have, or a node only for some time. The function Temporary of package condition has more patterns.
func Example_selector() {
	gone := taint.MustParseSelector("ToBeDeletedByClusterAutoscaler,node.kubernetes.io/*,!node.kubernetes.io/out-of-service,startup-taint.cluster-autoscaler.kubernetes.io/*")
	node := &corev1.Node{Spec: corev1.NodeSpec{Taints: []corev1.Taint{
		{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		{Key: "startup-taint.cluster-autoscaler.kubernetes.io/cni", Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
	}}}
	template := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool {
		return gone.HasFields(t.Key, t.Value, string(t.Effect))
	})
	fmt.Println(len(template), template[0].ToString())
	// Output: 1 dedicated=gpu:NoSchedule
}

// The tags of a cloud provider's node group say which taints its nodes will have. If one
// cannot be read, the template admits no pod, whatever it tolerates.
func ExampleParseTaint() {
	const prefix = "k8s.io/cluster-autoscaler/node-template/taint/"
	tags := map[string]string{
		prefix + "dedicated": "gpu:NoSchedule",
		prefix + "spot":      "true:NoSchedul",
		"owner":              "team-a",
	}
	var template corev1.NodeSpec
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		key, ok := strings.CutPrefix(tag, prefix)
		if !ok {
			continue
		}
		t, err := kube.ParseTaint(key + "=" + tags[tag])
		if err != nil {
			fmt.Println(tag+":", err)
		}
		template.Taints = append(template.Taints, t) // with an error, one that repels all pods
	}
	pod := []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	fmt.Println(len(template.Taints), kube.SchedulableNode(&corev1.Node{Spec: template}, pod))
	// Output:
	// k8s.io/cluster-autoscaler/node-template/taint/spot: taint.Parse("spot=true:NoSchedul"): unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// 2 false
}

// A controller keeps the template that it applied last, for example in an annotation of
// the node. It stores the new one, in the same update of the node, even if the taints are as
// they should be. An administrator has removed the taint, and adds one later: the controller
// must not remove that.
func ExamplePropagate_record() {
	maintenance := corev1.Taint{Key: "maintenance", Effect: corev1.TaintEffectNoSchedule}
	var node []corev1.Taint // the administrator removed it
	record, template := []corev1.Taint{maintenance}, []corev1.Taint(nil)
	node, changed := kube.Propagate(node, record, template)
	if changed || !slices.EqualFunc(record, template, func(a, b corev1.Taint) bool { return a.MatchTaint(&b) && a.Value == b.Value }) {
		record = template // and store both
	}
	node = append(node, maintenance)
	node, _ = kube.Propagate(node, record, template)
	fmt.Println(len(node))
	// Output: 1
}
