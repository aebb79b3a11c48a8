package policies

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/validation"

	"github.com/go-tolerate/tolerate/examples/internal/rules"
	"github.com/go-tolerate/tolerate/internal/problem"
	"github.com/go-tolerate/tolerate/match/kube"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// A drawer draws requests about a file from few names, most of them the file's.
type drawer struct {
	*rand.Rand
	keys, values, namespaces, groups []string
	users                            []string
	labelKeys, labelValues           []string // of namespaces
	seconds                          []int64
	labels                           map[string]string
	listed                           toleration.List // of what is added, and of clauses
	long                             int             // one pod of so many has about 200 tolerations
	invalid                          bool            // draw also tolerations that the API server refuses later
}

func newDrawer(seed uint64, c *rules.Config) *drawer {
	d := &drawer{
		Rand: rand.New(rand.NewPCG(1, seed)), keys: []string{"", "", "other"}, values: []string{"", "", "7", "-1", "nobody"},
		namespaces: []string{"shop"}, groups: []string{"system:authenticated"}, seconds: []int64{math.MinInt64, -1, 0, 1, 299, 300, 301, math.MaxInt64}, labels: map[string]string{}, long: 500,
		users: users, labelKeys: []string{"team"}, labelValues: []string{"", "other"},
		listed: slices.Concat(rules.Defaults, admission.Daemon(admission.DaemonOptions{HostNetwork: true}, nil)),
	}
	for _, r := range c.Rules {
		d.namespaces, d.groups, d.listed = append(d.namespaces, r.Namespaces...), append(d.groups, r.Groups...), append(d.listed, r.Tolerations...)
		d.users = append(d.users[:len(d.users):len(d.users)], r.Users...)
		for _, q := range r.Selector {
			d.labelKeys, d.labelValues = append(d.labelKeys, q.Key), append(d.labelValues, q.Values...)
		}
		maps.Copy(d.labels, r.NodeSelector)
		if r.Policy == nil {
			continue
		}
		spec := r.Policy.Spec()
		for _, clause := range slices.Concat(spec.Allow, spec.Deny) {
			for _, u := range slices.Concat(clause.Taints, clause.Except) {
				d.keys, d.values, d.listed = append(d.keys, u.Key()), append(d.values, u.Value()), append(d.listed, u)
			}
			if n := clause.MaxSeconds; n != nil {
				d.seconds = append(d.seconds, *n-1, *n, *n+1)
			}
		}
	}
	return d
}

func pick[E any](d *drawer, all ...E) E { return all[d.IntN(len(all))] }

func (d *drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

// toleration draws one.
func (d *drawer) toleration() corev1.Toleration {
	for {
		u := corev1.Toleration{Key: pick(d, d.keys...), Value: pick(d, d.values...), Effect: pick[corev1.TaintEffect](d, "", "NoSchedule", "PreferNoSchedule", "NoExecute", "NoExecute"),
			Operator: pick[corev1.TolerationOperator](d, "", "", "Equal", "Exists", "Exists", "Exists", "Lt", "Gt")}
		if d.oneIn(4) {
			u = kube.CoreTolerations(toleration.List{pick(d, d.listed...)})[0]
		}
		if u.Operator == "Exists" {
			u.Value = ""
		}
		if seconds := pick(d, d.seconds...); (u.Effect == "NoExecute" || d.invalid) && d.oneIn(2) {
			u.TolerationSeconds = &seconds
		}
		if d.invalid || valid(u) {
			return u
		}
	}
}

func valid(u corev1.Toleration) bool {
	internal := core.Toleration{Key: u.Key, Value: u.Value, Effect: core.TaintEffect(u.Effect), Operator: core.TolerationOperator(u.Operator), TolerationSeconds: u.TolerationSeconds}
	return len(validation.ValidateTolerations([]core.Toleration{internal}, nil, validation.PodValidationOptions{AllowTaintTolerationComparisonOperators: true})) == 0
}

func (d *drawer) tolerations(n int) (list []corev1.Toleration) {
	for range n {
		list = append(list, d.toleration())
	}
	return list
}

// spec draws the spec of a pod.
func (d *drawer) spec() fields {
	spec := fields{"containers": []fields{{"name": "c", "image": "example.com/none"}}, "tolerations": d.tolerations(d.IntN(5))}
	if d.oneIn(d.long) {
		spec["tolerations"] = d.tolerations(197 + d.IntN(8))
	} else if d.oneIn(d.long) {
		spec["tolerations"] = longest(pick(d, 12, 197+d.IntN(8)))
	}
	if d.oneIn(2) {
		spec["nodeName"] = pick(d, "n", "n", "m")
	}
	if d.oneIn(3) {
		spec["hostNetwork"] = d.oneIn(2)
	}
	selector := map[string]string{"other": ""}
	for _, label := range slices.Sorted(maps.Keys(d.labels)) {
		if !d.oneIn(4) {
			selector[label] = pick(d, d.labels[label], d.labels[label], d.labels[label], d.labels[label], "nobody", "")
		}
	}
	if d.oneIn(2) {
		delete(selector, "other")
	}
	if !d.oneIn(4) {
		spec["nodeSelector"] = selector
	}
	return spec
}

// A request is one for the policies, and what rules judges.
type request struct {
	call
	pod, old *corev1.Pod
	object   fields
}

func (r request) String() string {
	return string(problem.Must(json.Marshal([]any{r.Namespace, r.Labels, r.User, r.Groups, r.object, r.old})))
}

// users create pods: the first are of the control plane, and kubelets.
var users = []string{"system:serviceaccount:kube-system:daemon-set-controller", "system:kube-controller-manager", "system:node:n", "ann", "system:serviceaccount:shop:daemon-set-controller"}

// longest returns tolerations with the longest fields, which differ.
func longest(n int) (list []corev1.Toleration) {
	domain, name := strings.Repeat(strings.Repeat("d", 62)+".", 4)+"d", strings.Repeat("n", 59)
	for i := range n {
		list = append(list, corev1.Toleration{Key: fmt.Sprintf("%s/%s%04d", domain, name, i), Operator: "Equal", Value: strings.Repeat("v", 63), Effect: "PreferNoSchedule"})
	}
	return list
}

// request draws a creation or an update of a pod.
func (d *drawer) request() request {
	metadata := fields{"name": "p"}
	if d.oneIn(2) {
		metadata["annotations"] = fields{pick(d, mirror, mirror, "kubernetes.io/config.hash"): "x"}
	}
	metadata["namespace"] = pick(d, d.namespaces...)
	object := fields{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": d.spec()}
	r := request{call: call{Namespace: metadata["namespace"].(string), User: pick(d, d.users...)}}
	r.Labels = map[string]string{}
	for range d.IntN(4) {
		r.Labels[pick(d, d.labelKeys...)] = pick(d, d.labelValues...)
	}
	r.Labels[corev1.LabelMetadataName] = r.Namespace
	for _, g := range append(d.groups, "system:nodes") {
		if d.oneIn(3) {
			r.Groups = append(r.Groups, g)
		}
	}
	if d.oneIn(2) {
		if d.oneIn(5) {
			metadata["deletionTimestamp"] = "2026-01-02T15:04:05Z"
		}
		r.Old = problem.Must(decoded(object))
		r.old = podOf(r.Old)
		list := slices.Clone(r.old.Spec.Tolerations)
		for range d.IntN(3) {
			u := d.toleration()
			if i := d.IntN(len(list) + 1); i == len(list) || d.oneIn(2) {
				list = slices.Insert(list, i, u)
			} else if d.oneIn(2) {
				list = slices.Delete(list, i, i+1)
			} else if n := list[i].TolerationSeconds; n != nil {
				more := *n + pick[int64](d, -1, 1)
				list[i].TolerationSeconds = &more
			} else if u.Key, u.Value = list[i].Key, list[i].Value; valid(u) {
				list[i] = u
			}
		}
		if len(list) > 1 && d.oneIn(5) {
			slices.Reverse(list)
		} else if len(list) > 150 && d.oneIn(2) {
			list = list[:150]
		}
		object["spec"].(fields)["tolerations"] = list
	}
	r.Kind, r.object, r.Object = schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, object, problem.Must(decoded(object))
	r.pod = podOf(r.Object)
	return r
}

const mirror = "kubernetes.io/config.mirror" // an annotation

// judged returns what rules judges after the pod was completed.
func (r request) judged(completed *corev1.Pod) rules.Pod {
	p := rules.Pod{
		Tolerations: tolerationsOf(completed), NodeSelector: completed.Spec.NodeSelector, NodeName: completed.Spec.NodeName, HostNetwork: completed.Spec.HostNetwork,
		Update: r.old != nil, Deleted: r.old != nil && r.old.DeletionTimestamp != nil, Daemon: slices.Contains(users[:2], r.User),
	}
	_, annotated := completed.Annotations[mirror]
	p.Mirror = annotated && slices.Contains(r.Groups, "system:nodes") && p.NodeName != "" && r.User == "system:node:"+p.NodeName
	if r.old != nil {
		p.Old = tolerationsOf(r.old)
	}
	return p
}

func tolerationsOf(p *corev1.Pod) toleration.List { return problem.Must(kube.Pod(p)) }

// file draws a file of rules, in which clauses are about few keys, and often cover
// each other.
func (d *drawer) file() string {
	some := func(names ...string) (all []string) {
		for _, n := range names {
			if d.oneIn(2) {
				all = append(all, n)
			}
		}
		return append(all, names[0])
	}
	draw := func(any bool) fields {
		u := fields{"key": pick(d, "a", "a", "b", ""), "operator": "Exists"}
		if u["key"] != "" && !d.oneIn(3) {
			u["operator"], u["value"] = "Equal", pick(d, "", "x", "7")
		}
		if effect := pick(d, "", "NoSchedule", "PreferNoSchedule", "NoExecute"); effect != "" && any {
			u["effect"] = effect
		} else if !any {
			u["effect"] = "NoExecute"
		}
		return u
	}
	names := 0
	clauses := func(most int) (all []fields) {
		for range d.IntN(most) + 1 {
			c, timed := fields{"taints": []fields{draw(true)}}, d.oneIn(3)
			if timed {
				c["maxSeconds"] = pick(d, 0, 1, 300, 3600)
			}
			c["taints"] = []fields{draw(!timed), draw(!timed)}[d.IntN(2):]
			if d.oneIn(3) {
				c["except"] = []fields{draw(true)}
			}
			if names++; d.oneIn(2) {
				c["name"] = "c" + strconv.Itoa(names)
			}
			if d.oneIn(2) {
				c["message"] = "ask " + strconv.Itoa(names)
			}
			all = append(all, c)
		}
		return all
	}
	var all []fields
	for n := d.IntN(4); len(all) <= n; {
		r := fields{}
		if last := len(all) == n; !last && d.oneIn(3) {
			r["namespaceSelector"] = d.selector()
		} else if !last && !d.oneIn(3) {
			r["namespaces"] = some("ml", "data")
		}
		if len(all) < n && d.oneIn(2) {
			r["groups"] = some("users", "admins")
		}
		if len(all) < n && d.oneIn(3) {
			r["users"] = some("ann", "system:serviceaccount:shop:daemon-set-controller")
		}
		if d.oneIn(4) {
			r["name"] = "r" + strconv.Itoa(len(all))
		}
		if len(all) == n || d.oneIn(2) {
			r["policy"] = fields{"allow": clauses(4), "deny": clauses(2)[d.IntN(2):]}
		}
		if d.oneIn(2) {
			var list []fields
			for range d.IntN(4) {
				u := draw(true)
				if d.oneIn(4) {
					u["key"], u["operator"] = "node.kubernetes.io/"+pick(d, "unreachable", "disk-pressure", "network-unavailable"), "Exists"
					delete(u, "value")
				}
				if u["effect"] == "NoExecute" && d.oneIn(2) {
					u["tolerationSeconds"] = pick(d, -1, 0, 60, 600)
				}
				list = append(list, u)
			}
			r["tolerations"] = append([]fields{}, list...)
		}
		if d.oneIn(2) {
			r["nodeSelector"] = fields{pick(d, "pool", "example.com/disk"): pick(d, "a", "b")}
		}
		if d.oneIn(3) {
			r["denyNodeName"] = d.oneIn(2)
		}
		if d.oneIn(3) {
			r["warn"] = d.oneIn(2)
		}
		all = append(all, r)
	}
	if d.oneIn(10) { // no rule is for all users, and so none for templates
		for _, r := range all {
			if delete(r, "policy"); r["users"] == nil && r["groups"] == nil {
				r["users"] = some("ann")
			}
		}
	}
	return string(problem.Must(json.Marshal(fields{"rules": all})))
}

// selector draws a selector of namespaces.
func (d *drawer) selector() fields {
	s := fields{}
	if d.oneIn(2) {
		s["matchLabels"] = fields{pick(d, "team", "example.com/tier"): pick(d, "", "a", "b")}
	}
	var all []fields
	for range d.IntN(3) {
		e := fields{"key": pick(d, "team", "example.com/tier", corev1.LabelMetadataName), "operator": pick(d, "In", "NotIn", "Exists", "DoesNotExist")}
		if strings.HasSuffix(e["operator"].(string), "In") {
			e["values"] = []string{pick(d, "a", "b", "ml"), pick(d, "", "c", "data")}[d.IntN(2):]
		} else if d.oneIn(2) {
			e["values"] = []string{}
		}
		all = append(all, e)
	}
	if all != nil {
		s["matchExpressions"] = all
	}
	return s
}
