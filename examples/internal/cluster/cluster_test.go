package cluster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/internal/resource"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// read returns what each object is, one a line, and what is reported.
func read(input string) (objects, problems string) {
	var found, wrong strings.Builder
	cluster.Read(strings.NewReader(input), func(o *cluster.Object) {
		switch o.Kind {
		case "Node":
			fmt.Fprintf(&found, "node %s %v %v\n", o.Name(), taint.List(o.Spec.Taints), o.Spec.Unschedulable)
		case "Pod":
			fmt.Fprintf(&found, "pod %s on %q: %v %v\n", o.Name(), o.Spec.NodeName, toleration.List(o.Spec.Tolerations), o.Ended())
		case "RuntimeClass":
			fmt.Fprintf(&found, "class %s %v\n", o.Name(), o.Overhead.PodFixed)
		}
	}, func(err error) { fmt.Fprintln(&wrong, err) })
	return found.String(), wrong.String()
}

func list(items ...string) string {
	return `{"apiVersion": "v1", "items": [` + strings.Join(items, ",") + `], "kind": "List", "metadata": {"resourceVersion": ""}}` + "\n"
}

func node(spec string) string {
	return `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {}}, "spec": {` + spec + `}}`
}

func pod(name, fields string) string {
	return `{"kind": "Pod", "metadata": {"name": "` + name + `", "namespace": "ns"` + fields + `}`
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, input, objects string }{
		{"a list", list(node(`"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": true`), pod("p", `}, "spec": {"nodeName": "a", "tolerations": [{"operator": "Exists"}]}, "status": {"phase": "Running"}`)),
			"node a k:NoSchedule true\npod ns/p on \"a\": op=Exists false\n"},
		{"two lists", list(node("")) + list(pod("p", "}")), "node a  false\npod ns/p on \"\":  false\n"},
		{"a class", list(`{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "c"}, "handler": "h", "overhead": {"podFixed": {"cpu": "250m"}}}`), "class c map[cpu:250]\n"},
		{"ended", list(pod("p", `}, "status": {"phase": "Failed"}`), pod("q", `}, "status": {"phase": "Succeeded"}`), pod("r", `, "deletionTimestamp": "2026-01-02T03:04:05Z"}`)),
			"pod ns/p on \"\":  true\npod ns/q on \"\":  true\npod ns/r on \"\":  true\n"},
		{"null is absent", list(`{"kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": null, "unschedulable": null}, "status": null}`), "node a  false\n"},
		{"items elsewhere", `{"metadata": {"items": [1]}, "kind": "items", "items": [` + node("") + `]}`, "node a  false\n"},
		{"nothing", "", ""},
	} {
		if objects, problems := read(tt.input); problems != "" || objects != tt.objects {
			t.Errorf("%s: %s%s", tt.name, problems, cmp.Diff(tt.objects, objects))
		}
	}
}

// M8: what is wrong is reported with its object and field, and repels; what is before it is read.
func TestRead_wrong(t *testing.T) {
	const wrong, fine = "node a (invalid taint) false\n", "node a  false\n"
	for _, tt := range []struct{ name, input, objects, problem string }{
		{"effect", list(node(`"taints": [{"key": "k", "effect": "noSchedule"}]`)), wrong, `Node a: spec.taints[0].effect: unknown effect "noSchedule"`},
		{"no effect", list(node(`"taints": [{"key": "k", "effect": "NoSchedule"}, {"key": "k"}]`)), wrong, `Node a: spec.taints[1].effect`},
		{"unknown field", list(node(`"taints": [{"key": "k", "effect": "NoSchedule", "Value": "v"}]`)), wrong, `Node a: spec.taints[0]: unknown field "Value"`},
		{"repeated field", list(node(`"taints": [{"key": "k", "key": "l", "effect": "NoSchedule"}]`)), wrong, `Node a: spec.taints[0].key`},
		{"repeated list", list(node(`"taints": [{"key": "k", "effect": "NoSchedule"}], "Taints": []`)), wrong, `Node a: spec: unknown field "Taints", did you mean taints?`},
		{"another case", list(node(`"unschedulable": true, "Unschedulable": false`)), "node a (invalid taint) false\n", `Node a: spec: unknown field "Unschedulable", did you mean unschedulable?`},
		{"repeated label", list(`{"kind": "Node", "metadata": {"name": "a", "labels": {"a": "b", "A": "c", "a": "b"}}}`), wrong, `Node a: metadata.labels: field "a" occurs twice`},
		{"tolerations in another case", list(node(""), pod("p", `}, "spec": {"Tolerations": [{"operator": "Exists"}]}`)), fine, `Pod ns/p: spec: unknown field "Tolerations", did you mean tolerations?`},
		{"in a list of structs", list(node(""), pod("p", `}, "spec": {"containers": [{}, {"Resources": {}}]}`)), fine, `Pod ns/p: spec.containers[1]: unknown field "Resources", did you mean resources?`},
		{"null taint", list(node(`"taints": [null]`)), wrong, "Node a: spec.taints[0]"},
		{"no list", list(node(`"taints": {}`)), wrong, "Node a: spec.taints"},
		{"not UTF-8", list(node("\"taints\": [{\"key\": \"k\", \"value\": \"\xff\", \"effect\": \"NoSchedule\"}]")), wrong, "Node a: spec.taints"},
		{"unschedulable", list(node(`"unschedulable": "yes"`)), "node a (invalid taint) false\n", "Node a: spec.unschedulable: string is not allowed"},
		{"spec", list(`{"kind": "Node", "metadata": {"name": "a"}, "spec": []}`), wrong, "Node a: spec: array is not allowed"},
		{"quantity", list(`{"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "2 cores"}}}`), wrong, `Node a: status.allocatable.cpu: quantity "2 cores" is not allowed`},
		{"no name", list(`{"kind": "Node"}`), "node object-1 (invalid taint) false\n", `Node: metadata: invalid name ""`},
		{"name", list(`{"kind": "Node", "metadata": {"name": "a\n\u001b[2J"}}`), "node object-1 (invalid taint) false\n", `Node: metadata: invalid name "a\n\x1b[2J"`},
		{"twice", list(node(""), node("")), fine + wrong, "Node a: the object occurs twice"},
		{"operator", list(node(""), pod("p", `}, "spec": {"tolerations": [{"key": "k", "operator": "exists"}]}`)), fine, `Pod ns/p: spec.tolerations[0].operator: unknown operator "exists"`},
		{"affinity", list(node(""), pod("p", `}, "spec": {"affinity": {"nodeAffinity": []}}`)), fine, `Pod ns/p: spec.affinity.nodeAffinity: array is not allowed`},
		{"kind", list(node(""), `{"kind": "Deployment"}`), fine, `object: unknown kind "Deployment"; only nodes and pods are read`},
		{"list in a list", list(node(""), list()), fine, `unknown kind "List"`},
		{"null item", list(node(""), "null", "1", "[]"), fine, `unknown kind ""`},
		{"no items", list(node("")) + `{"kind": "List"}`, fine, "no list of objects"},
		{"an object", list(node("")) + node(""), fine, "no list of objects"},
		{"items", list(node("")) + `{"items": {"items": []}}`, fine, "no list of objects"},
		{"items twice", `{"items": [` + node("") + `], "items": {}}`, fine, `field "items" occurs twice`},
		{"items in another case", `{"items": [` + node("") + `], "iTems": []}`, fine, `unknown field "iTems", did you mean items?`},
		{"nested arrays", list(node("")) + `["items", [` + node("") + `]]`, fine, "no list of objects"},
		{"array", list(node("")) + "[]", fine, "no list of objects"},
	} {
		if objects, problems := read(tt.input); !strings.Contains(problems, tt.problem) || objects != tt.objects {
			t.Errorf("%s: %s%s", tt.name, problems, cmp.Diff(tt.objects, objects))
		}
	}
}

// M8: text that is no JSON is reported at its byte, in the words of package json, and what is before it is read.
func TestRead_not_JSON(t *testing.T) {
	const fine = "node a  false\n"
	for name, tt := range map[string]struct {
		before, after string // what is wrong begins after the first
		problem       string
	}{
		"cut off in the list": {`{"items": [` + node(""), "", ""},
		"cut off in an item":  {`{"items": [` + node(""), `, {"kind": "No`, ""},
		"cut off behind":      {`{"items": [` + node("") + `]`, "", ""},
		"cut off in the name": {list(node("")) + `{`, `"ki`, ""},
		"comma":               {`{"items": [` + node(""), `,]}`, ""},
		"no comma":            {`{"items": [` + node(""), node("") + `]}`, ""},
		"a bracket":           {strings.TrimSuffix(list(node("")), "\n"), "\n]", "no list of objects"},
		"YAML":                {strings.TrimSuffix(list(node("")), "\n"), "\nkind: Node\n", "no list of objects; kubectl get nodes,pods -A -o json prints one\n"},
	} {
		objects, problems := read(tt.before + tt.after)
		rest := problems
		for i := range 2 { // package json counts the token that is wrong, or does not
			rest = strings.TrimPrefix(rest, fmt.Sprintf("byte %d: ", len(tt.before)+i))
		}
		if rest == problems || rest == "\n" || !strings.HasPrefix(rest, tt.problem) || objects != fine {
			t.Errorf("%s: want byte %d: %s%s", name, len(tt.before), problems, cmp.Diff(fine, objects))
		}
	}
}

// K4: every field of every struct is an error in another case, or repeated.
func TestCheck(t *testing.T) {
	fold := strings.NewReplacer("s", "ſ", "k", "\u212a") // package json folds these, too
	fields := 0
	var try func(typ reflect.Type, before, after string)
	try = func(typ reflect.Type, before, after string) {
		switch typ.Kind() {
		case reflect.Pointer:
			try(typ.Elem(), before, after)
		case reflect.Slice:
			try(typ.Elem(), before+"[", "]"+after)
		case reflect.Map:
			try(typ.Elem(), before+`{"A": 0, "a": `, "}"+after)
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				name := f.Tag.Get("json")
				if name == "-" || !f.IsExported() {
					continue
				} else if name == "" {
					name = strings.ToLower(f.Name[:1]) + f.Name[1:]
				}
				fields++
				for _, other := range []string{name, strings.ToUpper(name), strings.ToUpper(name[:1]) + name[1:], fold.Replace(name)} {
					members, want := `{"`+other+`": 0}`, "unknown field"
					if other == name {
						members, want = `{"`+name+`": 0, "`+name+`": null}`, "occurs twice"
					}
					if err := cluster.Check([]byte(before + members + after)); err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s%s%s: %v", before, members, after, err)
					}
				}
				try(f.Type, before+`{"x": {"X": 0, "X": 0}, "`+name+`": `, "}"+after)
			}
		}
	}
	try(reflect.TypeFor[cluster.Object](), "", "")
	if fields < 30 {
		t.Errorf("%d fields, want all", fields)
	}
}

// at returns the value at a path in a tree, or nil.
func at(tree any, names ...string) any {
	for _, name := range names {
		m, _ := tree.(map[string]any)
		tree = m[name]
	}
	return tree
}

// describe writes what an object of a tree is, as the function read does.
func describe(w io.Writer, o any) {
	text := func(names ...string) string {
		s, _ := at(o, names...).(string)
		return s
	}
	name := strings.TrimPrefix(text("metadata", "namespace")+"/"+text("metadata", "name"), "/")
	data := func(names ...string) []byte {
		data, _ := json.Marshal(at(o, names...))
		return data
	}
	switch text("kind") {
	case "Node":
		taints, _, _ := taint.Decode(data("spec", "taints"), taint.DecodeOptions{})
		fmt.Fprintf(w, "node %s %v %v\n", name, taints, at(o, "spec", "unschedulable") == true)
	case "Pod":
		tolerations, _, _ := toleration.Decode(data("spec", "tolerations"), toleration.DecodeOptions{})
		ended := slices.Contains([]string{"Succeeded", "Failed"}, text("status", "phase")) || text("metadata", "deletionTimestamp") != ""
		fmt.Fprintf(w, "pod %s on %q: %v %v\n", name, text("spec", "nodeName"), tolerations, ended)
	case "RuntimeClass":
		var amounts resource.Amounts
		_ = json.Unmarshal(data("overhead", "podFixed"), &amounts)
		fmt.Fprintf(w, "class %s %v\n", name, amounts)
	}
}

// What is read without an error is what a tree of the input has, whose names are
// case-sensitive. One letter of the input is in another case.
func FuzzRead(f *testing.F) {
	for _, input := range []string{
		list(node(`"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": true`), pod("p", `, "deletionTimestamp": "x"}, "spec": {"nodeName": "a", "tolerations": [{"operator": "Exists"}]}, "status": {"phase": "Failed"}`)),
		list(`{"kind": "RuntimeClass", "metadata": {"name": "c"}, "overhead": {"podFixed": {"cpu": 1}}}`),
		`{"items": [{"kind": "Node", "metadata": {"name": "a"}}], "items": [], "metadata": {}}`,
		`{"items": {"items": [{"kind": "Node"}]}} {"items": 0}`,
	} {
		for letter := range len(input) + 1 {
			f.Add(input, letter)
		}
	}
	f.Fuzz(func(t *testing.T, input string, letter int) {
		if i := letter; i >= 0 && i < len(input) && (input[i]|0x20)-'a' < 26 {
			input = input[:i] + string(input[i]^0x20) + input[i+1:]
		}
		objects, problems := read(input)
		if problems != "" {
			return
		}
		var want strings.Builder
		d := json.NewDecoder(strings.NewReader(input))
		for d.UseNumber(); ; {
			var v any
			if err := d.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s is read, but %v", input, err)
			}
			items, isList := at(v, "items").([]any)
			if !isList {
				t.Fatalf("%s is read as a list", input)
			}
			for _, o := range items {
				describe(&want, o)
			}
		}
		if objects != want.String() {
			t.Errorf("%s is read as\n%swant\n%s", input, objects, &want)
		}
	})
}

// A large object is rejected, not a long list of small ones: its memory is that of an object.
func TestHostile_limits(t *testing.T) {
	large := strings.Repeat("x", 5<<20)
	for name, input := range map[string]string{
		"item":  `{"items": [` + node("") + `, {"kind": "Pod", "spec": "` + large + `"}]}`,
		"field": list(node("")) + `{"kind": "` + large,
		"space": list(node("")) + strings.Repeat(" ", 5<<20),
	} {
		if objects, problems := read(input); objects != "node a  false\n" || !strings.Contains(problems, "an object has more than 2 MiB") {
			t.Errorf("%s: %s%s", name, objects, problems)
		}
	}
	if objects, problems := read(list(pod("p", `, "x": "`+large[:2<<20-200]+`"}`))); problems != "" || strings.Count(objects, "\n") != 1 {
		t.Errorf("2 MiB: %s", problems)
	}
	if testing.Short() {
		return
	}
	many := &endless{prefix: `{"items": [`, unit: `{"kind": "Pod", "metadata": {"name": "p"}},`}
	read, last := 0, error(nil)
	cluster.Read(many, func(*cluster.Object) { read++ }, func(err error) { last = err })
	if read != 1 || last == nil || !strings.Contains(last.Error(), "more than 1000000 objects") {
		t.Errorf("without an end: %d pods, %v", read, last)
	}
}

// An endless reads as the prefix and then the unit, again and again.
type endless struct{ prefix, unit string }

func (e *endless) Read(p []byte) (n int, err error) {
	n = copy(p, e.prefix)
	if e.prefix = e.prefix[n:]; e.prefix == "" {
		e.prefix = strings.Repeat(e.unit, 1000)
	}
	return n, nil
}
