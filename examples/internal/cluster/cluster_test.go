package cluster_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
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
		{"repeated list", list(node(`"taints": [{"key": "k", "effect": "NoSchedule"}], "Taints": []`)), wrong, `Node a: spec.taints: occurs twice`},
		{"null taint", list(node(`"taints": [null]`)), wrong, "Node a: spec.taints[0]"},
		{"no list", list(node(`"taints": {}`)), wrong, "Node a: spec.taints"},
		{"not UTF-8", list(node("\"taints\": [{\"key\": \"k\", \"value\": \"\xff\", \"effect\": \"NoSchedule\"}]")), wrong, "Node a: spec.taints"},
		{"unschedulable", list(node(`"unschedulable": "yes"`)), "node a (invalid taint) false\n", "Node a: spec.unschedulable: string is not allowed"},
		{"spec", list(`{"kind": "Node", "metadata": {"name": "a"}, "spec": []}`), wrong, "Node a: spec: array is not allowed"},
		{"quantity", list(`{"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "2 cores"}}}`), wrong, `Node a: status.allocatable: quantity "2 cores" is not allowed`},
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
		{"cut off in the list", `{"items": [` + node(""), fine, "EOF"},
		{"cut off in an item", `{"items": [` + node("") + `, {"kind": "No`, fine, "unexpected EOF"},
		{"cut off behind", `{"items": [` + node("") + `]`, fine, "EOF"},
		{"cut off in the name", list(node("")) + `{"ki`, fine, "EOF"},
		{"comma", `{"items": [` + node("") + `,]}`, fine, "invalid character"},
		{"no comma", `{"items": [` + node("") + node("") + `]}`, fine, "expected comma"},
		{"a bracket", list(node("")) + "]", fine, "invalid character"},
		{"YAML", list(node("")) + "kind: Node\n", fine, "no list of objects; kubectl get nodes,pods -A -o json prints one\ninvalid character 'k'"},
		{"nested arrays", list(node("")) + `["items", [` + node("") + `]]`, fine, "no list of objects"},
		{"array", list(node("")) + "[]", fine, "no list of objects"},
	} {
		if objects, problems := read(tt.input); !strings.Contains(problems, tt.problem) || objects != tt.objects {
			t.Errorf("%s: %s%s", tt.name, problems, cmp.Diff(tt.objects, objects))
		}
	}
}

// What is read without an error is what encoding/json reads of the whole.
func FuzzRead(f *testing.F) {
	f.Add(list(node(""), pod("p", "}")))
	f.Add(`{"items": [{"kind": "Node", "metadata": {"name": "a"}}], "items": [], "metadata": {}}`)
	f.Add(`{"items": {"items": [{"kind": "Node"}]}} {"items": 0}`)
	f.Fuzz(func(t *testing.T, input string) {
		objects, problems := read(input)
		if problems != "" {
			return
		}
		want := 0
		for d := json.NewDecoder(strings.NewReader(input)); ; {
			var v map[string]any
			if err := d.Decode(&v); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s is read, but %v", input, err)
			}
			items, isList := v["items"].([]any)
			if !isList {
				t.Fatalf("%s is read as a list", input)
			}
			want += len(items)
		}
		if got := strings.Count(objects, "\n"); got < want {
			t.Errorf("%s: %d objects are read, want %d", input, got, want)
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
