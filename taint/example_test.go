package taint_test

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
)

func Example() {
	t := taint.MustParse("dedicated=gpu:NoSchedule")
	fmt.Println(t.Key(), t.Value(), t.Effect())

	data, _ := json.Marshal(t)
	fmt.Println(string(data))
	// Output:
	// dedicated gpu NoSchedule
	// {"key":"dedicated","value":"gpu","effect":"NoSchedule"}
}

func ExampleNew() {
	t, err := taint.New("dedicated", "gpu", taint.NoSchedule)
	fmt.Println(t, err)

	_, err = taint.New("Dedicated/gpu", "a b", 0)
	fmt.Println(err)
	// Output:
	// dedicated=gpu:NoSchedule <nil>
	// taint.New: key "Dedicated/gpu": the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit
	// taint.New: value "a b": must contain only letters, digits, '-', '_' and '.'
	// taint.New: effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

// The arguments are the fields of a corev1.Taint.
func ExampleFrom() {
	type TaintEffect string // as in k8s.io/api/core/v1
	fmt.Println(taint.From("dedicated", "gpu", TaintEffect("NoExecute")))
	// Output: dedicated=gpu:NoExecute <nil>
}

func ExampleParse() {
	t, err := taint.Parse("node.kubernetes.io/not-ready:NoExecute")
	fmt.Println(t.Key(), t.Effect(), err)

	_, err = taint.Parse("dedicated=gpu")
	fmt.Println(err)
	// Output:
	// node.kubernetes.io/not-ready NoExecute <nil>
	// taint.Parse("dedicated=gpu"): must have the form key=value:Effect or key:Effect
}

func ExampleMustParse() {
	fmt.Println(taint.MustParse("dedicated=gpu:NoSchedule").Value())
	// Output: gpu
}

func ExampleParseCloudEffect() {
	fmt.Println(taint.ParseCloudEffect("PREFER_NO_SCHEDULE"))
	// Output: PreferNoSchedule <nil>
}

func ExampleEffect_IsValid() {
	fmt.Println(taint.NoExecute.IsValid(), taint.Effect(0).IsValid())
	// Output: true false
}

func ExampleTaint_WithTimeAdded() {
	t, err := taint.MustParse("gpu:NoExecute").WithTimeAdded(time.Date(2026, 1, 2, 3, 4, 5, 6e8, time.UTC))
	fmt.Println(t.TimeAdded(), err)
	// Output: 2026-01-02 03:04:05 +0000 UTC <nil>
}

func ExampleTaint_SameKeyEffect() {
	t := taint.MustParse("dedicated=gpu:NoSchedule")
	fmt.Println(t.SameKeyEffect(taint.MustParse("dedicated=cpu:NoSchedule")), t.SameKeyEffect(taint.MustParse("dedicated=gpu:NoExecute")))
	// Output: true false
}

func ExampleTaint_IsZero() {
	var t taint.Taint
	fmt.Println(t.IsZero(), t.String() == "")
	// Output: true true
}

// Decode reads spec.taints in the output of kubectl get nodes -o json.
func ExampleDecode() {
	list, _, err := taint.Decode([]byte(`[
		{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
		{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z"}
	]`), taint.DecodeOptions{})
	fmt.Println(list, err)

	_, _, err = taint.Decode([]byte(`[{"key": "a", "efect": "NoSchedule"}, null]`), taint.DecodeOptions{Path: "spec.template.spec.taints", Strict: true})
	fmt.Println(err)
	// Output:
	// dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute <nil>
	// spec.template.spec.taints[0]: unknown field "efect", did you mean effect? (allowed: key, value, effect, timeAdded)
	// spec.template.spec.taints[0].effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// spec.template.spec.taints[1]: must not be null
}

// ParseList reads the kubelet's flag --register-with-taints.
func ExampleParseList() {
	list, err := taint.ParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	fmt.Println(len(list), list[1], err)

	_, err = taint.ParseList("spot, dedicated=gpu:NoSchedule")
	fmt.Println(err)
	// Output:
	// 2 spot:PreferNoSchedule <nil>
	// taint.ParseList: [0] "spot": must have the form key=value:Effect or key:Effect
	// taint.ParseList: [1].key " dedicated": the name must contain only letters, digits, '-', '_' and '.'; remove the white space
}

func ExampleMustParseList() {
	node := taint.MustParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	fmt.Println(node[0].Value(), len(node))
	// Output: gpu 2
}

func ExampleList_Equal() {
	one := taint.MustParseList("dedicated=gpu:NoSchedule,spot:NoExecute")
	other := taint.MustParseList("spot:NoExecute,dedicated=gpu:NoSchedule")
	fmt.Println(one.Equal(other), one.Canonical().Equal(other.Canonical()))
	// Output: false true
}

func ExampleList_Validate() {
	node := taint.MustParseList("dedicated=gpu:NoSchedule,dedicated=gpu:NoExecute")
	fmt.Println(append(node, taint.MustParse("dedicated=cpu:NoSchedule")).Validate())
	// Output: spec.taints[2] "dedicated=cpu:NoSchedule": repeats the key and effect of an earlier taint
}

// go-cmp compares Taints inside other values without options.
func ExampleTaint_Equal() {
	a, b := taint.MustParseList("dedicated=gpu:NoSchedule"), taint.MustParseList("dedicated=cpu:NoSchedule")
	fmt.Println(cmp.Equal(a, a), cmp.Equal(a, b), a[0].Equal(b[0]))
	// Output: true false false
}
