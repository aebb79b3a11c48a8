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
	fmt.Println(taint.Taint{}.IsZero())
	// Output: true
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

// Apply does what kubectl taint does to a node.
func ExampleApply() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	edits, err := taint.ParseEdits("dedicated=cpu:NoSchedule", "spot-")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = taint.Apply(node, edits, taint.EditOptions{})
	fmt.Println(err)

	node, err = taint.Apply(node, edits, taint.EditOptions{Overwrite: true})
	fmt.Println(node, err)
	// Output:
	// edits[0] "dedicated=cpu:NoSchedule": already present; use Overwrite to replace it
	// dedicated=cpu:NoSchedule <nil>
}

// A controller can run this again and again: afterwards the node has one taint, with
// any value, and does not have the other.
func ExampleApply_idempotent() {
	ensure := taint.EditOptions{KeepExisting: true, IgnoreAbsent: true}
	edits, _ := taint.ParseEdits("dedicated=gpu:NoSchedule", "starting-")

	node := taint.List{taint.MustParse("starting:NoSchedule")}
	for range 2 {
		node, _ = taint.Apply(node, edits, ensure)
		fmt.Println(node)
	}
	// Output:
	// dedicated=gpu:NoSchedule
	// dedicated=gpu:NoSchedule
}

func ExampleParseEdit() {
	e, _ := taint.ParseEdit("dedicated=gpu:NoSchedule-")
	fmt.Println(e, e.IsRemoval(), e.Key(), e.Effect())

	_, err := taint.ParseEdit("dedicated=gpu-")
	fmt.Println(err)
	// Output:
	// dedicated:NoSchedule- true dedicated NoSchedule
	// taint.ParseEdit("dedicated=gpu-"): must have the form key=value:Effect or key:Effect or key:Effect- or key-
}

// The error describes all problems in the arguments of one call.
func ExampleParseEdits() {
	_, err := taint.ParseEdits("dedicated=gpu:NoSchedul", "spot:NoSchedule", "spot-")
	fmt.Println(err)
	// Output:
	// taint.ParseEdits: edits[0].effect: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// taint.ParseEdits: edits[2] "spot-": must not be both added and removed
}

func ExampleAdd() {
	fmt.Println(taint.Add(taint.MustParse("dedicated=gpu:NoSchedule")))
	// Output: dedicated=gpu:NoSchedule
}

func ExampleEdit_IsRemoval() {
	edits, _ := taint.ParseEdits("spot:NoSchedule-", "zone=a:NoSchedule")
	fmt.Println(edits[0].IsRemoval(), edits[1].IsRemoval())
	// Output: true false
}

func ExampleEdit_IsZero() {
	fmt.Println(taint.Edit{}.IsZero())
	// Output: true
}

func ExampleDifference() {
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule,zone=a:NoExecute")
	after, _ := taint.ParseList("zone=a:NoExecute,dedicated=cpu:NoSchedule,drain:NoExecute")
	for _, c := range taint.Difference(before, after) {
		fmt.Println(c)
	}
	// Output:
	// value changed dedicated=gpu:NoSchedule to dedicated=cpu:NoSchedule
	// removed spot:NoSchedule
	// added drain:NoExecute
}

// A MachineSet's template changes. Taints from other sources remain on the node.
func ExamplePropagate() {
	node, _ := taint.ParseList("dedicated=gpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute,spot:NoSchedule")
	before, _ := taint.ParseList("dedicated=gpu:NoSchedule,spot:NoSchedule")
	after, _ := taint.ParseList("dedicated=cpu:NoSchedule,zone=b:NoSchedule")
	fmt.Println(taint.Propagate(node, before, after))
	// Output: dedicated=cpu:NoSchedule,node.kubernetes.io/not-ready:NoExecute,zone=b:NoSchedule
}

func ExampleParseSelector() {
	c, err := taint.ParseSelector("readiness.k8s.io/*,dedicated=gpu,*:NoExecute")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range listOf("readiness.k8s.io/cni:NoSchedule", "dedicated=gpu:NoSchedule", "dedicated=cpu:NoSchedule", "dedicated=cpu:NoExecute") {
		fmt.Println(t, c.Has(t))
	}

	_, err = taint.ParseSelector("a b,dedicated=*,k:NoExcute")
	fmt.Println(err)
	// Output:
	// readiness.k8s.io/cni:NoSchedule true
	// dedicated=gpu:NoSchedule true
	// dedicated=cpu:NoSchedule false
	// dedicated=cpu:NoExecute true
	// taint.ParseSelector: [0].key "a b": the name must contain only letters, digits, '-', '_' and '.'
	// taint.ParseSelector: [1].value "*": must contain only letters, digits, '-', '_' and '.'
	// taint.ParseSelector: [2].effect: unknown effect "NoExcute", did you mean NoExecute? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleSelector_IsZero() {
	fmt.Println(taint.Selector{}.IsZero(), selector("k").IsZero())
	// Output: true false
}

func ExampleSelector_Has() {
	starting := taint.MustParseSelector("example.com/starting:NoSchedule")
	t := taint.MustParse("example.com/starting=1:NoSchedule")
	fmt.Println(starting.Has(t), starting.Has(taint.Taint{}))
	// Output: true false
}

// A struct's fields need not be valid: this effect is not known.
func ExampleSelector_HasFields() {
	starting := taint.MustParseSelector("example.com/*")
	fmt.Println(starting.HasFields("example.com/cni", "", "NoScheduling"))
	// Output: true
}

// A controller rejects taints with the keys of the node lifecycle controller, except the
// one that administrators set.
func ExampleMustParseSelector() {
	reserved := taint.MustParseSelector("node.kubernetes.io/*,!node.kubernetes.io/out-of-service")
	for _, t := range listOf("node.kubernetes.io/not-ready:NoExecute", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute") {
		fmt.Println(t, reserved.Has(t))
	}
	// Output:
	// node.kubernetes.io/not-ready:NoExecute true
	// node.kubernetes.io/out-of-service=nodeshutdown:NoExecute false
}

// Selectors with the same patterns in another order select the same taints, but are not
// Equal.
func ExampleSelector_Equal() {
	one := taint.MustParseSelector("maintenance,spot")
	fmt.Println(one.Equal(one), one.Equal(taint.MustParseSelector("spot,maintenance")))
	// Output: true false
}
