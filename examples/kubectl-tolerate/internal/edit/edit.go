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
	"maps"
	"net/http"
	"reflect"
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
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/pager"

	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cli"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/cluster"
	"github.com/go-tolerate/tolerate/examples/kubectl-tolerate/internal/objects"
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

	where    string           // the cluster, for people; empty for files
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
	steps   []step        // up to 3, which all items make in parallel
	taints  [2]taint.List // without and with the change
	changes []string      // of taints and labels, for people

	client dynamic.ResourceInterface // nil in a file
	nodes  []string                  // of a MachineSet
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
	object := &item{Unstructured: u, client: client}
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
	if err == nil && c.NodesErr != nil {
		_ = c.Report(env)
		err = c.NodesErr
	}
	for _, t := range o.targets {
		if err == nil && !o.source.Live() && o.found[fileKey(t)] == nil {
			o.failed = append(o.failed, fmt.Errorf("%s not found in the input; there, types have their full names, such as deployment", objects.Printable(t)))
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
			owner := metav1.GetControllerOf(m)
			if owner != nil && owner.Kind == "MachineSet" && owner.Name == set.GetName() && m.GetNamespace() == set.GetNamespace() && name != "" {
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
	raw, err3 := env.Flags.ToRawKubeConfigLoader().RawConfig()
	if err := errors.Join(err, err2, err3); err != nil {
		return err
	}
	o.where = "cluster " + config.Host
	name := cmp.Or(*env.Flags.Context, raw.CurrentContext)
	if c := raw.Contexts[name]; c != nil {
		o.where = fmt.Sprintf("context %s, cluster %s (%s)", name, cmp.Or(*env.Flags.ClusterName, c.Cluster), config.Host)
	}
	o.where = objects.Printable(o.where)
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
				return fmt.Errorf("%s: the API server has no type %q; write another, such as deployment/%s", objects.Printable(t), word, objects.Printable(name))
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

// find prepares the reading of files to add the objects of a namespace, all if it is empty.
func (o *options) find(namespace string) {
	wanted := make(map[string]bool)
	for _, t := range o.targets {
		wanted[fileKey(t)] = true
	}
	o.source.Seen = func(k *objects.Object) bool {
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
			err = fmt.Errorf("%s:%d: %w", objects.Printable(k.Source), k.Line, err)
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
	r := &Report{Time: env.Now().UTC().Truncate(time.Second), Cluster: o.where, Pods: []Pod{}}
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
	} else if apply {
		fmt.Fprintln(out, o.where)
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
		if err = o.apply(ctx, env, out, r); err == nil {
			r.Applied, problems = o.dryRun == "none", nil
		}
	}
	if o.output != "" && !files {
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

// editTaints returns the step that changes the taints of a state of a node or a MachineSet.
// To add a taint that is there, or to remove one that is not, changes nothing.
func (o *item) editTaints(state *unstructured.Unstructured, edits []taint.Edit, overwrite bool) (step, error) {
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
	after, _, err := taint.Apply(before, edits, taint.EditOptions{Overwrite: true, KeepExisting: true, IgnoreAbsent: true})
	if err != nil {
		return step{}, err
	}
	outcome := ""
	for _, c := range taint.Difference(before, after) {
		word := map[taint.ChangeKind]string{taint.Added: "tainted", taint.Removed: "untainted"}[c.Kind()]
		if outcome = cmp.Or(outcome, word); word == "" || word != outcome {
			outcome = "modified"
		}
		if c.Kind() == taint.ValueChanged && !overwrite {
			err = errors.Join(err, fmt.Errorf("taint %s is already present as %s; use --overwrite to replace it", c.After, c.Before))
		}
		o.changes = append(o.changes, c.String())
	}
	o.taints = [2]taint.List{before, after}
	changed := step{state.DeepCopy(), outcome}
	if outcome != "" {
		err = errors.Join(err, setList(changed.after.Object, after, fields...))
	}
	return changed, err
}

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

// apply changes the objects in the cluster, one step of all after the other. It writes each
// change to w, and continues with the other objects if one is not changed, but not with
// the next step. It ends when it is interrupted, and when an object cannot be read.
func (o *options) apply(ctx context.Context, env *cli.Env, w io.Writer, r *Report) error {
	opts := metav1.PatchOptions{FieldManager: "kubectl-tolerate", FieldValidation: metav1.FieldValidationStrict}
	suffix := ""
	if o.dryRun == "server" {
		opts.DryRun, suffix = []string{metav1.DryRunAll}, " (server dry run)"
		for i, object := range o.list { // no step is kept for the next
			object.steps = []step{{object.last(), r.Objects[i].Outcome}}
		}
	}
	var failed []string
	var end error // why the rest is not tried
	for i := 0; i < 3 && len(failed) == 0; i++ {
		for n, object := range o.list {
			if end != nil || same(object.state(i), object.state(i+1)) {
				continue
			}
			if end = ctx.Err(); end != nil {
				continue
			}
			change := &r.Objects[n]
			if err := object.apply(ctx, i, opts); err != nil {
				fmt.Fprintf(env.ErrOut, "%s failed: %v\n", object, err)
				change.Error, failed = err.Error(), append(failed, object.String())
				if errors.As(err, new(unreadable)) {
					end = err
				}
				continue
			}
			fmt.Fprintf(w, "%s %s%s\n", object, object.steps[i].outcome, suffix)
			change.Applied = suffix == ""
			change.left--
		}
	}
	counts := make(map[string]int)
	for _, change := range r.Objects {
		switch {
		case change.Outcome == unchanged:
			counts[unchanged]++
		case change.left == 0:
			counts["changed"]++
		case change.Error == "":
			counts["left"]++
		}
	}
	text := fmt.Sprintf("%s: %d changed, %d unchanged, %d failed", count(len(o.list), "object"), counts["changed"], counts[unchanged], len(failed))
	if counts["left"] > 0 {
		text += fmt.Sprintf(", %d not reached", counts["left"])
	}
	if len(failed) > 0 {
		text += "\nfailed: " + strings.Join(failed, ", ")
	}
	switch again := text + "\nto finish, run the command again"; {
	case ctx.Err() != nil && end != nil:
		return &cli.Exit{Status: 130, Err: errors.New("interrupted; " + again)}
	case end != nil:
		return errors.New("the API server does not answer; " + again)
	case len(failed) > 0:
		return errors.New(again)
	}
	fmt.Fprintln(w, text+suffix)
	return nil
}

// An unreadable is the error of an object that cannot be read, so that the rest need not be
// tried.
type unreadable struct{ error }

// Changes are tried so often, and after an interrupt the request under way is continued for
// so long.
const (
	tries = 4
	grace = 5 * time.Second
)

// apply makes the step with this index if the object is what was judged. After a conflict,
// and an error that does not show whether the object is changed, it looks again: others
// write the status of a node all the time, and an answer can be lost.
func (o *item) apply(ctx context.Context, i int, opts metav1.PatchOptions) error {
	before, after := o.state(i), o.state(i+1)
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	var sent error // of the last patch
	for try := 1; ; try++ {
		last := try >= tries || ctx.Err() != nil
		now, err := o.client.Get(requests, o.GetName(), metav1.GetOptions{})
		switch {
		case err != nil && isOpen(err) && (last || code(err) == 0): // clients try to connect again
			if sent != nil {
				err = fmt.Errorf("it is perhaps changed: %w", sent)
			}
			return unreadable{err}
		case err != nil:
		case same(now, after):
			return nil
		case !same(now, before):
			return errors.New("it has changed since it was read, and is left as it is")
		case sent != nil && last:
			return sent
		default:
			var body []byte
			if body, err = patch(before, after, now.GetResourceVersion()); err == nil {
				_, err = o.client.Patch(requests, o.GetName(), types.MergePatchType, body, opts)
			}
			sent = err
		}
		if err == nil || !isOpen(err) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(try) * 100 * time.Millisecond):
		}
	}
}

// same reports whether nothing that is judged differs: the labels and the specification.
func same(a, b *unstructured.Unstructured) bool {
	return a.GetUID() == b.GetUID() && maps.Equal(a.GetLabels(), b.GetLabels()) && reflect.DeepEqual(a.Object["spec"], b.Object["spec"])
}

// isOpen reports whether another request can succeed after an error, or the object can be
// changed in spite of it.
func isOpen(err error) bool {
	c := code(err)
	return c == 0 || c >= http.StatusInternalServerError || c == http.StatusConflict || c == http.StatusTooManyRequests
}

// code returns the HTTP status of an error, and 0 if there was no answer.
func code(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}
