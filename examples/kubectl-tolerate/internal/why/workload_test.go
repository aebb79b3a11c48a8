package why

import (
	"fmt"
	"strings"
	"testing"
)

const plain = "{kind: Node, metadata: {name: plain, labels: {pool: a}}}"

func documents(list ...string) string { return "---\n" + strings.Join(list, "\n---\n") }

// The pods of a workload are named by its kind and name, however kubectl writes them.
func TestWorkload(t *testing.T) {
	pod := func(namespace, name, owner string) string {
		kind, of, _ := strings.Cut(owner, " ")
		return fmt.Sprintf("{kind: Pod, metadata: {namespace: %s, name: %s, ownerReferences: [{kind: %s, name: %s, controller: true}]}}", namespace, name, kind, of)
	}
	input := documents(plain, pod("shop", "a", "ReplicaSet web-5d8f"), pod("shop", "b", "ReplicaSet web-7c"), pod("shop", "c", "ReplicaSet web-api-5d8f"), pod("test", "d", "ReplicaSet web-5d8f"),
		pod("shop", "e", "StatefulSet web"), pod("shop", "f", "Job web-29"), pod("shop", "g", "Workflow web"), pod("shop", "h", "DaemonSet web"), "{kind: Pod, metadata: {namespace: job, name: web}}")
	for args, want := range map[string]string{
		"deployment/web":               "shop/a shop/b test/d",
		"deploy/web -n shop":           "shop/a shop/b",
		"deployments.apps/web -n test": "test/d",
		"deployment/test/web":          "test/d",
		"deployment/web-api":           "shop/c",
		"replicaset/web-5d8f":          "shop/a test/d",
		"statefulset/web":              "shop/e",
		"sts/web job/web-29":           "shop/e shop/f",
		"cronjob/web":                  "shop/f",
		"workflow/web":                 "shop/g",
		"daemonset/web":                "shop/h",
		"pod/a":                        "shop/a",
		"job/web":                      "job/web", // a namespace and a pod
		"shop/a":                       "shop/a",
		"deployment/web-5d8f":          "error: deployment/web-5d8f has no pods, or does not exist",
		"replicaset/web":               "error: replicaset/web has no pods, or does not exist",
		"statefulset/test/web":         "error: statefulset/test/web has no pods, or does not exist",
		"sts/web --node plain":         "shop/e",
		"ds/x --node plain":            "error: ds/x has no pods on node plain, or does not exist",
		"shop/z":                       `error: pod "shop/z" not found`,
		"shop/":                        `error: pod "shop/" not found`,
	} {
		out, err := run(t, input, append(strings.Fields(args), "-f", "-", "-o", "wide")...)
		var got []string
		for _, line := range strings.Split(out, "\n\n")[1:] {
			name, _, _ := strings.Cut(line, "\n")
			got = append(got, strings.Split(name, ", ")...)
		}
		if err != nil {
			got = []string{"error: " + err.Error()}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// Of a workload that is named, those of its pods that wait are first, and few others are listed.
func TestWorkload_many(t *testing.T) {
	input := []string{plain}
	for i := range 50 {
		node := "plain"
		if i == 49 {
			node = ""
		}
		input = append(input, fmt.Sprintf("{kind: Node, metadata: {name: n%d}}", i), fmt.Sprintf("{kind: Pod, metadata: {name: p%d, ownerReferences: [{kind: StatefulSet, name: s, controller: true}]}, spec: {nodeName: %q}}", i, strings.Replace(node, "plain", fmt.Sprint("n", i), 1)))
	}
	out, err := run(t, documents(input...), "-f", "-", "statefulset/s")
	if _, rest, _ := strings.Cut(out, "\n\n"); err != nil || !strings.HasPrefix(rest, "p49\n") || strings.Count(out, "bound to") != 9 || !strings.HasSuffix(out, "\nand 40 more groups; -o wide lists all\n") {
		t.Errorf("%v:\n%s", err, out)
	}
}
