package policies

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/go-tolerate/tolerate/examples/internal/enforce"
	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/problem"
)

// teams returns a file of rules with as many teams, each with nodes of its own; by is how a rule
// selects its namespaces.
func teams(n int, by string) string {
	all := []fields{{"namespaces": []string{"kube-system"}, "policy": fields{"allow": []fields{{"taints": []fields{{"operator": "Exists"}}}}}}}
	for i := range n {
		name := fmt.Sprint("team-", i)
		toleration, rule := fields{"key": "dedicated", "value": name}, fields{"namespaces": []string{name}}
		if by == "label" {
			rule = fields{"namespaceSelector": fields{"matchLabels": fields{"team": name}}}
		}
		rule["tolerations"], rule["nodeSelector"] = []fields{toleration}, fields{"dedicated": name}
		rule["policy"] = fields{"allow": []fields{
			{"taints": []fields{{"operator": "Exists"}}, "except": []fields{{"key": "dedicated", "operator": "Exists"}}}, {"taints": []fields{toleration}}}}
		all = append(all, rule)
	}
	all = append(all, fields{"policy": fields{"allow": []fields{{"taints": []fields{{"operator": "Exists"}}}}, "deny": []fields{{"taints": []fields{{"key": "dedicated", "operator": "Exists"}}}}}})
	return string(problem.Must(json.Marshal(fields{"rules": all})))
}

// compiled returns the objects of a file.
func compiled(tb testing.TB, text string) (list []fields) {
	objects, err := enforce.Compile(problem.Must(rules.Decode([]byte(text))), completing)
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(problem.Must(json.Marshal(objects.List)), &list); err != nil {
		tb.Fatal(err)
	}
	return list
}

// The time of a pod's admission, without the API server around it, for a pod of the last team and
// for one of no team.
func BenchmarkAdmission(b *testing.B) {
	for _, by := range []string{"name", "label"} {
		for _, n := range []int{1, 100} {
			s, err := newServer(compiled(b, teams(n, by)), 36, environment.StoredExpressions)
			if err != nil {
				b.Fatal(err)
			}
			for _, pod := range []string{"inside", "outside"} {
				b.Run(fmt.Sprintf("by=%s/teams=%d/pod=%s/impl=policies", by, n, pod), func(b *testing.B) {
					namespace := "shop"
					if pod == "inside" {
						namespace = fmt.Sprint("team-", n-1)
					}
					seconds := int64(300)
					c := call{Namespace: namespace, User: "system:serviceaccount:kube-system:replicaset-controller", Groups: []string{"system:serviceaccounts", "system:authenticated"},
						Labels: map[string]string{"kubernetes.io/metadata.name": namespace, "team": namespace}, Kind: schema.GroupVersionKind{Version: "v1", Kind: "Pod"},
						Object: problem.Must(decoded(fields{"apiVersion": "v1", "kind": "Pod", "metadata": fields{"name": "p"}, "spec": fields{"containers": []fields{{"name": "c", "image": "example.com/none"}}, "tolerations": []corev1.Toleration{
							{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}, {Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}}}}))}
					b.ReportAllocs()
					for b.Loop() {
						if err := s.admit(b.Context(), c).err; err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// The time in which an API server compiles the policies when it starts.
func BenchmarkCompile(b *testing.B) {
	for _, n := range []int{1, 100} {
		list := compiled(b, teams(n, "name"))
		b.Run(fmt.Sprintf("teams=%d/impl=policies", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := newServer(list, 36, environment.StoredExpressions); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
