package edit

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
)

// NewTaintCommand returns the command taint.
func NewTaintCommand(env *cli.Env) *cobra.Command {
	var opts options
	c := &cobra.Command{
		Use:   "taint NODE... KEY=VALUE:EFFECT...",
		Short: "Change taints, after a look at what that does to the pods",
		Long: `Change the taints of nodes, or of the template of an OpenShift MachineSet.

The arguments are those of "kubectl taint". The command lists which running pods are
evicted and when, which stay, and which waiting pods can be scheduled to other nodes than
before, and the difference of each object. It changes nothing without --yes. It rejects the
change of an object that somebody else has changed meanwhile.

Only taints, tolerations, node selectors and required node affinity are evaluated.
Resources and disruption budgets are not.

New machines of a MachineSet get its taints; its nodes keep theirs. If a waiting pod, or
a pod on one of the nodes, cannot be evaluated, nothing is changed unless --force is given.`,
		Example: `  # Show what a NoExecute taint does, then apply it
  kubectl tolerate taint node1 maintenance=today:NoExecute
  kubectl tolerate taint node1 maintenance=today:NoExecute --yes

  # Remove all taints with the key dedicated from the nodes of a pool
  kubectl tolerate taint -l pool=batch dedicated-

  # The template of a MachineSet of OpenShift
  kubectl tolerate taint machineset/batch -n openshift-machine-api spot:NoSchedule

  # In files
  kubectl get nodes,pods -A -o json | kubectl tolerate taint -f - node1 a=b:NoSchedule --yes | kubectl replace -f -`,
		ValidArgsFunction: completeNodes(env),
		RunE: func(c *cobra.Command, args []string) error {
			names, texts, err := targets(args)
			if err != nil {
				return err
			}
			if len(texts) == 0 {
				return errors.New("no taint is given; write key=value:NoSchedule to add one, key- to remove one")
			}
			edits, err := parse(texts...)
			if err != nil {
				return err
			}
			opts.targets = names
			return run(c.Context(), env, &opts, func(o *item) error {
				after, err := o.editTaints(o.Unstructured, edits, opts.overwrite)
				o.steps = []step{after}
				return err
			})
		},
	}
	opts.addFlags(c)
	return c
}

// nodeWords are the words for nodes that kubectl knows.
var nodeWords = []string{"node", "nodes", "no"}

// targets separates the nodes, as node/NAME, and other objects from the edits that follow
// them. It removes the word for nodes that kubectl requires before their names.
func targets(args []string) (targets, edits []string, err error) {
	for i, a := range args {
		word, name, ok := strings.Cut(a, "/")
		switch isNode := slices.Contains(nodeWords, word); {
		case strings.ContainsAny(a, "=:") || strings.HasSuffix(a, "-"):
			edits = append(edits, a)
		case len(edits) > 0:
			return nil, nil, fmt.Errorf("%s: the names of nodes must precede the taints", objects.Printable(a))
		case !ok && (i > 0 || !isNode):
			targets = append(targets, "node/"+a)
		case isNode && ok:
			targets = append(targets, "node/"+name)
		case ok:
			targets = append(targets, a)
		}
	}
	return targets, edits, nil
}

// NewDedicateCommand returns the command dedicate.
func NewDedicateCommand(env *cli.Env) *cobra.Command {
	var opts options
	var workloads []string
	effect := taint.NoSchedule.String()
	c := &cobra.Command{
		Use:   "dedicate NODE... KEY=VALUE",
		Short: "Dedicate nodes to workloads: taint, label, toleration and node affinity",
		Long: `Dedicate nodes to workloads.

The nodes get the taint, which repels all other pods, and a label with the same key and
value. The pods of the workloads get the toleration of the taint, and node affinity that
requires the label: the operator In in each term of the required node affinity. Without
affinity, they could also be scheduled to other nodes. A node selector with the label
replaces the affinity if it is there already.

With --yes, the nodes are labeled first, then the workloads are changed, and the nodes are
tainted last, so that the workloads' new pods can be scheduled at every moment. Old pods
are replaced by the rollout that follows. With the effect NoExecute they are evicted when
the nodes are tainted: use NoSchedule first, and NoExecute after "kubectl rollout status".

Without --yes, nothing is changed. What is there already stays, so that the command can
be repeated. Pods are evaluated with the tolerations that they have now.`,
		Example: `  # What it would do, and patches for the workload
  kubectl tolerate dedicate node1 node2 dedicated=gpu --workload deployment/train -n ml

  # Apply it
  kubectl tolerate dedicate -l pool=gpu dedicated=gpu --workload deployment/train -n ml --yes`,
		ValidArgsFunction: completeNodes(env),
		RunE: func(c *cobra.Command, args []string) error {
			names, pairs, err := targets(args)
			if err != nil {
				return err
			}
			t, add, err := parsePair(pairs, effect)
			if err != nil {
				return err
			}
			for _, name := range names {
				if !strings.HasPrefix(name, "node/") {
					return fmt.Errorf("%s is no node; use --workload for workloads", objects.Printable(name))
				}
			}
			for _, w := range workloads {
				if word, name, _ := strings.Cut(strings.ToLower(w), "/"); name == "" || slices.Contains(nodeWords, word) {
					return fmt.Errorf("--workload %s: must have the form TYPE/NAME, such as deployment/%s", objects.Printable(w), objects.Printable(cmp.Or(name, strings.TrimSuffix(w, "/"))))
				}
			}
			opts.targets = append(names, workloads...)
			d := admission.Dedicate(t)
			var nodes []*corev1.Node // with the labels that they get; they precede the workloads
			return run(c.Context(), env, &opts, func(o *item) error {
				if !o.isNode() {
					return bind(o, d, nodes)
				}
				err := dedicateNode(o, add, d, opts.overwrite)
				nodes = append(nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: o.GetName(), Labels: o.last().GetLabels()}})
				return err
			})
		},
	}
	opts.addFlags(c)
	c.Flags().StringSliceVar(&workloads, "workload", nil, "Workloads, such as deployment/train, whose pods get the toleration and the affinity")
	c.Flags().StringVar(&effect, "effect", effect, "Effect of the taint: NoSchedule, NoExecute or PreferNoSchedule")
	return c
}

// withoutPath removes the function and the path from the errors of one edit.
var withoutPath = strings.NewReplacer("taint.ParseEdits: ", "", "edits[0].", "", "edits[0]: ", "", "edits[0] ", "")

// parse returns the edits. An error has the text of the edit instead of its number.
func parse(texts ...string) ([]taint.Edit, error) {
	for _, text := range texts {
		if _, err := taint.ParseEdits(text); err != nil {
			return nil, fmt.Errorf("%s: %s", objects.Printable(text), withoutPath.Replace(err.Error()))
		}
	}
	return taint.ParseEdits(texts...)
}

// parsePair returns the taint of the only argument KEY=VALUE, and the edit that adds it.
func parsePair(pairs []string, effect string) (t taint.Taint, add []taint.Edit, err error) {
	if len(pairs) != 1 || !strings.Contains(pairs[0], "=") || strings.Contains(pairs[0], ":") {
		return t, nil, fmt.Errorf("%s: write one KEY=VALUE after the nodes, such as dedicated=gpu; use --effect for the effect", objects.Printable(strings.Join(pairs, " ")))
	}
	text := pairs[0] + ":" + effect
	if add, err = parse(text); err == nil {
		t, err = taint.Parse(text)
	}
	return t, add, err
}

// dedicateNode labels the node in the first step and taints it in the last.
func dedicateNode(o *item, add []taint.Edit, d admission.Dedicated, overwrite bool) error {
	labeled := o.DeepCopy()
	labels := labeled.GetLabels()
	if labels == nil {
		labels = make(map[string]string)
	}
	for key, value := range d.Labels {
		old, ok := labels[key]
		if ok && old != value && !overwrite {
			return fmt.Errorf("label %s is already present with value %q; use --overwrite to replace it", key, old)
		}
		if !ok || old != value {
			o.changes = append(o.changes, fmt.Sprintf("label %s=%s", key, value))
		}
		labels[key] = value
	}
	labeled.SetLabels(labels)
	tainted, err := o.editTaints(labeled, add, overwrite)
	o.steps = []step{{labeled, "labeled"}, {labeled, ""}, tainted}
	return err
}

// bind adds the toleration and the affinity to the pod template of a workload in the
// second step. The pods must be able to be scheduled to one of the nodes.
func bind(o *item, d admission.Dedicated, nodes []*corev1.Node) error {
	if owner := metav1.GetControllerOf(o); owner != nil {
		name := strings.ToLower(owner.Kind) + "/" + owner.Name
		return fmt.Errorf("it belongs to %s, which would undo the change; use --workload %[1]s", objects.Printable(name))
	}
	path := []string{"spec", "template", "spec"}
	if o.GetKind() == "CronJob" {
		path = []string{"spec", "jobTemplate", "spec", "template", "spec"}
	}
	bound := o.DeepCopy()
	spec, ok, err := unstructured.NestedMap(bound.Object, path...)
	if err != nil || !ok || o.isMachineSet() || o.GetKind() == "Job" {
		return errors.Join(err, errors.New("it has no pod template that can be changed; name the workload that makes the pods, such as deployment/train"))
	}
	maps.DeleteFunc(spec, func(_ string, value any) bool { return value == nil })
	var typed corev1.PodSpec
	err = errors.Join(tolerate(spec, d.Toleration), require(spec, d))
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &typed)
	}
	required := nodeaffinity.NewRequiredNodeAffinity(typed.NodeSelector, typed.Affinity)
	admits := func(n *corev1.Node) bool {
		ok, err := required.Match(n)
		return ok && err == nil
	}
	if err == nil && !slices.ContainsFunc(nodes, admits) {
		err = fmt.Errorf("the node selector and the required node affinity admit none of the nodes, even with the label %s=%s", d.Key, d.Labels[d.Key])
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	o.steps = []step{{after: o.Unstructured}, {bound, "patched"}}
	return unstructured.SetNestedMap(bound.Object, spec, path...)
}

// tolerate adds the toleration to those of a pod template, unless one covers it. It is the
// first, since the first that matches decides for how long.
func tolerate(spec map[string]any, t toleration.Toleration) error {
	text, path, err := field(spec, "tolerations")
	if err != nil {
		return err
	}
	tolerations, _, err := toleration.Decode(text, toleration.ListOptions{Path: path, Strict: true})
	if err != nil || len(admission.Missing(toleration.List{t}, tolerations)) == 0 {
		return err
	}
	return setList(spec, append(toleration.List{t}, tolerations...), path)
}

// require adds the label to the required node affinity, unless the pods require it
// already. Terms of the affinity are alternatives, so each needs it; one that is empty
// matches no node, and stays empty.
func require(spec map[string]any, d admission.Dedicated) error {
	if _, ok, err := unstructured.NestedString(spec, "nodeSelector", d.Key); err != nil || ok {
		return err
	}
	requirement := map[string]any{"key": d.Key, "operator": "Exists"}
	if len(d.Values) > 0 {
		requirement["operator"], requirement["values"] = "In", []any{d.Values[0]}
	}
	path := []string{"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"}
	terms, _, err := unstructured.NestedSlice(spec, path...)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		terms = []any{map[string]any{"matchExpressions": []any{}}}
	}
	for _, t := range terms {
		term, ok := t.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: must be objects", strings.Join(path, "."))
		}
		all, _, err := unstructured.NestedSlice(term, "matchExpressions")
		if err != nil {
			return err
		}
		if len(term) > 0 && !slices.ContainsFunc(all, func(e any) bool { return reflect.DeepEqual(e, requirement) }) {
			term["matchExpressions"] = append(all, requirement)
		}
	}
	return unstructured.SetNestedSlice(spec, terms, path...)
}

// completeNodes completes the names of nodes.
func completeNodes(env *cli.Env) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return cluster.Complete(c.Context(), env, "nodes")
	}
}
