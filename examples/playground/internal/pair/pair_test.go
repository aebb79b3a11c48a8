package pair_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8syaml "sigs.k8s.io/yaml"

	"github.com/go-tolerate/tolerate/examples/internal/hostile"
	"github.com/go-tolerate/tolerate/examples/playground/internal/pair"
	"github.com/go-tolerate/tolerate/match"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
)

// How people write a node and a pod. The answer is the state, and then the line of each mistake
// or the taints of the rows.
func TestJudge_forms(t *testing.T) {
	for _, tt := range []struct{ name, taints, tolerations, want string }{
		{"nothing", "", "", "yes"},
		{"text", "a=1:NoSchedule", "a=1", "yes a=1:NoSchedule"},
		{"commas", "a=1:NoSchedule,b:NoExecute c:NoSchedule", "a=1, b op=Exists,\nc", "yes a=1:NoSchedule b:NoExecute c:NoSchedule"},
		{"describe", "Name: n\nTaints:   a:NoSchedule\n          b:NoSchedule\nUnschedulable: false\nLease:\n  x:NoSchedule",
			"Name: p\nTolerations:   a op=Exists\n               b op=Exists\nEvents: <none>", "yes a:NoSchedule b:NoSchedule"},
		{"describe none", "Taints:             <none>\nUnschedulable:      true", "Tolerations:  <none>", "no node.kubernetes.io/unschedulable:NoSchedule (the cordon)"},
		{"describe, a mistake", "Name: n\nTaints:   a:NoSchedule\n          b:noSchedule", "", "wrong taints 3"},
		{"node", "apiVersion: v1\nkind: Node\nspec:\n  taints:\n  - key: a\n    effect: NoSchedule", "kind: Pod\nspec:\n  containers: []", "no a:NoSchedule"},
		{"list", "- key: a\n  effect: NoSchedule", "- key: a\n  operator: Exists", "yes a:NoSchedule"},
		{"JSON", `{"kind":"Node","spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`, `[{"key":"a"}]`, "yes a:NoSchedule"},
		{"JSON with tabs", "{\n\t\"spec\": {\n\t\t\"taints\": [{\"key\": \"a\", \"effect\": \"No\"}]}}", "", "wrong taints 3"},
		{"deployment", "a:NoSchedule", "spec:\n  template:\n    spec:\n      tolerations:\n      - {key: a}", "yes a:NoSchedule"},
		{"cron job", "a:NoSchedule", "spec: {jobTemplate: {spec: {template: {spec: {tolerations: [{key: a}]}}}}}", "yes a:NoSchedule"},
		{"fields alone", "taints:\n- key: a\n  effect: NoSchedule", "tolerations:\n- key: a", "yes a:NoSchedule"},
		{"an alias", "x: &x [{key: a, effect: NoSchedule}]\ntaints: *x", "", "no a:NoSchedule"},
		{"an alias, a mistake", "x: &x\n- key: a\n  effect: No\ntaints: *x", "", "wrong taints 3"},
		{"a marker", "---\n- key: a\n  effect: NoSchedule\n", "# none", "no a:NoSchedule"},
		{"two documents", "a: 1\n---\ntaints: []", "", "wrong taints 1"},
		{"a value as a field", "", "- key: effect\n  value: effect\n  effect: Nope\n", "wrong tolerations 3"},
		{"a repeated field", "", "- key: a\n  key: b\n", "wrong tolerations 2"},
		{"another case", "", "- key: a\n  Effect: NoSchedule\n", "wrong tolerations 1"},
		{"a boolean of YAML 1.1", "", "- key: a\n  value: yes\n", "wrong tolerations 2"},
		{"one taint", "key: a\neffect: NoSchedule", "", "wrong taints 1"},
		{"not closed", "[\n{key: a,\n", "", "wrong taints 2"},
		{"a repeated taint", "a:NoSchedule\na=1:NoSchedule", "", "wrong taints 2"},
		{"a command", "kubectl taint nodes n a:NoSchedule", "", "wrong taints 1 taints 1 taints 1 taints 1"},
		{"Gt without the gate", "", "a op=Exists\na=1 op=Gt", "wrong tolerations 2"},
		{"seconds above all", "a:NoExecute", "a:NoExecute for 9223372036854775807s", "yes a:NoExecute"},
		{"not UTF-8", "\xff:NoSchedule", "- \xff", "wrong taints 1 tolerations 1"},
	} {
		a := pair.Judge(pair.Question{Taints: tt.taints, Tolerations: tt.tolerations})
		got := a.State
		for _, m := range a.Mistakes {
			got += fmt.Sprint(" ", m.Field, " ", m.Line)
		}
		for _, r := range a.Rows {
			got += " " + r.Taint
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q: %+v", tt.name, got, tt.want, a)
		}
	}
}

// When a pod is evicted, and what Kubernetes adds to it.
func TestJudge_running(t *testing.T) {
	for _, tt := range []struct{ taints, tolerations, want string }{
		{"a:NoExecute", "a:NoExecute for 60s", "it is evicted 60 s after a:NoExecute was added."},
		{"- key: a\n  effect: NoExecute\n  timeAdded: 2020-01-01T00:00:00Z", "a:NoExecute for 60s", "it is evicted 60 s after a:NoExecute was added."},
		{"a:NoExecute", "a:NoExecute for 0s", "it is evicted now, because of a:NoExecute."},
		{"a:NoExecute", "a:NoExecute for 99999999999s", "it is evicted 99999999999 s after a:NoExecute was added."},
		{"a:NoExecute", "a:NoExecute", "it stays."},
		{"node.kubernetes.io/not-ready:NoExecute", "", "it is evicted 300 s after node.kubernetes.io/not-ready:NoExecute was added."},
	} {
		a := pair.Judge(pair.Question{Taints: tt.taints, Tolerations: tt.tolerations})
		if want := "If the pod runs there already, " + tt.want; a.Running != want {
			t.Errorf("%s, %s: %q, want %q", tt.taints, tt.tolerations, a.Running, want)
		}
	}
}

// What is added is valid YAML, and enough where the page does not say otherwise.
func TestJudge_addition(t *testing.T) {
	for _, taints := range []string{"a=true:NoSchedule", "a=016:NoExecute", "1e3=null:NoSchedule,a:NoSchedule", "yes=no:PreferNoSchedule", "a=2001-01-01:NoSchedule"} {
		a := pair.Judge(pair.Question{Taints: taints})
		var pod struct{ Tolerations toleration.List }
		if err := k8syaml.UnmarshalStrict([]byte(a.Add), &pod); err != nil {
			t.Fatal(err)
		}
		if !(match.Node{Taints: taint.MustParseList(taints)}).Filter(pod.Tolerations).Preferred() {
			t.Errorf("%s: %s is not enough", taints, a.Add)
		}
		after := pair.Judge(pair.Question{Taints: taints, Tolerations: a.Add})
		if after.State != "yes" {
			t.Errorf("%s: with %s, the answer is %s", taints, a.Add, after.Title)
		}
	}
	a := pair.Judge(pair.Question{Taints: "a:NoSchedule,node.kubernetes.io/disk-pressure:NoSchedule"})
	if diff := cmp.Diff("This is not enough, see the table. Add to the YAML of the pod, in its field spec:", a.AddTitle); diff != "" {
		t.Errorf("AddTitle mismatch (-want +got):\n%s", diff)
	}
}

// No text makes a panic, or an answer that could steer a terminal.
func TestHostile_texts(t *testing.T) {
	for _, text := range append(hostile.Variants(t, `{"kind":"Node","spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}],"tolerations":[{"key":"a","operator":"Exists"}]}}`),
		hostile.Mark, "- "+hostile.Mark, "Taints: "+hostile.Mark, strings.Repeat("- ", 9000), "a: *b", "? [", "!!binary x: 1", "<<: [1]") {
		a := pair.Judge(pair.Question{Taints: text, Tolerations: text})
		var shown []string
		for _, m := range append(a.Mistakes, a.Probable...) {
			shown = append(shown, m.Text)
		}
		for _, r := range a.Rows {
			shown = append(shown, r.Taint, r.Because, r.Follows)
		}
		hostile.Check(t, fmt.Sprintf("%.40q", text), strings.Join(append(shown, a.Title, a.Add), "; "))
	}
}

// As many taints and tolerations as a text can have.
func TestHostile_many(t *testing.T) {
	var taints, tolerations strings.Builder
	for i := range 3800 {
		fmt.Fprintf(&taints, "k%04d:NoSchedule\n", i)
	}
	tolerations.WriteString(strings.Repeat("b op=Exists\n", 5400))
	a := pair.Judge(pair.Question{Taints: taints.String(), Tolerations: tolerations.String()})
	if len(a.Rows) != 3800 || len(a.Mistakes) > 0 {
		t.Errorf("%d rows, the mistakes %v", len(a.Rows), a.Mistakes)
	}
}
