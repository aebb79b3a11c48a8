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
	// validate.Value("gpu/a100"): must contain only letters, digits, '-', '_' and '.'
}

func ExampleInteger() {
	fmt.Println(validate.Integer("-7"))
	fmt.Println(validate.Integer("007"))
	// Output:
	// -7 <nil>
	// 0 validate.Integer("007"): must be a decimal integer such as 0, 42 or -7
}

// A program acts on the rule, and shows the error to people.
func ExampleRule() {
	var problem *validate.Problem
	if errors.As(validate.Key("gpu/"), &problem) && problem.Rule == validate.InvalidKey {
		fmt.Println("choose another key:", problem)
	}
	// Output: choose another key: validate.Key("gpu/"): the name after '/' must not be empty
}

// All problems of one input, with what a program needs to act on them.
func ExampleProblems() {
	_, _, err := taint.Decode([]byte(`[
		{"key": "dedicated", "value": true, "effect": "NoSchedule"},
		{"key": "gpu",       "effect": "noschedule"}
	]`), taint.DecodeOptions{})

	var problems validate.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Printf("%s is %s: %s\n", p.Path, p.Value, p.Rule)
		}
	}
	// Output:
	// spec.taints[0].value is true: WrongType
	// spec.taints[1].effect is noschedule: NameUnknown
}

// The path of a problem begins at the value that was checked. A program that
// checks the values of its own configuration puts the path there before it.
func ExampleProblem() {
	pool := []struct{ key, effect string }{{"gpu", "NoSchedule"}, {"-gpu", "noschedule"}}

	var all validate.Problems
	for i, t := range pool {
		_, err := taint.From(t.key, "", t.effect)
		var problems validate.Problems
		errors.As(err, &problems)
		for _, p := range problems {
			p.Func, p.Path = "", fmt.Sprintf("pool.taints[%d].%s", i, p.Path)
			all = append(all, p)
		}
	}
	fmt.Println(all.Err())
	// Output:
	// pool.taints[1].key "-gpu": the name must begin and end with a letter or digit
	// pool.taints[1].effect: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)
}
