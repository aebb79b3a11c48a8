// Package edit changes taints, labels and tolerations of objects. It judges the changes of
// all objects before it makes the first.
package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
	"github.com/go-tolerate/tolerate/taint"
)

const (
	machineGroup = "machine.openshift.io"
	unchanged    = "unchanged" // the outcome of an object
)

// options are which objects are changed, and whether they are.
type options struct {
	source           cluster.Options
	targets          []string // such as node/worker-1
	selector, output string   // of the labels of nodes
	all, overwrite   bool
	yes, force       bool
	dryRun, report   string
	edits            []taint.Edit       // of taints
	restore          map[string]*Change // to undo, by target
	reported         string             // the cluster of the report

	now      time.Time                 // for which everything is evaluated
	where    string                    // the cluster, for people; empty for files
	nodes    dynamic.ResourceInterface // nil for files
	failed   []error                   // of objects
	gone     []string                  // targets that no longer exist
	list     []*item                   // that were found
	found    map[string]*item          // by the target in one spelling
	machines []unstructured.Unstructured
	owners   map[string]string // of ReplicaSets, as "Deployment web", by namespace and kind and name
}

// addFlags adds the flags of the options.
func (o *options) addFlags(c *cobra.Command) {
	o.source.AddFlags(c)
	f := c.Flags()
	f.BoolVar(&o.yes, "yes", false, "Apply the change; with --filename, write the objects, changed or as requested already, to standard output")
	f.BoolVar(&o.force, "force", false, "Apply the change although pods that it can affect cannot be evaluated, or no node is left for new pods")
	f.StringVar(&o.dryRun, "dry-run", "", "Show what the change does, which is the default")
	f.Lookup("dry-run").NoOptDefVal = "server"
	f.StringVar(&o.report, "report", "", "With --yes, first write a report for \"kubectl tolerate undo\" to this file, which must not exist")
	cli.OutputFlag(c, &o.output, "json", "yaml")
	c.MarkFlagsMutuallyExclusive("dry-run", "yes")
	if o.restore != nil {
		return
	}
	f.StringVarP(&o.selector, "selector", "l", "", "Selector of the labels of the nodes to change")
	f.BoolVar(&o.all, "all", false, "Change all nodes")
	f.BoolVar(&o.overwrite, "overwrite", false, "Replace values that are present")
	c.MarkFlagsMutuallyExclusive("selector", "all")
}

// validate reports what is wrong with the options, and parses the selector.
func (o *options) validate() (labels.Selector, error) {
	selector, err := labels.Parse(o.selector)
	some := o.all || o.selector != ""
	switch {
	case err != nil:
		err = fmt.Errorf("--selector: %w", err)
	case o.dryRun != "" && o.dryRun != "client" && o.dryRun != "server":
		err = fmt.Errorf("--dry-run=%s: must be client or server; to apply the change, use --yes", objects.Printable(o.dryRun))
	case o.report != "" && !o.yes:
		err = errors.New("--report is for a change that is made, with --yes; use -o json for a preview")
	case o.source.Sample && o.yes:
		err = errors.New("the sample cannot be changed; omit --yes")
	case some && slices.ContainsFunc(o.targets, func(t string) bool { return strings.HasPrefix(t, "node/") }):
		err = errors.New("name nodes, or use --selector or --all, but not both")
	case !some && len(o.targets) == 0:
		err = errors.New("no nodes; name them, or use --selector or --all")
	}
	return selector, err
}

// An item is an object to be changed.
type item struct {
	*unstructured.Unstructured
	Change
	last     *unstructured.Unstructured // after the steps
	steps    []step
	taints   [2]taint.List             // without and with the change
	template []string                  // the path of the spec of its pods
	client   dynamic.ResourceInterface // nil in a file
}

// A step is a part of the change of an object, and a word for it. No step is made before all
// of the phases before.
type step struct {
	*item
	phase         int
	before, after *unstructured.Unstructured
	outcome       string
}

// String returns the kind and the name, such as node/worker-1.
func (o *item) String() string { return strings.ToLower(o.Kind) + "/" + o.Name }

// is reports whether the object is of the kind and group, such as "Node".
func (o *item) is(kind string) bool { return o.GroupVersionKind().GroupKind().String() == kind }

func (o *item) isNode() bool       { return o.is("Node") }
func (o *item) isMachineSet() bool { return o.is("MachineSet." + machineGroup) } // of OpenShift

// step adds a step to the state after, unless that is the present one.
func (o *item) step(phase int, after *unstructured.Unstructured, outcome string) {
	if !same(o.last, after) {
		o.steps, o.last = append(o.steps, step{o, phase, o.last, after, outcome}), after
		o.Outcome = strings.TrimPrefix(o.Outcome+" and "+outcome, " and ")
	}
}

// add adds an object, unless it is there already. The client is nil for a file.
func (o *options) add(key string, u *unstructured.Unstructured, client dynamic.ResourceInterface) error {
	if client != nil {
		delete(u.Object, "status") // most of a node's memory
		u.SetManagedFields(nil)
	}
	if before := o.found[key]; before != nil {
		if client == nil && !reflect.DeepEqual(before.Object, u.Object) {
			text := "; if they are in different namespaces, use -n"
			if before.isNode() {
				text = ""
			}
			return fmt.Errorf("%s: there are several that differ%s", before, text)
		}
		before.Unstructured, before.last = u, u
		return nil
	}
	for _, name := range []string{u.GetName(), cmp.Or(u.GetNamespace(), "default")} {
		if problems := validation.IsDNS1123Subdomain(name); problems != nil {
			return fmt.Errorf("%s: invalid name %q: %s", strings.ToLower(u.GetKind()), name, problems[0])
		}
	}
	o.found[key] = &item{Unstructured: u, last: u, Change: Change{APIVersion: u.GetAPIVersion(), Kind: u.GetKind(), Namespace: u.GetNamespace(), Name: u.GetName(), UID: u.GetUID()}, client: client}
	o.list = append(o.list, o.found[key])
	return nil
}

// read reads the objects that the options choose, nodes first, and returns the cluster
// around them.
func (o *options) read(ctx context.Context, env *cli.Env) (*cluster.Cluster, error) {
	o.found, o.owners = make(map[string]*item), make(map[string]string)
	o.source.Volumes, o.source.Lenient = true, true
	selector, err := o.validate()
	if err != nil {
		return nil, err
	}
	namespace, explicit, err := env.Loader().Namespace() // explicit if it is of a flag
	if err == nil && o.source.Live() {
		err = o.live(ctx, env, namespace)
	}
	if err != nil {
		return nil, err
	}
	if !explicit {
		namespace = ""
	}
	o.source.Seen = o.seen(namespace, selector)
	c, err := cluster.Read(ctx, env, &o.source)
	if err == nil && c.NodesErr != nil {
		_ = c.Report(env)
		err = c.NodesErr
	}
	for _, t := range o.targets {
		switch {
		case err != nil || o.found[fileKey(t)] != nil || o.nodes != nil && !strings.HasPrefix(t, "node/"):
		case o.restore != nil:
			o.gone = append(o.gone, t)
		default:
			o.failed = append(o.failed, fmt.Errorf("%s not found", objects.Printable(t)))
		}
	}
	if err = errors.Join(append(o.failed, err)...); err == nil && len(o.list) == 0 {
		err = errors.New("no node has the labels of the selector")
		if o.gone != nil {
			err = errors.New("the objects no longer exist: " + cli.Names(o.gone, len(o.gone)))
		}
	}
	slices.SortFunc(o.list, func(a, b *item) int {
		order := map[bool]int{true: -1}
		return cmp.Or(order[a.isNode()]-order[b.isNode()], cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, set := range o.list {
		for i := 0; i < len(o.machines) && set.isMachineSet(); i++ {
			m := &o.machines[i]
			name, _, _ := unstructured.NestedString(m.Object, "status", "nodeRef", "name")
			owner := metav1.GetControllerOf(m)
			if owner != nil && owner.Kind == set.Kind && owner.Name == set.Name && m.GetNamespace() == set.Namespace && name != "" {
				set.Nodes = append(set.Nodes, name)
			}
		}
		slices.Sort(set.Nodes)
	}
	return c, err
}

// live reads the objects from the API server, except the nodes.
func (o *options) live(ctx context.Context, env *cli.Env, namespace string) error {
	config, err := env.Config()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	resources, err2 := discovery.NewDiscoveryClientForConfig(config)
	raw, err3 := env.Loader().RawConfig()
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	cache := memory.NewMemCacheClient(resources) // it makes no request yet
	mapper := restmapper.NewShortcutExpander(restmapper.NewDeferredDiscoveryRESTMapper(cache), cache, nil)
	o.where = "cluster " + config.Host
	name := cmp.Or(env.Overrides.CurrentContext, raw.CurrentContext)
	if c := raw.Contexts[name]; c != nil {
		o.where = fmt.Sprintf("context %s, cluster %s (%s)", name, cmp.Or(env.Overrides.Context.Cluster, c.Cluster), config.Host)
	}
	o.nodes = client.Resource(corev1.SchemeGroupVersion.WithResource("nodes"))
	for _, t := range o.targets {
		word, name, _ := strings.Cut(t, "/")
		if word == "node" {
			continue
		}
		known, err := mapper.ResourceFor(schema.ParseGroupResource(word).WithVersion(""))
		if err != nil {
			return fmt.Errorf("%s: %w", objects.Printable(t), err)
		}
		from := client.Resource(known).Namespace(namespace)
		u, err := from.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) && o.restore != nil {
			o.gone = append(o.gone, t)
			continue
		}
		if err == nil {
			err = o.add(known.GroupResource().String()+"/"+name, u, from)
		}
		if err != nil {
			return err
		}
	}
	if slices.ContainsFunc(o.list, func(i *item) bool { return i.is("Deployment.apps") }) {
		// Without the list, the names of ReplicaSets tell whose they are.
		list, _ := client.Resource(appsv1.SchemeGroupVersion.WithResource("replicasets")).Namespace(namespace).List(ctx, metav1.ListOptions{})
		for i := 0; list != nil && i < len(list.Items); i++ {
			o.owned(&list.Items[i])
		}
	}
	if i := slices.IndexFunc(o.list, (*item).isMachineSet); i >= 0 {
		machines := o.list[i].GroupVersionKind().GroupVersion().WithResource("machines")
		list, err := client.Resource(machines).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		o.machines = list.Items
	}
	return nil
}

// owned adds the owner of a ReplicaSet.
func (o *options) owned(set *unstructured.Unstructured) {
	text := ""
	if owner := metav1.GetControllerOf(set); owner != nil {
		text = owner.Kind + " " + owner.Name
	}
	o.owners[set.GetNamespace()+"/"+set.GetKind()+" "+set.GetName()] = text
}

// fileKey returns the key in found of a target in files, and of a node: the kind and the name.
func fileKey(target string) string {
	word, name, _ := strings.Cut(target, "/")
	word, _, _ = strings.Cut(word, ".")
	return strings.TrimSuffix(strings.ToLower(word), "s") + "/" + name
}

// seen returns the function that adds the objects of a namespace, all if it is empty, from
// files, and nodes from the API server.
func (o *options) seen(namespace string, selector labels.Selector) func(*objects.Object) bool {
	wanted := make(map[string]bool)
	for _, t := range o.targets {
		wanted[fileKey(t)] = true
	}
	return func(k *objects.Object) bool {
		isNode := k.Is("Node")
		isSet := k.Kind == "ReplicaSet" && strings.HasPrefix(k.APIVersion, "apps/")
		isMachine := k.Kind == "Machine" && strings.HasPrefix(k.APIVersion, machineGroup+"/")
		key := strings.ToLower(k.Kind) + "/" + k.Name
		named := wanted[key] && (namespace == "" || k.Namespace == "" || k.Namespace == namespace)
		some := isNode && (o.all || o.selector != "")
		if !isMachine && !isSet && !named && !some || o.nodes != nil && !isNode {
			return false
		}
		var u unstructured.Unstructured
		err := utiljson.Unmarshal(k.Raw, &u.Object)
		switch {
		case err != nil:
			err = k.Problem(err)
		case isMachine:
			o.machines = append(o.machines, u)
		case isSet && !named:
			u.SetKind(k.Kind)
			o.owned(&u)
		case named || selector.Matches(labels.Set(u.GetLabels())):
			u.SetGroupVersionKind(schema.FromAPIVersionAndKind(cmp.Or(k.APIVersion, "v1"), k.Kind)) // a list omits it
			err = o.add(key, &u, o.nodes)
		}
		if err != nil {
			o.failed = append(o.failed, err)
		}
		return true
	}
}

// run changes the objects that the options choose. The function adds the steps of each
// object. No object is changed if the change of one is rejected.
func run(ctx context.Context, env *cli.Env, o *options, change func(*item) error) error {
	c, err := o.read(ctx, env)
	if err != nil {
		return err
	}
	o.now = env.Now().UTC().Truncate(time.Second)
	for _, object := range o.list {
		if e := change(object); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", object, e))
		}
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed", err)
	}
	problems := c.Report(env)
	if c.PodsErr != nil {
		problems = cmp.Or(problems, error(&cli.Exit{Status: 2}))
	}
	if err := o.elsewhere(); err != nil && !o.force {
		return err
	}
	r := &Report{Time: o.now, Cluster: o.where, Pods: []Pod{}}
	if err := r.judge(ctx, c, o); err != nil {
		return err
	}
	var last []*unstructured.Unstructured
	changed := false
	for _, object := range o.list {
		r.Objects, last = append(r.Objects, &object.Change), append(last, object.last)
		if object.steps == nil {
			object.Outcome = unchanged
			continue
		}
		object.Before, object.After = object.states()
		if object.Patch, err = patch(object.Unstructured, object.last, object.GetResourceVersion()); err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
		changed = true
	}
	var refused error
	if changed && !o.yes && o.source.Live() {
		if refused = o.tryOut(ctx); refused != nil {
			r.Warnings = slices.Insert(r.Warnings, 0, "the API server would refuse this: "+refused.Error())
		}
	}
	files, out := o.yes && !o.source.Live(), env.Out
	if files || o.output != "" {
		out = env.ErrOut // standard output gets the objects or the report
	}
	if o.where != "" {
		fmt.Fprintln(out, o.where)
	}
	if files || o.output == "" {
		if err := r.text(out); err != nil {
			return err
		}
	}
	switch {
	case !changed:
		text := "nothing to do: the objects are as requested"
		if slices.ContainsFunc(r.Objects, func(o *Change) bool { return o.Kept != nil }) {
			text = "nothing to do: what has been changed since stays"
		}
		fmt.Fprintln(out, text)
	case refused != nil:
		err = errors.New("nothing was changed, and the API server would refuse the change")
	case !o.yes:
		fmt.Fprintln(out, "nothing was changed; to apply it, add --yes")
	case !o.force && slices.ContainsFunc(r.Workloads, func(w *Workload) bool { return w.Nowhere != "" }):
		err = errors.New("nothing was changed, because no node is left for new pods; correct that, or use --force")
	case !o.force && r.partial:
		err = errors.New("nothing was changed, because not all that the change can affect can be judged; correct what is unknown or invalid, or use --force")
	default:
		if err = o.keep(r); err != nil {
			return err
		}
		if problems = nil; !files {
			err = o.apply(ctx, env, out)
			r.Applied = err == nil
		}
		if some := slices.ContainsFunc(r.Objects, func(o *Change) bool { return o.Applied }); !some && !files {
			break
		}
		if o.report != "" {
			undo := env.Connected("kubectl tolerate undo " + cli.Quote(o.report))
			if files {
				undo += " -f FILE    # FILE: the objects after the change"
			}
			defer fmt.Fprintln(out, "to undo it:", undo)
		} else if o.output == "" {
			defer fmt.Fprintln(out, "no report was kept; with --report FILE, \"kubectl tolerate undo\" can restore what is changed")
		}
	}
	if files && err == nil {
		err = env.Print(cmp.Or(o.output, "yaml"), map[string]any{"apiVersion": "v1", "kind": "List", "items": last})
	} else if o.output != "" && !files {
		err = errors.Join(err, env.Print(o.output, r))
	}
	return cmp.Or(err, problems)
}

// keep writes the report for undo, if one is wanted, to a new file.
func (o *options) keep(r *Report) error {
	if o.report == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "    ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(o.report, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// field returns the JSON of a field, null if it is absent, and its path.
func field(object map[string]any, fields ...string) (text []byte, path string, err error) {
	value, _, err := unstructured.NestedFieldNoCopy(object, fields...)
	if err == nil {
		text, err = json.Marshal(value)
	}
	return text, strings.Join(fields, "."), err
}

// setList sets a field to a list of taints or tolerations. It removes the field if the list
// is empty, as the API server does.
func setList(object map[string]any, list json.Marshaler, fields ...string) error {
	var value []any
	text, err := list.MarshalJSON()
	if err == nil {
		err = utiljson.Unmarshal(text, &value)
	}
	if len(value) == 0 {
		unstructured.RemoveNestedField(object, fields...)
		return err
	}
	return errors.Join(err, unstructured.SetNestedSlice(object, value, fields...))
}

// editTaints adds the step that edits the taints of a node or a MachineSet. To add a taint
// that is there, or to remove one that is not, changes nothing. A new NoExecute taint of a
// node gets its time added.
func (o *item) editTaints(phase int, opts *options) error {
	how := taint.EditOptions{Overwrite: true, KeepExisting: true, IgnoreAbsent: true, TimeAdded: opts.now}
	if o.isMachineSet() { // its machines get their taints later
		how.TimeAdded = time.Time{}
	}
	return o.changeTaints(phase, opts, func(before taint.List) (taint.List, error) { return taint.Apply(before, opts.edits, how) })
}

// changeTaints adds the step that changes the taints of a node or a MachineSet.
func (o *item) changeTaints(phase int, opts *options, change func(taint.List) (taint.List, error)) error {
	fields := []string{"spec", "taints"}
	switch {
	case o.isMachineSet():
		fields = []string{"spec", "template", "spec", "taints"}
	case !o.isNode():
		return errors.New("only nodes and the MachineSets of OpenShift have taints that can be changed")
	}
	changed := o.last.DeepCopy()
	text, path, err := field(changed.Object, fields...)
	if err != nil {
		return err
	}
	before, _, err := taint.Decode(text, taint.DecodeOptions{Path: path, Strict: true}) // other fields would be lost
	if err != nil {
		return err
	}
	after, err := change(before)
	if err != nil {
		return err
	}
	outcome := ""
	for _, c := range taint.Difference(before, after) {
		word := "modified"
		switch {
		case c.Before.IsZero():
			word = "tainted"
		case c.After.IsZero():
			word = "untainted"
		}
		if outcome = cmp.Or(outcome, word); word != outcome {
			outcome = "modified"
		}
		if word == "modified" && c.Before.Value() != c.After.Value() && !opts.overwrite {
			err = errors.Join(err, fmt.Errorf("taint %s is already present as %s; use --overwrite to replace it", c.After, c.Before))
		}
		o.Changes = append(o.Changes, c.String())
	}
	if o.taints = [2]taint.List{before, after}; outcome != "" {
		err = errors.Join(err, setList(changed.Object, after, fields...))
		o.step(phase, changed, outcome)
	}
	return err
}
