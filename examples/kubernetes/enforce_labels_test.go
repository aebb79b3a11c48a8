package kubernetes_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
)

const labelRules = `
rules:
- namespaces: [kube-system]
  policy: {allow: [{taints: [{operator: Exists}]}]}
- name: batch
  namespaceSelector: {matchLabels: {team: batch}, matchExpressions: [{key: stage, operator: NotIn, values: [test]}]}
  tolerations: [{key: dedicated, value: batch}]
  nodeSelector: {dedicated: batch}
- name: pilots
  users: [ann, "system:serviceaccount:ops:runner"]
  groups: [pilots]
  tolerations: [{key: pilot, operator: Exists}]
  policy: {allow: [{taints: [{operator: Exists}]}]}
- policy:
    allow: [{taints: [{operator: Exists}]}]
    deny: [{name: pools, taints: [{key: dedicated, operator: Exists}]}]
`

// A namespace gets the rules of its labels, also of those it gets later, and a user those of its
// name. What the rule's tolerations cover is accepted. Lint finds the same in the pods of the
// cluster.
func TestEnforce_labels(t *testing.T) {
	ctx := patient(t)
	fresh(ctx, t)
	createNamespaces(ctx, t, "kube-system", "labelled", "staged", "plain")
	shell(ctx, t, true, "kubectl label --overwrite namespace labelled staged team=batch && kubectl label --overwrite namespace staged stage=test && kubectl label namespace plain team-")
	texts := []string{"", "dedicated=batch op=Equal", "dedicated=batch:NoSchedule", "dedicated=batch:NoExecute op=Equal for 60s", "dedicated op=Exists", "dedicated=gpu", "op=Exists", "other=x"}
	namespaces := []string{"kube-system", "labelled", "staged", "plain"}
	var older []*corev1.Pod
	for _, namespace := range namespaces {
		for i, text := range texts {
			for j, selector := range []map[string]string{nil, {"dedicated": "cpu"}} {
				p := tolerating(fmt.Sprintf("older-%d-%d", i, j), text)
				p.Spec.NodeSelector = selector
				p, err := live.Client.CoreV1().Pods(namespace).Create(ctx, p, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				older = append(older, p)
			}
		}
	}
	file := applyRules(ctx, t, labelRules)
	system := &probe{file: "dedicated", namespace: "kube-system", tolerations: "op=Exists", want: "/"}
	labelled := &probe{file: "dedicated", namespace: "labelled", want: "batch/batch"}
	plain := &probe{file: "dedicated", namespace: "plain", tolerations: "dedicated=gpu", want: isRefused}
	probes := []*probe{system, labelled, plain}
	settle := func() {
		t.Helper()
		mutex, stop := probing(ctx, probes, 100*time.Millisecond)
		defer stop()
		settled(ctx, t, mutex, probes)
	}
	settle()

	ops := []string{"system:serviceaccounts", "system:serviceaccounts:ops"}
	for _, tt := range []struct {
		user                   string
		groups                 []string
		namespace, tolerations string
		refused, added         string // by a clause; to a pod that is accepted
	}{
		{"bob", nil, "labelled", "", "", "dedicated=batch"},
		{"bob", nil, "labelled", "dedicated=batch op=Equal", "", ""},
		{"bob", nil, "labelled", "dedicated=batch:NoSchedule", "", "dedicated=batch"},
		{"bob", nil, "labelled", "dedicated=batch:NoExecute op=Equal for 60s", "", "dedicated=batch"},
		{"bob", nil, "labelled", "dedicated op=Exists", "denies it", ""},
		{"bob", nil, "labelled", "dedicated=gpu", "denies it", ""},
		{"bob", nil, "staged", "", "", ""},
		{"bob", nil, "staged", "dedicated=batch", "denies it", ""},
		{"bob", nil, "plain", "dedicated=batch", "denies it", ""},
		{"ann", nil, "plain", "dedicated=gpu", "", "pilot op=Exists"},
		{"ann", nil, "labelled", "dedicated=gpu", "", "dedicated=batch"},
		{"bob", []string{"pilots"}, "plain", "dedicated=gpu", "", "pilot op=Exists"},
		{"bob", []string{"ann"}, "plain", "dedicated=gpu", "denies it", ""},
		{"pilots", nil, "plain", "dedicated=gpu", "denies it", ""},
		{"system:serviceaccount:ops:runner", ops, "plain", "dedicated=gpu", "", "pilot op=Exists"},
		{"system:serviceaccount:ops:other", ops, "plain", "dedicated=gpu", "denies it", ""},
	} {
		what := fmt.Sprintf("%s %v in %s with %q", tt.user, tt.groups, tt.namespace, tt.tolerations)
		created, err := impersonate(t, new(warnings), tt.user, tt.groups...).CoreV1().Pods(tt.namespace).Create(ctx, tolerating("new", tt.tolerations), dry)
		if tt.refused != "" {
			refused(t, what, err, "spec.tolerations[0]")
			if err != nil && !strings.Contains(err.Error(), "rules[3].policy.pools "+tt.refused) {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		var want toleration.List
		for _, text := range []string{tt.tolerations, tt.added} {
			want = append(want, toleration.MustParseList(text)...)
		}
		stored, err := kube.Pod(created)
		stored = slices.DeleteFunc(stored, func(u toleration.Toleration) bool { return strings.HasPrefix(u.Key(), "node.kubernetes.io/") }) // default seconds
		if err != nil || !slices.Equal(stored, want) {
			t.Errorf("%s: has %v, want %v; %v", what, stored, want, err)
		}
	}

	// Each older pod, created again by somebody, is refused if lint finds something.
	bob, want, count := impersonate(t, new(warnings), "bob").CoreV1(), map[string]bool{}, 0
	for _, old := range older {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "again"}, Spec: old.Spec}
		_, err := bob.Pods(old.Namespace).Create(ctx, p, dry)
		if err != nil {
			count++
			refused(t, old.Namespace+"/"+old.Name, err, "spec.")
		}
		want["Pod "+old.Namespace+"/"+old.Name] = err != nil
	}
	lint := " | kubectl tolerate lint -f - --rules " + file
	out := shell(ctx, t, false, "kubectl get ns,pods -A -o json"+lint+" -o json 2>/dev/null")
	var report struct {
		Findings []struct{ Check, Object string }
	}
	if err := json.NewDecoder(bytes.NewReader([]byte(out))).Decode(&report); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	found := map[string]bool{}
	for _, f := range report.Findings {
		found[f.Object] = found[f.Object] || f.Check == "policy"
	}
	for id, is := range want {
		if found[id] != is {
			t.Errorf("%s: lint finds something: %t, the API server: %t", id, found[id], is)
		}
	}
	t.Logf("%d of %d pods", count, len(want))
	if count < len(want)/5 || count > len(want)*4/5 {
		t.Error("too few for a conclusion")
	}
	if out := shell(ctx, t, false, "kubectl get pods -A -o json"+lint+"; test $? != 2"); !strings.Contains(out, "namespace") {
		t.Error("without the namespaces, lint does not require them")
	}

	// Labels that change later.
	shell(ctx, t, true, "kubectl label namespace plain team=batch && kubectl label namespace labelled team-")
	labelled.want = "/"
	moved := &probe{file: "dedicated", namespace: "plain", want: "batch/batch"}
	probes = append(probes, moved)
	settle()
}
