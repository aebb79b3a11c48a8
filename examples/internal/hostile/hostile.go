// Package hostile makes input that tries to steer the terminal of who reads it,
// for the tests of the programs in examples.
package hostile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Mark is put into the strings: escape sequences, control characters of
// both sets, marks that change the direction of text, and a line of its own.
const Mark = "\x1b[31m\x1b]0;x\x07\r\b\u009b31m\x7f\u202e\u2066\u200b\u2028\U000e0041\nFORGED line"

// Variants returns copies of the objects in a JSON stream in which Mark is
// appended to one string, in each to another one, names of members included; one in
// which it is appended to all of them; and one in which it is appended to all but the
// names of fields and the kinds of objects, so that these are read nevertheless.
func Variants(tb testing.TB, stream string) []string {
	tb.Helper()
	var values []any
	for d := json.NewDecoder(strings.NewReader(stream)); d.More(); {
		var v any
		if err := d.Decode(&v); err != nil {
			tb.Fatal(err)
		}
		values = append(values, v)
	}
	m := &marker{chosen: all}
	m.mark(values, "")
	total := m.met
	if total == 0 {
		tb.Fatal("no strings")
	}
	var variants []string
	for chosen := all - 1; chosen < total; chosen++ {
		m := &marker{chosen: chosen}
		var b strings.Builder
		for _, v := range m.mark(values, "").([]any) {
			text, err := json.Marshal(v)
			if err != nil {
				tb.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n", text)
		}
		variants = append(variants, b.String())
	}
	return variants
}

// What is chosen besides a single string.
const (
	all   = -1 // strings
	words = -2 // strings that somebody chose: no fields, no kinds
)

type marker struct {
	met, chosen int
}

func (m *marker) text(s string, word bool) string {
	m.met++
	if m.chosen == all || m.chosen == m.met-1 || m.chosen == words && word {
		return s + Mark
	}
	return s
}

// free are the fields whose members have names that somebody chose.
var free = []string{"labels", "annotations", "requests", "limits", "allocatable", "overhead", "podFixed", "nodeSelector", "namespaces"}

func (m *marker) mark(v any, in string) any {
	switch v := v.(type) {
	case string:
		return m.text(v, in != "kind" && in != "apiVersion")
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = m.mark(e, in)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			object[m.text(name, slices.Contains(free, in))] = m.mark(v[name], name)
		}
		return object
	}
	return v
}

// Inputs returns the variants of [Cluster], and input that is no JSON.
func Inputs(tb testing.TB) []string {
	tb.Helper()
	return append(Variants(tb, Cluster), "\x1b[2J", "{\"kind\": \"\x9b2J", `{"kind": "Node"} `+Mark)
}

// Check reports output that could steer a terminal: control characters, marks
// that are not printed, what is no UTF-8, and a line that the input made.
func Check(tb testing.TB, what, output string) {
	tb.Helper()
	bad := func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsPrint(r) }
	if i := strings.IndexFunc(output, bad); i >= 0 || !utf8.ValidString(output) {
		i = max(i, 0)
		tb.Errorf("%s writes %q", what, output[max(i-80, 0):min(i+20, len(output))])
	}
	if i := strings.Index("\n"+output, "\nFORGED"); i >= 0 {
		tb.Errorf("%s lets the input write a line: %q", what, output[max(i-80, 0):min(i+20, len(output))])
	}
}

// Cluster is a small cluster in which every field that the programs read has a
// value.
const Cluster = `
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"topology.kubernetes.io/zone": "z1", "pool": "a"}},
 "spec": {"taints": [{"key": "gpu", "value": "a", "effect": "NoSchedule"}, {"key": "old", "value": "b", "effect": "NoExecute", "timeAdded": "2026-01-02T03:04:05Z"}]},
 "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10", "nvidia.com/gpu": "1"}, "conditions": [{"type": "Ready", "status": "True"}]}}
{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n2"}, "spec": {"unschedulable": true},
 "status": {"allocatable": {"cpu": "1", "pods": "10"}, "conditions": [{"type": "Ready", "status": "Unknown"}]}}
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "waiting", "namespace": "ns", "creationTimestamp": "2026-01-02T03:04:05Z"},
 "spec": {"tolerations": [{"key": "gpu", "operator": "Equal", "value": "b", "effect": "NoSchedule"}], "nodeSelector": {"pool": "a"}, "runtimeClassName": "c", "schedulerName": "s",
  "containers": [{"name": "x", "resources": {"requests": {"cpu": "100m", "nvidia.com/gpu": "1"}}}]}, "status": {"phase": "Pending"}}
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "gated", "namespace": "ns"}, "spec": {"schedulingGates": [{"name": "gate"}], "containers": [{"name": "x"}]}}
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bound", "namespace": "ns", "ownerReferences": [{"kind": "ReplicaSet"}]},
 "spec": {"nodeName": "n1", "tolerations": [{"key": "gpu", "operator": "Exists"}, {"key": "old", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 100}],
  "containers": [{"name": "x", "resources": {"requests": {"cpu": "100m"}, "limits": {"memory": "1Gi"}}}]}, "status": {"phase": "Running"}}
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "lost", "namespace": "ns"}, "spec": {"nodeName": "n3", "overhead": {"cpu": "1"}, "containers": [{"name": "x"}]}}
{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "c"}, "handler": "h", "overhead": {"podFixed": {"cpu": "100m"}},
 "scheduling": {"nodeSelector": {"pool": "a"}, "tolerations": [{"key": "gpu", "operator": "Exists"}]}}
`
