package kubejson

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

var values = cmpopts.EquateComparable(taint.Taint{}, toleration.Toleration{})

// first returns the only object of the input.
func first(t *testing.T, input string) *Object {
	t.Helper()
	o, reported := only(input)
	if o == nil {
		t.Fatal(reported)
	}
	return o
}

// only returns the only object of the input, or what is reported in its place.
func only(input string) (o *Object, reported []string) {
	for got, err := range Objects("f", strings.NewReader(input)) {
		if o = got; err != nil {
			reported = append(reported, err.Error())
			continue
		}
		o.Raw = bytes.Clone(o.Raw)
	}
	return o, reported
}

func problems(o *Object, err error) (lines []string) {
	for _, p := range o.Problems(err) {
		lines = append(lines, p.Error())
	}
	return lines
}

func TestNode(t *testing.T) {
	for name, test := range map[string]struct {
		input    string
		want     Node
		problems []string
	}{
		"plain": {input: `{"kind":"Node","metadata":{"name":"a"},"spec":{"taints":[{"effect":"NoSchedule","key":"k","value":"v"}]}}`,
			want: Node{Name: "a", Taints: taint.List{taint.MustParse("k=v:NoSchedule")}}},
		"cordoned":         {input: `{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":true}}`, want: Node{Name: "a", Unschedulable: true}},
		"no spec":          {input: `{"kind":"Node","metadata":{"name":"a"}}`, want: Node{Name: "a"}},
		"all null":         {input: `{"kind":"Node","metadata":null,"spec":{"taints":null,"unschedulable":null}}`},
		"K4_case":          {input: `{"kind":"Node","Spec":{"unschedulable":true},"spec":{"Taints":5}}`},
		"a dot in a name":  {input: `{"kind":"Node","spec":{"unschedulable":true},"spec.unschedulable":false,"spec.taints":7,"metadata.name":"x"}`, want: Node{Unschedulable: true}},
		"taints elsewhere": {input: `{"kind":"Node","status":{"taints":5},"taints":7}`},
		"V10_all_at_once": {input: `{"kind":"Node","metadata":{"name":"a"},"spec":{"unschedulable":"true","taints":[{"key":"k","effect":"noschedule"},null]}}`,
			want: Node{Name: "a"}, problems: []string{
				`f:1: Node a: spec.unschedulable: must be true or false, not "true"`,
				`f:1: Node a: spec.taints[0].effect: unknown effect "noschedule", did you mean NoSchedule? (allowed: NoSchedule, PreferNoSchedule, NoExecute)`,
				`f:1: Node a: spec.taints[1] null: must be an object`,
			}},
		"V8_twice": {input: `{"kind":"Node","spec":{"taints":[{"key":"k","effect":"NoExecute"},{"key":"k","value":"v","effect":"NoExecute"}]}}`,
			problems: []string{`f:1: Node: spec.taints[1] "k=v:NoExecute": `}},
		"wrong types": {input: `{"kind":"Node","metadata":7,"spec":[]}`, problems: []string{
			`f:1: Node: metadata 7: must be an object`}},
		"a name of digits": {input: `{"kind":"Node","metadata":{"name":5}}`, problems: []string{`f:1: Node: metadata.name 5: must be a string`}},
		"taints no list":   {input: `{"kind":"Node","spec":{"taints":"k:NoSchedule"}}`, problems: []string{`f:1: Node: spec.taints`}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Node()
			if diff := cmp.Diff(test.want, got, values, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("node mismatch (-want +got):\n%s", diff)
			}
			compareProblems(t, problems(o, err), test.problems)
		})
	}
}

func compareProblems(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got, prefixes); diff != "" {
		t.Errorf("problems mismatch (-want +got):\n%s", diff)
	}
}

// prefixes compares what is said up to where the library's own words begin.
var prefixes = cmp.Comparer(func(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
})

// Ignored fields are reported, and change nothing else.
func TestIgnored(t *testing.T) {
	o := first(t, `{"kind":"Node","spec":{"taints":[{"key":"k","effect":"NoSchedule","Value":"v"},{"Effect":"NoExecute","key":"a","effect":"NoExecute"}]}}`)
	n, err := o.Node()
	if want := taint.MustParse("k:NoSchedule"); err != nil || len(n.Taints) != 2 || n.Taints[0] != want {
		t.Errorf("Node = %v, %v", n, err)
	}
	want := []string{
		`f:1: Node: spec.taints[0]: unknown field "Value", did you mean value?`,
		`f:1: Node: spec.taints[1]: unknown field "Effect", did you mean effect?`,
	}
	if diff := cmp.Diff(want, problems(o, n.Ignored.Err()), prefixes); diff != "" {
		t.Errorf("ignored mismatch (-want +got):\n%s", diff)
	}

	o = first(t, `{"kind":"Pod","spec":{"tolerations":[{"key":"k","operation":"Exists"},{"operation":"Exists"}]}}`)
	p, err := o.Pod()
	if diff := cmp.Diff([]string{"f:1: Pod: spec.tolerations[1].key: "}, problems(o, err), prefixes); diff != "" {
		t.Errorf("problems mismatch (-want +got):\n%s", diff)
	}
	want = []string{
		`f:1: Pod: spec.tolerations[0]: unknown field "operation", did you mean operator?`,
		`f:1: Pod: spec.tolerations[1]: unknown field "operation", did you mean operator?`,
	}
	if diff := cmp.Diff(want, problems(o, p.Ignored.Err()), prefixes); diff != "" {
		t.Errorf("ignored mismatch (-want +got):\n%s", diff)
	}
}

func TestPod(t *testing.T) {
	for name, test := range map[string]struct {
		input    string
		want     Pod
		problems []string
	}{
		"plain": {input: `{"kind":"Pod","metadata":{"name":"p","namespace":"n"},"spec":{"nodeName":"a","tolerations":[
			{"effect":"NoExecute","key":"k","operator":"Exists","tolerationSeconds":300}]},"status":{"phase":"Running"}}`,
			want: Pod{Namespace: "n", Name: "p", Node: "a", Phase: "Running", Tolerations: toleration.List{toleration.MustParse("k:NoExecute op=Exists for 300s")}}},
		"nothing":          {input: `{"kind":"Pod"}`},
		"to be named":      {input: `{"kind":"Pod","metadata":{"generateName":"p-"}}`, want: Pod{Name: "p-*"}},
		"terminating":      {input: `{"kind":"Pod","metadata":{"deletionTimestamp":"2026-01-02T03:04:05Z"}}`, want: Pod{Terminating: true}},
		"static":           {input: `{"kind":"Pod","metadata":{"annotations":{"a":"b","kubernetes.io/config.mirror":"x"}}}`, want: Pod{Static: true}},
		"static by escape": {input: `{"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror\u0000":"x","z":{}}}}`},
		"annotated alike":  {input: `{"kind":"Pod","metadata":{"annotations":{"a":"kubernetes.io/config.mirror"}}}`},
		"V10_all_at_once": {input: `{"kind":"Pod","metadata":{"name":"p","annotations":[]},"spec":{"nodeName":1,"tolerations":[{"key":"k","operator":"exists"}]},"status":{"phase":true}}`,
			want: Pod{Name: "p"}, problems: []string{
				`f:1: Pod p: metadata.annotations []: must be an object`,
				`f:1: Pod p: spec.nodeName 1: must be a string`,
				`f:1: Pod p: status.phase true: must be a string`,
				`f:1: Pod p: spec.tolerations[0].operator: unknown operator "exists", did you mean Exists?`,
			}},
		"known as far as it goes": {input: `{"kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"a","tolerations":{}},"status":{"phase":"Failed"}}`,
			want: Pod{Name: "p", Node: "a", Phase: "Failed"}, problems: []string{`f:1: Pod p: spec.tolerations {}: must be a list`}},
		"huge numbers": {input: `{"kind":"Pod","spec":{"priority":1e400,"tolerations":[{"key":"k","operator":"Exists","effect":"NoExecute","tolerationSeconds":1e400}]}}`,
			problems: []string{`f:1: Pod: spec.tolerations[0].tolerationSeconds 1e400: `}},
	} {
		t.Run(name, func(t *testing.T) {
			o, reported := only(test.input)
			if o == nil {
				compareProblems(t, reported, test.problems)
				return
			}
			got, err := o.Pod()
			if diff := cmp.Diff(test.want, got, values, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("pod mismatch (-want +got):\n%s", diff)
			}
			compareProblems(t, problems(o, err), test.problems)
		})
	}
}

// Decode decodes the fields at the paths that were given to Objects, and nothing else.
func TestDecode(t *testing.T) {
	type selector struct {
		Spec struct {
			NodeSelector map[string]string `json:"nodeSelector"`
			Priority     int32             `json:"priority"`
			At           time.Time         `json:"at"`
			Other        string            `json:"other"`
		} `json:"spec"`
	}
	const input = `{"kind":"Pod","spec":{"nodeSelector":{"a":"b"},"priority":%s,"at":"%s","other":"x","deep":{"a":{"b":[{"c":1}],"d":2}}}}`
	for name, test := range map[string]struct {
		priority, at string
		paths        []string
		kept         string
		problems     []string
	}{
		"all":        {"7", "2026-01-02T03:04:05Z", []string{"spec.nodeSelector", "spec.priority", "spec.at"}, `{"kind":"Pod","spec":{"nodeSelector":{"a":"b"},"priority":7,"at":"2026-01-02T03:04:05Z"}}`, nil},
		"deep":       {"7", "", []string{"spec.deep.a.b"}, `{"kind":"Pod","spec":{"deep":{"a":{"b":[{"c":1}]}}}}`, nil},
		"above":      {"7", "", []string{"spec.deep.a.b", "spec.deep"}, `{"kind":"Pod","spec":{"deep":{"a":{"b":[{"c":1}],"d":2}}}}`, nil},
		"below":      {"7", "", []string{"spec.deep", "spec.deep.a.b"}, `{"kind":"Pod","spec":{"deep":{"a":{"b":[{"c":1}],"d":2}}}}`, nil},
		"none":       {"7", "", nil, `{"kind":"Pod","spec":{}}`, nil},
		"wrong":      {"7", "x", []string{"spec.at"}, `{"kind":"Pod","spec":{"at":"x"}}`, []string{`f:1: Pod: spec.at: parsing time "x"`}},
		"large":      {"1e9", "", []string{"spec.priority"}, `{"kind":"Pod","spec":{"priority":1e9}}`, []string{`f:1: Pod: spec.priority "1e9": `}},
		"wrong type": {`"7"`, "", []string{"spec.priority"}, `{"kind":"Pod","spec":{"priority":"7"}}`, []string{`f:1: Pod: spec.priority`}},
	} {
		t.Run(name, func(t *testing.T) {
			for o, err := range Objects("f", strings.NewReader(fmt.Sprintf(input, test.priority, test.at)), test.paths...) {
				if err != nil {
					t.Fatal(err)
				}
				if string(o.Raw) != test.kept {
					t.Errorf("kept %s, want %s", o.Raw, test.kept)
				}
				var s selector
				compareProblems(t, problems(o, o.Decode(&s)), test.problems)
				if name == "all" && (s.Spec.NodeSelector["a"] != "b" || s.Spec.Priority != 7 || s.Spec.At.IsZero() || s.Spec.Other != "") {
					t.Errorf("decoded %+v", s)
				}
			}
		})
	}
}

// Pods share equal lists of tolerations, but none that has problems or ignored fields.
func TestPod_shared(t *testing.T) {
	list := func(name, tolerations string) string {
		return `{"kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"tolerations":` + tolerations + `}}`
	}
	const good, wrong, ignored = `[{"key":"a"}]`, `[{"key":"-"}]`, `[{"key":"a","x":1}]`
	input := list("1", good) + list("2", good) + list("3", wrong) + list("4", wrong) + list("5", ignored) + list("6", ignored) + list("7", good)
	want := []string{"true 0 0", "true 0 0", "false 1 0", "false 1 0", "true 0 1", "true 0 1", "true 0 0"}
	var got []string
	for o, err := range Objects("f", strings.NewReader(input)) {
		if err != nil {
			t.Fatal(err)
		}
		p, err := o.Pod()
		got = append(got, fmt.Sprint(p.Tolerations.Equal(toleration.List{toleration.MustParse("a")}), len(o.Problems(err)), len(p.Ignored)))
		if cap(p.Tolerations) != len(p.Tolerations) {
			t.Errorf("%s: room for %d tolerations", o, cap(p.Tolerations)) // an append would write to it
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}
