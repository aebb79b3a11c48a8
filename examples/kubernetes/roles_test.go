package kubernetes_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

// roleObjects are what the commands of TestRoles read beside nodes: a pod that waits for
// claims, and events of workloads whose pods were refused.
const roleObjects = `
{apiVersion: v1, kind: Namespace, metadata: {name: empty}}
---
{apiVersion: v1, kind: Pod, metadata: {name: waits}, spec: {schedulerName: nobody, containers: [{name: c, image: example.com/none}], volumes: [{name: v, persistentVolumeClaim: {claimName: data}}],
  resourceClaims: [{name: d, resourceClaimTemplateName: devices}]}}
---
{apiVersion: v1, kind: Event, metadata: {name: a}, reason: FailedCreate, involvedObject: {namespace: default, name: w-0, kind: ReplicationController}}
---
{apiVersion: v1, kind: Event, metadata: {name: b}, reason: FailedCreate, involvedObject: {namespace: default, name: w-0, kind: ReplicaSet}}
---
{apiVersion: v1, kind: Event, metadata: {name: c}, reason: FailedCreate, involvedObject: {namespace: default, name: w-0, kind: StatefulSet}}
---
{apiVersion: v1, kind: Event, metadata: {name: d}, reason: FailedCreate, involvedObject: {namespace: default, name: w-0, kind: DaemonSet}}
---
{apiVersion: v1, kind: Event, metadata: {name: e}, reason: FailedCreate, involvedObject: {namespace: default, name: w-0, kind: Job}}
---
`

// roleWorkloads are workloads of each kind, which make no pods.
const roleWorkloads = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: w-%d}, spec: {selector: {matchLabels: {app: w}}, TEMPLATE}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: w-%d}, spec: {selector: {matchLabels: {app: w}}, TEMPLATE}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: w-%d}, spec: {selector: {matchLabels: {app: w}}, TEMPLATE}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: w-%d}, spec: {selector: {matchLabels: {app: w}}, TEMPLATE}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: w-%d}, spec: {schedule: "@yearly", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: example.com/none}]}}}}}}
---
{apiVersion: machine.openshift.io/v1beta1, kind: MachineSet, metadata: {name: w-%d}, spec: {template: {spec: {}}}}
---
`

// roleCommands are the commands that need a role, with %d for the number of their objects.
var roleCommands = map[string][]string{
	"tolerate-nodes":    {"nodes"},
	"tolerate-why":      {"why", "why -n empty"},
	"tolerate-taint":    {"taint n-%d machineset.machine.openshift.io/w-%d -n default x:NoExecute"},
	"tolerate-dedicate": {"dedicate n-%d x=%d --workload deployment/w-%d,statefulset/w-%d,replicaset/w-%d,daemonset/w-%d,cronjob/w-%d"},
}

// silent are the parts of rules without which nothing is forbidden: the names of ReplicaSets say
// whose they are, too, and that a namespace does not exist is only not said.
var silent = []string{"tolerate-dedicate, replicasets without list", "tolerate-why, namespaces,replicationcontrollers without namespaces"}

// less returns the rules without one resource, group or verb of a rule, by what is omitted.
func less(rules []rbacv1.PolicyRule) map[string][]rbacv1.PolicyRule {
	all := make(map[string][]rbacv1.PolicyRule)
	for i, rule := range rules {
		for _, list := range []*[]string{&rule.Resources, &rule.APIGroups, &rule.Verbs} {
			whole := *list
			for j, omitted := range whole {
				rest := slices.Delete(slices.Clone(rules), i, i+1)
				if *list = slices.Delete(slices.Clone(whole), j, j+1); len(whole) > 1 {
					rest = append(rest, *rule.DeepCopy())
				}
				all[strings.Join(rules[i].Resources, ",")+" without "+omitted] = rest
			}
			*list = whole
		}
	}
	return all
}

// With the role of a command, nothing is forbidden, and a preview writes nothing. Without a
// part of the role, something is forbidden.
func TestRoles(t *testing.T) {
	ctx := prepare(t)
	file, err := os.Open("../kubectl-tolerate/roles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var trials []*roleTrial
	roles := 0
	for decoder := utilyaml.NewYAMLOrJSONDecoder(file, 1000); ; {
		var role rbacv1.ClusterRole
		if err := decoder.Decode(&role); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		add := func(omitted string, rules []rbacv1.PolicyRule) {
			x := &roleTrial{user: fmt.Sprint("user-", len(trials)), role: role.Name, omitted: omitted, rules: rules}
			for _, command := range roleCommands[role.Name] {
				x.commands = append(x.commands, strings.Fields(strings.ReplaceAll(command, "%d", fmt.Sprint(len(trials)))))
			}
			trials = append(trials, x)
		}
		add("", role.Rules)
		for omitted, rules := range less(role.Rules) {
			add(omitted, rules)
		}
		if roles++; roleCommands[role.Name] == nil {
			t.Fatalf("%s has no command here", role.Name)
		}
	}
	if roles != len(roleCommands) {
		t.Fatalf("%d roles", roles)
	}
	for _, kind := range []string{"karpenter.sh v1 NodePool ", "machine.openshift.io v1beta1 MachineSet default", "machine.openshift.io v1beta1 Machine default", "cluster.x-k8s.io v1beta1 MachineSet default", "cluster.x-k8s.io v1beta1 MachineDeployment default", "cluster.x-k8s.io v1beta1 Machine default"} {
		words := strings.Split(kind, " ")
		serve(ctx, t, words[0], words[1], words[2], words[3])
	}
	objects := roleObjects
	for i, x := range trials {
		if !x.changes() {
			continue
		}
		labelled(ctx, t, fmt.Sprint("n-", i), "", nil)
		objects += strings.NewReplacer("%d", fmt.Sprint(i), "TEMPLATE", "template: {metadata: {labels: {app: w}}, spec: {containers: [{name: c, image: example.com/none}]}}").Replace(roleWorkloads)
	}
	create(ctx, t, objects)
	rbac := live.Client.RbacV1()
	mine := metav1.ObjectMeta{Labels: map[string]string{"test": "roles"}}
	defer func() {
		ctx, selected := context.WithoutCancel(ctx), metav1.ListOptions{LabelSelector: "test=roles"}
		if err := errors.Join(rbac.ClusterRoleBindings().DeleteCollection(ctx, metav1.DeleteOptions{}, selected), rbac.ClusterRoles().DeleteCollection(ctx, metav1.DeleteOptions{}, selected)); err != nil {
			t.Error(err)
		}
	}()
	discovery := rbacv1.PolicyRule{NonResourceURLs: []string{"/api", "/api/*", "/apis", "/apis/*"}, Verbs: []string{"get"}} // as every user has
	for _, x := range trials {
		mine.Name = x.user
		_, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: mine, Rules: append(x.rules, discovery)}, metav1.CreateOptions{})
		_, err2 := rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: mine, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: x.user},
			Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: x.user}}}, metav1.CreateOptions{})
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
	}
	permit(ctx, t, "pods", "list") // when the API server knows this, it knows the others

	kubeconfig := proxy(t, func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet && (r.Method != http.MethodPatch || r.URL.Query().Get("dryRun") != "All") {
			t.Errorf("a preview requests %s %s", r.Method, r.URL)
		}
		return false
	})
	parallel(len(trials), func(i int) {
		x := trials[i]
		for _, args := range x.commands {
			if x.omitted == "" {
				x.run(ctx, t, append(args, "--kubeconfig", kubeconfig)...)
			}
			if report := filepath.Join(t.TempDir(), x.user+".json"); x.changes() && x.omitted == "" {
				x.run(ctx, t, append(args, "--yes", "--report", report)...)
				x.run(ctx, t, "undo", report, "--kubeconfig", kubeconfig)
				x.run(ctx, t, "undo", report, "--yes")
			} else if x.changes() {
				x.run(ctx, t, append(args, "--yes")...)
			} else {
				x.run(ctx, t, args...)
			}
		}
	})
	var needless []string
	for _, x := range trials {
		switch {
		case x.omitted == "" && x.trouble != "":
			t.Errorf("%s: %s", x.role, x.trouble)
		case x.omitted != "" && x.trouble == "":
			needless = append(needless, x.role+", "+x.omitted)
		}
	}
	if slices.Sort(needless); !slices.Equal(needless, silent) {
		t.Errorf("without these, nothing is forbidden:\n%s", strings.Join(needless, "\n"))
	}
}

// A roleTrial is a user with a role, or the rest of one, and the trouble that it makes.
type roleTrial struct {
	user, role, omitted, trouble string
	commands                     [][]string
	rules                        []rbacv1.PolicyRule
}

func (x *roleTrial) changes() bool {
	return x.role == "tolerate-taint" || x.role == "tolerate-dedicate"
}

// run runs the tool as the user.
func (x *roleTrial) run(ctx context.Context, t *testing.T, args ...string) {
	c := toolCommand(ctx, t, append(slices.Clone(args), "--as", x.user, "--as-group", "system:unauthenticated")...)
	var errOut bytes.Buffer
	c.Stderr = &errOut
	if err := c.Run(); err != nil || strings.Contains(errOut.String(), "forbidden") || strings.Contains(errOut.String(), "warning:") {
		x.trouble += fmt.Sprintf("%q: %v: %s", args, err, &errOut)
	}
}
