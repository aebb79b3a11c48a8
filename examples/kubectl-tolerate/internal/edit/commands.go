package edit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
	"github.com/go-tolerate/tolerate/toleration"
	"github.com/go-tolerate/tolerate/toleration/admission"
	"github.com/go-tolerate/tolerate/toleration/cover"
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
before, by taints, tolerations, node selectors and required node affinity, also of volumes;
first the pods that no node is left for, and what evicted pods request more of in sum than
nodes have free. The nodes of a MachineSet are evaluated as if their machines were replaced.
New NoExecute taints of nodes get the time added. A warning says which changes a controller
undoes, and which new nodes of a pool lack.

It changes nothing without --yes: it asks the API server whether it would accept the change
of the first object of each kind. A node whose labels or specification somebody else has
changed meanwhile is left as it is; the others are changed. After an interrupt, and after
three timeouts of the API server (--request-timeout), it reports what is changed. What is as
requested stays, so that the command can be repeated. With --report, "kubectl tolerate undo"
can restore what was changed.`,
		Example: `  # Show what a NoExecute taint does, then apply it
  kubectl tolerate taint node1 maintenance=today:NoExecute
  kubectl tolerate taint node1 maintenance=today:NoExecute --yes

  # Apply it, and restore what was there
  kubectl tolerate taint node1 maintenance=today:NoExecute --yes --report report.json
  kubectl tolerate undo report.json --yes

  # Remove all taints with the key dedicated from the nodes of a pool
  kubectl tolerate taint -l pool=batch dedicated-

  # New machines of a MachineSet get its taints; its nodes keep theirs
  kubectl tolerate taint machineset/batch -n openshift-machine-api spot:NoSchedule

  # In files
  kubectl get nodes,pods -A -o json | kubectl tolerate taint -f - node1 a=b:NoSchedule --yes | kubectl replace -f -`,
		ValidArgsFunction: complete(env),
		RunE: func(c *cobra.Command, args []string) error {
			names, texts, err := targets(args)
			if err != nil {
				return err
			}
			if len(texts) == 0 {
				return errors.New("no taint is given; write key=value:NoSchedule to add one, key- to remove one")
			}
			for _, text := range texts {
				if _, err := taint.ParseEdit(text); err != nil {
					return argument(err)
				}
			}
			if opts.edits, err = taint.ParseEdits(texts...); err != nil {
				return argument(err)
			}
			opts.targets = names
			return run(c.Context(), env, &opts, func(o *item) error { return o.editTaints(0, &opts) })
		},
	}
	opts.addFlags(c)
	return c
}

// complete returns the shell completion of the names of nodes and, after some, of their
// taints, to change or remove.
func complete(env *cli.Env) cobra.CompletionFunc {
	names := cluster.Complete(env, "nodes")
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		all, directive := names(c, args, begun)
		nodes, edits, err := targets(args)
		client, err2 := env.Client()
		if err != nil || err2 != nil || len(nodes) == 0 {
			return all, directive
		}
		if len(edits) > 0 { // names precede them
			all = nil
		}
		for _, name := range nodes {
			var n corev1.Node
			text, err := client.Get().AbsPath("/api/v1/nodes", strings.TrimPrefix(name, "node/")).SetHeader("Accept", "application/json").DoRaw(c.Context())
			if err != nil || json.Unmarshal(text, &n) != nil {
				continue
			}
			for _, t := range n.Spec.Taints {
				all = append(all, t.ToString(), t.Key+":"+string(t.Effect)+"-")
			}
		}
		return all, directive
	}
}

var function = regexp.MustCompile(`(?m)^taint\.\w+(?:: edits\[\d+\] |\()(".*?")\)?: `)

// argument returns an error of the library without the name of its function.
func argument(err error) error { return errors.New(function.ReplaceAllString(err.Error(), "$1: ")) }

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
requires the label, unless a node selector does.

The preview says which pods are replaced, and how many nodes admit new ones after the change.
If none does, --yes needs --force.

With --yes, the nodes are labeled first, then the workloads are changed, and the nodes are
tainted last, so that new pods of the workloads can be scheduled at every moment. With the
effect NoExecute, their old pods are evicted then: use NoSchedule first, and NoExecute
after "kubectl rollout status". What is as requested stays, so that the command can be
repeated. Pods that are not replaced are evaluated with the tolerations that they have now.`,
		Example: `  # What it would do, and patches for the workload
  kubectl tolerate dedicate node1 node2 dedicated=gpu --workload deployment/train -n ml

  # Apply it
  kubectl tolerate dedicate -l pool=gpu dedicated=gpu --workload deployment/train -n ml --yes`,
		ValidArgsFunction: cluster.Complete(env, "nodes"),
		RunE: func(c *cobra.Command, args []string) error {
			names, pairs, err := targets(args)
			if err != nil {
				return err
			}
			t, err := parsePair(pairs, effect)
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
					return fmt.Errorf("--workload %s: must have the form TYPE/NAME, such as deployment/train", objects.Printable(w))
				}
			}
			opts.targets, opts.edits = append(names, workloads...), []taint.Edit{taint.Add(t)}
			d := admission.Dedicate(t)
			return run(c.Context(), env, &opts, func(o *item) error {
				if !o.isNode() {
					return bind(o, d)
				}
				return dedicateNode(o, d, &opts)
			})
		},
	}
	opts.addFlags(c)
	c.Flags().StringSliceVar(&workloads, "workload", nil, "Workloads, such as deployment/train, whose pods get the toleration and the affinity")
	c.Flags().StringVar(&effect, "effect", effect, "Effect of the taint: NoSchedule, NoExecute or PreferNoSchedule")
	return c
}

// parsePair returns the taint of the only argument KEY=VALUE.
func parsePair(pairs []string, effect string) (taint.Taint, error) {
	if len(pairs) != 1 || !strings.Contains(pairs[0], "=") || strings.Contains(pairs[0], ":") {
		return taint.Taint{}, fmt.Errorf("%s: write one KEY=VALUE after the nodes, such as dedicated=gpu; use --effect for the effect", objects.Printable(strings.Join(pairs, " ")))
	}
	t, err := taint.Parse(pairs[0] + ":" + effect)
	if err != nil {
		err = argument(err)
	}
	return t, err
}

// dedicateNode labels the node in the first phase and taints it in the last.
func dedicateNode(o *item, d admission.Dedicated, opts *options) error {
	labeled := o.DeepCopy()
	for key, value := range d.Labels {
		old, ok := labeled.GetLabels()[key]
		if ok && old != value && !opts.overwrite {
			return fmt.Errorf("label %s is already present with value %q; use --overwrite to replace it", key, old)
		}
		if !ok || old != value {
			o.Changes = append(o.Changes, fmt.Sprintf("label %s=%s", key, value))
		}
		labeled.SetLabels(labels.Merge(labeled.GetLabels(), map[string]string{key: value}))
	}
	o.step(0, labeled, "labeled")
	return o.editTaints(2, opts)
}

var errNoTemplate = errors.New("it has no pod template that can be changed; name the workload that makes the pods, such as deployment/train")

// findTemplate sets the path of the spec of the pods.
func (o *item) findTemplate() {
	o.template = []string{"spec", "template", "spec"}
	if o.Kind == "CronJob" {
		o.template = []string{"spec", "jobTemplate", "spec", "template", "spec"}
	}
}

// bind adds the toleration and the affinity to the pod template of a workload in the
// second phase.
func bind(o *item, d admission.Dedicated) error {
	if owner := metav1.GetControllerOf(o); owner != nil {
		name := strings.ToLower(owner.Kind) + "/" + owner.Name
		return fmt.Errorf("it belongs to %s, which would undo the change; use --workload %[1]s", objects.Printable(name))
	}
	o.findTemplate()
	path := o.template
	bound := o.DeepCopy()
	spec, ok, err := unstructured.NestedMap(bound.Object, path...)
	if err != nil || !ok || o.isMachineSet() || o.Kind == "Job" {
		return errors.Join(err, errNoTemplate)
	}
	maps.DeleteFunc(spec, func(_ string, value any) bool { return value == nil })
	if err = tolerate(spec, d.Toleration); err == nil {
		err = require(spec, d)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	err = unstructured.SetNestedMap(bound.Object, spec, path...)
	o.step(1, bound, "patched")
	return err
}

// tolerate adds the toleration to those of a pod template, unless one covers it. It is the
// first, since the first that matches decides for how long.
func tolerate(spec map[string]any, t toleration.Toleration) error {
	text, path, err := field(spec, "tolerations")
	if err != nil {
		return err
	}
	tolerations, _, err := toleration.Decode(text, toleration.DecodeOptions{Path: path, Strict: true})
	if err != nil || len(cover.Uncovered(toleration.List{t}, tolerations)) == 0 {
		return err
	}
	return setList(spec, append(toleration.List{t}, tolerations...), path)
}

// require adds the label to the required node affinity, unless the pods require it
// already. Terms of the affinity are alternatives, so each needs it; one that is empty
// matches no node, and stays empty.
func require(spec map[string]any, d admission.Dedicated) error {
	var pod corev1.PodSpec
	fields := maps.Clone(spec)
	maps.DeleteFunc(fields, func(name string, _ any) bool { return name != "affinity" && name != "nodeSelector" })
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(fields, &pod, true); err != nil {
		return fmt.Errorf("affinity or nodeSelector: %w", err)
	}
	if _, ok := pod.NodeSelector[d.Key]; !ok {
		label := corev1.NodeSelectorRequirement{Key: d.Key, Operator: corev1.NodeSelectorOpExists}
		if len(d.Values) > 0 {
			label.Operator, label.Values = corev1.NodeSelectorOpIn, d.Values
		}
		pod.Affinity = cmp.Or(pod.Affinity, new(corev1.Affinity))
		pod.Affinity.NodeAffinity = cmp.Or(pod.Affinity.NodeAffinity, new(corev1.NodeAffinity))
		required := &pod.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		if *required == nil || len((*required).NodeSelectorTerms) == 0 {
			*required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{label}}}}
		}
		for i, t := range (*required).NodeSelectorTerms {
			has := slices.ContainsFunc(t.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return reflect.DeepEqual(r, label) })
			if !has && len(t.MatchExpressions)+len(t.MatchFields) > 0 {
				(*required).NodeSelectorTerms[i].MatchExpressions = append(t.MatchExpressions, label)
			}
		}
		affinity, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pod.Affinity)
		if err != nil {
			return err
		}
		spec["affinity"] = affinity
	}
	return nil
}
