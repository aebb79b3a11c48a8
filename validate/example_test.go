package validate_test

import (
	"errors"
	"fmt"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/validate"
)

func ExampleKey() {
	fmt.Println(validate.Key("example.com/dedicated"))
	fmt.Println(validate.Key("Example.com/dedicated"))
	// Output:
	// <nil>
	// validate.Key("Example.com/dedicated"): the prefix before '/' must be a DNS subdomain: lower-case letters, digits, '-' and '.', each label beginning and ending with a letter or digit
}

func ExampleValue() {
	fmt.Println(validate.Value("gpu"))
	fmt.Println(validate.Value("gpu/a100"))
	// Output:
	// <nil>
	// validate.Value("gpu/a100"): may hold only letters, digits, '-', '_' and '.'
}

func ExampleInteger() {
	fmt.Println(validate.Integer("-7"))
	fmt.Println(validate.Integer("007"))
	// Output:
	// -7 <nil>
	// 0 validate.Integer("007"): must be a decimal integer such as 0, 42 or -7
}

// A program that keeps a rule's answer, and tells the problem itself.
func ExampleKeyRule() {
	switch rule := validate.KeyRule("gpu/"); rule {
	case 0:
		fmt.Println("a key")
	case validate.NameEmpty:
		fmt.Println("add a name:", rule)
	}
	// Output: add a name: the name after '/' must not be empty
}

func ExampleValueRule() {
	fmt.Println(validate.ValueRule("gpu") == 0)
	fmt.Println(validate.ValueRule("-gpu"))
	// Output:
	// true
	// must begin and end with a letter or digit
}

func ExampleIntegerRule() {
	n, rule := validate.IntegerRule("16")
	fmt.Println(n, rule == 0)
	// Output: 16 true
}

// All problems of one input, with what a program needs to act on them.
func ExampleProblems() {
	_, err := taint.DecodeList([]byte(`[
		{"key": "dedicated", "value": true, "effect": "NoSchedule"},
		{"key": "gpu",       "effect": "noschedule"}
	]`), taint.ListOptions{})

	var problems validate.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Printf("%s is %s: %s\n", p.Path, p.Value, p.Rule)
		}
	}
	// Output:
	// spec.taints[0].value is true: must be a string
	// spec.taints[1].effect is noschedule: unknown effect
}

func ExampleProblem_Error() {
	_, err := taint.Parse("dedicated=gpu:noschedule")
	fmt.Println(err)
	// Output: taint.Parse("dedicated=gpu:noschedule"): unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}

func ExampleIndex() {
	fmt.Println(validate.Index("spec.taints", 2))
	// Output: spec.taints[2]
}

// A name to log and to store, and a text to read.
func ExampleRule_Name() {
	rule := validate.KeyRule("-gpu")
	fmt.Println(rule.Name(), "-", rule)
	// Output: NameEnds - the name must begin and end with a letter or digit
}

// A caller with a structure of its own puts the path of its list before each
// problem's.
func ExampleAppend() {
	taints := []struct{ key, effect string }{{"gpu", "NoSchedule"}, {"-gpu", "NoSchedule"}}

	var problems validate.Problems
	for i, t := range taints {
		_, err := taint.From(t.key, "", t.effect)
		problems = validate.Append(problems, validate.Index("pool.taints", i), err)
	}
	fmt.Println(problems.Err())
	// Output: pool.taints[1].key "-gpu": the name must begin and end with a letter or digit
}
