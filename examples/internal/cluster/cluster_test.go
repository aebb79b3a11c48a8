package cluster_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-tolerate/tolerate/examples/internal/cluster"
)

// read returns what each object is, one a line, and what is reported.
func read(input string, args ...string) (status int, objects, errOut string) {
	var found strings.Builder
	p := cluster.Program{
		Flags:  flag.NewFlagSet("test", flag.ContinueOnError),
		Sample: func() string { return "" },
		Each: func(o *cluster.Object) {
			if o.Kind == "Node" {
				n := o.Node()
				fmt.Fprintf(&found, "node %s %v %v %v\n", n.Name, n.Taints, n.Unschedulable, n.Wrong)
			} else if pod := o.Pod(); o.Err == nil {
				fmt.Fprintf(&found, "pod %s on %q: %v %v\n", pod.Name, pod.Node, pod.Tolerations, pod.Ended)
			}
		},
		Report: func(io.Writer, int) (int, error) { return 0, nil },
	}
	var errs bytes.Buffer
	status = p.Run(args, strings.NewReader(input), io.Discard, &errs)
	return status, found.String(), errs.String()
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ name, input, objects string }{
		{"a list", `{"apiVersion": "v1", "items": [
			{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": {}}, "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": true}},
			{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "spec": {"nodeName": "a", "tolerations": [{"operator": "Exists"}]}, "status": {"phase": "Running"}}
			], "kind": "List", "metadata": {"resourceVersion": ""}}`,
			"node a k:NoSchedule true false\npod ns/p on \"a\": op=Exists false\n"},
		{"lists of a kind", `{"kind": "NodeList", "items": [{"metadata": {"name": "a"}}]} {"kind": "PodList", "items": [{"metadata": {"name": "p"}}]}`,
			"node a  false false\npod p on \"\":  false\n"},
		{"objects", "\n{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\"}}\n{\"kind\": \"Pod\", \"metadata\": {\"name\": \"a\"}}\n", "node a  false false\npod a on \"\":  false\n"},
		{"ended", `{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}}, {"kind": "Pod", "metadata": {"name": "p"}, "status": {"phase": "Failed"}},
			{"kind": "Pod", "metadata": {"name": "q"}, "status": {"phase": "Succeeded"}}, {"kind": "Pod", "metadata": {"name": "r", "deletionTimestamp": "2026-01-02T03:04:05Z"}}]}`,
			"node a  false false\npod p on \"\":  true\npod q on \"\":  true\npod r on \"\":  true\n"},
		{"null is absent", `{"kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": null, "unschedulable": null}, "status": null}`, "node a  false false\n"},
		{"names are case-sensitive", `{"kind": "Node", "metadata": {"name": "a"}, "spec": {"taints": [{"key": "k", "effect": "NoSchedule"}], "Taints": []}, "Spec": {"taints": []}, "spec.taints": []}`, "node a k:NoSchedule false false\n"},
		{"dots lead nowhere", `{"kind": "Node", "metadata": {"name": "a"}, "spec.unschedulable": true}`, "node a  false false\n"},
		{"the last of several", `{"kind": "Node", "metadata": {"name": "a"}, "spec": {"unschedulable": false, "unschedulable": true}}`, "node a  true false\n"},
	} {
		if status, objects, errOut := read(tt.input); status != 0 || errOut != "" || objects != tt.objects {
			t.Errorf("%s: status %d, %s%s", tt.name, status, errOut, cmp.Diff(tt.objects, objects))
		}
	}
}

// M8: what is wrong is reported, and repels; what is before it is read.
func TestRead_wrong(t *testing.T) {
	node := func(spec string) string { return `{"kind": "Node", "metadata": {"name": "a"}, "spec": {` + spec + `}}` }
	pod := func(fields string) string {
		return node("") + `{"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, ` + fields + `}]}`
	}
	const wrong, fine = "node a (invalid taint) false true\n", "node a  false false\n"
	for _, tt := range []struct{ name, input, objects, errOut string }{
		{"effect", node(`"taints": [{"key": "k", "effect": "noSchedule"}]`), wrong, `standard input: Node a: spec.taints[0].effect: unknown effect "noSchedule"`},
		{"no effect", node(`"taints": [{"key": "k", "effect": "NoSchedule"}, {"key": "k"}]`), wrong, `spec.taints[1].effect`},
		{"null taint", node(`"taints": [null]`), wrong, "spec.taints[0]"},
		{"no list", node(`"taints": {}`), wrong, "spec.taints"},
		{"not UTF-8", node("\"taints\": [{\"key\": \"k\", \"value\": \"\xff\", \"effect\": \"NoSchedule\"}]"), wrong, "spec.taints"},
		{"unschedulable", node(`"unschedulable": "yes"`), wrong, "spec.unschedulable: string is not allowed"},
		{"spec", `{"kind": "Node", "metadata": {"name": "a"}, "spec": []}`, wrong, "Node a: spec: array is not allowed"},
		{"no name", `{"kind": "Node"}`, "node  (invalid taint) false true\n", `metadata: invalid name ""`},
		{"name", `{"kind": "Node", "metadata": {"name": "a\n\u001b[2J"}}`, "node  (invalid taint) false true\n", `standard input: Node: metadata: invalid name "a\n\x1b[2J"`},
		{"twice", node("") + node(""), fine + wrong, "Node a: the object occurs twice"},
		{"operator", pod(`"spec": {"tolerations": [{"key": "k", "operator": "exists"}]}`), fine, `standard input: items[0]: Pod ns/p: spec.tolerations[0].operator: unknown operator "exists"`},
		{"phase", pod(`"status": {"phase": 1}`), fine, "status.phase: number is not allowed"},
		{"deletion", pod(`"metadata": {"name": "p", "deletionTimestamp": 1}`), fine, "metadata.deletionTimestamp: number"},
		{"kind", node("") + `{"kind": "Deployment"}`, fine, `unknown kind "Deployment"; only v1 Nodes and Pods are read`},
		{"group", node("") + `{"kind": "Pod", "apiVersion": "example.com/v1"}`, fine, `unknown kind "example.com/v1 Pod"`},
		{"no kind", node("") + `{}`, fine, `unknown kind ""`},
		{"kind after the items", node("") + `{"items": [{"metadata": {"name": "b"}}], "kind": "NodeList"}`, fine, "items[0]: unknown kind"},
		{"list in a list", node("") + `{"kind": "List", "items": [{"kind": "NodeList", "items": []}]}`, fine, "unknown kind"},
		{"null item", node("") + `{"kind": "List", "items": [null, 1, []]}`, fine, `items[2]: unknown kind ""`},
		{"items", node("") + `{"kind": "List", "items": {}}`, fine, "items: not a list"},
		{"incomplete", node("") + `{"kind": "List", "items": [], "metadata": {"continue": "abc"}}`, fine, "the list is incomplete"},
		{"continue", node("") + `{"kind": "List", "items": [], "metadata": {"continue": 1}}`, fine, "metadata.continue: number is not allowed"},
		{"cut off in the list", `{"kind": "List", "items": [` + node(""), fine, "EOF"},
		{"cut off in an item", `{"kind": "List", "items": [` + node("") + `, {"kind": "No`, fine, "items[1]: unexpected EOF"},
		{"cut off behind", `{"kind": "List", "items": [` + node("") + `]`, fine, "EOF"},
		{"cut off in the name", node("") + `{"ki`, fine, "EOF"},
		{"comma", `{"kind": "List", "items": [` + node("") + `,]}`, fine, "items[1]: invalid character"},
		{"no comma", `{"kind": "List", "items": [` + node("") + node("") + `]}`, fine, "expected comma"},
		{"YAML", node("") + "\nkind: Node\n", fine, "no JSON object; kubectl get nodes,pods -A -o json writes one; invalid character 'k'"},
		{"array", node("") + "[]", fine, "no JSON object"},
		{"no nodes", `{"kind": "Pod", "metadata": {"name": "p"}}`, "pod p on \"\":  false\n", "the input has no nodes"},
	} {
		status, objects, errOut := read(tt.input)
		if status != 2 || !strings.Contains(errOut, tt.errOut) || objects != tt.objects {
			t.Errorf("%s: status %d, %s%s", tt.name, status, errOut, cmp.Diff(tt.objects, objects))
		}
	}
	if _, _, errOut := read(node("") + `{"kind": "List", "items": [` + strings.Repeat("0,", 99) + `0]}`); strings.Count(errOut, "\n") != 21 || !strings.Contains(errOut, "test: and 80 more errors\n") {
		t.Errorf("100 errors: %s", errOut)
	}
}

// What is read without an error is what encoding/json reads of the whole.
func FuzzRead(f *testing.F) {
	f.Add(`{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}}, {"kind": "Pod", "metadata": {"name": "p"}}]}`)
	f.Add(`{"items": [{"kind": "Node", "metadata": {"name": "a"}}], "items": [], "metadata": {}}`)
	f.Fuzz(func(t *testing.T, input string) {
		status, objects, errOut := read(input)
		if (status == 0) != (errOut == "") {
			t.Fatalf("status %d, %s", status, errOut)
		}
		if status != 0 {
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
			if items, list := v["items"].([]any); list {
				want += len(items)
			} else {
				want++
			}
		}
		if got := strings.Count(objects, "\n"); got < want {
			t.Errorf("%s: %d objects are read, want %d", input, got, want)
		}
	})
}

// The limits end the file, with their names.
func TestHostile_limits(t *testing.T) {
	node := `{"kind": "Node", "metadata": {"name": "a"}}`
	for _, tt := range []struct{ name, input string }{
		{"item", `{"kind": "List", "items": [` + node + `, {"kind": "Pod", "spec": "` + strings.Repeat("x", 5<<20) + `"}]}`},
		{"object", node + `{"kind": "Pod", "spec": "` + strings.Repeat("x", 5<<20) + `"}`},
		{"space", node + strings.Repeat(" ", 5<<20)},
	} {
		if status, objects, errOut := read(tt.input); status != 2 || objects != "node a  false false\n" || !strings.Contains(errOut, "an object has more than 2 MiB") {
			t.Errorf("%s: status %d, %s%s", tt.name, status, objects, errOut)
		}
	}
	if status, objects, errOut := read(node + `{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"x": "` + strings.Repeat("x", 2<<20-100) + `"}}`); status != 0 || strings.Count(objects, "\n") != 2 {
		t.Errorf("2 MiB: status %d, %s", status, errOut)
	}
	if testing.Short() {
		return
	}
	var many strings.Builder
	many.WriteString(node + `{"kind": "PodList", "items": [{"metadata": {"name": "p"}}`)
	for i := range 999_999 {
		fmt.Fprintf(&many, `,{"metadata": {"name": "p%d"}}`, i)
	}
	if status, objects, errOut := read(many.String() + `]}`); status != 2 || strings.Count(objects, "\n") != 1_000_000 || !strings.Contains(errOut, "items[999999]: more than 1000000 objects") {
		t.Errorf("1,000,001 objects: status %d, %s", status, errOut)
	}
}
