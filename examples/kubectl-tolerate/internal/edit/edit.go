// Package edit changes taints, labels and tolerations of objects. It judges the changes of
// all objects before it makes the first.
package edit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/kubejson"
	"github.com/go-tolerate/tolerate/taint"
)

// options are which objects are changed, and whether they are.
type options struct {
	targets   []string // such as node/worker-1
	overwrite bool

	source          cluster.Options
	selector        string // of the labels of nodes
	all, yes, force bool
	dryRun, output  string

	labels   labels.Selector  // the selector
	failed   []error          // objects of files
	list     []*item          // that were found
	found    map[string]*item // by the target in one spelling
	machines []*unstructured.Unstructured
}

// addFlags adds the flags of the options.
func (o *options) addFlags(c *cobra.Command) {
	o.source.AddFlags(c)
	f := c.Flags()
	f.StringVarP(&o.selector, "selector", "l", "", "Selector of the labels of the nodes to change")
	f.BoolVar(&o.all, "all", false, "Change all nodes")
	f.BoolVar(&o.overwrite, "overwrite", false, "Replace values that are present")
	f.BoolVar(&o.yes, "yes", false, "Apply the change; with --filename, write the changed objects to standard output")
	f.BoolVar(&o.force, "force", false, "Apply the change although pods that it can affect cannot be evaluated")
	f.StringVar(&o.dryRun, "dry-run", "none", `Must be "none", "client" or "server"; with "server" the API server checks the change and does not keep it`)
	cli.OutputFlag(c, &o.output, "json", "yaml")
	c.MarkFlagsMutuallyExclusive("selector", "all")
}

func (o *options) validate() (err error) {
	some := o.all || o.selector != ""
	switch o.labels, err = labels.Parse(o.selector); {
	case err != nil:
		return fmt.Errorf("--selector: %w", err)
	case !slices.Contains([]string{"none", "client", "server"}, o.dryRun):
		return fmt.Errorf("unknown dry run %q (allowed: none, client, server)", o.dryRun)
	case o.source.Sample && o.yes:
		return errors.New("the sample cannot be changed; omit --yes")
	case !o.source.Live() && o.dryRun == "server":
		return errors.New("only the cluster has --dry-run=server")
	case some && slices.ContainsFunc(o.targets, func(t string) bool { return strings.HasPrefix(t, "node/") }):
		return errors.New("name nodes, or use --selector or --all, but not both")
	case !some && len(o.targets) == 0:
		return errors.New("no nodes; name them, or use --selector or --all")
	}
	return nil
}

// An item is an object to be changed.
type item struct {
	*unstructured.Unstructured
	steps  []step        // up to 3, which all items make in parallel
	taints [2]taint.List // without and with the change

	version string // of the object that the API server has
	changed bool
	client  dynamic.ResourceInterface // nil in a file
	nodes   []string                  // of a MachineSet
}

// A step is a state of an object after a change, and a word for the change.
type step struct {
	after   *unstructured.Unstructured
	outcome string
}

// String returns the kind and the name, such as node/worker-1.
func (o *item) String() string { return strings.ToLower(o.GetKind()) + "/" + o.GetName() }

// is reports whether the object is of the kind and group, such as "Node".
func (o *item) is(kind string) bool { return o.GroupVersionKind().GroupKind().String() == kind }

// isNode reports whether the object is a node.
func (o *item) isNode() bool { return o.is("Node") }

const machineGroup = "machine.openshift.io"

// isMachineSet reports whether the object is a MachineSet of OpenShift.
func (o *item) isMachineSet() bool { return o.is("MachineSet." + machineGroup) }

// state returns the object after this number of steps, at most all.
func (o *item) state(steps int) *unstructured.Unstructured {
	if steps = min(steps, len(o.steps)); steps > 0 {
		return o.steps[steps-1].after
	}
	return o.Unstructured
}

// last returns the object's last state.
func (o *item) last() *unstructured.Unstructured { return o.state(len(o.steps)) }

// add adds an object, unless it is there already. The client is nil for a file.
func (o *options) add(key string, u *unstructured.Unstructured, client dynamic.ResourceInterface) error {
	object := &item{Unstructured: u, version: u.GetResourceVersion(), client: client}
	if client != nil {
		delete(u.Object, "status") // most of a node's memory
		u.SetManagedFields(nil)
	}
	if before := o.found[key]; before != nil {
		if !reflect.DeepEqual(before.Object, u.Object) {
			return fmt.Errorf("%s: there are several that differ; if they are in different namespaces, use -n", before)
		}
		return nil
	}
	for _, name := range []string{u.GetName(), cmp.Or(u.GetNamespace(), "default")} {
		if problems := validation.IsDNS1123Subdomain(name); problems != nil {
			return fmt.Errorf("%s: invalid name %q: %s", strings.ToLower(u.GetKind()), name, problems[0])
		}
	}
	if client != nil && object.version == "" {
		return fmt.Errorf("%s: the API server returned no version of it", object)
	}
	o.list, o.found[key] = append(o.list, object), object
	return nil
}

// read reads the objects that the options choose, nodes first, and returns the cluster
// around them.
func (o *options) read(ctx context.Context, env *cli.Env) (*cluster.Cluster, error) {
	o.found = make(map[string]*item)
	namespace, explicit, err := env.Namespace()
	if err == nil && o.source.Live() {
		err = o.live(ctx, env, namespace)
	}
	if err != nil {
		return nil, err
	}
	if !explicit {
		namespace = ""
	}
	o.find(namespace)
	c, err := cluster.Read(ctx, env, &o.source)
	if err == nil {
		err = c.NodesErr
	}
	for _, t := range o.targets {
		if err == nil && !o.source.Live() && o.found[fileKey(t)] == nil {
			o.failed = append(o.failed, missing(t))
		}
	}
	if err = errors.Join(append(o.failed, err)...); err == nil && len(o.list) == 0 {
		err = errors.New("no node has the labels of the selector")
	}
	slices.SortStableFunc(o.list, func(a, b *item) int {
		order := map[bool]int{true: -1}
		return order[a.isNode()] - order[b.isNode()]
	})
	for _, set := range o.list {
		if !set.isMachineSet() {
			continue
		}
		for _, m := range o.machines {
			name, _, _ := unstructured.NestedString(m.Object, "status", "nodeRef", "name")
			owned := slices.ContainsFunc(m.GetOwnerReferences(), func(owner metav1.OwnerReference) bool {
				return owner.Kind == "MachineSet" && owner.Name == set.GetName()
			})
			if m.GetNamespace() == set.GetNamespace() && owned && name != "" {
				set.nodes = append(set.nodes, name)
			}
		}
	}
	return c, err
}

// live reads the objects from the API server.
func (o *options) live(ctx context.Context, env *cli.Env, namespace string) error {
	config, err := env.Config()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	mapper, err2 := env.Flags.ToRESTMapper() // it makes no request yet
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	var nodes dynamic.ResourceInterface = client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"})
	if o.all || o.selector != "" {
		err = each(ctx, nodes, o.selector, func(u *unstructured.Unstructured) error { return o.add("node/"+u.GetName(), u, nodes) })
	}
	for _, t := range o.targets {
		word, name, _ := strings.Cut(t, "/")
		from, key := nodes, t
		if word != "node" {
			known, err := mapper.ResourceFor(schema.ParseGroupResource(word).WithVersion(""))
			if meta.IsNoMatchError(err) {
				return fmt.Errorf("%s: the API server has no type %q; write another, such as deployment/%s", kubejson.Printable(t), word, kubejson.Printable(name))
			}
			if err != nil {
				return err
			}
			from, key = client.Resource(known).Namespace(namespace), known.GroupResource().String()+"/"+name
		}
		if o.found[key] != nil {
			continue
		}
		u, err2 := from.Get(ctx, name, metav1.GetOptions{})
		if err2 == nil {
			err2 = o.add(key, u, from)
		}
		err = errors.Join(err, err2)
	}
	i := slices.IndexFunc(o.list, (*item).isMachineSet)
	if err != nil || i < 0 {
		return err
	}
	machines := client.Resource(o.list[i].GroupVersionKind().GroupVersion().WithResource("machines")).Namespace(namespace)
	return each(ctx, machines, "", func(u *unstructured.Unstructured) error {
		o.machines = append(o.machines, u)
		return nil
	})
}

// each calls do for each object of a list, which is requested in parts.
func each(ctx context.Context, from dynamic.ResourceInterface, selector string, do func(*unstructured.Unstructured) error) error {
	list := func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		return from.List(ctx, opts)
	}
	return pager.New(list).EachListItem(ctx, metav1.ListOptions{LabelSelector: selector}, func(o runtime.Object) error {
		return do(o.(*unstructured.Unstructured)) // a list of the dynamic client has no others
	})
}

// fileKey returns the key in found of a target in files: the kind and the name.
func fileKey(target string) string {
	word, name, _ := strings.Cut(target, "/")
	return strings.TrimSuffix(strings.ToLower(word), "s") + "/" + name
}

// fileTypes are the types that can be changed or contain pods, as keys have them.
var fileTypes = []string{"node", "machineset", "pod", "deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob"}

// missing returns the error for a target that is not in the files.
func missing(target string) error {
	kind, name, _ := strings.Cut(fileKey(target), "/")
	if slices.Contains(fileTypes, kind) {
		return fmt.Errorf("%s %q not found in the input", kind, name)
	}
	return fmt.Errorf("%s not found in the input; in files, types have their full names, such as deployment or machineset", kubejson.Printable(target))
}

// find prepares the reading of files to add the objects of a namespace, all if it is empty.
func (o *options) find(namespace string) {
	wanted := make(map[string]bool)
	for _, t := range o.targets {
		wanted[fileKey(t)] = true
	}
	o.source.Seen = func(k *kubejson.Object) bool {
		isMachine := k.Kind == "Machine" && strings.HasPrefix(k.APIVersion, machineGroup+"/")
		key := strings.ToLower(k.Kind) + "/" + k.Name
		named := wanted[key] && (namespace == "" || k.Namespace == "" || k.Namespace == namespace)
		some := k.Is("Node") && (o.all || o.selector != "")
		if !isMachine && !named && !some {
			return false
		}
		u := new(unstructured.Unstructured)
		err := u.UnmarshalJSON(k.Raw)
		switch {
		case err != nil:
			err = fmt.Errorf("%s:%d: %w", kubejson.Printable(k.Source), k.Line, err)
		case isMachine:
			o.machines = append(o.machines, u)
		case named || o.labels.Matches(labels.Set(u.GetLabels())):
			err = o.add(key, u, nil)
		}
		if err != nil {
			o.failed = append(o.failed, err)
		}
		return true
	}
}

// run changes the objects that the options choose. The function sets the steps of each
// object. No object is changed if the change of one is rejected.
func run(ctx context.Context, env *cli.Env, o *options, change func(*item) error) error {
	if err := o.validate(); err != nil {
		return err
	}
	c, err := o.read(ctx, env)
	if err != nil {
		return err
	}
	for _, object := range o.list {
		if e := change(object); e != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", object, e))
		}
	}
	if err != nil {
		return fmt.Errorf("%w\nnothing was changed", err)
	}
	problems := c.Report(env)
	r := &Report{Time: env.Now().UTC().Truncate(time.Second), Pods: []Pod{}}
	if err := r.judge(ctx, c, o.list); err != nil {
		return err
	}
	var changed []*unstructured.Unstructured
	for _, object := range o.list {
		x, err := object.change()
		if err != nil {
			return fmt.Errorf("%s: %w", object, err)
		}
		if r.Objects = append(r.Objects, x); x.Outcome != unchanged {
			changed = append(changed, object.last())
		}
	}
	apply, out := o.yes && o.dryRun == "none" || o.dryRun == "server", env.Out
	files := apply && !o.source.Live()
	if files || o.output != "" {
		out = env.ErrOut // standard output gets the objects or the report
	}
	if files || o.output == "" {
		if err := r.text(out); err != nil {
			return err
		}
	}
	switch {
	case len(changed) == 0:
		fmt.Fprintln(out, "nothing to do: the objects are as requested")
	case !apply && o.yes:
		fmt.Fprintln(out, "nothing was changed (client dry run)")
	case !apply:
		fmt.Fprintln(out, "nothing was changed; to apply it, add --yes")
	case r.blocked && !o.force:
		err = errors.New("nothing was changed, because not all that the change can affect can be judged; correct what is unknown or invalid, or use --force")
	case files:
		return env.Print(cmp.Or(o.output, "yaml"), map[string]any{"apiVersion": "v1", "kind": "List", "items": changed})
	default:
		if err = o.apply(ctx, out); err == nil {
			r.Applied, problems = o.dryRun == "none", nil
		}
	}
	if o.output != "" && !files {
		for i, object := range o.list {
			r.Objects[i].Applied = object.changed
		}
		err = errors.Join(err, env.Print(o.output, r))
	}
	return cmp.Or(err, problems)
}

// field returns the JSON of a field, null if it is absent, and its path.
func field(object map[string]any, fields ...string) (text []byte, path string, err error) {
	value, _, err := unstructured.NestedFieldNoCopy(object, fields...)
	if err == nil {
		text, err = json.Marshal(value)
	}
	return text, strings.Join(fields, "."), err
}

// setList sets a field to a list of taints or tolerations.
func setList(object map[string]any, list json.Marshaler, fields ...string) error {
	var value []any
	text, err := list.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	return errors.Join(err, unstructured.SetNestedSlice(object, value, fields...))
}

// editTaints returns the step that changes the taints of a state of a node or a MachineSet.
func (o *item) editTaints(state *unstructured.Unstructured, edits []taint.Edit, opts taint.EditOptions) (step, error) {
	fields := []string{"spec", "taints"}
	switch {
	case o.isMachineSet():
		fields = []string{"spec", "template", "spec", "taints"}
	case !o.isNode():
		return step{}, errors.New("only nodes and the MachineSets of OpenShift have taints that can be changed")
	}
	text, path, err := field(state.Object, fields...)
	if err != nil {
		return step{}, err
	}
	before, _, err := taint.Decode(text, taint.ListOptions{Path: path, Strict: true}) // other fields would be lost
	if err != nil {
		return step{}, err
	}
	after, outcome, err := taint.Apply(before, edits, opts)
	if err != nil {
		has := fmt.Sprintf("the taints are %q", before)
		if len(before) == 0 {
			has = fmt.Sprintf("the %s has no taints", strings.ToLower(o.GetKind()))
		}
		return step{}, fmt.Errorf("%s; %s", flags.Replace(place.ReplaceAllString(err.Error(), "")), has)
	}
	o.taints = [2]taint.List{before, after}
	changed := step{state.DeepCopy(), outcome.String()}
	if !after.Equal(before) {
		err = setList(changed.after.Object, append(taint.List{}, after...), fields...)
	}
	return changed, err
}

// place is the index of an edit in an error, before the edit itself.
var place = regexp.MustCompile(`(?m)^edits\[\d+\] `)

// flags replaces the options of the library in its errors.
var flags = strings.NewReplacer("use Overwrite", "use --overwrite", "; use IgnoreAbsent to allow this", "")

// patch returns the merge patch from before to after, which the API server rejects if the
// object no longer has the version. An empty version is no condition.
func patch(before, after *unstructured.Unstructured, version string) ([]byte, error) {
	before, after = before.DeepCopy(), after.DeepCopy()
	before.SetResourceVersion("")
	after.SetResourceVersion(version)
	from, err := before.MarshalJSON()
	to, err2 := after.MarshalJSON()
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return jsonmergepatch.CreateThreeWayJSONMergePatch(from, to, from)
}

// apply changes the objects in the cluster, one step of all after the other, and writes
// each change to w.
func (o *options) apply(ctx context.Context, w io.Writer) error {
	opts := metav1.PatchOptions{FieldManager: "kubectl-tolerate", FieldValidation: metav1.FieldValidationStrict}
	suffix, done := "", 0
	if o.dryRun == "server" {
		opts.DryRun, suffix = []string{metav1.DryRunAll}, " (server dry run)"
	}
	for i := range 3 {
		for _, object := range o.list {
			if reflect.DeepEqual(object.state(i).Object, object.state(i+1).Object) {
				continue
			}
			if err := object.apply(ctx, i, opts); err != nil {
				return failure(object, err, done)
			}
			fmt.Fprintf(w, "%s %s%s\n", object, object.steps[i].outcome, suffix)
			if suffix == "" {
				done++
			}
		}
	}
	return nil
}

// apply makes the step with this index. The version of the first is that which was judged,
// and of the others that of the step before.
func (o *item) apply(ctx context.Context, i int, opts metav1.PatchOptions) error {
	after := o.state(i + 1)
	body, err := patch(o.state(i), after, o.version)
	if err != nil {
		return err
	}
	u, err := o.client.Patch(ctx, o.GetName(), types.MergePatchType, body, opts)
	if err != nil {
		return err
	}
	if len(opts.DryRun) == 0 {
		o.changed, o.version = true, u.GetResourceVersion()
	}
	if i+1 < len(o.steps) && !reflect.DeepEqual(u.Object["spec"], after.Object["spec"]) {
		return errors.New("the API server returned another spec than was judged")
	}
	return nil
}

// failure describes how far the objects are changed.
func failure(object *item, err error, done int) error {
	what := "was not changed"
	var status apierrors.APIStatus
	switch {
	case apierrors.IsConflict(err):
		what += ", because it is no longer what was judged"
	case !errors.As(err, &status):
		what, err = "is perhaps changed", errors.New(err.Error()) // an interrupt is reported as all other errors are
	case status.Status().Code >= 500:
		what = "is perhaps changed"
	}
	return fmt.Errorf("%s %s: %w\nchanges made before: %d; run the command again for the others", object, what, err, done)
}
