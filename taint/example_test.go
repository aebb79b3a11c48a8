package taint_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"slices"
	"time"

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
	// taint.New: value "a b": may hold only letters, digits, '-', '_' and '.'
	// taint.New: effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

// The fields of a corev1.Taint go in as they are.
func ExampleFrom() {
	type TaintEffect string // as in k8s.io/api/core/v1
	n := struct {
		Key, Value string
		Effect     TaintEffect
	}{"dedicated", "gpu", "NoExecute"}

	t, err := taint.From(n.Key, n.Value, n.Effect)
	fmt.Println(t, err)
	// Output: dedicated=gpu:NoExecute <nil>
}

func ExampleCheck() {
	fmt.Println(taint.Check("dedicated", "gpu", "NoSchedule"))
	fmt.Println(taint.Check("dedicated", "gpu", "NoSchedul"))
	// Output:
	// <nil>
	// taint.Check: unknown effect "NoSchedul", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
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

func ExampleParseEffect() {
	fmt.Println(taint.ParseEffect("NoExecute"))
	// Output: NoExecute <nil>
}

func ExampleParseCloudEffect() {
	e, err := taint.ParseCloudEffect("PREFER_NO_SCHEDULE")
	fmt.Println(e, err)
	fmt.Println(e.CloudString())
	// Output:
	// PreferNoSchedule <nil>
	// PREFER_NO_SCHEDULE
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

func ExampleTaint_Canonical() {
	t, _ := taint.MustParse("gpu:NoExecute").WithTimeAdded(time.Unix(1e9, 0))
	u := taint.MustParse("gpu:NoExecute")
	fmt.Println(t == u, t.Canonical() == u.Canonical())
	// Output: false true
}

func ExampleTaint_SameKeyEffect() {
	t := taint.MustParse("dedicated=gpu:NoSchedule")
	fmt.Println(t.SameKeyEffect(taint.MustParse("dedicated=cpu:NoSchedule")))
	fmt.Println(t.SameKeyEffect(taint.MustParse("dedicated=gpu:NoExecute")))
	// Output:
	// true
	// false
}

func ExampleTaint_IsZero() {
	var t taint.Taint
	fmt.Println(t.IsZero(), t.String() == "")
	// Output: true true
}

func ExampleTaint_Integer() {
	fmt.Println(taint.MustParse("cores=16:NoSchedule").Integer())
	fmt.Println(taint.MustParse("cores=016:NoSchedule").Integer())
	// Output:
	// 16 true
	// 0 false
}

func ExampleTaint_Compare() {
	list := []taint.Taint{
		taint.MustParse("b:NoSchedule"),
		taint.MustParse("a:NoExecute"),
		taint.MustParse("a=1:NoSchedule"),
	}
	slices.SortFunc(list, taint.Taint.Compare)
	fmt.Println(list)
	// Output: [a=1:NoSchedule a:NoExecute b:NoSchedule]
}

// As a flag of a program.
func ExampleTaint_UnmarshalText() {
	var t taint.Taint
	flags := flag.NewFlagSet("program", flag.ContinueOnError)
	flags.TextVar(&t, "taint", taint.Taint{}, "taint for new nodes")
	flags.Parse([]string{"-taint=dedicated=gpu:NoSchedule"})
	fmt.Println(t)
	// Output: dedicated=gpu:NoSchedule
}

// What stands under spec.taints in the output of kubectl get nodes -o json.
func ExampleDecodeList() {
	list, err := taint.DecodeList([]byte(`[
		{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
		{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z"}
	]`), taint.ListOptions{})
	fmt.Println(list, err)

	_, err = taint.DecodeList([]byte(`[{"key": "a", "efect": "NoSchedule"}, null]`), taint.ListOptions{Path: "spec.template.spec.taints", Strict: true})
	fmt.Println(err)
	// Output:
	// [dedicated=gpu:NoSchedule node.kubernetes.io/not-ready:NoExecute] <nil>
	// spec.template.spec.taints[0]: unknown field "efect", did you mean effect? (allowed: key, value, effect, timeAdded)
	// spec.template.spec.taints[0].effect: must not be empty (allowed: NoSchedule, PreferNoSchedule, NoExecute)
	// spec.template.spec.taints[1] null: must be an object
}

// The value of the kubelet's --register-with-taints.
func ExampleParseList() {
	list, err := taint.ParseList("dedicated=gpu:NoSchedule,spot:PreferNoSchedule")
	fmt.Println(len(list), list[1], err)
	fmt.Println(taint.FormatList(list))
	// Output:
	// 2 spot:PreferNoSchedule <nil>
	// dedicated=gpu:NoSchedule,spot:PreferNoSchedule
}

func ExampleFormatList() {
	fmt.Println(taint.FormatList([]taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("spot:NoExecute")}))
	// Output: dedicated=gpu:NoSchedule,spot:NoExecute
}

func ExampleAppendList() {
	flag := []byte("--register-with-taints=")
	flag = taint.AppendList(flag, []taint.Taint{taint.MustParse("dedicated=gpu:NoSchedule"), taint.MustParse("spot:NoExecute")})
	fmt.Println(string(flag))
	// Output: --register-with-taints=dedicated=gpu:NoSchedule,spot:NoExecute
}

func ExampleAppendDecode() {
	list := []taint.Taint{taint.MustParse("pool=a:NoSchedule")}
	list, err := taint.AppendDecode(list, []byte(`[{"key": "spot", "effect": "NoExecute"}]`), taint.ListOptions{})
	fmt.Println(list, err)
	// Output: [pool=a:NoSchedule spot:NoExecute] <nil>
}

func ExampleHashSet() {
	a, _ := taint.ParseList("a:NoSchedule,b:NoSchedule")
	b, _ := taint.ParseList("b:NoSchedule,a:NoSchedule")
	fmt.Printf("%x %x\n", taint.HashSet(a), taint.HashSet(b))
	// Output: 7a147d676f9efc13 7a147d676f9efc13
}

func ExampleValidateList() {
	err := taint.ValidateList([]taint.Taint{
		taint.MustParse("dedicated=gpu:NoSchedule"),
		taint.MustParse("dedicated=gpu:NoExecute"),
		taint.MustParse("dedicated=cpu:NoSchedule"),
	}, taint.ListOptions{})
	fmt.Println(err)
	// Output: spec.taints[2] "dedicated=cpu:NoSchedule": repeats the key and effect of an earlier taint
}

func ExampleEqualSets() {
	a, _ := taint.ParseList("a:NoSchedule,b:NoSchedule")
	b, _ := taint.ParseList("b:NoSchedule,a:NoSchedule")
	fmt.Println(taint.EqualSets(a, b), taint.HashSet(a) == taint.HashSet(b))
	// Output: true true
}

func ExampleAppendCanonical() {
	list, _ := taint.ParseList("b:NoSchedule,a=1:NoSchedule,a:NoExecute")
	fmt.Println(taint.AppendCanonical(nil, list))
	// Output: [a=1:NoSchedule a:NoExecute b:NoSchedule]
}
