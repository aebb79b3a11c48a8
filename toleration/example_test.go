package toleration_test

import (
	"encoding/json"
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

func Example() {
	u := toleration.MustParse("node.kubernetes.io/not-ready:NoExecute op=Exists for 300s")
	fmt.Println(u.Tolerates(taint.MustParse("node.kubernetes.io/not-ready:NoExecute")))
	fmt.Println(u.Tolerates(taint.MustParse("node.kubernetes.io/not-ready:NoSchedule")))

	data, _ := json.Marshal(u)
	fmt.Println(string(data))
	// Output:
	// true
	// false
	// {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":300}
}

func ExampleParseList() {
	list, err := toleration.ParseList("dedicated=gpu:NoSchedule,spot op=Exists")
	fmt.Println(len(list), list[1], err)

	_, err = toleration.ParseList("dedicated=gpu:NoSchedule,spot op=exists")
	fmt.Println(err)
	// Output:
	// 2 spot op=Exists <nil>
	// toleration.ParseList: [1].operator: unknown operator "exists", did you mean Exists? (allowed: Equal, Exists, Lt, Gt)
}

func ExampleMustParseList() {
	pod := toleration.MustParseList("dedicated=gpu:NoSchedule,spot op=Exists")
	fmt.Println(pod.Match(taint.MustParse("spot=yes:NoExecute")))
	// Output: 1
}

func ExampleList_Equal() {
	one := toleration.MustParseList("dedicated=gpu,spot op=Exists")
	other := toleration.MustParseList("spot op=Exists,dedicated=gpu")
	fmt.Println(one.Equal(other), one.Canonical().Equal(other.Canonical()))
	// Output: false true
}

func ExampleNew() {
	u, err := toleration.New("dedicated", toleration.Equal, "gpu", taint.NoSchedule)
	fmt.Println(u, err)

	_, err = toleration.New("", toleration.Equal, "a b", 0)
	fmt.Println(err)
	// Output:
	// dedicated=gpu:NoSchedule op=Equal <nil>
	// toleration.New: key: must be set, unless the operator is Exists
	// toleration.New: value "a b": must contain only letters, digits, '-', '_' and '.'
}

// The arguments are the fields of a corev1.Toleration.
func ExampleFrom() {
	type TolerationOperator string // as in k8s.io/api/core/v1
	seconds := int64(300)
	fmt.Println(toleration.From("gpu", TolerationOperator("Exists"), "", "NoExecute", &seconds))
	// Output: gpu:NoExecute op=Exists for 300s <nil>
}

func ExampleParse() {
	for _, text := range []string{"dedicated=gpu:NoSchedule", "cores=16 op=Gt", ":NoExecute op=Exists", "op=Exists", "gpu for 5s"} {
		u, err := toleration.Parse(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		data, _ := json.Marshal(u)
		fmt.Println(string(data))
	}
	// Output:
	// {"key":"dedicated","value":"gpu","effect":"NoSchedule"}
	// {"key":"cores","operator":"Gt","value":"16"}
	// {"operator":"Exists","effect":"NoExecute"}
	// {"operator":"Exists"}
	// toleration.Parse("gpu for 5s"): tolerationSeconds 5: needs the effect NoExecute
}

func ExampleMustParse() {
	fmt.Println(toleration.MustParse("dedicated=gpu:NoSchedule").Value())
	// Output: gpu
}

func ExampleOperator_IsValid() {
	fmt.Println(toleration.Gt.IsValid(), toleration.Operator(0).IsValid())
	// Output: true false
}

func ExampleChoice_IsValid() {
	fmt.Println(toleration.ForeverElseShortest.IsValid(), toleration.Choice(4).IsValid())
	// Output: true false
}

func ExampleToleration_Tolerates() {
	cores := taint.MustParse("cores=32:NoSchedule")
	for _, text := range []string{"cores=32", "cores=16 op=Gt", "cores=32 op=Gt", "cores:NoExecute op=Exists", "op=Exists"} {
		fmt.Println(text, toleration.MustParse(text).Tolerates(cores))
	}
	// Output:
	// cores=32 true
	// cores=16 op=Gt true
	// cores=32 op=Gt false
	// cores:NoExecute op=Exists false
	// op=Exists true
}

func ExampleList_Match() {
	list := toleration.MustParseList("gpu:NoExecute op=Exists,gpu op=Exists")
	fmt.Println(list.Match(taint.MustParse("gpu=a100:NoSchedule")), list.Match(taint.MustParse("spot:NoSchedule")))
	// Output: 1 -1
}

func ExampleToleration_WithSeconds() {
	fmt.Println(toleration.MustParse("gpu:NoExecute op=Exists").WithSeconds(300))
	_, err := toleration.MustParse("gpu op=Exists").WithSeconds(300)
	fmt.Println(err)
	// Output:
	// gpu:NoExecute op=Exists for 300s <nil>
	// toleration.Toleration.WithSeconds: tolerationSeconds 300: needs the effect NoExecute
}

func ExampleToleration_IsNumeric() {
	fmt.Println(toleration.MustParse("cores=16 op=Gt").IsNumeric(), toleration.MustParse("cores=16").IsNumeric())
	// Output: true false
}

func ExampleToleration_IsZero() {
	var u toleration.Toleration
	fmt.Println(u.IsZero(), u.Tolerates(taint.MustParse("gpu:NoSchedule")))
	// Output: true false
}

// Decode reads spec.tolerations in the output of kubectl get pods -o json.
func ExampleDecode() {
	list, _, err := toleration.Decode([]byte(`[
		{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
		{"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
	]`), toleration.DecodeOptions{})
	fmt.Println(len(list), list[1], err)

	_, _, err = toleration.Decode([]byte(`[
		{"key": "dedicated", "operation": "Equal", "value": true, "effect": "NoSchedule"},
		{"key": "spot", "effect": "NO_SCHEDULE"}
	]`), toleration.DecodeOptions{Strict: true})
	fmt.Println(err)
	// Output:
	// 2 :NoExecute op=Exists for 300s <nil>
	// spec.tolerations[0]: unknown field "operation", did you mean operator? (allowed: key, operator, value, effect, tolerationSeconds)
	// spec.tolerations[0].value true: must be a string, so put it in quotes
	// spec.tolerations[1].effect: unknown effect "NO_SCHEDULE", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleList_Validate() {
	fmt.Println(toleration.MustParseList("cores=16 op=Gt").Validate(nil, true))
	// Output: spec.tolerations[0].operator "Gt": the numeric operators Lt and Gt are not enabled (allowed: Equal, Exists)
}

func ExampleList_Validate_update() {
	old := toleration.MustParseList("gpu:NoExecute for 300s")
	fmt.Println(toleration.MustParseList("spot op=Exists,gpu:NoExecute for 60s").Validate(old, false))
	fmt.Println(toleration.MustParseList("gpu:NoExecute op=Equal for 300s").Validate(old, false))
	// Output:
	// <nil>
	// spec.tolerations "gpu:NoExecute for 300s": must not be removed or changed: an update can only add tolerations and change seconds
}

// To match like a scheduler whose numeric operators are off, remove the tolerations
// that have them.
func ExampleList_WithoutNumeric() {
	list := toleration.List{toleration.MustParse("cores=16 op=Gt")}.WithoutNumeric()
	fmt.Println(list.Match(taint.MustParse("cores=32:NoSchedule")))
	// Output: -1
}

func ExampleChoice_Prefers() {
	short, long := toleration.MustParse("gpu:NoExecute for 30s"), toleration.MustParse("gpu:NoExecute for 300s")
	fmt.Println(toleration.First.Prefers(short, long), toleration.Shortest.Prefers(short, long))
	// Output: false true
}

// go-cmp compares Tolerations inside other values without options.
func ExampleToleration_Equal() {
	a, b := toleration.MustParseList("dedicated=gpu"), toleration.MustParseList("dedicated=gpu op=Equal")
	fmt.Println(cmp.Equal(a, a), cmp.Equal(a, b), a[0].Equal(b[0]))
	// Output: true false false
}
